"""What happens to a class over time: deadlines, repaired tests, sums of points, names in a grade table."""

import csv
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from test_cases import CASE, CASES, COURSE, HONEST, NAME, grade, hand_in

from autograder.course import Course
from autograder.host.exporter import GradesCsv
from autograder.host.gradebook import fill_gradebook
from autograder.intake import parse_timestamp
from autograder.report import Record, TaskResult, read_record

COVERED = ("104", "105", "106", "107")
LATE = """
c.AssignLatePenalties.plugin_class = "autograder.host.lateness.LatePenalty"
c.LatePenalty.percent_per_day = 10
"""


def scenario(number: str) -> dict[str, Any]:
    [folder] = CASES.glob(f"{number}-*")
    found: dict[str, Any] = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    return found


def test_every_scenario_is_played() -> None:
    assert sorted(name[:3] for name, case in CASE.items() if case["kind"] == "scenario") == list(COVERED)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    shutil.copytree(COURSE, tmp_path / "course")
    return Course.find(tmp_path / "course")


def task(name: str, points: float, score: float | None) -> TaskResult:
    return TaskResult(name=name, points=points, score=score, groups=[], diagnosis=[], error=None)


def record(student: str, *tasks: TaskResult, submitted_at: datetime | None = None) -> Record:
    return Record(
        student=student,
        assignment=NAME,
        status="graded",
        graded_at=datetime(2025, 1, 1, tzinfo=UTC),
        submitted_at=submitted_at,
        submission_sha256="",
        grader_version="1",
        environment={},
        seed="",
        isolation="full",
        findings=[],
        tasks=list(tasks),
    )


def gradebook(path: Path) -> Any:
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{path}")


# 104


def deadline(row: dict[str, Any]) -> datetime:
    """Return the instant of a deadline; nbgrader keeps instants, so a bare clock face needs the course's zone."""
    moment = datetime.fromisoformat(row["deadline"])
    return (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(row["zone"]))).astimezone(UTC)


def lateness(course: Course, book: Path, due: datetime, submitted_at: datetime | None) -> tuple[float, float]:
    """Fill the gradebook with one full mark; return the seconds that it is late, and what they cost."""
    assignment = course.assignment(NAME)
    tasks = [task(each.name, each.points, None if each.manual else each.points) for each in assignment.tasks]
    fill_gradebook(f"sqlite:///{book}", assignment, [])
    with gradebook(book) as opened:
        opened.update_or_create_assignment(NAME, duedate=due.isoformat())
    fill_gradebook(f"sqlite:///{book}", assignment, [record("ann", *tasks, submitted_at=submitted_at)])
    with gradebook(book) as opened:
        submission = opened.find_submission(NAME, "ann")
        return submission.total_seconds_late, submission.late_submission_penalty or 0.0


def test_instants_are_compared_not_clock_faces(course: Course, tmp_path: Path) -> None:
    with open(course.root / "nbgrader_config.py", "a", encoding="utf-8") as file:
        file.write(LATE)
    for row in scenario("104")["rows"]:
        submitted_at = parse_timestamp(row["submitted"]) if row["submitted"] else None
        assert (submitted_at is None) == (row["submitted"] is None)
        seconds, cost = lateness(course, tmp_path / "g.db", deadline(row), submitted_at)
        assert seconds == (row["late_seconds"] or 0), row["why"]
        assert cost == (0.5 if row["late_seconds"] else 0), row["why"]
    late = scenario("104")["rows"][3]
    later = deadline(late) + timedelta(hours=1)
    assert lateness(course, tmp_path / "g.db", later, parse_timestamp(late["submitted"])) == (0, 0)


# 105


