"""Tests of graze step and graze steps.

Usage: step_test.py GRAZE [unittest arguments]
"""

import base64
import csv
import json
import os
import struct
import sys
import unittest
from fractions import Fraction
from pathlib import Path

import command_test
from command_test import CommandTest

FREE, CONTACT = ("0.ply", "1.ply"), ("1.ply", "2.ply")


class StepTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.answer("generate", "cloth_on_cone", "--count", 1000, "--out", ".")

    def step(self, *arguments, code=1):
        """Returns the standard output of a step with that exit code."""
        run = self.graze("step", *arguments)
        self.assertEqual((run.returncode, run.stderr), (code, ""), arguments)
        return run.stdout

    def json(self, *arguments, code=1):
        return json.loads(self.step(*arguments, "--json", code=code))

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def write_obj(self, name, vertices, elements):
        lines = ["v " + " ".join(map(repr, vertex)) for vertex in vertices] + elements
        (self.folder / name).write_text("\n".join(lines) + "\n")
        return name


class Step(StepTest):
    def test_the_answer_is_three_lines(self):
        lines = self.step(*FREE, code=0).splitlines()
        self.assertEqual(lines[:2], ["free: no contact", "0 contacts"])
        self.assertRegex(lines[2], r"^[\d,]+ pairs examined; load .+, broad phase .+, narrow phase .+$")
        lines = self.step(*CONTACT).splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[0], r"^contact at t = 0\.\d+: (vertex \d+ and face|edge \d+ and edge) "
                                   r"\d+ at \(.+, .+, .+\)$")
        self.assertRegex(lines[1], r"^\d+ contacts$")
        self.assertRegex(lines[3], r"^device: .+ \(.+\)$")

    def test_every_device_gives_the_same_answer(self):
        cpu = self.json(*CONTACT, "--device", "cpu")
        self.assertEqual((cpu["device"], cpu["device_reason"]), ("cpu", None))
        auto = self.json(*CONTACT)  # the default
        self.assert_same_contact(auto, cpu)
        self.assertEqual(self.json(*CONTACT, "--device", "auto")["device"], auto["device"])
        self.assertTrue(auto["device_reason"])
        self.assertEqual(self.step(*CONTACT).splitlines()[3],
                         f"device: {auto['device']} ({auto['device_reason']})")
        self.assertEqual(len(self.step(*CONTACT, "--device", "cpu").splitlines()), 3)
        if auto["device"] == "cpu":
            run = self.graze("step", *CONTACT, "--device", "gpu")
            self.assertEqual(run.returncode, 2)
            self.assertIn("--device gpu: " + auto["device_reason"], run.stderr)
        else:
            gpu = self.json(*CONTACT, "--device", "gpu")
            self.assertEqual((gpu["device"], gpu["device_reason"]), (auto["device"], None))
            self.assert_same_contact(gpu, cpu)

    def assert_same_contact(self, mine, expected):
        for field in ("verdict", "toi", "toi_hi", "kind", "a", "b", "u", "v", "normal", "contacts"):
            self.assertEqual(mine[field], expected[field], field)

    def test_json_has_the_fields_of_the_contract(self):
        answer = self.json(*CONTACT)
        for field in ("verdict", "toi", "toi_hi", "kind", "a", "b", "u", "v", "normal", "point",
                      "contacts", "pairs"):
            self.assertIsNotNone(answer[field], field)
        self.assertEqual(list(answer["seconds"]), ["load", "broad", "narrow", "total"])
        self.assertEqual(answer["verdict"], "contact")
        self.assertTrue(0 < answer["toi"] <= answer["toi_hi"] <= 1)
        free = self.json(*FREE, code=0)
        self.assertEqual((free["verdict"], free["toi"], free["a"], free["contacts"]),
                         ("separated", None, None, 0))

    def test_all_contacts_are_written_sorted_and_the_first_is_the_answer(self):
        answer = self.json(*CONTACT, "--all", "c.csv")
        rows = self.rows("c.csv")
        self.assertEqual(list(rows[0]),
                         ["kind", "a", "b", "toi", "toi_hi", "u", "v", "nx", "ny", "nz"])
        self.assertEqual(len(rows), answer["contacts"])
        order = ["vertex-face", "edge-edge"]
        keys = [(float(row["toi"]), order.index(row["kind"]), int(row["a"]), int(row["b"]))
                for row in rows]
        self.assertEqual(keys, sorted(keys))
        first = rows[0]
        self.assertEqual((first["kind"], int(first["a"]), int(first["b"]), float(first["toi"])),
                         (answer["kind"], answer["a"], answer["b"], answer["toi"]))

    def test_the_answer_depends_on_the_meshes_alone(self):
        self.step(*CONTACT, "--all", "c.csv")
        expected = (self.folder / "c.csv").read_bytes()
        for arguments in (("--threads", 1), ("--threads", 2), ("--broad", "brute_force")):
            self.step(*CONTACT, *arguments, "--all", "d.csv")
            self.assertEqual((self.folder / "d.csv").read_bytes(), expected, arguments)
        fields = ("verdict", "toi", "toi_hi", "kind", "a", "b", "u", "v", "normal", "point")
        one, other = self.json(*CONTACT), self.json(*CONTACT, "--first-only")
        self.assertEqual([one[field] for field in fields], [other[field] for field in fields])
        self.assertIsNone(other["contacts"])

    def test_other_methods_and_options_are_taken(self):
        exact, oracle = self.json(*CONTACT), self.json(*CONTACT, "--method", "oracle")
        self.assertEqual((exact["toi"], exact["contacts"]), (oracle["toi"], oracle["contacts"]))
        early = exact["toi"] / 2
        self.assertEqual(self.json(*CONTACT, "--t-max", early, code=0)["verdict"], "separated")
        close = self.json(*FREE, "--min-separation", 0.05)
        self.assertEqual(close["verdict"], "contact")
        cautious = self.json(*FREE, "--method", "tight_inclusion", "--min-separation", 0.05)
        self.assertNotEqual(cautious["verdict"], "separated")

    def test_undecided_has_an_exit_code_of_its_own(self):
        lost = ("--method", "tight_inclusion", "--max-checks", 1)
        answer = self.json(*CONTACT, *lost, code=3)
        self.assertEqual((answer["verdict"], answer["contacts"]), ("undecided", 0))
        self.assertGreater(answer["undecided"], 0)
        self.assertIn("undecided at t = ", self.step(*CONTACT, *lost, code=3))
        self.json(*CONTACT, *lost, "--first-only", code=3)

    def test_the_tested_queries_become_a_benchmark(self):
        answer = self.json(*CONTACT, "--dump-queries", "queries")
        files = [self.folder / "queries" / name for name in ("vertex-face.npy", "edge-edge.npy")]
        hits = queries = 0
        for file in files:
            summary = json.loads(self.answer("query", file, "--json"))
            hits += summary["contact"]
            queries += summary["queries"]
        self.assertEqual((hits, queries), (answer["contacts"], answer["pairs"]))

    def test_rods_and_points_touch_too(self):
        start = self.write_obj("a.obj", [(0, 0, 0), (4, 0, 0), (1, 1, 0)], ["l 1 2"])
        end = self.write_obj("b.obj", [(0, 0, 0), (4, 0, 0), (1, -1, 0)], ["l 1 2"])
        answer = self.json(start, end)
        self.assertEqual((answer["kind"], answer["a"], answer["b"], answer["toi"], answer["u"]),
                         ("vertex-edge", 2, 3, 0.5, 0.25))
        self.assertEqual(answer["point"], [1, 0, 0])

    def test_an_intersected_start_is_contact_at_zero_unless_switched_off(self):
        # A box 0.05 deep in another, moving further in.
        def box(half, at):
            return [tuple(a + (h if i >> k & 1 else -h) for k, (h, a) in enumerate(zip(half, at)))
                    for i in range(8)]
        quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
        faces = [f"f {a + n} {b + n} {c + n}" for n in (1, 9) for p, q, r, s in quads
                 for a, b, c in ((p, q, r), (p, r, s))]
        ground = box((1.5, 0.5, 1.5), (0, 0, 0))
        start, end = (self.write_obj(name, ground + box((0.5, 0.5, 0.5), (0.01, y, 0)), faces)
                      for name, y in (("a.obj", 0.95), ("b.obj", 0.45)))
        answer = self.json(start, end, "--all", "all.csv")
        self.assertEqual((answer["verdict"], answer["toi"], answer["toi_hi"], answer["kind"]),
                         ("contact", 0, 0, "edge-face"))
        self.assertTrue(0.45 <= answer["point"][1] <= 0.5 + 1e-12, answer)
        self.assertEqual(max(map(abs, answer["normal"])), 1)
        rows = self.rows("all.csv")
        self.assertEqual(len(rows), answer["contacts"])
        self.assertEqual({(row["kind"], row["toi"]) for row in rows}, {("edge-face", "0")})
        self.assertEqual((int(rows[0]["a"]), int(rows[0]["b"])), (answer["a"], answer["b"]))
        first = self.json(start, end, "--first-only")
        self.assertEqual((first["a"], first["b"], first["kind"]),
                         (answer["a"], answer["b"], "edge-face"))
        self.assertRegex(self.step(start, end), r"^contact at t = 0: edge \d+ pierces face \d+ at ")
        self.assertEqual(self.step(start, end, "--start-check", "off", code=0).splitlines()[0],
                         "free: no contact")
        self.refuse("step", start, end, "--start-check", "maybe", saying="--start-check")
        run = self.graze("steps", start, end, "--out", "steps.json", "--json")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(json.loads(run.stdout)["steps"][0]["kind"], "edge-face")
        again = self.graze("steps", start, end, "--out", "steps.json", "--json")
        self.assertEqual(again.stdout, run.stdout)

    def test_contacts_at_the_start_are_reported_or_skipped(self):
        rods = ["l 1 2", "l 3 4"]
        start = self.write_obj("a.obj", [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 3, 0)], rods)
        end = self.write_obj("b.obj", [(-1, 0, 0), (1, 0, 0), (0, -3, 3), (0, 1, -3)], rods)
        self.assertEqual(self.json(start, end)["toi"], 0)
        skipped = self.json(start, end, "--skip-start-contacts")
        self.assertEqual((skipped["toi"], skipped["start_contacts_skipped"]), (0.5, 1))


    def write_npy(self, name, rows, columns=3):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {columns}), }}\n"
        data = b"".join(struct.pack(f"<{columns}d", *row) for row in rows)
        (self.folder / name).write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header))
                                         + header.encode() + data)
        return name

    def write_bounce(self):
        """Writes frames in which a point is at rest above a face. With its velocities it falls through the face."""
        corners = [(0.0, 0.0, 1.0), (-1.0, -1.0, 0.0), (2.0, -1.0, 0.0), (-1.0, 2.0, 0.0)]
        self.write_obj("bounce.obj", corners, ["f 2 3 4"])
        rest = [(0.0, 0.0, 0.0)] * 3
        self.write_npy("down.npy", [(0.0, 0.0, -8.0)] + rest)
        self.write_npy("up.npy", [(0.0, 0.0, 8.0)] + rest)
        return ("bounce.obj", "bounce.obj")

    def test_velocities_bend_the_paths(self):
        frames = self.write_bounce()
        self.step(*frames, code=0)
        answer = self.json(*frames, "--velocities", "down.npy", "up.npy")
        # z = 1 - 8 t + 8 t^2 vanishes at (1 - sqrt(1/2)) / 2.
        self.assertAlmostEqual(answer["toi"], (1 - 0.5**0.5) / 2, delta=1e-15)
        self.assertLess(answer["toi"], answer["toi_hi"])
        self.assertEqual((answer["kind"], answer["a"], answer["contacts"]), ("vertex-face", 0, 1))
        self.assertAlmostEqual(answer["point"][2], 0, delta=1e-15)
        first = self.json(*frames, "--velocities", "down.npy", "up.npy", "--first-only")
        self.assertEqual((first["toi"], first["toi_hi"]), (answer["toi"], answer["toi_hi"]))
        self.assertEqual(answer["velocities"], "exact")
        self.assertIsNone(self.json(*frames, code=0)["velocities"])
        text = self.step(*frames, "--velocities", "down.npy", "up.npy").splitlines()
        self.assertIn("velocities: exact", text)
        self.assertNotIn("velocities: exact", self.step(*frames, code=0).splitlines())
        self.step(*frames, "--velocities", "up.npy", "down.npy", code=0)
        self.step(*frames, "--velocities", "down.npy", "up.npy", "--t-max", "0.14", code=0)

    def test_velocities_are_recorded_as_curves(self):
        curved = ("--velocities", "down.npy", "up.npy")
        frames = self.write_bounce()
        answer = self.json(*frames, *curved, "--record", "bounce.glb", "--html", "bounce.html")
        self.answer("record", "bounce.glb", "--frames", "shown")
        shown = sorted((self.folder / "shown").glob("*.ply"))
        self.assertEqual(len(shown), 33)
        heights = [self.heights(path) for path in shown]
        for i, (falling, *face) in enumerate(heights):
            t = i / 32  # z = 1 - 8 t + 8 t^2, a quadratic
            self.assertAlmostEqual(falling, 1 - 8 * t + 8 * t * t, delta=1e-6)
            self.assertEqual(face, [0, 0, 0])
        self.assertLess(heights[16][0], -0.999)  # a straight motion keeps the point at 1
        # The contact of the recording and the page with the same recording.
        glb = (self.folder / "bounce.glb").read_bytes()
        described = json.loads(glb[20:20 + struct.unpack("<I", glb[12:16])[0]])
        self.assertEqual(described["extensions"]["GRAZE_contacts"]["count"], answer["contacts"])
        page = (self.folder / "bounce.html").read_text()
        self.assertIn(base64.b64encode(glb).decode(), page)
        # Without the velocities nothing moves.
        self.step(*frames, "--record", "rest.glb", code=0)
        self.answer("record", "rest.glb", "--frames", "rest")
        for path in (self.folder / "rest").glob("*.ply"):
            self.assertEqual(self.heights(path), [1, 0, 0, 0])

    def heights(self, path):
        """Returns the z coordinates of the vertices of a binary PLY file."""
        header, data = path.read_bytes().split(b"end_header\n", 1)
        lines = header.decode().splitlines()
        names = [line.split()[2] for line in lines if line.startswith(("property double", "property float"))]
        self.assertEqual(names[:3], ["x", "y", "z"], lines)
        count = next(int(line.split()[2]) for line in lines if line.startswith("element vertex"))
        row = "<" + "d" * len(names) if "property double x" in lines else "<" + "f" * len(names)
        return [struct.unpack_from(row, data, i * struct.calcsize(row))[2] for i in range(count)]

    def test_velocities_that_cannot_be_used_are_refused(self):
        frames = self.write_bounce()
        self.write_npy("short.npy", [(0.0, 0.0, 0.0)])
        self.write_npy("wide.npy", [(0.0, 0.0)] * 4, columns=2)
        self.write_npy("nan.npy", [(0.0, float("nan"), 0.0)] * 4)
        for reason, arguments in {
            "short.npy: has 1 vectors, the mesh has 4 vertices": ("short.npy", "up.npy"),
            "wide.npy: the shape is (4, 2), not (N, 3)": ("down.npy", "wide.npy"),
            "nan.npy: vertex 0 (counted from 0): y is NaN": ("nan.npy", "up.npy"),
            "--min-separation": ("down.npy", "up.npy", "--min-separation", "0.1"),
            "--skip-start-contacts": ("down.npy", "up.npy", "--skip-start-contacts"),
            "--dump-queries": ("down.npy", "up.npy", "--dump-queries", "queries"),
            "--device gpu": ("down.npy", "up.npy", "--device", "gpu"),
            "tight_inclusion does not answer queries on curves":
                ("down.npy", "up.npy", "--method", "tight_inclusion"),
        }.items():
            run = self.graze("step", *frames, "--velocities", *arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn(reason, run.stderr)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)


