"""The command line: parse arguments, show progress and tables, and turn errors into one line and an exit code."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from autograder.errors import AutograderError

if TYPE_CHECKING:
    from concurrent.futures import Future
    from zoneinfo import ZoneInfo

    from rich.console import Console

    from autograder.course import Course
    from autograder.report import Record
    from autograder.sandbox.levels import Isolation

Result = TypeVar("Result")

ALL_GRADED, LOOK, COULD_NOT_RUN = 0, 1, 2
LOG_WIDTH = 120

app = typer.Typer(
    name="autograder",
    help="Grade notebooks on attention with hidden graders and a sandbox.",
    epilog="Exit codes: 0 all graded (pending manual marks included), 1 someone must look, 2 could not run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AssignmentName = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="The assignment, such as 02-attend.")]
CourseFolder = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="The course, or a folder in it. [default: the current folder]"),
]
ReportsFolder = Annotated[
    Path | None, typer.Option("--reports", metavar="DIR", help="Where the records lie. [default: reports/]")
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="nbgrader's database. [default: gradebook.db in the course]"),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, metavar="N", help="Processes. [default: one per core]")
]


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


@app.command(short_help="Write what students get, from the source.")
def release(assignment: AssignmentName, course: CourseFolder = None, db: DatabaseUrl = None) -> None:
    """Write what students get, assignments/ASSIGNMENT/, from source/ASSIGNMENT/.

    Warns when it supplies solutions to an earlier assignment that can still be handed in.
    """
    from autograder.host.release import given_away_early
    from autograder.host.release import release as write_release

    found = _find_course(course)
    _say(f"Released {_short(write_release(found, assignment))}")
    for sentence in given_away_early(found, assignment, db or _sqlite(found.root / "gradebook.db")):
        _warn(sentence)


@app.command(short_help="Grade a class and fill the gradebook.")
def grade(
    assignment: AssignmentName,
    submitted: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Hand-ins as DIR/<student>/<assignment>/<assignment>.ipynb. [default: submitted/]"
        ),
    ] = None,
    student: Annotated[str | None, typer.Option(metavar="ID", help="Grade this student only.")] = None,
    jobs: Jobs = None,
    course: CourseFolder = None,
    reports: ReportsFolder = None,
    db: DatabaseUrl = None,
    cell_seconds: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for one cell.")] = 10.0,
    call_seconds: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for one call.")] = 5.0,
    submission_seconds: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for one hand-in.")] = 120.0,
    level: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="full, kernel or practice. [default: the strongest that works here]"),
    ] = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Run student code unprotected if need be; the marks do not count.")
    ] = False,
) -> None:
    """Grade a class: write one record per hand-in, fill nbgrader's gradebook and print a table.

    Exits with 0 when all is graded (pending manual marks included), 1 when someone must look, 2 when it could
    not run.
    """
    found = _find_course(course)
    places = Places(
        submitted=submitted or found.root / "submitted",
        reports=reports or found.root / "reports",
        db_url=db or _sqlite(found.root / "gradebook.db"),
    )
    seconds = Seconds(cell_seconds, call_seconds, submission_seconds)
    records = _grade(found, assignment, places, seconds, student, jobs, lambda: _isolation(level, practice))
    raise typer.Exit(LOOK if any(record.needs_a_look for record in records) else ALL_GRADED)


@app.command(short_help="Take in a download from a learning platform.")
def collect(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A zip from Canvas, Moodle or Gradescope, or a folder: nbgrader's, repositories, loose notebooks.",
        ),
    ],
    assignment: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Take this assignment only. [default: found by content]"),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Gives a platform's ids or names the ids of the course."),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Of times without one, such as Europe/Berlin. [default: this computer's]"),
    ] = None,
    into: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to. [default: submitted/]")] = None,
    course: CourseFolder = None,
) -> None:
    """Put the hand-ins of a download into submitted/ and print who, what, when and what was odd.

    Exits with 0 when all is well, 1 when someone must look, 2 when nothing could be taken in.
    """
    from autograder.collect import collect as take_in
    from autograder.terminal import collect_table, print_safely

    found, clock = _find_course(course), _zone(zone)
    rows = take_in(found, file, assignment=assignment, into=into, roster=roster, zone=clock)
    print_safely(_console(), collect_table(rows, clock))
    look = sum(row.look for row in rows)
    _say(f"{sum(row.what in ('new', 'replaced') for row in rows)} taken in, {look} to look at.")
    raise typer.Exit(LOOK if look else ALL_GRADED)


@app.command(short_help="Set a deadline, or one student's extension.")
def deadline(
    assignment: AssignmentName,
    moment: Annotated[str, typer.Argument(metavar="WHEN", help="Such as '2026-03-31 23:59'.")],
    student: Annotated[str | None, typer.Option(metavar="ID", help="Extend it for this student only.")] = None,
    zone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Of the time, such as Europe/Berlin. [default: this computer's]"),
    ] = None,
    course: CourseFolder = None,
    db: Annotated[
        str | None,
        typer.Option(metavar="URL", help="nbgrader's database. [default: gradebook.db in the course]"),
    ] = None,
) -> None:
    """Set when an assignment is due; grade again to renew late penalties."""
    from autograder.host.gradebook import set_deadline
    from autograder.host.penalties import deadline as read_deadline

    found, due = _find_course(course), read_deadline(moment, _zone(zone))
    set_deadline(db or _sqlite(found.root / "gradebook.db"), found.assignment(assignment), due, student)
    whose = f" for {student}" if student else ""
    _say(f"{assignment} is due{whose} {due:%Y-%m-%d %H:%M:%S} UTC")


@app.command(short_help="Show what a student reads.")
def show(
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="The student's id: the folder's name.")],
    assignment: AssignmentName,
    reports: ReportsFolder = None,
    course: CourseFolder = None,
) -> None:
    """Show what a student reads about a graded hand-in."""
    from autograder.report import read_record, record_path
    from autograder.terminal import print_safely, student_page

    folder = reports or _find_course(course).root / "reports"
    record = read_record(record_path(folder, assignment, student))
    print_safely(_console(), student_page(record))


@app.command(short_help="Prove the graders on right and wrong answers.")
def audit(
    assignment: Annotated[
        str | None, typer.Argument(metavar="[ASSIGNMENT]", help="One assignment. [default: all]")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Try a sample of everything, in seconds.")] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Draw other inputs and another sample.")] = 0,
    jobs: Jobs = None,
    course: CourseFolder = None,
) -> None:
    """Prove the graders: right answers earn everything, wrong ones and small changes to the reference do not.

    Exits with 0 when every promise holds, 1 when one is broken, 2 when it could not run.
    """
    from autograder.audit.promises import QUICK, WHOLE
    from autograder.audit.promises import audit as run_audit
    from autograder.audit.table import details, table
    from autograder.course import check_assignment
    from autograder.terminal import print_safely

    found = _find_course(course)
    broken = False
    for name in [assignment] if assignment else found.names():
        chosen = found.assignment(name)
        check_assignment(chosen)
        total = len([task for task in chosen.tasks if not task.manual])
        effort = QUICK if quick else WHOLE
        results = _with_progress(
            f"Auditing {name}", total, partial(run_audit, chosen, effort, seed, min(jobs or _cores(), total))
        )
        print_safely(_console(), table(name, results))
        print_safely(_console(), details(results))
        broken = broken or any(result.broken for result in results)
    raise typer.Exit(LOOK if broken else ALL_GRADED)


@app.command(short_help="Say what this machine gives for isolating student code, and what mends it.")
def doctor() -> None:
    """Say what this machine gives for isolating student code, what is missing, and the one command that mends it.

    Exits with 0 when student code is isolated in full, 1 when something is missing but marks of record can be
    given, 2 when they cannot.
    """
    from autograder.doctor import examine, exit_code, report, table
    from autograder.terminal import print_safely

    examination = examine()
    print_safely(_console(), table(examination))
    _say(report(examination))
    raise typer.Exit(exit_code(examination))


@app.command(short_help="Grade the sample class of 02-attend.")
def demo(course: CourseFolder = None, jobs: Jobs = None) -> None:
    """Grade the sample class of 02-attend into demo/, from an empty gradebook."""
    found = _find_course(course)
    build = _sample_builder(found.root)
    folder = found.root / "demo"
    _clear(folder)
    submitted = build(found.root, folder / "submitted")
    places = Places(submitted, folder / "reports", _sqlite(folder / "gradebook.db"))
    _grade(found, "02-attend", places, Seconds(), None, jobs, _isolation)
    _say("Hand-ins that need a look are part of the demo: the sample class cheats, crashes and hangs on purpose.")


def main() -> None:
    """Run the command line; errors that a person can act on are one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app()
    except AutograderError as error:
        _fail(str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}. Put that right and give the same command again.")


