"""Find the examples that students see, so that none of them is graded in secret as well."""

import contextlib
import io
from collections.abc import Callable, Sequence
from typing import Any

from autograder.audit.equivalent import alike
from autograder.course import Assignment, Task, is_check, nbgrader_metadata, own_names, read_cells, source_text
from autograder.sandbox.student import Call

Seen = tuple[str, tuple[Any, ...], dict[str, Any]]


def repeated_examples(assignment: Assignment, task: Task, hidden: Sequence[Call]) -> list[str]:
    """Return the calls, in words, that the visible check makes and a hidden group makes again."""
    seen = visible_calls(assignment, task)
    again = [call for call in hidden if any(_is_same(example, call) for example in seen)]
    return sorted({f"{call.name}{_shapes(call.args)}" for call in again})


def visible_calls(assignment: Assignment, task: Task) -> list[Seen]:
    """Run the source notebook up to the task's check; return every call that the check makes to the task's names."""
    seen: list[Seen] = []
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for cell in read_cells(assignment.source, "Restore it."):
            is_own = nbgrader_metadata(cell).get("grade_id") == task.name
            if is_own:
                _listen(names, own_names(assignment, task), seen)
            if cell["cell_type"] == "code" and (is_own or not is_check(cell)):
                exec(compile(source_text(cell), f"{assignment.name}, {task.name}", "exec"), names)
            if is_own:
                break
    return seen


def _listen(names: dict[str, Any], own: Sequence[str], seen: list[Seen]) -> None:
    for name in own:
        value = names.get(name)
        if isinstance(value, type):
            for method, function in list(vars(value).items()):
                if callable(function) and not method.startswith("_"):
                    setattr(value, method, _recorder(method, function, seen, skip=1))
        elif callable(value):
            names[name] = _recorder(name, value, seen, skip=0)


def _recorder(name: str, function: Callable[..., Any], seen: list[Seen], skip: int) -> Callable[..., Any]:
    def record(*args: Any, **kwargs: Any) -> Any:
        seen.append((name, args[skip:], kwargs))
        return function(*args, **kwargs)

    return record


def _is_same(example: Seen, call: Call) -> bool:
    name, args, kwargs = example
    if name != call.name or kwargs.keys() != call.kwargs.keys() or not (args or kwargs):
        return False
    given, hidden = (*args, *kwargs.values()), (*call.args, *(call.kwargs[key] for key in kwargs))
    return not any(map(callable, given)) and alike(given, hidden)


def _shapes(args: Sequence[Any]) -> str:
    return f"({', '.join(repr(arg) if isinstance(arg, int | float | str) else '...' for arg in args)})"
