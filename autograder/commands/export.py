"""Export marks and results to other systems."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.commands.common import (
    ALL_GRADED,
    LOOK,
    AssignmentName,
    CourseFolder,
    DatabaseUrl,
    ReportsFolder,
    app,
    find_course,
    say,
    short,
    sqlite,
    warn,
)
from autograder.errors import AutograderError

if TYPE_CHECKING:
    from autograder.exports.marks import Mark
    from autograder.report import Record

SINGLE = {"gradescope": "json", "prairielearn": "json", "classroom50": "json"}
WHOLE = {"junit": "xml", "nbgrader-csv": "csv", "json": "json", "parquet": "parquet"}
FILLED = ("canvas", "moodle")
FORMATS = (*SINGLE, *WHOLE, *FILLED)


@app.command(short_help="Write the marks for another system.")
def export(
    assignment: AssignmentName,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to. [default: named after both]")
    ] = None,
    fill: Annotated[
        Path | None, typer.Option(metavar="CSV", help="The file that you downloaded from Canvas or Moodle.")
    ] = None,
    column: Annotated[
        str | None, typer.Option(metavar="TITLE", help="The column to fill. [default: found by the assignment's name]")
    ] = None,
    feedback_column: Annotated[
        str | None, typer.Option(metavar="TITLE", help="Moodle's column of feedback. [default: Feedback comments]")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Gives a platform's ids or names the ids of the course.")
    ] = None,
    student: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only this student; one JSON file in place of a zip of all."),
    ] = None,
    reports: ReportsFolder = None,
    course: CourseFolder = None,
    db: DatabaseUrl = None,
) -> None:
    """Write the marks of an assignment for another system.

    Manual marks, extra credit and late penalties are those of the gradebook. What was not graded stays blank. Exits
    with 1 when a student is found on one side only, or someone must look at a hand-in.
    """
    from autograder.collect.place import read_roster
    from autograder.exports import canvas, moodle

    if to not in FORMATS:
        raise AutograderError(f"There is no format {to!r}.", f"The formats are {', '.join(FORMATS)}.")
    if (to in FILLED) != (fill is not None):
        how = "needs --fill" if to in FILLED else "takes no --fill"
        raise AutograderError(f"{to} {how}.", "Canvas and Moodle fill the file that you downloaded there.")
    found = find_course(course)
    found.assignment(assignment)
    records, marks = _read(reports or found.root / "reports", assignment, db or sqlite(found.root / "gradebook.db"))
    if to != "nbgrader-csv":
        marks = {name: mark for name, mark in marks.items() if mark.tasks or mark.handed_in is not None}
    if student is not None:
        records = [record for record in records if record.student == student]
        marks = {name: mark for name, mark in marks.items() if name == student}
    if not marks:
        raise AutograderError(f"{assignment} has no results yet.", f"Grade it first: autograder grade {assignment}")
    problems = [f"{record.student}: {record.status}, to be looked at" for record in records if record.needs_a_look]
    if fill is not None:
        target = output or fill.with_name(f"{fill.stem}-filled.csv")
        if target.resolve() == fill.resolve():
            raise AutograderError(f"{fill} would be overwritten.", "Give --output another name.")
        lines = read_roster(roster)
        data = _read_download(fill)
        done = (canvas.fill(data, marks, lines, assignment, column) if to == "canvas"
                else moodle.fill(data, records, marks, lines, column, feedback_column))  # fmt: skip
        target.write_bytes(done.data)
        problems += done.problems
        for line in done.left:
            say(f"Left as it was: {line}")
        say(f"{done.filled} marks filled.")
    else:
        data, ending, skipped = _make(to, records, marks, one=student is not None)
        target = output or Path(f"{assignment}-{to}.{ending}")
        target.write_bytes(data)
        problems += skipped
    for line in problems:
        warn(line)
    say(f"Written: {short(target)}")
    raise typer.Exit(LOOK if problems else ALL_GRADED)


def _read(reports: Path, assignment: str, db_url: str) -> "tuple[list[Record], dict[str, Mark]]":
    from autograder.exports.marks import with_marks
    from autograder.host.gradebook import read_marks
    from autograder.report import read_record

    records = [read_record(path) for path in sorted((reports / assignment / "records").glob("*.json"))]
    return records, with_marks(records, read_marks(db_url, assignment))


def _read_download(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AutograderError(f"{path} cannot be read: {error.strerror}.", "Name the file you downloaded.") from None


def _make(to: str, records: "list[Record]", marks: "dict[str, Mark]", one: bool) -> tuple[bytes, str, list[str]]:
    """Return the file, its ending, and who is not in it."""
    from autograder.exports import junit, nbgrader_csv, parquet, records_json

    if to in SINGLE:
        files, skipped = _files(to, records, marks)
        if one and files:
            return next(iter(files.values())), SINGLE[to], skipped
        return _zipped(files), "zip", skipped
    makers: dict[str, Callable[[], bytes]] = {
        "junit": lambda: junit.export(records, marks),
        "nbgrader-csv": lambda: nbgrader_csv.export(marks.values()),
        "json": lambda: records_json.export(records),
        "parquet": lambda: parquet.export(records, marks),
    }
    return makers[to](), WHOLE[to], []


def _files(to: str, records: "list[Record]", marks: "dict[str, Mark]") -> tuple[dict[str, bytes], list[str]]:
    """Return one file for each hand-in, and who has none because the format knows no "not graded"."""
    from autograder.exports import classroom50, gradescope, prairielearn

    if to == "gradescope":
        return {r.student: gradescope.export(r, marks[r.student]) for r in records}, []
    if to == "prairielearn":
        return {r.student: prairielearn.export(r, marks[r.student]) for r in records}, []
    scored = [record for record in records if marks[record.student].final is not None]
    scale = classroom50.scale_of(scored, marks)
    run = os.environ if len(records) == 1 else {}
    files = {r.student: classroom50.export(r, marks[r.student], scale, run) for r in scored}
    missing = [record.student for record in records if record.student not in files]
    return files, [f"{name}: no final mark yet, and Classroom 50 has no way to say so: left out" for name in missing]


def _zipped(files: dict[str, bytes]) -> bytes:
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.json", data)
    return buffer.getvalue()
