"""Polyhedra of convex polygons that move through a world of static polyhedra, decided exactly.

>>> import graze
>>> from graze import polyhedron
>>> floor = polyhedron.Obstacle(polyhedron.Model.box((-5, -5, -1), (5, 5, 0)))
>>> player = polyhedron.Model.box((-0.5, -0.5, 0), (0.5, 0.5, 2))
>>> start = graze.rigid.Pose(translation=(0, 0, 4))
>>> fall = polyhedron.move([floor], player, start, (0, 0, -8))
>>> fall
<graze.polyhedron.Move: contact at 0.5, vertex-facet with obstacle 0>
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from . import _core
from ._core import Model, Obstacle, Pose
from ._enums import Verdict
from ._results import Array, documented
from .rigid import _pose

__all__ = ["Contact", "Model", "Move", "Obstacle", "Slide", "move", "slide", "turn"]


@documented
class Contact(NamedTuple):
    """The features that meet.

    meeting        "start", "vertex-facet", "facet-vertex" or "edge-edge"
    obstacle       index in the world
    mover_feature  index of a vertex, an edge or a facet of the mover
    world_feature  index of a vertex, an edge or a facet of the obstacle
    point          the point of contact, (3,), in world coordinates, within rounding
    normal         the unit normal, (3,), that points to the mover
    """

    meeting: str
    obstacle: int
    mover_feature: int
    world_feature: int
    point: Array
    normal: Array


@documented
class Move(NamedTuple):
    """The answer of move() and turn().

    verdict  contact, separated, undecided or invalid
    toi      the largest double not after the first contact, a fraction of piece `piece` of the
             path; inf if separated
    toi_hi   the smallest double not before the first contact; inf if separated
    piece    the index of the piece of the path with the contact
    end      the Pose at toi, or at the end of the path
    contact  the features that meet, a Contact; None if there is none
    """

    verdict: Verdict
    toi: float
    toi_hi: float
    piece: int
    end: Pose
    contact: Contact | None

    def __repr__(self) -> str:
        if self.contact is None:
            return f"<graze.polyhedron.Move: {self.verdict.name}>"
        where = f"{self.contact.meeting} with obstacle {self.contact.obstacle}"
        return f"<graze.polyhedron.Move: contact at {self.toi!r}, {where}>"


@documented
class Slide(NamedTuple):
    """The answer of slide().

    verdict    separated, or contact if the body was stopped; undecided or invalid
    end        the last Pose
    way        the way without its components against the planes met, (3,), a length
    on_ground  whether the body stands on ground
    stepped    whether the body walked up or down a step
    contacts   the contacts that stopped the body, a list of Contact
    """

    verdict: Verdict
    end: Pose
    way: Array
    on_ground: bool
    stepped: bool
    contacts: list[Contact]


def _is_front(sides: str) -> bool:
    if sides not in ("both", "front"):
        raise ValueError(f"sides: expected 'both' or 'front', got {sides!r}")
    return sides == "front"


def _move(found: Any) -> Move:
    verdict, toi, toi_hi, piece, end, contact = found
    return Move(Verdict(verdict), toi, toi_hi, piece, end, contact and Contact(*contact))


def move(
    world: Sequence[Obstacle], mover: Model, start: Any, way: Any, *, sides: str = "both"
) -> Move:
    """Moves a model straight by the vector `way`, up to the first contact.

    start  a Pose, or a (4, 4) or (3, 3) matrix
    sides  "both": touching from either side counts, also at the start. "front": only contacts with
           the front of a facet count, so that touching bodies may slide and part.

    >>> import graze
    >>> from graze import polyhedron
    >>> wall = polyhedron.Obstacle(polyhedron.Model.box((3, -1, -1), (4, 1, 1)))
    >>> box = polyhedron.Model.box((0, -0.5, -0.5), (1, 0.5, 0.5))
    >>> polyhedron.move([wall], box, graze.rigid.Pose(), (4, 0, 0)).toi
    0.5
    """
    front = _is_front(sides)
    return _move(_core.move_straight(list(world), mover, _pose(start), way, front))


def turn(
    world: Sequence[Obstacle], mover: Model, start: Any, point: Any, axis: Any, angle: float, *,
    sides: str = "both",
) -> Move:
    """Turns a model by `angle` (radians) about the axis through a world point, up to the first
    contact. The path has a piece for every quarter turn. `sides` is that of move().

    >>> import graze, math
    >>> from graze import polyhedron
    >>> wall = polyhedron.Obstacle(polyhedron.Model.box((-3, 1, -1), (3, 2, 1)))
    >>> door = polyhedron.Model.box((0.1, -0.1, -0.5), (2, 0.1, 0.5))
    >>> swing = polyhedron.turn([wall], door, graze.rigid.Pose(), (0, 0, 0), (0, 0, 1), math.pi)
    >>> swing.verdict.name, swing.piece
    ('contact', 0)
    """
    front = _is_front(sides)
    return _move(_core.move_turning(list(world), mover, _pose(start), point, axis, angle, front))


def slide(
    world: Sequence[Obstacle], mover: Model, start: Any, way: Any, *, step_height: float = 0.0
) -> Slide:
    """Moves a model by `way` like the player of a first-person game: it slides along what it meets
    and walks up and down steps of up to step_height (length). z is up. A body that shares no point
    with the world never comes to share one.

    >>> import graze
    >>> from graze import polyhedron
    >>> floor = polyhedron.Obstacle(polyhedron.Model.box((-5, -5, -1), (5, 5, 0)))
    >>> player = polyhedron.Model.box((-0.5, -0.5, 0), (0.5, 0.5, 2))
    >>> end = polyhedron.slide([floor], player, graze.rigid.Pose(translation=(0, 0, 1)), (1, 0, -2))
    >>> end.on_ground, len(end.contacts), 0 < end.end.translation[2] < 1e-6
    (True, 1, True)
    """
    verdict, end, left, on_ground, stepped, contacts = _core.slide(
        list(world), mover, _pose(start), way, step_height
    )
    return Slide(Verdict(verdict), end, left, on_ground, stepped, [Contact(*c) for c in contacts])
