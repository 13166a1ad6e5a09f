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


def draw_time_slabs(file):
    figure, plots = axes(7, 2.8, ncols=2, sharey=True)
    start, end, size = np.array([(0, 0), (0.5, 2.6), (1.4, 0.4)]), np.array([(3, 2), (3.6, 0.4), (4.4, 2.4)]), 0.3
    for plot, slabs, title in zip(plots, (1, 4), ("one slab", "the second of four slabs")):
        t0, t1 = (0, 1) if slabs == 1 else (0.25, 0.5)
        for p, q, color in zip(start, end, (BLUE, RED, GREY)):
            a, b = (1 - t0) * p + t0 * q, (1 - t1) * p + t1 * q
            lo, hi = np.minimum(a, b), np.maximum(a, b) + size
            plot.add_patch(plt.Rectangle(lo, *(hi - lo), fill=True, alpha=0.15, color=color))
            plot.add_patch(plt.Rectangle(lo, *(hi - lo), fill=False, color=color))
            plot.annotate("", q + size / 2, p + size / 2, arrowprops={"arrowstyle": "->", "color": color, "lw": 0.8})
        plot.set(xlim=(-0.3, 5), ylim=(-0.3, 3.3), title=title, xticks=[], yticks=[], aspect="equal")
    save(figure, file)


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


def draw_expel_zone(file):
    figure, plot = axes(6.4, 2.8)
    plot.add_patch(plt.Rectangle((4, 0), 1, 3, color=GREY))
    plot.add_patch(plt.Rectangle((3.7, 0), 0.3, 3, color=RED, alpha=0.2))
    plot.text(3.85, 2.8, "zone", color=RED, ha="center", va="top", rotation=90)
    for x, style in ((0.6, "--"), (2.7, "-")):
        plot.add_patch(plt.Rectangle((x, 1), 1, 1, fill=False, color=BLUE, ls=style))
    plot.annotate("", (2.6, 1.5), (1.7, 1.5), arrowprops={"arrowstyle": "->", "color": BLUE})
    for way in ((0, 0.8), (0, -0.8), (-0.6, 0.6), (-0.6, -0.6)):
        plot.annotate("", (3.2 + way[0], 1.5 + way[1]), (3.2, 1.5), arrowprops={"arrowstyle": "->", "color": GREY, "lw": 0.8})
    plot.set(xlim=(0, 5.2), ylim=(0, 3), xticks=[], yticks=[], aspect="equal")
    plot.spines[["left", "bottom"]].set_visible(False)
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
    draw_time_slabs(out / "time_slabs.svg")
    draw_expel_zone(out / "expel_zone.svg")
    with tempfile.TemporaryDirectory() as folder:
        (out / "double_root.md").write_text(table_of_answers(graze, GRAZING, Path(folder)))
        draw_advancement(graze, Path(folder), out / "advancement.svg")
        (out / "worked_query.md").write_text(worked_query(graze, Path(folder)))
    (out.parent / "gallery.md").write_text(write_gallery(graze, out))


if __name__ == "__main__":
    main(*sys.argv[1:])
