#!/usr/bin/env python3
"""Stores a run of gpu_times that has measured only some of the scenes.

Usage: bench/python/gpu_merge.py bench/results/gpu-NAME.json NEW.json

The file takes the rows of NEW.json. Its other rows stay, with the date and the commit of their own run.
"""

import json
import sys


def merged(stored, new):
    """Returns the results of `new` with the rows of scenes that only `stored` has at the end."""
    if (stored["gpu"], stored["host_threads"]) != (new["gpu"], new["host_threads"]):
        raise SystemExit("gpu_merge.py: the two runs are not of the same device and number of threads")
    measured = {row["scene"] for row in new["rows"]}
    origin = {"date": stored["date"], "commit": stored["commit"]}
    kept = [row if "date" in row else {**row, **origin} for row in stored["rows"] if row["scene"] not in measured]
    return {**new, "rows": new["rows"] + kept}


def text(results):
    """Returns JSON with a line for each row, as gpu_times writes it."""
    rows = ",\n".join("    " + json.dumps(row) for row in results["rows"])
    head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in results.items() if key != "rows")
    return "{\n" + head + '  "rows": [\n' + rows + "\n  ]\n}\n"


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    stored, new = (json.load(open(name, encoding="utf-8")) for name in arguments)
    results = merged(stored, new)
    wrong = [row["scene"] for row in results["rows"] if any(row[key] for key in row if key.endswith("wrong_answers"))]
    if wrong:
        raise SystemExit(f"gpu_merge.py: answers of {', '.join(wrong)} differ from those of the CPU")
    with open(arguments[0], "w", encoding="utf-8") as file:
        file.write(text(results))


if __name__ == "__main__":
    main(sys.argv[1:])
