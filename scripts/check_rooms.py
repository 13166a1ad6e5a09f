#!/usr/bin/env python3
"""Checks the source tree against its plan: rooms, folders, public headers and permitted includes.

Usage: scripts/check_rooms.py [ROOT]. Prints one line per offence and exits 1 if there is any. The tables
below are the plan; ARCHITECTURE.md explains it.
"""

import dataclasses
import re
import sys
from collections import Counter
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Room:
    folders: tuple  # below src/graze/ROOM, besides the room itself
    may_include: tuple  # other rooms, public and private headers
    packages: tuple = ()  # include prefixes besides the standard library and Eigen
    public_only: tuple = ()  # other rooms, public headers alone
    private_too: tuple = ()  # single private headers of those rooms


ROOMS = {
    "core": Room(("numeric",), ()),
    "exact": Room(("arena", "judge"), ("core",), ("boost/multiprecision/",)),
    "narrow": Room(
        ("contact", "rivals", "separation", "simd", "turning"),
        ("core", "exact"),
        ("boost/multiprecision/", "hwy/", "tbb/"),
    ),
    "broad": Room(("moving", "strategies", "tree"), ("core",), ("hwy/", "tbb/")),
    "spine": Room((), ("core", "exact", "narrow", "broad"), ("tbb/",)),
    "rigid": Room(
        ("distance", "model", "motion", "proof", "rivals", "robot", "shapes"),
        ("core", "exact", "broad"),
        ("hwy/", "libqhull_r/", "tbb/"),
    ),
    "polyhedron": Room(("body", "model", "move", "turn"), ("core", "exact", "broad", "rigid")),
    "sim": Room(
        (
            "edges",
            "elastic",
            "elastic/material",
            "elastic/scenes",
            "elastic/solvers",
            "rigid",
            "rigid/contacts",
            "walker",
        ),
        ("core", "exact", "narrow", "broad", "spine", "rigid", "polyhedron"),
        ("tbb/",),
    ),
    "io": Room(
        ("meshes", "queries", "recordings", "robots"),
        ("core",),
        ("boost/multiprecision/", "console_bridge/", "tiny_gltf.h", "tinyxml2.h", "urdf_parser/"),
        public_only=("narrow", "broad", "spine", "rigid", "polyhedron", "sim"),
        private_too=("graze/sim/elastic/material/tet_mesh.h",),  # stored by tet_files
    ),
    "gpu": Room(("kernels",), ("core", "exact", "narrow", "broad", "spine"), ("cub/", "cuda_runtime.h", "tbb/")),
    "mpi": Room((), ("core", "exact", "narrow", "broad", "spine", "io"), ("mpi.h",)),
    "generate": Room((), ("core",)),
}
# The room of each public header directly in include/graze. A header in include/graze/ROOM belongs to ROOM.
PUBLIC = {
    "aabb": "core",
    "certificate": "narrow",
    "find_pairs": "broad",
    "first_contact": "narrow",
    "gpu": "gpu",
    "impact": "core",
    "check_mesh": "spine",
    "mesh": "core",
    "method": "narrow",
    "mpi": "mpi",
    "options": "core",
    "pose": "core",
    "query": "core",
    "separation": "narrow",
    "step": "spine",
    "vec3": "core",
    "version": "core",
}
UMBRELLA = "graze/graze.h"  # includes every public header it offers
MPI_HEADER = "graze/mpi.h"  # the only public header that needs MPI
PUBLIC_ROOMS = ("rigid", "polyhedron", "sim", "io")

# Folders that only the named folders and files may include, besides themselves, bench and test.
CLOSED = {
    "graze/narrow/rivals": ("graze/narrow/method.cpp",),
    "graze/rigid/rivals": ("graze/rigid/advance.cpp",),
    # The judge and the judged share no predicate.
    "graze/exact/arena": ("graze/narrow", "graze/spine", "graze/polyhedron", "graze/gpu"),
    "graze/exact/judge": ("graze/narrow",),
    # The simulations do not include each other.
    "graze/sim/edges": (),
    "graze/sim/elastic": ("graze/io",),
    "graze/sim/rigid": (),
    "graze/sim/walker": (),
}
METHOD_TABLE = "graze/narrow/method.cpp"  # the only file that includes every method
FOR_METHODS = ("graze/narrow/batch.h", "graze/narrow/stop.h")  # what every method may include
METHOD_PARTS = {"graze/narrow/contact/exact_pairs.cpp": "graze/narrow/contact/exact_root.h"}

