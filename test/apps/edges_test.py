"""Tests of the scenes of edges of the command graze sim.

Usage: edges_test.py GRAZE [unittest arguments]
"""

import json
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest


class EdgesTest(CommandTest):
    def test_built_in_scenes_cross_nothing(self):
        for scene in ("hoop", "knot", "curtain", "sticks"):
            summary = json.loads(self.answer("sim", scene, "--seconds", 0.3, "--json"))
            self.assertEqual(summary["crossings"], 0)
            self.assertEqual(summary["steps"], 18)
            self.assertLessEqual(summary["impulses_on_whole_step"], summary["impulses"])
        self.assertIn("nothing crossed at any step", self.answer("sim", "knot", "--seconds", 0.1))

    def test_impulses_on_the_whole_step_are_counted(self):
        hoop = json.loads(self.answer("sim", "hoop", "--seconds", 1, "--json"))
        self.assertGreater(hoop["impulses_on_whole_step"], 0)
        self.assertIn(" on the whole step)", self.answer("sim", "hoop", "--seconds", 0.05))

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
        refuse('"format" must be "graze-edges-1" (edges) or "graze-soft-1" (soft bodies)',
               format="graze-edges-9")
        refuse("a scene needs at least one particle", particles=[], springs=[])
        refuse("particles[0].position[2]: must be a number",
               particles=[{"position": [0, 0, None]}])
        crossing = sound["particles"] + [{"position": [0.5, -1, 0]}, {"position": [0.5, 1, 0]}]
        refuse("at the start particles 0, 1, 2, 3 (edge-edge) are closer", particles=crossing,
               edges=[[2, 3]])
        (self.folder / "scene.json").write_text('{"format": ')
        self.refuse("sim", "scene.json", saying="scene.json: is not valid JSON")
        (self.folder / "scene.json").write_text(
            '{"format":"graze-edges-1","margin":1e999,"particles":[]}')
        self.refuse("sim", "scene.json", saying="scene.json: a number is too large for a double")
        self.refuse("sim", "absent.json", saying="absent.json: cannot be opened")

    def test_a_cable_is_two_ends_and_a_number_of_elements(self):
        scene = {"format": "graze-edges-1", "margin": 0.01, "gravity": [0, 0, -9.81],
                 "cables": [{"from": 0, "to": [1, 0, 1], "elements": 4, "mass": 0.4, "radius": 0.02,
                             "stretch": 500}],
                 "particles": [{"position": [0, 0, 1], "mass": "pinned"}]}
        (self.folder / "scene.json").write_text(json.dumps(scene))
        self.answer("sim", "scene.json", "--seconds", 0.1, "--write-scene", "whole.json")
        whole = json.loads((self.folder / "whole.json").read_text())
        self.assertEqual([p["position"] for p in whole["particles"]],
                         [[0, 0, 1], [1, 0, 1], [0.25, 0, 1], [0.5, 0, 1], [0.75, 0, 1]])
        self.assertEqual([p["mass"] for p in whole["particles"]], ["pinned", 0.05, 0.1, 0.1, 0.1])
        self.assertEqual([p["radius"] for p in whole["particles"]], [0, 0.02, 0.02, 0.02, 0.02])
        self.assertEqual(whole["cables"][0]["particles"], [0, 2, 3, 4, 1])

        def refuse(saying, **changes):
            cable = scene["cables"][0] | changes
            cable = {key: value for key, value in cable.items() if value is not None}
            (self.folder / "scene.json").write_text(json.dumps(scene | {"cables": [cable]}))
            self.refuse("sim", "scene.json", saying=f"scene.json: cables[0]{saying}")

        refuse(".elements: must be a whole number from 1 to 1000000", elements=0)
        refuse(".from: names particle 7 of 1", **{"from": 7})
        refuse('.particles: a cable has either "particles" or "from"', particles=[0, 1])
        refuse(': key "to" is missing', to=None)

    def test_a_scene_without_particles_is_refused(self):
        (self.folder / "scene.json").write_text(
            '{"format":"graze-edges-1","margin":0.01,"particles":[]}')
        self.refuse("sim", "scene.json", saying="scene.json: a scene needs at least one particle")

    def test_the_simulated_time_is_exact(self):
        for scene, *more in (("hoop",), ("golf", "--count", 25), ("torus", "--count", 84)):
            summary = json.loads(self.answer("sim", scene, *more, "--seconds", 0.0404, "--step",
                                             0.02, "--json"))
            self.assertAlmostEqual(summary["simulated_s"], 0.0404, places=12)
            self.assertEqual(summary["steps"], 3)

    def test_options_that_a_scene_cannot_use_are_refused(self):
        for scene, *options in (("hoop", "--seed", 2), ("hoop", "--model", "a.obj"),
                                ("hoop", "--distance-tol", 0.1), ("hoop", "--ccd", "exact"),
                                ("golf", "--seed", 2), ("torus", "--model", "a.obj"),
                                ("rings", "--threads", 2), ("rings", "--model", "a.obj"),
                                ("wall", "--seed", 2), ("wall", "--save", "s.json"),
                                ("rings", "--mover", "expel"), ("hoop", "--mover", "advance"),
                                ("walker", "--model", "a.obj"), ("walker", "--threads", 2),
                                ("walker", "--count", 2)):
            self.refuse("sim", scene, *options, saying=f"the scene {scene} takes no {options[0]}")
        self.refuse("sim", "golf", "--eta", 0.01, saying="--eta needs --solver active_set")
        (self.folder / "scene.json").write_text(
            '{"format":"graze-edges-1","margin":0.1,"particles":[{"position":[0,0,0]}]}')
        self.refuse("sim", "scene.json", "--count", 5, saying="scene.json takes no --count")

    def test_whole_numbers_have_a_range(self):
        for seed in ("-1", "99999999999999999999", "1e3", "x"):
            self.refuse("sim", "rings", f"--seed={seed}",
                        saying="--seed must be a whole number from 0 to 18446744073709551615")
        self.refuse("sim", "knot", "--count", 2000,
                    saying="--count must be a whole number from 1 to 99")
        self.refuse("sim", "hoop", "--count", "1e3",
                    saying="--count must be a whole number from 1 to 100000")

    def test_an_interrupt_keeps_the_state_and_the_recording(self):
        run = subprocess.Popen([command_test.GRAZE, "sim", "hoop", "--seconds", "100000", "--save",
                                "state.json", "--record", "run.glb"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        run.send_signal(signal.SIGINT)
        message = run.communicate(timeout=120)[1]
        self.assertEqual(run.returncode, 130)
        self.assertIn("interrupted", message)
        state = json.loads((self.folder / "state.json").read_text())
        self.assertGreater(state["time"], 0)
        self.assertGreater((self.folder / "run.glb").stat().st_size, 0)


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
