"""Tell whether a changed answer can be told from the reference at all, by calls beyond those that graders make."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.audit.trial import Court
from autograder.course import defined_names
from autograder.sandbox.student import Call, Handle, Notebook, Student, StudentError

Twist = Callable[[Any], Any]


def on_arrays(change: Callable[[Any], Any]) -> Twist:
    """Return a twist that changes arrays of floats and leaves all else."""
    return lambda value: change(value) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value


def _on_integers(change: Callable[[int], int]) -> Twist:
    return lambda value: change(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


TWISTS: tuple[Twist, ...] = (
    lambda value: value,
    on_arrays(lambda array: array * 7.0),
    on_arrays(lambda array: array * 0.03),
    on_arrays(lambda array: -array),
    on_arrays(lambda array: array * 400.0),
    on_arrays(lambda array: np.rint(array * 3).astype(np.int64)),
    on_arrays(np.zeros_like),
    on_arrays(lambda array: array[::-1].copy()),
    on_arrays(lambda array: np.broadcast_to(array[:1], array.shape).copy()),
    _listed,
    _on_integers(lambda number: number + 1),
    _on_integers(lambda number: number * 2),
)


def same_behaviour(court: Court, right: Mapping[str, str], cells: Mapping[str, str], seeds: Sequence[int]) -> bool:
    """Say whether an answer does what the right one does on the graders' calls of other seeds and on twisted ones.

    A twisted call counts only where the right answer gives finite numbers. What a model of the bank says of the
    function's results (its view) decides what has to be equal.
    """
    calls = [call for seed in seeds for call in court.judge(right, seed).calls]
    original, changed = court.submission(right, 0), court.submission(cells, 0)
    try:
        names = [name for text in court.own_cells().values() for name in defined_names(text)]
        if any(_value(original.own, name) != _value(changed.own, name) for name in names):
            return False
        twists = TWISTS if any(not any(map(callable, call.args)) for call in calls) else TWISTS[:1]
        return all(_alike_on(original.own, changed.own, calls, twist, _views(court)) for twist in twists)
    finally:
        original.close()
        changed.close()


def _views(court: Court) -> dict[str, Callable[[Any], Any]]:
    return {model.function: model.view for model in court.bench.models if model.task == court.task.name}


def _value(notebook: Notebook, name: str) -> object:
    """Return the text of a variable that is plain data, and only the kind of anything else."""
    try:
        value = Student(notebook, []).value(name)
    except StudentError as error:
        return error.kind
    return value.kind if isinstance(value, Handle) else repr(value)


def _alike_on(
    one: Notebook, other: Notebook, calls: Sequence[Call], twist: Twist, views: Mapping[str, Callable[[Any], Any]]
) -> bool:
    pairs = zip(_replay(one, calls, twist), _replay(other, calls, twist), calls, strict=True)
    for (wanted, changed, error), (got, also_changed, other_error), call in pairs:
        if error is not None or not _is_finite(wanted):
            if twist is TWISTS[0] and error != other_error:
                return False
            continue
        view = views.get(call.name, lambda value: value)
        if other_error is not None or changed != also_changed or not _seen_alike(view, wanted, got):
            return False
    return True


def _replay(
    notebook: Notebook, calls: Sequence[Call], twist: Twist
) -> Iterator[tuple[Any, tuple[int, ...], str | None]]:
    """Yield (value, changed arguments, kind of error) for each call, made again on objects of the notebook's own."""
    student, objects = Student(notebook, []), dict[Handle, Handle]()
    for call in calls:
        args = _twisted(call.args, twist)
        try:
            if call.owner is None:
                value = getattr(student, call.name)(*args, **call.kwargs)
            elif call.owner not in objects:
                raise StudentError("NameError", "the object was never made")
            elif call.overwritten:
                value = student.lend(objects[call.owner], call.name, *args)
            else:
                value = student.method(objects[call.owner], call.name, *args, **call.kwargs)
        except StudentError as error:
            yield None, (), error.kind
            continue
        if isinstance(call.value, Handle) and isinstance(value, Handle):
            objects[call.value] = value
        yield value, student.mutated, None


def _twisted(value: Any, twist: Twist) -> Any:
    if isinstance(value, tuple):
        return tuple(_twisted(entry, twist) for entry in value)
    return value if callable(value) else twist(value)


def _seen_alike(view: Callable[[Any], Any], one: Any, other: Any) -> bool:
    try:
        return alike(view(one), view(other))
    except Exception:
        return False


def alike(one: Any, other: Any) -> bool:
    """Compare two results within the course's tolerance; shapes must be equal, kinds of number need not."""
    if isinstance(one, Handle) or isinstance(other, Handle):
        return isinstance(one, Handle) and isinstance(other, Handle)
    if isinstance(one, tuple) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(alike(a, b) for a, b in zip(one, other, strict=True))
    if one is None or other is None or isinstance(one, str | bool) or isinstance(other, str | bool):
        return bool(one is other or one == other)
    try:
        a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    except (TypeError, ValueError):
        return bool(one is other)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-6, atol=1e-8, equal_nan=True))


def _is_finite(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(_is_finite(entry) for entry in value)
    return not isinstance(value, np.ndarray | float) or bool(np.isfinite(value).all())
