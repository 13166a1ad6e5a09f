"""Rigid bodies: first contact, distance and paths of triangle meshes that move rigidly.

Lengths are in the units of the mesh, angles in radians, times fractions of the step.

>>> import graze, numpy as np
>>> vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
>>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
>>> body = graze.rigid.Body(vertices, faces)
>>> rest = graze.rigid.resting()
>>> fall = graze.rigid.translation((0, 0, -4), start=graze.rigid.Pose(translation=(0, 0, 3)))
>>> hit = graze.rigid.advance(body, fall, body, rest)
>>> hit.verdict.name, 0.49 < hit.toi <= 0.5
('contact', True)
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from . import _core
from ._core import Body, BodyDistance, BodyImpact, Motion, PathCheck, Pose, ProofCheck, Robot
from ._core import RobotCheck, RobotProof

__all__ = [
    "Body", "BodyDistance", "BodyImpact", "Motion", "PathCheck", "PathChecker", "Pose", "ProofCheck",
    "Robot", "RobotCheck", "RobotProof", "advance", "check_path", "distance", "linear_motion", "resting", "rotation_about", "screw_motion", "translation",
]  # fmt: skip

_IDENTITY = Pose()


def _pose(value: Any) -> Pose:
    return value if isinstance(value, Pose) else Pose.from_matrix(value)


def resting(pose: Any = _IDENTITY) -> Motion:
    """Returns the motion of a body that stays at a pose: a Pose, or a (4, 4) or (3, 3) matrix.

    >>> import graze
    >>> graze.rigid.resting(graze.rigid.Pose(translation=(1, 2, 3))).pose_at(0.5).translation
    array([1., 2., 3.])
    """
    return _core.resting(_pose(pose))


def translation(way: Any, *, start: Any = _IDENTITY) -> Motion:
    """Returns the straight motion from a pose by the vector `way` (length per step).

    >>> import graze
    >>> graze.rigid.translation((0, 0, -4)).pose_at(0.5).translation
    array([ 0.,  0., -2.])
    """
    return _core.translation(_pose(start), way)


def rotation_about(point: Any, rotation: Any, *, start: Any = _IDENTITY) -> Motion:
    """Returns the rotation about the axis through a world point. The length of `rotation` is the
    angle in radians, of any size.

    >>> import graze, math
    >>> turn = graze.rigid.rotation_about((1, 0, 0), (0, 0, 2 * math.pi))
    >>> turn.pose_at(0.5).translation.round(9)
    array([2., 0., 0.])
    """
    return _core.rotation_about(_pose(start), point, rotation)


def linear_motion(start: Any, end: Any, *, centre: Any = (0.0, 0.0, 0.0)) -> Motion:
    """Returns the motion between two poses that moves the body point `centre` straight.

    >>> import graze, math
    >>> end = graze.rigid.Pose.from_axis_angle((0, 0, 1), math.pi / 2, (4, 0, 0))
    >>> graze.rigid.linear_motion(graze.rigid.Pose(), end).pose_at(0.25).translation
    array([1., 0., 0.])
    """
    return _core.linear_motion(_pose(start), _pose(end), centre)


def screw_motion(start: Any, end: Any) -> Motion:
    """Returns the screw motion between two poses: a turn about one axis and a way along it.

    >>> import graze, math
    >>> end = graze.rigid.Pose.from_axis_angle((0, 0, 1), math.pi, (0, 0, 2))
    >>> graze.rigid.screw_motion(graze.rigid.Pose(), end).pose_at(0.5).translation.round(9)
    array([0., 0., 1.])
    """
    return _core.screw_motion(_pose(start), _pose(end))


def advance(
    a: Body,
    motion_a: Motion,
    b: Body,
    motion_b: Motion,
    *,
    t_max: float = 1.0,
    threshold: float | None = None,
    margin: float = 0.0,
    max_checks: int = 1000000,
) -> BodyImpact:
    """Returns the time at which two moving surfaces first come into contact.

    threshold  length: how close to contact the search stops. None: a thousandth of the larger body;
               0: as close as rounding allows
    margin     length: a distance up to this is contact
    max_checks budget of the search, beyond which the verdict is undecided; 0: no limit

    The distance is greater than the margin on [0, toi), whatever the verdict.

    >>> import graze, numpy as np
    >>> body = graze.rigid.Body(np.eye(3), [[0, 1, 2]])
    >>> approach = graze.rigid.translation((-4, -4, -4), start=graze.rigid.Pose(translation=(3, 3, 3)))
    >>> hit = graze.rigid.advance(body, approach, body, graze.rigid.resting(), threshold=0)
    >>> hit.verdict.name, 0.75 - 1e-9 < hit.toi <= 0.75
    ('contact', True)
    """
    return _core.advance(a, motion_a, b, motion_b, t_max, threshold, margin, max_checks)


def distance(a: Body, pose_a: Any, b: Body, pose_b: Any, *, tol: float = 0.0) -> BodyDistance:
    """Returns certified bounds lo <= distance <= hi of two placed bodies, and their closest points.

    >>> import graze, numpy as np
    >>> body = graze.rigid.Body(np.eye(3), [[0, 1, 2]])
    >>> found = graze.rigid.distance(body, np.eye(4), body, graze.rigid.Pose(translation=(3, 3, 3)))
    >>> found.lo <= 27 ** 0.5 <= found.hi + 1e-12
    True
    """
    return _core.distance(a, _pose(pose_a), b, _pose(pose_b), tol)


def check_path(
    body: Body, obstacles: Iterable[Sequence[Any]], poses: Iterable[Any], *, screw: bool = False
) -> PathCheck:
    """Returns whether a body can follow a polyline of poses without contact with any obstacle.

    obstacles  pairs (body, pose) or triples (body, pose, margin)
    poses      Pose objects or (4, 4) matrices
    screw      screw motions between the poses instead of linear motions

    >>> import graze, numpy as np
    >>> body = graze.rigid.Body(np.eye(3), [[0, 1, 2]])
    >>> way = [graze.rigid.Pose(translation=(x, 0, 0)) for x in (0, 1, 2)]
    >>> graze.rigid.check_path(body, [(body, graze.rigid.Pose(translation=(9, 9, 9)))], way)
    <graze.rigid.PathCheck: separated>
    """
    world = []
    for obstacle in obstacles:
        other, pose, *margin = obstacle
        world.append((other, _pose(pose), margin[0] if margin else 0.0))
    return _core.check_path(body, world, [_pose(pose) for pose in poses], bool(screw))


class PathChecker:
    """A robot in a world, prepared for many paths in joint space.

    obstacles  triples (name, body, pose or motion); a motion takes as long as the path
    may_touch  pairs (link, obstacle) that are not tested
    margin     length: a distance up to this is contact
    margins    triples (a, b, margin) for two links, or a link and an obstacle, in place of margin
    threshold  length: how close to contact the search stops

    A free path is proven free: nothing is sampled. A problem is a ValueError.

    >>> import graze, numpy as np, os, tempfile
    >>> arm = '''<robot name="arm"><link name="base"/><link name="upper"><collision>
    ...   <origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></collision></link>
    ...   <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/>
    ...   <axis xyz="0 1 0"/></joint></robot>'''
    >>> file = os.path.join(tempfile.mkdtemp(), "arm.urdf")
    >>> _ = open(file, "w").write(arm)
    >>> wall = graze.rigid.Body([[0.5, -1, -2], [0.5, 1, -2], [0.5, 0, 2]], [[0, 1, 2]])
    >>> checker = graze.rigid.PathChecker(graze.rigid.Robot(file), [("wall", wall, np.eye(4))])
    >>> checker.check([[0.0], [0.3]]).verdict.name, checker.check([[0.0], [1.0]]).verdict.name
    ('separated', 'contact')
    >>> verdicts, ends = checker.check_edges([[0.0], [0.0]], [[0.3], [1.0]])
    >>> verdicts.tolist(), np.isinf(ends).tolist()
    ([0, 1], [True, False])
    """

    def __init__(
        self,
        robot: Robot,
        obstacles: Iterable[Sequence[Any]] = (),
        *,
        may_touch: Iterable[Sequence[str]] = (),
        margin: float = 0.0,
        margins: Iterable[Sequence[Any]] = (),
        threshold: float = 1e-7,
        max_checks: int = 10_000_000,
        joint_limits: bool = True,
    ) -> None:
        world = [
            (str(name), body, place if isinstance(place, Motion) else resting(place))
            for name, body, place in obstacles
        ]
        pairs = [(str(a), str(b)) for a, b in may_touch]
        own = [(str(a), str(b), float(length)) for a, b, length in margins]
        self._scene = _core.RobotScene(
            robot, world, pairs, margin, own, threshold, max_checks, bool(joint_limits)
        )

    def check(
        self,
        configurations: Any,
        *,
        times: Any = None,
        velocities: Any = None,
        accelerations: Any = None,
        proof: bool = False,
    ) -> RobotCheck:
        """Returns whether the robot can follow a path, or its first contact.

        configurations  (n, joints): the path is straight between them in joint space, cubic with
                        velocities, quintic with accelerations too; both need times
        proof           collect a proof in the `proof` of the answer if the path is free, for
                        verify(); else it is None
        """
        return self._scene.check(
            configurations, times, velocities, accelerations, bool(proof)
        )

    def verify(
        self,
        proof: RobotProof,
        configurations: Any,
        *,
        times: Any = None,
        velocities: Any = None,
        accelerations: Any = None,
    ) -> ProofCheck:
        """Checks a proof of a path by interval arithmetic that shares no code with check().

        The answer is true if every pair of shapes that may not touch is proven apart at all times
        of the path, with the margins of this checker; otherwise `problem` names the defect.
        A proof can be pickled, or made of its lists: RobotProof(pairs, orders, intervals).
        """
        return self._scene.verify(proof, configurations, times, velocities, accelerations)

    def check_edges(self, start: Any, end: Any, *, threads: int = 0) -> tuple[Any, Any]:
        """Checks many straight edges: arrays (n, joints) of starts and ends.

        Returns two arrays: the verdicts as numbers of graze.Verdict, and the fraction of each edge
        before which there is no contact (inf if the edge is free).
        """
        verdicts, ends = self._scene.check_edges(start, end, threads)
        return verdicts, ends
