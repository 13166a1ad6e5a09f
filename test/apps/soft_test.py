"""Tests of the scenes of soft bodies of the command graze sim.

Usage: soft_test.py GRAZE [unittest arguments]
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest

FIGURE = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
"""


class SoftTest(CommandTest):
    def test_built_in_scenes_have_no_intersection(self):
        (self.folder / "figure.obj").write_text(FIGURE)
        for scene, seconds, count, *more in (("mat", 0.2, 60), ("golf", 0.04, 25),
                                             ("chain", 0.2, 224),
                                             ("squash", 0.4, 20, "--model", "figure.obj")):
            summary = json.loads(self.answer("sim", scene, "--seconds", seconds, "--count", count,
                                             "--json", *more))
            self.assertEqual(summary["intersections"], 0)
            self.assertEqual(summary["unfinished_steps"], 0)
            self.assertGreater(summary["newton_steps"], 0)
        self.assertIn("no intersection at any step",
                      self.answer("sim", "golf", "--seconds", 0.01, "--count", 25))

    def test_a_run_that_is_saved_and_resumed_is_the_same(self):
        self.check_resume("chain", 0.2, "--count", 224)
        self.refuse("sim", "golf", "--resume", "half.json", saying="state of another scene")

    def test_every_method_with_a_separation_bounds_steps(self):
        run = ("sim", "golf", "--seconds", 0.04, "--count", 25, "--json")
        for method in ("tight_inclusion", "additive_advancement", "separation_root_linf",
                       "separation_root"):
            summary = json.loads(self.answer(*run, "--ccd", method))
            self.assertEqual(summary["intersections"], 0)
            self.assertLess(summary["least_bound"], 1)
        self.refuse(*run, "--ccd", "cubic_root", saying="supports no separation")
        self.refuse(*run, "--ccd", "nonsense", saying="no method has the name")
        self.refuse("sim", "hoop", "--ccd", "exact", saying="the scene hoop takes no --ccd")

    def test_frames_are_recorded(self):
        self.answer("sim", "mat", "--count", 60, "--seconds", 0.1, "--record", "frames")
        self.assertEqual(len(list((self.folder / "frames").glob("*.ply"))), 6)
        answer = self.graze("step", "frames/000001.ply", "frames/000002.ply")
        self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_meshes_of_files_are_bodies_and_obstacles(self):
        (self.folder / "tet.msh").write_text(
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n"
            "0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n"
            "$EndElements\n")
        (self.folder / "floor.obj").write_text("v -5 -5 0\nv 5 -5 0\nv 0 5 0\nf 1 2 3\n")
        (self.folder / "scene.json").write_text(json.dumps({
            "format": "graze-soft-1",
            "bodies": [{"mesh": "tet.msh", "shift": [0, 0, 0.5], "velocity": [0, 0, -1]}],
            "obstacles": [{"mesh": "floor.obj"}]}))
        summary = json.loads(self.answer("sim", "scene.json", "--seconds", 0.5, "--json"))
        self.assertEqual(summary["vertices"], 4)
        self.assertEqual(summary["triangles"], 5)
        self.assertGreater(summary["most_contacts"], 0)

    def test_faulty_scenes_are_refused_by_name(self):
        tet = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "tets": [[0, 1, 2, 3]]}
        sound = {"format": "graze-soft-1", "bodies": [tet]}

        def refuse(saying, **changes):
            (self.folder / "scene.json").write_text(json.dumps(sound | changes))
            self.refuse("sim", "scene.json", saying=f"scene.json: {saying}")

        (self.folder / "scene.json").write_text(json.dumps(sound))
        self.answer("sim", "scene.json", "--seconds", 0.1)
        refuse('unknown key "colour"', colour=1)
        refuse("a scene needs bodies", bodies=[])
        refuse("bodies[0]: must be an object", bodies=[3])
        refuse('bodies[0]: key "vertices" is missing', bodies=[{}])
        refuse("bodies[0].tets[0]: must be 4 indices", bodies=[tet | {"tets": [[0, 1, 2]]}])
        refuse("body 0: tetrahedron 0 names vertex 9 of 4", bodies=[tet | {"tets": [[0, 1, 2, 9]]}])
        refuse("body 0: the volume of tetrahedron 0", bodies=[tet | {"tets": [[0, 2, 1, 3]]}])
        refuse("bodies[0].solid.young: must be a number", bodies=[tet | {"solid": {"young": "x"}}])
        refuse('bodies[0].solid: unknown key "hue"', bodies=[tet | {"solid": {"hue": 1}}])
        refuse("bodies[0].holds[0].until: must be a number or \"always\"",
               bodies=[tet | {"holds": [{"vertices": [0], "until": "never"}]}])
        refuse("bodies[0].skin.vertices[0]: must be a tetrahedron and four weights",
               bodies=[tet | {"skin": {"vertices": [[0, 1]], "faces": []}}])
        refuse("the reach must be above 0", reach=0)
        refuse("surfaces touch at the start: face 0 of body 0 and face 0 of body 1",
               bodies=[tet, tet])
        refuse('"format" must be "graze-edges-1" (edges) or "graze-soft-1" (soft bodies)',
               format="graze-soft-9")

    def test_a_model_that_touches_itself_names_its_faces(self):
        (self.folder / "crossed.obj").write_text(
            FIGURE + "v 0.1 0.1 0.1\nv 1.1 0.1 0.1\nv 0.1 1.1 0.1\nv 0.1 0.1 1.1\n"
            "f 5 7 6\nf 5 6 8\nf 6 7 8\nf 7 5 8\n")
        self.refuse("sim", "squash", "--model", "crossed.obj", "--count", 20,
                    saying="crossed.obj: surfaces touch at the start: face 2 of body 0 (figure) and face")

    def test_squash_needs_no_data(self):
        environment = {name: value for name, value in os.environ.items() if name != "GRAZE_DATA"}
        run = subprocess.run([command_test.GRAZE, "sim", "squash", "--seconds", "0.05", "--count",
                              "20", "--json"], cwd=self.folder, env=environment,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["steps"], 3)
        self.assertRegex(self.answer("sim", "--help"), r"squash .*\$GRAZE_DATA/models.*generated")


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
