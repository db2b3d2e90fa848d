"""Describe known wrong behaviours as one parametric implementation per task."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """Name one wrong behaviour: what happens, in words, and one tiny example. A `note_only` fault costs nothing."""

    id: str
    sentence: str
    example: str
    note_only: bool = False


def _whole(result: Any) -> Any:
    return result


@dataclass(frozen=True)
class Model:
    """Hold one function of a task that can be wrong in several ways at once.

    `run(faults, *args, **kwargs)` behaves like the right answer with the set of fault ids switched on, down to
    dtype, exception and changed arguments. It is given copies. `view` takes from a result what has to be equal; a
    construction with many right answers is seen by what it amounts to, such as its rank.
    """

    task: str
    function: str
    run: Callable[..., Any]
    faults: tuple[Fault, ...]
    view: Callable[[Any], Any] = _whole
