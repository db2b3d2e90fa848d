"""PrairieLearn's external grading results: one hand-in, a score from 0 to 1, at most 1 MB."""

import math
from typing import Any

from autograder.exports.marks import Mark, by_person
from autograder.exports.words import as_json, findings, group_text, heading, task_text
from autograder.report import Record, TaskResult

MOST_BYTES = 1_000_000
SHORTENED = 500  # characters of each text, where the whole would be too long


def export(record: Record, mark: Mark) -> bytes:
    """Return results.json; what was not graded is "not gradable" and has no score.

    PrairieLearn keeps manual points apart: while tasks wait for a person, the score is the share of the rest.
    """
    result: dict[str, Any] = {
        "gradable": mark.score is not None,
        "message": heading(record, mark.score, mark.waiting),
        "format_errors": findings(record) if mark.score is None else [],
        "tests": [test for task in record.tasks for test in _tests(task, mark)] if mark.score is not None else [],
    }
    if mark.score is not None:
        result["score"] = _share(record, mark)
    whole = as_json(result)
    return whole if len(whole) <= MOST_BYTES else as_json(_shortened(result))


def _share(record: Record, mark: Mark) -> float:
    waiting = set(mark.waiting)
    points = math.fsum(task.points for task in record.tasks if task.name not in waiting)
    return min(1.0, round((mark.score or 0.0) / points, 9)) if points else 0.0


def _tests(task: TaskResult, mark: Mark) -> list[dict[str, Any]]:
    final = mark.tasks.get(task.name, task.score)
    if final is None:
        return []
    if by_person(task, mark) or not task.groups:
        return [_test(task.name, "", final, task.points, task_text(task))]
    return [
        _test(f"{task.name}: {group.sentence}", task_text(task), group.earned, group.points, group_text(group))
        for group in task.groups
    ]


def _test(name: str, description: str, points: float, most: float, message: str) -> dict[str, Any]:
    return {"name": name, "description": description, "points": points, "max_points": most, "message": message}


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shortened(one) for one in value]
    return f"{value[:SHORTENED]}…" if isinstance(value, str) and len(value) > SHORTENED else value