class BadSteps(StepTest):
    def test_are_one_line_and_exit_code_2(self):
        for arguments, saying in [
            (("0.ply",), ""), (("0.ply", "absent.ply"), "absent.ply: "),
            (("0.ply", "1.txt"), "1.txt: "), ((*FREE, "--method", "nonsense"), "'nonsense'"),
            ((*FREE, "--broad", "nonsense"), "sweep_and_prune"),
            ((*FREE, "--min-separation", 0.1, "--method", "exact"), "--min-separation"),
            ((*FREE, "--t-max", 2), "--t-max"), ((*FREE, "--all", "nowhere/c.csv"), "nowhere"),
            ((*FREE, "--method", "cardano_edge"), "vertex-face"),
            ((*FREE, "--all", "c.csv", "--first-only"), "--first-only"),
        ]:
            with self.subTest(arguments):
                self.refuse("step", *arguments, saying=saying)

    def test_of_different_meshes_name_the_difference(self):
        self.answer("generate", "cloth_on_cone", "--count", 2000, "--out", "other")
        self.refuse("step", "0.ply", "other/1.ply", saying="other/1.ply: ")
        self.refuse("steps", "0.ply", "other/1.ply", saying="other/1.ply: ")

    def test_of_meshes_without_vertices_are_not_free(self):
        for name in ("a.obj", "b.obj"):
            (self.folder / name).write_bytes(b"")
        for command in ("step", "steps"):
            self.refuse(command, "a.obj", "b.obj", saying="a.obj: ")

    def test_of_broken_meshes_name_the_place(self):
        whole = (self.folder / "1.ply").read_bytes()
        (self.folder / "cut.ply").write_bytes(whole[:-5])
        self.refuse("step", "0.ply", "cut.ply", saying="cut.ply: offset ")
        header = whole.index(b"end_header\n") + len(b"end_header\n")
        (self.folder / "nan.ply").write_bytes(
            whole[:header] + struct.pack("<d", float("nan")) + whole[header + 8:])
        self.refuse("step", "0.ply", "nan.ply", saying="nan.ply: vertex 0 (counted from 0): x is NaN")
        for frames in (("0.ply", "nan.ply"), ("nan.ply", "0.ply"), ("nan.ply", "0.ply", "1.ply")):
            for options in ((), ("--json",)):
                self.refuse("steps", *frames, *options, saying="nan.ply: vertex 0 (counted from 0): x is NaN")

    def test_a_later_frame_that_is_not_finite_ends_the_steps(self):
        whole = (self.folder / "1.ply").read_bytes()
        z_of_vertex_1 = whole.index(b"end_header\n") + len(b"end_header\n") + 5 * 8
        (self.folder / "inf.ply").write_bytes(
            whole[:z_of_vertex_1] + struct.pack("<d", float("-inf")) + whole[z_of_vertex_1 + 8:])
        run = self.graze("steps", "0.ply", "1.ply", "inf.ply", "2.ply")
        self.assertEqual((run.returncode, run.stderr),
                         (2, "inf.ply: vertex 1 (counted from 0): z is infinite\n"))
        self.assertTrue(run.stdout.startswith("0.ply -> 1.ply  "), run.stdout)
        self.assertEqual(run.stdout.count("\n"), 1, run.stdout)


