"""Fill nbgrader's gradebook from records: the same numbers, and what people entered by hand stays."""

import json
import logging
import os
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.course import Assignment, is_solution, nbgrader_metadata, read_cells, source_text
from autograder.errors import AutograderError
from autograder.host.database import ensure_tables
from autograder.host.penalties import Late, Penalties
from autograder.report import Record, TaskResult

COURSE_ID = "qkv"
NO_RESPONSE = "No response."  # nbgrader's words
KEPT = "The records are kept: put that right and give the same command again to finish the gradebook."


def fill_gradebook(
    db_url: str,
    assignment: Assignment,
    records: Sequence[Record],
    *,
    unanswered: Mapping[str, Collection[str]] | None = None,
    course_id: str = COURSE_ID,
) -> list[Late]:
    """Write the automatic scores of the records to the gradebook at `db_url`, which is made when missing.

    Rows that `nbgrader generate_assignment` would have made are added. Manual scores, comments, extra credit
    and flags stay; late penalties and the automatic comments, on the answer cells that are `unanswered` by a
    student, are made anew. A task without a score has no automatic score afterwards, which is not 0. Returns
    what was late. An AutograderError says why the database cannot be written.
    """
    late = []
    with _gradebook(db_url, course_id) as gradebook:
        _ensure_assignment(gradebook, assignment)
        penalties = Penalties(assignment.root)
        for record in records:
            submission = _fill_submission(gradebook, assignment, record, (unanswered or {}).get(record.student, ()))
            late.append(penalties.assign(submission))
            gradebook.db.commit()
    return [one for one in late if one is not None]


def set_deadline(
    db_url: str, assignment: Assignment, moment: datetime, student: str | None = None, *, course_id: str = COURSE_ID
) -> None:
    """Set the deadline of an assignment (`moment` has a zone), or one student's extension of it."""
    due = moment.astimezone(UTC).replace(tzinfo=None)
    with _gradebook(db_url, course_id) as gradebook:
        _ensure_assignment(gradebook, assignment)
        row = gradebook.find_assignment(assignment.name)
        if student is None:
            row.duedate = due
        elif row.duedate is None or due < row.duedate:
            raise AutograderError(f"{assignment.name} has no earlier deadline to extend.", "Set that one first.")
        else:
            gradebook.update_or_create_student(student)
            gradebook.update_or_create_submission(assignment.name, student).extension = due - row.duedate
        gradebook.db.commit()


def read_deadlines(db_url: str, names: Sequence[str], *, course_id: str = COURSE_ID) -> dict[str, datetime]:
    """Return the due dates (UTC) of those assignments that have one; a gradebook that is not there has none."""
    from sqlalchemy.engine import make_url

    url = make_url(db_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return {}
    with _gradebook(db_url, course_id) as gradebook:
        rows = [row for row in gradebook.assignments if row.name in names and row.duedate is not None]
        return {row.name: row.duedate.replace(tzinfo=UTC) for row in rows}


@contextmanager
def _gradebook(db_url: str, course_id: str) -> Iterator[Any]:
    """Open nbgrader's gradebook; its import takes seconds, so it waits until here."""
    with _scripts_on_path(), _quiet():
        load_nbgrader()
        from nbgrader.api import Gradebook, InvalidEntry
        from sqlalchemy.exc import SQLAlchemyError

        try:
            ensure_tables(db_url)
            with Gradebook(db_url, course_id) as gradebook:
                yield gradebook
        except (SQLAlchemyError, InvalidEntry, ImportError, OSError, subprocess.CalledProcessError) as error:
            raise AutograderError(
                f"The gradebook {shown_url(db_url)} cannot be filled: {_cause(error)}.", KEPT
            ) from error


@contextmanager
def _scripts_on_path() -> Iterator[None]:
    """Put this environment's scripts first on PATH: nbgrader starts `alembic` by its bare name."""
    before = os.environ.get("PATH")
    folders = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent), before or os.defpath]
    os.environ["PATH"] = os.pathsep.join(folders)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = before


def load_nbgrader() -> None:
    """Import nbgrader's database, which takes seconds; doing so early, in a thread, saves waiting for it."""
    with _without("rfc3987_syntax"):
        import nbgrader.api  # noqa: F401


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Keep an optional module out while importing: this one parses the grammars of all URIs, 1.5 s for nothing here."""
    unneeded = module not in sys.modules
    if unneeded:
        sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if unneeded:
            del sys.modules[module]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep nbgrader's tracebacks and SQLAlchemy's warnings off the screen; the error says it all."""
    log = logging.getLogger("tornado.application")
    before, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.disabled = before


