"""Classroom 50's result.json: whole numbers only, so points are multiplied until none is lost."""

import math
from collections.abc import Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from autograder.errors import AutograderError
from autograder.exports.marks import Mark, by_person
from autograder.exports.words import as_json
from autograder.report import Record, TaskResult

SCHEMA = "classroom50/result/v1"
FINEST = 10_000  # the largest part of a point that is kept apart


def export(record: Record, mark: Mark, scale: int, run: Mapping[str, str]) -> bytes:
    """Return result.json of one hand-in that has a score; `run` holds the variables of the runner.

    `scale` is what every point is multiplied by: the same for a class (see `scale_of`).
    """
    if mark.score is None:
        raise AutograderError(f"{mark.student} has no mark, and Classroom 50 knows none but whole numbers.")
    student = run.get("USERNAME") or record.student
    result: dict[str, Any] = {
        "schema": SCHEMA,
        "classroom": run.get("CLASSROOM", ""),
        "assignment": run.get("ASSIGNMENT") or record.assignment,
        "assignment_type": "individual",
        "owner": student,
        "submission": run.get("SUBMISSION_TAG", ""),
        "commit": run.get("COMMIT_URL", ""),
        "release": run.get("RELEASE_URL", ""),
        "review": run.get("REVIEW_URL") or run.get("COMMIT_URL", ""),
        "datetime": _time(record.submitted_at or record.graded_at),
        "graded_at": _time(record.graded_at),
        "score": _whole(mark.score, scale),
        "max-score": _whole(record.max_score, scale),
        "tests": [_test(*parts, scale) for task in record.tasks for parts in _parts(task, mark)],
    }
    if run.get("GITHUB_ACTOR_ID", "").isdecimal():
        result["submitted_by"] = {"username": run.get("GITHUB_ACTOR", student), "id": int(run["GITHUB_ACTOR_ID"])}
    return as_json(result)


def scale_of(records: list[Record], marks: Mapping[str, Mark]) -> int:
    """Return the smallest whole number that makes all points and scores of the class whole."""
    values = [part for record in records for task in record.tasks for _, *part in _parts(task, marks[record.student])]
    flat = [value for part in values for value in part] + [mark.score or 0.0 for mark in marks.values()]
    return math.lcm(1, *(Fraction(value).limit_denominator(FINEST).denominator for value in flat))


def _parts(task: TaskResult, mark: Mark) -> Iterator[tuple[str, float, float]]:
    final = mark.tasks.get(task.name, task.score)
    if final is None or by_person(task, mark) or not task.groups:
        yield task.name, final or 0.0, task.points
        return
    yield from ((f"{task.name}: {group.sentence}", group.earned, group.points) for group in task.groups)


def _test(name: str, score: float, most: float, scale: int) -> dict[str, Any]:
    return {
        "test-name": name,
        "passed": score >= most,
        "score": _whole(score, scale),
        "max-score": _whole(most, scale),
    }


def _whole(points: float, scale: int) -> int:
    return round(points * scale)


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
