"""Results of graze: plain objects that own their memory."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ._enums import ContactKind, Kind, Verdict

Array = npt.NDArray[Any]
Result = TypeVar("Result")


def documented(result: type[Result]) -> type[Result]:
    """Gives each field of a NamedTuple its line of the table in the docstring of the class.

    >>> from graze._results import QuerySet
    >>> QuerySet.queries.__doc__
    'the queries, (n, 8, 3) float64'
    """
    names: list[str] = []
    for line in (result.__doc__ or "").splitlines()[1:]:
        row = re.fullmatch(r" {4}([a-z_]\w*(?:, [a-z_]\w*)*)  +(\S.*)", line)
        if row:
            names = row[1].split(", ")
            for name in names:
                getattr(result, name).__doc__ = row[2]
        elif line.startswith("      ") and names:
            for name in names:
                getattr(result, name).__doc__ += " " + line.strip()
        else:
            names = []
    return result


@documented
class Impact(NamedTuple):
    """The answer to one query.

    verdict  contact, separated, undecided or invalid
    toi      time of impact, a fraction of the step: no contact in [0, toi); inf if separated
    toi_hi   on contact, exact methods: the smallest double not before the time of impact
    u, v     the place of the contact on the primitives; NaN if unknown
    normal   unit vector from the second primitive to the first, (3,); NaN if unknown
    contact  the part of the primitives on which the contact lies
    checks   work done, in a unit of the method
    """

    verdict: Verdict
    toi: float
    toi_hi: float
    u: float
    v: float
    normal: Array
    contact: ContactKind
    checks: int

    def __repr__(self) -> str:
        if self.verdict is Verdict.contact:
            return f"<graze.Impact: contact at t = {self.toi!r} ({self.contact.name})>"
        return f"<graze.Impact: {self.verdict.name}>"


@documented
class StepImpact(NamedTuple):
    """The first impact of a step: the fields of Impact, and the pair of features of the mesh.

    verdict  contact, separated, undecided or invalid
    toi      time of impact, a fraction of the step: no contact in [0, toi); inf if separated
    toi_hi   on contact, exact methods: the smallest double not before the time of impact
    u, v     the place of the contact on the primitives; NaN if unknown
    normal   unit vector from the second primitive to the first, (3,); NaN if unknown
    contact  the part of the primitives on which the contact lies
    checks   work done, in a unit of the method
    kind   the kind of the pair
    pair   the indices of the two features: of a vertex and a face, of two edges, of a vertex and
           an edge, or of two vertices. None if there is no contact.
    point  the point of contact at toi, (3,); NaN if unknown
    pairs  how many pairs were tested
    start_contacts  how many contacts at the start were skipped
    """

    verdict: Verdict
    toi: float
    toi_hi: float
    u: float
    v: float
    normal: Array
    contact: ContactKind
    checks: int
    kind: Kind
    pair: tuple[int, int] | None
    point: Array
    pairs: int
    start_contacts: int

    def __repr__(self) -> str:
        if self.pair is None:
            return f"<graze.StepImpact: {self.verdict.name}>"
        kind = self.kind.name.replace("_", "-")
        return (
            f"<graze.StepImpact: {self.verdict.name} at t = {self.toi!r}, {kind} "
            f"{self.pair[0]} and {self.pair[1]}>"
        )


class Impacts(np.ndarray):  # type: ignore[type-arg]
    """The impacts of a step: a structured array, one row per pair, sorted by toi, kind and pair.

    Fields: kind, a, b (the pair), verdict, toi, toi_hi, u, v, nx, ny, nz (the normal), px, py, pz
    (the point of contact), contact, checks. `pandas.DataFrame(impacts)` has the same columns. A part
    of the rows is Impacts, too; one field, such as impacts["toi"], is a plain array.

    verdict         the verdict of the step
    first_toi       no contact in [0, first_toi)
    complete        False if impacts are missing (max_contacts or invalid input)
    pairs           how many pairs were tested
    start_contacts  how many contacts at the start were skipped
    """

    _step: tuple[int, float, bool, int, int]

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, Impacts):
            self._step = source._step

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        is_column = isinstance(found, Impacts) and found.dtype.names is None
        return found.view(np.ndarray) if is_column else found

    @property
    def verdict(self) -> Verdict:
        """The verdict of the step."""
        return _VERDICTS[self._step[0]]

    @property
    def first_toi(self) -> float:
        """The end of the part of the step that has no contact."""
        return self._step[1]

    @property
    def complete(self) -> bool:
        """False if impacts are missing."""
        return self._step[2]

    @property
    def pairs(self) -> int:
        """How many pairs were tested."""
        return self._step[3]

    @property
    def start_contacts(self) -> int:
        """How many contacts at the start were skipped."""
        return self._step[4]

    @property
    def normals(self) -> Array:
        """The unit normals, shape (n, 3)."""
        return _vectors(self, ("nx", "ny", "nz"))

    @property
    def points(self) -> Array:
        """The points of contact, shape (n, 3)."""
        return _vectors(self, ("px", "py", "pz"))


def _vectors(rows: Array, names: tuple[str, str, str]) -> Array:
    plain = np.asarray(rows)
    return np.stack([plain[name] for name in names], axis=-1)


@documented
class Pairs(NamedTuple):
    """The pairs of a step by kind: uint32 arrays of shape (n, 2), each sorted.

    vertex_face    a vertex and a face
    edge_edge      two edges, the smaller index first
    vertex_edge    a vertex and a rod
    vertex_vertex  two vertices, the smaller index first
    """

    vertex_face: Array
    edge_edge: Array
    vertex_edge: Array
    vertex_vertex: Array

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(v)} {f.replace('_', '-')}" for f, v in zip(self._fields, self))
        return f"<graze.Pairs: {counts}>"


@documented
class Intersections(NamedTuple):
    """The faces that intersect at one moment.

    verdict  contact, separated, or invalid (a coordinate is NaN or infinite)
    faces    a structured array with the fields a, b (the faces), contact (a FaceContact) and px,
             py, pz (a point near the intersection, up to rounding), sorted by a and b
    """

    verdict: Verdict
    faces: Array

    @classmethod
    def _made(cls, result: tuple[int, Array]) -> Intersections:
        """Returns the Intersections of a result of the extension."""
        return cls(_VERDICTS[result[0]], result[1])

    def __repr__(self) -> str:
        noun = "pair" if len(self.faces) == 1 else "pairs"
        return f"<graze.Intersections: {self.verdict.name}, {len(self.faces)} {noun} of faces>"


@documented
class MeshCheck(NamedTuple):
    """The faults of a surface. Edges are rows of two vertices.

    border_edges        sides of one face: the surface is open there
    branched_edges      sides of three or more faces
    turned_edges        sides of two faces that pass them in the same direction
    pinched_vertices    vertices whose faces form more than one fan around them
    flat_faces          faces without area
    repeated_positions  vertices at the position of a vertex of smaller index
    intersections       faces that intersect
    """

    border_edges: Array
    branched_edges: Array
    turned_edges: Array
    pinched_vertices: Array
    flat_faces: Array
    repeated_positions: Array
    intersections: Intersections

    @property
    def is_closed(self) -> bool:
        """No edge is the side of one face only."""
        return len(self.border_edges) == 0

    @property
    def is_manifold(self) -> bool:
        """Edges are sides of at most two faces, and the faces at a vertex form one fan."""
        return len(self.branched_edges) == 0 and len(self.pinched_vertices) == 0

    @property
    def is_oriented(self) -> bool:
        """Neighbouring faces have the same orientation."""
        return len(self.turned_edges) == 0

    @property
    def is_clean(self) -> bool:
        """The surface may be open and have repeated positions, but has no other fault."""
        return (
            self.is_manifold
            and self.is_oriented
            and len(self.flat_faces) == 0
            and self.intersections.verdict is Verdict.separated
        )

    def __repr__(self) -> str:
        words = (
            "clean" if self.is_clean else "faulty",
            "manifold" if self.is_manifold else "not manifold",
            "closed" if self.is_closed else "open",
            "oriented" if self.is_oriented else "not oriented",
        )
        return f"<graze.MeshCheck: {', '.join(words)}>"


@documented
class ContactTimes(NamedTuple):
    """All times of contact of a query.

    verdict    contact, separated, undecided or invalid
    intervals  a structured array with the fields begin_lo, begin_hi, end_lo, end_hi, instant:
               the tightest doubles around the begin and the end of each interval of contact
    """

    verdict: Verdict
    intervals: Array

    def __repr__(self) -> str:
        times = [
            f"{begin!r}" if instant else f"{begin!r} to {end!r}"
            for begin, _, _, end, instant in self.intervals.tolist()
        ]
        where = f" at t = {', '.join(times)}" if times else ""
        return f"<graze.ContactTimes: {self.verdict.name}{where}>"


@documented
class ClosestPoints(NamedTuple):
    """The closest points of two primitives at one time.

    u, v      the closest points on the primitives, as in Impact; NaN where a primitive has none
    normal    unit vector from the point of the second primitive to that of the first, (3,)
    distance  between the two points, a length
    """

    u: float
    v: float
    normal: Array
    distance: float


@documented
class Method(NamedTuple):
    """A row of the table of methods.

    name        the argument `method` of functions
    guarantee   "exact", "conservative" (never misses a contact, never late) or "heuristic"
    kinds       the kinds of queries that the method answers
    gives_time  False: toi is 0 on contact
    norm        the norm of min_separation, "L2" or "Linf"; "" if the method takes none
    reference   the paper, or the page of the documentation
    """

    name: str
    guarantee: str
    kinds: tuple[str, ...]
    gives_time: bool
    norm: str
    reference: str


@documented
class QuerySet(NamedTuple):
    """The queries of a file and their truth.

    queries  the queries, (n, 8, 3) float64
    truth    whether the primitives touch, (n,) bool; None if the file does not state it
    """

    queries: Array
    truth: Array | None

    def __repr__(self) -> str:
        noun = "query" if len(self.queries) == 1 else "queries"
        truth = "without truth" if self.truth is None else "with truth"
        return f"<graze.QuerySet: {len(self.queries)} {noun} {truth}>"


# Faster than the calls of the enumerations.
_VERDICTS = tuple(Verdict)
_CONTACT = int(Verdict.contact)
_KINDS = tuple(Kind)
_CONTACTS = tuple(ContactKind)


def impact_of(rows: Array) -> Impact:
    """Returns the Impact of the first record of first_contact()."""
    verdict, contact, checks, toi, toi_hi, u, v, nx, ny, nz = rows.item(0)
    normal = np.array((nx, ny, nz))
    return Impact(_VERDICTS[verdict], toi, toi_hi, u, v, normal, _CONTACTS[contact], checks)


def step_impact_of(result: tuple[Any, ...]) -> StepImpact:
    """Returns the StepImpact of a result of the extension."""
    code, toi, toi_hi, u, v, normal, contact, checks, kind, a, b, point, pairs, skipped = result
    # tuple.__new__ is faster than the call of StepImpact.
    return tuple.__new__(
        StepImpact,
        (
            _VERDICTS[code], toi, toi_hi, u, v, normal, _CONTACTS[contact], checks, _KINDS[kind],
            (a, b) if code == _CONTACT else None, point, pairs, skipped,
        ),
    )  # fmt: skip


def impacts_of(rows: Array, verdict: int, toi: float, complete: bool, pairs: int,
               start_contacts: int) -> Impacts:  # fmt: skip
    """Returns the Impacts of a step."""
    result: Impacts = rows.view(Impacts)
    result._step = (verdict, toi, complete, pairs, start_contacts)
    return result
