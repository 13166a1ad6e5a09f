#!/usr/bin/env python3
"""prepare.py REPOSITORY GRAZE OUT: writes the source of the documentation site into the folder OUT.

Copies docs/, the project's pages and the programs of examples/, and generates the pages that are not written by hand: one
for each public header, one for the Python package, the help of the command GRAZE, the tables of bench/results and the
figures. Links to files outside of the site become the names of these files.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import result_pages  # noqa: E402

PROJECT_PAGES = {"ARCHITECTURE.md": "architecture", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def title_of(page):
    """Returns the title of a Markdown page, without a subtitle after a colon."""
    return re.search(r"^# (.*?)(?::.*)?$", page.read_text(), re.M)[1]


def local_link(page, root):
    """Returns a function that rewrites a link of a page of the repository to one of the site. A link whose text is the name of
    a page of docs/ gets the title of that page.
    """

    def rewrite(found):
        text, target = found[1], found[2]
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return found[0]
        file = (page.parent / path).resolve()
        name = file.relative_to(root).as_posix() if file.is_relative_to(root) else path
        if name in PROJECT_PAGES:
            return f"[{text}](/project/{PROJECT_PAGES[name]}.md)"
        if name.startswith("include/graze/") and name.endswith(".h"):
            return f"[{text}](/reference/cpp/{header_page(name[len('include/'):])}.md)"
        if name.startswith("docs/") and file.suffix == ".md":
            if re.fullmatch(r"`?[\w./-]+\.md`?", text) and file.is_file():
                text = title_of(file)
            return f"[{text}](/{name[len('docs/'):]}{'#' + anchor if anchor else ''})"
        if name.startswith("docs/"):
            return found[0]
        shown = text.strip("`")
        return f"`{name}`" if shown in name else f"{text} (`{name}`)"

    return rewrite


def copy_page(page, to, root):
    """Copies a Markdown page; code blocks keep their text."""
    parts = re.split(r"(^```.*?^```$|^:::.*?$)", page.read_text(), flags=re.M | re.S)
    parts[::2] = [LINK.sub(local_link(page, root), part) for part in parts[::2]]
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text("".join(parts))


def header_page(header):
    return header[len("graze/") : -len(".h")].replace("/", "_")


def write_cpp_reference(root, out):
    """Writes a page for each public header, and their list."""
    headers = sorted(path.relative_to(root / "include").as_posix() for path in (root / "include/graze").rglob("*.h"))
    folder = out / "reference/cpp"
    folder.mkdir(parents=True)
    for header in headers:
        text = f"# {header}\n\n`#include <{header}>`\n\n"
        if header == "graze/graze.h":
            text += "```{literalinclude} /include/graze/graze.h\n:language: cpp\n```\n"
        else:
            text += f"```{{eval-rst}}\n.. doxygenfile:: {header}\n```\n"
        (folder / f"{header_page(header)}.md").write_text(text)
    (out / "reference/cpp.md").write_text(
        "# C++\n\nEach public header has a page, generated from its comments. Numbered promises are tested under the same "
        "numbers.\n\n```{toctree}\n:maxdepth: 1\n\n" + "".join(f"cpp/{header_page(h)}\n" for h in headers) + "```\n"
    )
    include = out / "include/graze"
    include.mkdir(parents=True)
    shutil.copy(root / "include/graze/graze.h", include)


def write_command_reference(graze, out):
    """Writes the help of the command and of each of its subcommands."""

    def help_of(*words):
        run = subprocess.run([graze, *words, "--help"], capture_output=True, text=True, check=True)
        return f"```text\n{run.stdout.rstrip()}\n```\n"

    top = help_of()
    names = re.findall(r"^  ([a-z]+)  +\S", top.partition("Subcommands:")[2].partition("Exit codes")[0], re.M)
    text = "# Command line\n\nThis page shows the output of `graze --help` and `graze COMMAND --help`.\n\n" + top
    for name in names:
        text += f"\n## graze {name}\n\n{help_of(name)}"
    (out / "reference/command.md").write_text(text)


PYTHON_MODULES = {"graze": "Queries, steps, meshes, pages", "graze.rigid": "Rigid bodies", "graze.polyhedron": "Polyhedra",
                  "graze.sim": "Simulations", "graze.mpi": "Steps on many ranks of MPI"}


def write_python_reference(out):
    text = "# Python\n\nThis page is generated from the docstrings, whose examples run as tests.\n"
    for module, title in PYTHON_MODULES.items():
        text += f"\n## {module}: {title}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n   :imported-members:\n```\n"
    (out / "reference/python.md").write_text(text)


def main(repository, graze, out):
    root, out = Path(repository).resolve(), Path(out)
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(root / "docs", out, ignore=shutil.ignore_patterns("site", "__pycache__", "*.md"))
    for page in sorted((root / "docs").rglob("*.md")):
        copy_page(page, out / page.relative_to(root / "docs"), root)
    for name, page in PROJECT_PAGES.items():
        copy_page(root / name, out / f"project/{page}.md", root)
    shutil.copytree(root / "examples", out / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    write_cpp_reference(root, out)
    write_command_reference(graze, out)
    write_python_reference(out)
    results = {path.stem: json.loads(path.read_text()) for path in sorted((root / "bench/results").glob("*.json"))}
    (out / "results.md").write_text(result_pages.page(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
