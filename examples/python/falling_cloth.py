"""A cloth falls onto a ball: implicit steps by NumPy and SciPy, with Graze as the collision filter.

Springs move by the local/global method: one constant matrix, factored once. Impacts on the straight
way of a step push the features apart; what remains of the step is shortened to the largest part
that keeps every pair 5e-4 apart. No step intersects. With the viewer, the motion is written to
falling_cloth.html. Usage: falling_cloth.py [VERTICES_PER_SIDE [STEPS]]; 71 give 9,800 triangles.
"""

import sys

import graze
import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

n = int(sys.argv[1]) if len(sys.argv) > 1 else 71
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 60
h, gap, stiffness, gravity = 0.01, 5e-4, 60 * n**2, np.array((0, 0, -9.81))


def grid(rows, columns):
    """Returns the triangles of a grid of vertices."""
    i = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = i[:-1, :-1], i[:-1, 1:], i[1:, 1:], i[1:, :-1]
    return np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)


u, v = (a.ravel() for a in np.meshgrid(np.linspace(-0.5, 0.5, n), np.linspace(-0.5, 0.5, n)))
cloth = np.column_stack([u, v, 0.32 + 0.01 * np.sin(9 * u)])
s, t = (a.ravel() for a in np.meshgrid(np.linspace(0, 6.2, 32), np.linspace(-1.5, 1.5, 16)))
ball = 0.3 * np.column_stack([np.cos(s) * np.cos(t), np.sin(s) * np.cos(t), np.sin(t)])
x, m = np.concatenate([cloth, ball]), n * n
faces = np.concatenate([grid(n, n), grid(16, 32) + m]).astype(np.int32)
static = np.arange(len(x)) >= m
search = graze.StepSearch(faces, len(x))
edges = search.mesh.edges.astype(int)

i, j = edges[edges[:, 1] < m].T  # the springs: all edges of the cloth
rest = np.linalg.norm(x[i] - x[j], axis=1, keepdims=True)
difference = sparse.identity(m, format="csr")[i] - sparse.identity(m, format="csr")[j]
matrix = sparse.identity(m) / h**2 + stiffness * difference.T @ difference
solve = splu(matrix.tocsc()).solve


def push(x, y, hits):
    """Removes from the motion x -> y the approach of the features that meet."""
    hits = np.asarray(hits[np.isfinite(hits.normals).all(1)])
    vf, ee = (hits[hits["kind"] == k] for k in (graze.Kind.vertex_face, graze.Kind.edge_edge))
    corners = np.concatenate([
        np.column_stack([vf["a"], faces[vf["b"]]]),
        np.column_stack([edges[ee["a"]], edges[ee["b"]]]),
    ])  # fmt: skip
    weights = np.concatenate([
        np.column_stack([np.ones(len(vf)), vf["u"] + vf["v"] - 1, -vf["u"], -vf["v"]]),
        np.column_stack([1 - ee["u"], ee["u"], ee["v"] - 1, -ee["v"]]),
    ])  # fmt: skip
    normals = np.stack([np.concatenate([vf[k], ee[k]]) for k in ("nx", "ny", "nz")], -1)
    approach = np.einsum("ik,ikd,id->i", weights, (y - x)[corners], normals)
    free = weights * ~static[corners]
    change = -np.minimum(approach - 0.1 * gap, 0) / np.maximum((free**2).sum(1), 1e-3)
    total, count = np.zeros_like(x), np.ones(len(x))
    np.add.at(total, corners, (free * change[:, None])[..., None] * normals[:, None])
    np.add.at(count, corners, 0.5 * (free != 0))
    return y + total / count[:, None]


velocity, frames = np.zeros_like(x), [x]
for step in range(steps):
    goal = np.where(static[:, None], x, x + h * velocity + h * h * gravity)
    y = goal.copy()
    for _ in range(8):
        way = difference @ y[:m]
        way *= rest / np.linalg.norm(way, axis=1, keepdims=True)
        y[:m] = solve(goal[:m] / h**2 + stiffness * difference.T @ way)
    for _ in range(8):
        hits = search.all_impacts(x, y, min_separation=2 * gap, static=static)
        if len(hits) == 0:
            break
        y = push(x, y, hits)
    alpha = search.collision_free_stepsize(x, y, min_separation=gap, static=static)
    y = y if alpha == 1 else x + 0.9 * alpha * (y - x)
    assert search.earliest_impact(x, y, static=static).verdict is graze.Verdict.separated
    velocity, x = 0.99 * (y - x) / h, y
    frames.append(x)

print(f"{len(faces):,} triangles, {steps} steps, none intersects; lowest {x[:m, 2].min():.3f}")
if graze.has_viewer():
    times = h * np.arange(0, steps + 1, 2)
    page = graze.play(frames[::2], faces, times=times, title="falling cloth", z_up=True)
    page.save("falling_cloth.html")
