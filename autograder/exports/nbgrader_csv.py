"""nbgrader's own CSV: the same columns, but quoted, and blank where nothing was graded."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime

from autograder.exports.cells import cell
from autograder.exports.marks import Mark

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def export(marks: Iterable[Mark]) -> bytes:
    """Return one row for each mark, in UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([cell(value) for value in _row(mark)] for mark in marks)
    return text.getvalue().encode()


def _row(mark: Mark) -> Sequence[object]:
    return (
        mark.assignment, _naive(mark.due), _naive(mark.handed_in), mark.student, mark.last_name, mark.first_name,
        mark.email, mark.raw, mark.penalty, mark.score, mark.max_score,
    )  # fmt: skip


def _naive(moment: datetime | None) -> datetime | None:
    """Return the time as nbgrader writes it: UTC, without saying so."""
    return None if moment is None else moment.replace(tzinfo=None)
