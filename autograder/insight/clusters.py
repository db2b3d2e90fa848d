"""Gather equal unknown behaviours, show what one of them looks like, and make a bank entry of it."""

import ast
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.course import Assignment, Task, load_grader, own_names
from autograder.errors import AutograderError, CourseError
from autograder.grading.bank import Model
from autograder.intake import HandIn, Notebook, Unreadable, find_hand_ins, read_notebook
from autograder.intake.code import definition, parse
from autograder.report import Record
from autograder.terminal import plain

LOOKED_AT = 5  # hand-ins of a cluster, of which the shortest answer is shown
LONGEST = 120  # lines of it
BANK = "misconceptions.py"
NEW_BANK = '''"""Known wrong behaviours of `{name}`: runnable switches of one parametric implementation per task."""

from autograder.grading import Fault, Model

MODELS = ()
'''
ENTRY = """

# ---- Unknown behaviour {id}: {count} lost points in `{task}` with it.
# Say what happens in one sentence, show it in one tiny example, and write it as code in place of the three dots.
# Then run: autograder audit {assignment}
{code}{functions}"""
FUNCTION = """

def {function}_{id}(faults, *args, **kwargs):
    if "unknown_{id}" not in faults:
        return {right}
    return ...  # what the wrong answer returns, raises or changes; three dots equal no answer


MODELS += (
    Model(
        "{task}",
        "{function}",
        {function}_{id},
        (Fault("unknown_{id}", "TO DO: what happens, in one sentence.", "TO DO: one tiny example."),),{view}
    ),
)
"""
RIGHT = """
RIGHT_{function}_{id} = next(model for model in MODELS if model.function == "{function}")
"""


@dataclass(frozen=True)
class Cluster:
    """Hold the hand-ins that lost points in a task by the same behaviour, which the bank does not know."""

    id: str
    task: str
    students: tuple[str, ...]
    lost: float  # points, on average

    @property
    def count(self) -> str:
        """Return how many hand-ins these are, in words."""
        return f"{len(self.students)} hand-in{'' if len(self.students) == 1 else 's'}"


