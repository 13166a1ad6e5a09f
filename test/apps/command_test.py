"""Tests of the graze command: exit codes, output, error lines, files left behind.

Usage: command_test.py GRAZE [unittest arguments]
"""

import csv
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

GRAZE = ""
KINDS = ("vertex-face", "edge-edge")


class CommandTest(unittest.TestCase):
    ENVIRONMENT = None  # that of the test

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def graze(self, *arguments, timeout=120):
        return subprocess.run([GRAZE, *map(str, arguments)], cwd=self.folder, timeout=timeout,
                              env=self.ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)

    def answer(self, *arguments):
        """Returns the standard output of a run that must succeed without standard error."""
        run = self.graze(*arguments)
        self.assertEqual((run.returncode, run.stderr), (0, ""), arguments)
        return run.stdout

    def check_resume(self, scene, seconds, *arguments):
        """Checks that a run of the scene's file in two halves ends in the same state as one run."""
        self.answer("sim", scene, *arguments, "--seconds", seconds, "--save", "whole.json",
                    "--write-scene", "scene.json")
        self.answer("sim", "scene.json", "--seconds", seconds / 2, "--save", "half.json")
        self.answer("sim", "scene.json", "--resume", "half.json", "--seconds", seconds / 2,
                    "--save", "rest.json", "--threads", 2)
        whole, rest = ((self.folder / name).read_text() for name in ("whole.json", "rest.json"))
        self.assertEqual(whole, rest)

    def refuse(self, *arguments, saying=""):
        """Checks that a run fails with one line and leaves no file; returns that line."""
        before = sorted(self.folder.rglob("*"))
        run = self.graze(*arguments)
        self.assertEqual((run.returncode, run.stdout), (2, ""), (arguments, run))
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertIn(saying, run.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return run.stderr

    def generate(self, name, family="near_ulp", kind="vertex-face", count=20, seed=1):
        self.answer("generate", family, "--kind", kind, "--count", count, "--seed", seed,
                    "--out", name)
        return name

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))


class Help(CommandTest):
    def test_every_command_explains_itself_with_an_example(self):
        self.assertIn("Examples:", self.answer("--help"))
        for command in ("step", "steps", "query", "bench", "generate", "convert", "minimize"):
            self.assertIn(f"  graze {command} ", self.answer(command, "--help"))
        self.assertIn("--json", self.answer("methods", "--help"))

    def test_the_examples_run(self):
        examples = [line.strip().split("   ")[0].split()[1:] for line in self.answer("--help").splitlines()
                    if line.startswith(("  graze generate ", "  graze query ", "  graze step "))]
        self.assertEqual(len(examples), 4)
        for example in examples:
            self.answer(*example)

    def test_version_names_the_commit(self):
        version = self.answer("--version")
        self.assertRegex(version, r"^graze \d+\.\d+\.\d+ \(.+\)\n$")
        self.assertEqual(self.answer("bench", "--version"), version)

    def test_footers_state_the_exit_codes(self):
        for command in ("step", "steps"):
            self.assertIn("0 proven free, 1 contact, 3 undecided", self.answer(command, "--help"))


class Methods(CommandTest):
    FIELDS = ["name", "guarantee", "gives_time", "min_separation", "norm", "primitives",
              "reference"]

    def test_json_has_the_fields_of_the_contract(self):
        rows = json.loads(self.answer("methods", "--json"))
        self.assertIn("oracle", [row["name"] for row in rows])
        for row in rows:
            self.assertEqual(list(row), self.FIELDS)
            self.assertIn(row["guarantee"], ("exact", "conservative", "heuristic"))
            self.assertEqual(row["min_separation"], row["norm"] in ("L2", "Linf"))
            self.assertTrue(set(row["primitives"]) <= set(KINDS))

    def test_table_names_every_method(self):
        table = self.answer("methods").splitlines()[1:]
        rows = json.loads(self.answer("methods", "--json"))
        self.assertEqual([line.split()[0] for line in table], [row["name"] for row in rows])


class BadUsage(CommandTest):
    def test_is_one_line_and_exit_code_2(self):
        self.generate("q.csv")
        query = ("query", "q.csv", "--kind", "vertex-face")
        for arguments in [
            (), ("nonsense",), ("query",), ("query", "q.csv", "--nonsense"), ("convert", "q.csv"),
            ("generate",), (*query, "--threads", "-1"), (*query, "--threads", "many"),
            (*query, "--max-checks", "-1"),
            (*query, "--max-checks", "99999999999999999999"), (*query, "--t-max", "x"),
            (*query, "--distance-tol", "0"), (*query, "--distance-tol", "inf"),
            (*query, "--time-tol", "-1"), (*query, "--min-separation", "-1"),
            (*query, "--min-separation", "nan"),
            ("bench", "--suite", "nonsense"), ("bench", "--budget", "0"),
            ("bench", "--budget", "nan"), ("bench", "--methods", ""),
            ("generate", "near_ulp", "--kind", "vertex-face", "--count", "-1", "--out", "x.csv"),
        ]:
            with self.subTest(arguments):
                self.refuse(*arguments)

    def test_of_a_command_names_it(self):
        self.refuse("frobnicate", saying="'frobnicate'")

    def test_of_a_whole_number_names_its_range(self):
        generate = ("generate", "near_ulp", "--kind", "vertex-face", "--out", "x.csv")
        self.refuse(*generate, "--count", "1e3",
                    saying="--count: '1e3' is not a whole number in 1 .. 1,000,000,000")
        self.refuse(*generate, "--seed", "-1", saying="--seed: '-1' is not a whole number in 0 ..")
        self.refuse(*generate, "--seed", "99999999999999999999", saying="--seed")
        self.refuse("query", "q.csv", "--max-checks", "4294967296",
                    saying="--max-checks: '4294967296' is not a whole number in 0 .. 4,294,967,295")
        self.refuse("bench", "--count", "1e3", saying="--count: '1e3'")

    def test_of_an_option_without_meaning_is_refused(self):
        self.refuse("generate", "ring", "--seed", 1, "--out", "x.obj", saying="--seed")
        self.refuse("generate", "ring", "--count", 1, "--out", "x.obj", saying="--count")
        self.refuse("generate", "near_ulp", "--kind", "vertex-face", "--frames", 3, "--out", "x.csv",
                    saying="--frames")

    def test_of_the_time_names_its_range(self):
        self.generate("q.csv")
        for t_max in ("0", "1.5", "-1", "nan"):
            self.refuse("query", "q.csv", "--kind", "vertex-face", "--t-max", t_max,
                        saying="--t-max must be in (0, 1]")

    def test_of_a_method_lists_the_known_ones(self):
        self.generate("q.csv")
        for arguments in (("query", "q.csv", "--kind", "vertex-face", "--method", "nonsense"),
                          ("bench", "--methods", "oracle,nonsense")):
            line = self.refuse(*arguments, saying="'nonsense'")
            for row in json.loads(self.answer("methods", "--json")):
                self.assertIn(row["name"], line)

    def test_of_options_without_meaning_names_them(self):
        self.generate("q-edge-edge.npy", kind="edge-edge", count=5)
        self.answer("minimize", "q-edge-edge.npy", "--method", "tight_inclusion", "--out", "entry.txt")
        for use, command, options in [
            ("the list", "generate list", "kind edge-edge,seed 1,count 5,frames 3,out x"),
            ("a model", "generate cube --out cube.obj", "kind edge-edge,seed 1,count 5,frames 3"),
            ("a scene", "generate cloth_on_cone --out cloth", "kind edge-edge,seed 1"),
            ("a family of queries", "generate random --kind edge-edge --out r.npy", "frames 3"),
            ("--show", "query q-edge-edge.npy --html q.html --show 1",
             "method exact,device cpu,out r.csv,certificate c.json,threads 2,json"),
            ("an entry of the corpus", "minimize entry.txt --method exact", "kind edge-edge,index 0"),
        ]:
            for option in options.split(","):
                self.refuse(*command.split(), *f"--{option}".split(),
                            saying=f"--{option.split()[0]} has no meaning for {use}")

    def test_of_a_separation_is_never_ignored(self):
        self.generate("q.csv")
        separation = ("--min-separation", "0.1")
        self.refuse("query", "q.csv", "--kind", "vertex-face", "--method", "exact", *separation,
                    saying="exact")
        self.refuse("bench", *separation, saying="--min-separation")

    def test_of_a_kind_names_what_is_missing(self):
        self.generate("q.csv")
        self.refuse("query", "q.csv", saying="q.csv: ")
        for command in ("query", "bench"):
            self.refuse(command, "nowhere", saying="nowhere: No such file")
        self.refuse("query", "q.csv", "--kind", "vertex_face",
                    saying="none of vertex-face, edge-edge, vertex-edge, vertex-vertex")
        self.refuse("generate", "near_ulp", "--kind", "vertex-edge", "--out", "x.csv",
                    saying="--kind vertex-face or --kind edge-edge")
        self.refuse("generate", "near_ulp", "--out", "x.csv", saying="--kind")

    def test_of_a_family_points_to_the_list(self):
        self.refuse("generate", "nonsense", "--kind", "vertex-face", "--out", "x.csv",
                    saying="graze generate list")

    def test_of_an_output_is_found_before_the_work(self):
        self.generate("q.csv")
        (self.folder / "folder").mkdir()
        query = ("query", "q.csv", "--kind", "vertex-face")
        self.refuse(*query, "--out", "nowhere/r.csv", saying="nowhere/r.csv: ")
        self.refuse(*query, "--out", "folder", saying="folder: ")
        self.refuse("bench", "--out", "q.csv", saying="q.csv: ")
        self.refuse("convert", "q.csv", "x.txt", saying="x.txt: ")
        self.refuse("generate", "near_ulp", "--kind", "vertex-face", "--out", "x", saying="x: ")


