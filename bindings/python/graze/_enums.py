"""Enumerations of graze. Their values are those of the C++ enumerations and of array fields."""

import enum


class Verdict(enum.IntEnum):
    """The answer to a query or a step."""

    separated = 0
    contact = 1
    undecided = 2
    invalid = 3


class Kind(enum.IntEnum):
    """The kind of a pair of primitives. Functions also accept names such as "vertex-face"."""

    vertex_face = 0
    edge_edge = 1
    vertex_edge = 2
    vertex_vertex = 3
    edge_face = 4  #: an edge that pierces a face at the start of a step; no kind of query


class FaceContact(enum.IntEnum):
    """How two faces intersect. Inside: without the border of the face."""

    touching = 0  #: common points, but none inside both; or a face has no area
    crossing = 1  #: in two planes, with a common point inside both
    overlapping = 2  #: in one plane, with a common area


class ContactKind(enum.IntEnum):
    """The part of the two primitives on which the first contact lies."""

    unknown = 0
    interior = 1
    edge = 2
    vertex = 3
    coplanar = 4


_QUERIES = tuple(kind for kind in Kind if kind != Kind.edge_face)
_KINDS = {kind: int(kind) for kind in _QUERIES}
_KINDS.update({kind.name.replace("_", "-"): int(kind) for kind in _QUERIES})  # type: ignore[misc]
_NORMS = {None: 0, "l2": 1, "linf": 2}


def kind_code(kind: object) -> int:
    """Returns the number of a kind of query that is given as Kind or by name."""
    try:
        return _KINDS[kind]  # type: ignore[index]
    except (KeyError, TypeError):
        names = ", ".join(k.name.replace("_", "-") for k in _QUERIES)
        raise ValueError(f"kind: expected a Kind or one of {names}, got {kind!r}") from None


def norm_code(norm: object) -> int:
    """Returns the number of a norm that is given by name."""
    try:
        return _NORMS[norm]  # type: ignore[index]
    except (KeyError, TypeError):
        raise ValueError(f"norm: expected None, 'l2' or 'linf', got {norm!r}") from None
