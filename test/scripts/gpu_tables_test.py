#!/usr/bin/env python3
"""Tables of docs/gpu.md show the results of several runs of gpu_times, which bench/python/gpu_merge.py joins."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import gpu_tables  # noqa: E402


def run(date, *rows, threads=16, **changes):
    """Returns the results of a run with a row for each of these numbers of triangles."""
    return {"date": date, "gpu": "GPU", "host_threads": threads, "commit": "c" + date, "repeats": 3,
            "rows": [{"scene": f"cone {n}", "triangles": n, "earliest_resident_us": n / 10, "replays": 1, "wrong_answers": 0,
                      **changes} for n in rows]}


class GpuTables(unittest.TestCase):
    def merge(self, stored, new):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("stored.json", "new.json")]
            for file, results in zip(files, (stored, new)):
                file.write_text(json.dumps(results))
            done = subprocess.run([sys.executable, "-B", ROOT / "bench/python/gpu_merge.py", *files],
                                  capture_output=True, text=True)  # fmt: skip
            return json.loads(files[0].read_text()), done.stderr

    def test_a_new_row_replaces_the_one_of_its_scene_and_the_others_keep_their_date(self):
        results, error = self.merge(run("d1", 10, 20, 30), run("d2", 20, 10, earliest_resident_new_start_us=7))
        self.assertEqual(error, "")
        self.assertEqual((results["date"], results["commit"]), ("d2", "cd2"))
        self.assertEqual([(row["scene"], row.get("date"), row.get("commit")) for row in results["rows"]],
                         [("cone 20", None, None), ("cone 10", None, None), ("cone 30", "d1", "cd1")])
        results, _ = self.merge(results, run("d3", 20))
        self.assertEqual([row.get("date") for row in results["rows"]], [None, "d2", "d1"])

    def test_runs_of_other_machines_and_wrong_answers_are_not_stored(self):
        stored = run("d1", 10)
        for new in (run("d2", 10, threads=8), run("d2", 10, wrong_answers=1)):
            results, error = self.merge(stored, new)
            self.assertEqual(results, stored)
            self.assertIn("gpu_merge.py: ", error)

    def test_the_table_names_the_date_of_older_rows_and_leaves_their_new_columns_empty(self):
        results, _ = self.merge(run("d1", 10, 3000), run("d2", 10, earliest_resident_new_start_us=7))
        table = gpu_tables.steps(results)
        self.assertIn("d2.", table)
        self.assertIn("The row with 3,000 triangles is of d1.", table.replace("\n", " "))
        rows = table.splitlines()[-2:]
        self.assertEqual(rows[0], "| cone | 10 | 1 us | 7 us | 1 | 0 |")
        self.assertEqual(rows[1], "| cone | 3,000 | 300 us |  | 1 | 0 |")


if __name__ == "__main__":
    unittest.main()
