"""Check what every task of the course promises, and say which promises are broken."""

import itertools
import multiprocessing
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TypeVar

from autograder.audit.answers import Answers, load_answers
from autograder.audit.equivalent import same_behaviour
from autograder.audit.mutants import Mutant, defines_code, mutants
from autograder.audit.trial import OWNER, Court, Verdict, released_cells, with_court
from autograder.audit.visible import repeated_examples
from autograder.course import Assignment, Task, automatic_tasks
from autograder.sandbox.student import Call

Thing = TypeVar("Thing")

REJECTED_SHARE = 0.98
NAMED_SHARE = 0.95
FEWEST_MUTANTS = 20
OTHER_SEEDS = (101, 102)  # for calls that no trial of this audit was made with


@dataclass(frozen=True)
class Effort:
    """Say how much to try: seeds for the reference, for right and for wrong answers; how many of each kind at most."""

    reference_seeds: int = 10
    right_seeds: int = 3
    wrong_seeds: int = 2
    most: int | None = None
    most_pairs: int = 60
    most_mutants: int | None = None

    @property
    def whole(self) -> bool:
        """Say whether nothing is left out, so that what never happened means something."""
        return self.most is None and self.most_mutants is None


WHOLE = Effort()
QUICK = Effort(reference_seeds=2, right_seeds=1, wrong_seeds=1, most=2, most_pairs=2, most_mutants=8)


@dataclass
class Tally:
    """Count how many of the things that were tried went as promised."""

    kept: int = 0
    tried: int = 0

    def count(self, kept: bool) -> bool:
        """Count one, and return whether it went as promised."""
        self.kept += kept
        self.tried += 1
        return kept


@dataclass
class TaskAudit:
    """Hold what the audit found on one task: tallies, broken promises, and remarks that break nothing."""

    assignment: str
    task: str
    reference: Tally = field(default_factory=Tally)
    stub: Tally = field(default_factory=Tally)
    blank: Tally = field(default_factory=Tally)
    right: Tally = field(default_factory=Tally)
    wrong: Tally = field(default_factory=Tally)
    faults: Tally = field(default_factory=Tally)
    pairs: Tally = field(default_factory=Tally)
    mutants: Tally = field(default_factory=Tally)
    equivalent: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def audit(
    assignment: Assignment, effort: Effort, seed: int, jobs: int, on_task: Callable[[TaskAudit], None]
) -> list[TaskAudit]:
    """Audit every task that graders grade, some at once; `on_task` is called as each one ends."""
    tasks = automatic_tasks(assignment)
    found: dict[str, TaskAudit] = {}
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = [pool.submit(audit_task, assignment, task, effort, seed) for task in tasks]
        for future in as_completed(running):
            result = future.result()
            found[result.task] = result
            on_task(result)
    return [found[task.name] for task in tasks]


def audit_task(assignment: Assignment, task: Task, effort: Effort, seed: int) -> TaskAudit:
    """Audit one task in this process."""
    result = TaskAudit(assignment.name, task.name)
    with_court(assignment, task, lambda court: _Audit(court, load_answers(assignment), effort, seed, result).run())
    return result


