"""Write the rows of many submissions at once: what nbgrader does one by one takes thirty milliseconds each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from autograder.report import Record, TaskResult

NO_RESPONSE = "No response."  # nbgrader's words
AT_ONCE = 500  # values of one statement; SQLite takes no more than some thousands


class Submissions:
    """Write submissions of one assignment to an open gradebook; nothing is committed here."""

    def __init__(self, gradebook: Any, assignment: str) -> None:
        from nbgrader import api

        self._db, self._api = gradebook.db, api
        row = gradebook.find_assignment(assignment)
        self._assignment: str = row.id
        self._graded, self._answers = {}, {}
        for book in row.notebooks:
            self._graded[book.id] = {cell.id: cell.name for cell in [*book.grade_cells, *book.task_cells]}
            self._answers[book.id] = {cell.id: cell.name for cell in [*book.solution_cells, *book.task_cells]}

    def write(self, records: Sequence[Record], unanswered: Mapping[str, Collection[str]]) -> None:
        """Write automatic scores and comments; what people entered by hand stays, late penalties are taken away."""
        api = self._api
        students = {record.student: record for record in records}
        self._add(api.Student, [{"id": name} for name in students.keys() - self._known(api.Student, "id", students)])
        submissions = self._submissions(students)
        notebooks = self._notebooks({row: students[name] for name, row in submissions.items()})
        self._write_grades(notebooks)
        self._write_comments({row: (book, unanswered.get(r.student, ())) for row, (book, r) in notebooks.items()})
        self._db.expire_all()

    def _submissions(self, students: Mapping[str, Record]) -> dict[str, str]:
        """Return the submission of each student; times are set, rows that are missing added."""
        table = self._api.SubmittedAssignment.__table__
        mine = table.c.assignment_id == self._assignment
        rows = {row.student_id: row for row in self._select(table, table.c.student_id, students, mine)}
        # The database holds UTC without a zone; a server such as PostgreSQL would convert a time that has one.
        times = {
            name: None if record.submitted_at is None else record.submitted_at.replace(tzinfo=None)
            for name, record in students.items()
        }
        new = {name: self._api.new_uuid() for name in students.keys() - rows.keys()}
        self._add(self._api.SubmittedAssignment, [
            {"id": row, "assignment_id": self._assignment, "student_id": name, "timestamp": times[name]}
            for name, row in new.items()
        ])  # fmt: skip
        moved = [
            {"row": row.id, "timestamp": times[name]} for name, row in rows.items() if row.timestamp != times[name]
        ]
        self._update(table, moved)
        return {**{name: row.id for name, row in rows.items()}, **new}

    def _notebooks(self, submissions: Mapping[str, Record]) -> dict[str, tuple[str, Record]]:
        """Return, by the id of each submitted notebook, which notebook it is and its record."""
        table = self._api.SubmittedNotebook.__table__
        rows = list(self._select(table, table.c.assignment_id, submissions))
        self._update(table, [
            {"row": row.id, "late_submission_penalty": None} for row in rows if row.late_submission_penalty is not None
        ])  # fmt: skip
        known = {(row.assignment_id, row.notebook_id): row.id for row in rows}
        wanted = [(submission, book) for submission in submissions for book in self._graded]
        new = {key: self._api.new_uuid() for key in wanted if key not in known}
        self._add(self._api.SubmittedNotebook, [
            {"id": row, "assignment_id": submission, "notebook_id": book} for (submission, book), row in new.items()
        ])  # fmt: skip
        return {row: (key[1], submissions[key[0]]) for key, row in {**known, **new}.items() if key[1] in self._graded}

    def _write_grades(self, notebooks: Mapping[str, tuple[str, Record]]) -> None:
        table = self._api.Grade.__table__
        rows = {(row.notebook_id, row.cell_id): row for row in self._select(table, table.c.notebook_id, notebooks)}
        new, changed = [], []
        for notebook, (book, record) in notebooks.items():
            scores = {task.name: auto_score(task) for task in record.tasks}
            for cell, name in self._graded[book].items():
                score, row = scores.get(name), rows.get((notebook, cell))
                by_hand = row is not None and row.manual_score is not None
                marks = {"auto_score": score, "needs_manual_grade": score is None or by_hand}
                if row is None:
                    new.append({"id": self._api.new_uuid(), "cell_id": cell, "notebook_id": notebook, **marks})
                elif marks != {name: getattr(row, name) for name in marks}:
                    changed.append({"row": row.id, **marks})
        self._add(self._api.Grade, new)
        self._update(table, changed)

    def _write_comments(self, notebooks: Mapping[str, tuple[str, Collection[str]]]) -> None:
        table = self._api.Comment.__table__
        rows = {(row.notebook_id, row.cell_id): row for row in self._select(table, table.c.notebook_id, notebooks)}
        new, changed = [], []
        for notebook, (book, unanswered) in notebooks.items():
            for cell, name in self._answers[book].items():
                text, row = NO_RESPONSE if name in unanswered else None, rows.get((notebook, cell))
                if row is None:
                    made = {"id": self._api.new_uuid(), "cell_id": cell, "notebook_id": notebook}
                    new.append({**made, "auto_comment": text})
                elif row.auto_comment != text:
                    changed.append({"row": row.id, "auto_comment": text})
        self._add(self._api.Comment, new)
        self._update(table, changed)

    def _known(self, model: Any, column: str, values: Collection[str]) -> set[str]:
        table = model.__table__
        return {getattr(row, column) for row in self._select(table, table.c[column], values)}

    def _select(self, table: Any, column: Any, values: Collection[str], *conditions: Any) -> Iterator[Any]:
        wanted = list(values)
        for first in range(0, len(wanted), AT_ONCE):
            some = column.in_(wanted[first : first + AT_ONCE])
            yield from self._db.execute(table.select().where(some, *conditions))

    def _add(self, model: Any, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            self._db.execute(model.__table__.insert(), rows)

    def _update(self, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
        """Set the other columns of the rows whose id is `row`."""
        from sqlalchemy import bindparam

        if rows:
            self._db.execute(table.update().where(table.c.id == bindparam("row")), rows)


def auto_score(task: TaskResult) -> float | None:
    """Return the automatic score as nbgrader keeps it: within the points, None where there is none."""
    return None if task.score is None else min(max(float(task.score), 0.0), float(task.points))
