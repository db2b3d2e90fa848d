"""Read what the audit tries on the graders: known answers, the tasks' own cells, the names that they define."""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

from autograder.course import Assignment, Task, is_solution, load_grader, nbgrader_metadata, read_cells
from autograder.course import source_text as text_of
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


def answer_cells(assignment: Assignment, task: Task) -> dict[str, str]:
    """Return the solution cells of a task as {grade_id: text}: those named <task>-... above its check."""
    cells = read_cells(assignment.source, "Restore it.")
    found = {nbgrader_metadata(cell)["grade_id"]: text_of(cell) for cell in cells if is_solution(cell)}
    own = {name: text for name, text in found.items() if name.startswith(f"{task.name}-")}
    if not own:
        raise CourseError(
            f"{assignment.source}: the task {task.name!r} has no answer cell.",
            f"Give its solution cell the grade_id {task.name}-answer.",
        )
    return own


def automatic_tasks(assignment: Assignment) -> list[Task]:
    """Return the tasks that the graders grade."""
    return [task for task in assignment.tasks if not task.manual]


def defined_names(text: str) -> list[str]:
    """Return the names that a cell defines at its top level, in order."""
    return list(dict.fromkeys(name for statement in ast.parse(text).body for name in _names(statement)))


def own_names(assignment: Assignment, task: Task) -> list[str]:
    """Return the names that a task's answer cells define, helpers included."""
    return [name for text in answer_cells(assignment, task).values() for name in defined_names(text)]


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
