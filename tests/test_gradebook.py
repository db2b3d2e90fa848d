"""The gradebook and its export: a real database, and the real `nbgrader export`."""

import csv
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
from traitlets.config import PyFileConfigLoader

from autograder.course import Assignment, Course
from autograder.errors import AutograderError
from autograder.host.database import newest_revisions
from autograder.host.gradebook import fill_gradebook
from autograder.report import Record, TaskResult

ROOT = Path(__file__).parent.parent
POINTS = {"softmax": 8.0, "attend": 10.0, "words": 2.0}
SCRIPTS = Path(sys.executable).parent


def cell(kind: str, text: str, **marks: Any) -> Any:
    make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
    made = make(text)
    nbgrader = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
    made.metadata["nbgrader"] = {**nbgrader, **marks}
    return made


def write_course(root: Path, points: dict[str, float]) -> Assignment:
    cells = [cell("code", "import numpy as np", grade_id="setup", locked=True)]
    for name, worth in points.items():
        if name == "words":
            text = "YOUR ANSWER HERE"
            cells += [cell("markdown", text, grade_id="words", grade=True, solution=True, points=worth)]
        else:
            cells += [cell("code", f"def {name}(x):\n    return x", grade_id=f"{name}-answer", solution=True)]
            cells += [cell("code", f"{name}(1)", grade_id=name, grade=True, locked=True, points=worth)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    for folder in ("source", "assignments"):
        (root / folder / "week").mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, root / folder / "week" / "week.ipynb")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    return Course(root).assignment("week")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make one course with an empty gradebook; making the tables costs seconds, so tests work on copies."""
    root = tmp_path_factory.mktemp("template") / "course"
    assignment = write_course(root, POINTS)
    fill_gradebook(url(assignment), assignment, [])
    return root


@pytest.fixture
def assignment(tmp_path: Path, template: Path) -> Assignment:
    shutil.copytree(template, tmp_path / "course")
    return Course(tmp_path / "course").assignment("week")


@pytest.fixture
def fresh(assignment: Assignment) -> Assignment:
    """Return the assignment of a course without a gradebook."""
    (assignment.root / "gradebook.db").unlink()
    return assignment


def record(student: str, scores: dict[str, float | None] | None = None, **more: Any) -> Record:
    scores = scores or {}
    tasks = [
        TaskResult(
            name=name,
            points=points,
            score=scores.get(name),
            manual=name == "words",
            groups=[],
            diagnosis=[],
            error=None,
        )
        for name, points in POINTS.items()
    ]
    fields: dict[str, Any] = {
        "student": student,
        "assignment": "week",
        "status": "graded",
        "graded_at": datetime(2026, 3, 1, tzinfo=UTC),
        "submitted_at": None,
        "submission_sha256": "",
        "grader_version": "",
        "environment": {},
        "seed": "",
        "isolation": "full",
        "findings": [],
        "tasks": tasks,
    }
    return Record(**(fields | more))


def url(assignment: Assignment) -> str:
    return f"sqlite:///{assignment.root / 'gradebook.db'}"


@contextmanager
def gradebook(assignment: Assignment) -> Iterator[Any]:
    from nbgrader.api import Gradebook

    with Gradebook(url(assignment), "qkv") as opened:
        yield opened


def nbgrader(assignment: Assignment, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    command = [str(SCRIPTS / "nbgrader"), *arguments]
    return subprocess.run(command, cwd=assignment.root, env=os.environ | {"PATH": path}, capture_output=True, text=True)


def export(assignment: Assignment) -> dict[str, dict[str, str]]:
    """Export in this process, which is what `nbgrader export` does after its start-up of seconds."""
    from autograder.host.exporter import GradesCsv

    path = assignment.root / "grades.csv"
    with gradebook(assignment) as opened:
        GradesCsv(to=str(path)).export(opened)
    return read_csv(path)


def read_csv(path: Path) -> dict[str, dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}


def test_the_export_shows_the_numbers_of_the_records(assignment: Assignment) -> None:
    when = datetime(2026, 3, 1, 12, tzinfo=UTC)
    records = [
        record("ann", {"softmax": 8, "attend": 2.5}, submitted_at=when),
        record("bob", {"softmax": 0, "attend": 0}),
        record("cy", status="unreadable"),
        record("007", status="not graded"),
        record("eve", {"softmax": 0.1, "attend": 0.2}),
    ]
    fill_gradebook(url(assignment), assignment, records)
    done = nbgrader(assignment, "export")
    assert done.returncode == 0, done.stderr
    rows = read_csv(assignment.root / "grades.csv")
    assert {name: row["score"] for name, row in rows.items()} == {
        "ann": "10.5",
        "bob": "0.0",
        "cy": "",
        "007": "",
        "eve": "0.3",
    }
    assert rows["ann"]["timestamp"] == "2026-03-01 12:00:00"
    assert {row["max_score"] for row in rows.values()} == {"20.0"}
    assert rows["cy"]["raw_score"] == rows["cy"]["late_submission_penalty"] == ""


def test_a_student_who_handed_in_nothing_is_blank(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [record("ann", {"softmax": 1})])
    with gradebook(assignment) as opened:
        opened.add_student("idle")
    assert export(assignment)["idle"]["score"] == ""


def test_text_is_quoted_and_cannot_run_as_a_formula(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [record(name) for name in ("a,b", "-1+2", "ü", "0042")])
    names = {
        "a,b": '=HYPERLINK("http://x","y")',
        "-1+2": "\tTab",
        "ü": 'Two "quotes"\nlines',
        "0042": " @SUM(A1)",
    }
    with gradebook(assignment) as opened:
        for student, name in names.items():
            opened.update_or_create_student(student, last_name=name, first_name="+1", email="x@example.org")
    rows = export(assignment)
    assert {student: row["last_name"] for student, row in rows.items()} == {
        "a,b": '\'=HYPERLINK("http://x","y")',
        "'-1+2": "'\tTab",
        "ü": 'Two "quotes"\nlines',
        "0042": "' @SUM(A1)",
    }
    assert rows["ü"]["first_name"] == "'+1" and rows["ü"]["email"] == "x@example.org"


def test_export_keeps_to_the_students_and_assignments_that_were_asked_for(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [record("ann"), record("bob")])
    done = nbgrader(assignment, "export", "--to=some.csv", "--student=['bob']", "--assignment=['week']")
    assert done.returncode == 0, done.stderr
    assert list(read_csv(assignment.root / "some.csv")) == ["bob"]


def test_what_people_entered_survives_a_second_fill(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [record("ann", {"softmax": 3, "attend": 0})])
    with gradebook(assignment) as opened:
        opened.find_grade("softmax", "week", "week", "ann").manual_score = 1.5
        opened.find_grade("softmax", "week", "week", "ann").extra_credit = 0.5
        opened.find_grade("words", "week", "week", "ann").manual_score = 1
        opened.find_comment("softmax-answer", "week", "week", "ann").manual_comment = "good"
        opened.find_submission_notebook("week", "week", "ann").flagged = True
        opened.db.commit()
    fill_gradebook(url(assignment), assignment, [record("ann", {"softmax": 8, "attend": 10})])
    with gradebook(assignment) as opened:
        softmax = opened.find_grade("softmax", "week", "week", "ann")
        assert (softmax.auto_score, softmax.manual_score, softmax.extra_credit) == (8, 1.5, 0.5)
        assert opened.find_comment("softmax-answer", "week", "week", "ann").manual_comment == "good"
        assert opened.find_submission_notebook("week", "week", "ann").flagged
    assert export(assignment)["ann"]["score"] == "13.0"


def test_manual_grading_is_asked_for_where_nbgrader_would(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [record("ann", {"softmax": 3, "attend": 0})])
    with gradebook(assignment) as opened:
        grades = opened.find_submission("week", "ann").notebooks[0].grades
        assert {grade.name: grade.needs_manual_grade for grade in grades} == {
            "softmax": False,
            "attend": False,
            "words": True,
        }
        assert {type(grade.auto_score) for grade in grades if grade.name != "words"} == {float}


def test_an_unreadable_second_hand_in_has_no_score(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [record("ann", {"softmax": 3})])
    fill_gradebook(url(assignment), assignment, [record("ann", status="unreadable")])
    assert export(assignment)["ann"]["score"] == ""


def test_a_task_that_was_added_later_gets_its_rows(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [record("ann", {"softmax": 3})])
    later = write_course(assignment.root, {**POINTS, "late": 5.0, "softmax": 9.0})
    more = TaskResult(name="late", points=5, score=4, groups=[], diagnosis=[], error=None)
    before = record("ann", {"softmax": 3})
    fill_gradebook(url(later), later, [before.model_copy(update={"tasks": [*before.tasks, more]})])
    row = export(later)["ann"]
    assert (row["score"], row["max_score"]) == ("7.0", "26.0")


def test_the_rows_are_those_that_nbgrader_makes(fresh: Assignment) -> None:
    """`nbgrader generate_assignment` on a database of its own: filling it changes no row, and makes the same."""
    done = nbgrader(fresh, "generate_assignment", "week", "--force")
    assert done.returncode == 0, done.stderr
    made = rows_of(fresh.root / "gradebook.db")
    fill_gradebook(url(fresh), fresh, [record("ann", {"softmax": 3})])
    assert rows_of(fresh.root / "gradebook.db") == made
    (fresh.root / "gradebook.db").unlink()
    fill_gradebook(url(fresh), fresh, [])
    assert rows_of(fresh.root / "gradebook.db") == made


def rows_of(database: Path) -> list[Any]:
    queries = (
        "select name, type from base_cell order by 1, 2",
        "select max_score, cell_type from grade_cells order by 1, 2",
        "select name, cell_type, locked, source, checksum from source_cell order by 1",
        "select name, json(kernelspec) from notebook",
        "select name, course_id from assignment",
        "select version_num from alembic_version",
    )
    with sqlite3.connect(database) as connection:
        return [connection.execute(query).fetchall() for query in queries]


def test_a_locked_database_is_one_sentence_and_a_second_fill_finishes(assignment: Assignment) -> None:
    fill_gradebook(url(assignment), assignment, [])
    holder = sqlite3.connect(assignment.root / "gradebook.db", isolation_level=None)
    holder.execute("begin exclusive")
    try:
        with pytest.raises(AutograderError, match=r"gradebook.*locked.*same command again"):
            fill_gradebook(f"{url(assignment)}?timeout=0.1", assignment, [record("ann", {"softmax": 3})])
    finally:
        holder.close()
    fill_gradebook(url(assignment), assignment, [record("ann", {"softmax": 3})])
    assert export(assignment)["ann"]["score"] == "3.0"


@pytest.mark.parametrize(
    "db_url", ["sqlite:////nowhere/at/all/g.db", "no url", "oddbase://host/x", "sqlite:////proc/version"]
)
def test_a_database_that_cannot_be_opened_is_named(assignment: Assignment, db_url: str) -> None:
    with pytest.raises(AutograderError, match=r"The gradebook .* cannot be filled"):
        fill_gradebook(db_url, assignment, [record("ann")])


def test_a_password_is_not_shown(assignment: Assignment) -> None:
    with pytest.raises(AutograderError) as caught:
        fill_gradebook("postgresql+nodriver://ann:s3cret@localhost/x", assignment, [])
    assert "s3cret" not in str(caught.value)


def test_alembic_is_found_without_the_environment_on_path(fresh: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    fill_gradebook(url(fresh), fresh, [])
    assert os.environ["PATH"] == "/nonexistent"


def test_the_config_serves_the_released_course() -> None:
    config = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()
    assert config["CourseDirectory"]["release_directory"] == "assignments"
    assert set(config["ClearSolutions"]["code_stub"]) >= {"python", "R", "matlab", "octave"}
    assert "raise" not in config["ClearSolutions"]["code_stub"]["python"]


def test_a_revision_that_others_follow_is_not_the_newest(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("revision = 'aaa'\ndown_revision = None\n")
    (tmp_path / "b.py").write_text('revision: str = "bbb"\ndown_revision: str = "aaa"\n')
    assert newest_revisions(tmp_path) == {"bbb"}
