"""Build the zip that an instructor uploads to Gradescope: it holds graders and solutions, and is for nobody else."""

import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.resources import files
from pathlib import Path

import autograder
from autograder.bundle import write_bundle
from autograder.course import Assignment, Course
from autograder.errors import AutograderError

SCRIPTS = ("setup.sh", "run_autograder")
BUNDLE = "bundle.zip"
ROSTER = "roster.csv"
DISTRIBUTION = "qkv-autograder"
EXECUTABLE = 0o755 << 16


def build_zip(assignment: Assignment, roster: Path | None = None) -> bytes:
    """Return the zip: scripts, the assignment's bundle, the package, and what pins its versions."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in SCRIPTS:
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = EXECUTABLE, zipfile.ZIP_DEFLATED
            archive.writestr(entry, (files("autograder.gradescope") / name).read_bytes())
        archive.writestr(BUNDLE, _bundle(assignment))
        if roster is not None:
            archive.write(roster, ROSTER)
        constraints = assignment.root / "constraints.txt"
        archive.writestr("constraints.txt", constraints.read_bytes() if constraints.is_file() else b"")
        _add_package(archive)
    return buffer.getvalue()


def _bundle(assignment: Assignment) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / BUNDLE
        write_bundle(Course(assignment.root), assignment, path)
        return path.read_bytes()


def _add_package(archive: zipfile.ZipFile) -> None:
    """Add the running package's wheel when it is a checkout, else ask for this version from the package index."""
    checkout = Path(autograder.__file__).resolve().parents[1]
    if not (checkout / "pyproject.toml").is_file():
        archive.writestr("requirements.txt", f"{DISTRIBUTION}=={autograder.__version__}\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        wheel = _wheel(checkout, Path(folder))
        archive.write(wheel, wheel.name)
        archive.writestr("requirements.txt", f"./{wheel.name}\n")


def _wheel(checkout: Path, folder: Path) -> Path:
    """Build the wheel from a copy, so that the checkout stays clean; graders are not copied."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(checkout / name, folder)
    ignore = shutil.ignore_patterns("__pycache__", "graders")
    shutil.copytree(checkout / "autograder", folder / "autograder", ignore=ignore)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--wheel-dir",
        str(folder / "dist"),
        str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list((folder / "dist").glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise AutograderError(f"The package's wheel could not be built: {last}", "pip needs its package index for it.")
    return wheels[0]
