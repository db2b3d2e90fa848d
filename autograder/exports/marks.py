"""The final mark of a student: manual marks, extra credit and late penalty included."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from autograder.report import TOLERANCE, Record, TaskResult


@dataclass(frozen=True)
class Mark:
    """Hold one student's final mark in points; a score of None is "not graded", which is not 0.

    `tasks` holds what each task earns in the end, None where that is not known; times are in UTC.
    """

    student: str
    assignment: str
    max_score: float
    raw: float | None = None
    penalty: float | None = None
    last_name: str | None = None
    first_name: str | None = None
    email: str | None = None
    due: datetime | None = None
    handed_in: datetime | None = None
    tasks: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def score(self) -> float | None:
        """Return the points that count; a penalty never takes more than there is."""
        return None if self.raw is None else max(0.0, self.raw - (self.penalty or 0.0))

    @property
    def waiting(self) -> list[str]:
        """Return the tasks of a graded hand-in that have no score yet."""
        return [] if self.raw is None else [name for name, score in self.tasks.items() if score is None]

    @property
    def final(self) -> float | None:
        """Return the score, None while a task still waits for its own."""
        return None if self.waiting else self.score


def mark_of(record: Record) -> Mark:
    """Return the mark as far as the record knows it, without a gradebook."""
    return Mark(
        student=record.student,
        assignment=record.assignment,
        max_score=record.max_score,
        raw=record.score,
        penalty=None if record.score is None else 0.0,
        handed_in=record.submitted_at,
        tasks={task.name: task.score for task in record.tasks},
    )


def with_marks(records: Sequence[Record], known: Mapping[str, Mark]) -> dict[str, Mark]:
    """Return a mark for every student: the gradebook's where it has a hand-in, else the record's."""
    marks = {record.student: mark_of(record) for record in records}
    return {**marks, **{name: mark for name, mark in known.items() if mark.tasks or name not in marks}}


def by_person(task: TaskResult, mark: Mark) -> bool:
    """Tell whether the final score of the task is another than the graders gave."""
    final = mark.tasks.get(task.name, task.score)
    return final is not None and (task.score is None or abs(final - task.score) > TOLERANCE)
