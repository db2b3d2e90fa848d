"""An assignment is what its notebook and graders say, and misfits are refused with a remedy."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment, Course, Task, check_assignment
from autograder.errors import CourseError

ROOT = Path(__file__).resolve().parent.parent

GRADER = """
from autograder.grading import group

@group("doubles small numbers", points=2)
def test_small(student):
    assert student.double(2) == 4

@group("doubles large numbers", points={points})
def test_large(student):
    assert student.double(2000) == 4000
"""


def cell(grade_id: str, source: str, cell_type: str = "code", **flags: Any) -> dict[str, Any]:
    metadata = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
    return {
        "cell_type": cell_type,
        "id": grade_id,
        "metadata": {"nbgrader": {**metadata, "grade_id": grade_id, **flags}},
        "source": source.splitlines(keepends=True),
    }


def cells() -> list[dict[str, Any]]:
    return [
        {"cell_type": "markdown", "id": "text", "metadata": {}, "source": "# Doubling"},
        cell("setup", "factor = 2\n", locked=True),
        cell("double-answer", "def double(x):\n    return factor * x", solution=True),
        cell("double", "assert double(1) == 2", grade=True, locked=True, points=5),
        cell("why", "Because.", "markdown", grade=True, solution=True, points=1.5),
    ]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[list[dict[str, Any]]], Course]:
    def write_course(cells: list[dict[str, Any]]) -> Course:
        (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
        for folder in (tmp_path / "source" / "one", tmp_path / "assignments" / "one"):
            folder.mkdir(parents=True, exist_ok=True)
            notebook = {"cells": cells, "nbformat": 4, "nbformat_minor": 5}
            (folder / "one.ipynb").write_text(json.dumps(notebook))
        graders = tmp_path / "autograder" / "graders" / "one"
        graders.mkdir(parents=True, exist_ok=True)
        (graders / "test_double.py").write_text(GRADER.format(points=3))
        return Course(tmp_path)

    return write_course


def test_an_assignment_lists_its_tasks_and_places(write: Callable[..., Course]) -> None:
    course = write(cells())
    assignment = course.assignment("one")
    assert assignment.tasks == (Task("double", 5), Task("why", 1.5, manual=True))
    assert assignment.points == 6.5
    assert assignment.release == course.root / "assignments" / "one" / "one.ipynb"
    assert assignment.graders == course.root / "autograder" / "graders" / "one"
    assert assignment.task("why").manual
    assert course.assignments() == [assignment]
    check_assignment(assignment)


def test_reference_cells_leave_out_the_checks_only(write: Callable[..., Course]) -> None:
    assert write(cells()).assignment("one").reference_cells() == [
        "factor = 2\n",
        "def double(x):\n    return factor * x",
    ]


def test_locked_cells_come_from_the_release(write: Callable[..., Course]) -> None:
    assignment = write(cells()).assignment("one")
    released = json.loads(assignment.release.read_text())
    released["cells"][1]["source"] = "factor = 2  # as released"
    assignment.release.write_text(json.dumps(released))
    assert assignment.locked_cells() == {"setup": "factor = 2  # as released"}


def test_a_missing_release_says_how_to_make_it(write: Callable[..., Course]) -> None:
    assignment = write(cells()).assignment("one")
    assignment.release.unlink()
    with pytest.raises(CourseError, match="autograder release one"):
        assignment.locked_cells()


def test_the_course_is_found_from_any_folder_below(write: Callable[..., Course]) -> None:
    course = write(cells())
    assert Course.find(course.root / "source" / "one") == Course(course.root.resolve())
    (course.root / "nbgrader_config.py").unlink()
    with pytest.raises(CourseError, match="No course in"):
        Course.find(course.root / "source")


def test_an_unknown_assignment_lists_the_known_ones(write: Callable[..., Course]) -> None:
    with pytest.raises(CourseError, match="Known: one"):
        write(cells()).assignment("two")


def test_a_name_cannot_leave_the_course(write: Callable[..., Course]) -> None:
    with pytest.raises(CourseError, match="No assignment"):
        write(cells()).assignment("../source/one")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"cells": 3}', '{"cells": [1]}'])
def test_a_bad_source_notebook_is_named(write: Callable[..., Course], content: str) -> None:
    course = write(cells())
    (course.root / "source" / "one" / "one.ipynb").write_text(content)
    with pytest.raises(CourseError, match=r"one\.ipynb"):
        course.assignment("one")


def test_a_missing_source_notebook_is_named(write: Callable[..., Course]) -> None:
    course = write(cells())
    (course.root / "source" / "one" / "one.ipynb").unlink()
    with pytest.raises(CourseError, match=r"one\.ipynb does not exist"):
        course.assignment("one")


def test_duplicate_ids_are_refused(write: Callable[..., Course]) -> None:
    with pytest.raises(CourseError, match="two cells have the grade_id 'double'"):
        write([*cells(), cell("double", "x = 1", solution=True)]).assignment("one")


@pytest.mark.parametrize("points", [None, -1, "5", True])
def test_points_must_be_a_number(write: Callable[..., Course], points: object) -> None:
    with pytest.raises(CourseError, match="has the points"):
        write([cell("double", "", grade=True, locked=True, points=points)]).assignment("one")


def test_a_graded_cell_needs_a_grader(write: Callable[..., Course]) -> None:
    course = write([*cells(), cell("halve", "", grade=True, locked=True, points=1)])
    with pytest.raises(CourseError, match="'halve' has no grader"):
        check_assignment(course.assignment("one"))


def test_a_grader_needs_a_graded_cell(write: Callable[..., Course]) -> None:
    course = write(cells())
    (course.assignment("one").graders / "test_halve.py").write_text("")
    with pytest.raises(CourseError, match=r"test_halve\.py has no graded cell"):
        check_assignment(course.assignment("one"))


def test_group_points_must_sum_to_the_cells(write: Callable[..., Course]) -> None:
    assignment = write(cells()).assignment("one")
    (assignment.graders / "test_double.py").write_text(GRADER.format(points=4))
    with pytest.raises(CourseError, match="sum to 6 points, the cell 'double' has 5"):
        check_assignment(assignment)


def test_a_grader_that_cannot_be_imported_is_named(write: Callable[..., Course]) -> None:
    assignment = write(cells()).assignment("one")
    (assignment.graders / "test_double.py").write_text("1 / 0")
    with pytest.raises(CourseError, match=r"test_double\.py stops with ZeroDivisionError"):
        check_assignment(assignment)


@pytest.mark.parametrize("assignment", Course(ROOT).assignments(), ids=lambda assignment: assignment.name)
def test_every_assignment_of_the_course_fits_together(assignment: Assignment) -> None:
    check_assignment(assignment)


def test_attend_is_worth_what_the_course_says() -> None:
    tasks = {task.name: task.points for task in Course(ROOT).assignment("02-attend").tasks}
    assert tasks == {
        "softmax": 14, "attend": 16, "project": 10, "plural": 10, "identity": 6,
        "attend_all": 14, "cross": 10, "testing": 12, "reading": 8,
    }  # fmt: skip
