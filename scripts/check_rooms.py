#!/usr/bin/env python3
"""Checks the borders between the rooms of src/graze. One line per offence, exit 1 if there is any."""

import re
import sys
from pathlib import Path

# What each room may include besides itself and the standard library. "spine" stands for the files
# directly below src/graze, except the umbrella graze.h, which includes what it likes.
ROOMS = {
    "core": [],
    "exact": ["core"],
    "narrow": ["core", "exact"],
    "narrow/rivals": ["core", "exact", "narrow"],
    "broad": ["core"],
    "generate": ["core"],
    "rigid": ["core", "exact", "broad"],
    "polyhedron": ["core", "exact", "broad", "rigid"],
    "spine": ["core", "exact", "narrow", "broad", "rigid", "polyhedron"],
    "sim": ["core", "exact", "narrow", "broad", "rigid", "polyhedron", "spine"],
    "gpu": ["core", "exact", "narrow", "broad"],
    "io": ["core", "narrow", "rigid", "polyhedron", "spine", "sim"],
}
TABLE = "graze/narrow/method.cpp"  # the only file that knows every method
SHARED = {"graze/narrow/method.h", "graze/narrow/batch.h"}  # what every method may include
OUTSIDE = ["apps", "bench", "bindings", "examples", "test"]  # may include every header of src

SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
PRINT_HEADERS = {"iostream", "cstdio", "stdio.h", "print", "fmt/core.h", "fmt/format.h"}
PRINT_CALL = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(printf|fprintf|puts|fputs|putchar)\s*\(")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def room_of(path):
    """The room of a path like graze/narrow/method.h."""
    parts = path.split("/")
    if len(parts) == 2:
        return "umbrella" if parts[1] == "graze.h" else "spine"
    return "narrow/rivals" if parts[1:3] == ["narrow", "rivals"] else parts[1]


def stem(path):
    return path.rsplit("/", 1)[-1].split(".")[0]


def offences(root):
    src = root / "src"
    texts = {p.relative_to(src).as_posix(): p.read_text() for p in sources(src / "graze")}
    includes = {path: INCLUDE.findall(text) for path, text in texts.items()}
    listed = {target for _, target in includes.get(TABLE, [])}
    methods = {target for target in listed - SHARED if target.startswith("graze/narrow/")}

    for path, found in includes.items():
        room = room_of(path)
        if room not in ROOMS and room != "umbrella":
            yield f"src/{path}: no room is called {room}"
            continue
        for bracket, target in found:
            if room != "io" and target in PRINT_HEADERS:
                yield f"src/{path}: includes <{target}>, only io prints"
            if bracket == "<":
                continue
            if not target.startswith("graze/"):
                yield f'src/{path}: includes "{target}", which is not below graze/'
                continue
            if target not in texts:
                yield f'src/{path}: includes "{target}", which does not exist'
                continue
            if path == TABLE and room_of(target).startswith("narrow"):
                continue
            if room_of(target) == "narrow/rivals" and room != "narrow/rivals":
                yield f'src/{path}: includes the rival "{target}"'
            elif room != "umbrella" and room_of(target) not in [room, *ROOMS[room]]:
                yield f'src/{path}: {room} may not include "{target}"'
            elif (
                target in methods
                and room in ("narrow", "narrow/rivals")
                and not stem(path).startswith(stem(target))
            ):
                yield f'src/{path}: includes the method "{target}"'
        if room != "io":
            call = PRINT_CALL.search(COMMENT_OR_STRING.sub(" ", texts[path]))
            if call:
                yield f"src/{path}: prints ({call.group(0)}), only io does"

    for folder in OUTSIDE:
        for path in sources(root / folder):
            for _, target in INCLUDE.findall(path.read_text()):
                if target.startswith("graze/") and target not in texts:
                    name = path.relative_to(root).as_posix()
                    yield f'{name}: includes "{target}", which does not exist'


if __name__ == "__main__":
    found = list(offences(Path(__file__).resolve().parent.parent))
    print("\n".join(found) or "check_rooms: all borders hold")
    sys.exit(1 if found else 0)
