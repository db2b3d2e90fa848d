"""The audit finds nothing broken in the course, and does find what is broken in a course that is."""

import os
from pathlib import Path

import pytest

from autograder.audit.answers import Answers, load_answers
from autograder.audit.coverage import COVERAGE, Claim, coverage, read_claims
from autograder.audit.equivalent import alike
from autograder.audit.mutants import mutants
from autograder.audit.promises import QUICK, TaskAudit, audit, audit_task
from autograder.course import Assignment, Course, automatic_tasks, own_names
from autograder.errors import CourseError

ROOT = Path(__file__).resolve().parent.parent
COURSE = Course(ROOT)
ASSIGNMENTS = COURSE.assignments()


# -------------------------------------------------------------------------------------------------- the course


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda assignment: assignment.name)
def test_the_quick_audit_finds_nothing_broken(assignment: Assignment) -> None:
    results = audit(assignment, QUICK, seed=0, jobs=os.cpu_count() or 1, on_task=lambda result: None)
    assert [result.task for result in results] == [task.name for task in automatic_tasks(assignment)]
    assert {result.task: result.broken for result in results if result.broken} == {}
    assert all(result.reference.tried and result.stub.tried and result.blank.tried for result in results)


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda assignment: assignment.name)
def test_equivalent_mutants_are_listed_with_a_reason(assignment: Assignment) -> None:
    listed = load_answers(assignment).equivalent
    assert set(listed) <= {task.name for task in automatic_tasks(assignment)}
    assert all(len(reason) > 10 for known in listed.values() for reason in known.values())


def test_the_coverage_table_is_up_to_date() -> None:
    written = (ROOT / COVERAGE).read_text(encoding="utf-8")
    assert written == coverage(COURSE, read_claims(ROOT / "docs/claims.toml")), "python -m autograder.audit.coverage"


@pytest.mark.parametrize("place", ["02-attend/soft", "02-attend/softmax/test_nothing", "09-none/softmax"])
def test_a_claim_that_nothing_grades_is_refused(place: str) -> None:
    claims = read_claims(ROOT / "docs/claims.toml")
    with pytest.raises(CourseError, match="does not exist"):
        coverage(COURSE, [*claims, Claim("Beginner", "Something else.", graded=(place,))])


def test_a_task_without_a_claim_is_refused() -> None:
    with pytest.raises(CourseError, match="No claim"):
        coverage(COURSE, [Claim("Developer", "Shares add up.", graded=("02-attend/softmax",))])


# ------------------------------------------------------------------------------------------------- its own parts

CELL = """
def f(x, mask, axis=-1):
    \"\"\"Say nothing.\"\"\"
    if mask is None:
        raise ValueError("no mask")
    total = np.where(mask, x, 0.0).sum(axis=axis, keepdims=True)
    return x @ total, x - total
"""


@pytest.mark.parametrize(
    "line",
    [
        "def f(x, mask, axis=-2):",
        "if not mask is None:",
        "drop raise ValueError('no mask')",
        "total = np.where(mask, 0.0, x).sum(axis=axis, keepdims=True)",
        "total = np.where(mask, x, 1.0).sum(axis=axis, keepdims=True)",
        "total = np.where(mask, x, 0.0).mean(axis=axis, keepdims=True)",
        "total = np.where(mask, x, 0.0).sum(axis=0, keepdims=True)",
        "total = np.where(mask, x, 0.0).sum(axis=axis)",
        "total = np.where(mask, mask, 0.0).sum(axis=axis, keepdims=True)",
        "return (total @ x, x - total)",
        "return (x @ total, x + total)",
        "return (x @ total, total - x)",
        "return (x - total, x @ total)",
    ],
)
def test_mutants_slip_where_people_slip(line: str) -> None:
    found = [mutant.label for mutant in mutants("cell", CELL)]
    assert any(label == line or label.startswith(f"{line} |") or label.split(" | ")[0] == line for label in found)


def test_mutants_differ_from_the_reference_and_from_each_other() -> None:
    texts = [mutant.text for mutant in mutants("cell", CELL)]
    assert len(texts) == len(set(texts)) > 20
    assert not any("nothing" not in text for text in texts)  # the docstring is no code
    for text in texts:
        compile(text, "mutant", "exec")


def test_results_are_alike_within_the_tolerance_only() -> None:
    assert alike((1.0, [2.0]), (1.0 + 1e-9, [2.0]))
    assert not alike((1.0, [2.0]), (1.0, [[2.0]]))
    assert not alike(1.0, 1.001)
    assert not alike(None, 0.0)


# ------------------------------------------------------------------------------------------------ a broken course


@pytest.fixture
def lax(monkeypatch: pytest.MonkeyPatch) -> TaskAudit:
    """Audit `identity` with known answers that do not keep what they promise."""
    assignment = COURSE.assignment("02-attend")
    (name,) = own_names(assignment, assignment.task("identity"))
    wrong = f"def {name}(query, keys):\n    return np.zeros(len(keys))\n"
    right = f"def {name}(query, keys):\n    return attend(query, keys, np.eye(len(keys)))[0]\n"
    answers = Answers(
        right={"identity": {"not right": wrong}},
        wrong={"identity": {"not wrong": ((), right), "elsewhere": (("test_eight_words",), right)}},
    )
    monkeypatch.setattr("autograder.audit.promises.load_answers", lambda assignment: answers)
    return audit_task(assignment, assignment.task("identity"), QUICK, seed=0)


def test_broken_promises_are_found(lax: TaskAudit) -> None:
    said = " / ".join(lax.broken)
    assert "the right answer 'not right' loses points" in said
    assert "the wrong answer 'not wrong' is full" in said
    assert "the wrong answer 'elsewhere' passes test_eight_words" in said
    assert lax.reference.kept == lax.reference.tried == 2
