"""Measured numbers of pages are inclusions of bench/results (scripts/inclusions.py); those of figures are drawn from it."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import inclusions  # noqa: E402

import prose_test  # noqa: E402

# A time, a rate, a ratio, a share or an amount of memory.
MEASURED = re.compile(
    r"\d[\d.,]*\s*(ns|us|µs|ms|s|seconds|minutes|hours|microseconds|milliseconds|x|times (as|faster|slower|fewer|less|more|longer)|"
    r"GB|MB|kB|KB|GiB|MiB|KiB|%|(frames|queries|edges|pairs)(/s| per second| a second))(?!\w)|factor of \d")
# A count of thousands.
COUNT = re.compile(r"(?<![\w.,^])\d{1,3}(?:,\d{3})+(?!\w)")
CODE = re.compile(r"^(```|~~~).*?^\1$|`[^`\n]*`", re.M | re.S)
# Figures that programs draw: a test draws them again.
DRAWN = {
    "docs/images/gpu-times.svg": ("bench/python/gpu_plot.py", "bench/results/gpu-nvidia-h200.json"),
    "docs/images/mpi-scale.svg": ("scripts/mpi_scale", "--show", "bench/results/mpi-2-cores.json"),
}
STAGES = "docs/methods/figures/exact_stages.svg"
TABLE = re.compile(r"^\|.*\n\|[-:| ]+\|\n((?:\|.*(?:\n|$))+)", re.M)


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def numbers(text):
    """Yields the measured numbers and counts of a page outside of inclusions and code, as (line, words around the number)."""
    text = CODE.sub(blank, inclusions.without_inclusions(text))
    for found in sorted([*MEASURED.finditer(text), *COUNT.finditer(text)], key=lambda found: found.start()):
        around = text[max(0, found.start() - 60) : found.end() + 30]
        yield text.count("\n", 0, found.start()) + 1, " ".join(around.split())


def tables(text):
    """Yields the tables outside of inclusions with numbers in over a third of the cells, as (line, first line)."""
    text = inclusions.without_inclusions(text)
    for found in TABLE.finditer(text):
        cells = [cell.strip() for line in found[1].splitlines() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])[1:]]
        if sum(bool(re.match(r"[*~−-]*\d", cell)) for cell in cells) > len(cells) / 3:
            yield text.count("\n", 0, found.start()) + 1, found[0].partition("\n")[0]


def texts():
    """Yields what readers see of pages, of the changelog and of public headers, as (path, text)."""
    for path in [*inclusions.pages(), ROOT / "CHANGELOG.md"]:
        yield path, path.read_text()
    for path in sorted((ROOT / "include").rglob("*.h")):
        yield path, prose_test.comments(path.read_text())


def labels(figure):
    """Returns the texts of an SVG."""
    return [re.sub(r"<[^>]*>", "", text) for text in re.findall(r"<text\b[^>]*>(.*?)</text>", figure.read_text(), re.S)]


def shares_of_stages():
    """Returns the percentages of the pairs of cloth-ball that reach and that end at each stage, in the order of the figure."""
    results = json.loads((ROOT / "bench/results/exact.json").read_text())
    table = next(item for item in results["sections"]["sets"] if not isinstance(item, str))
    rows = [dict(zip(table["columns"], row)) for row in table["rows"] if row[0].startswith("cloth-ball, ")]
    queries = sum(row["queries"] for row in rows)
    shown, reached = [], 100.0
    for stage in (["axis"], ["diagonal"], ["coplanarity"], ["root miss", "root contact"], ["integer"]):
        settled = sum(float(row[part]) * row["queries"] for row in rows for part in stage) / queries
        shown += [abs(reached), settled]
        reached -= settled
    return shown


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

    def test_every_result_states_its_origin(self):
        """Files that a program writes have a date and a commit; sections that were typed are marked as transcribed."""
        for file in sorted((ROOT / "bench/results").glob("*.json")):
            results = json.loads(file.read_text())
            with self.subTest(file.name):
                if "sections" in results:
                    self.assertEqual(set(results.get("transcribed", {})), set(results["sections"]),
                                     "`transcribed` states the origin of each section, see scripts/inclusions.py")
                else:
                    # Parts that were measured one by one have a machine each.
                    machines = [part["machine"] for part in results.values()
                                if isinstance(part, dict) and "machine" in part]
                    for machine in machines or [results.get("machine", results)]:
                        for fact in ("date", "commit"):
                            self.assertTrue(machine.get(fact), fact)

    def test_prose_quotes_no_measurement(self):
        used, found = set(), []
        for page, text in texts():
            name = page.relative_to(ROOT).as_posix()
            for line, words in [*numbers(text), *tables(text)]:
                excuses = [entry for entry in allowed() if entry[0] == name and entry[1] in words]
                used.update(excuses)
                if not excuses:
                    found.append(f"{name}:{line}: {words}")
        self.assertEqual(found, [], "move to bench/results and include (scripts/inclusions.py)")
        self.assertEqual([entry for entry in allowed() if entry not in used], [], "no longer on their pages")

    def test_the_figure_of_the_stages_shows_the_shares_of_the_results(self):
        shown = [float(label[:-2]) for label in labels(ROOT / STAGES) if label.endswith(" %")]
        expected = shares_of_stages()
        self.assertEqual(len(shown), len(expected))
        for label, share in zip(shown, expected):
            # The shares in the results have one decimal.
            self.assertAlmostEqual(label, share, delta=0.15)

    def test_drawn_figures_show_their_results(self):
        for figure, command in DRAWN.items():
            with self.subTest(figure), tempfile.TemporaryDirectory() as folder:
                drawn = Path(folder) / "drawn.svg"
                subprocess.run([sys.executable, *command, drawn], cwd=ROOT, check=True, capture_output=True)
                self.assertEqual(drawn.read_text(), (ROOT / figure).read_text(), " ".join(command))

    def test_no_other_figure_shows_a_measurement(self):
        figures = sorted((ROOT / "docs").rglob("*.svg"))
        self.assertGreater(len(figures), len(DRAWN))
        for figure in figures:
            name = figure.relative_to(ROOT).as_posix()
            if name not in DRAWN and name != STAGES:
                self.assertEqual([label for label in labels(figure) if MEASURED.search(label)], [], name)

    def test_measurements_are_recognized(self):
        for text in ["a query takes 12 ns", "in 1.5 s", "is 113 times as fast", "2.1x", "settles 88 to 97 % of them",
                     "4,264 MiB", "165 frames per second", "a factor of 8",
                     "50 times fewer checks", "351 of 23,778 contacts are missed"]:
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
