"""Say what a behaviour group is, and collect what it has to say beside its verdict."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from autograder.grading.bank import Fault

Grader = TypeVar("Grader", bound=Callable[..., Any])


@dataclass(frozen=True)
class Group:
    """Name one behaviour in a plain sentence, which is what a student reads, and its points.

    A conditional group pays only when an unconditional group of its task passed. A fresh one gets a new worker. The
    calls of one without `replay` are large: they are not tried on the bank of misconceptions, a timeout counts in this
    group only, and what the task builds on may get large inputs too, so it must not square them.
    """

    sentence: str
    points: float
    conditional: bool = False
    fresh: bool = False
    replay: bool = True


class Mismatch(AssertionError):
    """Tell the student in one sentence what did not fit; never give away an input or an expected number."""

    @property
    def sentence(self) -> str:
        """Return the student-facing sentence."""
        return str(self)


@dataclass
class Remarks:
    """Hold what graders remark: notes for the student, reviews for the instructor, beliefs met; each once."""

    notes: list[str] = field(default_factory=list)
    reviews: list[str] = field(default_factory=list)
    beliefs: list[Fault] = field(default_factory=list)


_remarks: ContextVar[Remarks | None] = ContextVar("remarks", default=None)


def group(
    sentence: str, points: float, conditional: bool = False, fresh: bool = False, replay: bool = True
) -> Callable[[Grader], Grader]:
    """Mark a grader function as the behaviour group `sentence`, worth `points`."""

    def mark(function: Grader) -> Grader:
        function.group = Group(sentence, points, conditional, fresh, replay)  # type: ignore[attr-defined]
        return function

    return mark


@contextmanager
def collect_remarks() -> Iterator[Remarks]:
    """Collect the notes and reviews that are made inside the block."""
    remarks = Remarks()
    token = _remarks.set(remarks)
    try:
        yield remarks
    finally:
        _remarks.reset(token)


@contextmanager
def collect_notes() -> Iterator[list[str]]:
    """Collect only the notes that are made inside the block."""
    with collect_remarks() as remarks:
        yield remarks.notes


def note(sentence: str) -> None:
    """Tell the student something that costs nothing; outside a collecting block it is dropped."""
    remarks = _remarks.get()
    if remarks is not None and sentence not in remarks.notes:
        remarks.notes.append(sentence)


def review(sentence: str) -> None:
    """Ask a person to look at this submission; outside a collecting block it is dropped."""
    remarks = _remarks.get()
    if remarks is not None and sentence not in remarks.reviews:
        remarks.reviews.append(sentence)


def believe(belief: Fault) -> None:
    """Name the belief that a chosen answer stands for; it is the diagnosis of a task that loses points."""
    remarks = _remarks.get()
    if remarks is not None and belief not in remarks.beliefs:
        remarks.beliefs.append(belief)
