"""Gradescope's results.json: one hand-in, what the student may read, never a hidden test (that hides the total)."""

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.exports.marks import Mark, by_person
from autograder.exports.words import BY_PERSON, NOT_JUDGED, WAITS, as_json, group_text, heading, task_text
from autograder.report import GroupResult, Record, TaskResult


def export(record: Record, mark: Mark, remarks: Sequence[str] = ()) -> bytes:
    """Return results.json; a hand-in that was not graded, and a task that waits, have no score at all.

    `remarks` are further sentences for the student, shown above the tests.
    """
    result: dict[str, Any] = {
        "output": "\n".join((heading(record, mark.score, mark.waiting), *remarks)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test for number, task in enumerate(record.tasks, 1) for test in _tests(number, task, mark)],
        "extra_data": _for_instructors(record),
    }
    if mark.score is not None:
        result["score"] = round(mark.score, 9)
    return as_json(result)


def _for_instructors(record: Record) -> dict[str, Any]:
    return {
        "status": record.status,
        "needs_a_look": record.needs_a_look,
        "isolation": record.isolation,
        "isolation_missing": record.isolation_missing,
        "submission_sha256": record.submission_sha256,
        "grader_version": record.grader_version,
        "seed": record.seed,
    }


def _tests(number: int, task: TaskResult, mark: Mark) -> Iterator[dict[str, Any]]:
    final = mark.tasks.get(task.name, task.score)
    if by_person(task, mark) or final is None or not task.groups:
        yield _whole(number, task, final, BY_PERSON if by_person(task, mark) else None)
        return
    for place, group in enumerate(task.groups, 1):
        yield _group(f"{number}.{place}", task, group, task_text(task) if place == 1 else "")


def _whole(number: int, task: TaskResult, score: float | None, remark: str | None) -> dict[str, Any]:
    text = (WAITS if task.manual else NOT_JUDGED) if score is None else remark or ""
    test: dict[str, Any] = {
        "name": task.name,
        "number": str(number),
        "output": "\n".join(filter(None, (text, task_text(task)))),
    }
    test |= {"tags": [task.name], "visibility": "visible"}
    if score is None:
        return test
    status = "passed" if score >= task.points else "failed"
    return {**test, "score": score, "max_score": task.points, "status": status}


def _group(number: str, task: TaskResult, group: GroupResult, more: str) -> dict[str, Any]:
    return {
        "name": f"{task.name}: {group.sentence}",
        "number": number,
        "score": group.earned,
        "max_score": group.points,
        "status": "passed" if group.verdict == "passed" else "failed",
        "output": "\n".join(filter(None, (group_text(group), more))),
        "tags": [task.name],
        "visibility": "visible",
    }
