"""Compares the Python package with the command: time per call, batches, a step, threads, memory.

Usage: compare.py COMMAND [ROUNDS], with the package in PYTHONPATH; GRAZE_DATA names the real data. The
package and the command take turns; a ratio is that of the least times of ROUNDS turns (default 9). The times
of the command are those that it reports for the work without reading files. All run on one thread
except the last part.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import graze
import numpy as np


def best_of(function, calls=200, rounds=100):
    """Returns the least time per call in microseconds."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - begin) / calls)
    return best * 1e6


def seconds(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def overhead():
    """Prints the times of small calls. A call without work shows the overhead alone."""
    apart = np.random.default_rng(1).random((8, 3))
    apart[(0, 4), :] += 9
    queries, positions, mesh = np.zeros((0, 8, 3)), np.zeros((0, 3)), graze.Mesh(0)
    calls = {
        "first_contact of nothing": lambda: graze.first_contact(queries),
        "first_contact of one query": lambda: graze.first_contact(apart),
        "earliest_impact of nothing": lambda: graze.earliest_impact(mesh, positions, positions),
    }
    for name, call in calls.items():
        print(f"{name:30}{best_of(call):8.2f} us")


def turns(name, package, command, rounds):
    """Prints the least times of both and their ratio."""
    times = [(package(), command()) for _ in range(rounds)]
    mine, other = (min(column) for column in zip(*times))
    print(f"{name:30}{mine:8.3f} s, the command {other:8.3f} s, ratio {mine / other:.3f}")


def main(program, rounds):
    def command(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)
        return json.loads(done.stdout)["seconds"]

    overhead()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "million.npy"
        generate = ["generate", "simulation_like", "--kind", "vertex-face", "--count", "1000000"]
        subprocess.run([program, *generate, "--out", file], check=True, capture_output=True)
        queries = np.load(file)
        turns(
            "1,000,000 queries",
            lambda: seconds(lambda: graze.first_contact(queries, threads=1)),
            lambda: command("query", file, "--kind", "vertex-face", "--threads", 1, "--json")["solve"],
            rounds,
        )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers = graze.first_contact(queries, threads=1, strict=True)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"peak memory of this batch grew by {grown:.0f} MB; "
          f"queries {queries.nbytes / 2**20:.0f} MB, answers {answers.nbytes / 2**20:.0f} MB")

    frames = sorted(pathlib.Path(os.environ["GRAZE_DATA"], "scenes/cloth-ball/frames").glob("*.ply"))
    (mesh, x0), (_, x1) = map(graze.read_mesh, frames)

    def step():
        found = command("step", *frames, "--threads", 1, "--json")
        return found["broad"] + found["narrow"]

    turns(
        "all impacts of cloth-ball",
        lambda: seconds(lambda: graze.all_impacts(mesh, x0, x1, threads=1)),
        step, rounds,
    )  # fmt: skip

    part = queries[:200_000]
    alone = eight = float("inf")
    with ThreadPoolExecutor(8) as pool:
        for _ in range(rounds):
            calls = range(8)
            answer = lambda _: graze.first_contact(part, threads=1)  # noqa: E731
            alone = min(alone, seconds(lambda: [answer(i) for i in calls]))
            begin = time.perf_counter()
            work = list(pool.map(answer, calls))
            eight = min(eight, time.perf_counter() - begin)
    same = all(answer.tobytes() == work[0].tobytes() for answer in work)
    print(f"8 calls: {alone:.3f} s one after the other, {eight:.3f} s in 8 threads on {os.cpu_count()} "
          f"cores, {alone / eight:.2f} times faster; same answers: {same}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9)
