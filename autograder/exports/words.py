"""The student-facing words that several formats share; hidden inputs and output tails are never among them."""

import json
from collections.abc import Iterator
from typing import Any

from autograder.report import GroupResult, Record, TaskResult
from autograder.terminal import explanations, number, plain

BY_PERSON = "Marked by a person."
WAITS = "Waits for a manual mark."
NOT_JUDGED = "Not judged."


def group_text(group: GroupResult) -> str:
    """Return a group's message and notes, one a line."""
    return plain("\n".join(filter(None, (group.message, *(f"Note: {note}" for note in group.notes)))))


def task_text(task: TaskResult) -> str:
    """Return what explains a task's result."""
    return plain("\n".join(explanations(task)))


def findings(record: Record) -> list[str]:
    """Return the remarks on the file, each with its remedy."""
    return [plain(" ".join(filter(None, (one.sentence, one.remedy)))) for one in record.findings]


def heading(record: Record, score: float | None, waiting: list[str]) -> str:
    """Return one sentence on the whole, then the remarks on the file."""
    return "\n".join(_heading(record, score, waiting))


def _heading(record: Record, score: float | None, waiting: list[str]) -> Iterator[str]:
    if score is None:
        why = "" if record.status == "not graded" else f" ({record.status})"
        yield f"Not graded{why}. This is not a score of 0: your instructor will look at it."
    else:
        yield f"{number(score)} of {number(record.max_score)} points."
    if waiting:
        yield f"Still waiting for a mark: {plain(', '.join(waiting))}."
    yield from findings(record)


def as_json(value: Any) -> bytes:
    """Return the value as indented JSON in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode("utf-8", "replace")
