"""Take in downloads of learning platforms."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.commands.common import ALL_GRADED, LOOK, CourseFolder, app, console, find_course, say, time_zone


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

    found, clock = find_course(course), time_zone(zone)
    rows = take_in(found, file, assignment=assignment, into=into, roster=roster, zone=clock)
    print_safely(console(), collect_table(rows, clock))
    look = sum(row.look for row in rows)
    say(f"{sum(row.what in ('new', 'replaced') for row in rows)} taken in, {look} to look at.")
    raise typer.Exit(LOOK if look else ALL_GRADED)
