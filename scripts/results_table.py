#!/usr/bin/env python3
"""Prints the table of results in README.md from a report of the benchmark.

Usage: graze bench --out FOLDER, then scripts/results_table.py FOLDER/results.json. Times are means over
the queries of the sets, counts are sums over all sets.
"""

import json
import sys

SIMULATION = ("simulation_like", "golf", "torus")
METHODS = {
    "exact": "exact",
    "safe_cubic": "conservative",
    "bernstein_sign": "conservative",
    "area_inclusion": "conservative",
    "additive_advancement": "conservative",
    "tight_inclusion": "conservative",
    "root_parity": "heuristic",
    "cubic_root": "heuristic",
}
COUNTS = ("false_negatives", "late", "false_positives", "undecided", "queries")
HEADER = ("method", "guarantee", "missed", "late", "false alarms", "undecided", "queries",
          "simulation, ns", "random, ns", "degenerate, ns")


def group(row):
    if row["set"] in SIMULATION:
        return "simulation"
    return "random" if row["set"] == "random" else "degenerate"


def mean_time(rows):
    queries = sum(row["queries"] for row in rows)
    if queries == 0:
        return "-"
    return f"{sum(row['ns_per_query'] * row['queries'] for row in rows) / queries:,.0f}"


def lines(results):
    """Returns the cells of the table, one list for each method."""
    result = []
    for method, guarantee in METHODS.items():
        rows = [row for row in results["rows"] if row["method"] == method]
        times = [mean_time([row for row in rows if group(row) == name])
                 for name in ("simulation", "random", "degenerate")]
        counts = [f"{sum(row[count] for row in rows):,}" for count in COUNTS]
        result.append([f"`{method}`", guarantee, *counts, *times])
    return result


def table(results):
    head = ["| " + " | ".join(HEADER) + " |", "|---|---|" + "---:|" * (len(HEADER) - 2)]
    return "\n".join(head + ["| " + " | ".join(cells) + " |" for cells in lines(results)])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        print(table(json.load(file)))


if __name__ == "__main__":
    main()
