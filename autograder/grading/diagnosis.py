"""Name a known wrong behaviour by running it on the calls that the student's function answered."""

import copy
import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.grading.bank import Model
from autograder.report import Diagnosis
from autograder.sandbox.inside.wire import Handle
from autograder.sandbox.student import Call

MAX_EPISODES = 200
STOPPED = ("TimeoutError", "SystemExit", "NameError")
EVERYDAY, CLOSE = (1e-6, 1e-8), (1e-9, 1e-11)  # rtol and atol; the close look is for what an everyday look calls right
SINGLE = (1e-4, 1e-4)
Episode = list[Call]
Tolerance = tuple[float, float]


def diagnose(task: str, calls: Sequence[Call], models: Sequence[Model]) -> list[Diagnosis]:
    """Return the one fault, or the two at once, whose whole behaviour equals the student's; else nothing.

    A task with several functions is looked at function by function. Values, shapes, kinds of number, exceptions and
    changed arguments must all agree on every recorded call.
    """
    found = []
    for model in models:
        if model.task != task:
            continue
        episodes = _episodes(model.function, calls)[:MAX_EPISODES]
        by_id = {fault.id: fault for fault in model.faults}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            chosen = _explain(model, episodes, EVERYDAY) or _explain(model, episodes, CLOSE)
        for i in chosen:
            found.append(Diagnosis(id=i, sentence=by_id[i].sentence, example=by_id[i].example))
    return found


def answers_rightly(task: str, calls: Sequence[Call], models: Sequence[Model]) -> bool:
    """Tell whether the right answer, as the task's models have it, would have given all these results."""
    own = [model for model in models if model.task == task]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return bool(own) and all(
            _agrees_for(model, frozenset(), episode, EVERYDAY) == len(episode)
            for model in own
            for episode in _episodes(model.function, calls)
        )


def _episodes(function: str, calls: Sequence[Call]) -> list[Episode]:
    """Split the calls into stretches that share no state: a call of the function, then all on the objects it made."""
    episodes: list[Episode] = []
    episode_of: dict[Handle, Episode] = {}
    for call in calls:
        if call.owner is None and call.name == function and call.error not in STOPPED:
            episode: Episode = []
            episodes.append(episode)
        elif call.owner in episode_of and call.error not in STOPPED:
            episode = episode_of[call.owner]
        else:
            continue
        episode.append(call)
        if isinstance(call.value, Handle):
            episode_of[call.value] = episode
    return episodes


def _explain(model: Model, episodes: Sequence[Episode], tolerance: Tolerance) -> tuple[str, ...]:
    ends = [_agrees_for(model, frozenset(), episode, tolerance) for episode in episodes]
    odd = [episode[: end + 1] for episode, end in zip(episodes, ends, strict=True) if end < len(episode)]
    if not odd:
        return ()
    telling_first = [*sorted(odd, key=len), *episodes]
    ids = [fault.id for fault in model.faults]
    for count in (1, 2):
        for chosen in itertools.combinations(ids, count):
            if all(_agrees_for(model, frozenset(chosen), each, tolerance) == len(each) for each in telling_first):
                return chosen
    return ()


def _agrees_for(model: Model, faults: frozenset[str], episode: Episode, tolerance: Tolerance) -> int:
    """Return for how many calls the model answers as the student did."""
    objects: dict[Handle, Any] = {}
    agreeing = (_answers(model, faults, call, objects, tolerance) for call in episode)
    return next((i for i, agrees in enumerate(agreeing) if not agrees), len(episode))


def _answers(
    model: Model, faults: frozenset[str], call: Call, objects: dict[Handle, Any], tolerance: Tolerance
) -> bool:
    """Say whether the model answers one call as the student did; `objects` stand for the student's."""
    args, kwargs = copy.deepcopy(call.args), copy.deepcopy(call.kwargs)
    try:
        value = _ask(model, faults, call, objects, args, kwargs)
    except Exception as error:
        return call.error is not None and call.error in {kind.__name__ for kind in type(error).__mro__[:-2]}
    if call.error is not None:
        return False
    changed = tuple(i for i, arg in enumerate(args) if not _same(arg, call.args[i], None))
    if call.overwritten:
        _overwrite(args)
    if isinstance(call.value, Handle):
        objects[call.value] = value
        return changed == call.mutated and hasattr(value, "__dict__")  # which no plain data has
    return changed == call.mutated and _seen_alike(model, value, call.value, tolerance)


def _seen_alike(model: Model, value: Any, other: Any, tolerance: Tolerance) -> bool:
    """Compare through the model's view; a result that it cannot see is like no other."""
    with np.errstate(all="ignore"):
        try:
            return _same(model.view(value), model.view(other), tolerance)
        except Exception:
            return False


def _ask(
    model: Model, faults: frozenset[str], call: Call, objects: dict[Handle, Any], args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    if call.owner is None:
        return model.run(faults, *args, **kwargs)
    target = getattr(objects[call.owner], call.name)
    return target(*args, **kwargs) if callable(target) else target


def _overwrite(args: tuple[Any, ...]) -> None:
    for arg in args:
        if isinstance(arg, np.ndarray):
            arg.fill(0)


def _same(one: Any, other: Any, tolerance: Tolerance | None) -> bool:
    """Compare two results; without a tolerance they must be equal."""
    if isinstance(one, Handle) or isinstance(other, Handle) or callable(one):
        return one is other
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)) and _compound(one, other):
        return len(one) == len(other) and all(_same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.dtype) or isinstance(other, np.dtype):
        return type(one) is type(other) and bool(one == other)
    if one is None or other is None or isinstance(one, (str, bool)) or isinstance(other, (str, bool)):
        return type(one) is type(other) and bool(one == other)
    if isinstance(one, int) and isinstance(other, int):
        return one == other  # however large
    try:
        a, b = np.asarray(one), np.asarray(other)
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind or a.dtype.kind not in "biufc":
            return False
        if tolerance is None or a.dtype.kind not in "fc":
            return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
        single = a.dtype.itemsize < 8
        if single != (b.dtype.itemsize < 8):
            return False
        rtol, atol = SINGLE if single else tolerance
        return bool(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True))
    except (TypeError, ValueError):
        return False


def _compound(one: Any, other: Any) -> bool:
    """Say whether a list or tuple holds more than plain numbers, so that it is compared entry by entry."""
    return isinstance(one, tuple) or isinstance(other, tuple) or len(one) != len(other)
