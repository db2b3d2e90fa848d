"""Grade a class and fill the gradebook."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from autograder.commands.common import (
    ALL_GRADED,
    LOOK,
    BundleFile,
    CourseFolder,
    DatabaseUrl,
    Jobs,
    ReportsFolder,
    app,
    console,
    cores,
    course_or_bundle,
    isolation,
    say,
    short,
    short_url,
    sqlite,
    with_progress,
)  # fmt: skip
from autograder.errors import AutograderError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from autograder.course import Assignment, Course
    from autograder.grading.run import Limits
    from autograder.intake import HandIn
    from autograder.report import Record
    from autograder.sandbox.levels import Isolation


@dataclass(frozen=True)
class Places:
    """Name where a class is read from and where its results go."""

    submitted: Path
    reports: Path
    db_url: str

    @property
    def autograded(self) -> Path:
        """Return where the graded notebooks go, which formgrader opens: beside the reports."""
        return self.reports.parent / "autograded"


@dataclass(frozen=True)
class Seconds:
    """Hold the time limits of one submission."""

    cell: float = 10.0
    call: float = 5.0
    submission: float = 120.0


@app.command(short_help="Grade a class and fill the gradebook.")
def grade(
    assignment: Annotated[
        str | None,
        typer.Argument(metavar="ASSIGNMENT", help="The assignment, such as 02-attend; a bundle knows its own."),
    ] = None,
    submitted: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Hand-ins as DIR/<student>/<assignment>/<assignment>.ipynb. [default: submitted/]"
        ),
    ] = None,
    student: Annotated[str | None, typer.Option(metavar="ID", help="Grade this student only.")] = None,
    jobs: Jobs = None,
    course: CourseFolder = None,
    bundle: BundleFile = None,
    reports: ReportsFolder = None,
    db: DatabaseUrl = None,
    cell_seconds: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for one cell.")] = 10.0,
    call_seconds: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for one call.")] = 5.0,
    submission_seconds: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for one hand-in.")] = 120.0,
    level: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="full, kernel or practice. [default: the strongest that works here]"),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Grade unchanged hand-ins again, too.")] = False,
    practice: Annotated[
        bool, typer.Option("--practice", help="Run student code unprotected if need be; the marks do not count.")
    ] = False,
) -> None:
    """Grade a class: write one record per hand-in, fill nbgrader's gradebook and print a table.

    Hand-ins that are unchanged since they were graded, by the same graders, keep their records.

    Exits with 0 when all is graded (pending manual marks included), 1 when someone must look, 2 when it could
    not run.
    """
    seconds = Seconds(cell_seconds, call_seconds, submission_seconds)
    with course_or_bundle(course, bundle) as (found, home, only):
        name = assignment or only
        if name is None:
            raise AutograderError("No assignment is named.", f"Name one of {', '.join(found.names())}.")
        places = Places(
            submitted=submitted or home / "submitted",
            reports=reports or home / "reports",
            db_url=db or sqlite(home / "gradebook.db"),
        )
        records = grade_all(found, name, places, seconds, student, jobs, lambda: isolation(level, practice), again)
    raise typer.Exit(LOOK if any(record.needs_a_look for record in records) else ALL_GRADED)


def grade_all(
    course: "Course", name: str, places: Places, seconds: Seconds, student: str | None, jobs: int | None,
    find_isolation: "Callable[[], Isolation]", again: bool = False,
) -> "list[Record]":  # fmt: skip
    """Grade what is new or has changed, print the table, fill the gradebook, and say where everything lies."""
    from autograder.grading.reuse import kept_record, with_inputs
    from autograder.grading.run import Limits, check_ready
    from autograder.host.settled import settled
    from autograder.intake import find_hand_ins
    from autograder.terminal import class_table, print_safely, summary

    assignment = course.assignment(name)
    hand_ins = find_hand_ins(places.submitted, name, student)
    limits = Limits(cell_seconds=seconds.cell, call_seconds=seconds.call, submission_seconds=seconds.submission)
    check_ready(assignment)
    isolation = find_isolation()
    hand_ins = with_inputs(assignment, hand_ins, isolation, limits)
    found = {} if again else {hand_in.student: kept_record(places.reports, hand_in) for hand_in in hand_ins}
    kept = {name: record for name, record in found.items() if record is not None}
    done = settled(places.db_url, places.autograded, name, list(kept.values()))
    due = [hand_in for hand_in in hand_ins if hand_in.student not in done]
    records: list[Record] = []

    def show(graded: "Mapping[str, Record]") -> None:
        records.extend(graded.get(hand_in.student) or kept[hand_in.student] for hand_in in hand_ins)
        print_safely(console(), class_table(records))
        if kept:
            say(f"{len(kept)} unchanged since they were graded, and not graded again.")
        say(summary(records))

    if due:
        _grade_due(assignment, due, kept, places, limits, isolation, jobs, show)
    else:
        show({})
    say(f"Records:   {short(places.reports / name / 'records')}")
    say(f"Notebooks: {short(places.autograded)}")
    say(f"Gradebook: {short_url(places.db_url)}")
    say(f"One student's page: {_show_command(records, name, places)}")
    return records


def _grade_due(
    assignment: "Assignment", due: "Sequence[HandIn]", kept: "Mapping[str, Record]", places: Places, limits: "Limits",
    isolation: "Isolation", jobs: int | None, show: "Callable[[Mapping[str, Record]], None]",
) -> None:  # fmt: skip
    """Grade what has no record that can be kept, show what came of it, and bring all that is due to nbgrader."""
    from concurrent.futures import Future, ThreadPoolExecutor

    from autograder.grading.run import grade_class, local_pool
    from autograder.host.autograded import write_autograded
    from autograder.host.gradebook import fill_gradebook, load_nbgrader

    of = {hand_in.student: hand_in for hand_in in due}
    new = [hand_in for hand_in in due if hand_in.student not in kept]
    written: dict[str, Future[frozenset[str]]] = {}

    def keep(record: "Record") -> None:
        hand_in = of[record.student]
        written[record.student] = beside.submit(write_autograded, places.autograded, assignment, hand_in, record)

    def run(on_record: "Callable[[Record], None]") -> "list[Record]":
        def both(record: "Record") -> None:
            keep(record)
            on_record(record)

        return grade_class(assignment, new, reports=places.reports, pool=pool, jobs=many, limits=limits,
                           isolation=isolation, on_record=both)  # fmt: skip

    many = min(jobs or cores(), max(len(new), 1))
    processes: Any = local_pool(many, isolation, limits) if new else nullcontext()
    with processes as pool, ThreadPoolExecutor(1) as beside:
        # nbgrader takes a while to load and to make a database; what goes wrong there is said when it is filled.
        beside.submit(load_nbgrader)
        beside.submit(fill_gradebook, places.db_url, assignment, [])
        records = {student: record for student, record in kept.items() if student in of}
        for record in records.values():
            keep(record)
        if new:
            records |= {r.student: r for r in with_progress(f"Grading {assignment.name}", len(new), run)}
        show(records)
    unanswered = _unanswered(written)
    for late in fill_gradebook(places.db_url, assignment, list(records.values()), unanswered=unanswered):
        deadline = f"{late.deadline:%Y-%m-%d %H:%M:%S} UTC"
        say(f"Late: {late.student}, {late.seconds:g} s after {deadline}; {late.points:g} points off")


def _unanswered(written: "dict[str, Future[frozenset[str]]]") -> dict[str, frozenset[str]]:
    """Return each student's open answers; a notebook that could not be written is said and holds nobody up."""
    found = {}
    for student, future in written.items():
        try:
            found[student] = future.result()
        except OSError as error:
            say(f"No notebook for {student}: {error.filename}: {error.strerror}")
    return found


def _show_command(records: "Sequence[Record]", name: str, places: Places) -> str:
    import shlex

    look = [record for record in records if record.needs_a_look]
    student = (look or list(records))[0].student
    reports = "" if places.reports == Path.cwd() / "reports" else f" --reports {shlex.quote(short(places.reports))}"
    return f"autograder show {shlex.quote(student)} {name}{reports}"
