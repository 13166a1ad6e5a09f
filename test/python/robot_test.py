"""Paths of robots: graze.rigid.Robot and PathChecker."""

import pathlib
import pickle
import re

import numpy as np
import pytest

import graze

ROBOT = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <collision><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></collision>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""


@pytest.fixture
def robot(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ROBOT)
    try:
        return graze.rigid.Robot(str(file))
    except (OSError, ValueError) as error:
        if "GRAZE_ROBOTS" in str(error):
            pytest.skip("this build reads no robots")
        raise


def wall(x):
    vertices = np.array([[x, -1, -2], [x, 1, -2], [x, 0, 2.0]])
    return "wall", graze.rigid.Body(vertices, [[0, 1, 2]]), np.eye(4)


def test_a_path_is_free_or_ends_at_the_first_contact(robot):
    assert (robot.joints, robot.links, robot.links_without_shapes) == (
        ["turn"], ["base", "upper"], ["base"])
    checker = graze.rigid.PathChecker(robot, [wall(0.5)])
    assert checker.check([[0.0], [0.3]]).verdict == graze.Verdict.separated
    hit = checker.check([[0.0], [1.0]])
    assert hit.verdict == graze.Verdict.contact
    assert {hit.a, hit.b} == {"upper", "wall"}
    # The corner (0.05, 1) of the box reaches x = 0.5.
    angle = np.arcsin(0.5 / np.hypot(0.05, 1)) - np.arctan(0.05)
    assert angle - 1e-5 < hit.s <= angle
    assert abs(hit.point_a[0] - 0.5) < 1e-5
    assert graze.rigid.PathChecker(robot, [wall(0.5)], margin=0.1).check([[0.0], [1.0]]).s < hit.s
    smooth = checker.check([[0.0], [0.0]], times=[0, 1], velocities=[[4.0], [-4.0]])
    assert smooth.verdict == graze.Verdict.contact


def test_edges_agree_with_single_paths_for_any_number_of_threads(robot):
    checker = graze.rigid.PathChecker(robot, [wall(0.5)])
    start = np.linspace(-3, 3, 200)[:, None]
    end = start + 0.1
    verdicts, ends = checker.check_edges(start, end)
    again, _ = checker.check_edges(start, end, threads=1)
    assert (verdicts == again).all() and 0 < verdicts.sum() < 200
    for i in range(0, 200, 7):
        one = checker.check(np.array([start[i], end[i]]))
        assert int(one.verdict) == verdicts[i]
        assert np.isinf(ends[i]) == (one.verdict == graze.Verdict.separated)


def test_proofs_are_verified_and_changed_ones_are_refuted(robot):
    checker = graze.rigid.PathChecker(robot, [wall(0.5)], margin=0.01)
    way = [[0.0], [0.3]]
    assert checker.check(way).proof is None
    proof = checker.check(way, proof=True).proof
    found = checker.verify(proof, way)
    assert found and found.valid and found.problem == "" and found.interval is None
    assert checker.verify(pickle.loads(pickle.dumps(proof)), way)
    assert not checker.verify(proof, [[0.0], [1.0]])
    assert checker.check([[0.0], [1.0]], proof=True).proof is None
    assert not graze.rigid.PathChecker(robot, [wall(0.5)], margin=0.3).verify(proof, way)
    *fields, normal = proof.intervals[0]
    for changed in ((*fields, [-x for x in normal]), (*fields[:3], 0.5 * fields[3], *fields[4:], normal)):
        wrong = graze.rigid.RobotProof(proof.pairs, proof.orders, [changed, *proof.intervals[1:]])
        answer = checker.verify(wrong, way)
        assert not answer and answer.problem
    assert not checker.verify(graze.rigid.RobotProof([], [], []), way)


def test_margins_of_pairs_take_the_place_of_the_common_margin(robot):
    way = [[0.0], [0.3]]
    assert graze.rigid.PathChecker(robot, [wall(0.5)]).check(way).verdict == graze.Verdict.separated
    near = graze.rigid.PathChecker(robot, [wall(0.5)], margins=[("upper", "wall", 0.4)])
    assert near.check(way).verdict == graze.Verdict.contact
    with pytest.raises(ValueError, match="moon"):
        graze.rigid.PathChecker(robot, [wall(0.5)], margins=[("upper", "moon", 0.1)])


def test_a_robot_carries_an_attached_body(robot):
    assert repr(robot) == "<graze.rigid.Robot: arm, 1 joint, 2 links>"
    rod = graze.rigid.Body(np.array([[0, -0.1, 0], [0, 0.1, 0], [0, 0, 1.0]]), [[0, 1, 2]])
    carrying = robot.attached("rod", rod, "upper", graze.rigid.Pose(translation=(0, 0, 1)))
    assert carrying.links == ["base", "upper", "rod"]
    checker = graze.rigid.PathChecker(carrying, [wall(0.5)], margin=0.001)
    free = checker.check([[0.0], [0.2]], proof=True)
    assert free.verdict == graze.Verdict.separated and checker.verify(free.proof, [[0.0], [0.2]])
    hit = checker.check([[0.0], [0.3]])
    assert {hit.a, hit.b} == {"rod", "wall"}
    # The tip of the rod, at a radius of 2, reaches x = 0.5 less the margin.
    assert abs(0.3 * hit.s - np.arcsin(0.499 / 2)) < 1e-5
    for name, link, touch, part in (("upper", "base", [], "used twice"), ("rod", "moon", [], "moon"),
                                    ("rod", "upper", ["sun"], "sun")):
        with pytest.raises(ValueError, match=part):
            robot.attached(name, rod, link, may_touch=touch)


def test_obstacles_move_during_the_path(robot):
    name, body, _ = wall(0.5)
    away = graze.rigid.PathChecker(robot, [(name, body, graze.rigid.translation((1.0, 0, 0)))])
    assert away.check([[0.0], [1.0]]).verdict == graze.Verdict.separated
    near = graze.rigid.PathChecker(robot, [(name, body, graze.rigid.translation((-0.4, 0, 0)))])
    assert near.check([[0.0], [0.3]]).verdict == graze.Verdict.contact


def test_bad_arguments_are_named(robot, tmp_path):
    checker = graze.rigid.PathChecker(robot)
    with pytest.raises(ValueError, match="configurations"):
        checker.check([[0.0, 1.0]])
    with pytest.raises(ValueError, match="not finite"):
        checker.check([[0.0], [np.nan]])
    with pytest.raises(ValueError, match="start and end"):
        checker.check_edges([[0.0]], [[0.0], [1.0]])
    with pytest.raises(ValueError, match="margin"):
        graze.rigid.PathChecker(robot, margin=-1)
    with pytest.raises(ValueError, match="moon"):
        graze.rigid.PathChecker(robot, may_touch=[("upper", "moon")])
    with pytest.raises((OSError, ValueError), match="nowhere"):
        graze.rigid.Robot(str(tmp_path / "nowhere.urdf"))


def test_the_lines_of_the_page_run(robot, tmp_path, monkeypatch):
    page = (pathlib.Path(__file__).parents[2] / "docs/robots.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    monkeypatch.chdir(tmp_path)
    pathlib.Path("panda.urdf").write_text(ROBOT)
    pathlib.Path("panda.srdf").write_text('<robot name="arm"/>')
    _, body, pose = wall(0.5)
    given = {"graze": graze, "body": body, "pose": pose, "configurations": [[0.0], [0.3]],
             "start": np.zeros((3, 1)), "end": np.full((3, 1), 0.1)}
    exec(block, given)
    assert given["check"].verdict == graze.Verdict.separated and len(given["verdicts"]) == 3
