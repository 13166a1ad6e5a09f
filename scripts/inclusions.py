#!/usr/bin/env python3
"""Keeps the measured numbers of the Markdown pages equal to the files of bench/results.

Usage: scripts/inclusions.py           lists the inclusions that differ from their results; exit code 1 if there is one
       scripts/inclusions.py --write   rewrites them

An inclusion is the text of a page between the lines

    <!-- bench/results/FILE.json: SECTION -->
    <!-- end -->

It shows a section of the file. A file that a program writes (scripts/measure and others) has rows; the functions of VIEWS and
of suite_tables.py make its sections. In a file that is written by hand, `sections` maps the name to a list of paragraphs and
of tables ({"columns": [...], "align": "lr...", "rows": [[...]]}), and `transcribed` maps it to a sentence that states where
its numbers come from, since the output of the run is not stored. Change the file and run this script; never edit the text
between the marks.
"""

import json
import re
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser_tables  # noqa: E402
import gpu_tables  # noqa: E402
import mpi_tables  # noqa: E402
import suite_tables  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
INCLUSION = re.compile(r"^(<!-- bench/results/(\S+)\.json: (\S+) -->\n)(.*?)^(<!-- end -->)$", re.M | re.S)


def pages(root=ROOT):
    return [root / "README.md", root / "ARCHITECTURE.md", *sorted((root / "docs").rglob("*.md"))]


def shown(value):
    """Returns a number with commas, or text as it is."""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def table(content):
    marks = {"l": "---", "r": "---:"}
    align = content.get("align", "l" * len(content["columns"]))
    lines = ["| " + " | ".join(content["columns"]) + " |", "|" + "|".join(marks[mark] for mark in align) + "|"]
    lines += ["| " + " | ".join(map(shown, row)) + " |" for row in content["rows"]]
    return re.sub(r"\|  (?=\|)", "| ", "\n".join(lines))


