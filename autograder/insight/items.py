"""Say how well each part of an assignment does its work: difficulty, discrimination, reliability."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.report import GroupResult, Record, TaskResult

FEW = 10  # hand-ins below which a statistic is chance
Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Item:
    """Hold what a class made of one task, or of one group of a task (which then has a sentence).

    `share` is the mean part of its points that was earned, of those judged; `discrimination` is the correlation with
    the points for everything else (for a group that is passed or not: the corrected point-biserial). Both are None
    where they are undefined.
    """

    task: str
    name: str
    sentence: str
    points: float
    judged: int
    passed: int
    share: float | None
    discrimination: float | None


def graded(records: Iterable[Record]) -> list[Record]:
    """Return the records that have a score."""
    return [record for record in records if record.score is not None]


def tasks(records: Sequence[Record]) -> list[Item]:
    """Return one item for each task that the graders judged, in the assignment's order."""
    return _items(records, lambda record: {(task.name, ""): task for task in record.tasks if task.score is not None})


def groups(records: Sequence[Record]) -> list[Item]:
    """Return one item for each group, in the assignment's order; hand-ins where it was not judged are left out."""
    return _items(records, _groups)


def correlation(one: Numbers, other: Numbers) -> float | None:
    """Return Pearson's correlation, None where one of the two does not vary."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.clip(np.corrcoef(one, other)[0, 1], -1, 1))


def alpha(records: Sequence[Record]) -> float | None:
    """Return Cronbach's alpha over the points of all groups; None where it is undefined.

    That is with fewer than two hand-ins or two groups, or when all totals are the same. A group that was not judged
    earned nothing.
    """
    earned = [{key: group.earned for key, group in _groups(record, judged=False).items()} for record in graded(records)]
    common = set.intersection(*map(set, earned)) if earned else set()
    table = np.array([[points[key] for key in sorted(common)] for points in earned])
    if len(earned) < 2 or len(common) < 2:
        return None
    whole = table.sum(axis=1).var(ddof=1)
    k = len(common)
    return None if whole < 1e-12 else float(k / (k - 1) * (1 - table.var(axis=0, ddof=1).sum() / whole))


def fail_together(records: Sequence[Record]) -> list[list[tuple[str, str]]]:
    """Return sets of groups (task, sentence) that the same hand-ins pass, and the same two or more do not pass."""
    everywhere = [_groups(record, judged=False) for record in graded(records)]
    alike: dict[tuple[bool, ...], list[tuple[str, str]]] = {}
    for key, group in (everywhere[0] if everywhere else {}).items():
        if all(key in found for found in everywhere):
            pattern = tuple(found[key].verdict == "passed" for found in everywhere)
            alike.setdefault(pattern, []).append((key[0], group.sentence))
    return [found for pattern, found in alike.items() if len(found) > 1 and any(pattern) and pattern.count(False) > 1]


def difficulty_in_words(share: float | None) -> str:
    """Return what a mean share of the points says."""
    if share is None:
        return "never judged"
    return _step(share, ((0.2, "very hard"), (0.5, "hard"), (0.8, "medium"), (0.95, "easy")), "nearly everybody can")


def discrimination_in_words(value: float | None, judged: int) -> str:
    """Return what a correlation with the rest says of an item."""
    if value is None:
        return "cannot be said: there is no difference to explain"
    steps = (
        (-0.05, "backwards: those who do well elsewhere lose here; look at this check"),
        (0.1, "says nothing about the rest of the work"),
        (0.25, "tells strong from weak work a little"),
        (0.45, "tells strong from weak work"),
    )
    words = _step(value, steps, "tells strong from weak work very well")
    return f"{words} (few hand-ins: may be chance)" if judged < FEW else words


def reliability_in_words(value: float | None) -> str:
    """Return what Cronbach's alpha says of a test."""
    if value is None:
        return "Undefined: it takes two hand-ins with different totals, and two groups."
    steps = (
        (0.5, "Low: the parts hardly agree on who did well, or the class is too small or too alike to tell."),
        (0.7, "Modest: a total is a rough measure; do not make much of small differences."),
        (0.8, "Fair: good enough for exercises."),
        (0.9, "Good: another set of such checks would rank the class much the same."),
    )
    return _step(value, steps, "Very high: the parts agree so well that some may ask the same thing twice.")


def _step(value: float, steps: Sequence[tuple[float, str]], above: str) -> str:
    return next((words for limit, words in steps if value < limit), above)


def _groups(record: Record, judged: bool = True) -> dict[tuple[str, str], GroupResult]:
    return {
        (task.name, group.name): group
        for task in record.tasks
        for group in task.groups
        if not judged or group.verdict != "not judged"
    }


def _items(records: Sequence[Record], parts: Callable[[Record], dict[tuple[str, str], Any]]) -> list[Item]:
    found = [(record.score or 0.0, parts(record)) for record in graded(records)]
    keys = dict.fromkeys(itertools.chain.from_iterable(each for _, each in found))
    return [_item(key, [(total, each[key]) for total, each in found if key in each]) for key in keys]


def _item(key: tuple[str, str], results: Sequence[tuple[float, TaskResult | GroupResult]]) -> Item:
    totals = np.array([total for total, _ in results])
    earned = np.array([_earned(result) for _, result in results])
    first = results[0][1]
    full = [got >= result.points for got, (_, result) in zip(earned, results, strict=True)]
    return Item(
        task=key[0], name=key[1], sentence=getattr(first, "sentence", ""), points=first.points, judged=len(results),
        passed=sum(full), share=round(float(earned.mean()) / first.points, 12) if first.points else None,
        discrimination=correlation(earned, np.round(totals - earned, 9)),
    )  # fmt: skip


def _earned(result: TaskResult | GroupResult) -> float:
    return result.earned if isinstance(result, GroupResult) else result.score or 0.0
