"""Makes the page of results: one section per file of bench/results, with tables of its rows."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import inclusions  # noqa: E402
import suite_tables  # noqa: E402

INTRODUCTION = """# Results

Every table is generated from a file of `bench/results`. Files with a machine and a commit were written by a program of
this repository: `scripts/measure` and others. The other files are *transcribed*: their numbers were typed from the output of
a run that is not stored, many of them beside the code of other projects, which [peers](/peers.md) collects. Tables were
measured on different days and machines: compare times only within one table.
"""


def shown(value):
    if isinstance(value, bool) or value is None:
        return "-" if value is None else ("yes" if value else "no")
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def generic_table(rows):
    """Returns a table, with a line for each key if there are many columns and few rows."""
    keys = list(dict.fromkeys(key for row in rows for key in row if not isinstance(row[key], (dict, list))))
    if len(rows) <= 6 < len(keys):
        lines = ["| | " + " | ".join(shown(row.get(keys[0], "")) for row in rows) + " |", "|---|" + "---:|" * len(rows)]
        lines += [f"| `{key}` | " + " | ".join(shown(row.get(key)) for row in rows) + " |" for key in keys[1:]]
    else:
        lines = ["| " + " | ".join(f"`{key}`" for key in keys) + " |", "|" + "---|" * len(keys)]
        lines += ["| " + " | ".join(shown(row.get(key)) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


def page_sections(name, result):
    """Returns the sections of a result that a page includes, with a link to that page."""
    page = result["page"]
    link = page.removeprefix("docs/")
    lines = [f"## {name}", "", f"Explained in [{link[:-3]}](/{link})." if link != page else f"Part of {page}."]
    for title, items in result["sections"].items():
        # Links of the page are relative to it, so only their text is kept.
        text = inclusions.section_text([*items, *inclusions.provenance(result, title)])
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
        lines += ["", f"### {name}: {title.replace('_', ' ')}", "", text]
    return "\n".join([*lines, ""])


def suite_sections(name, result):
    """Returns the tables of a file of scripts/measure, those that pages include."""
    lines = [f"## {name}", ""]
    for title in suite_tables.SECTIONS[name]:
        lines += [f"### {name}: {title.replace('_', ' ')}", "", inclusions.section_text(suite_tables.VIEWS[name](result, title)), ""]
        if title == "summary":
            lines += ["![Time per query and errors of the methods](/figures/methods.svg)", ""]
    return "\n".join(lines)


def section(name, result):
    if "sections" in result:
        return page_sections(name, result)
    if name in suite_tables.VIEWS:
        return suite_sections(name, result)
    facts = {key: value for key, value in result.items() if not isinstance(value, (dict, list))}
    facts |= {key: value for key, value in result.get("machine", {}).items() if not isinstance(value, (dict, list))}
    lines = [f"## {name}", "", "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()) + ".", ""]
    rows = result.get("rows", [])
    if rows:
        lines += [generic_table(rows), ""]
    for key, value in result.items():
        if key != "rows" and isinstance(value, list) and value and isinstance(value[0], dict):
            lines += [f"### {key.replace('_', ' ')}", "", generic_table(value), ""]
    return "\n".join(lines)


def page(results):
    # The comparison of methods comes first. Its tables contain the rows of the files in suite_tables.FURTHER.
    names = sorted(results.keys() - suite_tables.FURTHER.keys(), key=lambda name: (name != "narrow", name))
    return "\n".join([INTRODUCTION, *(section(name, results[name]) for name in names)])
