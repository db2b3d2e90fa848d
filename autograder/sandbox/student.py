"""Stand for the student's notebook in a grader: names become calls into the sandbox."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.intake.code import definitions_only
from autograder.sandbox.inside.wire import Callback, Handle, WireError, is_dtype
from autograder.sandbox.workers import Budget, Limits, Worker, WorkerGone, Zygote

__all__ = ["Handle", "Notebook", "Student", "StudentError", "StudentMissing", "StudentTimeout"]

BUILT_IN = frozenset(
    name for name, kind in vars(__import__("builtins")).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)  # fmt: skip


class StudentError(Exception):
    """Report that the student's code raised; `kind` is the name of a built-in exception."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind, self.sentence = kind, sentence


class StudentTimeout(StudentError):
    """Report that the student's code took too long, or that its time is used up."""


class StudentMissing(StudentError):
    """Report that no cell defines the name."""

# Numbers that one call back may carry: references may square them (T x T scores), candidates do not.
MAX_SUPPLIED_ITEMS, MAX_PASSED_ITEMS = 4_000, 500_000


@dataclass(frozen=True)
class CellOutcome:
    """Tell how one cell went; `error` is None when it went well. A cell that `ended` took Python down with it."""

    position: int
    error: str | None = None
    message: str = ""
    line: int | None = None
    ended: bool = False


@dataclass
class Call:
    """Record one call for the diagnosis: what went in (copies), what came out."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any = None
    error: str | None = None
    mutated: tuple[int, ...] = ()
    owner: Handle | None = None  # the object whose method this is
    overwritten: bool = False  # the arrays were overwritten with zeros as soon as the call was done


@dataclass
class Notebook:
    """Run one hand-in's cells in a worker, and again in a fresh one whenever that is needed."""

    zygote: Zygote
    cells: Sequence[tuple[int, str]]  # (position in the file, source)
    limits: Limits
    budget: Budget
    cut: dict[int, str] = field(default_factory=dict)  # what is left of cells that hung or crashed; shared by forks
    supplied: dict[str, Callable[..., Any]] = field(default_factory=dict)
    files: Callable[[], dict[str, bytes]] = dict  # what lies beside the notebook, read when a worker starts
    dead: set[str] = field(default_factory=set)
    outcomes: dict[int, CellOutcome] = field(default_factory=dict)
    output: str = ""
    worker: Worker | None = None
    asked: bool = False  # whether the present worker has answered anything

    def start(self) -> Worker:
        """Return a worker that has run every cell it can; of one that hangs or crashes only the definitions count."""
        while self.worker is None or not self.worker.alive:
            if self.budget.spent:
                raise WorkerGone("the time for this notebook is used up", timeout=True)
            self.worker, self.asked = Worker(self.zygote), False
            try:
                self._run_cells(self.worker)
            except WorkerGone:
                continue
        return self.worker

    def _run_cells(self, worker: Worker) -> None:
        files = {name: np.frombuffer(data, np.uint8) for name, data in self.files().items()}
        if files:
            worker.ask("files", self.budget.deadline(self.limits.call_seconds), files=files)
        for position, source in self.cells:
            if self.cut.get(position, source):
                self._run_cell(worker, position, source)
        if self.supplied:
            names = {name: Callback(i) for i, name in enumerate(self.supplied)}
            worker.ask("supply", self.budget.deadline(self.limits.call_seconds), names=names)

    def _run_cell(self, worker: Worker, position: int, source: str) -> None:
        deadline = self.budget.deadline(self.limits.cell_seconds)
        try:
            reply = worker.ask("cell", deadline, source=self.cut.get(position, source))
        except WorkerGone as gone:
            if position not in self.cut:
                ended = "TimeoutError" if gone.timeout else "SystemExit"
                self.outcomes[position] = CellOutcome(position, ended, gone.reason, ended=True)
            self.cut[position] = "" if position in self.cut else definitions_only(source)
            raise
        except WireError:
            self.cut[position] = ""
            return
        self._keep_output(reply)
        kind, message, line = _error(reply)
        if position not in self.cut:
            self.outcomes[position] = CellOutcome(position, kind, message, line)

    def _keep_output(self, reply: dict[str, Any]) -> None:
        said = reply.get("output")
        if isinstance(said, str) and said:
            self.output = (self.output + said[-2000:])[-4000:]

    def ask(self, op: str, name: str, callbacks: dict[int, Callable[..., Any]], **content: Any) -> dict[str, Any]:
        """Ask the worker about `name`; a name that timed out once is not asked again."""
        if name in self.dead:
            raise StudentTimeout("TimeoutError", f"`{name}` took too long earlier and was not called again")
        try:
            worker = self.start()
            self.asked = True
            deadline = self.budget.deadline(self.limits.call_seconds)
            reply = worker.ask(op, deadline, callbacks, name=name, **content)
        except WorkerGone as gone:
            if gone.timeout:
                self.dead.add(name)
                raise StudentTimeout("TimeoutError", f"`{name}` did not finish in time") from gone
            raise StudentError("SystemExit", f"running `{name}` ended Python itself") from gone
        self._keep_output(reply)
        return reply

    def restart(self) -> None:
        """Have the next question answered by a worker that has not been asked anything yet."""
        if self.asked:
            self.close()

    def close(self) -> None:
        """End the worker, if there is one."""
        if self.worker is not None:
            self.worker.end()
            self.worker = None


