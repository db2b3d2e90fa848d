"""See whether nbgrader holds a record already, without the second that loading nbgrader takes."""

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from autograder.host.submissions import auto_score
from autograder.report import Record

SCORES = """
    select submitted_assignment.student_id, submitted_assignment.timestamp, base_cell.name, grade.auto_score
    from submitted_assignment
    join assignment on assignment.id = submitted_assignment.assignment_id
    join submitted_notebook on submitted_notebook.assignment_id = submitted_assignment.id
    join grade on grade.notebook_id = submitted_notebook.id
    join base_cell on base_cell.id = grade.cell_id
    where assignment.name = ? and assignment.duedate is null
"""  # with a deadline there are penalties, which are made anew each time


def settled(db_url: str, autograded: Path, assignment: str, records: Sequence[Record]) -> set[str]:
    """Return the students whose record stands in the gradebook and in the graded notebook, just as it is.

    Looks into SQLite files only; of another database nothing is known, and it is filled again.
    """
    in_gradebook = _scores(db_url, assignment)
    return {
        record.student
        for record in records
        if in_gradebook.get(record.student) == _wanted(record) and _is_shown(autograded, record)
    }


def stamp(record: Record) -> dict[str, str]:
    """Return what a graded notebook's metadata say about the record that it shows."""
    return {"inputs": record.inputs, "graded_at": record.graded_at.isoformat()}


def _scores(db_url: str, assignment: str) -> dict[str, tuple[datetime | None, dict[str, float | None]]]:
    path = Path(db_url.removeprefix("sqlite:///"))
    if not db_url.startswith("sqlite:///") or not path.is_file():
        return {}
    scores: dict[str, dict[str, float | None]] = defaultdict(dict)
    times: dict[str, datetime | None] = {}
    with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        try:
            for student, when, task, score in database.execute(SCORES, (assignment,)):
                scores[student][task] = score
                times[student] = datetime.fromisoformat(when).replace(tzinfo=UTC) if when else None
        except sqlite3.Error:
            return {}
    return {student: (times[student], scores[student]) for student in scores}


def _wanted(record: Record) -> tuple[datetime | None, dict[str, float | None]]:
    return record.submitted_at, {task.name: auto_score(task) for task in record.tasks}


def _is_shown(autograded: Path, record: Record) -> bool:
    path = autograded / record.student / record.assignment / f"{record.assignment}.ipynb"
    try:
        return record.inputs != "" and all(value in path.read_text("utf-8") for value in stamp(record).values())
    except OSError:
        return False
