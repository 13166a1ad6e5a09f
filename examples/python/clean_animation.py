"""Checks an animation: prints a table of the first contact of every step.

Usage: clean_animation.py [FRAME...]. The frames are mesh files of one mesh, in order. Without
arguments the example makes an animation of a sheet that folds through itself.
"""

import sys

import graze
import numpy as np


def folding_sheet(frames=6, n=16):
    """Returns the faces and the frames of a sheet whose right half turns over onto the left."""
    u, v = (a.ravel() for a in np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n)))
    corner = np.arange(n * n).reshape(n, n)
    a, b, c, d = corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    for angle in np.linspace(0, 1.2 * np.pi, frames):
        turn = np.where(u > 0, angle, 0)
        yield faces, np.column_stack([u * np.cos(turn), v, u * np.sin(turn)])


def main(files):
    """Prints the table and returns the number of steps with a contact."""
    frames = map(graze.read_mesh, files) if files else folding_sheet()
    previous, search, bad = None, None, 0
    print("step  verdict    time of impact  pair")
    for index, (mesh, positions) in enumerate(frames):
        search = search or graze.StepSearch(mesh, len(positions))
        if previous is not None:
            hit = search.earliest_impact(previous, positions, at_start="skip")
            bad += hit.verdict is not graze.Verdict.separated
            pair = f"{hit.kind.name} {hit.pair}" if hit.pair else ""
            print(f"{index - 1:4}  {hit.verdict.name:9}  {hit.toi:14.9g}  {pair}")
        previous = positions
    print("clean" if bad == 0 else f"{bad} steps have a contact")
    return bad


if __name__ == "__main__":
    main(sys.argv[1:])
