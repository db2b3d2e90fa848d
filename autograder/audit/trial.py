"""Try an answer on the graders of one task, through the real sandbox and the real verdicts."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.audit.bankstudent import BankNotebook
from autograder.course import Assignment, Task, answer_cells, is_check, nbgrader_metadata, read_cells, source_text
from autograder.grading.bank import Model
from autograder.grading.batch import make_bench, run_graders
from autograder.grading.plugin import GradingPlugin, judge, task_name
from autograder.grading.submission import Bench, Submission
from autograder.intake import Cell, HandIn, Notebook
from autograder.sandbox.levels import choose
from autograder.sandbox.student import Call
from autograder.sandbox.workers import Limits

OWNER = "ada"
LIMITS = Limits(cell_seconds=5.0, call_seconds=5.0, submission_seconds=40.0)


@dataclass(frozen=True)
class Verdict:
    """Hold what the graders said of one answer to one task."""

    points: float
    failed: frozenset[str]
    messages: Mapping[str, str]
    notes: frozenset[str]
    diagnosis: tuple[str, ...]
    reviews: tuple[str, ...]
    calls: Sequence[Call] = field(repr=False, default=())


@dataclass(frozen=True)
class Court:
    """Judge answers to one task by its collected groups; every seed draws other inputs."""

    bench: Bench
    task: Task
    items: Sequence[Any]

    @property
    def groups(self) -> dict[str, Any]:
        """Return the task's groups by the names of their functions."""
        return {item.name: item.obj.group for item in self.items}

    def own_cells(self) -> dict[str, str]:
        """Return the solution cells of the task."""
        return answer_cells(self.bench.assignment, self.task)

    def judge(self, cells: Mapping[str, str], seed: int) -> Verdict:
        """Judge the reference's notebook with these cells in place of its own."""
        return self._verdict(self._submission(notebook(self.bench.assignment, cells), seed))

    def judge_answer(self, text: str, seed: int) -> Verdict:
        """Judge a text that replaces all answer cells of the task."""
        return self.judge(self.in_place(text), seed)

    def judge_release(self, seed: int) -> Verdict:
        """Judge the notebook as students get it."""
        return self._verdict(self._submission(released(self.bench.assignment), seed))

    def judge_model(self, model: Model, faults: frozenset[str], seed: int) -> Verdict:
        """Judge a model of the bank in place of the student's function; it runs here, as the instructor's code."""
        submission = self._submission(notebook(self.bench.assignment, {}), seed)
        submission.own = BankNotebook(model, faults, vars(self.bench.reference), LIMITS)
        return self._verdict(submission)

    def in_place(self, text: str) -> dict[str, str]:
        """Return the task's cells with the text in the last one and nothing in the others."""
        *others, last = self.own_cells()
        return {**dict.fromkeys(others, ""), last: text}

    def submission(self, cells: Mapping[str, str], seed: int) -> Submission:
        """Return a hand-in that is the reference's notebook with these cells in place of its own."""
        return self._submission(notebook(self.bench.assignment, cells), seed)

    def _submission(self, file: Notebook, seed: int) -> Submission:
        bench = dataclasses.replace(self.bench, secret=f"audit {seed}".encode())
        return Submission(bench, HandIn(OWNER, bench.assignment.name, None, None), file)

    def _verdict(self, submission: Submission) -> Verdict:
        try:
            for item in self.items:
                judge(item, submission, "own")
            record = submission.record()
        finally:
            submission.close()
        result = next(task for task in record.tasks if task.name == self.task.name)
        failed = [group for group in result.groups if group.verdict == "failed"]
        return Verdict(
            points=result.score or 0.0,
            failed=frozenset(group.name for group in failed),
            messages={group.name: group.message for group in failed},
            notes=frozenset(note for group in result.groups for note in group.notes),
            diagnosis=tuple(found.id for found in result.diagnosis),
            reviews=tuple(finding.sentence for finding in submission.findings),
            calls=submission.calls.get((self.task.name, "own"), []),
        )  # fmt: skip


class _Hearing(GradingPlugin):
    """Hand the collected groups of one task to a function, in place of grading submissions."""

    def __init__(self, task: Task, work: Callable[[Sequence[Any]], None]) -> None:
        super().__init__([], lambda submission: None)
        self.task, self.work = task, work

    def pytest_runtestloop(self, session: Any) -> bool:
        """Let the function work with the task's groups."""
        self.work([item for item in session.items if task_name(item) == self.task.name])
        return True


def with_court(assignment: Assignment, task: Task, work: Callable[[Court], None]) -> None:
    """Collect the graders and let `work` use the court of one task."""
    bench = make_bench(assignment, LIMITS, choose())
    run_graders(assignment, _Hearing(task, lambda items: work(Court(bench, task, items))))


def notebook(assignment: Assignment, replaced: Mapping[str, str]) -> Notebook:
    """Return the source notebook without its checks, as a hand-in with some of its cells replaced."""
    return _hand_in(assignment.source, replaced)


def released(assignment: Assignment) -> Notebook:
    """Return the released notebook without its checks, as a hand-in that was never touched."""
    return _hand_in(assignment.release, {})


def released_cells(assignment: Assignment) -> dict[str, str]:
    """Return the texts of the released notebook's cells by their grade_id."""
    cells = read_cells(assignment.release, f"Run: autograder release {assignment.name}")
    return {nbgrader_metadata(c)["grade_id"]: source_text(c) for c in cells if nbgrader_metadata(c)}


def _hand_in(path: Path, replaced: Mapping[str, str]) -> Notebook:
    cells = []
    for position, cell in enumerate(read_cells(path, "Write it or release it."), start=1):
        if cell["cell_type"] == "code" and not is_check(cell):
            grade_id = nbgrader_metadata(cell).get("grade_id")
            text = replaced.get(grade_id or "", source_text(cell))
            cells.append(Cell(position, "code", text, grade_id))
    return Notebook(tuple(cells), "", ())
