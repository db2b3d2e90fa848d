"""Prove the graders."""

from functools import partial
from typing import Annotated

import typer

from autograder.commands.common import (
    ALL_GRADED,
    LOOK,
    CourseFolder,
    Jobs,
    app,
    console,
    cores,
    find_course,
    with_progress,
)


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

    found = find_course(course)
    broken = False
    for name in [assignment] if assignment else found.names():
        chosen = found.assignment(name)
        check_assignment(chosen)
        total = len([task for task in chosen.tasks if not task.manual])
        effort = QUICK if quick else WHOLE
        results = with_progress(
            f"Auditing {name}", total, partial(run_audit, chosen, effort, seed, min(jobs or cores(), total))
        )
        print_safely(console(), table(name, results))
        print_safely(console(), details(results))
        broken = broken or any(result.broken for result in results)
    raise typer.Exit(LOOK if broken else ALL_GRADED)
