"""Grade one notebook again each time it is saved, with everything warm: for a demonstration, or a puzzled assistant."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from autograder.course import Assignment
from autograder.grading.batch import make_bench, read_submission, run_graders
from autograder.grading.plugin import GradingPlugin
from autograder.grading.submission import Submission
from autograder.intake import HandIn
from autograder.report import Record
from autograder.sandbox.levels import Isolation
from autograder.sandbox.workers import Limits

SECONDS_BETWEEN_LOOKS = 0.02

Stamp = tuple[int, int]


def watch(
    assignment: Assignment, path: Path, student: str, isolation: Isolation, limits: Limits,
    on_record: Callable[[Record, float], None], ended: Callable[[], bool] = lambda: False,
) -> None:  # fmt: skip
    """Call `on_record` with the record and the seconds that it took, now and after each save, until `ended`."""
    bench = make_bench(assignment, limits, isolation)
    began = 0.0

    def submissions() -> Iterator[Submission]:
        nonlocal began
        for stamp in _saves(path, ended):
            began = time.perf_counter()
            when = datetime.fromtimestamp(stamp[0] / 1e9, UTC)
            read = read_submission(bench, HandIn(student, assignment.name, path, when))
            if isinstance(read, Record):
                on_record(read, time.perf_counter() - began)
            else:
                yield read

    def end(submission: Submission) -> None:
        on_record(submission.record(), time.perf_counter() - began)
        submission.close()

    run_graders(assignment, GradingPlugin(submissions(), end))


def _saves(path: Path, ended: Callable[[], bool]) -> Iterator[Stamp]:
    """Yield when the file was written and how long it is, each time that this has changed; a missing file waits."""
    seen: Stamp | None = None
    while not ended():
        try:
            status = path.stat()
        except OSError:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            continue
        stamp = status.st_mtime_ns, status.st_size
        if stamp == seen:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            continue
        seen = stamp
        yield stamp
