"""Grade a class: spread its hand-ins over processes and hand back records as they come."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from autograder.course import Assignment, check_assignment
from autograder.grading.batch import grade_batch, ungraded
from autograder.grading.reference import load_reference
from autograder.grading.seeds import course_secret
from autograder.intake import HandIn
from autograder.report import Finding, Record, record_path, write_record
from autograder.sandbox.levels import Isolation
from autograder.sandbox.workers import Limits

__all__ = ["Limits", "check_ready", "grade_class"]

LARGEST_BATCH = 20


def grade_class(
    assignment: Assignment, hand_ins: Sequence[HandIn], *, reports: Path, jobs: int, limits: Limits,
    isolation: Isolation, on_record: Callable[[Record], None],
) -> list[Record]:  # fmt: skip
    """Grade every hand-in, after `check_ready`; `on_record` is called as batches end."""
    todo = _batches(hand_ins, jobs)
    records: dict[str, Record] = {}
    while todo:
        todo = _grade_batches(assignment, todo, reports, jobs, limits, isolation, records, on_record)
    return [records[hand_in.student] for hand_in in hand_ins]


def check_ready(assignment: Assignment) -> None:
    """Refuse to start with graders, points and reference that do not fit together."""
    check_assignment(assignment)
    load_reference(assignment)
    course_secret(assignment.root)


def _batches(hand_ins: Sequence[HandIn], jobs: int) -> list[Sequence[HandIn]]:
    size = max(1, min(LARGEST_BATCH, -(-len(hand_ins) // (jobs * 3))))
    return [hand_ins[i : i + size] for i in range(0, len(hand_ins), size)]


def _grade_batches(
    assignment: Assignment, batches: Sequence[Sequence[HandIn]], reports: Path, jobs: int, limits: Limits,
    isolation: Isolation, records: dict[str, Record], on_record: Callable[[Record], None],
) -> list[Sequence[HandIn]]:  # fmt: skip
    """Run the batches in one pool; return, one by one, the hand-ins of those that took a process down with them."""
    again: list[Sequence[HandIn]] = []
    with _pool(jobs) as pool:
        running = {pool.submit(grade_batch, assignment, batch, reports, limits, isolation): batch for batch in batches}
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                batch = running.pop(future)
                try:
                    graded = future.result()
                except BrokenProcessPool:
                    graded = [_give_up(assignment, isolation, batch[0], reports)] if len(batch) == 1 else []
                    again += [[hand_in] for hand_in in batch] if len(batch) > 1 else []
                for record in graded:
                    records[record.student] = record
                    on_record(record)
    return again


def _give_up(assignment: Assignment, isolation: Isolation, hand_in: HandIn, reports: Path) -> Record:
    """Record that grading this hand-in took its process down, twice."""
    sentence = "Grading this notebook ended the grading process, twice; it was given up."
    finding = Finding(code="given_up", sentence=sentence, remedy="Look at the notebook by hand.", review=True)
    record = ungraded(assignment, isolation, hand_in, "not graded", finding)
    write_record(record_path(reports, assignment.name, hand_in.student), record)
    return record


def _pool(jobs: int) -> Executor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, context, initializer=_settle, initargs=(context.Value("i", 0),))


def _settle(started: Any) -> None:
    """Prepare a process of the pool: on a core of its own, and gone as soon as the one that started it is gone."""
    _end_with_parent()
    _keep_to_one_core(started)


def _keep_to_one_core(started: Any) -> None:
    """Keep this process, its zygote and its workers on one core: waking another one costs more than most calls."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        with started.get_lock():
            number, started.value = started.value, started.value + 1
        os.sched_setaffinity(0, {cores[number % len(cores)]})


def _end_with_parent() -> None:
    """Have this process end even if its parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()


def _leave_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
