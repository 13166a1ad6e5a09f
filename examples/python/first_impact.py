"""Finds the first impact of a mesh between two frames, all contacts, and a step that is free."""

import graze
import numpy as np

faces = np.array([[0, 1, 2]], dtype=np.int32)
x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
x1 = x0.copy()
x1[3, 2] = -1

step = graze.earliest_impact(faces, x0, x1)
print(step)
print("normal", step.normal, "point", step.point)

hits = graze.all_impacts(faces, x0, x1, min_separation=1e-3)
for hit in hits:
    print(graze.Kind(hit["kind"]).name, hit["a"], hit["b"], "at", hit["toi"])

alpha = graze.collision_free_stepsize(faces, x0, x1, min_separation=1e-4)
print("free up to", alpha)
assert graze.earliest_impact(faces, x0, x0 + alpha * (x1 - x0)).verdict is graze.Verdict.separated
