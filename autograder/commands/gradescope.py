"""Build Gradescope's autograder zip."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.commands.common import AssignmentName, CourseFolder, app, find_course, say, short


@app.command(short_help="Build the autograder zip for Gradescope.")
def gradescope(
    assignment: AssignmentName,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to.")] = Path("autograder.zip"),
    roster: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Gives Gradescope's emails or names the ids of the course.")
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Build the zip that you upload as the autograder of a programming assignment.

    It holds the hidden graders, the solutions and the course secret: upload it, and give it to nobody.
    """
    from autograder.collect.place import read_roster
    from autograder.gradescope import build_zip
    from autograder.grading.run import check_ready

    found = find_course(course).assignment(assignment)
    read_roster(roster)
    check_ready(found)
    output.write_bytes(build_zip(found, roster))
    say(f"Written: {short(output)}")
    say("It holds the hidden graders, the solutions and the course secret. Upload it, and give it to nobody.")
