"""Export grades as CSV: nbgrader's columns, quoted, safe in a spreadsheet, blank where nothing was graded."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from autograder.exports.marks import Mark
from autograder.exports.nbgrader_csv import export


class GradesCsv(ExportPlugin):  # type: ignore[misc]
    """Write one row for each assignment and student; `nbgrader export` uses this class."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the grades to `--to`, or to grades.csv."""
        destination = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", destination)
        Path(destination).write_bytes(export(self._marks(gradebook)))

    def _marks(self, gradebook: Gradebook) -> Iterator[Mark]:
        assignments = {str(name) for name in self.assignment}
        students = {str(name) for name in self.student}
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                if assignments and assignment.name not in assignments:
                    continue
                if students and student.id not in students:
                    continue
                yield mark_in(gradebook, assignment, student)


def mark_in(gradebook: Gradebook, assignment: Any, student: Any) -> Mark:
    """Return the final mark that the gradebook holds, manual marks, extra credit and late penalty included."""
    about: dict[str, Any] = {
        "student": student.id,
        "assignment": assignment.name,
        "max_score": assignment.max_score,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "due": _in_utc(assignment.duedate),
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return Mark(**about)
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    tasks = {grade.cell.name: grade.score if _has_mark(grade) else None for grade in grades}
    graded = any(score is not None for score in tasks.values())
    return Mark(
        **about,
        handed_in=_in_utc(submission.timestamp),
        tasks=tasks,
        raw=submission.score if graded else None,
        penalty=submission.late_submission_penalty if graded else None,
    )


def _has_mark(grade: Any) -> bool:
    """Tell whether the cell has a mark; a mark of 0 is one."""
    return grade.auto_score is not None or grade.manual_score is not None


def _in_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
