"""Export grades as CSV: nbgrader's columns, quoted, safe in a spreadsheet, blank where nothing was graded."""

import csv
import io
import math
from collections.abc import Iterator
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

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
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


class GradesCsv(ExportPlugin):  # type: ignore[misc]
    """Write one row for each assignment and student; `nbgrader export` uses this class."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the grades to `--to`, or to grades.csv."""
        destination = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", destination)
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(self._rows(gradebook))
        with open(destination, "w", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())

    def _rows(self, gradebook: Gradebook) -> Iterator[list[str]]:
        assignments = {str(name) for name in self.assignment}
        students = {str(name) for name in self.student}
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                if assignments and assignment.name not in assignments:
                    continue
                if students and student.id not in students:
                    continue
                row = _row(gradebook, assignment, student)
                yield [_cell(row.get(column)) for column in COLUMNS]


def _row(gradebook: Gradebook, assignment: Any, student: Any) -> dict[str, Any]:
    row = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "max_score": assignment.max_score,
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return row
    row["timestamp"] = submission.timestamp
    if was_graded(submission):
        penalty = submission.late_submission_penalty
        row["raw_score"] = submission.score
        row["late_submission_penalty"] = penalty
        row["score"] = max(0.0, submission.score - penalty)
    return row


def was_graded(submission: Any) -> bool:
    """Tell whether any cell of the submission has a mark; a mark of 0 is one."""
    grades = (grade for notebook in submission.notebooks for grade in notebook.grades)
    return any(grade.auto_score is not None or grade.manual_score is not None for grade in grades)


def _cell(value: Any) -> str:
    """Return the text of a table cell; text that a spreadsheet would run as a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(round(value, 9) + 0.0) if math.isfinite(value) else ""
    text = str(value).encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return f"'{text}" if _could_run(text) else text


def _could_run(text: str) -> bool:
    starts_with_control = text != "" and text[0] < " "
    return starts_with_control or text.lstrip(" ").startswith(FORMULA_STARTS)
