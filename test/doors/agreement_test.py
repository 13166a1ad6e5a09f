"""All interfaces (doors) give one answer: the C++ library, the command, Python, WebAssembly, the GPU's host twin, MPI.

Usage: agreement_test.py DOOR GRAZE [--mpi GRAZE-MPI] [--python FOLDER] [--wasm FOLDER]

Each row of DOORS answers the same inputs (written by `DOOR inputs`: queries of every family, and steps) into a
folder of its own. Every number of every answer must have the bits of the library's answer, and the library's first
contacts of the queries must be those of the oracle. A door that was not built is left out, with a message.
"""

import argparse
import csv
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = ("vertex-face", "edge-edge")
# Amount of work, which depends on the door, and a field that the default method never sets.
NO_ANSWER = ("checks", "reached_tol")


class Absent(Exception):
    """The door was not built; the message names what is missing."""


def run(*command, codes=(0,), **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False)
    if done.returncode not in codes:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def steps(folder):
    return [line.split() for line in (folder / "steps.txt").read_text().splitlines()]


def through_library(built, folder, answers):
    run(built.door, "library", folder, answers)


def through_gpu_twin(built, folder, answers):
    run(built.door, "gpu", folder, answers)


def through_command(built, folder, answers, program=None):
    program = program or [built.graze]
    for kind in KINDS:
        run(*program, "query", folder / f"{kind}.npy", "--out", answers / f"{kind}.csv")
    for name, separation in steps(folder):
        found = run(*program, "step", folder / f"{name}-0.ply", folder / f"{name}-1.ply", "--min-separation", separation,
                    "--all", answers / f"{name}.csv", "--json", codes=(0, 1))
        (answers / f"{name}.json").write_text(found)


def through_mpi(built, folder, answers):
    if not built.mpi or not Path(built.mpi).exists():
        raise Absent("graze-mpi is not built here; scripts/setup mpi installs what it needs")
    through_command(built, folder, answers, [HERE.parents[1] / "scripts/mpirun", 3, built.mpi])


def through_python(built, folder, answers):
    if not built.python or not Path(built.python, "graze").is_dir():
        raise Absent("the Python package is not built here; it needs pybind11")
    run(sys.executable, HERE / "python_door.py", folder, answers, PYTHONPATH=built.python, PYTHONDONTWRITEBYTECODE="1")


def through_wasm(built, folder, answers):
    if not built.wasm or not Path(built.wasm, "graze.js").exists():
        raise Absent("the package for browsers is not built here; scripts/test_wasm builds it")
    node = os.environ.get("GRAZE_NODE", "node")
    if not shutil.which(node):
        raise Absent("Node.js is not installed")
    run(node, HERE / "wasm_door.mjs", built.wasm, folder, answers)


# The first row is the reference.
DOORS = {
    "C++ library": through_library,
    "command": through_command,
    "Python": through_python,
    "WebAssembly": through_wasm,
    "GPU's host twin": through_gpu_twin,
    "MPI, 3 ranks": through_mpi,
}
# Contact times, closest points and certificates are functions of these interfaces; the others do not have them for
# files of queries.
WITH_EXACT_ANSWERS = ("C++ library", "Python", "WebAssembly")


def bits(text):
    """Returns a number as its bits, with one NaN; other text unchanged."""
    try:
        number = float(text or "nan")
    except ValueError:
        return text
    return "nan" if math.isnan(number) else struct.pack("<d", number)


def rows(file):
    with open(file, newline="") as lines:
        return [{name: bits(value) for name, value in row.items() if name not in NO_ANSWER}
                for row in csv.DictReader(lines)]


def compare(name, file, expected, found):
    """Checks that every column that the door gives has the bits of the reference."""
    assert len(expected) == len(found), f"{name}: {file}: {len(found)} rows, the library has {len(expected)}"
    for index, (one, other) in enumerate(zip(expected, found)):
        differ = [column for column in other if other[column] != one[column]]
        assert not differ, f"{name}: {file}: row {index} differs in {', '.join(differ)}"


def first_of(file):
    answer = json.loads(file.read_text())
    # JSON has no infinity: the command writes null.
    toi = answer["toi"]
    return answer["verdict"], bits(str(math.inf if toi is None else toi))


def check_door(name, folder, reference, answers):
    """Compares the answers of a door with the reference. Returns the number of compared rows."""
    compared = 0
    files = [f"{kind}.csv" for kind in KINDS] + [f"{step}.csv" for step, _ in steps(folder)]
    if name in WITH_EXACT_ANSWERS:
        files += [f"{kind}-exact.csv" for kind in KINDS]
    for file in files:
        expected, found = rows(reference / file), rows(answers / file)
        compare(name, file, expected, found)
        compared += len(found)
    for step, _ in steps(folder):
        assert first_of(reference / f"{step}.json") == first_of(answers / f"{step}.json"), f"{name}: first impact of {step}"
    return compared


def check_reference(built, folder, reference):
    """Checks that the library's answers are those of the oracle, and that they are of all kinds."""
    for kind in KINDS:
        truth = reference / f"oracle-{kind}.csv"
        run(built.graze, "query", folder / f"{kind}.npy", "--method", "oracle", "--out", truth)
        found = rows(reference / f"{kind}.csv")
        assert len(found) == len(rows(truth)) > 300
        for index, (one, other) in enumerate(zip(rows(truth), found)):
            assert (one["verdict"], one["toi"]) == (other["verdict"], other["toi"]), f"{kind} {index}: not the oracle's answer"
        verdicts = [row["verdict"] for row in found]
        assert verdicts.count("contact") > len(found) / 5 and verdicts.count("separated") > len(found) / 5
        assert verdicts[-1] == "invalid"
        answers = rows(reference / f"{kind}-exact.csv")
        certified = sum(row["answer"] == "certificate" and row["value"] == "separated" for row in answers)
        assert certified > len(found) / 5 and len(answers) > 20 * len(found), (certified, len(answers))
    verdicts = {name: first_of(reference / f"{name}.json")[0] for name, _ in steps(folder)}
    assert verdicts["free"] == "separated" and verdicts["contact"] == verdicts["pierced"] == "contact", verdicts
    kinds = {row["kind"] for name, _ in steps(folder) for row in rows(reference / f"{name}.csv")}
    assert kinds == {"vertex-face", "edge-edge", "vertex-edge", "vertex-vertex", "edge-face"}, kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("door")
    parser.add_argument("graze")
    parser.add_argument("--mpi")
    parser.add_argument("--python")
    parser.add_argument("--wasm")
    built = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "inputs")
        run(built.door, "inputs", folder)
        reference = None
        for index, (name, answer) in enumerate(DOORS.items()):
            answers = Path(scratch, f"door-{index}")
            answers.mkdir()
            try:
                answer(built, folder, answers)
            except Absent as absent:
                print(f"{name}: left out: {absent}")
                continue
            if reference is None:
                reference = answers
                check_reference(built, folder, reference)
            print(f"{name}: {check_door(name, folder, reference, answers):,} rows agree")


if __name__ == "__main__":
    main()
