"""Checks an animation: prints a table of the first contact of every step and writes a page of them.

Usage: clean_animation.py [FRAME...]. The frames are files of one triangle mesh, in order, or a folder
of them. Files that Graze does not read itself (.vtk, .vtu, ...) are read with meshio. Without
arguments the example makes an animation of a sheet that folds through itself.
"""

import pathlib
import re
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
        yield faces, np.column_stack([u * np.cos(turn), u * np.sin(turn), -v])


def read(file):
    """Returns the faces and the positions of a mesh file."""
    if file.suffix in (".ply", ".obj", ".off", ".stl"):
        return graze.read_mesh(file)
    import meshio

    mesh = meshio.read(file)
    return mesh.cells_dict["triangle"], mesh.points


def files_of(arguments):
    """Returns the files, with folders replaced by the files in them, 2.ply before 10.ply."""
    for path in map(pathlib.Path, arguments):
        inside = path.iterdir() if path.is_dir() else [path]
        numbers = lambda file: [int(part) for part in re.findall(r"\d+", file.name)]  # noqa: E731
        yield from sorted(inside, key=lambda file: (numbers(file), file.name))


def main(arguments):
    """Prints the table, writes the page and returns the number of steps with a contact."""
    frames = list(map(read, files_of(arguments)) if arguments else folding_sheet())
    mesh, positions = frames[0][0], [x for _, x in frames]
    search, hits = graze.StepSearch(mesh, len(positions[0])), []
    print("step  verdict    time of impact  pair")
    for index, (x0, x1) in enumerate(zip(positions, positions[1:])):
        hit = search.earliest_impact(x0, x1, at_start="skip")
        hits.append(hit)
        pair = f"{hit.kind.name} {hit.pair}" if hit.pair else ""
        print(f"{index:4}  {hit.verdict.name:9}  {hit.toi:14.9g}  {pair}")
    bad = sum(hit.verdict is not graze.Verdict.separated for hit in hits)
    print("clean" if bad == 0 else f"{bad} steps have a contact")
    if graze.has_viewer():
        graze.play(positions, mesh, hits, title="first contacts").save("clean_animation.html")
    return bad


if __name__ == "__main__":
    main(sys.argv[1:])
