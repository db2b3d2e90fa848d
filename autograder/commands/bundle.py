"""Make the one file that grades an assignment elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.commands.common import AssignmentName, CourseFolder, app, find_course, say, short, warn


@app.command(short_help="Make one file that grades an assignment elsewhere.")
def bundle(
    assignment: AssignmentName,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="[default: ASSIGNMENT.bundle here]")
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Make one file with the reference, graders, bank, release and seed key of an assignment.

    `autograder grade --bundle FILE` grades with it as the course would. It is refused in a repository, unless the
    course's own ignores it, and wherever students look.
    """
    from autograder.bundle import write_bundle
    from autograder.grading.run import check_ready

    found = find_course(course)
    target = output or Path(f"{assignment}.bundle")
    ready = found.assignment(assignment)
    check_ready(ready)
    digest = write_bundle(found, ready, target)
    say(f"Bundle:  {short(target)}")
    say(f"SHA-256: {digest}")
    warn("The bundle holds answers, graders and the seed key. It never belongs in a student's repository.")
