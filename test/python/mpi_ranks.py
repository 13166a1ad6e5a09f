"""Compares graze.mpi with graze on the ranks that this program is started with (mpi_test.py)."""

import sys

import graze
import graze.mpi
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rng = np.random.default_rng(1)
contacts = 0
for _ in range(20):
    vertices, triangles = 60, 40
    x0 = rng.uniform(-1, 1, (vertices, 3))
    x1 = x0 + rng.uniform(-0.5, 0.5, (vertices, 3))
    faces = rng.permuted(np.tile(np.arange(vertices), (triangles, 1)), axis=1)[:, :3].astype(np.uint32)
    rods = np.array([[0, 1], [5, 9]], np.uint32)
    mine = [np.array_split(array, comm.size)[comm.rank] for array in (faces, x0, x1, rods)]
    *mine, my_rods = mine
    for options in ({}, {"min_separation": 0.01}, {"start_check": False}):
        first = graze.mpi.earliest_impact(comm, *mine, edges=my_rods, **options)
        of_all, part, count = graze.mpi.all_impacts(comm, *mine, edges=my_rods, **options)
        parts = comm.gather(part)
        if comm.rank > 0:
            continue
        expected = graze.earliest_impact(faces, x0, x1, edges=rods, **options)
        rows = graze.all_impacts(faces, x0, x1, edges=rods, **options)
        for found in (first, of_all):
            assert found.verdict is expected.verdict and found.toi == expected.toi, (found, expected)
            assert (found.kind, found.pair) == (expected.kind, expected.pair), (found, expected)
            assert np.array_equal(found.point, expected.point, equal_nan=True)
        impacts = [found for part in parts for found in part]
        assert [(i.kind, *i.pair, i.toi, i.toi_hi) for i in impacts] == [
            (graze.Kind(int(r["kind"])), r["a"], r["b"], r["toi"], r["toi_hi"]) for r in rows
        ]
        assert count == len(impacts)
        contacts += count
try:
    graze.mpi.earliest_impact(comm, faces[:, :2], x0, x1)
    sys.exit("faces of two columns were accepted")
except ValueError:
    pass
if comm.rank == 0:
    assert contacts > 1000
    print(f"{contacts} contacts agree on {comm.size} ranks")
