"""Tests graze.mpi on several ranks; skipped if MPI or mpi4py is absent."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("ranks", [1, 3])
def test_answers_have_the_bits_of_one_process(ranks):
    pytest.importorskip("mpi4py", reason="mpi4py is absent")
    if importlib.util.find_spec("graze._mpi") is None:
        pytest.skip("this build of graze has no MPI")
    command = [HERE.parents[1] / "scripts/mpirun", str(ranks), sys.executable, HERE / "mpi_ranks.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert f"contacts agree on {ranks} ranks" in done.stdout


def test_the_module_can_be_documented_without_mpi():
    program = """if True:
        import sys
        sys.modules["mpi4py"] = sys.modules["graze._mpi"] = None  # importing them fails
        import graze.mpi
        assert all(getattr(graze.mpi, name).__doc__ for name in graze.mpi.__all__)
        try:
            graze.mpi.earliest_impact(None, [[0, 1, 2]], [], [])
        except RuntimeError as error:
            print(error)
        """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("graze.mpi needs Open MPI")
