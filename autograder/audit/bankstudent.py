"""Answer graders with a model of the bank of misconceptions, in this process: it is instructors' code."""

import builtins
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograder.grading.bank import Model
from autograder.sandbox.inside.wire import Callback, Handle, decode, encode
from autograder.sandbox.student import Notebook
from autograder.sandbox.workers import Budget, Limits


class BankNotebook(Notebook):
    """Stand for a notebook that is the reference's, but for one function that has the faults."""

    def __init__(self, model: Model, faults: frozenset[str], names: Mapping[str, Any], limits: Limits) -> None:
        super().__init__(SimpleNamespace(), (), limits, Budget(limits.submission_seconds))  # type: ignore[arg-type]
        self.names = {**names, model.function: partial(model.run, faults)}
        self.kept: dict[int, Any] = {}

    def ask(self, op: str, name: str, callbacks: dict[int, Callable[..., Any]], **content: Any) -> dict[str, Any]:
        """Answer as a worker would; nothing but data goes in and out."""
        if op == "value":
            return {"value": self._carry(self.names[name])} if name in self.names else {"missing": True}
        owner = content.get("owner")
        holder = SimpleNamespace(**self.names) if owner is None else self.kept[owner.id]
        if not hasattr(holder, name):
            return {"missing": True}
        target = getattr(holder, name)
        if op == "calls":
            return {"replies": [self._answer(target, args, {}, callbacks) for args in content["cases"]]}
        if owner is not None and not content["args"] and not callable(target):
            return {"value": self._carry(target)}
        return self._answer(target, content["args"], content["kwargs"], callbacks, content["overwrite"])

    def _answer(
        self, target: Any, args: Any, kwargs: Any, callbacks: dict[int, Callable[..., Any]], overwrite: bool = False
    ) -> dict[str, Any]:
        args, kwargs = (self._bind(self._carry(part), callbacks) for part in (args, kwargs))
        before = [self._carry(arg) for arg in args]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                reply: dict[str, Any] = {"value": self._carry(target(*args, **kwargs))}
        except Exception as error:
            return {"error": {"kind": _built_in_kind(error)}}
        pairs = enumerate(zip(args, before, strict=True))
        reply["mutated"] = [i for i, (arg, old) in pairs if self._bytes(arg) != self._bytes(old)]
        for arg in args if overwrite else ():
            if isinstance(arg, np.ndarray):
                arg.fill(0)
        return reply

    def _carry(self, value: Any) -> Any:
        """Send a value over the wire and back."""
        return decode(*encode(value, self._keep))

    def _keep(self, value: Any) -> Any:
        if isinstance(value, Handle | Callback):
            return value
        self.kept[len(self.kept) + 1] = value
        return Handle(len(self.kept), "object")

    def _bytes(self, value: Any) -> tuple[bytes, bytes]:
        return encode(value, lambda kept: Callback(0))

    def _bind(self, value: Any, callbacks: Mapping[int, Callable[..., Any]]) -> Any:
        if isinstance(value, Callback):
            return callbacks[value.id]
        if isinstance(value, Handle):
            return self.kept[value.id]
        if isinstance(value, list | tuple):
            return type(value)(self._bind(entry, callbacks) for entry in value)
        if isinstance(value, dict):
            return {key: self._bind(entry, callbacks) for key, entry in value.items()}
        return value


def _built_in_kind(error: BaseException) -> str:
    return next(kind.__name__ for kind in type(error).__mro__ if hasattr(builtins, kind.__name__))
