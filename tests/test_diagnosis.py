"""A fault is named only when the whole behaviour is the same on every recorded call."""

from typing import Any

import numpy as np
import pytest

from autograder.grading.bank import Fault, Model
from autograder.grading.diagnosis import diagnose
from autograder.sandbox.student import Call


def run(faults: frozenset[str], x: Any) -> Any:
    if "strict" in faults and np.ndim(x) != 1:
        raise ValueError
    if "changes" in faults:
        x[:] = 0.0
    result = np.asarray(x, dtype=np.float32 if "single" in faults else float) + ("plus" in faults)
    return -result if "minus" in faults else result


FAULTS = tuple(Fault(name, f"{name}.", "tiny") for name in ("plus", "minus", "single", "strict", "changes"))
MODELS = (Model("task", "f", run, FAULTS),)
X = np.array([1.0, 2.0])


def found(*calls: Call) -> list[str]:
    return [diagnosis.id for diagnosis in diagnose("task", calls, MODELS)]


@pytest.mark.parametrize(("value", "names"), [
    (X + 1, ["plus"]), (-X, ["minus"]), (-(X + 1), ["plus", "minus"]), (X, []), (X + 2, []),
    ((X + 1).tolist(), ["plus"]),
    ((X + 1).reshape(2, 1), []), (None, []), (X + 1 + 1e-5, []), ((X + 1).astype(np.float32), ["plus", "single"]),
])  # fmt: skip
def test_one_fault_two_faults_or_none(value: Any, names: list[str]) -> None:
    assert found(Call("f", (X,), {}, value)) == names


def test_every_call_has_to_fit() -> None:
    assert found(Call("f", (X,), {}, X + 1), Call("f", (2 * X,), {}, 2 * X)) == []


def test_exceptions_and_changed_arguments_count() -> None:
    matrix = np.ones((2, 2))
    assert found(Call("f", (X,), {}, X), Call("f", (matrix,), {}, error="ValueError")) == ["strict"]
    assert found(Call("f", (X,), {}, X), Call("f", (matrix,), {}, error="TypeError")) == []
    assert found(Call("f", (X,), {}, 0 * X, mutated=(0,))) == ["changes"]
    assert found(Call("f", (X,), {}, 0 * X)) == []


def test_calls_that_never_came_back_say_nothing() -> None:
    assert found(Call("f", (X,), {}, error="TimeoutError")) == []
    assert found(Call("g", (X,), {}, X + 1)) == []


def test_a_view_takes_what_has_to_be_equal() -> None:
    def seen(value: Any) -> list[str]:
        models = (Model("task", "f", run, FAULTS, view=lambda result: float(np.sum(result))),)
        return [diagnosis.id for diagnosis in diagnose("task", [Call("f", (X,), {}, value)], models)]

    assert seen(np.array([5.0, 0.0])) == ["plus"]
    assert seen(np.array([3.0, 0.0])) == []
    assert seen("a result that the view cannot see") == []