class Steps(StepTest):
    def steps(self, *arguments, code=1):
        run = self.graze("steps", *arguments)
        self.assertEqual((run.returncode, run.stderr), (code, ""), arguments)
        return run.stdout

    def test_have_a_line_each_and_a_table(self):
        lines = self.steps(".").splitlines()
        self.assertRegex(lines[0], r"^0\.ply -> 1\.ply  free: no contact; 0 contacts, ")
        self.assertRegex(lines[1], r"^1\.ply -> 2\.ply  contact at t = 0\.")
        self.assertIn("Worst steps", lines)
        self.assertRegex(lines[-2], r"^2 steps, 1 not free; \d+ contacts, ")
        self.steps(*FREE, code=0)

    def test_are_undecided_where_no_step_has_a_proven_contact(self):
        lost = ("--method", "tight_inclusion", "--max-checks", 1)
        undecided = json.loads(self.steps(*CONTACT, *lost, "--json", "--out", "s.json", code=3))
        self.assertEqual(undecided["steps"][0]["verdict"], "undecided")
        self.steps(*CONTACT, *lost, "--out", "s.json", code=3)  # taken from the file

    def test_every_device_gives_the_same_steps(self):
        cpu = json.loads(self.steps(".", "--json", "--device", "cpu"))
        self.assertEqual((cpu["device"], cpu["device_reason"]), ("cpu", None))
        auto = json.loads(self.steps(".", "--json"))  # the default
        for mine, expected in zip(auto["steps"], cpu["steps"]):
            for field in ("verdict", "toi", "toi_hi", "kind", "a", "b", "contacts", "summary"):
                self.assertEqual(mine[field], expected[field], field)
        self.assertEqual(self.steps(".").splitlines()[-1],
                         f"device: {auto['device']} ({auto['device_reason']})")
        curved = json.loads(self.steps(".", "--json", "--interpolate", "catmull-rom"))
        self.assertEqual((curved["device"], curved["device_reason"]),
                         ("cpu", "the GPU search does not support curves"))
        run = self.graze("steps", ".", "--interpolate", "catmull-rom", "--gpus", "0")
        self.assertEqual((run.returncode, run.stderr),
                         (2, "graze: --gpus: the GPU search does not support curves\n"))
        run = self.graze("steps", ".", "--device", "cpu", "--gpus", "0,0")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--gpus needs --device gpu or auto", run.stderr)
        if auto["device"] == "cpu":
            run = self.graze("steps", ".", "--device", "gpu")
            self.assertEqual(run.returncode, 2)
            self.assertIn("--device gpu: " + auto["device_reason"], run.stderr)
        else:  # two logical devices
            twice = json.loads(self.steps(".", "--json", "--device", "gpu", "--gpus", "0,0"))
            self.assertEqual(twice["device"], auto["device"])
            self.assertEqual([step["toi"] for step in twice["steps"]],
                             [step["toi"] for step in cpu["steps"]])

    def test_queries_have_a_device(self):
        self.answer("generate", "touching", "--kind", "vertex-face", "--count", 50, "--out", "q.npy")
        query = ("query", "q.npy", "--kind", "vertex-face", "--json")
        cpu, auto = (json.loads(self.answer(*query, *device))
                     for device in (("--device", "cpu"), ()))
        self.assertEqual((cpu["device"], cpu["device_reason"]), ("cpu", None))
        self.assertTrue(auto["device_reason"])
        other = json.loads(self.answer(*query, "--method", "tight_inclusion"))
        self.assertEqual(other["device"], "cpu")
        self.assertTrue(other["device_reason"])
        fields = ("contact", "separated", "earliest")
        self.assertEqual([auto[field] for field in fields], [cpu[field] for field in fields])
        if auto["device"] == "cpu":
            run = self.graze(*query, "--device", "gpu")
            self.assertEqual(run.returncode, 2)
            self.assertIn("--device gpu: ", run.stderr)
        else:
            gpu = json.loads(self.answer(*query, "--device", "gpu"))
            self.assertEqual((gpu["device"], gpu["device_reason"]), (auto["device"], None))
            self.assertEqual([gpu[field] for field in fields], [cpu[field] for field in fields])

    def test_agree_with_step(self):
        self.answer("generate", "cloth_on_cone", "--count", 300, "--frames", 12, "--out", "long")
        steps = json.loads(self.steps("long", "--json"))["steps"]
        self.assertEqual([step["end"] for step in steps], [f"long/{i}.ply" for i in range(1, 12)])
        for step in (steps[1], steps[7]):
            alone = self.json(step["start"], step["end"])
            for field in ("verdict", "toi", "toi_hi", "kind", "a", "b", "contacts", "pairs"):
                self.assertEqual(step[field], alone[field], field)

    def test_go_on_where_they_ended(self):
        self.steps(*FREE, "--out", "s.json", code=0)
        marked = json.loads((self.folder / "s.json").read_text())
        marked["steps"][0]["contacts"] = 7  # shows whether the row is read from the file
        (self.folder / "s.json").write_text(json.dumps(marked))
        self.steps(".", "--out", "s.json")
        kept = json.loads((self.folder / "s.json").read_text())["steps"]
        self.assertEqual(([step["contacts"] for step in kept][0], len(kept)), (7, 2))
        self.steps(".", "--out", "s.json", "--t-max", 0.9)  # other settings: all anew
        anew = json.loads((self.folder / "s.json").read_text())["steps"]
        self.assertEqual(anew[0]["contacts"], 0)

    def test_keep_what_is_saved_of_later_steps_when_they_end_early(self):
        def saved():
            return json.loads((self.folder / "s.json").read_text())

        self.answer("generate", "cloth_on_cone", "--count", 300, "--frames", 12, "--out", "long")
        self.steps("long", "--out", "s.json")
        marked = saved()
        for step in marked["steps"]:
            step["contacts"] = 777  # shows whether the row is read from the file
        (self.folder / "s.json").write_text(json.dumps(marked))
        os.utime(self.folder / "long/2.ply", (1, 1))
        frames = [f"long/{i}.ply" for i in range(12)]
        for _ in range(2):  # the second run begins with the rows of the first
            run = self.graze("steps", *frames[:5], "missing.ply", *frames[5:], "--out", "s.json", "--json")
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn("missing.ply", run.stderr)
            self.assertEqual(saved(), marked)  # replaced by a complete run alone
            self.assertEqual(len((self.folder / "s.json.journal").read_text().splitlines()), 3)
        self.steps("long", "--out", "s.json")
        self.assertFalse((self.folder / "s.json.journal").exists())
        contacts = [step["contacts"] for step in saved()["steps"]]
        self.assertEqual([i for i, count in enumerate(contacts) if count != 777], [1, 2])

    def test_follow_a_spline_through_the_frames(self):
        # A point whose spline swings below the face between two frames at the same height.
        heights = [3.0, 0.05, 0.05, 3.0]
        for i, z in enumerate(heights):
            corners = [(0.0, 0.0, z), (-1.0, -1.0, 0.0), (2.0, -1.0, 0.0), (-1.0, 2.0, 0.0)]
            self.write_obj(f"swing{i}.obj", corners, ["f 2 3 4"])
        names = [f"swing{i}.obj" for i in range(4)]
        self.assertEqual(self.graze("steps", *names).returncode, 0)
        run = self.graze("steps", *names, "--interpolate", "catmull-rom", "--json", "--out", "s.json")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        steps = json.loads(run.stdout)["steps"]
        self.assertEqual([step["verdict"] for step in steps], ["separated", "contact", "separated"])
        again = self.graze("steps", *names, "--interpolate", "catmull-rom", "--json", "--out", "s.json")
        self.assertEqual(json.loads(again.stdout)["steps"], steps)
        run = self.graze("steps", *names, "--interpolate", "catmull-rom", "--min-separation", "1")
        self.assertEqual(run.returncode, 2)

    def test_report_rounded_velocities_of_a_spline(self):
        def frames(name, heights):
            for i, z in enumerate(heights):
                corners = [(0.0, 0.0, z), (-1.0, -1.0, 0.0), (2.0, -1.0, 0.0), (-1.0, 2.0, 0.0)]
                self.write_obj(f"{name}{i}.obj", corners, ["f 2 3 4"])
            return [f"{name}{i}.obj" for i in range(len(heights))]

        def answer(names, *arguments):
            run = self.graze("steps", *names, *arguments)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            return run.stdout

        spline = ("--interpolate", "catmull-rom")
        exact = frames("exact", [3.0, 2.5, 2.25, 2.0])
        # The differences with 0.1, at frames 0 and 1, are no doubles. All later ones are.
        rounded = frames("rounded", [0.1, 2 + 2.0**-51, 3.0, 4.0, 4.5, 5.0])
        # Half of an odd subnormal number is no double.
        tiny = frames("tiny", [3.0, 5e-324, 0.0, 0.0, 5e-324, 3.0])
        for names, expected in ((exact, ["exact"] * 3), (rounded, ["rounded"] * 2 + ["exact"] * 3)):
            steps = json.loads(answer(names, *spline, "--json"))["steps"]
            self.assertEqual([step["velocities"] for step in steps], expected)
            for step, kind in zip(steps, expected):
                self.assertEqual(step["path_error"] > 0, kind == "rounded")
        # The differences at frames 0 and 1 have the errors of these exact rationals.
        steps = json.loads(answer(rounded, *spline, "--json"))["steps"]
        z = [Fraction(0.1), Fraction(2 + 2.0**-51), Fraction(3.0)]
        first = abs(z[1] - z[0] - Fraction(float(z[1]) - float(z[0])))
        second = abs((z[2] - z[0]) / 2 - Fraction(float(z[2]) / 2 - float(z[0]) / 2))
        self.assertGreater(first + second, 0)
        self.assertAlmostEqual(steps[0]["path_error"] / float(first + second), 0.26, delta=1e-12)
        self.assertAlmostEqual(steps[1]["path_error"] / float(second), 0.26, delta=1e-12)
        self.assertIsNone(json.loads(answer(exact, "--json"))["steps"][0]["velocities"])
        # A point within subnormal numbers of the face touches it on the way.
        run = self.graze("steps", *tiny, *spline, "--json")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        steps = json.loads(run.stdout)["steps"]
        self.assertTrue(all(step["path_error"] > 0 for step in steps), steps)
        self.assertEqual(answer(exact, *spline).splitlines()[-2], "velocities: exact")
        self.assertRegex(answer(rounded, *spline),
                         r"\nvelocities: rounded in 2 of 5 steps; the curves move by at most \d\S+\n")
        self.assertNotIn("velocities", answer(exact))

    def test_refuse_options_that_they_cannot_use(self):
        self.refuse("steps", "0.ply", saying="at least two frames")
        self.refuse("steps", *FREE, "--out", "nowhere/s.json", saying="nowhere")
        (self.folder / "other.json").write_text("[1, 2]")
        self.refuse("steps", *FREE, "--out", "other.json", saying="other.json: ")
        self.assertEqual((self.folder / "other.json").read_text(), "[1, 2]")


