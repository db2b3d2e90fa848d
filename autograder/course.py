"""Say what an assignment is: its notebook, tasks, points and graders; and check that they fit together."""

import importlib.util
import json
import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from autograder.errors import CourseError

Cell = dict[str, Any]

CONFIG = "nbgrader_config.py"
MODULE_PREFIX = "test_"


@dataclass(frozen=True)
class Task:
    """Name one graded cell and its points; a manual one is graded by a person."""

    name: str
    points: float
    manual: bool = False


@dataclass(frozen=True)
class ReleasedCell:
    """Hold one marked cell of the release: what it is for, and, for an answer, the tasks that it is about."""

    grade_id: str
    role: Literal["set-up", "answer", "check", "words", "other"]
    code: bool
    source: str
    tasks: tuple[str, ...] = ()

    @property
    def locked(self) -> bool:
        """Tell whether the course says what is in the cell, whatever comes back."""
        return self.code and self.role in ("set-up", "check")


@dataclass(frozen=True)
class Assignment:
    """Hold one assignment's places and tasks.

    `root` is the course's folder, `source` and `release` are the two notebooks, `graders` is the folder of
    the hidden graders. The release may not exist yet.
    """

    name: str
    root: Path
    source: Path
    release: Path
    graders: Path
    tasks: tuple[Task, ...]

    @property
    def points(self) -> float:
        """Return the points of all tasks together."""
        return sum(task.points for task in self.tasks)

    def task(self, name: str) -> Task:
        """Return the task of that name."""
        for task in self.tasks:
            if task.name == name:
                return task
        known = ", ".join(task.name for task in self.tasks)
        raise CourseError(f"{self.name} has no task {name!r}.", f"Its tasks are {known}.")

    def reference_cells(self) -> list[str]:
        """Return the sources of the source notebook's code cells in order, the checks left out."""
        cells = read_cells(self.source, f"Write {self.source.name} or restore it.")
        return [source_text(cell) for cell in cells if cell["cell_type"] == "code" and not is_check(cell)]

    def check_cells(self) -> dict[str, str]:
        """Return the visible checks as {grade_id: source}; the release holds them unchanged."""
        cells = read_cells(self.source, f"Write {self.source.name} or restore it.")
        return {nbgrader_metadata(cell)["grade_id"]: source_text(cell) for cell in cells if is_check(cell)}

    def locked_cells(self) -> dict[str, str]:
        """Return the release's set-up code cells (locked, without points) as {grade_id: source}, in order."""
        return {cell.grade_id: cell.source for cell in self.released_cells() if cell.code and cell.role == "set-up"}

    def released_cells(self) -> tuple[ReleasedCell, ...]:
        """Return the marked cells of the release, in order."""
        try:
            version = self.release.stat().st_mtime_ns
        except OSError:
            version = 0
        return _released_cells(self.release, version, self.name)

    def grader_module(self, task: Task) -> Path:
        """Return the path of the task's grader module, whether or not it exists."""
        return self.graders / f"{MODULE_PREFIX}{task.name}.py"