class BadFiles(CommandTest):
    def test_are_named_with_line_and_reason(self):
        (self.folder / "bad.csv").write_text("1,1,1,1,1,1\n1,0,1,1,1,1\n")
        for command in (("query", "bad.csv", "--kind", "vertex-face"),
                        ("bench", "bad.csv", "--kind", "vertex-face"),
                        ("convert", "bad.csv", "x.npy")):
            self.refuse(*command, saying="bad.csv:2: ")
        self.refuse("query", "absent.csv", "--kind", "edge-edge", saying="absent.csv: ")
        self.refuse("query", ".", "--kind", "edge-edge")
        (self.folder / "bad.npy").write_bytes(b"not numpy")
        self.refuse("query", "bad.npy", "--kind", "vertex-face", saying="bad.npy: ")
        (self.folder / "empty").mkdir()
        self.refuse("bench", "empty", saying="empty: ")

    def test_leave_nothing_behind_when_one_of_several_is_bad(self):
        self.generate("good.csv")
        (self.folder / "bad.csv").write_text("x\n")
        self.refuse("query", "good.csv", "bad.csv", "--kind", "vertex-face", "--out", "r.csv",
                    saying="bad.csv:1: ")

    def test_may_have_any_name(self):
        self.refuse("query", "two\nlines.csv", "--kind", "vertex-face")


