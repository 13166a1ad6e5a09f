"""Tests of the command `graze trace`.

Usage: trace_test.py GRAZE [unittest arguments]
"""

import json
import sys
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest

BOX = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
SIDES = ["f 1 3 4 2", "f 5 6 8 7", "f 1 2 6 5", "f 3 7 8 4", "f 1 5 7 3", "f 2 4 8 6"]


class Trace(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("floor.obj", [(9 * x, 9 * y, z - 1) for x, y, z in BOX], SIDES)
        self.write("box.obj", BOX, SIDES)

    def write(self, name, vertices, faces):
        lines = ["v " + " ".join(map(repr, vertex)) for vertex in vertices] + faces
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def trace(self, *arguments, code):
        run = self.graze("trace", "floor.obj", "box.obj", *arguments)
        self.assertEqual((run.returncode, run.stderr), (code, ""), arguments)
        return run.stdout

    def json(self, *arguments, code):
        return json.loads(self.trace(*arguments, "--json", code=code))

    def test_expel_stops_before_the_contact_and_lets_touching_bodies_part(self):
        answer = self.json("--from", "0 0 5", "--to", "0 0 -3", "--expel", code=1)
        self.assertAlmostEqual(answer["fraction"], 0.5, delta=1e-9)
        self.assertGreater(answer["end"]["translation"][2], 1)
        self.assertEqual(answer["contact"]["normal"], [0, 0, 1])
        leaving = self.json("--from", "0 0 1", "--to", "1 2 1", "--expel", code=0)
        self.assertTrue(leaving["expelled"])
        turned = self.json("--from", "0 0 1", "--rotate", "0 0 1 360", "--expel", "--thickness",
                           "0.01", code=0)
        self.assertEqual((turned["pieces"], turned["thickness"]), (4, 0.01))
        self.assertIn("pushed out", self.trace("--from", "0 0 1", "--to", "1 0 1", "--expel", code=0))

    def test_a_box_that_touches_a_wall_on_a_floor_leaves_along_every_free_way(self):
        # The wall stands on the floor, and the box touches both: faces are flush, edges coincide.
        corners = [(x, y, z) for x, y, z in BOX]
        wall = [(2 + x, 9 * y, 2.5 + 2.5 * z) for x, y, z in BOX]
        second = ["f " + " ".join(str(int(i) + 8) for i in side.split()[1:]) for side in SIDES]
        self.write("floor.obj", [(9 * x, 9 * y, z - 1) for x, y, z in corners] + wall,
                   SIDES + second)
        for to in ("-2 0 1", "0 3 1", "0 -3 1", "0 0 3", "-1 2 2", "-2 -2 1"):
            for mode in ("--expel", "--slide"):
                answer = self.json("--from", "0 0 1", "--to", to, mode, code=0)
                for got, wanted in zip(answer["end"]["translation"], map(float, to.split())):
                    self.assertAlmostEqual(got, wanted, delta=1e-5, msg=(to, mode))
        for to in ("1 0 1", "0 0 0", "1 1 0"):
            answer = self.json("--from", "0 0 1", "--to", to, "--expel", code=1)
            self.assertLess(max(map(abs, answer["end"]["translation"][:2])), 1e-6, to)

    def test_a_box_leaves_a_wall_whose_solids_share_edges(self):
        # Floor and wall of one file share an edge: the wall stands at the rim of the floor, or the
        # floor ends where the wall begins; or two crates that stand side by side far away do.
        second = ["f " + " ".join(str(int(i) + 8) for i in side.split()[1:]) for side in SIDES]
        third = ["f " + " ".join(str(int(i) + 16) for i in side.split()[1:]) for side in SIDES]

        def solid(lo, hi):
            return [tuple(lo[k] + (hi[k] - lo[k]) * (1 + corner[k]) / 2 for k in range(3))
                    for corner in BOX]

        worlds = {
            "rim": [solid((-9, -9, -1), (3, 9, 0)), solid((1, -9, 0), (3, 9, 5))],
            "end": [solid((-9, -9, -1), (1, 9, 0)), solid((1, -9, -1), (3, 9, 5))],
            "crates": [solid((-9, -9, -1), (9, 9, 0)), solid((5, 5, 0), (6, 6, 1)),
                       solid((6, 5, 0), (7, 6, 1))],
        }
        for name, solids in worlds.items():
            self.write("floor.obj", [corner for one in solids for corner in one],
                       SIDES + second + (third if len(solids) == 3 else []))
            for to in ("-2 0 1", "0 3 1", "0 -3 1", "0 0 3", "-1 2 2", "-2 -2 1"):
                for mode in ("--expel", "--slide"):
                    answer = self.json("--from", "0 0 1", "--to", to, mode, code=0)
                    for got, wanted in zip(answer["end"]["translation"], map(float, to.split())):
                        self.assertAlmostEqual(got, wanted, delta=1e-5, msg=(name, to, mode))
            self.json("--from", "0 0 1", "--to", "0 0 0", "--expel", code=1)

    def test_contacts_lists_all_contacts_at_the_end(self):
        for mode in ((), ("--expel",), ("--slide",)):
            way = ("--from", "0 0 5", "--to", "0 0 -3", *mode)
            found = self.json(*way, "--contacts", code=1)["end_contacts"]
            self.assertEqual(len(found["points"]), 4, mode)  # the corners of the box
            places = {tuple(round(x, 6) for x in contact["point"]) for contact in found["points"]}
            self.assertEqual(places, {(x, y, 0) for x in (-1, 1) for y in (-1, 1)}, mode)
            for contact in found["points"]:
                self.assertLessEqual(contact["gap"], found["distance"])
                self.assertEqual(contact["normal"], [0, 0, 1])
            text = self.trace(*way, "--contacts", code=1)
            self.assertRegex(text, r"contacts at the end, within \S+: 4\n(  gap .*normal 0 0 1\n){4}")
            self.assertNotIn("end_contacts", self.json(*way, code=1))
        free = self.json("--from", "0 0 5", "--to", "0 0 3", "--contacts", code=0)
        self.assertEqual(free["end_contacts"]["points"], [])

    def test_a_touching_start_is_named_and_the_remedy_too(self):
        text = self.trace("--from", "0 0 1", "--to", "1 0 1", code=1)
        self.assertIn("touches the world at the start", text)
        self.assertIn("--expel", text)
        self.assertNotIn("--expel", self.trace("--from", "0 0 5", "--to", "0 0 -3", code=1))

    def test_recordings_of_expel_and_slide_end_where_the_mover_ends(self):
        for mode in ("--expel", "--slide"):
            way = ("--from", "0 0 3", "--to", "2 0 0", mode)
            self.json(*way, "--record", "trace.glb", "--contacts", code=1)
            self.assertGreater((self.folder / "trace.glb").stat().st_size, 1000, mode)

    def test_help_has_examples_of_trace(self):
        text = self.answer("trace", "--help")
        examples = text[text.index("Examples:"):]
        self.assertGreaterEqual(examples.count("graze trace "), 3)
        self.assertNotIn("graze rigid", examples)

    def test_slide_keeps_the_component_along_the_floor(self):
        answer = self.json("--from", "0 0 3", "--to", "3 0 0", "--slide", code=1)
        self.assertAlmostEqual(answer["end"]["translation"][0], 3, delta=1e-4)
        self.assertAlmostEqual(answer["end"]["translation"][2], 1, delta=1e-4)
        self.assertEqual(answer["ground"]["normal"], [0, 0, 1])
        self.assertIn("on ground", self.trace("--from", "0 0 3", "--to", "3 0 0", "--slide", code=1))
        for wrong in (("--slide", "--expel"), ("--step-height", "1"), ("--thickness", "1"),
                      ("--slide", "--rotate", "0 0 1 9")):
            run = self.graze("trace", "floor.obj", "box.obj", "--to", "0 0 3", *wrong)
            self.assertEqual(run.returncode, 2, wrong)

    def test_a_walker_is_never_inside_a_solid(self):
        summary = json.loads(self.answer("sim", "walker", "--seconds", 2, "--json"))
        self.assertEqual((summary["moves"], summary["in_solid"]), (120, 0))
        self.assertIn("never inside a solid", self.answer("sim", "walker", "--seconds", 1, "--seed", 2))
        self.refuse("sim", "walker", "--count", 2, saying="--count")

    def test_a_box_falls_onto_the_floor_half_way(self):
        for merge in ((), ("--merge",)):
            answer = self.json("--from", "0 0 5", "--to", "0 0 -3", *merge, code=1)
            self.assertEqual((answer["verdict"], answer["fraction"], answer["fraction_hi"]),
                             ("contact", 0.5, 0.5))
            self.assertEqual(answer["end"], {"translation": [0, 0, 1], "rotation": [1, 0, 0, 0]})
            contact = answer["contact"]
            self.assertEqual((contact["kind"], contact["normal"], contact["point"][2]),
                             ("vertex-facet", [0, 0, 1], 0))
        lines = self.trace("--from", "0 0 5", "--to", "0 0 -3", code=1).splitlines()
        self.assertEqual(lines[0], "contact at 0.5 of piece 1 of 1; ends at 0 0 1")
        self.assertRegex(lines[1], "^vertex-facet: feature .* normal 0 0 1$")
        self.assertRegex(lines[2], r"^\d+ pairs examined, \d+ by integers; load .+, query .+$")

    def test_a_free_path_ends_at_its_end_pose(self):
        answer = self.json("--from", "0 0 5", "--to", "1 2 3", code=0)
        self.assertEqual((answer["verdict"], answer["fraction"], answer["contact"]),
                         ("separated", 1, None))
        self.assertEqual(answer["end"]["translation"], [1, 2, 3])
        self.assertEqual(self.trace("--from", "0 0 5", "--to", "1 2 3", code=0),
                         "free; ends at 1 2 3\n")

    def test_the_rotation_follows_the_translation_and_may_touch(self):
        # At height 1.25 the box has room to stand but not to turn on its edge, sqrt(2) below.
        answer = self.json("--from", "0 0 5", "--to", "0 0 1.25", "--rotate", "1 0 0 90", code=1)
        self.assertEqual((answer["verdict"], answer["piece"], answer["pieces"]), ("contact", 1, 2))
        self.assertEqual(self.json("--from", "0 0 1.5", "--rotate", "1 0 0 360", code=0)["pieces"], 4)
        turned = self.json("--from", "0 0 5", "--to", "0 0 4 90 0 0", code=0)
        self.assertAlmostEqual(turned["end"]["rotation"][1], 0.5 ** 0.5)

    def test_any_angle_is_followed(self):
        # At height 1.25 the box cannot turn on its edge; at height 1.5 it can.
        for degrees in ("360", "360000", "-360000", "1e9", "1e300"):
            turn = ("--rotate", f"1 0 0 {degrees}")
            answer = self.json("--from", "0 0 1.25", *turn, code=1)
            self.assertEqual((answer["verdict"], answer["piece"]), ("contact", 0), degrees)
            self.assertEqual(self.json("--from", "0 0 1.5", *turn, code=0)["verdict"], "separated")
        end = self.json("--from", "0 0 5", "--rotate", "0 0 1 360090", code=0)["end"]["rotation"]
        self.assertAlmostEqual(abs(end[0]), 0.5 ** 0.5, delta=1e-9)
        self.assertAlmostEqual(end[0], end[3], delta=1e-9)

    def test_faces_without_area_are_named_and_can_be_dropped(self):
        flat = [(20, 0, 0), (21, 0, 0), (22, 0, 0)]
        self.write("flat.obj", [(9 * x, 9 * y, z - 1) for x, y, z in BOX] + flat,
                   SIDES + ["f 9 10 11", "f 9 9 10"])
        way = ("box.obj", "--from", "0 0 5", "--to", "0 0 -3")
        run = self.graze("trace", "flat.obj", *way)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        # A quad is two triangles, so six sides are faces 0 to 11.
        self.assertIn("flat.obj: face 13 (vertices 8, 8, 9; all counted from 0) has no area",
                      run.stderr)
        self.assertIn("--drop-degenerate", run.stderr)
        for mode in ((), ("--expel",), ("--slide",), ("--merge",)):
            run = self.graze("trace", "flat.obj", *way, "--drop-degenerate", "--json", *mode)
            self.assertEqual((run.returncode, run.stderr), (1, ""), mode)
            self.assertEqual(json.loads(run.stdout)["dropped"], {"world": 2, "mover": 0})
        run = self.graze("trace", "flat.obj", *way, "--drop-degenerate")
        self.assertIn("left out faces without area: 2 of the world, 0 of the mover", run.stdout)
        self.write("bent.obj", flat, ["f 1 2 3"])
        run = self.graze("trace", "floor.obj", "bent.obj", "--to", "1 2 3", "--drop-degenerate")
        self.assertEqual(run.returncode, 2)
        self.assertIn("bent.obj: all 1 faces have no area", run.stderr)

    def test_bad_arguments_are_one_clear_line(self):
        self.write("bent.obj", [(0, 0, 0), (0, 0, 1), (0, 0, 2)], ["f 1 2 3"])
        for arguments, reason in (
                (("floor.obj", "box.obj"), "needs --to"),
                (("floor.obj", "box.obj", "--to", "1 2"), "has 2 numbers"),
                (("floor.obj", "box.obj", "--to", "1 2 x"), "no number at position 5"),
                (("floor.obj", "box.obj", "--rotate", "0 0 0 90"), "axis other than 0"),
                (("floor.obj", "bent.obj", "--to", "1 2 3"), "bent.obj: face 0 (vertices 0, 1, 2; all counted from 0) has no area"),
                (("none.obj", "box.obj", "--to", "1 2 3"), "none.obj")):
            run = self.graze("trace", *arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)
            self.assertIn(reason, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
