"""Runs the Python lines of README.md."""

import pathlib
import re

README = pathlib.Path(__file__).parents[2] / "README.md"


def test_the_lines_of_the_readme_run():
    (lines,) = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.M | re.S)
    names = {}
    exec(lines, names)
    assert names["step"].toi == 0.5 and len(names["hits"]) == 1 and 0.49 < names["alpha"] < 0.5
