"""A course of its own in a temporary folder, with hand-ins of the sample class, for tests of the host."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NAME = "02-attend"
SECRET = "tests"

sys.path.insert(0, str(ROOT / "tests" / "samples"))

import build  # noqa: E402


def make_course(folder: Path, students: Iterable[str]) -> Path:
    """Copy the course, as a fresh clone has it, and hand in the samples of these students."""
    folder.mkdir(parents=True)
    for part in (f"source/{NAME}", f"assignments/{NAME}", f"autograder/graders/{NAME}"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    everybody = build.samples(NAME)
    for student in students:
        build.write_hand_in(ROOT, folder / "submitted", NAME, everybody, student, student)
    return folder


def edit_hand_in(course: Path, student: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the JSON of a hand-in."""
    path = course / "submitted" / student / NAME / f"{NAME}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def cell(notebook: dict[str, Any], grade_id: str) -> dict[str, Any]:
    """Return the cell of that id."""
    found = [each for each in notebook["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == grade_id]
    return found[-1]


def run(course: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run `nbgrader ...` or `autograder ...` in the course, with the tests' secret."""
    scripts = Path(sys.executable).parent
    program = [sys.executable, "-m", "autograder"] if command[0] == "autograder" else [str(scripts / command[0])]
    path = os.pathsep.join([str(scripts), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "AUTOGRADER_SECRET": SECRET, "COLUMNS": "200"}
    arguments = [*program, *command[1:]]
    return subprocess.run(arguments, cwd=course, capture_output=True, text=True, env=environment, check=False)


def graded(course: Path, student: str) -> dict[str, Any]:
    """Return the autograded notebook of a student."""
    path = course / "autograded" / student / NAME / f"{NAME}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook
