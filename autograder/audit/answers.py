"""Read what the audit tries on the graders: answers that are known to be right or wrong."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

from autograder.course import Assignment, load_grader
from autograder.errors import CourseError
from autograder.grading.batch import ANSWERS

Drawn = Callable[[str, SimpleNamespace, str], dict[str, str]]


def _nothing_drawn(task: str, reference: SimpleNamespace, owner: str) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Answers:
    """Hold the known answers to an assignment; each answer is the text that replaces a task's answer cells.

    `right` is {task: {style: text}}; `noted` the (task, style) pairs that are accepted with a note; `wrong` is
    {task: {name: (groups that must fail, text)}}; `equivalent` is {task: {changed line: why it is right}};
    `repeated` is {task: why its visible examples may be graded too}; `drawn(task, reference, owner)` adds right answers
    that depend on the student.
    """

    right: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    noted: Collection[tuple[str, str]] = ()
    wrong: Mapping[str, Mapping[str, tuple[tuple[str, ...], str]]] = field(default_factory=dict)
    equivalent: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    repeated: Mapping[str, str] = field(default_factory=dict)
    drawn: Drawn = _nothing_drawn

    def right_for(self, task: str, reference: SimpleNamespace, owner: str) -> dict[str, str]:
        """Return every right answer to a task, those drawn for `owner` included."""
        return {**self.right.get(task, {}), **self.drawn(task, reference, owner)}


def load_answers(assignment: Assignment) -> Answers:
    """Read the assignment's answers.py."""
    path = assignment.graders / ANSWERS
    if not path.is_file():
        raise CourseError(f"{assignment.name} has no known answers.", f"Write RIGHT, NOTED and WRONG to {path}.")
    module = load_grader(assignment, path)
    return Answers(
        right=_table(module, "RIGHT"), noted=getattr(module, "NOTED", ()), wrong=_table(module, "WRONG"),
        equivalent=_table(module, "EQUIVALENT"), repeated=_table(module, "REPEATED"),
        drawn=getattr(module, "drawn", _nothing_drawn),
    )  # fmt: skip


def _table(module: ModuleType, name: str) -> dict[str, Any]:
    table: dict[str, Any] = getattr(module, name, {})
    return table
