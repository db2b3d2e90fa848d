"""Say what this machine gives for isolation."""

import typer

from autograder.commands.common import app, console, say


@app.command(short_help="Say what this machine gives for isolating student code, and what mends it.")
def doctor() -> None:
    """Say what this machine gives for isolating student code, what is missing, and the one command that mends it.

    Exits with 0 when student code is isolated in full, 1 when something is missing but marks of record can be
    given, 2 when they cannot.
    """
    from autograder.doctor import examine, exit_code, report, table
    from autograder.terminal import print_safely

    examination = examine()
    print_safely(console(), table(examination))
    say(report(examination))
    raise typer.Exit(exit_code(examination))
