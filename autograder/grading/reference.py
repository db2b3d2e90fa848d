"""Run the source notebook's own cells, the instructor's code, as the reference."""

import contextlib
import io
import types
from functools import cache

from autograder.course import Assignment
from autograder.errors import CourseError


@cache
def load_reference(assignment: Assignment) -> types.SimpleNamespace:
    """Return the names that the source notebook defines, its graded checks left out."""
    module = types.ModuleType(f"reference_{assignment.name.replace('-', '_')}")
    for number, source in enumerate(assignment.reference_cells(), start=1):
        code = compile(source, f"{assignment.source}, code cell {number}", "exec")
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                exec(code, module.__dict__)
        except Exception as error:
            raise CourseError(
                f"{assignment.source}: code cell {number} of the reference stops with {error!r}.",
                "Run the source notebook from top to bottom and mend that cell.",
            ) from error
    return types.SimpleNamespace(**module.__dict__)
