"""A step of a mesh of which each rank of MPI has a part.

The functions are collective: every rank of the communicator, one of mpi4py, calls them with its part and the
same options. Vertices and faces are numbered through the ranks: those of rank 0 come first. Faces and edges
name vertices by these numbers. Needs a build of graze with MPI, and mpi4py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._results import StepImpact, step_impact_of

try:
    from . import _mpi  # type: ignore[attr-defined]
except ImportError:
    _mpi = None


def _call(name: str, comm: Any, faces: Any, x0: Any, x1: Any, edges: Any, t_max: float, min_separation: float,
          at_start: str, start_check: bool, threads: int) -> Any:  # fmt: skip
    if _mpi is None:
        raise RuntimeError("this build of graze has no MPI; build it where libopenmpi-dev is installed")
    if at_start not in ("report", "skip"):
        raise ValueError(f"at_start: expected 'report' or 'skip', got {at_start!r}")
    rods = np.empty((0, 2), np.uint32) if edges is None else edges
    return getattr(_mpi, name)(comm.py2f(), x0, x1, faces, rods, t_max, min_separation, at_start == "skip",
                               start_check, threads)  # fmt: skip


def earliest_impact(comm: Any, faces: Any, x0: Any, x1: Any, *, edges: Any = None, t_max: float = 1.0,
                    min_separation: float = 0.0, at_start: str = "report", start_check: bool = True,
                    threads: int = 1) -> StepImpact:  # fmt: skip
    """Returns the first impact of the whole mesh, the same on every rank and with the bits of
    graze.earliest_impact() for the whole mesh."""
    return step_impact_of(
        _call("earliest_impact", comm, faces, x0, x1, edges, t_max, min_separation, at_start, start_check, threads)
    )


def all_impacts(comm: Any, faces: Any, x0: Any, x1: Any, *, edges: Any = None, t_max: float = 1.0,
                min_separation: float = 0.0, at_start: str = "report", start_check: bool = True,
                threads: int = 1) -> tuple[StepImpact, list[StepImpact], int]:  # fmt: skip
    """Returns the first impact of the whole mesh, this rank's part of all impacts and the number of contacts of
    all ranks. The parts, in the order of the ranks, are sorted as graze.all_impacts() is. The points of this
    part are NaN."""
    first, mine, contacts = _call(
        "all_impacts", comm, faces, x0, x1, edges, t_max, min_separation, at_start, start_check, threads
    )
    return step_impact_of(first), [step_impact_of(found) for found in mine], contacts