class _Audit:
    """Try everything on one task and write down what happened."""

    def __init__(self, court: Court, answers: Answers, effort: Effort, seed: int, result: TaskAudit) -> None:
        self.court, self.answers, self.effort, self.result = court, answers, effort, result
        self.task, self.first = court.task.name, seed
        self.random = random.Random(seed)
        self.drawn = answers.drawn(self.task, court.bench.reference, OWNER)
        self.right = answers.right_for(self.task, court.bench.reference, OWNER)
        self.rejects: dict[str, set[str]] = defaultdict(set)  # by group, the answers that failed it
        self.wavers: dict[str, set[str]] = defaultdict(set)  # by group, those that failed it on some seeds only

    def run(self) -> None:
        """Try all there is."""
        self._reference()
        self._nothing()
        self._right()
        self._wrong()
        self._faults()
        self._pairs()
        self._mutants()
        self._groups()

    def _seeds(self, count: int) -> range:
        return range(self.first, self.first + count)

    def _some(self, things: Sequence[Thing], most: int | None) -> list[Thing]:
        return list(things) if most is None or len(things) <= most else self.random.sample(things, most)

    def _break(self, sentence: str) -> None:
        self.result.broken.append(sentence)

    def _is_full(self, verdict: Verdict) -> bool:
        return verdict.points >= self.court.task.points

    def _reference(self) -> None:
        cells = self.court.in_place(next(iter(self.drawn.values()))) if self.drawn else {}
        hidden: list[Call] = []
        for seed in self._seeds(self.effort.reference_seeds):
            verdict = self.court.judge(cells, seed)
            hidden += verdict.calls
            if not self.result.reference.count(self._is_full(verdict)):
                self._break(f"the reference loses points with seed {seed}: {_why(verdict)}")
        reasons = self.answers.repeated.get(self.task)
        for example in repeated_examples(self.court.bench.assignment, self.court.task, hidden):
            sentence = f"a visible example is graded again: {example}"
            self.result.remarks.append(f"{sentence} ({reasons})") if reasons else self._break(sentence)

    def _nothing(self) -> None:
        stubs = released_cells(self.court.bench.assignment)
        stub = self.court.judge({name: stubs[name] for name in self.court.own_cells()}, self.first)
        if not self.result.stub.count(stub.points == 0):
            self._break(f"the stub earns {stub.points:g}")
        blank = self.court.judge_release(self.first)
        if not self.result.blank.count(blank.points == 0):
            self._break(f"a blank notebook earns {blank.points:g}")

    def _right(self) -> None:
        outcomes = {}
        for style in self._some(list(self.right), self.effort.most):
            seeds = self._seeds(self.effort.right_seeds)
            verdicts = [self.court.judge_answer(self.right[style], seed) for seed in seeds]
            outcomes[style] = verdicts[0].notes.union(*(verdict.notes for verdict in verdicts))
            bad = [verdict for verdict in verdicts if not self._is_full(verdict) or verdict.diagnosis]
            if not self.result.right.count(not bad):
                self._break(f"the right answer {style!r} loses points: {_why(bad[0])}")
        if not self.effort.whole or not outcomes:
            return
        usual = frozenset.intersection(*outcomes.values())
        for style, notes in outcomes.items():
            if bool(notes - usual) != ((self.task, style) in self.answers.noted):
                self._break(f"the right answer {style!r} gets the notes {sorted(notes)}, and NOTED says otherwise")

    def _wrong(self) -> None:
        wrong = self.answers.wrong.get(self.task, {})
        for name in self._some(list(wrong), self.effort.most):
            groups, text = wrong[name]
            verdicts = [self.court.judge_answer(text, seed) for seed in self._seeds(self.effort.wrong_seeds)]
            self._keep(name, verdicts)
            passed = sorted({group for group in groups for v in verdicts if group not in v.failed})
            if not self.result.wrong.count(not passed and not any(map(self._is_full, verdicts))):
                self._break(f"the wrong answer {name!r} " + (f"passes {', '.join(passed)}" if passed else "is full"))

    def _faults(self) -> None:
        listed = [(m, f) for m in self.court.bench.models if m.task == self.task for f in m.faults]
        for model, fault in self._some(listed, self.effort.most):
            verdict = self.court.judge_model(model, frozenset({fault.id}), self.first)
            if fault.note_only:
                complaint = "" if self._is_full(verdict) else f"costs points, though it should not: {_why(verdict)}"
            else:
                self._keep(f"fault {fault.id}", [verdict])
                complaint = self._complaint(fault.id, verdict)
            if not self.result.faults.count(not complaint):
                self._break(f"the fault {fault.id!r} {complaint}")

    def _pairs(self) -> None:
        """Try two faults at once: two have to be named, be it another two that do the same.

        A pair that one fault hides, or in which they cancel, has no two to name.
        """
        models = [model for model in self.court.bench.models if model.task == self.task]
        pairs = [(model, pair) for model in models for pair in itertools.combinations(model.faults, 2)]
        for model, pair in self._some(pairs, self.effort.most_pairs):
            wanted = {fault.id for fault in pair}
            verdict = self.court.judge_model(model, frozenset(wanted), self.first)
            hidden = len(verdict.diagnosis) == 1 or self._is_full(verdict)
            if not hidden:
                self.result.pairs.count(len(verdict.diagnosis) == 2)
            if not hidden and set(verdict.diagnosis) != wanted:
                named = ", ".join(verdict.diagnosis) or "nothing"
                self.result.remarks.append(f"the faults {' and '.join(sorted(wanted))} at once are named {named}")
        tally = self.result.pairs
        if tally.kept < NAMED_SHARE * tally.tried:
            self._break(f"{tally.tried - tally.kept} of {tally.tried} pairs of faults are not named as such")

    def _complaint(self, fault: str, verdict: Verdict) -> str:
        """Say what is wrong with the verdict on a fault, if anything is."""
        if self._is_full(verdict):
            return "earns everything"
        fitting = self.answers.wrong.get(self.task, {}).get(fault, ((), ""))[0]
        passed = [group for group in fitting if group not in verdict.failed]
        if passed:
            return f"passes {', '.join(passed)}"
        return "" if verdict.diagnosis[:1] == (fault,) else f"is named {', '.join(verdict.diagnosis) or 'nothing'}"

    def _mutants(self) -> None:
        known = self.answers.equivalent.get(self.task, {})
        unused = set(known)
        every = list(self._every_mutant())
        for right, cells, mutant in self._some(every, self.effort.most_mutants):
            verdicts = [self.court.judge(cells, seed) for seed in self._seeds(self.effort.wrong_seeds)]
            if not any(map(self._is_full, verdicts)):
                self.result.mutants.count(True)
                self._keep(mutant.change, verdicts)
            elif mutant.label in known:
                unused.discard(mutant.label)
                self.result.equivalent.append(f"{mutant.change}  ({known[mutant.label]})")
            elif all(map(self._is_full, verdicts)) and same_behaviour(self.court, right, cells, self._other_seeds()):
                self.result.equivalent.append(mutant.change)
            else:
                self.result.mutants.count(False)
                some = "" if all(map(self._is_full, verdicts)) else "  (on some seeds only)"
                self.result.survivors.append(mutant.change + some)
        if self.effort.whole:
            self.result.remarks += [f"EQUIVALENT lists what is no survivor: {label}" for label in sorted(unused)]
        tally = self.result.mutants
        if tally.kept < REJECTED_SHARE * tally.tried:
            self._break(f"{tally.tried - tally.kept} of {tally.tried} mutants earn everything")

    def _other_seeds(self) -> list[int]:
        return [self.first + seed for seed in OTHER_SEEDS]

    def _every_mutant(self) -> Iterator[tuple[Mapping[str, str], Mapping[str, str], Mutant]]:
        """Yield (right cells, changed cells, mutant): of the reference, and of right code while that makes few."""
        own = self.court.own_cells()
        plain = [text for style, text in self.right.items() if (self.task, style) not in self.answers.noted]
        others = plain if any(map(defines_code, own.values())) else []
        first = self.court.in_place(next(iter(self.drawn.values()))) if self.drawn else own
        count = 0
        for base in [first, *map(self.court.in_place, others)]:
            for cell, text in base.items():
                for mutant in mutants(cell, text):
                    count += 1
                    yield base, {**base, cell: mutant.text}, mutant
            if count >= FEWEST_MUTANTS:
                return

    def _keep(self, answer: str, verdicts: Sequence[Verdict]) -> None:
        for group in self.court.groups:
            failures = sum(group in verdict.failed for verdict in verdicts)
            if failures:
                self.rejects[group].add(answer)
            if 0 < failures < len(verdicts):
                self.wavers[group].add(answer)

    def _groups(self) -> None:
        if not self.effort.whole:
            return
        groups = self.court.groups
        for group in groups:
            if not self.rejects[group]:
                self._break(f"the group {group} never rejects anything")
            if self.wavers[group]:
                some = sorted(self.wavers[group])
                self.result.remarks.append(f"{group} depends on the draw for {len(some)} wrong answers: {some[0]} ...")
        for one, other in itertools.combinations(groups, 2):
            if self.rejects[one] and self.rejects[one] == self.rejects[other]:
                self.result.remarks.append(f"{one} and {other} always fail together")


def _why(verdict: Verdict) -> str:
    messages = "; ".join(f"{group}: {message}" for group, message in verdict.messages.items())
    return messages or f"diagnosis {', '.join(verdict.diagnosis)}"
