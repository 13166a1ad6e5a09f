#!/usr/bin/env python3
"""figures.py GRAZE OUT: draws the figures of docs/concepts and answers their queries with the command GRAZE.

Needs the Python package graze.
"""

import csv
import json
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BLUE, RED, GREY = "#2962ff", "#d32f2f", "#777777"

# A vertex that grazes a tilting triangle: D(t) = -(t - 1/2)^2.
GRAZING = [[(0, 0.25, 0.25), (0, 0, 0), (1, 0, 1), (0, 1, 0)], [(1, 0.25, 0.25), (0, 0, 0), (1, 0, 0), (0, 1, 0)]]
# The query of examples/one_query.cpp.
FALLING = [[(0, 0, 1), (-1, -1, 0), (1, -1, 0), (0, 1, 0)], [(0, 0, -1), (-1, -1, 0), (1, -1, 0.25), (0, 1, -0.25)]]


def write_query(file, query):
    """Writes a query as CSV: a line for each corner, numerators and denominators of its coordinates."""
    with open(file, "w", encoding="ascii") as out:
        for corner in query[0] + query[1]:
            numbers = [Fraction(x).as_integer_ratio() for x in corner]
            out.write(",".join(f"{n},{d}" for n, d in numbers) + "\n")


def coplanarity(query):
    """Returns D, a function of t in doubles."""
    start, end = (np.array(corners, float) for corners in query)

    def value(t):
        x = (1 - t) * start + t * end
        return np.linalg.det(x[1:] - x[0])

    return value


def bernstein(query):
    """Returns the Bernstein coefficients of D as exact fractions."""
    start, end = ([[Fraction(x) for x in corner] for corner in corners] for corners in query)

    def value(t):
        x = [[(1 - t) * a + t * b for a, b in zip(p, q)] for p, q in zip(start, end)]
        (a, b, c), (d, e, f), (g, h, i) = [[x[k][j] - x[0][j] for j in range(3)] for k in (1, 2, 3)]
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    y = [value(Fraction(k, 3)) for k in range(4)]
    return [y[0], (-5 * y[0] + 18 * y[1] - 9 * y[2] + 2 * y[3]) / 6, (2 * y[0] - 9 * y[1] + 18 * y[2] - 5 * y[3]) / 6, y[3]]


def answers(graze, query, folder):
    """Returns the answer of every method to a vertex-face query, by name."""
    file, out = folder / "one-vertex-face.csv", folder / "answers.csv"
    write_query(file, query)
    methods = json.loads(subprocess.run([graze, "methods", "--json"], capture_output=True, check=True).stdout)
    found = {}
    for method in methods:
        if "vertex-face" not in method["primitives"]:
            continue
        subprocess.run([graze, "query", file, "--method", method["name"], "--out", out], capture_output=True, check=True)
        with open(out, encoding="ascii") as rows:
            found[method["name"]] = (method["guarantee"], next(csv.DictReader(rows)))
    return found


def table_of_answers(graze, query, folder):
    lines = ["| method | guarantee | verdict | toi |", "|---|---|---|---|"]
    for name, (guarantee, row) in answers(graze, query, folder).items():
        missed = " (missed)" if row["verdict"] == "separated" else ""
        lines.append(f"| `{name}` | {guarantee} | {row['verdict']}{missed} | {row['toi']} |")
    return "\n".join(lines) + "\n"


def worked_query(graze, folder):
    """Returns a table of the numbers of the stages for the falling vertex."""
    c = bernstein(FALLING)
    row = answers(graze, FALLING, folder)["exact"][1]
    d = coplanarity(FALLING)
    toi = float(row["toi"])
    return f"""| stage | numbers | result |
|---|---|---|
| separating directions | along z: 1 - 0 > 0 at the start, -1 - (-0.25) < 0 at the end; along x and y the vertex is between the corners | passed on |
| Bernstein coefficients of `D` | {", ".join(f"{float(x):.6g}" for x in c)} | one change of sign: one simple root |
| Newton's method | `D` is about {d(np.nextafter(toi, 0)):.2g} at {np.nextafter(toi, 0):.17g} and {d(np.nextafter(toi, 1)):.2g} at {np.nextafter(toi, 1):.17g} | the root is enclosed |
| sides | u = {float(row["u"]):.6g}, v = {float(row["v"]):.6g}, 1 - u - v = {1 - float(row["u"]) - float(row["v"]):.6g}: all positive, far from 0 | contact |
| last bit | `toi` = {row["toi"]}, `toi_hi` = {row["toi_hi"]} | two neighbouring doubles, or one |
"""