class Scenes(CommandTest):
    def test_are_listed_and_checked(self):
        listed = json.loads(self.answer("generate", "list", "--json"))
        self.assertIn("cloth_on_cone", [row["name"] for row in listed if row["scene"]])
        for arguments in ((), ("--out", "x", "--kind", "edge-edge"),
                          ("--out", "x", "--frames", 1), ("--out", "x", "--count", 0)):
            self.refuse("generate", "cloth_on_cone", *arguments)


class Check(StepTest):
    TETRAHEDRON = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    SIDES = ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 3 1 4"]

    def check(self, *arguments, code):
        run = self.graze("check", *arguments)
        self.assertEqual((run.returncode, run.stderr), (code, ""), arguments)
        return run.stdout

    def moved(self, x):
        return [(a + x, b, c) for a, b, c in self.TETRAHEDRON]

    def test_a_closed_surface_is_clean(self):
        self.write_obj("solid.obj", self.TETRAHEDRON, self.SIDES)
        self.assertEqual(self.check("solid.obj", "--closed", code=0),
                         "solid.obj: clean; 4 vertices, 6 edges, 4 faces\n"
                         "manifold: yes; closed: yes; oriented: yes; intersects itself: no\n")
        answer = json.loads(self.check("solid.obj", "--json", code=0))
        self.assertTrue(answer["clean"] and answer["manifold"] and answer["closed"]
                        and answer["oriented"])
        for faults in ("border_edges", "branched_edges", "turned_edges", "pinched_vertices",
                       "flat_faces", "repeated_positions", "intersections"):
            self.assertEqual(answer[faults], [], faults)

    def test_an_open_surface_is_a_fault_with_closed(self):
        self.write_obj("open.obj", self.TETRAHEDRON, self.SIDES[:3])
        self.assertIn("edges of one face: 3 (0-2, 0-3, 2-3)\n", self.check("open.obj", code=0))
        self.assertIn("open.obj: has faults", self.check("open.obj", "--closed", code=1))
        self.assertEqual(json.loads(self.check("open.obj", "--json", code=0))["border_edges"],
                         [[0, 2], [0, 3], [2, 3]])

    def test_faults_are_listed(self):
        flat = self.TETRAHEDRON + [(5.0, 0.0, 0.0), (6.0, 0.0, 0.0), (7.0, 0.0, 0.0)]
        self.write_obj("faults.obj", flat, self.SIDES + ["f 5 6 7", "f 3 1 4"])
        answer = json.loads(self.check("faults.obj", "--json", code=1))
        self.assertEqual(answer["flat_faces"], [4])
        self.assertEqual(answer["branched_edges"], [[0, 2], [0, 3], [2, 3]])
        self.assertEqual([(x["a"], x["b"], x["contact"]) for x in answer["intersections"]],
                         [(3, 5, "overlapping")])
        self.assertIn("faces without area: 1 (4)\n", self.check("faults.obj", code=1))

    def test_two_meshes_are_compared(self):
        self.write_obj("a.obj", self.TETRAHEDRON, self.SIDES)
        self.write_obj("b.obj", self.moved(1.0), self.SIDES)
        self.write_obj("c.obj", self.moved(1.0000000000000002), self.SIDES)
        touching = json.loads(self.check("a.obj", "b.obj", "--json", code=1))["intersections"]
        self.assertEqual({x["contact"] for x in touching}, {"touching"})
        self.assertEqual(touching[0]["point"], [1, 0, 0])
        self.assertEqual(self.check("a.obj", "c.obj", code=0), "a.obj and c.obj: no intersection\n")
        run = self.graze("check", "a.obj", "b.obj", "--closed")
        self.assertEqual((run.returncode, run.stdout), (2, ""))

    def test_bad_positions_are_named(self):
        self.write_obj("nan.obj", self.TETRAHEDRON, self.SIDES)
        ply = ("ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
               "property double z\nelement face 1\nproperty list uchar int vertex_indices\n"
               "end_header\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n")
        (self.folder / "nan.ply").write_text(ply)
        run = self.graze("check", "nan.ply")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("nan.ply", run.stderr)


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
