"""Tests of graze rigid and graze sim from the command line.

Usage: rigid_test.py GRAZE [unittest arguments]
"""

import json
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

import command_test
from command_test import CommandTest


class RigidTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.answer("generate", "cube", "--out", "cube.obj")
        self.answer("generate", "l_shape", "--out", "l.ply")

    def rigid(self, *arguments, code):
        run = self.graze("rigid", *arguments)
        self.assertEqual((run.returncode, run.stderr), (code, ""), arguments)
        return run.stdout

    def json(self, *arguments, code=1):
        return json.loads(self.rigid(*arguments, "--json", code=code))


class Rigid(RigidTest):
    def test_cubes_that_meet_head_on(self):
        answer = self.json("cube.obj", "cube.obj", "--from", "3 0 0", "--to", "-1 0 0",
                           "--threshold", "1e-6")
        self.assertEqual(answer["verdict"], "contact")
        self.assertAlmostEqual(answer["toi"], 0.5, delta=1e-6)
        self.assertLessEqual(answer["toi"], 0.5)
        self.assertLessEqual(answer["distance"], 1e-6)
        self.assertAlmostEqual(answer["normal"][0], 1, delta=1e-9)
        for field in ("toi_hi", "face_a", "face_b", "point_a", "point_b", "iterations", "checks"):
            self.assertIsNotNone(answer[field], field)
        self.assertEqual(list(answer["seconds"]), ["load", "query", "total"])

    def test_every_method_finds_the_contact_and_the_free_way(self):
        for method in ("certified", "fast", "pieces", "undirected", "screw_interval"):
            choice = ("--method", method, "--threshold", "1e-3")
            answer = self.json("cube.obj", "cube.obj", "--from", "3 0.2 0", "--to", "-1 0 0 0 0 20",
                               *choice)
            self.assertEqual((answer["verdict"], answer["method"]), ("contact", method))
            # The judge: bodies of half size 0.5 that turn meet between 0.29 and 0.5 of the way.
            self.assertGreater(answer["toi"], 0.29, method)
            self.assertLess(answer["toi"], 0.5, method)
            self.assertLessEqual(answer["distance"], 1e-3, method)
            self.assertEqual(answer["threshold"], 1e-3, method)
            free = self.json("cube.obj", "cube.obj", "--from", "3 0 0", "--to", "3 5 0", *choice,
                             code=0)
            self.assertEqual(free["verdict"], "separated", method)
        self.refuse("rigid", "cube.obj", "cube.obj", "--from", "3 0 0", "--to", "0 0 0", "--method",
                    "slow", saying="certified, fast, pieces, undirected, screw_interval")
        self.refuse("rigid", "cube.obj", "cube.obj", "--from", "3 0 0", "--to", "0 0 0", "--method",
                    "fast", "--dump-queries", "queries", saying="--method certified")

    def test_a_free_way_is_exit_code_0(self):
        text = self.rigid("cube.obj", "l.ply", "--from", "3 0 0", "--to", "3 5 0", code=0)
        self.assertTrue(text.startswith("free: no contact\n"))
        answer = self.json("cube.obj", "l.ply", "--from", "3 0 0", "--to", "3 5 0", code=0)
        self.assertEqual((answer["verdict"], answer["toi"]), ("separated", None))

    def test_dumped_queries_agree_with_the_exact_method(self):
        # On straight paths the queries are exact: steps that are proven apart miss, the last step of a contact hits.
        for poses, code in ((("3 0 0", "-1 0.3 0.2"), 1), (("3 -0.98 0", "-0.98 3 0.1"), 0)):
            self.json("cube.obj", "cube.obj", "--from", poses[0], "--to", poses[1],
                      "--dump-queries", "queries", code=code)
            hits = []
            for kind, pairs in (("vertex-face", 6), ("edge-edge", 9)):
                self.answer("query", self.folder / "queries" / f"{kind}.npy", "--out", "answers.csv")
                verdicts = [row.split(",")[1]
                            for row in (self.folder / "answers.csv").read_text().split()[1:]]
                self.assertEqual(len(verdicts) % pairs, 0)
                steps = len(verdicts) // pairs
                hits += [i // pairs - steps for i, v in enumerate(verdicts) if v == "contact"]
            self.assertGreater(steps, 0)
            self.assertEqual(set(hits), {-1} if code else set())

    def test_both_may_move_and_turn(self):
        # The same relative motion as of cubes that meet head on.
        answer = self.json("cube.obj", "cube.obj", "--from", "1.5,0,0", "--to", "-.5 0 0",
                           "--b-from", "-1.5 0 0", "--b-to", "0.5 0 0", "--threshold", "1e-6")
        self.assertAlmostEqual(answer["toi"], 0.5, delta=1e-6)
        # A quarter turn about z in degrees and as a quaternion; a cube reaches 0.707 at 45 degrees.
        for pose in ("1.1 0 0 0 0 90", "1.1 0 0 0.5 0 0 0.5"):
            answer = self.json("cube.obj", "cube.obj", "--from", "1.1 0 0", "--to", pose,
                               "--smallest-threshold")
            self.assertEqual(answer["verdict"], "contact")
            self.assertTrue(0 < answer["toi"] < 0.5)

    def test_screw_and_linear_motions_differ(self):
        way = ("cube.obj", "l.ply", "--from", "0 3 0", "--to", "0 -3 0 0 0 170")
        linear, screw = self.json(*way), json.loads(self.graze(
            "rigid", *way, "--motion", "screw", "--json").stdout)
        self.assertNotEqual((linear["verdict"], linear["toi"]), (screw["verdict"], screw["toi"]))

    def test_a_contact_at_the_start_is_at_0(self):
        self.assertEqual(
            self.json("cube.obj", "cube.obj", "--from", "0.5 0 0", "--to", "9 0 0")["toi"], 0)

    def test_a_spent_budget_is_exit_code_3(self):
        way = ("cube.obj", "l.ply", "--from", "3 0 0", "--to", "-3 0 0", "--max-checks", "1")
        answer = self.json(*way, code=3)
        self.assertEqual((answer["verdict"], answer["toi_hi"]), ("undecided", 1))
        self.assertLess(answer["toi"], 0.5)
        text = self.rigid(*way, code=3)
        self.assertTrue(text.startswith("undecided at t = "), text)
        self.assertIn("--max-checks", text)

    def test_a_coordinate_out_of_range_is_named(self):
        near = "0 0 0"
        for far in ("1e308 0 0", "0 -1e308 0", "0 0 1e101 0 0 90"):
            coordinate = next(word for word in far.split() if "e" in word).replace("e", "e+")
            for flags in (("--from", far, "--to", near), ("--from", near, "--to", far),
                          ("--from", near, "--to", near, "--b-from", far),
                          ("--from", near, "--to", near, "--b-to", far)):
                flag = flags[flags.index(far) - 1]
                line = self.refuse("rigid", "cube.obj", "cube.obj", *flags, saying=f"{flag}: ")
                self.assertIn(coordinate, line)
        self.refuse("rigid", "cube.obj", "cube.obj", "--from", "1e308 0 0", "--to", "-1e308 0 0",
                    saying="--from: the coordinate 1e+308 is beyond 1e+100")
        (self.folder / "bad.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1e302 0\nf 1 2 3\n")
        self.refuse("rigid", "bad.obj", "cube.obj", "--from", near, "--to", near,
                    saying="bad.obj: vertex 2 (counted from 0) has a coordinate beyond 2^1000")

    def test_a_coordinate_that_is_not_finite_is_named(self):
        for bad, problem in (("0 nan 0", "y is NaN"), ("0 1 inf", "z is infinite")):
            (self.folder / "bad.obj").write_text(f"v 0 0 0\nv 1 0 0\nv {bad}\nf 1 2 3\n")
            for files in (("bad.obj", "cube.obj"), ("cube.obj", "bad.obj")):
                self.refuse("rigid", *files, "--from", "0 0 0", "--to", "1 0 0",
                            saying=f"bad.obj: vertex 2 (counted from 0): {problem}")

    def test_a_contact_names_distance_and_threshold(self):
        text = self.rigid("cube.obj", "cube.obj", "--from", "3 0 0", "--to", "-1 0 0",
                          "--threshold", "0.25", code=1)
        self.assertRegex(text, r"^contact at t = 0\.4\d*: face \d+ of A and face \d+ of B at "
                               r"\(.*\), distance [\d.e-]+ \(threshold 0\.25\)\n")
        self.assertIn(", 1 iteration;", text)

    def test_the_threshold_used_is_printed_and_rounding_is_named(self):
        way = ("cube.obj", "cube.obj", "--from", "3 0 0", "--to", "-1 0 0")
        for option, least, most in (((), 1e-3, 2e-3), (("--smallest-threshold",), 1e-14, 1e-11)):
            answer = self.json(*way, *option)
            self.assertTrue(least < answer["threshold"] < most, answer)
            self.assertLessEqual(answer["distance"], answer["threshold"])
            text = self.rigid(*way, *option, code=1)
            self.assertIn(f"(threshold {answer['threshold']:.3g})", text)
        # At 1e15 positions are off by more than the cubes' size: no contact is claimed.
        text = self.rigid("cube.obj", "cube.obj", "--from", "1e15 0 0", "--to", "1.1e15 0 0",
                          "--b-from", "0.999999999999995e15 0 0", code=3)
        self.assertRegex(text, r"undecided at t = 0 .*the rounding of the positions exceeds the "
                               r"threshold 0\.0017")

    def test_poses_turn_the_shorter_way_as_in_the_help(self):
        self.assertIn("shorter way", self.answer("rigid", "--help"))
        self.assertIn("3 undecided", self.answer("rigid", "--help"))
        # To 270 degrees by a quarter turn backwards, as to -90 degrees.
        ways = [self.json("cube.obj", "l.ply", "--from", "3 0.4 0", "--to", f"-3 0 0 0 0 {angle}")
                for angle in (270, -90)]
        self.assertAlmostEqual(ways[0]["toi"], ways[1]["toi"], delta=1e-12)

    def test_quaternions_have_any_length(self):
        ways = [self.json("cube.obj", "cube.obj", "--from", "1.1 0 0", "--to",
                          f"1.1 0 0 {w} 0 0 {w}", "--smallest-threshold") for w in ("1", "1e200", "1e-150")]
        for way in ways:
            self.assertAlmostEqual(way["toi"], ways[0]["toi"], delta=1e-12)

    def test_options_that_have_no_effect_are_refused(self):
        pose = ("--from", "0 0 9", "--to", "0 0 -9")
        self.refuse("rigid", "cube.obj", "cube.obj", *pose, "--count", "5", saying="--bench")
        self.refuse("rigid", "cube.obj", "cube.obj", *pose, "--out", "report", saying="--bench")
        for option, value in (("--threshold", "1"), ("--html", "a.html"), ("--record", "a.glb")):
            self.refuse("rigid", "--bench", option, value, saying=option)
        self.refuse("rigid", "cube.obj", "cube.obj", *pose, "--smallest-threshold", "--threshold", "1",
                    saying="--threshold")
        for budget in ("-1", "4294967296"):
            self.refuse("rigid", "cube.obj", "cube.obj", *pose, "--max-checks", budget,
                        saying="4294967295")

    def test_bad_usage_is_one_line(self):
        pose = ("--from", "0 0 9", "--to", "0 0 -9")
        self.refuse("rigid", saying="needs two meshes")
        self.refuse("rigid", "cube.obj", "cube.obj", saying="--from POSE")
        self.refuse("rigid", "cube.obj", "none.obj", *pose, saying="none.obj")
        for bad, saying in (("1 2", "has 2 numbers"), ("1 2 x", "no number at position 5"),
                            ("1 2 nan", "no number"), ("1 2 3 0 0 0 0", "quaternion is 0"),
                            ("1 2 3 4", "has 4 numbers"), ("1 2 1e999", "no number")):
            self.refuse("rigid", "cube.obj", "cube.obj", "--from", bad, "--to", "0 0 0",
                        saying=saying)
        self.refuse("rigid", "cube.obj", "cube.obj", *pose, "--motion", "bent", saying="bent")
        self.refuse("rigid", "cube.obj", "cube.obj", *pose, "--threshold", "-1", saying="at least 0")
        self.refuse("rigid", "cube.obj", "cube.obj", *pose, "--t-max", "0", saying="--t-max")
        self.refuse("rigid", "--bench", "cube.obj", saying="takes no meshes")
        (self.folder / "empty.obj").write_text("v 0 0 0\n")
        self.refuse("rigid", "empty.obj", "cube.obj", *pose, saying="empty.obj")


class Sim(RigidTest):
    def test_rings_fall_without_penetration(self):
        summary = json.loads(self.answer("sim", "rings", "--seconds", 0.3, "--count", 2, "--json"))
        self.assertEqual(summary["penetrations"], 0)
        self.assertAlmostEqual(summary["simulated_s"], 0.3)

    def test_a_ring_comes_to_rest(self):
        summary = json.loads(self.answer("sim", "rings", "--seconds", 8.5, "--count", 1, "--json"))
        self.assertEqual(summary["asleep_at_the_end"], 1)
        self.assertLess(summary["last_motion_s"], 8)

    def test_a_failed_check_is_exit_code_4(self):
        # In steps of a second a ring meets the others too often.
        run = self.graze("sim", "rings", "--count", 3, "--seconds", 9, "--step", 1, "--seed", 3,
                         "--json")
        self.assertEqual(run.returncode, 4)
        self.assertRegex(run.stderr, r"rings: \d+ bodies were stopped within steps, more than the "
                                     r"0\.27 allowed")
        self.assertGreater(json.loads(run.stdout)["stopped"], 0)

    def test_any_model_may_fall_as_a_bunny(self):
        text = self.answer("sim", "bunnies", "--model", "l.ply", "--seconds", 1)
        self.assertIn("no penetration at any step", text)

    def test_a_wall_is_shot_at_without_penetration(self):
        summary = json.loads(self.answer("sim", "wall", "--count", 12, "--seconds", 2.5,
                                         "--step", 0.02, "--json"))
        self.assertEqual(summary["penetrations"], 0)
        self.assertEqual(summary["shots"], 1)
        self.assertLess(summary["energy"]["largest_growth"], 1)
        self.assertLess(summary["rest_drift"], 1e-3)

    def test_the_mover_of_a_wall_is_named(self):
        for mover in ("advance", "expel"):
            arguments = ["sim", "wall", "--count", 12, "--seconds", 2, "--step", 0.02]
            summary = json.loads(self.answer(*arguments, "--mover", mover, "--json"))
            self.assertEqual((summary["mover"], summary["penetrations"]), (mover, 0))
            self.assertEqual(summary["shots"], 1)
        self.assertIn("mover expel", self.answer(*arguments, "--mover", "expel"))
        self.assertIn("mover advance", self.answer(*arguments))
        self.refuse("sim", "wall", "--mover", "push", saying="--mover")

    def test_a_wall_stands_for_a_second_without_gain_of_energy(self):
        summary = json.loads(self.answer("sim", "wall", "--seconds", 1, "--json"))
        self.assertEqual((summary["bricks"], summary["shots"]), (214, 0))
        self.assertLess(summary["energy"]["largest_growth"], 1e-9)

    def test_the_number_of_shots_is_chosen(self):
        arguments = ["sim", "wall", "--count", 12, "--seconds", 2.1]
        summary = json.loads(self.answer(*arguments, "--shots", 0, "--json"))
        self.assertEqual((summary["shots"], summary["energy"]["injected"]), (0, 0))
        self.assertLess(summary["rest_drift"], 1e-4)
        self.assertLess(summary["last_motion_s"], 1)
        summary = json.loads(self.answer(*arguments, "--shots", 2, "--json"))
        self.assertEqual(summary["shots"], 2)
        self.refuse("sim", "wall", "--shots=-1", saying="--shots")
        self.refuse("sim", "rings", "--shots", 1, saying="--shots")

    def test_scenes_without_a_model_refuse_one(self):
        for scene in ("rings", "wall", "ragdoll", "walker"):
            self.refuse("sim", scene, "--model", "nowhere.obj", saying="--model")

    def test_bunnies_without_data_name_what_to_set(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("GRAZE_DATA", None)
            message = self.refuse("sim", "bunnies", "--seconds", 0.1, saying="GRAZE_DATA")
        self.assertIn("--model", message)

    def test_a_figure_falls_down_stairs_in_one_piece(self):
        self.answer("sim", "ragdoll", "--seconds", 0.5, "--record", "fall.glb")
        self.assertTrue((self.folder / "fall.glb").exists())
        text = self.answer("sim", "ragdoll", "--seconds", 0.5)
        self.assertIn("no penetration at any step", text)

    def test_bad_usage_is_one_line(self):
        self.refuse("sim", "nothing", saying="there are bunnies, rings")
        self.refuse("sim", "rings", "--seconds", 0, saying="--seconds")
        self.refuse("sim", "bunnies", "--model", "none.obj", saying="none.obj")


class RigidScene(RigidTest):
    SCHEMA = Path(__file__).parents[2] / "docs/formats/rigid-scene.schema.json"

    def write(self, scene, name="scene.json"):
        (self.folder / name).write_text(json.dumps(scene))
        return name

    def scene(self, **more):
        """Three cubes: `falling` reaches `resting` at t = 0.5, `late` at t = 0.75."""
        return {"format": "graze-rigid-1",
                "bodies": [{"name": "resting", "mesh": "cube.obj"},
                           {"name": "late", "mesh": "cube.obj", "from": {"position": [4, 0, 0]},
                            "to": {"position": [0, 0, 0], "rotation": [0, 0, 0]}},
                           {"name": "falling", "mesh": "cube.obj", "from": {"position": [0, 0, 3]},
                            "to": {"position": [0, 0, -1], "quaternion": [2, 0, 0, 0]},
                            "motion": "screw"}], **more}

    def test_the_first_contact_of_all_bodies_is_found(self):
        answer = self.json(self.write(self.scene()), "--threshold", "1e-6")
        self.assertEqual((answer["a"], answer["b"], answer["pairs"]), ("resting", "falling", 3))
        self.assertAlmostEqual(answer["toi"], 0.5, delta=1e-6)
        self.assertEqual(answer["triangles"], [12, 12, 12])
        self.assertEqual({tuple(x["normal"]) for x in answer["features"]}, {(0.0, 0.0, -1.0)})
        other = self.json(self.write(self.scene(may_touch=[["falling", "resting"],
                                                             ["late", "falling"]])),
                          "--threshold", "1e-6")
        self.assertEqual((other["a"], other["b"]), ("resting", "late"))
        self.assertAlmostEqual(other["toi"], 0.75, delta=1e-6)
        text = self.rigid("scene.json", code=1)
        self.assertIn("of resting and face", text)
        self.assertIn("3 bodies, 36 triangles", text)

    def test_features_are_listed_once(self):
        answer = self.json("cube.obj", "cube.obj", "--from", "3 0.25 0.25", "--to", "-1 0.25 0.25",
                           "--threshold", "1e-9")
        kinds = [x["kind"] for x in answer["features"]]
        # Two flush squares: one corner of each inside the other, in both triangles if on the
        # diagonal; two crossing sides and the diagonals.
        self.assertIn(kinds.count("vertex-face"), (1, 2))
        self.assertIn(kinds.count("face-vertex"), (1, 2))
        self.assertGreaterEqual(kinds.count("edge-edge"), 2)
        keys = [(tuple(sorted(x["vertices_a"])), tuple(sorted(x["vertices_b"])))
                for x in answer["features"]]
        self.assertEqual(len(keys), len(set(keys)))
        for feature in answer["features"]:
            self.assertLessEqual(feature["distance"], 1e-8)

    def test_defects_of_a_scene_are_named(self):
        def expect(change, saying):
            scene = self.scene()
            change(scene)
            self.refuse("rigid", self.write(scene), saying=saying)
        expect(lambda s: s.update(format="graze-rigid-9"), "graze-rigid-1")
        expect(lambda s: s.update(bodies=[]), "at least two bodies")
        expect(lambda s: s["bodies"][1].update(name="resting"), "used twice")
        expect(lambda s: s["bodies"][1].update(mesh="none.obj"), "none.obj")
        expect(lambda s: s["bodies"][1].update(colour="red"), "colour")
        expect(lambda s: s["bodies"][1].pop("mesh"), "mesh")
        expect(lambda s: s["bodies"][1]["to"].update(quaternion=[1, 0, 0, 0]), "quaternion")
        expect(lambda s: s["bodies"][2]["to"].update(quaternion=[0, 0, 0, 0]), "not all 0")
        expect(lambda s: s["bodies"][1]["to"].update(position=[1e200, 0, 0]), "beyond 1e+100")
        expect(lambda s: s["bodies"][1].update(motion="spline"), "linear")
        expect(lambda s: s.update(may_touch=[["resting", "nobody"]]), "nobody")
        expect(lambda s: s.update(may_touch=[["late", "late"]]), "two bodies")
        self.write(self.scene())
        self.refuse("rigid", "scene.json", "--from", "0 0 0", saying="--from")
        self.refuse("rigid", "scene.json", "--method", "fast", saying="two meshes")

    def test_the_schema_accepts_scenes_and_refuses_defects(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("Python's jsonschema is absent")
        schema = json.loads(self.SCHEMA.read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        self.assertTrue(validator.is_valid(self.scene(may_touch=[["late", "falling"]])))
        documented = (self.SCHEMA.parent / "rigid-scene.md").read_text()
        example = documented.split("```json")[1].split("```")[0]
        self.assertTrue(validator.is_valid(json.loads(example)))
        for change in (lambda s: s.pop("format"), lambda s: s.update(bodies=[]),
                       lambda s: s["bodies"][0].pop("mesh"),
                       lambda s: s["bodies"][1].update(colour="red"),
                       lambda s: s["bodies"][1]["to"].update(quaternion=[1, 0, 0, 0]),
                       lambda s: s["bodies"][1]["to"].update(position=[0, 0])):
            scene = self.scene()
            change(scene)
            self.assertFalse(validator.is_valid(scene))


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
