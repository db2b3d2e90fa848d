"""Tell behaviours that nobody has named apart: equal fingerprints mean equal answers to the same probes."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from autograder.grading.bank import Model
from autograder.grading.diagnosis import answers_rightly
from autograder.sandbox.inside.wire import Handle
from autograder.sandbox.student import Call, Student, StudentError

ABSENT = frozenset({"NameError", "NotImplementedError"})  # what comes of an answer that was never written
STOPPED = frozenset({"TimeoutError", "SystemExit"})  # says more about the clock than about the code
DIGITS, DIGITS_OF_SINGLE = 6, 3
NOISE = 1e-9  # of the largest entry: what is below it is 0
LARGEST = 10_000  # entries; of a larger array only the shape is seen
LENGTH = 12

Probe = Mapping[str, Sequence[tuple[Any, ...]]] | Callable[[Any], None]


def ask(probe: Probe, student: Student) -> None:
    """Put the probe's questions: {function: tuples of arguments}, or a conversation that ends where it fails."""
    if callable(probe):
        with suppress(Exception):  # what was answered until then is what counts
            probe(student)
        return
    for name, cases in probe.items():
        for args in cases:
            with suppress(StudentError):
                getattr(student, name)(*args)


def is_absent(calls: Sequence[Call]) -> bool:
    """Tell whether no call was answered with anything, as with a stub."""
    asked = {call.owner for call in calls}  # an object whose methods were called is no answer in itself
    return all(call.error in ABSENT or (not call.error and _is_nothing(call.value, asked)) for call in calls)


def _is_nothing(value: Any, asked: set[Handle | None]) -> bool:
    return value is None or (isinstance(value, Handle) and value in asked)


def fingerprint(task: str, calls: Sequence[Call], models: Sequence[Model]) -> str | None:
    """Return a short hash of the answers: numbers to six digits, shapes, kinds of error, changed arguments.

    None where there is nothing to tell apart: no answer, one that took too long, or nothing but right ones.
    """
    if is_absent(calls) or any(call.error in STOPPED for call in calls) or answers_rightly(task, calls, models):
        return None
    views = {model.function: model.view for model in models if model.task == task}
    seen = [[call.name, call.error, call.mutated, _outline(_viewed(call, views))] for call in calls]
    return hashlib.sha256(repr([task, seen]).encode("utf-8", "replace")).hexdigest()[:LENGTH]


def _viewed(call: Call, views: Mapping[str, Callable[[Any], Any]]) -> Any:
    """Look at a result as the bank does, where it can be looked at that way."""
    if call.owner is None and call.name in views and call.error is None:
        with suppress(Exception), np.errstate(all="ignore"):
            return views[call.name](call.value)
    return call.value


def _outline(value: Any) -> Any:
    if isinstance(value, Handle):
        return "object"
    if isinstance(value, dict):
        return sorted((str(key), _outline(part)) for key, part in value.items())
    if value is None or isinstance(value, str | int | np.dtype | type):
        return f"{type(value).__name__} {value}"
    if isinstance(value, tuple) or (isinstance(value, list) and any(isinstance(part, np.ndarray) for part in value)):
        return [_outline(part) for part in value]
    try:
        return _numbers(np.asarray(value))
    except (TypeError, ValueError):
        return [_outline(part) for part in value] if isinstance(value, list) else type(value).__name__


def _numbers(array: np.ndarray[Any, Any]) -> Any:
    kind = {"u": "i"}.get(array.dtype.kind, array.dtype.kind)
    if kind not in "bifc" or array.size > LARGEST:
        return [kind, array.shape]
    if kind in "bi":
        return [kind, array.shape, array.ravel().tolist()]
    digits = DIGITS_OF_SINGLE if array.real.dtype.itemsize < 8 else DIGITS
    parts = [array.real, array.imag] if kind == "c" else [array]
    return [kind, array.shape, [_rounded(part.ravel().astype(float), digits) for part in parts]]


def _rounded(numbers: np.ndarray[Any, Any], digits: int) -> list[str]:
    noise = NOISE * np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
    return [f"{0.0 if abs(number) <= noise else number:.{digits - 1}e}" for number in numbers.tolist()]
