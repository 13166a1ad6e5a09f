"""Tests of graze bench: results, suites, options, folders.

Usage: bench_test.py GRAZE [unittest arguments]
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest


class Bench(CommandTest):
    FIELDS = ["method", "set", "kind", "queries", "hits", "false_positives", "false_negatives",
              "undecided", "late", "ns_per_query", "p50_ns", "p99_ns", "max_ns"]
    TINY = ("--count", "2", "--budget", "0.005")
    ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "GRAZE_DATA"}

    def test_json_has_the_rows_of_the_contract_and_the_report_is_written(self):
        result = json.loads(self.answer("bench", *self.TINY, "--device", "cpu", "--json"))
        methods = json.loads(self.answer("methods", "--json"))
        sets = [family["name"] for family in json.loads(self.answer("generate", "list", "--json"))
                if not (family["scene"] or family["model"])] + ["torus", "golf", "chain"]
        self.assertEqual({(row["method"], row["set"], row["kind"]) for row in result["rows"]},
                         {(method["name"], name, kind) for method in methods for name in sets
                          for kind in method["primitives"]})
        for row in result["rows"]:
            self.assertEqual(list(row), self.FIELDS)
        self.assertIn("cpu", result["machine"])
        self.assertEqual(self.files(), ["graze-report.html"])

    def test_folder_gets_report_and_results(self):
        self.generate("rack-vertex-face.csv")
        text = self.answer("bench", ".", "--methods", "oracle", "--budget", "0.005", "--out", "a/b")
        self.assertRegex(text, r"oracle +rack +vertex-face +20 ")
        self.assertEqual(self.files(), ["a", "a/b", "a/b/measured.jsonl", "a/b/report.html",
                                        "a/b/results.json", "rack-vertex-face.csv"])
        result = json.loads((self.folder / "a/b/results.json").read_text())
        self.assertEqual([row["set"] for row in result["rows"]], ["rack"])
        html = (self.folder / "a/b/report.html").read_text()
        for part in ("Average time per query", "False positives", "False negatives", "misses"):
            self.assertIn(part, html)

    def test_a_second_run_recalls_what_was_measured(self):
        self.generate("rack-vertex-face.csv")
        bench = ("bench", "rack-vertex-face.csv", "--budget", "0.005", "--device", "cpu", "--out",
                 "results")
        first, second = (json.loads(self.answer(*bench, "--json")) for _ in range(2))
        self.assertEqual((first["recalled_rows"], second["recalled_rows"]), (0, len(first["rows"])))
        self.assertEqual(first["rows"], second["rows"])
        self.assertIn("--fresh", self.answer(*bench))
        fresh = json.loads(self.answer(*bench, "--fresh", "--json"))
        self.assertEqual(fresh["recalled_rows"], 0)

    def test_a_folder_shows_which_methods_would_have_failed(self):
        (self.folder / "mine").mkdir()
        self.generate("mine/hooks-edge-edge.npy", "double_root", "edge-edge", count=2000)
        result = json.loads(self.answer("bench", "mine", "--methods", "all", "--budget", "0.05",
                                        "--json"))
        failures = [row for row in result["failures"] if row["method"] == "cardano_edge"]
        self.assertGreater(len(failures), 0)
        self.assertEqual((failures[0]["fault"], failures[0]["verdict"]), ("missed", "separated"))
        self.assertEqual(failures[0]["file"], "mine/hooks-edge-edge.npy")
        self.assertEqual(len(failures[0]["coordinates"]), 24)
        html = (self.folder / "graze-report.html").read_text()
        self.assertIn("cardano_edge answers separated", html)
        entry = self.answer("minimize", "mine/hooks-edge-edge.npy", "--method", "cardano_edge",
                            "--index", failures[0]["index"])
        self.assertIn("cardano_edge answers separated (missed)", entry)

    def test_a_gpu_is_measured_beside_the_cpu(self):
        self.generate("rack-vertex-face.csv")
        bench = ("bench", "rack-vertex-face.csv", "--methods", "exact", "--budget", "0.005")
        auto = json.loads(self.answer(*bench, "--json"))
        self.assertTrue(auto["device_reason"])
        line = f"device: {auto['device']} ({auto['device_reason']})"
        self.assertIn(line, self.answer(*bench).splitlines())
        cpu = json.loads(self.answer(*bench, "--device", "cpu", "--json"))
        self.assertEqual((cpu["device"], cpu["device_reason"]), ("cpu", None))
        self.assertEqual([row["method"] for row in cpu["rows"]], ["exact"])
        if auto["device"] == "cpu":
            self.assertEqual(len(auto["rows"]), 1)
            self.refuse(*bench, "--device", "gpu", saying="--device gpu: " + auto["device_reason"])
        else:
            gpu = json.loads(self.answer(*bench, "--device", "gpu", "--json"))
            for on_gpu in (auto["rows"][1], gpu["rows"][1]):
                self.assertEqual(on_gpu["method"], "exact (gpu)")
                self.assertEqual(on_gpu["hits"], cpu["rows"][0]["hits"])
                self.assertEqual((on_gpu["false_positives"], on_gpu["false_negatives"]), (0, 0))

    def test_kind_chooses_among_generated_sets(self):
        rows = json.loads(self.answer("bench", *self.TINY, "--kind", "edge-edge", "--methods",
                                      "oracle", "--json"))["rows"]
        self.assertEqual({row["kind"] for row in rows}, {"edge-edge"})

    def test_papers_goes_into_its_folder_and_lists_what_is_missing(self):
        (self.folder / "empty").mkdir()
        text = self.answer("bench", "empty", "--papers", *self.TINY, "--methods",
                           "exact,tight_inclusion")
        self.assertEqual(self.files(), ["empty", "graze-papers", "graze-papers/measured.jsonl",
                                        "graze-papers/report.html", "graze-papers/results.json"])
        self.assertIn("Not measured: data not found", text)
        self.assertIn("Table 1 of [Wang 2021]: simulation, edge-edge", text)
        self.assertIn("Missing in this run", text)
        results = json.loads((self.folder / "graze-papers/results.json").read_text())
        for part in ("huh_table_1", "zhang", "jansen", "van_waveren"):
            self.assertGreater(len(results[part]["rows"]), 0, part)
        self.assertEqual({row["paper"] for row in results["not_measured"]},
                         {"[Wang 2021]", "[Huh 2014]", "[Zhang 2006]", "[Jansen]",
                          "[van Waveren 2005]"})
        missing = " ".join(row["what"] for row in results["not_measured"])
        for part in ("60 million queries", "Figure 3", "factor 8", "92 of the 93 steps", "Algorithm 1 (pieces)"):
            self.assertIn(part, missing)
        for row in results["zhang"]["rows"]:  # all shots, as the list of what is missing says
            shots = {method["method"]: method["shots"] for method in row["methods"]}
            self.assertEqual(shots["fast"], shots["graze"], row["scenario"])
        # --methods chooses the rows of the tables of queries, as the help says; other parts have their own.
        chosen = {"exact", "tight_inclusion"}
        self.assertEqual({row["method"] for row in results["rows"]}, chosen)
        self.assertEqual({row["method"] for row in results["huh_table_2"]}, {"exact"})
        self.assertFalse({row["method"] for row in results["huh_table_1"]["rows"]} <= chosen)
        self.assertIn("papers: of the tables of queries alone", " ".join(self.answer("bench", "--help").split()))
        self.refuse("bench", "--papers", "--suite", "exact", saying="--suite")

    def test_every_suite_runs(self):
        listed = self.answer("bench", "--help").split("Suites:\n")[1].split("\n\n")[0]
        for line in listed.splitlines():
            name = line.split()[0]
            if name == "papers":  # test_papers_goes_into_its_folder_and_lists_what_is_missing runs it
                continue
            tiny = self.TINY[:2] if name in ("area-inclusion", "rigid", "robot") else self.TINY
            result = json.loads(self.answer("bench", "--suite", name, *tiny, "--json"))
            self.assertEqual(result["suite"], name)
            if name == "robot" and result["missing"]:  # it needs real data
                continue
            self.assertGreater(len(result["rows"]), 0)

    def test_a_suite_refuses_the_options_that_it_does_not_use(self):
        for suite, *option in [
                ("papers", "--distance-tol", "1e-3"), ("papers", "--max-checks", "10"),
                ("papers", "--time-tol", "1e-3"), ("papers", "--t-max", "0.5"),
                ("papers", "--min-separation", "0.1"), ("papers", "--kind", "edge-edge"),
                ("area-inclusion", "--methods", "exact"), ("area-inclusion", "--time-tol", "1"),
                ("area-inclusion", "--budget", "1"), ("step", "--methods", "exact"),
                ("step", "--max-checks", "10"), ("rigid", "--distance-tol", "1e-3"),
                ("rigid", "--budget", "1"), ("edges", "--seed", "2"), ("edges", "data"),
                ("polyhedron", "--methods", "exact"), ("separation", "--min-separation", "1"),
                ("exact", "--t-max", "0.5"), ("exact", "--kind", "edge-edge"),
                ("exact", "--fresh"), ("narrow", "--explain"), ("exact", "--device", "cpu"),
                ("narrow", "--targets")]:
            with self.subTest((suite, option)):
                name = option[0] if option[0].startswith("--") else "PATH"
                self.refuse("bench", "--suite", suite, *option,
                            saying=f"graze bench: the suite {suite} does not use {name}")
        self.refuse("bench", "--papers", "--distance-tol", "1e-3", saying="--distance-tol")
        self.refuse("bench", "--suite", "exact", "--targets", "--explain",
                    saying="--explain is not used with --targets")
        self.generate("q-vertex-face.csv")
        for option in ("--count", "--seed"):
            self.refuse("bench", "q-vertex-face.csv", option, 3, saying=option)

    def test_real_data_is_read_from_the_named_folder_only(self):
        (self.folder / "work").mkdir()
        (self.folder / "shared/data/models").mkdir(parents=True)
        (self.folder / "models").mkdir()
        for folder in ("shared/data/models", "models"):
            self.answer("generate", "ring", "--out", f"{folder}/stanford-bunny.obj")
        run = subprocess.run([command_test.GRAZE, "bench", "--suite", "casts", "--count", "1", "--json"],
                             cwd=self.folder / "work", env=self.ENVIRONMENT, capture_output=True,
                             text=True, check=True)
        self.assertEqual(json.loads(run.stdout)["missing"], ["models/stanford-bunny.obj"])

    def test_an_unusable_folder_is_named_with_the_reason(self):
        self.generate("q-vertex-face.csv")
        bench = ("bench", "q-vertex-face.csv", "--methods", "exact", "--budget", "0.005", "--out")
        self.refuse(*bench, "q-vertex-face.csv/results",
                    saying="q-vertex-face.csv/results: cannot be created: q-vertex-face.csv is not a")
        self.refuse(*bench, "q-vertex-face.csv", saying="q-vertex-face.csv: is not a folder")

        def no_space():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        run = subprocess.run([command_test.GRAZE, *bench, "full"], cwd=self.folder, preexec_fn=no_space,
                             restore_signals=False, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr),
                         (2, "full/measured.jsonl: cannot be written: File too large\n"))

    def test_a_missing_program_is_named_with_the_way_to_build_it(self):
        shutil.copy(command_test.GRAZE, self.folder / "graze")
        for name in ("bench", "sim"):
            run = subprocess.run([self.folder / "graze", name], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1))
            self.assertIn(f"/graze-{name}: cannot be started", run.stderr)
            self.assertIn(f"graze_{name}_command", run.stderr)

    def test_messages_name_the_command_and_not_the_program(self):
        self.assertIn("graze bench: --nonsense", self.refuse("bench", "--nonsense").replace(
            "The following argument was not expected: ", ""))
        self.assertIn("Usage: graze bench [OPTIONS]", self.answer("bench", "--help"))
        self.assertIn("Usage: graze sim [OPTIONS]", self.answer("sim", "--help"))

    def test_exact_is_held_to_its_bars_and_explains_its_stages(self):
        (self.folder / "data").mkdir()
        suite = ("bench", "data", "--suite", "exact", *self.TINY)
        plain, explained = self.answer(*suite), self.answer(*suite, "--explain")
        for text in (plain, explained):
            self.assertRegex(text, r"cloth-funnel, exact per query +- +at most 40 ns +not measured")
            self.assertRegex(text, r"wrong or late answers of exact +0 +at most 0 +met")
        self.assertNotIn("each stage decides", plain)
        self.assertIn("each stage decides", explained)
        self.refuse("bench", "--explain", saying="explain")


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
