"""Write the report of a class."""

from typing import Annotated

import typer

from autograder.commands.common import AssignmentName, CourseFolder, ReportsFolder, app, find_course, say, short
from autograder.commands.misconception import SubmittedFolder


@app.command(short_help="Write the report of a class: one page for the instructor.")
def report(
    assignment: AssignmentName,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Show pseudonyms in place of names and ids.")] = False,
    submitted: SubmittedFolder = None,
    reports: ReportsFolder = None,
    course: CourseFolder = None,
) -> None:
    """Write reports/ASSIGNMENT/report.html: scores, hard parts, weak checks, misconceptions, unknown behaviours.

    The page needs no network and no server. It is for the instructor: it shows code and, unless --anonymous, names.
    """
    from autograder.grading.batch import load_models
    from autograder.insight.clusters import HandIns
    from autograder.insight.html import write
    from autograder.insight.page import class_page
    from autograder.report import read_records

    found = find_course(course)
    about, folder = found.assignment(assignment), reports or found.root / "reports"
    records = read_records(folder, assignment)
    hand_ins = HandIns(about, submitted or found.root / "submitted", records)
    path = folder / assignment / "report.html"
    write(path, class_page(about, records, hand_ins, load_models(about), anonymous))
    say(f"Report: {short(path)} ({len(records)} hand-ins{', names hidden' if anonymous else ''})")
