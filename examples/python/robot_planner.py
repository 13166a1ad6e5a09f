"""Plans a path of a robot arm around a post by RRT-connect, with edges that are proven free.

Batches of edges are checked at once. The planned path is proven free as a whole, from its first
configuration to its last, and the proof is verified. Where the command `graze` is installed, it
writes a proof file and the page of the path, plan.html.
"""

import json
import pathlib
import shutil
import subprocess

import graze
import numpy as np

LENGTH, STEP, SEED = 0.5, 0.2, 1
LINK = """  <link name="link{0}"><collision><origin xyz="0.25 0 0"/>
    <geometry><box size="0.5 0.06 0.06"/></geometry></collision></link>
  <joint name="joint{0}" type="revolute"><parent link="{1}"/><child link="link{0}"/>
    <origin xyz="{2} 0 {3}"/><axis xyz="0 0 1"/>
    <limit lower="-2.8" upper="2.8" effort="1" velocity="1"/></joint>
"""
URDF = '<robot name="arm">\n  <link name="base"/>\n' + "".join(
    LINK.format(i, "base" if i == 0 else f"link{i - 1}", LENGTH if i else 0, 0.07 if i else 0)
    for i in range(3)) + "</robot>\n"
POST = [0.1, 0.1, 1.0]
PLACES = [(0.9, 0.0, 0.0), (0.0, 0.9, 0.0), (-0.4, -0.8, 0.0)]


def post():
    """Returns the vertices and faces of the post."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return corners * np.array(POST) / 2, faces


def grow(checker, tree, parents, targets):
    """Extends the tree towards each target by one edge; returns the indices of new nodes."""
    nodes = np.array(tree)
    nearest = [int(np.argmin(np.linalg.norm(nodes - t, axis=1))) for t in targets]
    start = nodes[nearest]
    way = targets - start
    size = np.maximum(np.abs(way).max(axis=1, keepdims=True), 1e-9)
    end = start + way * np.minimum(1, STEP / size)
    verdicts, _ = checker.check_edges(start, end)
    added = []
    for i in np.flatnonzero(verdicts == int(graze.Verdict.separated)):
        parents.append(nearest[i])
        tree.append(end[i])
        added.append(len(tree) - 1)
    return added


def trace(tree, parents, i):
    """Returns the nodes from the root of the tree to node i."""
    path = []
    while i >= 0:
        path.append(tree[i])
        i = parents[i]
    return path[::-1]


def plan(checker, lower, upper, start, goal, rounds=2000, batch=16):
    """Returns configurations from start to goal, or None."""
    rng = np.random.default_rng(SEED)
    trees, parents = [[start], [goal]], [[-1], [-1]]
    for k in range(rounds):
        a, b = k % 2, 1 - k % 2
        added = grow(checker, trees[a], parents[a], rng.uniform(lower, upper, (batch, len(start))))
        for i in added:  # the other tree connects to the new node, as far as it can
            target = trees[a][i]
            while True:
                new = grow(checker, trees[b], parents[b], target[None])
                if not new:
                    break
                if np.abs(trees[b][new[0]] - target).max() < 1e-12:
                    halves = [trace(trees[0], parents[0], i if a == 0 else new[0]),
                              trace(trees[1], parents[1], i if a == 1 else new[0])]
                    return np.array(halves[0] + halves[1][::-1][1:])
    return None


def main(folder):
    urdf = folder / "arm.urdf"
    urdf.write_text(URDF)
    robot = graze.rigid.Robot(str(urdf))
    body = graze.rigid.Body(*post())
    world = [(f"post {i}", body, graze.rigid.Pose(translation=at)) for i, at in enumerate(PLACES)]
    checker = graze.rigid.PathChecker(robot, world, margin=0.005)
    start, goal = np.array([0.6, 0.3, 0.2]), np.array([-0.6, -0.3, -0.2])
    path = plan(checker, robot.lower, robot.upper, start, goal)
    assert path is not None, "no path was found"
    check = checker.check(path, proof=True)
    assert check.verdict == graze.Verdict.separated and checker.verify(check.proof, path)
    direct = checker.check([start, goal])
    print(f"the straight path: {direct.verdict.name}; the plan: {len(path)} configurations, proven free by "
          f"{len(check.proof.intervals)} intervals, which hold")
    rows = ["time," + ",".join(robot.joints)]
    rows += [f"{i}," + ",".join(map(repr, map(float, q))) for i, q in enumerate(path)]
    (folder / "plan.csv").write_text("\n".join(rows) + "\n")
    bodies = [{"name": f"post {i}", "box": POST, "from": {"position": at}} for i, at in enumerate(PLACES)]
    (folder / "world.json").write_text(json.dumps({"format": "graze-rigid-1", "bodies": bodies}))
    if command := shutil.which("graze"):
        for arguments in (["path", "arm.urdf", "plan.csv", "--world", "world.json", "--margin", "0.005",
                           "--certificate", "proof.json", "--html", "plan.html"], ["verify", "proof.json"]):
            subprocess.run([command, *arguments], cwd=folder, check=True)
    return path


if __name__ == "__main__":
    main(pathlib.Path())
