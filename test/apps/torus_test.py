"""The scene torus of the command graze sim, and the queries that scenes write.

Usage: torus_test.py GRAZE [unittest arguments]
"""

import json
import sys
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest

COARSE = ("--count", 84, "--json")


class TorusTest(CommandTest):
    def torus(self, *more):
        return json.loads(self.answer("sim", "torus", *COARSE, *more))

    def test_exact_has_no_intersection_and_a_coarse_tolerance_has(self):
        exact = self.torus("--seconds", 0.6)
        self.assertEqual(exact["intersections"], 0)
        self.assertEqual(exact["unfinished_steps"], 0)
        self.assertGreater(exact["most_pressing"], 3)
        run = self.graze("sim", "torus", *COARSE, "--seconds", 0.6, "--ccd", "tight_inclusion",
                         "--distance-tol", 0.1)
        frames = json.loads(run.stdout)["intersecting_frames"]
        self.assertGreater(frames, 3)
        self.assertEqual(run.returncode, 4)
        self.assertEqual(run.stderr.strip(), f"torus: {frames} frames with intersections, 0 are "
                         "allowed (--ccd tight_inclusion)")

    def test_naming_the_default_method_changes_nothing(self):
        run = ("sim", "torus", *COARSE, "--seconds", 0.6)
        default = json.loads(self.answer(*run))
        named = json.loads(self.answer(*run, "--ccd", "separation_root"))
        for summary in (default, named):
            del summary["seconds"]
        self.assertEqual(default, named)

    def test_an_exact_method_crosses_at_no_step_and_no_eta(self):
        for more in (("--step", 0.1), ("--step", 1 / 60), ("--eta", 1e-4), ("--eta", 0.05)):
            with self.subTest(more):
                summary = self.torus("--seconds", 0.6, *more)
                self.assertTrue(summary["certified"])
                self.assertEqual(summary["intersections"], 0)
                self.assertGreaterEqual(summary["parts"], summary["steps"])

    def test_any_soft_scene_runs_by_active_set(self):
        self.answer("sim", "torus", "--count", 84, "--seconds", 0.01, "--write-scene", "ring.json")
        own = self.torus("--seconds", 0.5)
        read = json.loads(self.answer("sim", "ring.json", "--solver", "active_set", "--seconds",
                                      0.5, "--json"))
        for summary in (own, read):
            del summary["seconds"], summary["scene"]
        self.assertEqual(own, read)
        self.refuse("sim", "mat", "--solver", "active_set", saying="moves no driven vertices")
        self.refuse("sim", "squash", "--eta", 0.01, saying="--eta needs --solver active_set")
        self.refuse("sim", "squash", "--distance-tol", 0.01, saying="--distance-tol needs")
        self.refuse("sim", "torus", "--solver", "penalty", saying="--solver")

    def test_it_is_recorded(self):
        self.answer("sim", "torus", "--count", 84, "--seconds", 0.05, "--record", "frames")
        self.assertEqual(len(list((self.folder / "frames").glob("*.ply"))), 6)

    def test_a_saved_run_continues_with_the_same_bits(self):
        self.torus("--seconds", 0.3, "--save", "half.json")
        self.torus("--seconds", 0.2, "--resume", "half.json", "--save", "two.json")
        self.torus("--seconds", 0.5, "--save", "one.json")
        states = [json.loads((self.folder / f"{name}.json").read_text()) for name in ("one", "two")]
        self.assertEqual(states[0]["positions"], states[1]["positions"])
        self.assertEqual(states[0]["velocities"], states[1]["velocities"])

    def test_nonsense_is_refused(self):
        self.refuse("sim", "torus", "--eta", 0, saying="--eta")
        self.refuse("sim", "torus", "--ccd", "cubic_root", saying="separation")
        self.refuse("sim", "rings", "--dump-queries", "q",
                    saying="the scene rings takes no --dump-queries")
        self.assertFalse((self.folder / "q").exists())

    def test_scenes_write_their_queries(self):
        for scene, *more in (("torus", "--count", 84, "--seconds", 0.5),
                             ("golf", "--count", 25, "--seconds", 0.035),
                             ("hoop", "--seconds", 0.3)):
            summary = json.loads(self.answer("sim", scene, *more, "--json", "--dump-queries",
                                             scene))
            for kind, name in (("vertex_face", "vertex-face"), ("edge_edge", "edge-edge")):
                count = summary["queries_written"][kind]
                self.assertGreater(count, 0)
                file = self.folder / scene / f"{name}.npy"
                self.assertEqual(file.stat().st_size, 128 + 192 * count)
            self.answer("query", f"{scene}/edge-edge.npy", "--out", "r.csv")


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