def _cause(error: Exception) -> str:
    """Return the database's own words, without the statement that SQLAlchemy adds."""
    words = str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__]
    return words[0].rstrip(".")[:200]


def shown_url(db_url: str) -> str:
    """Return the URL without its password."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(db_url).render_as_string(hide_password=True)
    except ArgumentError:
        return repr(db_url)


# The assignment's rows


def _ensure_assignment(gradebook: Any, assignment: Assignment) -> None:
    """Add or update the assignment's rows, as nbgrader's SaveCells does, without removing any."""
    from nbgrader.api import MissingEntry

    name = assignment.name
    try:
        gradebook.find_assignment(name)
    except MissingEntry:
        gradebook.add_assignment(name)
    try:
        notebook = gradebook.find_notebook(name, name)
    except MissingEntry:
        notebook = gradebook.add_notebook(name, name, kernelspec=json.dumps(_kernelspec(assignment.release)))
    for cell in read_cells(assignment.release, f"Run: autograder release {name}"):
        _ensure_cell(gradebook, notebook, cell)
    gradebook.db.commit()


def _kernelspec(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")).get("metadata", {}).get("kernelspec", {})


def _ensure_cell(gradebook: Any, notebook: Any, cell: dict[str, Any]) -> None:
    from nbgrader.api import GradeCell, SolutionCell, SourceCell, TaskCell

    marks = nbgrader_metadata(cell)
    grade_id, grade, task = marks.get("grade_id"), bool(marks.get("grade")), bool(marks.get("task"))
    solution = is_solution(cell)
    if not grade_id or not (grade or task or solution or marks.get("locked")):
        return

    def row(rows: Sequence[Any], kind: Any) -> Any:
        named = [row for row in rows if row.name == grade_id]
        return named[0] if named else _add(gradebook, kind, name=grade_id, notebook=notebook)

    if grade or task:
        graded = row(notebook.task_cells, TaskCell) if task else row(notebook.grade_cells, GradeCell)
        graded.max_score, graded.cell_type = float(marks["points"]), cell["cell_type"]
    if solution:
        row(notebook.solution_cells, SolutionCell)
    source = row(notebook.source_cells, SourceCell)
    source.cell_type, source.source = cell["cell_type"], source_text(cell)
    source.locked = not solution and (grade or bool(marks.get("locked")))
    source.checksum = marks.get("checksum")


def _add(gradebook: Any, kind: Any, **fields: Any) -> Any:
    """Make a row and put it into the session, which a relationship alone does not do."""
    with gradebook.db.no_autoflush:
        row = kind(**fields)
        gradebook.db.add(row)
    return row


# The submissions' rows


def _fill_submission(gradebook: Any, assignment: Assignment, record: Record, unanswered: Collection[str]) -> Any:
    gradebook.update_or_create_student(record.student)
    # The database holds UTC without a zone; a server such as PostgreSQL would convert a time that has one.
    when = None if record.submitted_at is None else record.submitted_at.replace(tzinfo=None)
    submission = gradebook.update_or_create_submission(assignment.name, record.student, timestamp=when)
    scores = {task.name: _auto_score(task) for task in record.tasks}
    for notebook in submission.notebooks:
        for grade in _all_grades(gradebook, notebook):
            grade.auto_score = scores.get(grade.cell.name)
            grade.needs_manual_grade = grade.auto_score is None or grade.manual_score is not None
        for comment in notebook.comments:
            comment.auto_comment = NO_RESPONSE if comment.cell.name in unanswered else None
    gradebook.db.commit()
    return submission


def _auto_score(task: TaskResult) -> float | None:
    return None if task.score is None else min(max(float(task.score), 0.0), float(task.points))


def _all_grades(gradebook: Any, notebook: Any) -> list[Any]:
    """Return the grades of a submitted notebook, new ones for cells that came after it was first graded."""
    from nbgrader.api import Comment, Grade

    have = {grade.cell_id for grade in notebook.grades}
    graded = [*notebook.notebook.grade_cells, *notebook.notebook.task_cells]
    for cell in graded:
        if cell.id not in have:
            _add(gradebook, Grade, cell=cell, notebook=notebook)
    commented = {comment.cell_id for comment in notebook.comments}
    for cell in [*notebook.notebook.solution_cells, *notebook.notebook.task_cells]:
        if cell.id not in commented:
            _add(gradebook, Comment, cell=cell, notebook=notebook)
    return list(notebook.grades)