# Programs: the folders of each, and the rooms whose private headers each may include. Public headers and
# headers of the same program may always be included. None stands for all rooms.
PROGRAMS = {
    "apps/graze": (("", "arguments", "commands", "queries", "scenes", "terminal"), ("io", "generate")),
    "apps/graze-mpi": (("",), ("io",)),
    "apps/graze-sim": (("",), ("io", "generate")),
    "bench": (("", "harness", "peers", "suites/*"), None),
    "examples": (("", "project"), ("generate",)),
}
# Private headers that programs may include besides: the scenes that `graze sim` runs.
SCENES = re.compile(r"graze/sim/.*_scenes?\.h")
# The programs whose headers a program may include besides its own; apps/graze and the root are include folders.
NEIGHBOURS = {
    "apps/graze": ("apps/graze",),
    "apps/graze-mpi": ("apps/graze-mpi", "apps/graze"),
    "apps/graze-sim": ("apps/graze-sim", "apps/graze"),
    "bench": ("bench", "apps/graze"),
    "examples": (),
}
GENERATED = ("commit.h",)

# Every source includes the header that declares it, which has its name. These are the parts of a larger
# interface instead: each includes one of the named headers. A folder stands for all its sources.
PARTS_OF = {
    # One source per norm.
    "src/graze/exact/arena/first_separation_l2.cpp": ("graze/exact/arena/first_separation.h",),
    "src/graze/exact/arena/first_separation_linf.cpp": ("graze/exact/arena/first_separation.h",),
    "src/graze/narrow/separation/separation_filter_l2.cpp": ("graze/narrow/separation/separation_filter.h",),
    "src/graze/narrow/separation/separation_filter_linf.cpp": ("graze/narrow/separation/separation_filter.h",),
    # One source per file format, or for reading and writing.
    "src/graze/io/meshes": ("graze/io/meshes/mesh_formats.h",),
    "src/graze/io/recordings": ("graze/io/recording.h",),
    "src/graze/io/robots": ("graze/io/robot_files.h",),
    # One source per stage of a search on a device, and the engine of a build without CUDA.
    "src/graze/gpu/engine_stub.cpp": ("graze/gpu/engine.h",),
    "src/graze/gpu/kernels": ("graze/gpu/kernels/stages.h", "graze/gpu/engine.h"),
    # Parts of a public header.
    "src/graze/mpi/part_files.cpp": ("graze/mpi.h",),
    "src/graze/mpi/share_jobs.cpp": ("graze/mpi.h",),
    "src/graze/narrow/contact/contact_times.cpp": ("graze/first_contact.h",),
    "src/graze/narrow/contact/verify_certificate.cpp": ("graze/certificate.h",),
    "src/graze/polyhedron/body/move_motion.cpp": ("graze/polyhedron/move.h",),
    "src/graze/polyhedron/model/convex_hull.cpp": ("graze/polyhedron/model.h",),
    "src/graze/polyhedron/move/path.cpp": ("graze/polyhedron/move.h",),
    "src/graze/polyhedron/move/trace_point.cpp": ("graze/polyhedron/move.h",),
    "src/graze/rigid/proof/verify_path.cpp": ("graze/rigid/robot.h",),
    "src/graze/rigid/shapes.cpp": ("graze/rigid/body.h",),
    "src/graze/sim/active_set.cpp": ("graze/sim/soft.h",),
    "src/graze/sim/edges/edge_problem.cpp": ("graze/sim/edges.h",),
    "src/graze/sim/elastic/soft_model.cpp": ("graze/sim/soft.h",),
    "src/graze/spine/step_search.cpp": ("graze/step.h",),
    # Parts of a private header.
    "src/graze/polyhedron/move/first_contact.cpp": ("graze/polyhedron/move/move_scratch.h",),
    "src/graze/rigid/robot/path_search.cpp": ("graze/rigid/robot/scene.h",),
    # One source per command, per kind of simulation, per library and per paper.
    "apps/graze/commands": ("commands/command.h", "commands/step.h"),
    "apps/graze-sim": ("sim.h",),
    "bench/peers": (
        "bench/peers/cast_peer.h",
        "bench/peers/rigid_peer.h",
        "bench/peers/robot_peer.h",
        "bench/peers/sweep_peer.h",
    ),
    "bench/suites/papers": ("bench/suites/papers/paper_report.h",),
}
# Programs: no header declares them.
WITHOUT_HEADER = ("apps/graze/main.cpp", "apps/graze-mpi/main.cpp", "apps/graze-sim/main.cpp", "bench/main.cpp", "examples")
MOST_FILES = 24  # in one folder; a dozen is the aim
MOST_LINES = 600  # of one file
LARGE_FOLDERS = {"src/graze/narrow/rivals": "one pair of files per method, none includes another"}
# Code that may compare a method's name besides the table.
NAMES_COMPARED = {"bench/suites/papers": "published numbers are listed by the method's name"}

SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
SYSTEM = re.compile(r"[a-z_0-9]+(\.h)?|sys/\w+\.h")  # the standard library and POSIX
STANDARD = re.compile(r"[a-z_0-9]+")
PRINT_HEADERS = {"iostream", "cstdio", "stdio.h", "print", "fmt/core.h", "fmt/format.h"}
PRINT_CALL = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(printf|fprintf|puts|fputs|putchar)\s*\(")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
METHOD_ROW = re.compile(r'^\s*\{\s*"(\w+)"\s*,', re.M)


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def parent(path):
    return path.rpartition("/")[0]


def stem(path):
    return path.rpartition("/")[2].split(".")[0].removesuffix("-inl")


def is_below(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


class Tree:
    """All sources below a root. Names of library files begin with graze/, as in include lines."""

    def __init__(self, root):
        self.root = root
        self.public = self.read("include")
        self.private = self.read("src")
        self.programs = {name: self.read(name) for name in PROGRAMS}
        self.tests = self.read("test")

    def read(self, folder):
        base = self.root / folder
        return {path.relative_to(base).as_posix(): path.read_text() for path in sources(base)}

    def room_of(self, path):
        """Returns the room of a file such as graze/narrow/method.h; None where the plan has none."""
        parts = path.split("/")
        if path in self.public:
            if len(parts) == 2:
                return PUBLIC.get(stem(path))
            return parts[1] if len(parts) == 3 and parts[1] in PUBLIC_ROOMS else None
        return parts[1] if len(parts) > 2 and parts[1] in ROOMS else None


def public_offences(tree):
    for path, text in tree.public.items():
        room = tree.room_of(path)
        if room is None and path != UMBRELLA:
            yield f"include/{path}: no room owns this public header"
            continue
        for bracket, target in INCLUDE.findall(text):
            if target in tree.public:
                allowed = {room, *ROOMS[room].may_include, *ROOMS[room].public_only} if room else None
                if allowed and tree.room_of(target) not in allowed:
                    yield f'include/{path}: {room} may not include "{target}"'
            elif bracket == '"' or target in tree.private:
                yield f'include/{path}: includes "{target}", which is not a public header'
            elif path == MPI_HEADER and target == "mpi.h":
                pass
            elif not STANDARD.fullmatch(target) and not target.startswith("Eigen/"):
                yield f"include/{path}: includes <{target}>; public headers need only std and Eigen"


def library_offences(tree):
    listed = {target for _, target in INCLUDE.findall(tree.private.get(METHOD_TABLE, ""))}
    methods = {t for t in listed if t.startswith("graze/narrow/") and t not in FOR_METHODS}
    known = {**tree.public, **tree.private}

    for path, text in tree.private.items():
        name = f"src/{path}"
        room = tree.room_of(path)
        if room is None:
            yield f"{name}: the plan has no room {parent(path)}"
            continue
        plan = ROOMS[room]
        folder = parent(path).removeprefix(f"graze/{room}").lstrip("/")
        if folder and folder not in plan.folders:
            yield f"{name}: the room {room} has no folder {folder}"
        if path.endswith(".h") and path in tree.public:
            yield f"{name}: a public header has the same name"
        for bracket, target in INCLUDE.findall(text):
            if room != "io" and target in PRINT_HEADERS:
                yield f"{name}: includes <{target}>, but only io prints"
            elif bracket == "<":
                allowed = (*plan.packages, "Eigen/", "immintrin.h")
                if not SYSTEM.fullmatch(target) and not target.startswith(allowed):
                    yield f"{name}: {room} may not include <{target}>"
            elif target not in known:
                yield f'{name}: includes "{target}", which does not exist'
            elif target == UMBRELLA:
                yield f'{name}: includes "{target}"; include what is used'
            else:
                yield from border_offences(tree, path, room, target)
                if (
                    target in methods
                    and room == "narrow"
                    and path != METHOD_TABLE
                    and METHOD_PARTS.get(path) != target
                    and not stem(path).startswith(stem(target))
                ):
                    yield f'{name}: includes the method "{target}"'
        if room != "io":
            call = PRINT_CALL.search(COMMENT_OR_STRING.sub(" ", text))
            if call:
                yield f"{name}: prints ({call.group(0)}), but only io does"


def border_offences(tree, path, room, target):
    """Yields an offence if a file of a room may not include a header, which exists."""
    plan, other = ROOMS[room], tree.room_of(target)
    public = target in tree.public
    if other not in {room, *plan.may_include, *(plan.public_only if public else ())}:
        if target not in plan.private_too:
            yield f'src/{path}: {room} may not include "{target}"'
            return
    if public:
        return
    for closed, friends in CLOSED.items():
        if is_below(target, [closed]) and not is_below(path, [closed, *friends]):
            yield f'src/{path}: includes "{target}", but {closed} is closed to it'


def program_offences(tree):
    for program, files in tree.programs.items():
        folders, rooms = PROGRAMS[program]
        reachable = set(GENERATED)
        for neighbour in NEIGHBOURS[program]:
            for path in tree.programs[neighbour]:
                reachable |= {path, f"{neighbour}/{path}"}
        for path, text in files.items():
            name = f"{program}/{path}"
            if not any(re.fullmatch(folder.replace("*", "[^/]+"), parent(path)) for folder in folders):
                yield f"{name}: {program} has no folder {parent(path)}"
            for bracket, target in INCLUDE.findall(text):
                if target in tree.public:
                    continue
                if target in tree.private:
                    if rooms is None or SCENES.fullmatch(target):
                        continue
                    if tree.room_of(target) not in rooms:
                        yield f'{name}: includes the private header "{target}"'
                elif target.startswith("graze/") or (bracket == '"' and target not in reachable):
                    yield f'{name}: may not include "{target}", or it does not exist'
    for path, text in tree.tests.items():
        for _, target in INCLUDE.findall(text):
            if target.startswith("graze/") and target not in tree.public and target not in tree.private:
                yield f'test/{path}: includes "{target}", which does not exist'


def declaring_headers(path):
    """Returns the headers that may declare a source that has none of its own name."""
    return [header for part, headers in PARTS_OF.items() if is_below(path, [part]) for header in headers]


def shape_offences(tree):
    """Yields sources that do not include the header that declares them, long files and crowded folders."""
    everything = {f"include/{path}": text for path, text in tree.public.items()}
    everything |= {f"src/{path}": text for path, text in tree.private.items()}
    for program, files in tree.programs.items():
        everything |= {f"{program}/{path}": text for path, text in files.items()}
    public = {(tree.room_of(path), stem(path)): path for path in tree.public}
    roots = ("src", *PROGRAMS)  # include folders
    for path, text in sorted(everything.items()):
        if (lines := text.count("\n")) > MOST_LINES:
            yield f"{path}: has {lines} lines, more than {MOST_LINES}"
        if path.endswith(".h") or is_below(path, WITHOUT_HEADER):
            continue
        own = path.rsplit(".", 1)[0] + ".h"
        room = tree.room_of(path.removeprefix("src/")) if path.startswith("src/") else None
        if own in everything:
            headers = [own, *(own.removeprefix(f"{root}/") for root in roots if own.startswith(f"{root}/"))]
        elif (room, stem(path)) in public:
            headers = [public[room, stem(path)]]
        else:
            headers = declaring_headers(path)
        included = {target for _, target in INCLUDE.findall(text)}
        if not headers:
            yield f"{path}: has no header {stem(path)}.h"
        elif not included.intersection(headers):
            yield f"{path}: does not include the header that declares it, {headers[-1]}"
    for name in (*PARTS_OF, *WITHOUT_HEADER):
        if tree.private and not is_below_any(name, everything):
            yield f"scripts/check_rooms.py: the exception {name} does not exist"
    for folder, count in sorted(Counter(map(parent, everything)).items()):
        if count > MOST_FILES and folder not in LARGE_FOLDERS:
            yield f"{folder}: has {count} files, more than {MOST_FILES}"


def is_below_any(folder, paths):
    return any(is_below(path, [folder]) for path in paths)


def name_offences(tree):
    """Yields code outside the table of methods that compares a method's name."""
    methods = METHOD_ROW.findall(COMMENT.sub("", tree.private.get(METHOD_TABLE, "")))
    names = "|".join(methods) or "(?!)"
    compared = re.compile(
        rf'[=!]=\s*"(?:{names})"'
        rf'|"(?:{names})"\s*[=!]='
        r"|\bmethod\w*(?:\(\))?(?:\.|->)name(?:\s*[=!]=|\.(?:starts_with|ends_with|find|compare)\()"
    )
    library = {f"src/{path}": text for path, text in tree.private.items() if path != METHOD_TABLE}
    programs = {f"{p}/{path}": text for p, files in tree.programs.items() for path, text in files.items()}
    for path, text in {**library, **programs}.items():
        if is_below(path, NAMES_COMPARED):
            continue
        for found in compared.finditer(COMMENT.sub("", text)):
            yield f"{path}: compares a method's name ({found.group(0)})"


def offences(root):
    tree = Tree(root)
    for check in (
        public_offences,
        library_offences,
        program_offences,
        shape_offences,
        name_offences,
    ):
        yield from check(tree)


if __name__ == "__main__":
    found = list(offences(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
    print("\n".join(found) or "check_rooms: no offence")
    sys.exit(1 if found else 0)