def _grade(
    course: "Course", name: str, places: Places, seconds: Seconds, student: str | None, jobs: int | None,
    find_isolation: "Callable[[], Isolation]",
) -> "list[Record]":  # fmt: skip
    """Grade, print the table, fill the gradebook, and say where everything lies."""
    from concurrent.futures import Future, ThreadPoolExecutor

    from autograder.grading.run import Limits, check_ready, grade_class
    from autograder.host.autograded import write_autograded
    from autograder.host.gradebook import fill_gradebook, load_nbgrader
    from autograder.intake import find_hand_ins
    from autograder.terminal import class_table, print_safely, summary

    assignment = course.assignment(name)
    hand_ins = find_hand_ins(places.submitted, name, student)
    limits = Limits(cell_seconds=seconds.cell, call_seconds=seconds.call, submission_seconds=seconds.submission)

    of = {hand_in.student: hand_in for hand_in in hand_ins}
    written: dict[str, Future[frozenset[str]]] = {}

    def run(on_record: "Callable[[Record], None]") -> "list[Record]":
        def keep(record: "Record") -> None:
            hand_in = of[record.student]
            written[record.student] = beside.submit(write_autograded, places.autograded, assignment, hand_in, record)
            on_record(record)

        many = min(jobs or _cores(), len(hand_ins))
        return grade_class(assignment, hand_ins, reports=places.reports, jobs=many, limits=limits,
                           isolation=isolation, on_record=keep)  # fmt: skip

    check_ready(assignment)
    with ThreadPoolExecutor(1) as beside:
        # nbgrader takes seconds to load and to make a database; what goes wrong there is said when it is filled.
        beside.submit(load_nbgrader)
        isolation = find_isolation()
        beside.submit(fill_gradebook, places.db_url, assignment, [])
        records = _with_progress(f"Grading {name}", len(hand_ins), run)
    print_safely(_console(), class_table(records))
    _say(summary(records))
    _say(f"Records:   {_short(places.reports / name / 'records')}")
    unanswered = _unanswered(written)
    _say(f"Notebooks: {_short(places.autograded)}")
    for late in fill_gradebook(places.db_url, assignment, records, unanswered=unanswered):
        deadline = f"{late.deadline:%Y-%m-%d %H:%M:%S} UTC"
        _say(f"Late: {late.student}, {late.seconds:g} s after {deadline}; {late.points:g} points off")
    _say(f"Gradebook: {_short_url(places.db_url)}")
    _say(f"One student's page: {_show_command(records, name, places)}")
    return records


