"""Run graders in this process, for speed; the sandboxed path is tested elsewhere.

`LocalStudent` stands in for `autograder.sandbox.student.Student`: it executes an answer's text in a namespace, sends
copies of the arguments, passes results through the wire format, tracks changed arguments and turns exceptions into
StudentError. It is no protection at all: only the project's own test answers may run here.
"""

import builtins
import contextlib
import copy
import importlib.util
import io
import json
import resource
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from autograder.grading import Group, StudentError, StudentMissing
from autograder.grading.groups import Remarks, collect_remarks
from autograder.sandbox.inside.wire import Callback, Handle, decode, encode
from autograder.sandbox.student import Function

ROOT = Path(__file__).parent.parent
MEMORY = 1 << 30
IDENTITIES = frozenset({"ada", "ada@example.org", "4711"})


@dataclass
class LocalCall:
    """Record one call: what went in, what came out."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any = None
    error: str | None = None
    mutated: tuple[int, ...] = ()
    owner: Handle | None = None
    overwritten: bool = False


@dataclass
class Outcome:
    """Hold a graded task: points, and per group a verdict and what was said."""

    points: float = 0.0
    passed: dict[str, bool] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    remarks: Remarks = field(default_factory=Remarks)
    calls: list[LocalCall] = field(default_factory=list)


class LocalStudent:
    """Answer a grader's calls from the text of an answer."""

    def __init__(self, text: str, supplied: dict[str, Any] | None = None) -> None:
        self._names: dict[str, Any] = {"np": np, **(supplied or {}), "__name__": "__main__"}
        self._kept: dict[int, Any] = {}
        self.calls: list[LocalCall] = []
        self.mutated: tuple[int, ...] = ()
        with quiet(), contextlib.suppress(Exception):
            exec(text, self._names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self, name)

    def method(self, handle: Handle, name: str, *args: Any, **kwargs: Any) -> Any:
        return self._call(name, handle, args, kwargs)

    def lend(self, handle: Handle, name: str, *args: Any) -> Any:
        return self._call(name, handle, args, {}, overwrite=True)

    def value(self, name: str) -> Any:
        if name not in self._names:
            raise StudentMissing("NameError", f"no cell defines `{name}`")
        return through_the_wire(self._names[name])

    def _call_each(self, name: str, cases: Any) -> list[Any]:
        results, changed = [], set[int]()
        for args in cases:
            results.append(self._call(name, None, args, {}))
            changed |= {*self.mutated}
        self.mutated = tuple(sorted(changed))
        return results

    def _call(
        self, name: str, owner: Handle | None, args: tuple[Any, ...], kwargs: dict[str, Any], overwrite: bool = False
    ) -> Any:
        call = LocalCall(name, copy.deepcopy(args), copy.deepcopy(kwargs), owner=owner, overwritten=overwrite)
        self.calls.append(call)
        sent = copy.deepcopy(args)
        try:
            with quiet(), memory_limit():
                result = self._run(name, owner, sent, kwargs)
        except StudentMissing:
            call.error = "NameError"
            raise
        except BaseException as error:
            call.error = built_in_kind(error)
            raise StudentError(call.error, f"`{name}` stopped with {call.error}") from error
        self.mutated = call.mutated = changed(args, sent)
        for arg in sent if overwrite else ():
            if isinstance(arg, np.ndarray):
                arg.fill(0)
        call.value = through_the_wire(result, self._keep)
        return call.value

    def _run(self, name: str, owner: Handle | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if owner is None and name not in self._names:
            raise StudentMissing("NameError", f"no cell defines `{name}`")
        try:
            target = self._names[name] if owner is None else getattr(self._kept[owner.id], name)
        except (KeyError, AttributeError):
            raise StudentMissing("NameError", f"the object has no `{name}`") from None
        if owner is not None and not args and not callable(target):
            return target
        value = target(*args, **kwargs)
        maker = target if isinstance(target, type) else type(self._kept[owner.id]) if owner is not None else None
        return self._keep(value) if type(value) is maker and maker.__module__ == "__main__" else value

    def _keep(self, value: Any) -> Handle:
        if isinstance(value, Handle):
            return value
        handle = Handle(len(self._kept) + 1, "object")
        self._kept[handle.id] = value
        return handle


@contextlib.contextmanager
def quiet() -> Any:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def memory_limit() -> Any:
    """Bound the memory that a call may take on top, as the sandbox does."""
    limit, hard = resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def through_the_wire(value: Any, keep: Callable[[Any], Handle] = lambda kept: Handle(0, "object")) -> Any:
    return decode(*encode(value, keep))


def changed(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[int, ...]:
    def packed(value: Any) -> tuple[bytes, bytes]:
        return encode(value, lambda kept: Callback(0))

    return tuple(i for i, (old, new) in enumerate(zip(before, after, strict=True)) if packed(old) != packed(new))


def built_in_kind(error: BaseException) -> str:
    return next(kind.__name__ for kind in type(error).__mro__ if hasattr(builtins, kind.__name__))


@cache
def reference_names(assignment: str) -> dict[str, Any]:
    """Execute the source notebook's cells, test cells apart, and return every name that they define."""
    notebook = json.loads((ROOT / "source" / assignment / f"{assignment}.ipynb").read_text())
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader", {}).get("grade"):
            with quiet():
                exec("".join(cell["source"]), names)
    return names


@cache
def grader_module(assignment: str, name: str) -> ModuleType:
    path = ROOT / "autograder" / "graders" / assignment / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{assignment}.{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def groups_of(assignment: str, task: str) -> dict[str, Any]:
    module = grader_module(assignment, f"test_{task}")
    return {name: value for name, value in vars(module).items() if isinstance(getattr(value, "group", None), Group)}


def grade(assignment: str, task: str, text: str, seed: int = 0, supplied: dict[str, Any] | None = None) -> Outcome:
    """Grade one answer on one task; a fault of the grader itself is raised."""
    outcome = Outcome()
    reference = SimpleNamespace(**reference_names(assignment))
    functions = groups_of(assignment, task)
    student = LocalStudent(text, supplied)
    prepare, shared = getattr(grader_module(assignment, f"test_{task}"), "shared", None), None
    with collect_remarks() as outcome.remarks:
        for place, (name, function) in enumerate(functions.items()):
            if function.group.fresh:
                student = LocalStudent(text, supplied)
            rng = np.random.default_rng([seed, place])
            offered = {
                "student": student,
                "reference": reference,
                "rng": rng,
                "owner": "ada",
                "identities": IDENTITIES,
            }
            student.calls, student.mutated = outcome.calls if function.group.replay else [], ()
            try:
                if prepare and shared is None:
                    shared = prepare(**{wanted: offered[wanted] for wanted in signature(prepare).parameters})
                offered["shared"] = shared
                function(**{wanted: offered[wanted] for wanted in signature(function).parameters})
                outcome.passed[name] = True
            except (AssertionError, StudentError) as failure:
                outcome.passed[name], outcome.said[name] = False, str(failure)
    earned = [functions[name].group for name, passed in outcome.passed.items() if passed]
    if any(not group.conditional for group in earned):
        outcome.points = sum(group.points for group in earned)
    return outcome
