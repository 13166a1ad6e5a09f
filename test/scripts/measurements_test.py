"""Measured numbers of the pages are inclusions of bench/results (scripts/inclusions.py)."""

import json
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import inclusions  # noqa: E402

# A time, a rate, a ratio, a share or an amount of memory.
MEASURED = re.compile(
    r"\d[\d.,]*\s*(ns|us|µs|ms|s|seconds|minutes|hours|microseconds|milliseconds|x|times (as|faster|slower)|"
    r"GB|MB|kB|KB|GiB|MiB|KiB|%|(frames|queries|edges|pairs)(/s| per second| a second))(?!\w)|factor of \d")
CODE = re.compile(r"^(```|~~~).*?^\1$|`[^`\n]*`", re.M | re.S)
TABLE = re.compile(r"^\|.*\n\|[-:| ]+\|\n((?:\|.*(?:\n|$))+)", re.M)


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def numbers(text):
    """Yields the measured numbers of a page outside of inclusions and code, as (line, words around the number)."""
    text = CODE.sub(blank, inclusions.without_inclusions(text))
    for found in MEASURED.finditer(text):
        around = text[max(0, found.start() - 60) : found.end() + 30]
        yield text.count("\n", 0, found.start()) + 1, " ".join(around.split())


def tables(text):
    """Yields the tables outside of inclusions with numbers in over a third of the cells, as (line, first line)."""
    text = inclusions.without_inclusions(text)
    for found in TABLE.finditer(text):
        cells = [cell.strip() for line in found[1].splitlines() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])[1:]]
        if sum(bool(re.match(r"[*~−-]*\d", cell)) for cell in cells) > len(cells) / 3:
            yield text.count("\n", 0, found.start()) + 1, found[0].partition("\n")[0]


def allowed():
    """Yields the numbers that are not measurements of this project, as (page, text)."""
    for line in (Path(__file__).parent / "measurements_allowed.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            page, _, text = line.partition(": ")
            yield page, text


class Measurements(unittest.TestCase):
    def test_inclusions_show_their_results(self):
        for page in inclusions.pages():
            text = page.read_text()
            self.assertEqual(text, inclusions.rewritten(text), f"{page}: run scripts/inclusions.py --write")
            marks = len(re.findall(r"^<!-- bench/results/", text, re.M))
            self.assertEqual(marks, len(inclusions.INCLUSION.findall(text)), f"{page}: a mark without its end")

    def test_every_section_of_the_results_is_on_its_page(self):
        shown = {found[1:3] for page in inclusions.pages() for found in inclusions.INCLUSION.findall(page.read_text())}
        for file in sorted((ROOT / "bench/results").glob("*.json")):
            results = json.loads(file.read_text())
            for section in results.get("sections", {}):
                self.assertIn((file.stem, section), shown)
                self.assertTrue((ROOT / results["page"]).is_file(), results["page"])

    def test_prose_quotes_no_measurement(self):
        used, found = set(), []
        for page in inclusions.pages():
            name = page.relative_to(ROOT).as_posix()
            for line, words in [*numbers(page.read_text()), *tables(page.read_text())]:
                excuses = [entry for entry in allowed() if entry[0] == name and entry[1] in words]
                used.update(excuses)
                if not excuses:
                    found.append(f"{name}:{line}: {words}")
        self.assertEqual(found, [], "move to bench/results and include (scripts/inclusions.py)")
        self.assertEqual([entry for entry in allowed() if entry not in used], [], "no longer on their pages")

    def test_measurements_are_recognized(self):
        for text in ["a query takes 12 ns", "in 1.5 s", "is 113 times as fast", "2.1x", "settles 88 to 97 % of them",
                     "4,264 MiB", "165 frames per second", "a factor of 8"]:
            with self.subTest(text):
                self.assertNotEqual(list(numbers(text)), [])
        self.assertNotEqual(list(tables("| scene | ms |\n|---|---|\n| funnel | 7.7 |\n")), [])

    def test_constants_and_inclusions_are_accepted(self):
        mark, end = "<!-- bench/results/f.json: s -->", "<!-- end -->"
        for text in ["the bound is 2^-53", "36 families", "`--budget 0.3 s`", f"{mark}\n\n12 ns\n\n{end}",
                     f"{mark}\n\n| a | b |\n|---|---|\n| x | 7 |\n\n{end}"]:
            with self.subTest(text):
                self.assertEqual([*numbers(text), *tables(text)], [])


if __name__ == "__main__":
    unittest.main()