def save(figure, file):
    figure.tight_layout()
    figure.savefig(file, transparent=True)
    plt.close(figure)


def axes(width=6.4, height=2.6, **options):
    figure, plot = plt.subplots(figsize=(width, height), **options)
    for each in np.atleast_1d(plot):
        each.patch.set_facecolor("white")
        each.spines[["top", "right"]].set_visible(False)
    figure.patch.set_facecolor("white")
    return figure, plot


def draw_double_root(file):
    figure, plot = axes()
    t = np.linspace(0, 1, 201)
    plot.axhline(0, color=GREY, lw=0.8)
    plot.plot(t, [coplanarity(GRAZING)(x) for x in t], color=BLUE)
    samples = np.linspace(0, 1, 8)
    plot.plot(samples, [coplanarity(GRAZING)(x) for x in samples], "o", color=GREY, label="samples: no change of sign")
    plot.plot([0.5], [0], "o", color=RED, label="contact")
    plot.set_xlabel("t")
    plot.set_ylabel("D(t)")
    plot.legend(frameon=False)
    save(figure, file)


def draw_rounding(file):
    figure, plot = axes()
    shift = 1 / 3  # coordinates that are no small powers of two
    query = [[tuple(x + shift for x in corner) for corner in corners] for corners in GRAZING]
    t = 0.5 + np.linspace(-2e-8, 2e-8, 401)
    plot.axhline(0, color=GREY, lw=0.8)
    plot.plot(t - 0.5, [coplanarity(query)(x) for x in t], ".", ms=3, color=BLUE, label="computed in doubles")
    plot.plot(t - 0.5, -((t - 0.5) ** 2), color=RED, label="exact, up to the rounding of the corners")
    plot.set_xlabel("t - 1/2")
    plot.set_ylabel("D(t)")
    plot.legend(frameon=False)
    save(figure, file)


def passing_knots(graze, folder):
    """Returns a step: the faces of two knots, and their positions at the start and at the end. One knot flies past the other
    and turns; every vertex moves on a straight line.
    """
    import graze as package

    model = folder / "knot.obj"
    subprocess.run([graze, "generate", "knot_2880", "--out", model], capture_output=True, check=True)
    mesh, x = package.read_mesh(model)[:2]
    c, s = np.cos(1.2), np.sin(1.2)
    start = x + (7, 2.5, 0)
    end = x @ np.array([(c, s, 0), (-s, c, 0), (0, 0, 1)]) + (-6, 0.5, 0)
    return np.concatenate([mesh.faces, mesh.faces + len(x)]), np.concatenate([x, start]), np.concatenate([x, end])


