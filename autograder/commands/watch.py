"""Grade a notebook at each save."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.commands.common import AssignmentName, CourseFolder, app, console, find_course, isolation, say
from autograder.errors import AutograderError

if TYPE_CHECKING:
    from autograder.report import Record


@app.command(short_help="Grade a notebook at each save.")
def watch(
    assignment: AssignmentName,
    notebook: Annotated[Path, typer.Argument(metavar="NOTEBOOK", help="The file to watch.")],
    student: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Whose it is. [default: by its folders, <student>/<assignment>/]"),
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Grade a notebook now and at each save, and show what its student reads; Ctrl-C ends it.

    Nothing is written: no record, no gradebook.
    """
    from autograder.grading.run import Limits, check_ready, keep_to_core
    from autograder.grading.watch import watch as grade_at_each_save
    from autograder.terminal import print_safely, student_page

    if not notebook.is_file():
        raise AutograderError(f"There is no file {notebook}.", "Name the notebook that is being worked on.")
    chosen = find_course(course).assignment(assignment)
    check_ready(chosen)
    keep_to_core(-1)

    def show(record: "Record", seconds: float) -> None:
        print_safely(console(), student_page(record))
        say(f"Graded in {1000 * seconds:.0f} ms. Save the notebook to see it graded again; Ctrl-C ends this.")

    try:
        grade_at_each_save(chosen, notebook, student or _owner(notebook, assignment), isolation(), Limits(), show)
    except KeyboardInterrupt:
        say("")


def _owner(notebook: Path, assignment: str) -> str:
    folder = notebook.resolve().parent
    return folder.parent.name if folder.name == assignment else "watched"
