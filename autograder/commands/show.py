"""Show what a student reads."""

from typing import Annotated

import typer

from autograder.commands.common import AssignmentName, CourseFolder, ReportsFolder, app, console, find_course


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

    folder = reports or find_course(course).root / "reports"
    record = read_record(record_path(folder, assignment, student))
    print_safely(console(), student_page(record))
