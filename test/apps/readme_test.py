"""Checks README.md and docs/: commands are run; examples, tables of methods and links are compared.

Usage: readme_test.py GRAZE [unittest arguments], from the root of the project
"""

import json
import os
import re
import shlex
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
}
# Pages whose commands other tests run: papers_test.py and command_test.py, mpi_test.py, scripts/test_wasm.
OTHER_PAGES = ("docs/benchmark.md", "docs/scale.md", "docs/browser.md")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


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
        words += ["--budget", "0.005"]
        files = any(word.endswith((".csv", ".npy")) or word == "queries" for word in words)
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
    def run_commands(self, page):
        commands = [(["graze", *words.split()], 0) for words in PAGES[page]] + commands_of(page)
        if page in ("README.md", "docs/command.md"):
            self.assertGreaterEqual(len(commands), 3)
        environment = {name: value for name, value in os.environ.items() if name != "GRAZE_DATA"}
        with tempfile.TemporaryDirectory() as folder:
            for words, code in commands:
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
        pages = {path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
                 if commands_of(path)}
        self.assertEqual(pages - set(PAGES) - set(OTHER_PAGES), set())

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
        scripts = set(re.findall(r"\bscripts/\w+\b(?!\.py)", README))
        self.assertIn("scripts/run", scripts)
        for script in scripts:
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)

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
            false_alarms, missed, late = line.split(" | ")[6:9]
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


if __name__ == "__main__":
    GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
