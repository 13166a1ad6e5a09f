"""Exact continuous collision detection on NumPy arrays.

Positions are arrays of shape (n, 3), lengths in any unit. Every vertex moves on a straight line
from x0 (t = 0) to x1 (t = 1); times are fractions of the step. Faces and edges are arrays of vertex
indices.

C-contiguous float64 positions are used where they lie; float32 is widened once. Faces and edges of
int32, uint32 or int64 are checked and copied once; a Mesh keeps them for many calls. Any other array
is converted once; with strict=True it raises TypeError instead. Results own their memory.
Wrong arguments raise TypeError or ValueError. A NaN or infinite coordinate is no error: the verdict
is `invalid`. Functions release the GIL; Ctrl-C ends a search with KeyboardInterrupt, within a second.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, Union

import numpy as np

from . import _core, polyhedron, rigid, sim
from ._core import Certificate, FileError, Mesh
from ._enums import ContactKind, FaceContact, Kind, Verdict, kind_code, norm_code
from ._page import Page, has_viewer, play, record, show
from ._results import (
    Array,
    ClosestPoints,
    ContactTimes,
    Impact,
    Impacts,
    Intersections,
    MeshCheck,
    Method,
    Pairs,
    QuerySet,
    StepImpact,
    impact_of,
    impacts_of,
    step_impact_of,
)

__version__ = _core.version
__all__ = [
    "Candidates", "Certificate", "ClosestPoints", "ContactKind", "ContactTimes", "FaceContact", "FileError",
    "Impact", "Impacts", "Intersections", "Kind", "Mesh", "MeshCheck", "Method", "Page", "Pairs", "QuerySet", "StepImpact", "StepSearch", "Verdict",
    "all_impacts", "certificate", "check_mesh", "closest_points", "collision_free_stepsize", "contact_times",
    "earliest_impact", "find_candidates", "find_intersections", "find_pairs", "first_contact", "has_viewer", "methods", "play", "polyhedron",
    "read_mesh", "read_queries", "record", "rigid", "show", "sim", "strategies", "verify",
    "write_mesh", "write_queries",
]  # fmt: skip

Path = Union[str, "PathLike[str]"]


def _options(
    t_max: float = 1.0,
    min_separation: float = 0.0,
    norm: str | None = None,
    method: str | None = None,
    strategy: str | None = None,
    at_start: str = "report",
    start_check: bool = True,
    max_contacts: int = 0,
    shared_vertices: bool = False,
    static: Any = None,
    groups: Any = None,
    meets: Any = None,
    within_group: bool = True,
    masks: Any = None,
    group_pairs: Any = None,
    listed: str = "ignored",
    stray_vertices: bool = True,
    admits: Any = None,
    threads: int = 0,
    distance_tol: float = 1e-6,
    time_tol: float = 1e-9,
    max_checks: int = 1000000,
    no_zero_toi: bool = False,
) -> tuple[Any, ...]:
    if at_start not in ("report", "skip"):
        raise ValueError(f"at_start: expected 'report' or 'skip', got {at_start!r}")
    if listed not in ("ignored", "only"):
        raise ValueError(f"listed: expected 'ignored' or 'only', got {listed!r}")
    return (
        _number("t_max", t_max), _number("min_separation", min_separation), norm_code(norm),
        _name("method", method), _name("strategy", strategy), at_start == "skip",
        _integer("max_contacts", max_contacts), bool(shared_vertices), static, groups, meets,
        bool(within_group), _integer("threads", threads), bool(start_check), bool(stray_vertices),
        masks, group_pairs, listed == "only", admits, _number("distance_tol", distance_tol),
        _number("time_tol", time_tol), _integer("max_checks", max_checks, 2**32 - 1),
        bool(no_zero_toi),
    )  # fmt: skip


_FILTERS = frozenset(
    "shared_vertices stray_vertices static groups meets within_group masks group_pairs listed "
    "admits".split()
)


def _asked(options: dict[str, Any]) -> tuple[Any, ...] | None:
    return _options(**options) if options else None  # None: the defaults


def _number(name: str, value: Any) -> float:
    if type(value) is float:
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, got {value!r}") from None
    except OverflowError:
        raise ValueError(f"{name}: {value!r} is beyond the range of float64") from None


def _integer(name: str, value: Any, most: int = 2**31 - 1) -> int:
    if type(value) is int:
        number = value
    else:
        try:
            number = value.__index__()
        except (AttributeError, TypeError):
            raise TypeError(f"{name}: expected an integer, got {value!r}") from None
    if not 0 <= number <= most:
        raise ValueError(f"{name}: expected 0 to {most}, got {number}")
    return int(number)


def _name(name: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}: expected None or a name, got {value!r}")
    return value


def earliest_impact(
    faces: Any, x0: Any, x1: Any, *, edges: Any = None, strict: bool = False, **options: Any
) -> StepImpact:
    """Returns the first impact of a mesh during a step.

    faces   (m, 3) vertex indices, a Mesh, or None
    x0, x1  (n, 3) positions at t = 0 and t = 1
    edges   (k, 2) rods: edges that are no side of a face. Vertices without an edge are points.

    Options, the same for all functions of a step:
    t_max            only [0, t_max] counts, in (0, 1]
    min_separation   length >= 0: contact means a distance of at most this
    norm             of min_separation: "l2" (the default) or "linf"
    method           a name of methods(); None: the exact method
    distance_tol     length > 0: the tolerance of inclusion and interval methods
    time_tol         fraction of the step > 0: the tolerance of area_inclusion and the cubic solvers
    max_checks       budget of iterative methods for each pair, then undecided; 0: no limit
    no_zero_toi      conservative methods refine until toi > 0, unless the pair touches at the start
    strategy         a name of strategies(), the broad phase; None: the fastest
    at_start         "report": a contact at the start has toi 0; "skip": a pair in contact at the
                     start counts only after it has parted
    start_check      edges that pierce faces at the start are contacts at 0, of kind edge_face. A
                     solver whose start is free of intersections can switch this search off.
    shared_vertices  also test the vertices of rods against neighbouring rods
    static           (n,) bool: two features whose vertices are all static form no pair
    groups           (n,) integers: the group of each vertex, for example its body
    meets            (g, g) symmetric bool: which groups meet
    within_group     if False, no group meets itself
    masks            (n, 2) integers: the categories of each vertex and the categories that it
                     meets, as bits. Two vertices meet if each has a category that the other meets.
    group_pairs      (k, 2) integers: pairs of groups that do not meet, or with listed="only" the
                     only ones that meet
    listed           "ignored" or "only"
    stray_vertices   if False, a vertex of no face and no edge forms no pair
    admits           a function of a Kind and the indices of two features: the pair counts if the
                     result is true. Several threads call it; an exception ends the call.
    threads          0: all cores

    With an exact method the answer has no tolerance: no two features touch in [0, toi), and toi is
    the largest double with this property.

    >>> import graze, numpy as np
    >>> faces = np.array([[0, 1, 2]])
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> step = graze.earliest_impact(faces, x0, x1)
    >>> step
    <graze.StepImpact: contact at t = 0.5, vertex-face 3 and 0>
    >>> step.verdict is graze.Verdict.contact, step.toi, step.pair
    (True, 0.5, (3, 0))
    >>> step.normal, step.point
    (array([0., 0., 1.]), array([0.25, 0.25, 0.  ]))
    """
    return step_impact_of(
        _core.earliest_impact(faces, edges, x0, x1, bool(strict), _asked(options))
    )


def all_impacts(
    faces: Any, x0: Any, x1: Any, *, edges: Any = None, strict: bool = False, **options: Any
) -> Impacts:
    """Returns the first impact of every pair of a step as a structured array, sorted by toi.

    Arguments as for earliest_impact(), and max_contacts: the largest number of rows, 0: no limit.

    >>> import graze, numpy as np
    >>> faces = np.array([[0, 1, 2]])
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> hits = graze.all_impacts(faces, x0, x1, min_separation=0.5)
    >>> len(hits), hits["toi"][0], hits["a"][0], hits["b"][0]
    (1, 0.25, 3, 0)
    >>> hits.normals
    array([[0., 0., 1.]])
    """
    rows, verdict, toi, complete, pairs, skipped, _ = _core.all_impacts(
        faces, edges, x0, x1, bool(strict), _asked(options)
    )
    return impacts_of(rows, verdict, toi, complete, pairs, skipped)


def collision_free_stepsize(
    faces: Any, x0: Any, x1: Any, *, edges: Any = None, strict: bool = False, **options: Any
) -> float:
    """Returns the largest proven step in [0, t_max] that keeps every pair more than min_separation
    apart (length; 0: no contact). Arguments as for earliest_impact().

    A pair that starts within min_separation makes the step 0; with at_start="skip" such a pair is
    only kept from touching. Invalid positions give 0.

    >>> import graze, numpy as np
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> 0.49 < graze.collision_free_stepsize([[0, 1, 2]], x0, x1) < 0.5
    True
    """
    return _core.collision_free_step(faces, edges, x0, x1, bool(strict), _asked(options))


def find_pairs(
    faces: Any, x0: Any, x1: Any, *, edges: Any = None, strict: bool = False, **options: Any
) -> Pairs:
    """Returns the pairs of features whose swept boxes come within min_separation of each other: the
    broad phase alone. Arguments as for earliest_impact(). Memory: 8 bytes per pair.

    >>> import graze, numpy as np
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> pairs = graze.find_pairs([[0, 1, 2]], x0, x1)
    >>> pairs.vertex_face
    array([[3, 0]], dtype=uint32)
    """
    return Pairs(*_core.find_pairs(faces, edges, x0, x1, bool(strict), _asked(options)))


def find_intersections(
    faces: Any,
    x: Any,
    other_faces: Any = None,
    other_x: Any = None,
    *,
    static: Any = None,
    threads: int = 0,
    strict: bool = False,
) -> Intersections:
    """Returns the pairs of faces that intersect at one moment; exact.

    faces                 (m, 3) vertex indices, or a Mesh
    x                     (n, 3) positions
    other_faces, other_x  a second mesh: pairs of a face of the first and one of the second
    static                (n,) bool: two faces whose vertices are all static form no pair
    threads               0: all cores

    Faces with common vertices are a pair if they have other points in common.

    >>> import graze, numpy as np
    >>> x = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 2, 5], [2, 1, 5.0]])
    >>> found = graze.find_intersections([[0, 1, 2], [3, 4, 5]], x)
    >>> found.verdict.name, found.faces["a"], found.faces["b"]
    ('contact', array([0], dtype=uint32), array([1], dtype=uint32))
    >>> graze.FaceContact(found.faces["contact"][0]).name
    'crossing'
    """
    return Intersections._made(
        _core.find_intersections(
            faces, x, other_faces, other_x, static, _integer("threads", threads), bool(strict)
        )
    )


def check_mesh(faces: Any, x: Any, *, threads: int = 0, strict: bool = False) -> MeshCheck:
    """Returns the faults of a surface: intersecting faces, open, branched and turned edges, pinched
    vertices, faces without area; exact. Arguments as for find_intersections().

    >>> import graze, numpy as np
    >>> x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    >>> check = graze.check_mesh([[0, 2, 1], [0, 1, 3], [1, 2, 3]], x)
    >>> check
    <graze.MeshCheck: clean, manifold, open, oriented>
    >>> check.border_edges
    array([[0, 2],
           [0, 3],
           [2, 3]], dtype=uint32)
    """
    found = _core.check_mesh(faces, x, _integer("threads", threads), bool(strict))
    return MeshCheck(*found[:6], Intersections._made(found[6]))


def find_candidates(
    faces: Any,
    x0: Any,
    x1: Any,
    margin: float,
    *,
    edges: Any = None,
    strict: bool = False,
    **options: Any,
) -> Candidates:
    """Returns the pairs that come within `margin` (length) of each other during a step, for many
    steps near that one. Arguments and filters as for earliest_impact().

    >>> import graze, numpy as np
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> candidates = graze.find_candidates([[0, 1, 2]], x0, x1, 0.1)
    >>> candidates
    <graze.Candidates: 1 vertex-face, 0 edge-edge, 0 vertex-edge, 0 vertex-vertex, margin 0.1>
    >>> candidates.earliest_impact(x0, x0 + 0.75 * (x1 - x0)).toi
    0.6666666666666666
    >>> candidates.step_bounds(x0 + 0.45 * (x1 - x0)).round(6)
    array([0.05, 0.05, 0.05, 0.05])
    """
    return Candidates(
        _core.find_candidates(
            faces, edges, x0, x1, _number("margin", margin), bool(strict), _filters(options)
        )
    )


def _filters(options: dict[str, Any]) -> tuple[Any, ...] | None:
    for name in options:
        if name not in _FILTERS and name != "threads":
            raise TypeError(f"{name}: no option of candidates; pass it with a step")
    return _asked(options)


class Candidates:
    """The pairs that come close to each other during a motion, for many steps near that motion:
    shortened steps of a line search, other separations, the iterations of a solver.

    Made by find_candidates() or StepSearch.candidates(). Every answer has the bits of the function
    of the same name with the mesh and the filters of the candidates. A full search answers steps
    for which covers() is false, and methods that are not exact. Several threads may use an object.

    >>> import graze, numpy as np
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> candidates = graze.StepSearch([[0, 1, 2]], 4).candidates(x0, x1, 0.1)
    >>> half = x0 + 0.5 * (x1 - x0)
    >>> candidates.covers(x0, half), candidates.covers(x0, half, min_separation=0.5)
    (True, False)
    >>> candidates.earliest_impact(x0, half).toi, len(candidates.pairs.vertex_face)
    (1.0, 1)
    """

    def __init__(self, candidates: _core.Candidates) -> None:
        self._candidates = candidates

    @property
    def mesh(self) -> Mesh:
        """The mesh; not a copy."""
        return self._candidates.mesh

    @property
    def margin(self) -> float:
        """The length within which pairs are candidates."""
        return self._candidates.margin

    @property
    def pairs(self) -> Pairs:
        """A copy of the pairs."""
        return Pairs(*self._candidates.pairs())

    def covers(
        self, x0: Any, x1: Any, *, min_separation: float = 0.0, strict: bool = False
    ) -> bool:
        """Returns whether the candidates are proven to contain all pairs that come within
        min_separation (length) during a step from x0 to x1, (n, 3) each."""
        separation = _number("min_separation", min_separation)
        return self._candidates.covers(x0, x1, separation, bool(strict))

    def step_bounds(
        self, x: Any, *, keep_distance: float = 0.0, threads: int = 0, strict: bool = False
    ) -> Array | None:
        """Returns for every vertex how far it may move from x, a Euclidean length: if all vertices
        stay within their bounds, no two features come within keep_distance, except those that are
        within it at x. At most half the margin. None if the candidates do not cover x."""
        return self._candidates.step_bounds(
            x, _number("keep_distance", keep_distance), _integer("threads", threads), bool(strict)
        )

    def earliest_impact(
        self, x0: Any, x1: Any, *, strict: bool = False, **options: Any
    ) -> StepImpact:
        """Returns the first impact of a mesh during a step from x0 to x1, (n, 3) each. Options as
        for graze.earliest_impact(), without filters: these are those of the candidates."""
        return step_impact_of(
            self._candidates.earliest_impact(x0, x1, bool(strict), _unfiltered(options))
        )

    def all_impacts(self, x0: Any, x1: Any, *, strict: bool = False, **options: Any) -> Impacts:
        """Returns the first impact of every pair during a step, sorted by toi. Options as for
        graze.all_impacts(), without filters: these are those of the candidates."""
        rows, verdict, toi, complete, pairs, skipped, _ = self._candidates.all_impacts(
            x0, x1, bool(strict), _unfiltered(options)
        )
        return impacts_of(rows, verdict, toi, complete, pairs, skipped)

    def collision_free_stepsize(
        self, x0: Any, x1: Any, *, strict: bool = False, **options: Any
    ) -> float:
        """Returns the largest proven step in [0, t_max], a fraction, that keeps every pair more than
        min_separation (length) apart. Options as for graze.collision_free_stepsize(), without
        filters: these are those of the candidates."""
        return self._candidates.collision_free_step(x0, x1, bool(strict), _unfiltered(options))

    def __repr__(self) -> str:
        return f"<graze.Candidates: {repr(self.pairs)[14:-1]}, margin {self.margin:g}>"


def _unfiltered(options: dict[str, Any]) -> tuple[Any, ...] | None:
    for name in options:
        if name in _FILTERS:
            raise TypeError(f"{name}: the filters are those of find_candidates()")
    return _asked(options)


class StepSearch:
    """Answers many steps of one mesh, faster than the functions if the steps follow each other.

    Every answer has the bits of the function of the same name. One thread at a time may use an
    object; a second one gets RuntimeError.

    device="gpu": a CUDA device answers earliest_impact(), all_impacts(), collision_free_stepsize()
    and find_pairs() with the same bits; it raises RuntimeError with the reason where it cannot. x0
    and x1 may then be arrays in its memory that have __cuda_array_interface__ or __dlpack__ (CuPy,
    Numba, PyTorch, JAX); they are used where they lie. "auto": the CPU answers where the device
    cannot. `device` is the name of the device, or "cpu", and device_reason why it was not the GPU.
    gpu: the number of the device.

    >>> import graze, numpy as np
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> search = graze.StepSearch([[0, 1, 2]], 4)
    >>> search.earliest_impact(x0, x1).toi
    0.5
    """

    def __init__(
        self,
        faces: Any,
        vertex_count: int,
        *,
        edges: Any = None,
        strict: bool = False,
        device: str = "cpu",
        gpu: int = 0,
    ) -> None:
        count = _integer("vertex_count", vertex_count, 2**30)
        number = _integer("gpu", gpu)
        if device not in ("auto", "cpu", "gpu"):
            raise ValueError(f"device: expected 'auto', 'cpu' or 'gpu', got {device!r}")
        self._asked_device = device
        self._search = _core.StepSearch(faces, edges, count, bool(strict))
        self._gpu: _core.GpuStepSearch | None = None
        self.device, self.device_reason = "cpu", ""
        if device == "cpu":
            return
        try:
            self._gpu = _core.GpuStepSearch(self._search.mesh, None, count, bool(strict), number)
            self.device = next(row[1] for row in _core.gpu_devices()[0] if row[0] == number)
        except RuntimeError as error:
            self._leave_gpu(error)

    def _leave_gpu(self, error: RuntimeError) -> None:
        if self._asked_device == "gpu":
            raise error
        self.device, self.device_reason = "cpu", str(error)

    def _on_cpu(self, job: str) -> _core.StepSearch:
        if self._asked_device == "gpu":
            raise RuntimeError(f"device='gpu': unsupported: {job}")
        return self._search

    def _answer(self, job: str, x0: Any, x1: Any, strict: bool, options: Any) -> Any:
        if self._gpu is not None:
            try:
                return getattr(self._gpu, job)(x0, x1, strict, options)
            except RuntimeError as error:
                self._leave_gpu(error)
        return getattr(self._search, job)(x0, x1, strict, options)

    @property
    def mesh(self) -> Mesh:
        """The mesh; not a copy."""
        return self._search.mesh

    @property
    def use(self) -> tuple[int, int]:
        """The numbers of steps answered by a forecast and of all steps, on the CPU."""
        return self._search.use()

    def earliest_impact(
        self, x0: Any, x1: Any, *, strict: bool = False, **options: Any
    ) -> StepImpact:
        """Returns the first impact of the mesh during a step from x0 to x1, (n, 3) each. Options as
        for graze.earliest_impact()."""
        return step_impact_of(
            self._answer("earliest_impact", x0, x1, bool(strict), _asked(options))
        )

    def all_impacts(self, x0: Any, x1: Any, *, strict: bool = False, **options: Any) -> Impacts:
        """Returns the first impact of every pair during a step, sorted by toi. Options as for
        graze.all_impacts()."""
        rows, verdict, toi, complete, pairs, skipped, _ = self._answer(
            "all_impacts", x0, x1, bool(strict), _asked(options)
        )
        return impacts_of(rows, verdict, toi, complete, pairs, skipped)

    def find_pairs(self, x0: Any, x1: Any, *, strict: bool = False, **options: Any) -> Pairs:
        """Returns the pairs of features whose swept boxes come within min_separation (length) of each
        other. Options as for graze.find_pairs()."""
        if self._gpu is not None:
            try:
                return Pairs(*self._gpu.find_pairs(x0, x1, bool(strict), _asked(options)))
            except RuntimeError as error:
                self._leave_gpu(error)
        return find_pairs(self.mesh, x0, x1, strict=strict, **options)

    def collision_free_stepsize(
        self, x0: Any, x1: Any, *, strict: bool = False, **options: Any
    ) -> float:
        """Returns the largest proven step in [0, t_max], a fraction, that keeps every pair more than
        min_separation (length) apart. Options as for graze.collision_free_stepsize()."""
        return float(self._answer("collision_free_step", x0, x1, bool(strict), _asked(options)))

    def candidates(
        self, x0: Any, x1: Any, margin: float, *, strict: bool = False, **options: Any
    ) -> Candidates:
        """Returns the pairs that come within `margin` (length) of each other during a step, for many
        steps near that one. Filters as for graze.find_candidates()."""
        return Candidates(
            self._on_cpu("candidates()").candidates(
                x0, x1, _number("margin", margin), bool(strict), _filters(options)
            )
        )

    def __repr__(self) -> str:
        forecast, steps = self.use
        return f"<graze.StepSearch: {self.mesh!r}, {forecast} of {steps} steps by forecast>"


def first_contact(
    query: Any,
    kind: Kind | str = "vertex-face",
    *,
    t_max: float = 1.0,
    min_separation: float = 0.0,
    norm: str | None = None,
    method: str | None = None,
    distance_tol: float = 1e-6,
    time_tol: float = 1e-9,
    max_checks: int = 1000000,
    no_zero_toi: bool = False,
    threads: int = 0,
    strict: bool = False,
) -> Any:
    """Returns the first contact of pairs of moving primitives.

    query  (n, c, 3) or, for one query, (c, 3) float64: all corners at t = 0, then at t = 1. c is 8
           for vertex-face (the vertex, three corners of the face) and edge-edge (two ends each), 6
           for vertex-edge, 4 for vertex-vertex.
    kind   "vertex-face", "edge-edge", "vertex-edge", "vertex-vertex" or a Kind

    Options as for earliest_impact(). The exact methods do not read distance_tol, time_tol,
    max_checks and no_zero_toi.

    One query gives an Impact. An array of queries gives a structured array with the fields verdict,
    contact, checks, toi, toi_hi, u, v, nx, ny, nz, in the order of the queries.

    >>> import graze, numpy as np
    >>> start = [[0.25, 0.25, 1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> end = [[0.25, 0.25, -1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> query = np.array(start + end)
    >>> graze.first_contact(query)
    <graze.Impact: contact at t = 0.5 (interior)>
    >>> graze.first_contact(np.stack([query, query + 1]))["toi"]
    array([0.5, 0.5])
    """
    rows, single = _core.first_contact(
        query, kind_code(kind), _number("t_max", t_max), _number("min_separation", min_separation),
        norm_code(norm), _name("method", method), _number("distance_tol", distance_tol),
        _number("time_tol", time_tol), _integer("max_checks", max_checks, 2**32 - 1),
        bool(no_zero_toi), _integer("threads", threads), bool(strict),
    )  # fmt: skip
    return impact_of(rows) if single else rows


def contact_times(
    query: Any,
    kind: Kind | str = "vertex-face",
    *,
    t_max: float = 1.0,
    threads: int = 0,
    strict: bool = False,
) -> ContactTimes | list[ContactTimes]:
    """Returns all times in [0, t_max] at which the primitives touch, exactly, as intervals. An
    array of queries gives a list. Arguments as for first_contact().

    >>> import graze, numpy as np
    >>> start = [[0.25, 0.25, 1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> end = [[0.25, 0.25, -1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> times = graze.contact_times(np.array(start + end))
    >>> times.intervals["begin_lo"], times.intervals["instant"]
    (array([0.5]), array([ True]))
    """
    found, single = _core.contact_times(
        query, kind_code(kind), _number("t_max", t_max), _integer("threads", threads), bool(strict)
    )
    answers = [ContactTimes(Verdict(verdict), rows) for verdict, rows in found]
    return answers[0] if single else answers


def closest_points(
    query: Any,
    t: float,
    kind: Kind | str = "vertex-face",
    *,
    norm: str | None = None,
    strict: bool = False,
) -> Any:
    """Returns the closest points of the primitives at time t, in [0, 1], in double arithmetic.

    One query gives a ClosestPoints, an array of queries a structured array with the fields u, v,
    nx, ny, nz, distance. All fields are NaN if t or a coordinate is not finite, or t is outside
    [0, 1].

    >>> import graze, numpy as np
    >>> start = [[0.25, 0.25, 1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> graze.closest_points(np.array(start + start), 0.0).distance
    1.0
    """
    rows, single = _core.closest_points(
        query, _number("t", t), kind_code(kind), norm_code(norm), bool(strict)
    )
    if not single:
        return rows
    u, v, nx, ny, nz, distance = rows[0].item()
    return ClosestPoints(u, v, np.array((nx, ny, nz)), distance)


def certificate(
    query: Any,
    kind: Kind | str = "vertex-face",
    *,
    t_max: float = 1.0,
    max_checks: int = 1000000,
    strict: bool = False,
) -> Certificate:
    """Returns a proof that the primitives of one query do not touch in [0, t_max]: directions that
    separate them, by pieces of time. The verdict is `contact` if they touch.

    >>> import graze, numpy as np
    >>> start = [[0.25, 0.25, 1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> query = np.array(start + start)
    >>> proof = graze.certificate(query)
    >>> proof
    <graze.Certificate: separated, 1 piece>
    >>> graze.verify(proof, query)
    True
    """
    checks = _integer("max_checks", max_checks, 2**32 - 1)
    return _core.certificate(query, kind_code(kind), _number("t_max", t_max), checks, bool(strict))


def verify(
    certificate: Certificate,
    query: Any,
    kind: Kind | str = "vertex-face",
    *,
    strict: bool = False,
) -> bool:
    """Returns whether the certificate proves that the primitives do not touch. The check is exact
    and accepts no wrong proof, wherever the certificate comes from.

    >>> import graze, numpy as np
    >>> query = np.zeros((8, 3))
    >>> graze.verify(graze.Certificate(1.0, [([1.0], [[(0.0, 0.0, 1.0)]])]), query)
    False
    """
    if not isinstance(certificate, Certificate):
        raise TypeError(f"certificate: expected a Certificate, got {type(certificate).__name__}")
    return _core.verify(certificate, query, kind_code(kind), bool(strict))


def methods() -> list[Method]:
    """Returns the table of methods. The first row is the default.

    >>> import graze
    >>> graze.methods()[0].name, graze.methods()[0].guarantee
    ('exact', 'exact')
    """
    return [Method(n, g, tuple(k), t, m, r) for n, g, k, t, m, r in _core.methods()]


def strategies() -> list[str]:
    """Returns the names of the broad phase strategies.

    >>> import graze
    >>> len(graze.strategies()) > 1
    True
    """
    return _core.strategies()


def read_mesh(path: Path) -> tuple[Mesh, Array]:
    """Reads a mesh file (.ply, .obj, .off, .stl): the mesh and its positions, (n, 3) float64.
    Raises FileError, an OSError, that names file, line and reason.

    >>> import graze, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "triangle.ply")
    >>> graze.write_mesh(file, [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> graze.read_mesh(file)[0]
    <graze.Mesh: 3 vertices, 3 edges, 1 face>
    """
    return _core.read_mesh(path)


def write_mesh(
    path: Path, positions: Any, faces: Any = None, *, edges: Any = None, strict: bool = False
) -> None:
    """Writes a mesh as .ply (binary) or .obj. read_mesh() returns the same bits.

    >>> import graze, numpy as np, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "triangle.obj")
    >>> graze.write_mesh(file, np.eye(3) / 3, [[0, 1, 2]])
    >>> mesh, positions = graze.read_mesh(file)
    >>> mesh.faces, (positions == np.eye(3) / 3).all()
    (array([[0, 1, 2]], dtype=uint32), True)
    """
    _core.write_mesh(path, positions, faces, edges, bool(strict))


def read_queries(path: Path) -> QuerySet:
    """Reads a query file, .csv (rational numbers) or .npy (mapped, not copied), and its truth.

    >>> import graze, numpy as np, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "one.csv")
    >>> graze.write_queries(file, np.zeros((1, 8, 3)), [True])
    >>> graze.read_queries(file).truth
    array([ True])
    """
    return QuerySet(*_core.read_queries(path))


def write_queries(path: Path, queries: Any, truth: Any = None, *, strict: bool = False) -> None:
    """Writes vertex-face or edge-edge queries, (n, 8, 3), as .csv or .npy. The truth, (n,) bool,
    is stored in the .csv itself, or beside the .npy in NAME.truth.npy.

    >>> import graze, numpy as np, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "some.npy")
    >>> graze.write_queries(file, np.zeros((2, 8, 3)), [True, True])
    >>> graze.read_queries(file).queries.shape, os.path.exists(file[:-4] + ".truth.npy")
    ((2, 8, 3), True)
    """
    _core.write_queries(path, queries, truth, bool(strict))
