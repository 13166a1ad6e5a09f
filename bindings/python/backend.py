"""The build backend of the Python package (PEP 517): CMake builds it, this file makes the wheel.

The wheel carries the shared libraries that the extension needs beyond those of every Linux system,
beside the extension, which finds them by its RPATH $ORIGIN. Where MPI is installed, the wheel also has
the extension of graze.mpi, which uses the MPI of the system; the rest works without it. Needs CMake, a
C++20 compiler, patchelf and the libraries of Graze; ninja is used where it is installed.
GRAZE_CMAKE_ARGS adds arguments of CMake, GRAZE_BUILD_DIR names a build folder that is kept.
"""

import base64
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "graze_ccd"
# Libraries of every system that runs CPython and NumPy.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so)")


def version():
    """Returns the version of include/graze/version.h."""
    text = (ROOT / "include/graze/version.h").read_text()
    parts = re.findall(r"define GRAZE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
    return ".".join(parts)


def metadata():
    """Returns the core metadata, from pyproject.toml."""
    project = _project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {need}" for need in project["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def _project():
    try:
        import tomllib

        return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    except ImportError:  # before Python 3.11; pip brings its own copy
        from pip._vendor import tomli

        return tomli.loads((ROOT / "pyproject.toml").read_text())["project"]


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _pybind11_arguments():
    try:
        import pybind11

        return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
    except ImportError:
        return []


def _build(build, stage):
    """Builds the package and installs it into the folder `stage`."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = [f"-DGRAZE_{part}=OFF" for part in ("APPS", "BENCH", "TESTS", "INSTALL")]
    options += [f"-DCMAKE_REQUIRE_FIND_PACKAGE_{name}=ON" for name in ("Python3", "pybind11")]
    subprocess.run(
        ["cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", *options,
         "-DGRAZE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}", *_pybind11_arguments(),
         *shlex.split(os.environ.get("GRAZE_CMAKE_ARGS", ""))],
        check=True,
    )  # fmt: skip
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    subprocess.run(
        ["cmake", "--build", build, "--target", "graze_python_package", "-j", jobs], check=True
    )
    subprocess.run(
        ["cmake", "--install", build, "--component", "python", "--prefix", stage], check=True
    )


def _carry_libraries(folder):
    """Copies the libraries that the extension needs beside it and sets every RPATH to $ORIGIN."""
    extension = next(folder.glob("_core*.so"))
    listing = subprocess.run(["ldd", extension], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", listing, re.MULTILINE):
        if SYSTEM.match(name):
            continue
        if path == "not":
            raise RuntimeError(f"{extension.name} needs {name}, which was not found")
        shutil.copyfile(path, folder / name)
    for library in folder.glob("*.so*"):
        library.chmod(0o755)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", library], check=True)


def _record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def _wheel_info():
    """Returns the contents of METADATA, LICENSE and WHEEL."""
    tag = f"Wheel-Version: 1.0\nGenerator: graze\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    return {
        "METADATA": metadata().encode(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        "WHEEL": tag.encode(),
    }


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the metadata of the wheel without building it, and returns the name of the folder."""
    info = f"{NAME}-{version()}.dist-info"
    folder = Path(metadata_directory) / info
    folder.mkdir()
    for name, data in _wheel_info().items():
        (folder / name).write_bytes(data)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel and returns its name."""
    info = f"{NAME}-{version()}.dist-info"
    wheel = f"{NAME}-{version()}-{_tag()}.whl"
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch) / "stage"
        _build(Path(os.environ.get("GRAZE_BUILD_DIR", Path(scratch) / "build")), stage)
        _carry_libraries(stage / "graze")
        files = {
            path.relative_to(stage).as_posix(): path.read_bytes()
            for path in sorted(stage.rglob("*"))
            if path.is_file()
        }
    files.update({f"{info}/{name}": data for name, data in _wheel_info().items()})
    record = "".join(_record(name, data) for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data)
    return wheel


def _sources():
    """Returns the files of the source distribution: those of git, or all of an unpacked one."""
    found = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if found.returncode == 0 and found.stdout:
        return [name for name in found.stdout.split("\0") if name and (ROOT / name).is_file()]
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(p.as_posix() for p in paths if p.parts[0] != "build" and p.name != "PKG-INFO")


def build_sdist(sdist_directory, config_settings=None):
    """Builds the source distribution and returns its name."""
    base = f"{NAME}-{version()}"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in _sources():
            archive.add(ROOT / name, f"{base}/{name}")
        data = metadata().encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"


def get_requires_for_build_wheel(config_settings=None):
    """Returns the build tools that are missing here and that pip can install."""
    places = ("/usr/lib/cmake/pybind11", "/usr/share/cmake/pybind11", "/usr/local/share/cmake/pybind11")
    needs = [] if any(map(os.path.isdir, places)) else ["pybind11>=2.10"]
    return needs + [tool for tool in ("cmake", "patchelf") if not shutil.which(tool)]


def get_requires_for_build_sdist(config_settings=None):
    """Returns no requirement."""
    return []
