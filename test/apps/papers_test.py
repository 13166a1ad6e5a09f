"""Checks that the files, commands, options and named values that docs/papers.md contains exist.

Usage: papers_test.py GRAZE [unittest arguments]
"""

import functools
import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

GRAZE = ""
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/papers.md").read_text()
COLUMNS = 5
STATUSES = ("done", "differs", "part", "missing")
CHOICES = ("--method", "--motion", "--kind", "--broad", "--ccd", "--solver", "--mover")  # their values are names


def rows():
    """Returns the cells of the rows of all tables, without the headings."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row[0] != "section"]


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


@functools.cache
def help_of(*words):
    run = subprocess.run([GRAZE, *words, "--help"], capture_output=True, text=True, check=True)
    return run.stdout


@functools.cache
def refusal_of(*words):
    """Returns the message of a command line that the command refuses."""
    run = subprocess.run([GRAZE, *words], capture_output=True, text=True, check=False)
    assert run.returncode == 2, (words, run)
    return run.stderr


class Papers(unittest.TestCase):
    def test_the_tables_have_the_five_papers_and_known_statuses(self):
        self.assertEqual(re.findall(r"^## (\[.*?\])", PAGE, re.M),
                         ["[Huh 2014]", "[Zhang 2006]", "[Wang 2021]", "[Jansen]",
                          "[van Waveren 2005]"])
        self.assertGreater(len(rows()), 40)
        for row in rows():
            self.assertEqual(len(row), COLUMNS, row)
            self.assertIn(row[3], STATUSES, row)
            if row[3] != "done":
                self.assertTrue(row[4], f"{row[0]}: {row[3]} needs a reason")

    def test_every_file_exists(self):
        for row in rows():
            files = quoted(row[1])
            self.assertTrue(files, row)
            for file in files:
                self.assertTrue((ROOT / file).exists(), f"{row[0]}: {file}")

    def test_every_command_exists(self):
        count = 0
        for row in rows():
            for command in quoted(row[2]):
                with self.subTest(command):
                    graze, name, *words = shlex.split(command)
                    self.assertEqual(graze, "graze")
                    self.assertRegex(help_of(), rf"(?m)^  {name}\b")
                    for word in words:
                        if word.startswith("--"):
                            self.assertRegex(help_of(name), rf"(?m)^  (-\w,)?{word}\b")
                    if name == "sim":
                        self.assertRegex(help_of(name), rf"(?m)^  {words[0]}\b")
                    if "--suite" in words:
                        suite = words[words.index("--suite") + 1]
                        self.assertRegex(help_of(name), rf"(?m)^  {suite}\b")
                    count += 1
        self.assertGreater(count, 30)

    def test_every_value_of_an_option_exists(self):
        """The command refuses an unknown value with a list of the values that exist."""
        chosen = set()
        for row in rows():
            for command in quoted(row[2]):
                _, *words = shlex.split(command)
                for option in set(words) & set(CHOICES):
                    place = words.index(option) + 1
                    refusal = refusal_of(*words[:place], "unknown", *words[place + 1:])
                    with self.subTest(command):
                        self.assertIn("unknown", refusal)
                        self.assertRegex(refusal, rf"(?<![\w-]){words[place]}(?![\w-])")
                    chosen.add(option)
        self.assertEqual(chosen, set(CHOICES))


if __name__ == "__main__":
    GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
