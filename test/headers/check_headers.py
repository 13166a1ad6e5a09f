#!/usr/bin/env python3
"""Checks the public headers. Prints the errors; the exit code is 1 if there are any.

  check_headers.py alone ROOT COMPILER EIGEN      each public header compiles alone, without our flags
                                                  and without a warning
  check_headers.py together ROOT COMPILER EIGEN   all compile together, in two files that link: in
                                                  alphabetical order and in reverse
  check_headers.py count ROOT                     there are at most 40
  check_headers.py names ROOT                     no qualified name is defined in two headers, public or
                                                  private
  check_headers.py installed ROOT PREFIX          the package installed in PREFIX offers these headers
                                                  and no others
"""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import definitions  # noqa: E402

MOST_HEADERS = 40
MPI_HEADER = "graze/mpi.h"  # the only one that needs more than the standard library and Eigen
HEADER_FOLDERS = ("include", "src", "apps", "bench")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")


def public_headers(include):
    return sorted(path.relative_to(include).as_posix() for path in (include / "graze").rglob("*.h"))


def mpi_folders():
    """Returns the folders of <mpi.h>, as Open MPI's compiler names them; none where MPI is absent."""
    try:
        shown = subprocess.run(["mpicxx", "--showme:incdirs"], capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return shown.stdout.split() if shown.returncode == 0 else []


def checked_headers(root):
    """Returns the public headers that can be compiled here."""
    headers = public_headers(root / "include")
    if mpi_folders():
        return headers
    print(f"{MPI_HEADER} is not compiled: MPI is absent")
    return [header for header in headers if header != MPI_HEADER]


def compiled(compiler, eigen, root, arguments):
    """Returns the errors of a compilation; empty if it succeeds."""
    system = [word for folder in (eigen, *mpi_folders()) for word in ("-isystem", folder)]
    command = [compiler, "-std=c++20", "-DOMPI_SKIP_MPICXX", "-I", root / "include", *system, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr or f"{compiler} failed"


def alone(root, compiler, eigen):
    with tempfile.TemporaryDirectory() as folder:

        def check(header):
            source = Path(folder) / (header.replace("/", "_") + ".cpp")
            # Twice: the second inclusion must add nothing.
            source.write_text(f"#include <{header}>\n#include <{header}>\n")
            errors = compiled(compiler, eigen, root, ["-fsyntax-only", *WARNINGS, source])
            return f"{header} does not compile alone:\n{errors}" if errors else ""

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from filter(None, pool.map(check, checked_headers(root)))


def together(root, compiler, eigen):
    headers = [f"#include <{header}>\n" for header in checked_headers(root)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "first.cpp").write_text("".join(headers) + "int other();\nint main() { return other(); }\n")
        (folder / "other.cpp").write_text("".join(reversed(headers)) + "int other() { return 0; }\n")
        objects = []
        for source in ("first", "other"):
            objects.append(folder / f"{source}.o")
            errors = compiled(compiler, eigen, root, ["-c", "-o", objects[-1], folder / f"{source}.cpp"])
            if errors:
                yield f"the headers do not compile together:\n{errors}"
                return
        # Without optimization every inline function may refer to the library, so only definitions
        # that occur twice are of interest here.
        errors = compiled(compiler, eigen, root, ["-r", "-nostdlib", "-o", folder / "both.o", *objects])
        if errors:
            yield f"two files with all headers do not link:\n{errors}"


def count(root):
    headers = public_headers(root / "include")
    if not 0 < len(headers) <= MOST_HEADERS:
        yield f"{len(headers)} public headers; there may be 1 to {MOST_HEADERS}"


def names(root):
    texts = {
        path.relative_to(root).as_posix(): path.read_text()
        for folder in HEADER_FOLDERS
        for path in sorted((root / folder).rglob("*.h"))
    }
    for name, files in definitions.repeated(texts):
        yield f"{name} is defined in {' and '.join(files)}"


def installed(root, prefix):
    offered, public = set(public_headers(prefix / "include")), set(public_headers(root / "include"))
    others = {p.relative_to(prefix).as_posix() for p in (prefix / "include").rglob("*") if p.is_file()}
    for header in sorted(public - offered):
        yield f"{header} is not installed"
    for file in sorted(others - {f"include/{header}" for header in public}):
        yield f"{file} is installed, but not a public header"


CHECKS = {check.__name__: check for check in (alone, together, count, names, installed)}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in CHECKS:
        sys.exit(__doc__)
    root, *rest = sys.argv[2:]
    found = list(CHECKS[sys.argv[1]](Path(root), *map(Path, rest)))
    print("\n".join(found) or f"headers {sys.argv[1]}: nothing wrong")
    sys.exit(1 if found else 0)
