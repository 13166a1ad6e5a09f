"""Compares the Python package with the command: time per call, batches, a step, faces, threads, memory.

Usage: compare.py COMMAND [--rounds N] [--parts NAME,...] [--out FILE.json]

The package is in PYTHONPATH; GRAZE_DATA names the real data. Parts: calls, million, step, faces, threads
(default: all). The package and the command take turns; a ratio is that of the least times of N turns
(default 9). The times of the command are those that it reports for the whole call without reading files.
All parts but the last run on one thread; `threads` needs idle cores. FILE.json receives the results of these
parts and keeps those of others (bench/results/python.json; then scripts/inclusions.py --write).
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import graze
import numpy as np

PARTS = ("calls", "million", "step", "faces", "threads")


def seconds(function, clock=time.perf_counter):
    """Returns the time of a call without that of freeing its result, as the command reports it."""
    begin = clock()
    result = function()
    elapsed = clock() - begin
    del result
    return elapsed


def best_of(function, calls=200, rounds=100):
    """Returns the least time per call in microseconds."""
    return min(seconds(lambda: [function() for _ in range(calls)]) for _ in range(rounds)) / calls * 1e6


def command(program, *arguments):
    """Returns the times that the command reports, in seconds."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)
    return json.loads(done.stdout)["seconds"]


def turns(package, other, rounds):
    """Returns the least times of both, in seconds, and their ratio."""
    times = [(seconds(package), other()) for _ in range(rounds)]
    mine, theirs = (min(column) for column in zip(*times))
    return {"package_seconds": mine, "command_seconds": theirs, "ratio": mine / theirs}


def calls(program, rounds):
    """Small calls. A call without work shows the overhead alone."""
    apart = np.random.default_rng(1).random((8, 3))
    apart[(0, 4), :] += 9
    queries, positions, mesh = np.zeros((0, 8, 3)), np.zeros((0, 3)), graze.Mesh(0)
    return {
        "first_contact_of_nothing_us": best_of(lambda: graze.first_contact(queries)),
        "first_contact_of_one_query_us": best_of(lambda: graze.first_contact(apart)),
        "earliest_impact_of_nothing_us": best_of(lambda: graze.earliest_impact(mesh, positions, positions)),
        "earliest_impact_with_an_option_us": best_of(lambda: graze.earliest_impact(mesh, positions, positions, threads=1)),
    }


def draw(program, count, folder):
    """Writes vertex-face queries as they occur in simulations, and returns the file."""
    file = pathlib.Path(folder) / "queries.npy"
    generate = ["generate", "simulation_like", "--kind", "vertex-face", "--count", str(count)]
    subprocess.run([program, *generate, "--out", file], check=True, capture_output=True)
    return file


def million(program, rounds):
    """A batch of 1,000,000 queries, and the memory that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        file = draw(program, 1_000_000, folder)
        queries = np.load(file)
        query = ("query", file, "--kind", "vertex-face", "--threads", 1, "--json")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answers = graze.first_contact(queries, threads=1, strict=True)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        found = turns(
            lambda: graze.first_contact(queries, threads=1), lambda: command(program, *query)["solve"], rounds
        )
    sizes = {"queries_mib": queries.nbytes / 2**20, "answers_mib": answers.nbytes / 2**20}
    return {**found, "peak_memory_grew_by_mib": grown / 1024, **sizes}


def frames():
    return sorted(pathlib.Path(os.environ["GRAZE_DATA"], "scenes/cloth-ball/frames").glob("*.ply"))


def step(program, rounds):
    """All impacts of the step of cloth-ball."""
    (mesh, x0), (_, x1) = map(graze.read_mesh, frames())

    def other():
        found = command(program, "step", *frames(), "--threads", 1, "--json")
        return found["total"] - found["load"]

    return turns(lambda: graze.all_impacts(mesh, x0, x1, threads=1), other, rounds)


def faces(program, rounds):
    """The copy of the faces of cloth-ball beside the work that needs it: the mesh, and one search; in processor
    time. The call with a wrong index in the last row checks and copies all faces and makes no mesh."""
    (mesh, x0), (_, x1) = map(graze.read_mesh, frames())
    rows = np.array(mesh.faces, np.int32)
    wrong = rows.copy()
    wrong[-1, -1] = len(x0)

    def copied():
        try:
            graze.Mesh(len(x0), wrong)
        except ValueError:
            return
        raise AssertionError("a wrong index was accepted")

    jobs = (copied, lambda: graze.Mesh(len(x0), rows), lambda: graze.earliest_impact(rows, x0, x1, threads=1))
    copy, made, searched = (min(seconds(job, time.process_time) for _ in range(5 * rounds)) for job in jobs)
    return {
        "faces": len(rows), "copy_mib": rows.nbytes / 2**20, "copy_ms": copy * 1e3, "mesh_ms": made * 1e3,
        "first_impact_ms": searched * 1e3, "part_of_mesh": copy / made, "part_of_first_impact": copy / searched,
    }  # fmt: skip


def threads(program, rounds):
    """Eight calls, one after the other and in eight threads of Python."""
    with tempfile.TemporaryDirectory() as folder:
        part = np.load(draw(program, 200_000, folder))
    answer = lambda _: graze.first_contact(part, threads=1)  # noqa: E731
    alone = eight = float("inf")
    with ThreadPoolExecutor(8) as pool:
        for _ in range(rounds):
            alone = min(alone, seconds(lambda: [answer(i) for i in range(8)]))
            begin = time.perf_counter()
            work = list(pool.map(answer, range(8)))
            eight = min(eight, time.perf_counter() - begin)
    same = all(found.tobytes() == work[0].tobytes() for found in work)
    cores = len(os.sched_getaffinity(0))
    return {"cores": cores, "alone_seconds": alone, "eight_seconds": eight, "faster": alone / eight, "same": same}


def machine():
    """Returns what the results depend on besides the program; `commit` ends in -dirty if files were changed."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    commit = subprocess.run(describe, cwd=pathlib.Path(__file__).parent, capture_output=True, text=True).stdout
    models = [line.partition(":")[2] for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "cpu": models[0].strip() if models else platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()[0],
        "python": platform.python_version(), "numpy": np.__version__, "version": graze.__version__,
        "commit": commit.strip(), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--parts", type=lambda text: text.split(","), default=PARTS)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    if set(options.parts) - set(PARTS):
        parser.error(f"--parts: expected some of {','.join(PARTS)}")
    results = {"suite": "python"}
    if options.out and options.out.exists():
        results = json.loads(options.out.read_text())
    for name in options.parts:
        found = globals()[name](options.command, options.rounds)
        print(name, *(f"{key} {value:.4g}," for key, value in found.items()), flush=True)
        results[name] = {**found, "machine": machine()}
    if options.out:
        options.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
