"""Hold the graders of every assignment to the same promises, in this process; the audit uses the sandbox."""

from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from local_student import Outcome, grade, grader_module, groups_of, reference_names

from autograder.audit.answers import Answers, load_answers
from autograder.course import Assignment, Course, automatic_tasks, own_names
from autograder.grading.batch import grader_version, load_models
from autograder.grading.diagnosis import diagnose

COURSE = Course(Path(__file__).parent.parent)
ASSIGNMENTS = {assignment.name: assignment for assignment in COURSE.assignments()}
TASKS = {(name, task.name): task for name in ASSIGNMENTS for task in automatic_tasks(ASSIGNMENTS[name])}
MODELS = [(name, model) for name, assignment in ASSIGNMENTS.items() for model in load_models(assignment)]
SEEDS = range(10)
OWNER = "ada"

STUBS = {
    "nothing": "",
    "raises": "def {name}(*args, **kwargs): raise NotImplementedError()",
    "none": "def {name}(*args, **kwargs): return None",
    "not_a_function": "{name} = 3",
    "ellipsis": "def {name}(*args, **kwargs): return ...",
}

GARBAGE = {
    "zero": "def {name}(*args, **kwargs): return 0.0",
    "one": "def {name}(*args, **kwargs): return np.ones(1)",
    "same": "def {name}(x=None, *args, **kwargs): return x",
    "text": "def {name}(*args, **kwargs): return 'passed'",
    "nan": "def {name}(x=None, *args, **kwargs): return np.full(np.shape(x), np.nan)",
    "infinite": "def {name}(x=None, *args, **kwargs): return np.full(np.shape(x), np.inf)",
    "masked": "def {name}(x=None, *args, **kwargs): return np.ma.masked_all(np.shape(x))",
    "objects": "def {name}(x=None, *args, **kwargs): return np.full(np.shape(x), None)",
    "complex": "def {name}(x=None, *args, **kwargs): return np.asarray(x) * 1j",
    "generator": "def {name}(*args, **kwargs): yield 1.0",
    "itself": "def {name}(*args, **kwargs): return {name}",
    "exit": "def {name}(*args, **kwargs): raise SystemExit(0)",
    "wrong_value": "def {name}(*args, **kwargs): raise ValueError()",
    "arguments": "def {name}(*args, **kwargs): return args",
    "pair_of_nothing": "def {name}(*args, **kwargs): return None, None",
    "pair_of_numbers": "def {name}(*args, **kwargs): return 0.5, 0.5",
    "ragged": "def {name}(*args, **kwargs): return [[1.0], [1.0, 2.0]]",
    "always_equal": """
class Same:
    __array_ufunc__ = None
    def __eq__(self, other): return True
def {name}(*args, **kwargs): return Same()
""",
}


@cache
def answers(assignment: str) -> Answers:
    return load_answers(ASSIGNMENTS[assignment])


@cache
def right(assignment: str, task: str) -> dict[str, str]:
    return answers(assignment).right_for(task, SimpleNamespace(**reference_names(assignment)), OWNER)


def drawn(assignment: str, task: str) -> bool:
    """Say whether the right answer depends on the student, so that the source notebook cannot hold it."""
    return bool(answers(assignment).drawn(task, SimpleNamespace(**reference_names(assignment)), OWNER))


def supplied(assignment: str, task: str) -> dict[str, Any]:
    """Give an answer everything but the task's own names, as follow-through does."""
    own = own_names(ASSIGNMENTS[assignment], TASKS[assignment, task])
    return {name: value for name, value in reference_names(assignment).items() if name not in own}


def tell(assignment: str, task: str, text: str, seed: int = 0) -> Outcome:
    return grade(assignment, task, text, seed, supplied(assignment, task))


def named(assignment: str, task: str, outcome: Outcome) -> list[str]:
    return [found.id for found in diagnose(task, outcome.calls, load_models(ASSIGNMENTS[assignment]))]


@cache
def usual_notes(assignment: str, task: str) -> frozenset[str]:
    """Return the notes that every right answer gets."""
    outcomes = [tell(assignment, task, text) for text in right(assignment, task).values()]
    return frozenset.intersection(*(frozenset(outcome.remarks.notes) for outcome in outcomes))


def faulty(assignment: str, model: Any, faults: set[str], seed: int) -> Outcome:
    """Grade the reference with one function replaced by the model."""
    names = {**reference_names(assignment), model.function: partial(model.run, faults)}
    return grade(assignment, model.task, "", seed, names)


def each(kind: str) -> list[Any]:
    """Return (assignment, task, name) for every known answer of a kind."""
    if kind == "right":
        listed = {(a, t): right(a, t) for a, t in TASKS}
    else:
        listed = {(a, t): answers(a).wrong.get(t, {}) for a, t in TASKS}
    return [pytest.param(*key, name, id="-".join((*key, name))) for key, texts in listed.items() for name in texts]


# ------------------------------------------------------------------------------------------------------- groups


