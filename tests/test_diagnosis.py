"""A fault is named only when the whole behaviour is the same on every recorded call."""

from typing import Any

import numpy as np
import pytest

from autograder.grading.bank import Fault, Model
from autograder.grading.diagnosis import diagnose
from autograder.sandbox.student import Call, Handle


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


class Counter:
    """Count what it was given, or with a fault: keep the caller's array, share with forks, start at 1, say it twice."""

    def __init__(self, faults: frozenset[str], kept: list[Any] | None = None) -> None:
        self.faults = faults
        self.kept: list[Any] = ([0.0] if "one" in faults else []) if kept is None else kept

    def append(self, x: Any) -> None:
        if np.ndim(x) != 1:
            raise ValueError
        self.kept.append(x if "reference" in self.faults else np.array(x))

    def total(self) -> float:
        return float(sum(np.sum(x) for x in self.kept))

    def fork(self) -> "Counter":
        return Counter(self.faults, self.kept if "shared" in self.faults else list(self.kept))

    @property
    def count(self) -> int:
        return len(self.kept) * (2 if "twice" in self.faults else 1)


STATEFUL = (Model("task", "Counter", Counter, tuple(Fault(n, n, n) for n in ("reference", "shared", "one", "twice"))),)


def recorded(*faults: str) -> list[Call]:
    """Play a student's object that has these faults; two of its lives are told in turns."""
    calls: list[Call] = []
    objects: dict[Handle, Any] = {}

    def ask(owner: Handle | None, name: str, *args: Any, overwritten: bool = False) -> Any:
        sent = tuple(np.array(arg) for arg in args)
        call = Call(name, args, {}, owner=owner, overwritten=overwritten)
        calls.append(call)
        try:
            target = Counter(frozenset(faults)) if owner is None else getattr(objects[owner], name)
            call.value = target(*sent) if callable(target) else target
        except ValueError:
            call.error = "ValueError"
        for arg in sent if overwritten else ():
            arg.fill(0)
        if isinstance(call.value, Counter):
            objects[handle := Handle(len(objects) + 1, "object")] = call.value
            call.value = handle
        return call.value

    first, second = ask(None, "Counter"), ask(None, "Counter")
    for cache in (first, second, first):
        ask(cache, "append", X, overwritten=cache is second)
        ask(cache, "append", np.ones((2, 2)))
    fork = ask(first, "fork")
    ask(fork, "append", 2 * X)
    for cache in (first, second, fork):
        ask(cache, "total")
        ask(cache, "count")
    return calls


@pytest.mark.parametrize("faults", [(), ("reference",), ("shared",), ("one",), ("twice",), ("reference", "shared"),
                                    ("shared", "twice")])  # fmt: skip
def test_sequences_of_calls_on_an_object_are_replayed(faults: tuple[str, ...]) -> None:
    assert tuple(d.id for d in diagnose("task", recorded(*faults), STATEFUL)) == faults


def test_a_sequence_fits_as_a_whole_or_not_at_all() -> None:
    calls = recorded("twice")
    calls[-1].value = 99
    assert diagnose("task", calls, STATEFUL) == []
    calls = recorded("twice")
    calls[0].value = 3.0
    assert [d.id for d in diagnose("task", calls, STATEFUL)] == []


def test_one_telling_call_among_many_is_enough() -> None:
    assert found(*[Call("f", (X,), {}, X)] * 150, Call("f", (np.ones((2, 2)),), {}, error="ValueError")) == ["strict"]


def test_a_view_takes_what_has_to_be_equal() -> None:
    def seen(value: Any) -> list[str]:
        models = (Model("task", "f", run, FAULTS, view=lambda result: float(np.sum(result))),)
        return [diagnosis.id for diagnosis in diagnose("task", [Call("f", (X,), {}, value)], models)]

    assert seen(np.array([5.0, 0.0])) == ["plus"]
    assert seen(np.array([3.0, 0.0])) == []
    assert seen("a result that the view cannot see") == []


def test_a_tiny_difference_is_named_when_nothing_larger_explains_it() -> None:
    def run_with_eps(faults: frozenset[str], x: Any) -> Any:
        return x / (x.sum() + (1e-7 if "eps" in faults else 0.0))

    model = Model("task", "f", run_with_eps, (Fault("eps", "adds.", "tiny."),))
    asked = [Call("f", (X,), {}, value=run_with_eps(frozenset({"eps"}), X))]
    assert [found.id for found in diagnose("task", asked, (model,))] == ["eps"]
    assert diagnose("task", [Call("f", (X,), {}, value=X / X.sum() * (1 + 1e-13))], (model,)) == []


@pytest.mark.parametrize("dtype", [np.dtype("float32"), np.float32, "float32"])
def test_a_dtype_among_the_arguments_is_no_change(dtype: Any) -> None:
    model = Model("task", "f", lambda faults, kind: np.finfo(kind).bits + ("plus" in faults), FAULTS[:1])
    assert [found.id for found in diagnose("task", [Call("f", (dtype,), {}, 33)], (model,))] == ["plus"]
    assert diagnose("task", [Call("f", (dtype,), {}, np.dtype("int8"))], (model,)) == []


def test_each_function_of_a_task_is_looked_at() -> None:
    models = (*MODELS, Model("task", "g", run, FAULTS))
    calls = [Call("f", (X,), {}, X + 1), Call("g", (X,), {}, -X)]
    assert [diagnosis.id for diagnosis in diagnose("task", calls, models)] == ["plus", "minus"]
    assert [diagnosis.id for diagnosis in diagnose("task", calls[1:], models)] == ["minus"]


@pytest.mark.parametrize(("value", "names"), [(2 * 10**19, ["twice"]), (2 * 10**19 + 1, []), (10**19, [])])
def test_whole_numbers_are_exact_at_any_size(value: int, names: list[str]) -> None:
    model = Model("task", "f", lambda faults, x: 2 * x if "twice" in faults else x, (Fault("twice", "t.", "t."),))
    assert [d.id for d in diagnose("task", [Call("f", (10**19,), {}, value)], (model,))] == names
