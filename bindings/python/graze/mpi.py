"""A step of a mesh of which each rank of MPI has a part.

The functions are collective: every rank of the communicator, one of mpi4py, calls them with its part
and the same options. Vertices and faces are numbered through the ranks: those of rank 0 come first,
then those of rank 1. Faces and edges name vertices by these numbers, also vertices of other ranks.
Options are those of graze.earliest_impact(), without `admits`; `static`, `groups` and `masks` have a
row for each vertex of the part. Wrong arguments on one rank raise an exception on every rank, and
Ctrl-C on one rank ends the call on all. Needs a build of graze with MPI, and mpi4py.
"""

from __future__ import annotations

from typing import Any

from . import _asked
from ._results import Impacts, StepImpact, impacts_of, step_impact_of

try:
    from . import _mpi  # type: ignore[attr-defined]
except ImportError as error:  # not built, or the libraries of MPI are absent
    _mpi, _REASON = None, str(error)

__all__ = ["all_impacts", "earliest_impact"]


def _call(
    name: str, comm: Any, faces: Any, edges: Any, x0: Any, x1: Any, strict: bool, options: dict[str, Any]
) -> Any:
    if _mpi is None:
        raise RuntimeError(
            f"graze.mpi needs Open MPI, and graze built where libopenmpi-dev is installed: {_REASON}"
        )
    if not hasattr(comm, "py2f"):
        raise TypeError(f"comm: expected a communicator of mpi4py, got {comm!r}")
    if options.get("admits") is not None:
        raise ValueError("admits: a function cannot be called with the numbers of the whole mesh")
    return getattr(_mpi, name)(comm.py2f(), faces, edges, x0, x1, bool(strict), _asked(options))


def earliest_impact(
    comm: Any, faces: Any, x0: Any, x1: Any, *, edges: Any = None, strict: bool = False, **options: Any
) -> StepImpact:
    """Returns the first impact of the whole mesh, the same on every rank and with the bits of
    graze.earliest_impact() for the whole mesh.

    comm    a communicator of mpi4py
    faces   (m, 3) vertex indices of this rank's faces, or None
    x0, x1  (n, 3) positions of this rank's vertices at t = 0 and t = 1
    edges   (k, 2) rods, on any rank
    threads of the options are those of each rank; 0: all cores of its machine

    >>> import graze.mpi, numpy as np
    >>> from mpi4py import MPI
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> graze.mpi.earliest_impact(MPI.COMM_SELF, [[0, 1, 2]], x0, x1)
    <graze.StepImpact: contact at t = 0.5, vertex-face 3 and 0>
    """
    return step_impact_of(_call("earliest_impact", comm, faces, edges, x0, x1, strict, options))


def all_impacts(
    comm: Any, faces: Any, x0: Any, x1: Any, *, edges: Any = None, strict: bool = False, **options: Any
) -> tuple[StepImpact, Impacts, int]:
    """Returns the first impact of the whole mesh, this rank's part of all impacts and the number of
    contacts of all ranks. The parts, in the order of the ranks, are the rows of graze.all_impacts()
    for the whole mesh, in its order; their points are NaN. Arguments as for earliest_impact().

    >>> import graze.mpi, numpy as np
    >>> from mpi4py import MPI
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> first, mine, contacts = graze.mpi.all_impacts(MPI.COMM_SELF, [[0, 1, 2]], x0, x1)
    >>> first.toi, len(mine), contacts
    (0.5, 1, 1)
    """
    first, mine, contacts = _call("all_impacts", comm, faces, edges, x0, x1, strict, options)
    rows, verdict, toi, complete, pairs, skipped, _ = mine
    return step_impact_of(first), impacts_of(rows, verdict, toi, complete, pairs, skipped), contacts
