"""The package and the command give the same bits: generated queries, steps, shared scenes.

GRAZE_TEST_SCALE > 1 draws that many times more queries, of all families, and reads all scenes of
GRAZE_DATA (scripts/soak python).
"""

import csv
import os
import pathlib

import graze
import numpy as np
import pytest

SCALE = float(os.environ.get("GRAZE_TEST_SCALE", 1))
COLUMNS = ("toi", "toi_hi", "u", "v", "nx", "ny", "nz")
# The rows of a vertex-face query that make a query of each kind, in a file and in an array.
EIGHT = {"vertex-edge": (0, 1, 2, 2, 4, 5, 6, 6), "vertex-vertex": (0, 1, 1, 1, 4, 5, 5, 5)}
CORNERS = {"vertex-edge": (0, 1, 2, 4, 5, 6), "vertex-vertex": (0, 1, 4, 5)}


def read_csv(file):
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))


def bits(values):
    """Returns the bits of doubles, with one NaN."""
    values = np.asarray(values, "f8")
    return np.where(np.isnan(values), np.nan, values).view("u8")


def assert_same_bits(found, rows):
    for name in COLUMNS:
        expected = [float(row[name]) if row[name] else np.nan for row in rows]
        assert np.array_equal(bits(found[name]), bits(expected)), name


@pytest.fixture(scope="module")
def families(command):
    table = [line.split()[:2] for line in command("generate", "list").splitlines()]
    names = [name for name, position in table if position in ("generic", "degenerate")]
    assert len(names) > 30
    return names if SCALE > 1 else ["random", "near_ulp", "coplanar", "huge_1e300"]


@pytest.mark.parametrize("kind", ["vertex-face", "edge-edge", *CORNERS])
def test_queries_have_the_bits_of_the_command(command, families, tmp_path, kind):
    names = ("drawn.npy", "queries.npy", "answers.npy", "answers.csv")
    drawn, file, records, text = (tmp_path / name for name in names)
    count = int(1000 * SCALE)
    for family in families:
        drawn_kind = "edge-edge" if kind == "edge-edge" else "vertex-face"
        command("generate", family, "--kind", drawn_kind, "--count", count, "--out", drawn)
        queries = graze.read_queries(drawn).queries
        graze.write_queries(file, queries[:, EIGHT.get(kind, range(8))])
        found = graze.first_contact(queries[:, CORNERS.get(kind, range(8))], kind)
        command("query", file, "--kind", kind, "--out", records)
        answers = np.load(records)
        assert len(found) == len(answers) == count
        assert np.array_equal(found["verdict"], answers["verdict"]), family
        assert np.array_equal(found["contact"], answers["kind"]), family
        for name in COLUMNS:
            assert np.array_equal(bits(found[name]), bits(answers[name])), (family, name)
        if SCALE > 1:  # a million rows of text take minutes
            continue
        command("query", file, "--kind", kind, "--out", text)
        rows = read_csv(text)
        assert [graze.Verdict(v).name for v in found["verdict"]] == [r["verdict"] for r in rows]
        assert [graze.ContactKind(c).name for c in found["contact"]] == [r["kind"] for r in rows]
        assert_same_bits(found, rows)


def check_step(command, folder, frames, mesh, x0, x1, separation):
    """Compares all impacts of a step, and returns their number."""
    out = folder / "all.csv"
    command("step", *frames, "--all", out, "--min-separation", separation)
    rows = read_csv(out)
    hits = graze.all_impacts(mesh, x0, x1, min_separation=separation)
    offset = {"vertex": 0, "edge": mesh.vertex_count, "face": mesh.vertex_count + len(mesh.edges)}
    kinds = [graze.Kind(kind).name for kind in hits["kind"]]
    assert [row["kind"] for row in rows] == [kind.replace("_", "-") for kind in kinds]
    for k, column in enumerate("ab"):
        expected = [i + offset[kind.split("_")[k]] for i, kind in zip(hits[column].tolist(), kinds)]
        assert [int(row[column]) for row in rows] == expected
    assert_same_bits(np.asarray(hits), rows)
    first = graze.earliest_impact(mesh, x0, x1, min_separation=separation)
    assert first.toi == hits.first_toi
    if len(hits):
        assert first.pair == (hits["a"][0], hits["b"][0]) and first.toi == hits["toi"][0]
    return len(hits)


@pytest.mark.parametrize("separation", [0, 1e-3])
def test_a_step_has_the_bits_of_the_command(command, tmp_path, cloth, separation):
    faces, x0, x1 = cloth
    frames = tmp_path / "0.ply", tmp_path / "1.ply"
    for file, positions in zip(frames, (x0, x1)):
        graze.write_mesh(file, positions, faces)
    mesh = graze.Mesh(len(x0), faces)
    assert check_step(command, tmp_path, frames, mesh, x0, x1, separation) > 100


@pytest.mark.parametrize("scene", ["cloth-ball", "cloth-funnel", "armadillo-rollers"])
def test_shared_scenes_have_the_bits_of_the_command(command, tmp_path, scene):
    data = os.environ.get("GRAZE_DATA")
    if not data:
        pytest.skip("GRAZE_DATA does not name the folder of real data")
    if SCALE <= 1 and scene != "cloth-ball":
        pytest.skip("only with GRAZE_TEST_SCALE > 1")
    frames = sorted((pathlib.Path(data) / "scenes" / scene / "frames").glob("*.ply"))
    (mesh, x0), (_, x1) = map(graze.read_mesh, frames)
    check_step(command, tmp_path, frames, mesh, x0, x1, 0)