def slab_counts(faces, start, end, toi):
    """Yields (n, pairs, between): the number of pairs of features whose swept boxes overlap, summed over the slabs up to the
    time toi, if the step is cut into n equal slabs; and those of them whose features belong to different halves of the mesh."""
    import graze as package

    halves = (np.arange(len(start)) >= len(start) // 2).astype(np.uint32)
    for n in (1, 2, 4, 8, 16, 32, 64):
        times = np.arange(int(np.floor(n * toi)) + 2) / n
        frames = [(1 - t) * start + t * end for t in times]
        counts = []
        for options in ({}, {"groups": halves, "within_group": False}):
            found = [package.find_pairs(faces, a, b, **options) for a, b in zip(frames, frames[1:])]
            counts.append(sum(len(pairs.vertex_face) + len(pairs.edge_edge) for pairs in found))
        yield n, *counts


def draw_time_slabs(graze, folder, file):
    """Draws the swept boxes of a step and of one of its slabs, and the pairs to test by the number of slabs."""
    import graze as package

    faces, start, end = passing_knots(graze, folder)
    toi = package.earliest_impact(faces, start, end).toi
    slabs = 32
    first = np.floor(slabs * toi) / slabs
    figure, (above, below, right) = axes(7, 3.4, ncols=3)
    for plot, place in ((above, (0, 0.52, 0.6, 0.42)), (below, (0, 0, 0.6, 0.42)), (right, (0.69, 0.15, 0.3, 0.72))):
        plot.set_position(place)
    for plot, t0, t1, title in ((above, 0, 1, "swept boxes, whole step"),
                                (below, first, first + 1 / slabs, f"swept boxes, slab {int(slabs * toi) + 1} of {slabs}")):
        a, b = (1 - t0) * start + t0 * end, (1 - t1) * start + t1 * end
        corners = np.concatenate([a[faces], b[faces]], axis=1)
        lo, hi = corners.min(axis=1), corners.max(axis=1)
        for face in range(0, len(faces), 24):
            color = BLUE if face < len(faces) // 2 else RED
            plot.add_patch(plt.Rectangle(lo[face, :2], *(hi - lo)[face, :2], fill=False, lw=0.5, alpha=0.7, color=color))
        plot.set(xticks=[], yticks=[], aspect="equal", xlim=(-9, 10), ylim=(-2.5, 4.5))
        plot.set_title(title, fontsize=8)
        plot.spines[["left", "bottom"]].set_visible(False)
    number, pairs, between = zip(*slab_counts(faces, start, end, toi))
    right.plot(number, pairs, ".-", color=GREY, label="all")
    right.plot(number, between, ".-", color=RED, label="of both knots")
    right.set(xscale="log", yscale="log", xlabel="slabs of the step")
    right.set_title("pairs up to the first impact", fontsize=8)
    right.legend(frameon=False, fontsize=7, loc="center right")
    figure.savefig(file, transparent=True)
    plt.close(figure)


def search_of_advance(graze, folder):
    """Returns the search of rigid::advance for two knots, one of which flies and turns: the times up to which it has proven
    the motion free after 1, 2, ... checks, the last of which ends it, and the answer; and a function that returns the distance.
    """
    import graze as package
    from graze import rigid

    model = folder / "knot.obj"
    subprocess.run([graze, "generate", "small_knot", "--out", model], capture_output=True, check=True)
    mesh, positions = package.read_mesh(model)[:2]
    knot = rigid.Body(positions, mesh.faces)
    motion = rigid.linear_motion(rigid.Pose(translation=(6, 0, 0)), rigid.Pose.from_axis_angle((0, 0, 1), 2.5, (-1, 1.2, 0.8)))
    still = rigid.resting()
    proven = []
    while not proven or answer.verdict.name == "undecided":
        answer = rigid.advance(knot, motion, knot, still, max_checks=len(proven) + 1)
        proven.append(answer.toi)
    return proven, answer, lambda t: rigid.distance(knot, motion.pose_at(t), knot, rigid.Pose()).lo


def draw_advancement(graze, folder, file):
    proven, answer, distance = search_of_advance(graze, folder)
    figure, (above, below) = axes(height=3.6, nrows=2, sharex=True)
    t = np.linspace(0, 1.15 * answer.toi, 116)
    above.plot(t, [distance(x) for x in t], color=BLUE)
    above.axvline(answer.toi, color=GREY, lw=0.8)
    above.set_ylabel("distance")
    below.plot(proven, range(1, len(proven) + 1), ".-", color=RED, ms=4, lw=0.9, label="proven free up to t")
    below.axvline(answer.toi, color=GREY, lw=0.8, label="contact")
    below.set_yscale("log")
    below.set_ylabel("checks")
    below.set_xlabel("t")
    below.legend(frameon=False)
    save(figure, file)


def write_box(file, lo, hi):
    """Writes a box as OBJ."""
    corners = [[(lo, hi)[(k >> axis) & 1][axis] for axis in range(3)] for k in range(8)]
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    with open(file, "w", encoding="ascii") as out:
        out.writelines("v {} {} {}\n".format(*corner) for corner in corners)
        out.writelines("f {} {} {}\nf {} {} {}\n".format(*(1 + s[k] for k in (0, 1, 2, 0, 2, 3))) for s in sides)


def expelled(graze, folder, start, end):
    """Returns where the command stops a unit box on its way from `start` to `end`, beside a wall, with a zone of 1.2."""
    wall, box = folder / "wall.obj", folder / "box.obj"
    write_box(wall, (4, -4, -1), (5, 4, 1))
    write_box(box, (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
    words = ["--from", "{!r} {!r} 0".format(*map(float, start)), "--to", "{!r} {!r} 0".format(*map(float, end))]
    run = subprocess.run([graze, "trace", wall, box, *words, "--expel", "--thickness", "1.2", "--json"], capture_output=True)
    if run.returncode > 1:
        raise RuntimeError(run.stderr.decode())
    return np.array(json.loads(run.stdout)["end"]["translation"][:2])


def draw_expel_zone(graze, folder, file):
    """Draws a move up to a wall, and the ends of 32 moves from there. A body stops at a quarter of the thickness."""
    start = np.array([0.6, 0.0])
    stop = expelled(graze, folder, start, (4.5, 0.0))
    figure, plot = axes(6.4, 3)
    plot.add_patch(plt.Rectangle((4, -2), 1, 4, color=GREY))
    plot.add_patch(plt.Rectangle((3.7, -2), 0.3, 4, color=RED, alpha=0.2))
    plot.text(3.85, 1.85, "zone", color=RED, ha="center", va="top", rotation=90)
    for centre, style in ((start, "--"), (stop, "-")):
        plot.add_patch(plt.Rectangle(centre - 0.5, 1, 1, fill=False, color=BLUE, ls=style))
    for angle in np.arange(32) * np.pi / 16:
        way = np.array([np.round(np.cos(angle), 12), np.round(np.sin(angle), 12)])
        end = expelled(graze, folder, stop, stop + way)
        plot.plot(*zip(stop, end), color=GREY, lw=0.8)
        plot.plot(*end, ".", color=GREY, ms=4)
    plot.plot(*zip(start, stop), color=BLUE, lw=0.8)
    plot.set(xlim=(0, 5.2), ylim=(-2, 2), xticks=[], yticks=[], aspect="equal")
    plot.spines[["left", "bottom"]].set_visible(False)
    save(figure, file)


def draw_methods(results, file):
    """Draws the mean time per query of the methods of README.md, and how many of the contacts each missed or reported late.
    `results`: bench/results/narrow.json."""
    sys.path.insert(0, str(ROOT / "scripts"))
    import results_table
    import suite_tables

    rows = suite_tables.rows_of(results["rows"])
    figure, (left, right) = axes(7, 3.2, ncols=2, sharey=True)
    groups = {"random": BLUE, "simulation": GREY, "degenerate": RED}
    for place, method in enumerate(results_table.METHODS):
        of = [row for row in rows if row["method"] == method and row["queries"]]
        for shift, (name, color) in enumerate(groups.items()):
            chosen = [row for row in of if results_table.group(row) == name]
            ns = sum(row["ns_per_query"] * row["queries"] for row in chosen) / sum(row["queries"] for row in chosen)
            left.barh(place + 0.25 * (shift - 1), ns, 0.22, color=color, label=name if place == 0 else None)
        queries = sum(row["queries"] for row in of)
        wrong = sum(row["false_negatives"] + row["late"] for row in of)
        alarms = sum(row["false_positives"] or 0 for row in of)
        right.barh(place - 0.15, 100 * wrong / queries, 0.26, color=RED, label="missed or late" if place == 0 else None)
        right.barh(place + 0.15, 100 * alarms / queries, 0.26, color=GREY, label="false alarms" if place == 0 else None)
    left.set(xscale="log", xlabel="ns per query", yticks=range(len(results_table.METHODS)), yticklabels=list(results_table.METHODS))
    left.invert_yaxis()
    right.set(xlabel="percent of the queries")
    for plot in (left, right):
        plot.legend(frameon=False, fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1), ncol=3)
    save(figure, file)


GALLERY_PAGE = """# Gallery

These pages were written by the command with `--html`. Each is one file and needs no network.

"""
GALLERY = [
    ("A ball falls through a net of cables", ["sim", "hoop", "--seconds", "2"]),
    ("Four rings fall onto each other", ["sim", "rings", "--seconds", "1.5"]),
    ("A cable is pulled into a knot", ["sim", "knot", "--seconds", "2"]),
]


def write_gallery(graze, folder):
    """Writes a page for each scene. Returns the page of the gallery, which states if the viewer was not built."""
    text = GALLERY_PAGE
    for number, (title, words) in enumerate(GALLERY):
        page = folder.parent / f"gallery/{number}.html"
        page.parent.mkdir(exist_ok=True)
        run = subprocess.run([graze, *words, "--html", page], capture_output=True, text=True)
        if run.returncode == 2:
            return GALLERY_PAGE + "The viewer was not built (it needs Node.js and npm), so there are no pages to show.\n"
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        text += (f"## {title}\n\n```sh\ngraze {' '.join(words)} --html {words[1]}.html\n```\n\n"
                 f'<iframe class="viewer" loading="lazy" title="{title}" src="gallery/{number}.html"></iframe>\n\n')
    return text


def main(graze, out):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"font.size": 9, "svg.hashsalt": "graze"})
    draw_double_root(out / "double_root.svg")
    draw_rounding(out / "rounding.svg")
    draw_methods(json.loads((ROOT / "bench/results/narrow.json").read_text()), out / "methods.svg")
    with tempfile.TemporaryDirectory() as folder:
        (out / "double_root.md").write_text(table_of_answers(graze, GRAZING, Path(folder)))
        draw_time_slabs(graze, Path(folder), out / "time_slabs.svg")
        draw_advancement(graze, Path(folder), out / "advancement.svg")
        draw_expel_zone(graze, Path(folder), out / "expel_zone.svg")
        (out / "worked_query.md").write_text(worked_query(graze, Path(folder)))
    (out.parent / "gallery.md").write_text(write_gallery(graze, out))


if __name__ == "__main__":
    main(*sys.argv[1:])
