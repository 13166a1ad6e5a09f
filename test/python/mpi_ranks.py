"""Compares graze.mpi with graze on the ranks that this program is started with (mpi_test.py)."""

import doctest
import os
import signal
import sys
import threading
import time

import graze
import graze.mpi
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rng = np.random.default_rng(1)
vertices, triangles = 60, 40
groups = np.arange(vertices) % 3
contacts = 0
# Each set of options is tested on one mesh only: on a busy machine ranks wait for each other at each message.
for options in ({}, {"min_separation": 0.01}, {"start_check": False}, {"method": "tight_inclusion"},
                {"groups": groups, "within_group": False}, {"t_max": 0.5}):  # fmt: skip
    x0 = rng.uniform(-1, 1, (vertices, 3))
    x1 = x0 + rng.uniform(-0.5, 0.5, (vertices, 3))
    faces = rng.permuted(np.tile(np.arange(vertices), (triangles, 1)), axis=1)[:, :3].astype(np.uint32)
    rods = np.array([[0, 1], [5, 9]], np.uint32)
    mine = [np.array_split(array, comm.size)[comm.rank] for array in (faces, x0, x1, rods)]
    *mine, my_rods = mine
    own = {"threads": 1, **options}
    if "groups" in options:
        own["groups"] = np.array_split(groups, comm.size)[comm.rank]
    first = graze.mpi.earliest_impact(comm, *mine, edges=my_rods, **own)
    of_all, part, count = graze.mpi.all_impacts(comm, *mine, edges=my_rods, **own)
    assert part.verdict is of_all.verdict and part.complete
    parts = comm.gather(part)
    if comm.rank > 0:
        continue
    expected = graze.earliest_impact(faces, x0, x1, edges=rods, **options)
    rows = graze.all_impacts(faces, x0, x1, edges=rods, **options)
    for found in (first, of_all):
        assert found.verdict is expected.verdict and found.toi == expected.toi, (found, expected)
        assert (found.kind, found.pair) == (expected.kind, expected.pair), (found, expected)
        assert np.array_equal(found.point, expected.point, equal_nan=True)
    impacts = np.concatenate([np.asarray(part) for part in parts])
    for field in rows.dtype.names[:-5]:  # without points, contact and checks
        assert impacts[field].tobytes() == np.asarray(rows)[field].tobytes(), field
    assert count == (impacts["verdict"] == graze.Verdict.contact).sum()
    contacts += count


def fails(error, *arguments, **options):
    """Expects an error on the last rank, whose arguments these are, and an end on all others."""
    given = arguments if comm.rank == comm.size - 1 else mine
    try:
        graze.mpi.earliest_impact(comm, *given, **options)
    except error:
        assert comm.rank == comm.size - 1
    except RuntimeError as other:
        assert comm.rank < comm.size - 1 and "another rank" in str(other)
    else:
        sys.exit(f"{error.__name__} was expected")


wrong = np.array([[0, 1, vertices]])
fails(ValueError, wrong[:, :2], *mine[1:])
fails(ValueError, wrong, *mine[1:])
fails(ValueError, -wrong, *mine[1:])
fails(TypeError, wrong.astype(float), *mine[1:])
fails(ValueError, mine[0], mine[1], mine[2][1:])
for name, value, error in (("admits", lambda *pair: True, ValueError), ("method", "none", ValueError)):
    try:
        graze.mpi.earliest_impact(comm, *mine, **{name: value})
        sys.exit(f"{name} was accepted")
    except error:
        pass
try:
    graze.mpi.earliest_impact(3, *mine)
    sys.exit("a number was accepted as a communicator")
except TypeError:
    pass
# Ctrl-C on the last rank ends a query that takes a minute on the first one.
triangle = np.array([[0, 0, 0], [1, 1, -2], [1, -1, 0.0]])
path = np.array([[0.1, -0.05, -0.05], [0.9, -0.45, -0.45]]) + 1e-9
of_first = [[0, 1, 2]], np.vstack([triangle, path[:1]]), np.vstack([triangle, path[1:]])
none = None, np.zeros((0, 3)), np.zeros((0, 3))
is_last = comm.rank == comm.size - 1
if is_last:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    found = graze.mpi.earliest_impact(comm, *(none if comm.rank > 0 else of_first), method="tight_inclusion",
                                      distance_tol=1e-13, max_checks=0)
    assert not is_last and found.verdict is graze.Verdict.undecided
except KeyboardInterrupt:
    assert is_last
assert time.monotonic() - begin < 20
examples = doctest.testmod(graze.mpi)
assert examples.attempted > 10 and examples.failed == 0
if comm.rank == 0:
    assert contacts > 1000
    print(f"{contacts} contacts agree on {comm.size} ranks")