def paragraph(text):
    """Returns a paragraph, or a list item if it begins with "- ", in lines of at most 115 characters."""
    indent = "  " if text.startswith("- ") else ""
    return "\n".join(textwrap.wrap(text, 115, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def section_text(items):
    """Returns the Markdown of a section. Items of one list follow each other without an empty line."""
    out = []
    for item in items:
        text = paragraph(item) if isinstance(item, str) else table(item)
        tight = out and text.startswith("- ") and out[-1].startswith("- ")
        out.append(("" if tight else "\n") + text)
    return "\n".join(out).lstrip("\n")


def provenance(results, section):
    """Returns the sentence on the origin of a section that was written by hand, in a list."""
    said = results.get("transcribed", {}).get(section)
    return [f"(Transcribed: {said})"] if said else []


def robot_edges(results):
    """Returns the table of `graze bench --suite robot`."""
    names = {"graze": "Graze, proven", "fcl_0.01": "FCL, poses every 0.01 rad", "fcl_0.001": "FCL, poses every 0.001 rad",
             "fcl_distance": "advancement on FCL's distance"}
    rows = [[row["world"], names[row["method"]], row["edges"], row["contacts"], row["missed"], f"{row['median_us']:.1f}",
             f"{row['p99_us']:.0f}", round(row["edges_per_second"])] for row in results["rows"]]
    machine = results["machine"]
    note = (f"One run of `graze bench --suite robot` ({machine['date'][:10]}) on one core of a virtual machine with a "
            f"processor {machine['cpu']}; processor times. Missed: edges that Graze proves in contact and the method "
            "calls free.")
    return section_text([note, {"columns": ["world", "method", "edges", "contacts", "missed", "median, us", "p99, us",
                                            "edges/s"], "align": "llrrrrrr", "rows": rows}])


def python_package(results):
    """Returns the table of bench/python/compare.py: the parts that were run."""
    shown_by = {
        "calls": lambda part: [
            ["`first_contact()` of no query", f"{part['first_contact_of_nothing_us']:.2f} us"],
            ["`first_contact()` of one query", f"{part['first_contact_of_one_query_us']:.2f} us"],
            ["`earliest_impact()` of an empty mesh", f"{part['earliest_impact_of_nothing_us']:.2f} us"],
            ["the same with an option", f"{part['earliest_impact_with_an_option_us']:.2f} us"]],
        "million": lambda part: [
            ["1,000,000 vertex-face queries, time over that of the command", f"{part['ratio']:.3f}"],
            [f"growth of the peak memory by these queries ({part['queries_mib']:.0f} MiB) and their answers "
             f"({part['answers_mib']:.0f} MiB)", f"{part['peak_memory_grew_by_mib']:.0f} MiB"]],
        "step": lambda part: [["all impacts of cloth-ball, time over that of the command", f"{part['ratio']:.3f}"]],
        "faces": lambda part: [
            [f"check and copy of the {part['faces']:,} faces of cloth-ball ({part['copy_mib']:.1f} MiB)",
             f"{part['copy_ms']:.2f} ms"],
            ["the same as a part of the time to make their mesh", f"{100 * part['part_of_mesh']:.1f} %"],
            ["the same as a part of the time of one `earliest_impact()`", f"{100 * part['part_of_first_impact']:.2f} %"]],
        "threads": lambda part: [
            [f"eight calls in eight threads of Python on {part['cores']} cores, speed over one call after the other",
             f"{part['faster']:.2f}"]],
    }
    parts = [name for name in shown_by if name in results]
    runs = sorted({(results[name]["machine"]["date"][:10], results[name]["machine"]["commit"]) for name in parts})
    machine = results[parts[-1]]["machine"]
    note = (f"Measured by `bench/python/compare.py` on {machine['cores']} cores of {machine['cpu']} with Python "
            f"{machine['python']} and NumPy {machine['numpy']}: {', '.join(f'{day} at commit {commit}' for day, commit in runs)}.")
    rows = [row for name in parts for row in shown_by[name](results[name])]
    return section_text([note, {"columns": ["measure", "result"], "align": "lr", "rows": rows}])


def browser(section):
    return lambda results: section_text(browser_tables.VIEWS[section](results))


# Sections of files that programs write, by the prefix of the file's name and the section.
VIEWS = {
    **{("browser", section): browser(section) for section in browser_tables.VIEWS},
    ("gpu", "steps"): gpu_tables.steps,
    ("gpu", "queries"): gpu_tables.queries,
    ("mpi", "ranks"): mpi_tables.measured,
    ("mpi", "larger"): mpi_tables.computed,
    ("python", "package"): python_package,
    ("robot", "edges"): robot_edges,
    ("scale", "two_ranks"): mpi_tables.two_ranks,
}


def included(file, section, root=ROOT):
    """Returns the text of an inclusion."""
    results = json.loads((root / "bench/results" / f"{file}.json").read_text())
    if section in results.get("sections", {}):
        return section_text([*results["sections"][section], *provenance(results, section)])
    if file in suite_tables.VIEWS:
        return section_text(suite_tables.VIEWS[file](results, section))
    view = VIEWS.get((file.partition("-")[0], section))
    if not view:
        raise SystemExit(f"bench/results/{file}.json has no section {section}")
    return view(results)


def rewritten(text, root=ROOT):
    """Returns the page with its inclusions rewritten from the results."""
    return INCLUSION.sub(lambda found: f"{found[1]}\n{included(found[2], found[3], root)}\n\n{found[5]}", text)


def without_inclusions(text):
    """Returns the page without its inclusions; lines keep their numbers."""
    return INCLUSION.sub(lambda found: "\n" * found[0].count("\n"), text)


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    differ = 0
    for page in pages():
        text = page.read_text()
        wanted = rewritten(text)
        if wanted == text:
            continue
        if sys.argv[1:]:
            page.write_text(wanted)
        else:
            differ = 1
            print(f"{page.relative_to(ROOT)}: run scripts/inclusions.py --write")
    return differ


if __name__ == "__main__":
    sys.exit(main())
