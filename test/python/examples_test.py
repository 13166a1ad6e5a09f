"""Runs the programs of examples/python and the Python lines of README.md and docs/python.md."""

import ast
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import graze
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/python"
PACKAGE = str(pathlib.Path(graze.__file__).resolve().parents[1])
ARGUMENTS = {"falling_cloth": ["12", "40"]}  # a smaller cloth


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.py")))
def test_examples_run(name, tmp_path):
    pytest.importorskip("scipy" if name == "falling_cloth" else "numpy")
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", *ARGUMENTS.get(name, [])],
        cwd=tmp_path, capture_output=True, text=True, timeout=250,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if name in ("falling_cloth", "clean_animation") and graze.has_viewer():
        assert (tmp_path / f"{name}.html").stat().st_size > 100_000


def test_the_cloth_has_10_000_triangles_and_60_lines(tmp_path):
    pytest.importorskip("scipy")
    program = FOLDER / "falling_cloth.py"
    source = program.read_text()
    docstring = ast.parse(source).body[0]
    lines = [line.strip() for line in source.splitlines()[docstring.end_lineno :]]
    assert len([line for line in lines if line and not line.startswith("#")]) <= 60
    sides = re.search(r"sys\.argv\[1:\] or \((\d+), \d+\)", source)[1]  # the default
    done = subprocess.run(
        [sys.executable, program, sides, "1"], cwd=tmp_path, capture_output=True, text=True, timeout=250,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    triangles = done.stdout.split()[0]
    assert int(triangles.replace(",", "")) >= 10_000
    assert triangles in source and triangles in (ROOT / "docs/python.md").read_text()


def table_of(arguments, folder):
    """Returns what clean_animation.py prints."""
    command = [sys.executable, FOLDER / "clean_animation.py", *arguments]
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_animation_is_read_from_a_folder(tmp_path):
    sys.path.insert(0, str(FOLDER))
    import clean_animation

    expected = table_of([], tmp_path)
    assert "vertex_face" in expected and "steps have a contact" in expected
    (tmp_path / "frames").mkdir()
    frames = list(clean_animation.folding_sheet())
    for k, (faces, positions) in enumerate(frames):
        graze.write_mesh(tmp_path / f"frames/{k + 8}.ply", positions, faces)  # 8, 9, 10, ...
    assert table_of(["frames"], tmp_path) == expected
    meshio = pytest.importorskip("meshio")
    for k, (faces, positions) in enumerate(frames):
        meshio.Mesh(positions, [("triangle", faces)]).write(tmp_path / f"{k}.vtk")
    assert table_of([f"{k}.vtk" for k in range(len(frames))], tmp_path) == expected


def test_the_notebook_runs(tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", PACKAGE)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(FOLDER / "step.ipynb", as_version=4)
    if not graze.has_viewer():
        notebook.cells.pop()
    nbclient.NotebookClient(notebook, timeout=120).execute(cwd=str(tmp_path))
    if graze.has_viewer():
        (output,) = notebook.cells[-1].outputs
        assert "<iframe" in output["data"]["text/html"]


def test_the_figure_of_advancement_shows_a_search(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    command = os.environ.get("GRAZE_COMMAND")
    if not command:
        pytest.skip("GRAZE_COMMAND does not name the command graze")
    monkeypatch.syspath_prepend(str(ROOT / "docs/site"))
    import figures

    proven, answer, distance = figures.search_of_advance(command, tmp_path)
    assert answer.verdict.name == "contact" and len(proven) > 10
    assert proven == sorted(proven) and proven[0] > 0 and proven[-1] == answer.toi
    assert all(distance(t) > 0 for t in proven[:-1])
    figures.draw_advancement(command, tmp_path, tmp_path / "advancement.svg")
    assert "<svg" in (tmp_path / "advancement.svg").read_text()


def test_the_reference_lists_every_public_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/site"))
    import prepare

    (tmp_path / "reference").mkdir()
    prepare.write_python_reference(tmp_path)
    listed = re.findall(r"^\.\. automodule:: (\S+)$", (tmp_path / "reference/python.md").read_text(), re.M)
    public = [module.name for module in pkgutil.iter_modules(graze.__path__) if not module.name.startswith("_")]
    assert sorted(listed) == sorted(["graze", *(f"graze.{name}" for name in public)])


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_python_lines_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["step"].toi == 0.5 and len(names["hits"]) == 1 and 0.49 < names["alpha"] < 0.5
    if page == "docs/python.md":
        assert names["impact"].toi == 0.5 and names["times"].intervals["begin_lo"][0] == 0.5
        assert (names["many"]["toi"] == 0.5).all() and names["nearest"].distance == 0.5
        assert names["proof"].verdict is graze.Verdict.separated
        assert names["hit"].verdict is graze.Verdict.contact and names["walk"].on_ground
        assert names["found"].lo <= 2 <= names["found"].hi and not names["colliding"]
