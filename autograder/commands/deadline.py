"""Set deadlines and extensions."""

from typing import Annotated

import typer

from autograder.commands.common import (
    AssignmentName,
    CourseFolder,
    DatabaseUrl,
    app,
    find_course,
    say,
    sqlite,
    time_zone,
)


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
    db: DatabaseUrl = None,
) -> None:
    """Set when an assignment is due; grade again to renew late penalties."""
    from autograder.host.gradebook import set_deadline
    from autograder.host.penalties import deadline as read_deadline

    found, due = find_course(course), read_deadline(moment, time_zone(zone))
    set_deadline(db or sqlite(found.root / "gradebook.db"), found.assignment(assignment), due, student)
    whose = f" for {student}" if student else ""
    say(f"{assignment} is due{whose} {due:%Y-%m-%d %H:%M:%S} UTC")
