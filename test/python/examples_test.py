"""Runs the programs of examples/python and the Python lines of README.md and docs/python.md."""

import os
import pathlib
import re
import subprocess
import sys

import graze
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("example", sorted((ROOT / "examples/python").glob("*.py")), ids=lambda p: p.stem)
def test_examples_run(example, tmp_path):
    package = str(pathlib.Path(graze.__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, example], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": package},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", ["README.md"])
def test_python_lines_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["step"].toi == 0.5 and len(names["hits"]) == 1 and 0.49 < names["alpha"] < 0.5
