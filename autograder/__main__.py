"""The command line: gather the commands, and turn errors into one line and an exit code."""

import os
import sys

from autograder.commands import gather
from autograder.commands.common import COULD_NOT_RUN, app, warn
from autograder.errors import AutograderError


def main() -> None:
    """Run the command line; errors that a person can act on are one line on stderr and exit code 2."""
    for library in ("OPENBLAS", "OMP", "MKL"):  # small arrays need no threads, and forks are safe without
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    gather()
    try:
        app()
    except AutograderError as error:
        fail(str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}. Put that right and give the same command again.")


def fail(sentence: str) -> None:
    warn(sentence)
    sys.exit(COULD_NOT_RUN)


if __name__ == "__main__":
    main()
