"""The scenes of edges of graze sim as their users meet them.

Usage: edges_test.py GRAZE [unittest arguments]
"""

import json
import sys
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest


class EdgesTest(CommandTest):
    def test_built_in_scenes_cross_nothing(self):
        for scene in ("hoop", "knot", "curtain"):
            summary = json.loads(self.answer("sim", scene, "--seconds", 0.3, "--json"))
            self.assertEqual(summary["crossings"], 0)
            self.assertEqual(summary["steps"], 18)
        self.assertIn("nothing crossed at any step", self.answer("sim", "knot", "--seconds", 0.1))

    def test_a_run_that_is_saved_and_resumed_is_the_same(self):
        self.check_resume("knot", 0.5)
        self.refuse("sim", "hoop", "--resume", "half.json", saying="state of another scene")

    def test_frames_are_recorded(self):
        self.answer("sim", "hoop", "--seconds", 0.05, "--record", "frames")
        self.assertEqual(len(list((self.folder / "frames").glob("*.ply"))), 4)
        answer = self.graze("step", "frames/000001.ply", "frames/000002.ply")
        self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_faulty_scenes_are_refused_by_name(self):
        sound = {"format": "graze-edges-1", "margin": 0.1,
                 "particles": [{"position": [0, 0, 0]}, {"position": [1, 0, 0]}],
                 "springs": [{"ends": [0, 1], "stiffness": 1}]}

        def refuse(saying, **changes):
            (self.folder / "scene.json").write_text(json.dumps(sound | changes))
            self.refuse("sim", "scene.json", saying=f"scene.json: {saying}")

        (self.folder / "scene.json").write_text(json.dumps(sound))
        self.answer("sim", "scene.json", "--seconds", 0.1)
        refuse('unknown key "colour"', colour=1)
        refuse("particles[0].mass: must be a number", particles=[{"position": [0, 0, 0], "mass": []}])
        refuse("particle 0 has no positive mass", particles=[{"position": [0, 0, 0], "mass": 0}] * 2)
        refuse("spring 0 has no length", particles=[{"position": [0, 0, 0]}] * 2)
        refuse("springs[0].ends: must be 2 indices", springs=[{"ends": [0], "stiffness": 1}])
        refuse("margin: must be a number", margin="wide")
        refuse('"format" must be', format="graze-edges-9")
        refuse("particles[0].position[2]: must be a number",
               particles=[{"position": [0, 0, None]}])
        crossing = sound["particles"] + [{"position": [0.5, -1, 0]}, {"position": [0.5, 1, 0]}]
        refuse("at the start a edge-edge pair", particles=crossing, edges=[[2, 3]])
        (self.folder / "scene.json").write_text('{"format": ')
        self.refuse("sim", "scene.json", saying="scene.json: is no JSON")
        self.refuse("sim", "absent.json", saying="absent.json: cannot be opened")


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
