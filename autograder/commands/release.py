"""Write what students get."""

from autograder.commands.common import (
    AssignmentName,
    CourseFolder,
    DatabaseUrl,
    app,
    find_course,
    say,
    short,
    sqlite,
    warn,
)


@app.command(short_help="Write what students get, from the source.")
def release(assignment: AssignmentName, course: CourseFolder = None, db: DatabaseUrl = None) -> None:
    """Write what students get, assignments/ASSIGNMENT/, from source/ASSIGNMENT/.

    Warns when it supplies solutions to an earlier assignment that can still be handed in.
    """
    from autograder.host.release import given_away_early
    from autograder.host.release import release as write_release

    found = find_course(course)
    say(f"Released {short(write_release(found, assignment))}")
    for sentence in given_away_early(found, assignment, db or sqlite(found.root / "gradebook.db")):
        warn(sentence)
