"""Print where the time of one hand-in goes, in one process on one core: fork, cells, calls, judging, record.

Run from anywhere: `.venv/bin/python tests/benchmarks/split.py --count 30`. Start-up is not part of it.
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import throughput
from rich.console import Console
from rich.table import Table

from autograder.course import Course
from autograder.grading import batch
from autograder.intake import find_hand_ins
from autograder.sandbox.levels import choose
from autograder.sandbox.workers import Limits, Worker, Zygote

PARTS = {
    "fork": "fork a worker, confine it, end it",
    "cell": "run the student's cells",
    "calls": "call the student's functions (many calls in one go)",
    "call": "call the student's functions (one by one, those that call back included)",
    "value": "read the student's variables",
    "record": "write the record to the disk",
}


class Clock:
    """Add up the seconds and the number of calls of functions that it is put around."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.count: Counter[str] = Counter()

    def around(self, function: Callable[..., Any], part: Callable[..., str]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            name, before = part(*args), time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[name] += time.perf_counter() - before
                self.count[name] += 1

        return timed


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=30, help="how many hand-ins (default: %(default)s)")
    count = parser.parse_args().count
    os.environ["AUTOGRADER_SECRET"] = "a secret for the benchmark alone"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    assignment = Course.find(throughput.ROOT).assignment(throughput.ASSIGNMENT)
    with tempfile.TemporaryDirectory(prefix="split-") as folder:
        throughput.hand_in(Path(folder, "submitted"), count)
        hand_ins = find_hand_ins(Path(folder, "submitted"), assignment.name, None)
        grade = (assignment, hand_ins, Path(folder, "reports"), Limits(), choose())
        batch.grade_batch(assignment, hand_ins[:2], *grade[2:])  # warm up
        clock = Clock()
        Worker.ask = clock.around(Worker.ask, lambda worker, op, *rest: op)  # type: ignore[method-assign]
        Zygote.fork = clock.around(Zygote.fork, lambda *_: "fork")  # type: ignore[method-assign]
        Zygote.end = clock.around(Zygote.end, lambda *_: "fork")  # type: ignore[method-assign]
        batch.write_record = clock.around(batch.write_record, lambda *_: "record")
        before = time.perf_counter()
        batch.grade_batch(*grade)
        total = time.perf_counter() - before
    show(clock, total, count)


def show(clock: Clock, total: float, count: int) -> None:
    table = Table(title=f"One hand-in of {throughput.ASSIGNMENT}: {1000 * total / count:.0f} ms on one core")
    for column in ("part", "times", "ms", "share"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for name, words in PARTS.items():
        seconds = clock.seconds[name]
        table.add_row(
            words, f"{clock.count[name] / count:.1f}", f"{1000 * seconds / count:.1f}", f"{seconds / total:.0%}"
        )
    rest = total - sum(clock.seconds[name] for name in PARTS)
    table.add_row("draw inputs, compare, judge, diagnose", "", f"{1000 * rest / count:.1f}", f"{rest / total:.0%}")
    Console(width=None if os.isatty(1) else 110).print(table)


if __name__ == "__main__":
    main()