@dataclass(frozen=True)
class Function:
    """Call one of the student's functions: once, or `each` case of a list in one go, which is a good deal faster."""

    student: Any
    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the student's function returns, as plain data."""
        return self.student._call(self.name, None, args, kwargs)

    def each(self, cases: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the results for each tuple of arguments; together they have the time of one call."""
        results: list[Any] = self.student._call_each(self.name, cases)
        return results


class Student:
    """Give graders the student's names: `student.softmax(x)` calls, `student.value("name")` reads."""

    def __init__(self, notebook: Notebook, calls: list[Call]) -> None:
        self._notebook, self._calls = notebook, calls
        self._supplied_items = MAX_SUPPLIED_ITEMS
        self.mutated: tuple[int, ...] = ()

    def __getattr__(self, name: str) -> "Function":
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self, name)

    def go_large(self) -> None:
        """Keep no record of the calls from now on, and let what is supplied be called with large inputs."""
        self._calls, self._supplied_items = [], MAX_PASSED_ITEMS

    def method(self, handle: Handle, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of an object that stays in the worker; with no arguments, a plain attribute is read."""
        return self._call(name, handle, args, kwargs)

    def lend(self, handle: Handle, name: str, *args: Any) -> Any:
        """Call a method, then overwrite with zeros the arrays that it was given, as their owner may do."""
        return self._call(name, handle, args, {}, overwrite=True)

    def value(self, name: str) -> Any:
        """Return the value of a variable of the notebook."""
        return _result(self._notebook.ask("value", name, {}), name)

    def _call(
        self, name: str, owner: Handle | None, args: tuple[Any, ...], kwargs: dict[str, Any], overwrite: bool = False
    ) -> Any:
        callbacks = self._supplied()
        sent = [self._stand_in(arg, callbacks) for arg in args]
        content = {"owner": owner, "args": sent, "kwargs": kwargs, "overwrite": overwrite}
        return self._finish(
            Call(name, _copied(args), _copied(kwargs), owner=owner, overwritten=overwrite),
            lambda: self._notebook.ask("call", name, callbacks, **content),
        )

    def _call_each(self, name: str, cases: Sequence[tuple[Any, ...]]) -> list[Any]:
        callbacks = self._supplied()
        sent = [[self._stand_in(arg, callbacks) for arg in args] for args in cases]
        replies: list[Any] = []

        def reply_to(number: int) -> dict[str, Any]:
            if number == 0:
                asked = self._notebook.ask("calls", name, callbacks, cases=sent)
                replies.extend(_list(asked.get("replies")) or [asked])
            return _dict(replies[number]) if number < len(replies) else {"error": {}}

        results, changed = [], set[int]()
        for number, args in enumerate(cases):
            results.append(self._finish(Call(name, _copied(args), {}), functools.partial(reply_to, number)))
            changed |= {*self.mutated}
        self.mutated = tuple(sorted(changed))
        return results

    def _finish(self, call: Call, reply_to: Callable[[], dict[str, Any]]) -> Any:
        """Keep the call, and hand back what came of it."""
        self._calls.append(call)
        try:
            reply = reply_to()
            self.mutated = call.mutated = _positions(reply.get("mutated"), len(call.args))
            call.value = _result(reply, call.name, "no cell defines" if call.owner is None else "the object has no")
        except StudentError as error:
            call.error = error.kind
            raise
        return call.value

    def _supplied(self) -> dict[int, Callable[..., Any]]:
        supplied = self._notebook.supplied.values()
        return {i: _bounded(function, self._supplied_items) for i, function in enumerate(supplied)}

    def _stand_in(self, arg: Any, callbacks: dict[int, Callable[..., Any]]) -> Any:
        if not callable(arg) or is_dtype(arg):
            return arg
        number = len(callbacks)
        callbacks[number] = _bounded(arg, MAX_PASSED_ITEMS)
        return Callback(number)


def _bounded(function: Callable[..., Any], limit: int) -> Callable[..., Any]:
    """Keep student code from having the trusted side compute on more than `limit` numbers at once."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if sum(int(np.size(arg)) for arg in (*args, *kwargs.values())) > limit:
            raise ValueError("too much to compute in one call")
        return function(*args, **kwargs)

    return call


def _result(reply: dict[str, Any], name: str, lack: str = "no cell defines") -> Any:
    if reply.get("missing"):
        raise StudentMissing("NameError", f"{lack} `{name}`")
    kind, _, _ = _error(reply)
    if kind is not None:
        raise StudentError(kind, f"`{name}` stopped with {kind}")
    return reply.get("value")


def _error(reply: dict[str, Any]) -> tuple[str | None, str, int | None]:
    error = reply.get("error")
    if error is None:
        return None, "", None
    if not isinstance(error, dict):
        return "Exception", "", None
    kind, message, line = error.get("kind"), error.get("message"), error.get("line")
    return (
        kind if isinstance(kind, str) and kind in BUILT_IN else "Exception",
        message[:500] if isinstance(message, str) else "",
        line if type(line) is int and 0 < line < 100_000 else None,
    )


def _copied(value: Any) -> Any:
    """Copy what may change under the hands of graders: arrays, and what holds them."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (list, tuple)):
        return type(value)([_copied(item) for item in value])
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _positions(value: Any, count: int) -> tuple[int, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(i for i in value if type(i) is int and 0 <= i < count)
