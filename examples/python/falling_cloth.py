"""A cloth falls onto a static tent: symplectic Euler, with Graze as the filter of every step.

The predicted step is shortened to the largest part that keeps a distance of 1e-4 everywhere, and
vertices in contact lose the velocity towards each other. No frame intersects. With the viewer
installed, the last step is written to falling_cloth.html. Usage: falling_cloth.py [VERTICES_PER_SIDE].
"""

import sys

import graze
import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 16
u, v = (a.ravel() for a in np.meshgrid(np.linspace(-0.5, 0.5, n), np.linspace(-0.5, 0.5, n)))
corner = np.arange(n * n).reshape(n, n)
a, b, c, d = corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]
cloth = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
tent = np.array([[-1, -1, -0.4], [1, -1, -0.4], [1, 1, -0.4], [-1, 1, -0.4], [0.03, 0.02, 0]])
sides = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]) + n * n
x = np.concatenate([np.column_stack([u, v, np.full(n * n, 0.1)]), tent])
faces = np.concatenate([cloth, sides]).astype(np.int32)
static = np.arange(len(x)) >= n * n

sides_of = np.concatenate([cloth[:, [0, 1]], cloth[:, [1, 2]], cloth[:, [2, 0]]])
springs = np.unique(np.sort(sides_of), axis=0)
rest = np.linalg.norm(x[springs[:, 0]] - x[springs[:, 1]], axis=1)
velocity = np.zeros_like(x)
search = graze.StepSearch(faces, len(x))
gap, h = 1e-4, 2e-3

for frame in range(100):
    way = x[springs[:, 1]] - x[springs[:, 0]]
    length = np.linalg.norm(way, axis=1, keepdims=True)
    pull = 2e3 * (length - rest[:, None]) * way / length
    force = np.zeros_like(x)
    np.add.at(force, springs[:, 0], pull)
    np.add.at(force, springs[:, 1], -pull)
    velocity += h * (force + (0, 0, -9.81))
    velocity *= 0.99
    velocity[static] = 0
    hits = search.all_impacts(x, x + h * velocity, min_separation=2 * gap, static=static)
    mesh_edges = search.mesh.edges
    for hit in hits:
        first, second = graze.Kind(hit["kind"]).name.split("_")
        table = {"vertex": np.arange(len(x))[:, None], "edge": mesh_edges, "face": faces}
        normal = np.array((hit["nx"], hit["ny"], hit["nz"]))
        if np.isnan(normal).any():
            continue
        p, q = table[first][hit["a"]], table[second][hit["b"]]
        closing = velocity[p].mean(0) @ normal - velocity[q].mean(0) @ normal
        if closing < 0:
            velocity[p] -= closing * normal * 0.5
            velocity[q] += closing * normal * 0.5
    velocity[static] = 0
    alpha = search.collision_free_stepsize(x, x + h * velocity, min_separation=gap, static=static)
    if alpha < 1:
        alpha *= 0.9
        velocity *= alpha
    previous, x = x, x + h * velocity
    clean = search.earliest_impact(previous, x, static=static)
    assert clean.verdict is graze.Verdict.separated, clean

print("lowest point", x[: n * n, 2].min(), "- no frame intersects;", search)
try:
    graze.show(previous, x, faces, title="falling cloth", z_up=True).save("falling_cloth.html")
except RuntimeError as reason:
    print(reason)