class Query(CommandTest):
    def test_answers_are_written_as_in_the_contract(self):
        self.generate("q.csv", count=50)
        self.answer("query", "q.csv", "--kind", "vertex-face", "--method", "oracle",
                    "--out", "r.csv")
        with open(self.folder / "r.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0])[:6], ["index", "verdict", "toi", "toi_hi", "u", "v"])
        self.assertEqual([row["index"] for row in rows], [str(i) for i in range(50)])
        self.assertEqual({row["verdict"] for row in rows}, {"contact", "separated"})
        for row in rows:
            if row["verdict"] == "separated":
                self.assertEqual((row["toi"], row["toi_hi"]), ("inf", "inf"))
            else:
                self.assertTrue(0 <= float(row["toi"]) <= float(row["toi_hi"]) <= 1)

    def test_json_is_one_object_that_agrees_with_the_file(self):
        self.generate("q.csv", count=50)
        summary = json.loads(self.answer("query", "q.csv", "--kind", "vertex-face", "--method",
                                         "oracle", "--json", "--out", "r.csv"))
        with open(self.folder / "r.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(summary["queries"], 50)
        for verdict in ("separated", "contact", "undecided", "invalid"):
            self.assertEqual(summary[verdict],
                             sum(row["verdict"] == verdict for row in rows), verdict)
        first = min((float(row["toi"]), int(row["index"])) for row in rows)
        self.assertEqual((summary["earliest"]["toi"], summary["earliest"]["index"]), first)

    def write_npy(self, name, *queries):
        """Writes queries of 8 points as an array of shape N x 8 x 3."""
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(queries)}, 8, 3), }}"
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        numbers = [x for query in queries for point in query for x in point]
        (self.folder / name).write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) +
                                         header.encode() + struct.pack(f"<{len(numbers)}d", *numbers))

    def test_vertex_edge_and_vertex_vertex_queries_are_faces_without_area(self):
        a, b = (0, 0, 0), (4, 0, 0)
        self.write_npy("edge.npy", [(1, 1, 0), a, b, b, (1, -1, 0), a, b, b])
        self.write_npy("points-vv.npy", [(0, 1, 0), a, a, a, (0, -3, 0), a, a, a])
        for arguments, u in ((("edge.npy", "--kind", "vertex-edge"), "0.25"),
                             (("points-vv.npy",), "nan")):
            summary = json.loads(self.answer("query", *arguments, "--out", "r.csv", "--json"))
            with open(self.folder / "r.csv", newline="") as file:
                row = next(csv.DictReader(file))
            self.assertEqual((summary["contact"], row["u"], row["v"]), (1, u, "nan"))
        self.refuse("query", "edge.npy", "--kind", "vertex-vertex",
                    saying="edge.npy: query 0 is not vertex-vertex")
        self.refuse("minimize", "edge.npy", "--kind", "vertex-edge", "--method", "exact",
                    saying="vertex-edge")
        rows = json.loads(self.answer("bench", "edge.npy", "--kind", "vertex-edge", "--methods",
                                      "exact,cardano_edge", "--json"))["rows"]
        self.assertEqual([(row["method"], row["kind"], row["hits"], row["false_positives"])
                          for row in rows], [("exact", "vertex-edge", 1, 0)])
        self.refuse("bench", "--kind", "vertex-edge", saying="--kind")

    def test_the_default_method_keeps_a_separation(self):
        self.generate("q-vertex-face.csv")
        for arguments, method in (((), "exact"), (("--min-separation", 0.1), "separation_root")):
            summary = json.loads(self.answer("query", "q-vertex-face.csv", *arguments, "--json"))
            self.assertEqual(summary["method"], method)

    def test_several_files_are_numbered_through(self):
        self.generate("a-vertex-face.csv", count=3)
        self.generate("b-edge-edge.npy", kind="edge-edge", count=4)
        summary = json.loads(self.answer("query", "a-vertex-face.csv", "b-edge-edge.npy",
                                         "--out", "r.csv", "--json"))
        self.assertEqual(summary["queries"], 7)
        self.assertEqual(len((self.folder / "r.csv").read_text().splitlines()), 8)

    def test_answers_do_not_depend_on_threads(self):
        self.generate("q.npy", count=2000)
        for threads in (1, 2, 3):
            self.answer("query", "q.npy", "--kind", "vertex-face", "--method", "oracle",
                        "--threads", threads, "--out", f"r{threads}.csv")
        contents = {(self.folder / f"r{threads}.csv").read_bytes() for threads in (1, 2, 3)}
        self.assertEqual(len(contents), 1)

    def test_summary_is_readable(self):
        self.generate("q.csv")
        text = self.answer("query", "q.csv", "--kind", "vertex-face", "--out", "r.csv")
        self.assertRegex(text, r"^20 queries by \w+ \((exact|conservative)\) in ")
        self.assertIn("earliest toi", text)
        self.assertIn("wrote r.csv", text)
        self.assertNotIn("\033", text)

    def test_every_method_answers(self):
        for kind in KINDS:
            self.generate(f"q-{kind}.csv", kind=kind)
            for method in json.loads(self.answer("methods", "--json")):
                if kind in method["primitives"]:
                    summary = json.loads(self.answer("query", f"q-{kind}.csv", "--json",
                                                     "--method", method["name"]))
                    self.assertEqual(summary["queries"], 20)
                    self.assertEqual(summary["invalid"], 0)

    def test_an_infinite_query_is_invalid_and_the_rest_are_answered(self):
        self.generate("q.npy", count=2)
        bytes_ = bytearray((self.folder / "q.npy").read_bytes())
        bytes_[-8:] = struct.pack("<d", float("inf"))
        (self.folder / "q.npy").write_bytes(bytes_)
        summary = json.loads(self.answer("query", "q.npy", "--kind", "vertex-face", "--json"))
        self.assertEqual((summary["queries"], summary["invalid"]), (2, 1))
        self.refuse("convert", "q.npy", "q.csv", saying="q.csv")


