"""The late-penalty plugin that nbgrader_config.py names."""

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float

from autograder.host.penalties import penalty


class LatePenalty(LateSubmissionPlugin):  # type: ignore[misc]
    """Take a share of the score for each started day; a grace period and a limit are traits."""

    grace_minutes = Float(0.0, min=0.0, help="Minutes after the deadline that cost nothing.").tag(config=True)
    percent_per_day = Float(0.0, min=0.0, help="Per cent of the score for each started day.").tag(config=True)
    most_percent = Float(100.0, min=0.0, max=100.0, help="The most that it can cost, in per cent.").tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """Return the points to take off, None when there are none."""
        points = penalty(
            score,
            total_seconds_late,
            percent_per_day=self.percent_per_day,
            most_percent=self.most_percent,
            grace_minutes=self.grace_minutes,
        )
        return points or None
