"""Take points off for late work: a ready policy for nbgrader, and the one place where penalties are written."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course import CONFIG
from autograder.errors import AutograderError
from autograder.report import Record

if TYPE_CHECKING:
    from nbgrader.preprocessors import AssignLatePenalties

DAY = 24 * 60 * 60


def days_late(seconds: float, grace_minutes: float = 0.0) -> int:
    """Return the started days; none within the grace period, after which days count from the deadline."""
    return 0 if seconds <= grace_minutes * 60 else math.ceil(seconds / DAY)


def penalty(
    score: float, seconds: float, *, percent_per_day: float, most_percent: float = 100.0, grace_minutes: float = 0.0
) -> float:
    """Return the points to take off a score: so much of it for each started day, up to a limit."""
    percent = min(days_late(seconds, grace_minutes) * percent_per_day, most_percent, 100.0)
    return round(score * percent / 100.0, 9)


def deadline(text: str, zone: tzinfo | None = None) -> datetime:
    """Return a deadline as UTC; one without a zone is the clock of `zone`, else of this computer."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise AutograderError(f"{text!r} is no date and time.", "Write it like 2026-03-31 23:59.") from None


@dataclass(frozen=True)
class Late:
    """Say by how much a hand-in was late, against which deadline (extension included), and what that cost."""

    student: str
    seconds: float
    deadline: datetime
    points: float


class Penalties:
    """Set late penalties by the plugin that the course's configuration names; it is loaded for the first late one."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def assign_all(self, gradebook: Any, assignment: str, records: Sequence[Record]) -> list[Late]:
        """Set the penalties of those of the records that are late; the others have none to begin with."""
        due = gradebook.find_assignment(assignment).duedate
        times = {record.student: record.submitted_at for record in records if due is not None and record.submitted_at}
        late = [student for student, time in times.items() if time.replace(tzinfo=None) > due]
        assigned = (self.assign(gradebook.find_submission(assignment, student)) for student in late)
        return [one for one in assigned if one is not None]

    def assign(self, submission: Any) -> Late | None:
        """Set the penalty of each notebook anew; what is on time, or has no known time, has none."""
        seconds = submission.total_seconds_late
        for notebook in submission.notebooks:
            notebook.late_submission_penalty = self._points(submission, notebook, seconds) if seconds > 0 else None
        if not seconds > 0:
            return None
        points = sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks)
        return Late(submission.student.id, seconds, submission.duedate.replace(tzinfo=UTC), points)

    def _points(self, submission: Any, notebook: Any, seconds: float) -> float | None:
        points = self._assigner.plugin_inst.late_submission_penalty(submission.student.id, notebook.score, seconds)
        return None if points is None else float(self._assigner._check_late_penalty(notebook, points))

    @cached_property
    def _assigner(self) -> "AssignLatePenalties":
        """Return nbgrader's own assigner of penalties, set up as the course says."""
        from nbgrader.preprocessors import AssignLatePenalties
        from traitlets.config.loader import PyFileConfigLoader

        assigner = AssignLatePenalties(config=PyFileConfigLoader(CONFIG, path=str(self._root)).load_config())
        assigner.init_plugin()
        return assigner