class GenerateAndConvert(CommandTest):
    def test_list_names_the_families(self):
        families = json.loads(self.answer("generate", "list", "--json"))
        names = [line.split()[0] for line in self.answer("generate", "list").splitlines()[1:]]
        self.assertEqual(names, [family["name"] for family in families])
        self.assertIn("random", names)

    def test_the_same_seed_gives_the_same_file(self):
        for name, seed in (("a.csv", 1), ("b.csv", 1), ("c.csv", 2)):
            self.generate(name, seed=seed)
        a, b, c = ((self.folder / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv"))
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_conversion_there_and_back_changes_nothing(self):
        for kind in KINDS:
            self.generate("a.csv", kind=kind)
            self.generate("direct.npy", kind=kind)
            self.answer("convert", "a.csv", "a.npy")
            self.answer("convert", "a.npy", "b.csv")
            self.assertEqual((self.folder / "a.npy").read_bytes(),
                             (self.folder / "direct.npy").read_bytes())
            self.assertEqual((self.folder / "a.csv").read_bytes(),
                             (self.folder / "b.csv").read_bytes())
        self.assertEqual(self.files(), ["a.csv", "a.npy", "b.csv", "direct.npy"])

    def test_truth_travels(self):
        self.generate("a.csv", count=2)
        lines = (self.folder / "a.csv").read_text().splitlines()
        with_truth = [f"{line},{index // 8}" for index, line in enumerate(lines)]
        (self.folder / "t.csv").write_text("\n".join(with_truth) + "\n")
        self.assertTrue(json.loads(self.answer("convert", "t.csv", "t.npy", "--json"))["truth"])
        self.assertIn("t.truth.npy", self.files())
        self.answer("convert", "t.npy", "u.csv")
        self.assertEqual((self.folder / "t.csv").read_text(), (self.folder / "u.csv").read_text())

    def test_reports_are_pure_json_on_request(self):
        made = json.loads(self.answer("generate", "random", "--kind", "edge-edge", "--count", "5",
                                      "--out", "x.npy", "--json"))
        self.assertEqual(made, {"family": "random", "kind": "edge-edge", "count": 5, "seed": 1,
                                "out": "x.npy"})


class Minimize(CommandTest):
    def test_prints_a_corpus_entry_that_shows_the_same_fault(self):
        self.generate("near.npy", kind="edge-edge", count=50)
        run = ("minimize", "near.npy", "--kind", "edge-edge", "--method", "tight_inclusion")
        entry = self.answer(*run)
        self.assertRegex(entry, r"^# From query \d+ of near.npy, in \d+ tries.\n"
                                r"# tight_inclusion answers contact at .* \(false alarm\).\n"
                                r"edge-edge separated\n")
        self.assertEqual(len(entry.splitlines()), 11)
        self.answer(*run, "--out", "entry.txt")
        self.assertEqual((self.folder / "entry.txt").read_text(), entry)
        again = self.answer("minimize", "entry.txt", "--method", "tight_inclusion")
        self.assertEqual(again.splitlines()[2:], entry.splitlines()[2:])

    def test_reports_that_there_is_nothing_to_shrink(self):
        self.generate("near.npy", count=50)
        run = ("minimize", "near.npy", "--kind", "vertex-face")
        self.assertEqual(self.answer(*run, "--method", "exact", "--against", "oracle"),
                         "exact agrees with oracle on all 50 queries of near.npy\n")

    def test_json_has_the_query_of_the_entry(self):
        self.generate("near.npy", kind="edge-edge", count=50)
        run = ("minimize", "near.npy", "--kind", "edge-edge", "--method", "tight_inclusion")
        found = json.loads(self.answer(*run, "--out", "entry.txt", "--json"))
        entry = (self.folder / "entry.txt").read_text()
        self.assertIn(f"# From query {found['index']} of near.npy, in {found['tries']} tries.\n", entry)
        self.assertIn(f"tight_inclusion answers contact at {found['answer']['toi']} ({found['fault']}).\n",
                      entry)
        numbers = [float.fromhex(number) if "x" in number else float(number)
                   for line in entry.splitlines()[3:] for number in line.split()]
        self.assertEqual(found["coordinates"], numbers)
        self.assertEqual((found["method"], found["against"], found["queries"], found["kind"], found["out"]),
                         ("tight_inclusion", "exact", 50, "edge-edge", "entry.txt"))
        self.assertEqual((found["truth"]["verdict"], found["truth"]["toi"], found["finished"]),
                         ("separated", None, True))
        agreed = json.loads(self.answer(*run[:-1], "oracle", "--out", "none.txt", "--json"))
        self.assertEqual([agreed[name] for name in ("index", "fault", "answer", "coordinates", "out")],
                         [None] * 5)
        self.assertFalse((self.folder / "none.txt").exists())

    def test_refuses_options_without_meaning(self):
        self.generate("q-vertex-face.csv")
        run = ("minimize", "q-vertex-face.csv", "--method")
        self.refuse("minimize", "q-vertex-face.csv", saying="--method")
        self.refuse(*run, "nonsense", saying="'nonsense'")
        self.refuse(*run, "cardano_edge", saying="vertex-face")
        self.refuse(*run, "exact", "--against", "tight_inclusion", saying="exact method")
        self.refuse(*run, "exact", "--index", "20", saying="contains 20 queries")
        self.refuse(*run, "exact", "--budget", "0", saying="--budget")
        self.refuse("minimize", "absent.txt", "--method", "exact", saying="absent.txt: ")
        (self.folder / "bad.txt").write_text("edge-edge maybe\n")
        self.refuse("minimize", "bad.txt", "--method", "exact", saying="bad.txt: ")


class Interruption(CommandTest):
    def interrupted(self, *arguments, after=1.0, with_signal=signal.SIGINT, until=None):
        """Interrupts a run after some seconds, or as soon as the file `until` has a line."""
        process = subprocess.Popen([GRAZE, *arguments], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if until:
            end = time.monotonic() + 60
            while not (until.exists() and "\n" in until.read_text()) and time.monotonic() < end:
                time.sleep(0.02)
        else:
            time.sleep(after)
        process.send_signal(with_signal)
        out, err = process.communicate(timeout=20)
        return process.returncode, out, err

    def test_ends_with_130_and_leaves_nothing(self):
        long_bench = ("bench", "--count", "100000", "--budget", "60", "--out", "results")
        self.assertEqual(self.interrupted(*long_bench), (130, "", "graze: interrupted\n"))
        self.assertEqual(self.interrupted(*long_bench, with_signal=signal.SIGTERM)[0], 143)
        self.assertEqual(self.files(), [])

    def test_of_a_resumable_bench_loses_at_most_the_set_in_progress(self):
        bench = ("bench", "--count", "50", "--budget", "0.2", "--methods", "exact,tight_inclusion",
                 "--out", "results", "--json")
        measured = self.folder / "results/measured.jsonl"
        self.assertEqual(self.interrupted(*bench, until=measured)[0], 130)
        self.assertEqual(self.files(), ["results", "results/measured.jsonl"])
        kept = measured.read_text()
        self.assertTrue(kept.endswith("\n"))
        for line in kept.splitlines():
            json.loads(line)
        resumed = json.loads(self.answer(*bench))
        self.assertEqual(resumed["recalled_rows"], len(kept.splitlines()))
        self.assertEqual(self.files(), ["results", "results/measured.jsonl", "results/report.html",
                                        "results/results.json"])

    def test_of_a_long_file_leaves_all_or_nothing(self):
        for after in (0.02, 0.1, 0.3, 0.6):
            code, _, _ = self.interrupted("generate", "random", "--kind", "vertex-face", "--count",
                                          "200000", "--out", "x.csv", after=after)
            before_main = -signal.SIGINT
            self.assertIn(code, (0, 130, before_main))
            self.assertIn(self.files(), ([], ["x.csv"]))


class Terminal(CommandTest):
    def bench_with_stderr_on_a_terminal(self):
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal: {error}")
        process = subprocess.Popen([GRAZE, "bench", "--methods", "oracle", "--count", "50",
                                    "--budget", "0.2"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        seen = b""
        try:
            while chunk := os.read(ours, 4096):
                seen += chunk
        except OSError:  # Linux: the other end is closed
            pass
        os.close(ours)
        process.communicate(timeout=60)
        return process.returncode, seen

    def test_shows_progress_and_clears_it(self):
        code, seen = self.bench_with_stderr_on_a_terminal()
        self.assertEqual(code, 0)
        self.assertIn(b"%", seen)
        self.assertTrue(seen.endswith(b"\r\033[K"), seen[-40:])

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([GRAZE, "methods"], stdout=full, stderr=subprocess.PIPE,
                                 text=True)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run)


if __name__ == "__main__":
    GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
