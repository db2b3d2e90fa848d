"""Late work: instants and not clock faces, the usual policies, and a real gradebook."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from test_gradebook import assignment, gradebook, record, template, url  # noqa: F401  (fixtures)

from autograder.course import Assignment
from autograder.errors import AutograderError
from autograder.host.gradebook import fill_gradebook, set_deadline
from autograder.host.penalties import days_late, deadline, penalty
from autograder.intake import parse_timestamp

ROOT = Path(__file__).resolve().parents[1]
DAY = 86_400


@pytest.mark.parametrize(("due", "zone", "submitted", "late"), [
    ("2024-03-31T03:30:00+02:00", "Europe/Berlin", "2024-03-31T01:29:59Z", 0),
    ("2024-10-27T02:30:00+01:00", "Europe/Berlin", "2024-10-27T02:45:00+02:00", 0),
    ("2024-11-03T23:59:00", "America/New_York", "2024-11-04T04:58:59Z", 0),
    ("2024-11-03T23:59:00", "America/New_York", "2024-11-04T04:59:01Z", 1),
    ("2024-05-01T12:00:00Z", "UTC", "2024-05-01 12:00:30.500000 UTC", 30.5),
    ("2024-05-01T12:00:00Z", "UTC", "", None),
])  # fmt: skip
def test_lateness_compares_instants(
    assignment: Assignment, due: str, zone: str, submitted: str, late: float | None  # noqa: F811
) -> None:
    set_deadline(url(assignment), assignment, deadline(due, ZoneInfo(zone)))
    found = fill_gradebook(
        url(assignment), assignment, [record("ann", {"softmax": 8}, submitted_at=parse_timestamp(submitted))]
    )
    assert [one.seconds for one in found] == ([late] if late else [])
    with gradebook(assignment) as opened:
        submission = opened.find_submission("week", "ann")
        assert submission.total_seconds_late == (late or 0)
        assert (submission.timestamp is None) == (late is None)


@pytest.mark.parametrize(("seconds", "grace", "days"), [
    (0, 0, 0), (0.5, 0, 1), (DAY, 0, 1), (DAY + 1, 0, 2), (900, 15, 0), (901, 15, 1), (DAY + 1, 15, 2),
])  # fmt: skip
def test_started_days_count_and_grace_forgives(seconds: float, grace: float, days: int) -> None:
    assert days_late(seconds, grace) == days


@pytest.mark.parametrize(("days", "most", "points"), [(1, 100, 1), (3, 100, 3), (3, 25, 2.5), (30, 100, 10)])
def test_a_penalty_is_a_share_of_the_score_up_to_a_limit(days: int, most: float, points: float) -> None:
    assert penalty(10, days * DAY, percent_per_day=10, most_percent=most) == points


def policy(assignment: Assignment, lines: str) -> None:  # noqa: F811
    path = assignment.root / "nbgrader_config.py"
    path.write_text(path.read_text(encoding="utf-8") + lines, encoding="utf-8")


def test_the_policy_of_the_configuration_reaches_the_gradebook(assignment: Assignment) -> None:  # noqa: F811
    due = datetime(2026, 3, 1, 12, tzinfo=UTC)
    late = record("ann", {"softmax": 8, "attend": 2}, submitted_at=datetime(2026, 3, 2, 13, tzinfo=UTC))
    policy(assignment, "c.LatePenalty.percent_per_day = 10\n")
    set_deadline(url(assignment), assignment, due)

    def points() -> float:
        fill_gradebook(url(assignment), assignment, [late])
        with gradebook(assignment) as opened:
            return float(opened.find_submission("week", "ann").late_submission_penalty)

    assert points() == 2
    set_deadline(url(assignment), assignment, due.replace(day=2))
    assert points() == 1
    set_deadline(url(assignment), assignment, due.replace(day=2, hour=13), student="ann")
    assert points() == 0
    with gradebook(assignment) as opened:
        opened.find_submission("week", "ann").extension = None
        opened.db.commit()
    set_deadline(url(assignment), assignment, due.replace(day=3))
    assert points() == 0


def test_another_plugin_of_nbgraders_is_used_as_it_is(assignment: Assignment) -> None:  # noqa: F811
    policy(assignment, (
        "c.AssignLatePenalties.plugin_class = 'nbgrader.plugins.LateSubmissionPlugin'\n"
        "c.LateSubmissionPlugin.penalty_method = 'zero'\n"))  # fmt: skip
    set_deadline(url(assignment), assignment, datetime(2026, 3, 1, tzinfo=UTC))
    [late] = fill_gradebook(
        url(assignment), assignment, [record("ann", {"softmax": 8}, submitted_at=datetime(2026, 3, 2, tzinfo=UTC))]
    )
    assert (late.points, late.seconds, late.deadline) == (8, DAY, datetime(2026, 3, 1, tzinfo=UTC))


def test_what_is_no_deadline_is_said(assignment: Assignment, tmp_path: Path) -> None:  # noqa: F811
    with pytest.raises(AutograderError, match="no date and time"):
        deadline("next Friday")
    with pytest.raises(AutograderError, match="no earlier deadline"):
        set_deadline(url(assignment), assignment, datetime(2026, 3, 1, tzinfo=UTC), student="ann")


def test_the_command_sets_the_date_that_nbgrader_shows(assignment: Assignment) -> None:  # noqa: F811
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def autograder(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "autograder", *arguments]
        return subprocess.run(command, cwd=assignment.root, capture_output=True, text=True, env=environment)

    done = autograder("deadline", "week", "2026-03-31 23:59", "--zone", "Europe/Berlin")
    assert (done.returncode, done.stdout) == (0, "week is due 2026-03-31 21:59:00 UTC\n"), done.stderr
    with gradebook(assignment) as opened:
        assert opened.find_assignment("week").duedate == datetime(2026, 3, 31, 21, 59)
    done = autograder("deadline", "week", "2026-03-31 23:59", "--zone", "Europe/Atlantis")
    assert done.returncode == 2 and "no time zone 'Europe/Atlantis'" in done.stderr