@pytest.mark.parametrize(("assignment", "task"), TASKS)
def test_groups_sum_to_the_points_and_read_as_sentences(assignment: str, task: str) -> None:
    groups = [function.group for function in groups_of(assignment, task).values()]
    assert sum(group.points for group in groups) == TASKS[assignment, task].points
    assert all(group.sentence == group.sentence.strip() and len(group.sentence) > 20 for group in groups)
    assert len({group.sentence for group in groups}) == len(groups)
    assert any(not group.conditional for group in groups)
    own = own_names(ASSIGNMENTS[assignment], TASKS[assignment, task])
    assert not set(own) & set(getattr(grader_module(assignment, f"test_{task}"), "builds_on", ()))


def test_known_answers_do_not_change_the_graders_version(tmp_path: Path) -> None:
    for name in ("source", "graders"):
        (tmp_path / name).mkdir()
    (tmp_path / "source" / "one.ipynb").write_text("{}")
    places = {"root": tmp_path, "release": tmp_path / "none", "tasks": (), "graders": tmp_path / "graders"}

    def version(name: str) -> str:
        assignment = Assignment(name=name, source=tmp_path / "source" / "one.ipynb", **places)
        return grader_version(assignment)

    empty = version("before")
    (tmp_path / "graders" / "answers.py").write_text("RIGHT = {}")
    assert version("with answers") == empty
    (tmp_path / "graders" / "test_one.py").write_text("")
    assert version("with a grader") != empty


# ------------------------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize(("assignment", "task"), [key for key in TASKS if not drawn(*key)])
def test_the_reference_earns_everything(assignment: str, task: str) -> None:
    for seed in SEEDS:
        outcome = grade(assignment, task, "", seed, dict(reference_names(assignment)))
        assert outcome.points == TASKS[assignment, task].points, outcome.said
        assert set(outcome.remarks.notes) <= usual_notes(assignment, task)


@pytest.mark.parametrize(("assignment", "task"), TASKS)
def test_there_are_several_right_answers(assignment: str, task: str) -> None:
    assert len(right(assignment, task)) >= 3


@pytest.mark.parametrize(("assignment", "task", "style"), each("right"))
def test_right_answers_earn_everything_and_get_no_diagnosis(assignment: str, task: str, style: str) -> None:
    for seed in SEEDS:
        outcome = tell(assignment, task, right(assignment, task)[style], seed)
        assert outcome.points == TASKS[assignment, task].points, (seed, outcome.said)
        assert outcome.remarks.reviews == []
        said = set(outcome.remarks.notes) - usual_notes(assignment, task)
        assert bool(said) == ((task, style) in answers(assignment).noted), said
    harmless = {fault.id for _, model in MODELS for fault in model.faults if fault.note_only}
    assert set(named(assignment, task, outcome)) <= harmless


@pytest.mark.parametrize(("assignment", "task", "name"), each("wrong"))
def test_wrong_answers_lose_the_fitting_groups(assignment: str, task: str, name: str) -> None:
    lost, text = answers(assignment).wrong[task][name]
    for seed in SEEDS:
        outcome = tell(assignment, task, text, seed)
        assert outcome.points < TASKS[assignment, task].points
        assert not [group for group in lost if outcome.passed[group]], (seed, outcome.passed)


@pytest.mark.parametrize(("assignment", "task", "name"), each("wrong"))
def test_an_answer_behaves_like_the_fault_of_its_name(assignment: str, task: str, name: str) -> None:
    faults = {f.id for a, model in MODELS if (a, model.task) == (assignment, task) for f in model.faults}
    if name in faults:
        outcome = tell(assignment, task, answers(assignment).wrong[task][name][1], 2)
        assert named(assignment, task, outcome) == [name]


@pytest.mark.parametrize(("assignment", "task"), TASKS)
@pytest.mark.parametrize("kind", [*STUBS, *GARBAGE])
def test_stubs_and_garbage_earn_nothing(assignment: str, task: str, kind: str) -> None:
    template = {**STUBS, **GARBAGE}[kind]
    own = own_names(ASSIGNMENTS[assignment], TASKS[assignment, task])
    text = "\n".join(template.replace("{name}", name) for name in own)
    for seed in range(3):
        outcome = tell(assignment, task, text, seed)
        assert outcome.points == 0, outcome.passed


# --------------------------------------------------------------------------------------------------------- bank


@pytest.mark.parametrize(
    ("assignment", "model", "fault"),
    [pytest.param(a, m, fault, id=f"{a}-{m.task}-{fault.id}") for a, m in MODELS for fault in m.faults],
)
def test_each_fault_costs_points_and_is_named(assignment: str, model: Any, fault: Any) -> None:
    outcome = faulty(assignment, model, {fault.id}, seed=1)
    assert (outcome.points == TASKS[assignment, model.task].points) == fault.note_only, outcome.passed
    assert fault.sentence.endswith(".") and fault.example.endswith(".")
    assert named(assignment, model.task, outcome) == [fault.id]


@pytest.mark.parametrize(
    ("assignment", "model"), [pytest.param(a, model, id=f"{a}-{model.function}") for a, model in MODELS]
)
def test_a_model_without_faults_is_right(assignment: str, model: Any) -> None:
    for seed in range(3):
        outcome = faulty(assignment, model, set(), seed)
        assert outcome.points == TASKS[assignment, model.task].points, outcome.said
        assert named(assignment, model.task, outcome) == []
