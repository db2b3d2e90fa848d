"""Turn what many hand-ins do alike into an entry of the bank."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.commands.common import AssignmentName, CourseFolder, ReportsFolder, app, find_course, say, short

misconception = typer.Typer(help="Look after the bank of misconceptions.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(misconception, name="misconception", short_help="Turn an unknown behaviour into a bank entry.")

SubmittedFolder = Annotated[
    Path | None, typer.Option("--submitted", metavar="DIR", help="Where the hand-ins lie. [default: submitted/]")
]


@misconception.command(short_help="Begin a bank entry for a cluster of the report.")
def add(
    assignment: AssignmentName,
    cluster: Annotated[str, typer.Option(metavar="ID", help="The cluster's id, as the report shows it.")],
    print_only: Annotated[bool, typer.Option("--print", help="Print the entry, and change no file.")] = False,
    submitted: SubmittedFolder = None,
    reports: ReportsFolder = None,
    course: CourseFolder = None,
) -> None:
    """Append the skeleton of an entry to graders/ASSIGNMENT/misconceptions.py; fill in what it does and says.

    Until then it explains nothing. A student's code is in it as a comment only.
    """
    from autograder.grading.batch import load_models
    from autograder.insight.clusters import HandIns, add_to_bank, bank_entry, cluster_of
    from autograder.report import read_records

    found = find_course(course)
    about = found.assignment(assignment)
    records = read_records(reports or found.root / "reports", assignment)
    chosen = cluster_of(records, cluster)
    code = HandIns(about, submitted or found.root / "submitted", records).representative(chosen)
    entry = bank_entry(about, chosen, code, load_models(about))
    if print_only:
        say(entry.strip("\n"))
        return
    path = add_to_bank(about, chosen, entry)
    say(f"Added unknown_{chosen.id} ({chosen.task}, {chosen.count}) to {short(path)}")
    say(f"Fill it in, then run: autograder audit {assignment}")
