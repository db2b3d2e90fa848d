"""Parquet for statistics: a row for each student, task and group; needs the extra `parquet`."""

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograder.errors import AutograderError
from autograder.exports.marks import Mark
from autograder.report import GroupResult, Record, TaskResult

COLUMNS = {
    "student": "string",
    "assignment": "string",
    "status": "string",
    "submitted_at": "timestamp",
    "graded_at": "timestamp",
    "mark": "double",  # the final points, manual marks, extra credit and penalty included; null: not graded
    "penalty": "double",
    "max_mark": "double",
    "task": "string",
    "task_points": "double",
    "task_score": "double",  # null: not judged, or waiting for a person
    "manual": "bool",
    "followed_through": "bool",
    "diagnosis": "strings",  # ids of the misconceptions
    "group": "string",
    "sentence": "string",
    "group_points": "double",
    "group_earned": "double",
    "verdict": "string",
}


def export(records: Iterable[Record], marks: Mapping[str, Mark]) -> bytes:
    """Return a Parquet file; a task without groups has one row whose group is null, a record without tasks too."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise AutograderError("Parquet needs pyarrow.", "Run: pip install 'qkv-autograder[parquet]'") from None
    kinds = {
        "string": arrow.string(), "double": arrow.float64(), "bool": arrow.bool_(),
        "timestamp": arrow.timestamp("us", "UTC"), "strings": arrow.list_(arrow.string()),
    }  # fmt: skip
    schema = arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    rows = [row for record in records for row in _rows(record, marks[record.student])]
    buffer = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), buffer)
    return buffer.getvalue()


def _rows(record: Record, mark: Mark) -> Iterator[dict[str, Any]]:
    about = {
        "student": record.student, "assignment": record.assignment, "status": record.status,
        "submitted_at": record.submitted_at, "graded_at": record.graded_at,
        "mark": mark.score, "penalty": mark.penalty, "max_mark": mark.max_score,
    }  # fmt: skip
    for task in record.tasks:
        for group in task.groups or (None,):
            yield about | _task(task, mark) | _group(group)
    if not record.tasks:
        yield about


def _task(task: TaskResult, mark: Mark) -> dict[str, Any]:
    return {
        "task": task.name, "task_points": task.points, "task_score": mark.tasks.get(task.name, task.score),
        "manual": task.manual, "followed_through": task.followed_through,
        "diagnosis": [found.id for found in task.diagnosis],
    }  # fmt: skip


def _group(group: GroupResult | None) -> dict[str, Any]:
    if group is None:
        return {}
    return {
        "group": group.name, "sentence": group.sentence, "group_points": group.points,
        "group_earned": group.earned, "verdict": group.verdict,
    }  # fmt: skip
