"""Tables of docs/scale.md show the results that scripts/mpi_scale writes."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import inclusions  # noqa: E402
import mpi_tables  # noqa: E402


def runs(name, first, second):
    """Returns the rows of runs with these wall times on 1 and on 2 ranks, the last turn first."""
    rows = [{"run": name, "what": f"a {name}", "ranks": ranks, "turn": turn, "wall_seconds": seconds}
            for ranks, times in ((1, first), (2, second)) for turn, seconds in enumerate(times, 1)]
    return rows[::-1]


STORED = {
    "date": "2001-02-03", "cores": 2, "cpu": "Abacus", "commit": "abc1234", "mpi": "mpirun 9", "threads_per_rank": 1,
    "runs": [*runs("step", [4, 4, 9], [2, 1, 3]), *runs("query", [1.25], [1])],
    "memory": [{"program": "graze step", "ranks": 1, "triangles": 16000, "peak_mib": 4000.4},
               {"program": "graze-mpi", "ranks": 4, "triangles": 16000, "peak_mib": 1000.1}],
}  # fmt: skip


class TwoRanks(unittest.TestCase):
    def test_every_wall_time_is_shown_in_the_order_of_the_turns(self):
        lines = mpi_tables.two_ranks(STORED).splitlines()
        self.assertIn("| a step | 4.00, 4.00, 9.00 | 2.00, 1.00, 3.00 | 3.00x |", lines)  # ratios 2, 4 and 3
        self.assertIn("| a query | 1.25 | 1.00 | 1.25x |", lines)

    def test_the_machine_the_commit_and_the_memory_are_shown(self):
        text = " ".join(mpi_tables.two_ranks(STORED).split())
        for part in ("2001-02-03", "commit abc1234", "2 cores of Abacus", "mpirun 9", "16,000 triangles",
                     "`graze step` needs 4,000 MiB", "4 ranks at most 1,000 MiB, 0.250 of that"):
            self.assertIn(part, text)

    def test_a_turn_without_its_partner_is_an_error(self):
        with self.assertRaises(ValueError):
            mpi_tables.two_ranks(STORED | {"runs": runs("step", [1, 2], [1])})

    def test_the_section_of_the_page_is_made_of_the_runs(self):
        self.assertEqual(inclusions.VIEWS["scale", "two_ranks"], mpi_tables.two_ranks)


if __name__ == "__main__":
    unittest.main()
