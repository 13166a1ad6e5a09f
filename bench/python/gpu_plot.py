#!/usr/bin/env python3
"""Draws time against triangles from the results of gpu_times.

Usage: bench/python/gpu_plot.py bench/results/gpu-NAME.json docs/images/gpu-times.svg
"""

import json
import math
import sys

LINES = [
    ("cpu_earliest_1_us", "CPU, 1 thread", "#777777"),
    ("cpu_earliest_all_threads_us", "CPU, {} threads", "#1f77b4"),
    ("earliest_pinned_us", "GPU, from the host", "#ff7f0e"),
    ("earliest_resident_us", "GPU, resident", "#d62728"),
]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 190, 40, 50


def unit(power):
    """Returns 10^power microseconds as text."""
    names = ["us", "ms", "s"]
    return f"{10 ** (power % 3)} {names[power // 3]}"


def count(power):
    return f"{10 ** (power % 3)}{['', 'k', 'M'][power // 3]}"


def draw(results):
    rows = [row for row in results["rows"] if row["scene"].startswith("cloth_on_cone")]
    x = [math.log10(row["triangles"]) for row in rows]
    y = [math.log10(row[key]) for row in rows for key, _, _ in LINES]
    x0, x1 = math.floor(min(x)), math.ceil(max(x))
    y0, y1 = math.floor(min(y)), math.ceil(max(y))

    def place(log_x, log_y):
        return (
            LEFT + (log_x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (log_y - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM),
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22">First impact of cloth_on_cone: {results["gpu"]}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
        "triangles</text>",
    ]
    for power in range(x0, x1 + 1):
        a, b = place(power, y0), place(power, y1)
        parts.append(f'<path d="M{a[0]:.1f} {a[1]:.1f}V{b[1]:.1f}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{a[0]:.1f}" y="{a[1] + 18:.1f}" text-anchor="middle">{count(power)}</text>'
        )
    for power in range(y0, y1 + 1):
        a, b = place(x0, power), place(x1, power)
        parts.append(f'<path d="M{a[0]:.1f} {a[1]:.1f}H{b[0]:.1f}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{a[0] - 8:.1f}" y="{a[1] + 4:.1f}" text-anchor="end">{unit(power)}</text>'
        )
    for key, label, colour in LINES:
        points = [place(log_x, math.log10(row[key])) for log_x, row in zip(x, rows)]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
        parts.append(
            f'<text x="{points[-1][0] + 10:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">'
            f'{label.format(results["host_threads"])}</text>'
        )
    return "\n".join(parts + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        picture = draw(json.load(file))
    with open(sys.argv[2], "w") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
