"""What the commands share: the app, the options, and how a person is spoken to."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from autograder.errors import AutograderError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from rich.console import Console

    from autograder.course import Course
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
BundleFile = Annotated[
    Path | None,
    typer.Option(
        "--bundle", envvar="AUTOGRADER_BUNDLE", metavar="FILE",
        help="Grade by this bundle in place of a course; its SHA-256 is checked where AUTOGRADER_BUNDLE_SHA256 is set.",
    ),
]  # fmt: skip
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, metavar="N", help="Processes. [default: one per core]")
]


def find_course(start: Path | None) -> "Course":
    from autograder.course import Course

    return Course.find(start or Path.cwd())


@contextmanager
def course_or_bundle(course: Path | None, bundle: Path | None) -> "Iterator[tuple[Course, Path, str | None]]":
    """Give the course, the folder for its results, and the one assignment of a bundle.

    A bundle's results belong to the current folder: it is unpacked into a folder that does not last.
    """
    if bundle is None:
        found = find_course(course)
        yield found, found.root, None
        return
    if course is not None:
        remedy = "Leave out one of --course, --bundle and AUTOGRADER_BUNDLE."
        raise AutograderError("Both a course and a bundle are named.", remedy)
    from autograder.bundle import open_bundle

    with open_bundle(bundle, os.environ.get("AUTOGRADER_BUNDLE_SHA256")) as (unpacked, manifest):
        _warn_of_another_engine(unpacked, manifest.assignment, manifest.grader_version)
        yield unpacked, Path.cwd(), manifest.assignment


def _warn_of_another_engine(course: "Course", assignment: str, made_with: str) -> None:
    from autograder.grading.batch import grader_version

    if grader_version(course.assignment(assignment)) != made_with:
        warn("The bundle was made by another build of the engine: records name this one, and marks may differ.")


def time_zone(name: str | None) -> "ZoneInfo | None":
    from zoneinfo import ZoneInfo

    try:
        return None if name is None else ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise AutograderError(f"There is no time zone {name!r}.", "Name one such as Europe/Berlin.") from None


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sqlite(path: Path) -> str:
    return f"sqlite:///{path}"


def short(path: Path) -> str:
    """Return the path as seen from the current folder, where that is shorter."""
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def short_url(db_url: str) -> str:
    from autograder.host.gradebook import shown_url

    local = db_url.removeprefix("sqlite:///")
    return short(Path(local)) if local != db_url and "?" not in local else shown_url(db_url)


def console() -> "Console":
    """Return the screen; a log or a file, which has no width of its own, gets room for whole sentences."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH
    return Console(width=wide)


def say(sentence: str) -> None:
    from autograder.terminal import plain, print_safely

    print_safely(console(), plain(sentence))


def warn(sentence: str) -> None:
    from rich.console import Console

    from autograder.terminal import plain, print_safely

    print_safely(Console(stderr=True), f"autograder: {plain(sentence)}")


def with_progress(title: str, total: int, run: "Callable[[Callable[[Result], None]], list[Result]]") -> "list[Result]":
    """Show a bar that `run` moves by calling the function that it is given, once for each result."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        return run(lambda result: progress.advance(task))


def isolation(level: str | None = None, practice: bool = False) -> "Isolation":
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
    say(f"Isolation: {isolation}")
    return isolation