def _unanswered(written: "dict[str, Future[frozenset[str]]]") -> dict[str, frozenset[str]]:
    """Return each student's open answers; a notebook that could not be written is said and holds nobody up."""
    found = {}
    for student, future in written.items():
        try:
            found[student] = future.result()
        except OSError as error:
            _say(f"No notebook for {student}: {error.filename}: {error.strerror}")
    return found


def _isolation(level: str | None = None, practice: bool = False) -> "Isolation":
    """Find the level of isolation and say it, loudly where student code is not isolated at all."""
    from rich.console import Console
    from rich.panel import Panel

    from autograder.sandbox.levels import LEVELS, choose
    from autograder.terminal import print_safely

    wanted = next((known for known in LEVELS if known == level), None)
    if level is not None and wanted is None:
        raise AutograderError(f"There is no level {level!r}.", f"The levels are {', '.join(LEVELS)}.")
    isolation = choose(wanted, practice)
    if isolation.level == "practice":
        print_safely(Console(stderr=True), Panel(str(isolation), title="PRACTICE: NOT ISOLATED", style="bold red"))
    _say(f"Isolation: {isolation}")
    return isolation


def _with_progress(
    title: str, total: int, run: "Callable[[Callable[[Result], None]], list[Result]]"
) -> "list[Result]":
    """Show a bar that `run` moves by calling the function that it is given, once for each result."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        return run(lambda result: progress.advance(task))


def _show_command(records: "Sequence[Record]", name: str, places: Places) -> str:
    import shlex

    look = [record for record in records if record.needs_a_look]
    student = (look or list(records))[0].student
    reports = "" if places.reports == Path.cwd() / "reports" else f" --reports {shlex.quote(_short(places.reports))}"
    return f"autograder show {shlex.quote(student)} {name}{reports}"


def _find_course(start: Path | None) -> "Course":
    from autograder.course import Course

    return Course.find(start or Path.cwd())


def _zone(name: str | None) -> "ZoneInfo | None":
    from zoneinfo import ZoneInfo

    try:
        return None if name is None else ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise AutograderError(f"There is no time zone {name!r}.", "Name one such as Europe/Berlin.") from None


def _sample_builder(root: Path) -> Callable[[Path, Path], Path]:
    path = root / "tests" / "samples" / "build.py"
    spec = importlib.util.spec_from_file_location("autograder_samples", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise AutograderError(f"The sample class is missing: {path}.", "Run the demo in a clone of the project.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    build: Callable[[Path, Path], Path] = module.build_samples
    return build


def _clear(folder: Path) -> None:
    """Take away an earlier demo, and nothing else that may lie in the folder."""
    folder.mkdir(exist_ok=True)
    for name in ("submitted", "reports", "autograded"):
        if (folder / name).exists():
            shutil.rmtree(folder / name)
    (folder / "gradebook.db").unlink(missing_ok=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _sqlite(path: Path) -> str:
    return f"sqlite:///{path}"


def _short(path: Path) -> str:
    """Return the path as seen from the current folder, where that is shorter."""
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _short_url(db_url: str) -> str:
    from autograder.host.gradebook import shown_url

    local = db_url.removeprefix("sqlite:///")
    return _short(Path(local)) if local != db_url and "?" not in local else shown_url(db_url)


def _console() -> "Console":
    """Return the screen; a log or a file, which has no width of its own, gets room for whole sentences."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH
    return Console(width=wide)


def _say(sentence: str) -> None:
    from autograder.terminal import plain, print_safely

    print_safely(_console(), plain(sentence))


def _warn(sentence: str) -> None:
    from rich.console import Console

    from autograder.terminal import plain, print_safely

    print_safely(Console(stderr=True), f"autograder: {plain(sentence)}")


def _fail(sentence: str) -> None:
    _warn(sentence)
    sys.exit(COULD_NOT_RUN)


if __name__ == "__main__":
    main()
