"""Grade a class: spread its hand-ins over processes and hand back records as they come."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
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
from autograder.sandbox.workers import Limits, Zygote, adopt, cool, warm

__all__ = ["Limits", "check_ready", "grade_class", "keep_to_core", "local_pool"]

LARGEST_BATCH = 20


def grade_class(
    assignment: Assignment, hand_ins: Sequence[HandIn], *, reports: Path, pool: Executor, jobs: int, limits: Limits,
    isolation: Isolation, on_record: Callable[[Record], None],
) -> list[Record]:  # fmt: skip
    """Grade every hand-in in the pool, after `check_ready`; `on_record` is called as batches end."""
    records: dict[str, Record] = {}
    work = partial(_grade_batches, assignment, reports, limits, isolation, records, on_record)
    again = work(pool, _batches(hand_ins, jobs))
    while again:  # one of them took its process, and with it the pool, down
        with local_pool(jobs, isolation, limits) as another:
            again = work(another, again)
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
    assignment: Assignment, reports: Path, limits: Limits, isolation: Isolation, records: dict[str, Record],
    on_record: Callable[[Record], None], pool: Executor, batches: Sequence[Sequence[HandIn]],
) -> list[Sequence[HandIn]]:  # fmt: skip
    """Run the batches; return, one by one, the hand-ins of those that took a process down with them."""
    again: list[Sequence[HandIn]] = []
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


@contextmanager
def local_pool(jobs: int, isolation: Isolation, limits: Limits) -> Iterator[Executor]:
    """Start processes that grade, each with a warm zygote on a core of its own; ask for it before starting threads.

    Forks start in no time, but a fork of a process with threads may stop for ever: then each process starts afresh.
    """
    if threading.active_count() > 1:
        cool()  # the one that tried the isolation is of no use to them
        context: Any = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, context, _settle, (context.Value("i", 0),)) as pool:
            yield pool
        return
    context = multiprocessing.get_context("fork")
    twins = [warm(isolation.level).twin(limits, place + 1, _core(place)) for place in range(jobs)]
    try:
        with ProcessPoolExecutor(jobs, context, _settle, (context.Value("i", 0), twins, isolation, limits)) as pool:
            pool.submit(int).result()  # now all processes are forked
            yield pool
    finally:
        for twin in twins:
            twin.let_go()
        cool()


def _settle(started: Any, twins: Sequence[Zygote] = (), isolation: Any = None, limits: Any = None) -> None:
    """Prepare a process of the pool: on a core of its own, and gone as soon as the one that started it is gone.

    Waking another core costs more than most calls, so the zygote and its workers are on that core, too.
    """
    _end_with_parent()
    with started.get_lock():
        place, started.value = started.value, started.value + 1
    if twins:
        adopt(twins[place], isolation.level, limits)
        for other in {*range(len(twins))} - {place}:
            twins[other].let_go()
    keep_to_core(place)


def keep_to_core(place: int) -> None:
    """Keep this process, and what it starts from now on, on one core, where the system can."""
    if core := _core(place):
        os.sched_setaffinity(0, core)


def _core(place: int) -> list[int]:
    """Return the core of the process at this place, nothing where that cannot be chosen."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return [cores[place % len(cores)]] if cores else []


def _end_with_parent() -> None:
    """Have this process end even if its parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()


def _leave_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