def find_clusters(records: Iterable[Record]) -> list[Cluster]:
    """Return the clusters of unknown behaviours, the largest first."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for record in records:
        for task in record.tasks:
            if task.fingerprint is not None and task.score is not None:
                found[task.name, task.fingerprint][record.student] = task.points - task.score
    clusters = [
        Cluster(id, task, tuple(sorted(lost)), sum(lost.values()) / len(lost)) for (task, id), lost in found.items()
    ]
    return sorted(clusters, key=lambda cluster: (-len(cluster.students), cluster.task, cluster.id))


def cluster_of(records: Iterable[Record], id: str) -> Cluster:
    """Return the cluster of that id, or of the only one that begins like it."""
    clusters = find_clusters(records)
    matching = [cluster for cluster in clusters if id and cluster.id.startswith(id)]
    if len(matching) != 1:
        known = ", ".join(f"{cluster.id} ({cluster.task}, {cluster.count})" for cluster in clusters) or "none"
        many = "More than one cluster begins with" if matching else "There is no cluster"
        raise AutograderError(f"{many} {id!r}.", f"Known: {known}.")
    return matching[0]


class HandIns:
    """Read the hand-ins of a class for their code, as long as they are what was graded."""

    def __init__(self, assignment: Assignment, submitted: Path, records: Iterable[Record]) -> None:
        self.assignment = assignment
        self._hashes = {record.student: record.submission_sha256 for record in records}
        self._hand_ins = _by_student(submitted, assignment.name)
        self._read = cache(self._read_once)
        self._names = cache(lambda task: own_names(assignment, assignment.task(task)))

    def answer(self, student: str, task: str) -> str:
        """Return the cells in which a student defines what a task asks for; "" where they cannot be read."""
        file = self._read(student)
        return answer_text(file, self._names(task)) if file is not None else ""

    def representative(self, cluster: Cluster) -> str:
        """Return the shortest of a few answers of the cluster, as text that holds nothing but printable characters."""
        answers = [self.answer(student, cluster.task) for student in cluster.students[:LOOKED_AT]]
        shortest = min(filter(None, answers), key=len, default="")
        lines = plain(shortest).splitlines()
        return "\n".join(lines[:LONGEST] + (["..."] if len(lines) > LONGEST else []))

    def _read_once(self, student: str) -> Notebook | None:
        hand_in = self._hand_ins.get(student)
        if hand_in is None or hand_in.path is None:
            return None
        try:
            file = read_notebook(hand_in.path, self.assignment)
        except Unreadable:
            return None
        return file if file.sha256 == self._hashes.get(student) else None


def _by_student(submitted: Path, assignment: str) -> Mapping[str, HandIn]:
    try:
        return {hand_in.student: hand_in for hand_in in find_hand_ins(submitted, assignment)}
    except AutograderError:  # the records alone still make a report
        return {}


def answer_text(file: Notebook, names: Sequence[str]) -> str:
    """Return the code cells that define any of these names."""
    cells = [cell.source for cell in file.cells if cell.kind == "code"]
    return "\n\n".join(source.strip("\n") for source in cells if any(definition(source, name) for name in names))


def without_remarks(code: str) -> str:
    """Return the code without comments and docstrings, where names like to hide; "" when it is not Python."""
    tree = parse(code)
    if tree is None:
        return ""
    tree = ast.parse(ast.unparse(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            kept = [
                part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            ]
            node.body = kept or [ast.Pass()]
    return ast.unparse(tree)


def bank_entry(assignment: Assignment, cluster: Cluster, code: str, models: Sequence[Model]) -> str:
    """Return the text that adds the cluster to the assignment's bank; it names nobody's fault until it is filled in.

    The student's code is in it as comments only.
    """
    known = {model.function for model in models if model.task == cluster.task}
    functions = sorted(known) or _function_names(assignment, assignment.task(cluster.task))
    shown = [f"#     {line}".rstrip() for line in plain(code).splitlines()]
    said = "\n".join(["# One of them wrote:", *shown, ""]) if shown else ""
    return ENTRY.format(
        id=cluster.id, count=cluster.count, task=cluster.task, assignment=assignment.name, code=said,
        functions="".join(_function(cluster, name, name in known) for name in functions),
    )  # fmt: skip


def _function(cluster: Cluster, name: str, known: bool) -> str:
    right = f"RIGHT_{name}_{cluster.id}"
    head = RIGHT.format(function=name, id=cluster.id) if known else ""
    return head + FUNCTION.format(
        function=name, id=cluster.id, task=cluster.task, view=f"\n        {right}.view," if known else "",
        right=f"{right}.run(frozenset(), *args, **kwargs)" if known else "...  # what the right answer returns",
    )  # fmt: skip


def _function_names(assignment: Assignment, task: Task) -> list[str]:
    return [name for name in own_names(assignment, task) if name.isidentifier()]


def add_to_bank(assignment: Assignment, cluster: Cluster, entry: str) -> Path:
    """Append the entry to the assignment's bank, which must load before and after; return the bank's path."""
    path = assignment.graders / BANK
    before = path.read_text(encoding="utf-8") if path.exists() else NEW_BANK.format(name=assignment.name)
    if f"unknown_{cluster.id}" in before:
        raise AutograderError(f"The cluster {cluster.id} is in {path} already.", "Fill its entry in.")
    draft = path.with_name(".misconceptions-draft.py")
    try:
        draft.write_text(before.rstrip("\n") + "\n" + entry, encoding="utf-8")
        models = load_grader(assignment, draft).MODELS
        if not any(fault.id == f"unknown_{cluster.id}" for model in models for fault in model.faults):
            raise CourseError(f"{path} does not take the entry in.", "Use --print and put it in place by hand.")
        shutil.move(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path
