"""Show which hand-ins share code."""

from typing import Annotated

import typer

from autograder.commands.common import AssignmentName, CourseFolder, ReportsFolder, app, find_course, say, short
from autograder.commands.misconception import SubmittedFolder


@app.command(short_help="Show which hand-ins share code: a hint to look, no more.")
def similar(
    assignment: AssignmentName,
    most: Annotated[int, typer.Option("--most", min=1, metavar="N", help="Show so many pairs at most.")] = 30,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Show pseudonyms in place of ids.")] = False,
    submitted: SubmittedFolder = None,
    reports: ReportsFolder = None,
    course: CourseFolder = None,
) -> None:
    """Write reports/ASSIGNMENT/similar.html: pairs of graded hand-ins side by side, those that share most first.

    Names count as equal; the stub, the reference and what many wrote are left out. It is a hint to look, no proof.
    """
    from autograder.insight.clusters import HandIns
    from autograder.insight.html import write
    from autograder.insight.similar import find_pairs, similar_page
    from autograder.report import read_records

    found = find_course(course)
    about, folder = found.assignment(assignment), reports or found.root / "reports"
    records = read_records(folder, assignment)
    pairs = find_pairs(about, HandIns(about, submitted or found.root / "submitted", records), records, most)
    path = folder / assignment / "similar.html"
    write(path, similar_page(about, records, pairs, anonymous))
    say(f"Pairs to look at: {short(path)} ({len(pairs)} of {len(records)} hand-ins; a hint, no proof)")
