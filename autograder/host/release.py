"""Make what students get from what instructors write, with nbgrader's own converter."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course import (
    CONFIG,
    Assignment,
    Course,
    automatic_tasks,
    is_solution,
    own_names,
    read_cells,
    source_text,
    supplied_names,
)
from autograder.errors import CourseError
from autograder.host.gradebook import read_deadlines

if TYPE_CHECKING:
    from traitlets.config import Config

TELLING = 20  # a line of a solution with fewer characters, such as `return weights`, gives nothing away
MARKERS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS", "END HIDDEN TESTS", "BEGIN MARK SCHEME")


def release(course: Course, assignment_name: str) -> Path:
    """Write assignments/<name>/ from source/<name>/ and return the released notebook's path.

    The bytes are those of `nbgrader generate_assignment`. The old release stays until the new one is
    complete, and nothing is released in which a line of a solution survives.
    """
    assignment = course.assignment(assignment_name)
    target = assignment.release.parent
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=target.parent) as scratch:
        made = generate(assignment, Path(scratch) / "new")
        refuse_leaks(assignment, made)
        _replace(target, made, Path(scratch) / "old")
    return assignment.release


def given_away_early(course: Course, assignment_name: str, db_url: str, now: datetime | None = None) -> list[str]:
    """Say, a sentence each, which solutions a release hands out while their own assignment can still be handed in."""
    given = supplied_names(course.assignment(assignment_name))
    earlier = [course.assignment(name) for name in course.names() if name < assignment_name]
    solved = {assignment.name: sorted(given & set(_solutions(assignment))) for assignment in earlier}
    given_away = [name for name, names in solved.items() if names]
    deadlines = read_deadlines(db_url, given_away) if given_away else {}
    return [
        f"{assignment_name} hands out {', '.join(solved[name])} of {name}, which can be handed in until "
        f"{deadline:%Y-%m-%d %H:%M} UTC: wait with it, or expect copies."
        for name, deadline in sorted(deadlines.items())
        if deadline > (now or datetime.now(UTC))
    ]


def _solutions(assignment: Assignment) -> list[str]:
    return [name for task in automatic_tasks(assignment) for name in own_names(assignment, task)]


def generate(assignment: Assignment, folder: Path) -> Path:
    """Let nbgrader generate the assignment below `folder`, without a database, and return where it lies."""
    # Imported here, since nbgrader takes seconds.
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory

    config = _config(assignment.root)
    config.SaveCells.enabled = False
    config.GenerateAssignment.no_database = True
    config.CourseDirectory.root = str(assignment.root)
    config.CourseDirectory.source_directory = str(assignment.source.parent.parent)
    config.CourseDirectory.release_directory = str(folder)
    config.CourseDirectory.assignment_id = assignment.name
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    try:
        converter.start()
    except (NbGraderException, SystemExit) as error:
        raise CourseError(
            f"nbgrader cannot release {assignment.source}: {error}.", "Its messages above name the cell."
        ) from error
    return folder / assignment.name


def refuse_leaks(assignment: Assignment, folder: Path) -> None:
    """Refuse a release in `folder` that holds a marker or a telling line of a solution."""
    lines = list(solution_lines(assignment))
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        text = _text(path)
        for marker in MARKERS:
            if marker in text:
                raise CourseError(
                    f"{path.name} would be released with {marker!r} in it.",
                    f"Take it out of {assignment.source.parent}, or make its cell a solution cell.",
                )
        for cell, line in lines:
            if line in text:
                raise CourseError(
                    f"{path.name} would be released with a line of the solution {cell!r}: {line}",
                    f"Take it out of {assignment.source.parent}, or write the solution otherwise.",
                )


def solution_lines(assignment: Assignment) -> Iterator[tuple[str, str]]:
    """Yield (grade_id, line) for the telling lines that a release must not hold."""
    for cell in read_cells(assignment.source, "Restore it."):
        if not is_solution(cell):
            continue
        for line in _hidden(source_text(cell).splitlines()):
            if len(line.strip()) >= TELLING:
                yield cell["metadata"]["nbgrader"]["grade_id"], line.strip()


def _hidden(lines: list[str]) -> Iterator[str]:
    """Yield what ClearSolutions takes away: the marked regions, or everything when none is marked."""
    if not any("BEGIN SOLUTION" in line for line in lines):
        yield from lines
        return
    inside = False
    for line in lines:
        if "BEGIN SOLUTION" in line or "END SOLUTION" in line:
            inside = "BEGIN SOLUTION" in line
        elif inside:
            yield line


def _text(path: Path) -> str:
    """Return what a reader of the file sees; of a notebook, the cells' texts and outputs as they are."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8", errors="replace")
    cells = read_cells(path, "Generate it again.")
    outputs = (json.dumps(cell.get("outputs", [])) for cell in cells)
    return "\n".join([*map(source_text, cells), *outputs])


def _config(root: Path) -> "Config":
    from traitlets.config.loader import PyFileConfigLoader

    return PyFileConfigLoader(CONFIG, path=str(root)).load_config()


def _replace(target: Path, made: Path, aside: Path) -> None:
    """Put the new folder in the old one's place; when that fails the old one comes back."""
    if not target.exists():
        made.rename(target)
        return
    target.rename(aside)
    try:
        made.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)
