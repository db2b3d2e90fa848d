"""Turn what a task's groups said into points."""

import math
from collections.abc import Sequence

from autograder.report import GroupResult


def settle(groups: Sequence[tuple[GroupResult, bool]]) -> list[GroupResult]:
    """Pay each passed group; a conditional one (second entry True) only when another group of the task passed."""
    sound = _sound(groups)
    return [_paid(result, sound or not conditional) for result, conditional in groups]


def _sound(groups: Sequence[tuple[GroupResult, bool]]) -> bool:
    return any(result.verdict == "passed" and not conditional for result, conditional in groups)


def _paid(result: GroupResult, counts: bool) -> GroupResult:
    if result.verdict != "passed":
        return result.model_copy(update={"earned": 0.0})
    if counts:
        return result.model_copy(update={"earned": result.points})
    message = "This counts once the values are right somewhere."
    return result.model_copy(update={"earned": 0.0, "verdict": "not judged", "message": message})


def earned(groups: Sequence[tuple[GroupResult, bool]]) -> float:
    """Return the points that `settle` would pay, without making its results."""
    sound = _sound(groups)
    passed = ((result, conditional) for result, conditional in groups if result.verdict == "passed")
    return round(math.fsum(result.points for result, conditional in passed if sound or not conditional), 9)


def total(groups: Sequence[GroupResult]) -> float:
    """Return the points that the groups earned; all of ten tenths are exactly 1."""
    return round(math.fsum(group.earned for group in groups), 9)
