"""Grade one submission: run its notebook, judge its groups, choose the better of two passes, make the record."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from autograder.course import Assignment, Task
from autograder.grading import score, seeds
from autograder.grading.bank import Fault, Model
from autograder.grading.checks import cells_to_run
from autograder.grading.diagnosis import diagnose
from autograder.grading.fingerprint import Probe, ask, fingerprint, is_absent
from autograder.grading.groups import Group, collect_remarks
from autograder.grading.remarks import remarks
from autograder.intake import HandIn, companions
from autograder.intake import Notebook as NotebookFile
from autograder.report import CellError, Diagnosis, Finding, GroupResult, Record, TaskResult, Verdict
from autograder.sandbox.levels import Isolation
from autograder.sandbox.student import Call, Notebook, Student, StudentError
from autograder.sandbox.workers import Budget, Limits, Zygote

Mode = Literal["own", "supplied", "rival"]
Judged = list[tuple[GroupResult, bool]]


@dataclass(frozen=True)
class Bench:
    """Hold what all submissions of a batch share."""

    assignment: Assignment
    reference: SimpleNamespace
    models: Sequence[Model]
    probes: Mapping[str, Probe]  # the same questions for everybody, apart from the graded ones, by task
    checks: Mapping[str, str]  # the visible checks as released, by grade_id
    files: Mapping[str, bytes]  # what the release brings beside the notebook
    zygote: Zygote
    isolation: Isolation
    limits: Limits
    secret: bytes
    grader_version: str
    environment: dict[str, str]


@dataclass
class Submission:
    """Collect the verdicts on one hand-in, for the pass on its own and the pass with earlier tasks supplied."""

    bench: Bench
    hand_in: HandIn
    file: NotebookFile
    judged: dict[tuple[str, Mode], Judged] = field(default_factory=dict)
    calls: dict[tuple[str, Mode], list[Call]] = field(default_factory=dict)
    shared: dict[tuple[str, Mode], tuple[Any, Exception | None]] = field(default_factory=dict)
    beliefs: dict[str, list[Fault]] = field(default_factory=dict)  # met while judging, by task
    notebooks: dict[str, Notebook] = field(default_factory=dict)  # with earlier tasks supplied, by task
    findings: list[Finding] = field(default_factory=list)
    for_instructor: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.budget = Budget(self.bench.limits.submission_seconds)
        cells = cells_to_run(self.file.cells, self.bench.checks)
        self.own = Notebook(self.bench.zygote, cells, self.bench.limits, self.budget, files=self._files)

    def _files(self) -> dict[str, bytes]:
        """Return what lies beside the notebook in JupyterLab: the student's files, and the course's over them."""
        own = companions(self.hand_in.path.parent) if self.hand_in.path else {}
        return {**own, **self.bench.files}

    @property
    def reference(self) -> SimpleNamespace:
        """Return the names of the source notebook."""
        return self.bench.reference

    def rng(self, task: str, group: str) -> np.random.Generator:
        """Return the generator of hidden inputs for one group."""
        return seeds.generator(self.bench.secret, self.bench.assignment.name, self.hand_in.student, task, group)

    def order(self, task: str, group: str) -> int:
        """Return a number that shuffles the groups of this submission."""
        return seeds.seed(self.bench.secret, "order", self.hand_in.student, task, group)

    def student(self, task: str, mode: Mode, names: Sequence[str]) -> Student:
        """Return the proxy for one pass over one task; `names` are supplied by the reference."""
        return Student(self._notebook(task, mode, names), self.calls.setdefault((task, mode), []))

    def refresh(self, task: str, mode: Mode, names: Sequence[str]) -> None:
        """Have the next question of this pass answered by a worker that was not asked anything yet."""
        self._notebook(task, mode, names).restart()

    def _notebook(self, task: str, mode: Mode, names: Sequence[str]) -> Notebook:
        if mode == "rival":
            return self._rival(task)
        return self.own if mode == "own" else self._supplied(task, names)

    def _rival(self, task: str) -> Notebook:
        """Return the notebook in which an earlier definition of the task's answer counts."""
        own, key = self.own, f"{task} (rival)"
        if key not in self.notebooks:
            without = frozenset[int]().union(*(rival.without for rival in self.file.rivals if rival.task == task))
            cells = [(position, source) for position, source in own.cells if position not in without]
            self.notebooks[key] = Notebook(
                own.zygote, cells, own.limits, self.budget, own.cut, files=self._files
            )
        return self.notebooks[key]

    def has_rival(self, task: str) -> bool:
        """Say whether an earlier definition of the task's answer is to be tried as well."""
        points = self.bench.assignment.task(task).points
        lost = self._earned(task, "own") < points
        return any(rival.task == task and (lost or not rival.doubtful) for rival in self.file.rivals)

    def _earned(self, task: str, mode: Mode) -> float:
        return score.earned(self.judged.get((task, mode), []))

    def _supplied(self, task: str, names: Sequence[str]) -> Notebook:
        if task not in self.notebooks:
            functions = {name: getattr(self.reference, name) for name in names}
            own = self.own
            self.notebooks[task] = Notebook(
                own.zygote, own.cells, own.limits, self.budget, own.cut, functions, self._files
            )
        return self.notebooks[task]

    def follows_through(self, task: str, names: Sequence[str]) -> bool:
        """Say whether the task is to be tried again: it lost points, and so did something it builds on."""
        worth = {t.name: t.points for t in self.bench.assignment.tasks}
        lost = self._earned(task, "own") < worth[task]
        return lost and any(name not in worth or self._earned(name, "own") < worth[name] for name in names)

    def judge(
        self, task: str, mode: Mode, name: str, function: Callable[..., None], arguments: dict[str, Any],
        prepare: Callable[[], Any] | None = None,
    ) -> None:  # fmt: skip
        """Run one group and keep its verdict; what `prepare` returns is its argument `shared`."""
        group: Group = function.group  # type: ignore[attr-defined]
        student = arguments.get("student")
        large = student if isinstance(student, Student) and not group.replay else None
        if large:
            large.go_large()
            dead = set(large._notebook.dead)
        verdict: Verdict = "failed"
        message = ""
        with collect_remarks() as said:
            try:
                if prepare:
                    arguments["shared"] = self._once(task, mode, prepare)
                function(**arguments)
                verdict = "passed"
            except StudentError as error:
                message = f"{error.sentence}."
            except AssertionError as error:
                message = str(error)
            except Exception as error:
                self._blame_grader(task, name, error)
        if large:
            large._notebook.dead &= dead  # who is slow with large inputs may be quick with others
        result = GroupResult(
            name=name, sentence=group.sentence, points=group.points, earned=0.0, verdict=verdict,
            message=message, notes=list(dict.fromkeys(said.notes)),
        )  # fmt: skip
        self.judged.setdefault((task, mode), []).append((result, group.conditional))
        met = self.beliefs.setdefault(task, [])
        met += [belief for belief in said.beliefs if belief not in met]
        for sentence in said.reviews:
            self._find(Finding(code="review", sentence=sentence, review=True))

    def _once(self, task: str, mode: Mode, prepare: Callable[[], Any]) -> Any:
        """Return what the groups of a task share, prepared once in a pass; what that raised, each of them raises."""
        if (task, mode) not in self.shared:
            try:
                self.shared[task, mode] = prepare(), None
            except Exception as error:
                self.shared[task, mode] = None, error
        value, raised = self.shared[task, mode]
        if raised is not None:
            raise raised
        return value

    def _blame_grader(self, task: str, name: str, error: Exception) -> None:
        self.for_instructor.append(f"grader of {task}, {name}: {error!r}"[:500])
        sentence = f"One check of `{task}` could not be carried out; your instructor has been told."
        self._find(Finding(code="grader_error", sentence=sentence, review=True))

    def _find(self, finding: Finding) -> None:
        if finding not in self.findings:
            self.findings.append(finding)

    def close(self) -> None:
        """End every worker of this submission."""
        for notebook in (self.own, *self.notebooks.values()):
            notebook.close()

    def record(self) -> Record:
        """Make the record of all that was judged."""
        bench = self.bench
        tasks = [self._task(task) for task in bench.assignment.tasks]
        lost = [task.name for task in tasks if task.score is not None and task.score < task.points]
        said = remarks(self.file.cells, self.own.outcomes, bench.assignment.released_cells(), lost)
        findings = [*self.file.findings, *self.findings, *said, *self._rival_findings(tasks)]
        findings.sort(key=lambda finding: finding.code != "missing_package")  # it explains the others
        if self.budget.spent:
            sentence = f"The notebook used up its {bench.limits.submission_seconds:g} seconds; the rest was not judged."
            findings.append(Finding(code="budget_spent", sentence=sentence, remedy="Look for a slow cell or loop."))
        return Record(
            student=self.hand_in.student, assignment=bench.assignment.name,
            status="needs review" if any(f.review for f in findings) else "graded",
            graded_at=datetime.now(UTC), submitted_at=self.hand_in.submitted_at,
            submission_sha256=self.file.sha256, grader_version=bench.grader_version,
            environment=bench.environment, isolation=bench.isolation.level,
            isolation_missing=list(bench.isolation.missing),
            seed=seeds.fingerprint(bench.secret, bench.assignment.name, self.hand_in.student),
            inputs=self.hand_in.inputs, findings=findings, tasks=tasks, seconds=self._seconds(),
            output_tail="\n".join([*self.for_instructor, self.own.output])[-8000:],
        )  # fmt: skip

    def _seconds(self) -> float | None:
        return None if self.budget.started is None else round(time.monotonic() - self.budget.started, 3)

    def fingerprinted(self, record: Record) -> Record:
        """Return the record with a fingerprint for each task that lost points to something unknown."""
        return record.model_copy(update={"tasks": [self._fingerprinted(task) for task in record.tasks]})

    def _fingerprinted(self, task: TaskResult) -> TaskResult:
        probe, mode = self.bench.probes.get(task.name), self._telling(task.name)
        lost = task.score is not None and task.score < task.points
        if probe is None or not lost or task.diagnosis or is_absent(self.calls.get((task.name, mode), [])):
            return task
        notebook, calls = self.own if mode == "own" else self.notebooks[task.name], list[Call]()
        notebook.restart()
        ask(probe, Student(notebook, calls))
        return task.model_copy(update={"fingerprint": fingerprint(task.name, calls, self.bench.models)})

    def _telling(self, task: str) -> Mode:
        """Return the pass that shows the task's own behaviour: with what it builds on supplied, where it was tried."""
        return "supplied" if (task, "supplied") in self.judged else "own"

    def _task(self, task: Task) -> TaskResult:
        if task.manual:
            return TaskResult(name=task.name, points=task.points, score=None, manual=True, groups=[],
                              diagnosis=[], error=None)  # fmt: skip
        own = score.settle(self.judged.get((task.name, "own"), []))
        supplied = score.settle(self.judged.get((task.name, "supplied"), []))
        followed_through = score.total(supplied) > score.total(own)
        groups = sorted(supplied if followed_through else own, key=lambda group: group.name)
        points = min(score.total(groups), task.points)
        return TaskResult(
            name=task.name, points=task.points, score=points, groups=groups, diagnosis=self._diagnosis(task, points),
            error=self._error(task.name) if points < task.points else None, followed_through=followed_through,
        )  # fmt: skip

    def _diagnosis(self, task: Task, points: float) -> list[Diagnosis]:
        if points >= task.points:
            return []
        if met := sorted(self.beliefs.get(task.name, []), key=lambda belief: belief.id):
            return [Diagnosis(id=fault.id, sentence=fault.sentence, example=fault.example) for fault in met]
        return diagnose(task.name, self.calls.get((task.name, self._telling(task.name)), []), self.bench.models)

    def _error(self, task: str) -> CellError | None:
        released = self.bench.assignment.released_cells()
        ids = {task, *(cell.grade_id for cell in released if task in cell.tasks)}
        answers = {cell.position for cell in self.file.cells if cell.grade_id in ids and cell.position > 0}
        for outcome in self.own.outcomes.values():
            if outcome.error is not None and outcome.position in answers:
                return CellError(cell=outcome.position, task=task, kind=outcome.error, message=outcome.message,
                                 line=outcome.line)  # fmt: skip
        return None

    def _rival_findings(self, tasks: Sequence[TaskResult]) -> list[Finding]:
        """Name both definitions where two could be meant, with what each of them earns."""
        results = {task.name: task for task in tasks}
        findings = []
        for rival in self.file.rivals:
            task, other = results[rival.task], self._earned(rival.task, "rival")
            kept = task.score or 0.0
            if rival.doubtful and other <= kept:
                continue
            findings.append(Finding(
                code="two_definitions", cell=rival.last, review=True,
                sentence=f"`{rival.name}` is defined in cell {rival.earlier} and, differently, in cell {rival.last}. "
                f"The last one was graded: {kept:g} of {task.points:g} points; the one before would earn {other:g}.",
                remedy="Keep one of them.",
            ))  # fmt: skip
        return findings
