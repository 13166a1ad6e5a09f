"""Tables of pages show the results that scripts/measure stores."""

import importlib.machinery
import importlib.util
import json
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import inclusions  # noqa: E402
import suite_tables  # noqa: E402

loader = importlib.machinery.SourceFileLoader("measure", str(ROOT / "scripts/measure"))
measure = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure", loader))
loader.exec_module(measure)

MACHINE = {"cpu": "Abacus", "cores": 2, "instruction_set": "BEADS", "load": 0.5, "compiler": "cc 1", "commit": "abc1234",
           "date": "2001-02-03T04:05:06Z"}


def row(method, family, kind, queries, ns, **errors):
    counts = dict.fromkeys(("false_positives", "false_negatives", "undecided", "late"), 0) | errors
    return {"method": method, "set": family, "kind": kind, "queries": queries, "hits": 7, **counts, "ns_per_query": ns}


STORED = {"command": "graze bench --count 1", "machine": MACHINE, "rows": measure.by_columns([
    row("cubic_root", "random", "vertex-face", 10, 100.0),
    row("cubic_root", "static", "vertex-face", 10, 100.0, late=3),
    row("cubic_root", "parallel", "vertex-face", 30, 500.0, false_negatives=2),
    row("exact", "random", "vertex-face", 10, 50.0),
])}  # fmt: skip
FURTHER = STORED | {"rows": measure.by_columns([row("cubic_root", "erleben", "vertex-face", 4, 2500.0)])}


class SuiteTables(unittest.TestCase):
    def text(self, section):
        return inclusions.section_text(suite_tables.narrow(STORED, section, lambda file: FURTHER))

    def test_command_machine_and_commit_are_shown(self):
        text = " ".join(self.text("cubic_root").split())
        for part in ("`graze bench --count 1`", "2001-02-03", "commit abc1234", "Abacus", "load 0.5", "BEADS", "cc 1"):
            self.assertIn(part, text)

    def test_groups_have_the_sums_of_their_sets_and_the_mean_time(self):
        lines = self.text("cubic_root").splitlines()
        self.assertIn("| random | vertex-face | 10 | 7 | 0 | 0 | 0 | 0 | 100 ns |", lines)
        self.assertIn("| 2 degenerate families | vertex-face | 40 | 14 | 0 | 2 | 3 | 0 | 400 ns |", lines)
        self.assertIn("| query sets of [Wang 2021] | vertex-face | 4 | 7 | 0 | 0 | 0 | 0 | 2.50 us |", lines)

    def test_families_are_those_with_an_error(self):
        lines = [line for line in self.text("cubic_root.families").splitlines() if "vertex-face" in line]
        self.assertEqual([line.split(" | ")[0] for line in lines], ["| static", "| parallel"])

    def test_times_have_three_digits(self):
        self.assertEqual([suite_tables.time(ns) for ns in (1.234, 12.34, 123.4, 999.6, 1234.5, 2.5e6, 3e9)],
                         ["1.23 ns", "12.3 ns", "123 ns", "1.00 us", "1.23 us", "2.50 ms", "3.00 s"])

    def test_stored_numbers_have_four_digits(self):
        self.assertEqual(measure.rounded({"a": [1.23456, 7], "b": 123456.0}), {"a": [1.235, 7], "b": 123500.0})

    def test_stored_text_is_the_result(self):
        self.assertEqual(json.loads(measure.text_of(STORED)), STORED)

    def test_every_measured_file_has_a_view_and_its_sections(self):
        for name in measure.COMMANDS:
            self.assertTrue(name in suite_tables.FURTHER or set(suite_tables.SECTIONS.get(name, [])), name)
            file = ROOT / f"bench/results/{name}.json"
            if file.exists() and name in suite_tables.VIEWS:
                for section in suite_tables.SECTIONS[name]:
                    with self.subTest(name=name, section=section):
                        text = inclusions.section_text(suite_tables.VIEWS[name](json.loads(file.read_text()), section))
                        self.assertIn("commit", text)
                        self.assertGreater(text.count("\n|"), 2)


if __name__ == "__main__":
    unittest.main()
