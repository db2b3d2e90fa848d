"""Fill nbgrader's gradebook from records: the same numbers, and what people entered by hand stays."""

import importlib.util
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
from autograder.exports.marks import Mark
from autograder.host.database import ensure_tables
from autograder.host.penalties import Late, Penalties
from autograder.host.submissions import Submissions
from autograder.report import Record

COURSE_ID = "qkv"
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
    with _gradebook(db_url, course_id) as gradebook:
        _ensure_assignment(gradebook, assignment)
        if records:
            Submissions(gradebook, assignment.name).write(records, unanswered or {})
        late = Penalties(assignment.root).assign_all(gradebook, assignment.name, records)
        gradebook.db.commit()
    return late


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


def read_marks(db_url: str, name: str, *, course_id: str = COURSE_ID) -> dict[str, Mark]:
    """Return the final marks of one assignment by student; a gradebook that is not there has none."""
    from sqlalchemy.engine import make_url

    url = make_url(db_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return {}
    with _gradebook(db_url, course_id) as gradebook:
        from autograder.host.exporter import mark_in

        rows = [row for row in gradebook.assignments if row.name == name]
        return {student.id: mark_in(gradebook, row, student) for row in rows for student in gradebook.students}


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
    """Import nbgrader's database alone; doing so early, in a thread, saves waiting for it.

    The package itself would load the extensions of JupyterLab, a second for nothing here.
    """
    with _package_in_waiting("nbgrader"), _without("rfc3987_syntax"):
        import nbgrader.api  # noqa: F401


@contextmanager
def _package_in_waiting(name: str) -> Iterator[None]:
    """Import modules of a package; its own code runs later, when something that it defines is first asked for."""
    if name in sys.modules:
        yield
        return
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    package, loader = importlib.util.module_from_spec(spec), spec.loader

    def defined(wanted: str) -> Any:
        del package.__dict__["__getattr__"]
        loader.exec_module(package)
        return getattr(package, wanted)

    sys.modules[name] = package
    yield
    package.__dict__["__getattr__"] = defined


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