def test_a_repaired_test_keeps_what_people_gave(course: Course, tmp_path: Path) -> None:
    book, grader = tmp_path / "g.db", course.root / "autograder" / "graders" / NAME / "test_attend-test.py"
    right = grader.read_text(encoding="utf-8")
    hand_in(tmp_path / "submitted", "ann", HONEST)

    def scores() -> dict[str, float | None]:
        with gradebook(book) as opened:
            [notebook] = opened.find_submission(NAME, "ann").notebooks
            return {
                each.name: None if each.auto_score is each.manual_score is None else each.score
                for each in notebook.grades
            }

    grader.write_text(right.replace("agree(", "agree(0 *"), encoding="utf-8")
    assert grade(tmp_path, course.root).returncode == 0
    assert scores() == {"softmax-test": 2, "attend-test": 0, "scale-words": None}

    with gradebook(book) as opened:
        opened.find_grade("scale-words", NAME, NAME, "ann").manual_score = 1
        opened.find_grade("scale-words", NAME, NAME, "ann").needs_manual_grade = False
        opened.find_grade("softmax-test", NAME, NAME, "ann").manual_score = 1.5
        opened.find_comment("scale-words", NAME, NAME, "ann").manual_comment = "good"
        opened.db.commit()
    given = {"softmax-test": 1.5, "attend-test": 0, "scale-words": 1}
    assert scores() == given

    grader.write_text(right, encoding="utf-8")
    assert grade(tmp_path, course.root).returncode == 0
    assert scores() == given | {"attend-test": 3}

    grader.write_text("import nothing_of_that_name\n", encoding="utf-8")
    before = (tmp_path / "reports" / NAME / "records" / "ann.json").read_bytes()
    failed = grade(tmp_path, course.root)
    assert failed.returncode == 2 and "test_attend-test.py" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert scores() == given | {"attend-test": 3}
    assert (tmp_path / "reports" / NAME / "records" / "ann.json").read_bytes() == before
    with gradebook(book) as opened:
        assert opened.find_comment("scale-words", NAME, NAME, "ann").comment == "good"


# 106


def fraction(value: Any) -> float:
    if isinstance(value, str) and "/" in value:
        over, under = value.split("/")
        return int(over) / int(under)
    return float(value)


@pytest.mark.parametrize("row", scenario("106")["rows"], ids=lambda row: row["why"])
def test_points_add_up(row: dict[str, Any], tmp_path: Path) -> None:
    def whole() -> Record:
        # A part that is gone from the hand-in is a task of the release all the same.
        parts = [(0.0, 5.0) if part is None else tuple(map(fraction, part)) for part in row["parts"]]
        return record("ann", *(task(str(i), points, score) for i, (score, points) in enumerate(parts)))

    if isinstance(row["total"], str):
        with pytest.raises(ValueError):
            whole()
        return
    score, most = row["total"]
    got = whole()
    if row["extra"]:
        pytest.skip("extra credit is nbgrader's own column, which `fill_gradebook` leaves as it is")
    assert (got.score, got.max_score) == (score, 10 if isinstance(most, str) else most)
    json.loads(got.model_dump_json(), parse_constant=pytest.fail)


# 107


def test_a_grade_table_reads_back(course: Course, tmp_path: Path) -> None:
    rows = [row for row in scenario("107")["rows"] if row["score"] is not None]
    book, table = tmp_path / "g.db", tmp_path / "grades.csv"
    points = course.assignment(NAME).task("attend-test").points
    graded = [
        record(row["id"], task("attend-test", points, min(abs(row["score"]), points)), task("softmax-test", 2, 0))
        for row in rows
    ]
    fill_gradebook(f"sqlite:///{book}", course.assignment(NAME), graded)
    with gradebook(book) as opened:
        for row in rows:
            opened.update_or_create_student(row["id"], first_name=row["name"])
        GradesCsv(to=str(table)).export(opened)
    with open(table, encoding="utf-8", newline="") as file:
        back = {row["student_id"]: row for row in csv.DictReader(file)}
    for row, each in zip(rows, graded, strict=True):
        found = back[row["id"]]
        assert found["first_name"].removeprefix("'") == row["name"]
        assert not found["first_name"].lstrip(" ").startswith(("=", "+", "-", "@", "\t"))
        assert float(found["score"]) == each.score


def test_the_records_of_a_class_are_read_back(tmp_path: Path) -> None:
    """The longest id of the table is longer than a file name may be."""
    hand_in(tmp_path / "submitted", "x" * 200, HONEST)
    assert grade(tmp_path).returncode == 0
    [path] = (tmp_path / "reports" / NAME / "records").glob("*.json")
    assert read_record(path).student == "x" * 200