@dataclass(frozen=True)
class Course:
    """Find the assignments of the course in the folder `root`."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> "Course":
        """Return the course that `start` lies in, looking upwards for nbgrader_config.py beside source/."""
        start = start.resolve()
        for folder in (start, *start.parents):
            if (folder / CONFIG).is_file() and (folder / "source").is_dir():
                return cls(folder)
        raise CourseError(
            f"No course in {start} or above it.",
            f"Go to the folder that holds {CONFIG} and source/, or name it.",
        )

    def names(self) -> list[str]:
        """Return the names of all assignments, sorted."""
        folders = (self.root / "source").glob("*/")
        return sorted(folder.name for folder in folders if not folder.name.startswith((".", "_")))

    def assignment(self, name: str) -> Assignment:
        """Read one assignment from its source notebook."""
        if name not in self.names():
            known = ", ".join(self.names()) or "none yet"
            raise CourseError(f"No assignment {name!r} in {self.root / 'source'}.", f"Known: {known}.")
        source = self.root / "source" / name / f"{name}.ipynb"
        cells = read_cells(source, "Each assignment is source/<name>/<name>.ipynb: write it or restore it.")
        return Assignment(
            name=name,
            root=self.root,
            source=source,
            release=self.root / "assignments" / name / f"{name}.ipynb",
            graders=self.root / "autograder" / "graders" / name,
            tasks=tuple(_tasks(cells, source)),
        )

    def assignments(self) -> list[Assignment]:
        """Read all assignments, sorted by name."""
        return [self.assignment(name) for name in self.names()]


def check_assignment(assignment: Assignment) -> None:
    """Refuse an assignment whose cells, grader modules and points do not fit together; loads every grader."""
    automatic = [task for task in assignment.tasks if not task.manual]
    expected = {assignment.grader_module(task) for task in automatic}
    for path in sorted(expected):
        if not path.is_file():
            raise CourseError(f"The graded cell {_task_name(path)!r} has no grader.", f"Write {path}.")
    for path in sorted(assignment.graders.glob(f"{MODULE_PREFIX}*.py")):
        if path not in expected:
            raise CourseError(
                f"The grader {path} has no graded cell.",
                f"Add a check cell with the grade_id {_task_name(path)!r} to {assignment.source}, "
                "or rename or remove the grader.",
            )
    for task in automatic:
        _check_points(assignment, task)


def load_grader(assignment: Assignment, path: Path) -> types.ModuleType:
    """Import a module of the assignment's graders afresh, as graders_<assignment>.<module>."""
    package = f"graders_{assignment.name.replace('-', '_')}"
    if package not in sys.modules:
        sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = [str(assignment.graders)]  # so that graders may import one another
    spec = importlib.util.spec_from_file_location(f"{package}.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise CourseError(f"{path} is not a Python module.", "Give it a name that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[spec.name]
        raise CourseError(f"The grader {path} stops with {error!r}.", "Mend it, then try again.") from error
    return module


def read_cells(path: Path, remedy: str) -> list[Cell]:
    """Return the cells of a notebook of the course; course material is trusted, so plain JSON will do."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except FileNotFoundError:
        raise CourseError(f"{path} does not exist.", remedy) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} cannot be read as a notebook ({error!r}).", remedy) from error
    if not isinstance(cells, list) or not all(isinstance(c, dict) and "cell_type" in c for c in cells):
        raise CourseError(f"{path} is JSON, but not a notebook of format 4.", remedy)
    return cells


def source_text(cell: Cell) -> str:
    """Return a cell's source as one string, whichever way the file spells it."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def nbgrader_metadata(cell: Cell) -> dict[str, Any]:
    """Return a cell's nbgrader metadata, empty when it has none."""
    metadata: dict[str, Any] = cell.get("metadata", {}).get("nbgrader", {})
    return metadata


def is_check(cell: Cell) -> bool:
    """Tell whether the cell is an autograded check."""
    metadata = nbgrader_metadata(cell)
    return bool(metadata.get("grade")) and not metadata.get("solution")


def is_setup(cell: Cell) -> bool:
    """Tell whether the cell is locked and carries no points."""
    metadata = nbgrader_metadata(cell)
    return bool(metadata.get("locked")) and not metadata.get("grade") and not metadata.get("solution")


def is_solution(cell: Cell) -> bool:
    """Tell whether the cell is one that students fill in."""
    return bool(nbgrader_metadata(cell).get("solution"))


@lru_cache(maxsize=16)
def _released_cells(path: Path, version: int, name: str) -> tuple[ReleasedCell, ...]:
    """Read the release once for a whole class; `version` changes with the file."""
    found: list[ReleasedCell] = []
    for cell in read_cells(path, f"Run: autograder release {name}"):
        grade_id = nbgrader_metadata(cell).get("grade_id")
        if grade_id:
            found.append(ReleasedCell(grade_id, _role(cell), cell["cell_type"] == "code", source_text(cell)))
    return tuple(replace(cell, tasks=_tasks_of(found, i)) if cell.role == "answer" else cell
                 for i, cell in enumerate(found))  # fmt: skip


def _role(cell: Cell) -> Literal["set-up", "answer", "check", "words", "other"]:
    if is_check(cell):
        return "check"
    if is_solution(cell):
        return "words" if nbgrader_metadata(cell).get("grade") else "answer"
    return "set-up" if is_setup(cell) else "other"


def _tasks_of(cells: Sequence[ReleasedCell], place: int) -> tuple[str, ...]:
    """Return the checks that follow the answer at `place`, up to the next answer that comes after a check."""
    tasks: list[str] = []
    for cell in cells[place + 1 :]:
        if cell.role == "check":
            tasks.append(cell.grade_id)
        elif cell.role in ("answer", "words") and tasks:
            break
    return tuple(tasks)


def _tasks(cells: Sequence[Cell], source: Path) -> Iterator[Task]:
    seen = set()
    for number, cell in enumerate(cells, start=1):
        metadata = nbgrader_metadata(cell)
        if not metadata:
            continue
        name = metadata.get("grade_id")
        if not name:
            raise CourseError(f"{source}: cell {number} has no grade_id.", "Give it one, or no nbgrader metadata.")
        if name in seen:
            raise CourseError(f"{source}: two cells have the grade_id {name!r}.", "Rename one of them.")
        seen.add(name)
        if metadata.get("grade"):
            yield Task(name, _points(metadata, source, name), manual=bool(metadata.get("solution")))


def _points(metadata: dict[str, Any], source: Path, name: str) -> float:
    points = metadata.get("points")
    if isinstance(points, bool) or not isinstance(points, (int, float)) or points < 0:
        raise CourseError(f"{source}: the cell {name!r} has the points {points!r}.", "Give it 0 or more.")
    return points


def _check_points(assignment: Assignment, task: Task) -> None:
    from autograder.grading.groups import Group  # here, so that reading a course does not wait for NumPy

    path = assignment.grader_module(task)
    functions = vars(load_grader(assignment, path)).values()
    groups = (getattr(function, "group", None) for function in functions)
    total = sum(group.points for group in groups if isinstance(group, Group))
    if abs(total - task.points) > 1e-9:
        raise CourseError(
            f"The groups in {path} sum to {total:g} points, the cell {task.name!r} has {task.points:g}.",
            "Change the points of a group or of the cell.",
        )


def _task_name(grader: Path) -> str:
    return grader.stem.removeprefix(MODULE_PREFIX)
