"""Fixtures: a triangle with a falling vertex, its query, a small cloth, and the command."""

import os
import subprocess

import graze
import numpy as np
import pytest

X0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
X1 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, -1.0]])


@pytest.fixture
def step():
    """Returns faces, x0 and x1 of a vertex that meets a triangle at t = 0.5."""
    return np.array([[0, 1, 2]], dtype=np.int32), X0.copy(), X1.copy()


@pytest.fixture
def query():
    """Returns the same vertex and triangle as one vertex-face query."""
    order = [3, 0, 1, 2]
    return np.concatenate([X0[order], X1[order]])


@pytest.fixture(scope="session")
def reads_robots():
    """Returns whether the package was built with GRAZE_ROBOTS."""
    try:
        graze.rigid.Robot("absent.urdf")
    except OSError as error:
        return "GRAZE_ROBOTS" not in str(error)


@pytest.fixture(scope="session")
def cloth():
    """Returns faces, x0 and x1 of two sheets of 2 * 1,800 triangles, one falling through the other."""
    n = 31
    grid = np.stack(np.meshgrid(np.arange(n), np.arange(n), indexing="ij"), -1).reshape(-1, 2)
    rng = np.random.default_rng(3)
    sheet = np.column_stack([grid / (n - 1), 0.02 * rng.random(n * n)])
    corner = np.arange(n * n).reshape(n, n)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    one = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    faces = np.concatenate([one, one + n * n]).astype(np.int32)
    x0 = np.concatenate([sheet, sheet * (0.8, 0.9, 1) + (0.07, 0.03, 0.2)])
    x1 = x0.copy()
    x1[n * n :, 2] -= 0.25 + 0.1 * rng.random(n * n)
    return faces, x0, x1


@pytest.fixture(scope="session")
def command():
    """Runs the command, and returns its exit code and output."""
    program = os.environ.get("GRAZE_COMMAND")
    if not program:
        pytest.skip("GRAZE_COMMAND does not name the command graze")

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    return run
