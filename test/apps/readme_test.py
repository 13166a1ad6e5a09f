"""Checks README.md and docs/: commands are run; examples, tables of methods and links are compared.

Usage: readme_test.py GRAZE [unittest arguments], from the root of the project
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GRAZE = ""
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import results_table  # noqa: E402
README = (ROOT / "README.md").read_text()
GUIDES = sorted(path.relative_to(ROOT).as_posix()
                for path in [ROOT / "docs/index.md", *ROOT.glob("docs/guides/*.md"), *ROOT.glob("docs/concepts/*.md")])
# Pages whose commands are run, each page in its own folder, with the commands that make the files that it names.
PAGES = {
    **dict.fromkeys(("README.md", "docs/command.md", "docs/active-set.md", "docs/edges.md", "docs/soft-bodies.md", *GUIDES), ()),
    "docs/viewer.md": ("generate cloth_on_cone --count 1000 --out cloth", "generate knot_2880 --out knot.obj",
                       "generate ring --out ring.obj", "generate cube --out cube.obj",
                       "generate random --kind vertex-face --count 10 --out vertex-face.csv",
                       "generate random --kind vertex-face --count 10 --out my-vertex-face.csv"),
    "docs/benchmark.md": ("generate double_root --kind edge-edge --count 1600 --out mydir/hooks-edge-edge.npy",),
    "docs/robots.md": (),
}
# Files that the commands of a page read.
FILES = {
    "docs/robots.md": {
        "robot.urdf": """<robot name="arm">
          <link name="base"><collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>
          <link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
          <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
            <limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>""",
        "robot.srdf": '<robot name="arm"><disable_collisions link1="base" link2="arm"/></robot>',
        "scene.json": json.dumps({"format": "graze-rigid-1", "bodies": [
            {"name": "wall", "box": [0.1, 2, 2], "from": {"position": [1.2, 0, 1]}}]}),
        "path.csv": "time,turn\n0,-1\n1,1\n",
    },
}
# The page whose commands start with mpirun, and the commands that make the files that it names.
MPI_PAGE = "docs/scale.md"
MPI_FILES = ("generate cloth_on_cone --count 1000 --out cloth", "convert cloth/0.ply a.ply", "convert cloth/1.ply b.ply",
             "generate random --kind edge-edge --count 10 --out edge-edge.npy",
             "generate random --kind vertex-face --count 10 --out queries/near-vertex-face.npy")
# What makes a block of JSON a file that the command reads, and the words that read the file: for each block of each page.
JSON_FILES = {
    "docs/edges.md": ((lambda scene: scene, "sim block.json --seconds 0.02"),
                      (lambda cable: {"format": "graze-edges-1", "margin": 0.001, "particles": [], "cables": [cable]},
                       "sim block.json --seconds 0.02")),
    "docs/soft-bodies.md": ((lambda scene: scene, "sim block.json --seconds 0.02"),),
    "docs/formats/rigid-scene.md": ((lambda scene: scene, "rigid block.json --json"),),
}


def blocks(text, language):
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.M | re.S)


def fences(text):
    """Returns the code blocks of a page, each as its language and its text."""
    return re.findall(r"^ *```([^`\n]*)\n(.*?)^ *```$", text, re.M | re.S)


def own_pages():
    """Returns the pages of the project, each as its name and its text."""
    pages = [*ROOT.glob("*.md"), *sorted(ROOT.glob("docs/**/*.md"))]
    return [(page.relative_to(ROOT).as_posix(), page.read_text()) for page in pages]


def stated_exit_code(line):
    """Returns the exit code that the comment of a command states, 0 if it states none."""
    stated = re.search(r"#.*\bexit code (\d+)", line)
    return int(stated[1]) if stated else 0


def shrunk(words):
    """Returns the same command with less work."""
    # A cloth of 1000 triangles has the contacts that the pages state.
    count = "1000" if words[1:3] == ["generate", "cloth_on_cone"] else "10"
    words = [re.sub(r"^\d+$", count, word) if before == "--count" else word
             for before, word in zip([""] + words, words)]
    if words[1] == "bench":
        words = without(words, "--budget") + ["--budget", "0.005"]
        files = len(words) > 2 and not words[2].startswith("-")
        if "--count" not in words and not files:
            words += ["--count", "2"]
    if words[1:3] == ["rigid", "--bench"]:
        words += ["--count", "1"]
    if words[1] == "sim":
        words = [re.sub(r"^\d+(\.\d)?$", "0.02", word) for word in words]
        if "--seconds" not in words:
            words += ["--seconds", "0.02"]
    return words


def without(words, *options):
    """Returns the command without these options and their values."""
    return [word for before, word in zip([""] + words, words) if not {before, word} & set(options)]


def commands_of(page):
    """Returns the commands of a page, each as its words and the exit code that its comment states."""
    return [(shlex.split(part, comments=True), stated_exit_code(line))
            for block in blocks((ROOT / page).read_text(), "sh")
            for line in block.splitlines() if line.startswith("graze ") for part in line.split(" && ")]


def words(code):
    """Returns the lines of code without indentation and with single blanks."""
    return [" ".join(line.split()) for line in code.splitlines() if line.strip()]


class Readme(unittest.TestCase):
    measured = set()  # runs of the suite papers, the longest commands of the pages

    def prepare(self, folder, arguments):
        """Runs a command that makes a file."""
        words = arguments.split()
        (Path(folder) / words[-1]).parent.mkdir(exist_ok=True)
        run = subprocess.run([GRAZE, *words], cwd=folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def run_commands(self, page):
        commands = commands_of(page)
        if page in ("README.md", "docs/command.md"):
            self.assertGreaterEqual(len(commands), 3)
        environment = {name: value for name, value in os.environ.items() if name != "GRAZE_DATA"}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.get(page, {}).items():
                (Path(folder) / name).write_text(text)
            for arguments in PAGES[page]:
                self.prepare(folder, arguments)
            for words, code in commands:
                if "--papers" in words:
                    if tuple(shrunk(words)) in self.measured:
                        continue  # with less work, the command of another line
                    self.measured.add(tuple(shrunk(words)))
                with self.subTest(words):
                    def run_with(words):
                        files = [sorted(Path(folder).glob(word)) if "*" in word else [word] for word in shrunk(words)[1:]]
                        return subprocess.run([GRAZE, *sum(files, [])], cwd=folder, timeout=300,
                                              env=environment, capture_output=True, text=True)
                    run = run_with(words)
                    if run.returncode == 2 and "--html needs a build with" in run.stderr:
                        # Without the viewer, the rest of the command must work: later ones use it.
                        rest = without(words, "--html", "--show")
                        if rest[1] == "record" and not {"--out", "--frames"} & set(rest):
                            continue  # the page is all that it writes
                        run = run_with(rest)
                    self.assertEqual(run.returncode, code, run.stderr)
                    self.assertEqual(run.stderr, "")

    def test_every_graze_command_runs(self):
        for page in PAGES:
            self.run_commands(page)

    def test_every_page_with_commands_is_tested(self):
        pages = {name for name, _ in own_pages() if commands_of(name)}
        self.assertEqual(pages - set(PAGES), set())

    def test_commands_are_in_blocks_of_sh(self):
        for name, text in own_pages():
            for language, block in fences(text):
                for line in block.splitlines():
                    if language == "sh":
                        self.assertRegex(line, r"^(graze|mpirun -n \d+ graze-mpi|scripts/\w+|\.ci/run|ctest)( |$)", name)
                    elif language != "console":
                        self.assertNotRegex(line, r"^(\$ )?(graze|mpirun|graze-mpi) ", f"{name}: {language or 'no language'}")

    def test_every_command_of_mpirun_runs(self):
        graze_mpi = Path(GRAZE).parent / "graze-mpi"
        if not graze_mpi.exists():
            self.skipTest("graze-mpi is not built")
        lines = [line for name, text in own_pages() for block in blocks(text, "sh") for line in block.splitlines()
                 if line.startswith("mpirun ") and name == MPI_PAGE]
        self.assertEqual(len(lines), sum(text.count("\nmpirun ") for _, text in own_pages()))
        with tempfile.TemporaryDirectory() as folder:
            for arguments in MPI_FILES:
                self.prepare(folder, arguments)
            (Path(folder) / "frames").mkdir()
            for frame in ("a.ply", "b.ply"):
                (Path(folder) / "frames" / frame).write_bytes((Path(folder) / frame).read_bytes())
            for line in lines:
                with self.subTest(line):
                    words = shlex.split(line, comments=True)
                    self.assertEqual(words[:2] + words[3:4], ["mpirun", "-n", "graze-mpi"])
                    run = subprocess.run([ROOT / "scripts/mpirun", "2", graze_mpi, *shrunk(words[3:])[1:]], cwd=folder,
                                         timeout=300, capture_output=True, text=True)
                    self.assertEqual(run.returncode, stated_exit_code(line), run.stderr)

    def test_every_block_of_json_is_read_by_the_command(self):
        self.assertEqual({name for name, text in own_pages() if blocks(text, "json")}, set(JSON_FILES))
        for page, uses in JSON_FILES.items():
            found = blocks((ROOT / page).read_text(), "json")
            self.assertEqual(len(found), len(uses), page)
            for block, (scene, arguments) in zip(found, uses):
                with self.subTest(page=page, block=block), tempfile.TemporaryDirectory() as folder:
                    written = scene(json.loads(block))
                    (Path(folder) / "block.json").write_text(json.dumps(written))
                    for mesh in set(re.findall(r'"mesh": "(\w+\.obj)"', block)):
                        self.prepare(folder, f"generate cube --out {mesh}")
                    run = subprocess.run([GRAZE, *arguments.split()], cwd=folder, timeout=300, capture_output=True, text=True)
                    # Cubes as the bodies of the rigid scene touch.
                    self.assertEqual(run.returncode, 1 if arguments.startswith("rigid") else 0, run.stderr)
                    self.assertEqual(run.stderr, "")

    def test_blocks_of_python_and_javascript_are_correct_syntax(self):
        scripts = []
        for name, text in own_pages():
            for block in blocks(text, "(?:python|py)"):
                compile(block, name, "exec")
            scripts += blocks(text, "js")
        self.assertGreater(len(scripts), 0)
        if not shutil.which("node"):
            self.skipTest("Node.js is absent")
        for script in scripts:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "block.mjs"
                file.write_text(script)
                run = subprocess.run(["node", "--check", file], capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)

    def test_code_in_cpp_is_that_of_the_examples(self):
        """Other tests compile and run examples/. Guides show whole files; other pages show lines of one file."""
        examples = ["\n".join(words(file.read_text())) for file in ROOT.glob("examples/**/*.cpp")]
        for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
            text = page.read_text()
            name = page.relative_to(ROOT).as_posix()
            for block in blocks(text, "cpp"):
                self.assertNotIn(name, GUIDES, "show a file by literalinclude")
                self.assertTrue(any("\n".join(words(block)) in example for example in examples), f"{name}:\n{block}")
            if name in GUIDES:
                self.assertEqual(blocks(text, "python"), [], name)
            for file in re.findall(r"\{literalinclude\} /(\S+)", text):
                self.assertTrue((ROOT / file).is_file(), f"{name}: {file}")

    def test_every_script_exists_and_can_be_run(self):
        scripts = {script for _, text in own_pages() for script in re.findall(r"(?<![\w/])scripts/\w+\b(?![./])", text)}
        self.assertTrue({"scripts/run", "scripts/test_wasm"} <= scripts)
        for script in scripts:
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)
        presets = [preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]]
        built = {preset for _, text in own_pages() for preset in re.findall(r"^(?:\$ )?scripts/build (\w+)", text, re.M)}
        self.assertTrue({"release", "wasm"} <= built)
        self.assertEqual(built - set(presets), set())

    def test_the_example_is_the_one_that_is_compiled(self):
        self.assertEqual(blocks(README, "cpp"), [(ROOT / "examples/one_query.cpp").read_text()])

    def test_the_table_of_methods_is_the_one_of_the_command(self):
        run = subprocess.run([GRAZE, "methods", "--json"], capture_output=True, text=True,
                             check=True)
        rows = [f"| `{row['name']}` | {row['guarantee']} | {'yes' if row['gives_time'] else 'no'}"
                f" | {row['norm'] or 'no'} | {', '.join(row['primitives'])} | {row['reference']} |"
                for row in json.loads(run.stdout)]
        page = (ROOT / "docs/methods.md").read_text()
        shown = [line for line in page.splitlines() if line.startswith("| `")]
        self.assertEqual(shown, rows, "docs/methods.md should say:\n" + "\n".join(rows))

    def test_the_table_of_results_has_the_form_that_the_script_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ",".join(results_table.METHODS)
            subprocess.run([GRAZE, "bench", "--count", "2", "--budget", "0.001", "--methods", names,
                            "--out", folder], capture_output=True, check=True)
            printed = results_table.table(
                json.loads((Path(folder) / "results.json").read_text())).splitlines()
        shown = [line for line in README.splitlines() if line in printed[:2] or line.startswith("| `")
                 and line.split("`")[1] in results_table.METHODS]

        def form(lines):
            return lines[:2] + [line.split(" | ")[:2] for line in lines[2:]]
        self.assertEqual(form(shown), form(printed))
        for line in shown[2:]:
            guarantee = line.split(" | ")[1]
            missed, late, false_alarms = line.split(" | ")[2:5]
            self.assertTrue(guarantee == "heuristic" or missed == late == "0", line)
            self.assertTrue(guarantee != "exact" or false_alarms == "0", line)

    def test_the_table_of_results_states_the_guarantees_of_the_methods(self):
        run = subprocess.run([GRAZE, "methods", "--json"], capture_output=True, text=True,
                             check=True)
        guarantees = {row["name"]: row["guarantee"] for row in json.loads(run.stdout)}
        for method, guarantee in results_table.METHODS.items():
            self.assertEqual(guarantees[method], guarantee, method)

    def test_the_architecture_names_files_that_exist(self):
        names = set(re.findall(r"`([\w./-]+\.(?:h|cpp|cu|py|cmake|mjs))`", (ROOT / "ARCHITECTURE.md").read_text()))
        self.assertGreater(len(names), 80)
        for name in names:
            placeholder = name.startswith("_") or re.search(r"\b[A-Z]{4,}", name)
            self.assertTrue(placeholder or any(any(ROOT.glob(f"{folder}**/{name}")) for folder in
                                               ("", "src/graze/", "include/", "apps/", "bench/")), name)

    def test_every_link_leads_somewhere(self):
        for page in [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted(ROOT.glob("docs/**/*.md"))]:
            for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
                if not target.startswith("/figures/"):  # drawn by docs/site/figures.py
                    file = ROOT / "docs" / target[1:] if target.startswith("/") else page.parent / target
                    self.assertTrue(file.exists(), f"{page.name}: {target}")


class FieldsOfJson(unittest.TestCase):
    """The table of docs/contract.md and what the commands print."""

    RUNS = {
        "methods": ("methods",),
        "query": ("query q-vertex-face.csv",),
        "bench": ("bench roots-edge-edge.npy --methods all --budget 0.05 --device cpu",),
        "minimize": ("minimize roots-edge-edge.npy --method tight_inclusion --out entry.txt",
                     "minimize q-vertex-face.csv --method exact --against oracle"),
        "record": ("record cloth/0.ply cloth/1.ply --out cloth.glb", "record cloth.glb --frames again"),
        "step": ("step cloth/0.ply cloth/1.ply", "step cloth/1.ply cloth/2.ply"),
        "steps": ("steps cloth",),
        "check": ("check cloth/1.ply", "check cube.obj"),
        "check of two": ("check cube.obj cube.obj",),
        "rigid": ('rigid cube.obj cube.obj --from "4 0 0" --to "0 0 0"', 'rigid cube.obj cube.obj --from "4 0 0" --to "4 1 0"'),
        "trace": ('trace cube.obj cube.obj --from "4 0 0" --to "0 0 0"', 'trace cube.obj cube.obj --from "4 0 0" --to "4 1 0"'),
        "path": ("path robot.urdf path.csv --certificate proof.json", "path robot.urdf path.csv --world scene.json --margin 0.5"),
        "verify": ("verify proof.json",),
    }

    def documented(self):
        """Returns the fields of the table, by command and object."""
        section = (ROOT / "docs/contract.md").read_text().partition("\n## Fields of JSON\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| (`\w+`[\w ]*) \|(.*?)\| (`.*) \|$", section, re.M)
        self.assertEqual(len(rows), section.count("\n|") - 2)
        return {(command.replace("`", ""), place.strip()): re.findall(r"`(\w+)`", fields) for command, place, fields in rows}

    def objects(self, value, place=""):
        """Yields the objects in a value of JSON, each as its place in the words of the table and its fields."""
        if isinstance(value, dict):
            yield place, list(value)
            for name, part in value.items():
                yield from self.objects(part, f"{place}, `{name}`" if place else f"`{name}`")
        elif isinstance(value, list):
            for part in value:
                yield from self.objects(part, f"{place}, each" if place else "each")

    def test_are_those_of_the_contract(self):
        documented, found = self.documented(), set()
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES["docs/robots.md"].items():
                (Path(folder) / name).write_text(text)
            for arguments in ("cloth_on_cone --count 1000 --out cloth", "cube --out cube.obj",
                              "near_ulp --kind vertex-face --count 100 --out q-vertex-face.csv",
                              "double_root --kind edge-edge --count 100 --out roots-edge-edge.npy"):
                subprocess.run([GRAZE, "generate", *arguments.split()], cwd=folder, check=True, capture_output=True)
            for command, runs in self.RUNS.items():
                for run in runs:
                    with self.subTest(run):
                        done = subprocess.run([GRAZE, *shlex.split(run), "--json"], cwd=folder, timeout=300,
                                              capture_output=True, text=True)
                        self.assertIn(done.returncode, (0, 1), done.stderr)
                        for place, fields in self.objects(json.loads(done.stdout)):
                            self.assertEqual(fields, documented.get((command, place)), f"{command}: {place}")
                            found.add((command, place))
        self.assertEqual(set(documented) - found, set(), "documented, but no run has them")


if __name__ == "__main__":
    GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
