"""Try the graders of `02-attend` on right and wrong answers, ten seeds each, in this process."""

import copy
from typing import Any

import numpy as np
import pytest
from answers_02_attend import FILLS, GARBAGE, NOTED, RIGHT, SHAPED_GARBAGE, STUBS, WRONG
from local_student import (
    IDENTITIES,
    built_in_kind,
    changed,
    grade,
    grader_module,
    groups_of,
    quiet,
    reference_names,
    through_the_wire,
)

COURSE = "02-attend"
POINTS = {
    "softmax": 14,
    "attend": 16,
    "project": 10,
    "plural": 10,
    "identity": 6,
    "attend_all": 14,
    "cross": 10,
    "testing": 12,
    "reading": 8,
}
FUNCTIONS = {
    "softmax": "softmax",
    "attend": "attend",
    "project": "project",
    "plural": "add_plural_slot",
    "identity": "weights_by_identity",
    "attend_all": "attend_all",
    "cross": "cross_attend",
    "testing": "check_attend",
}
SEEDS = range(10)


def supplied(task: str) -> dict[str, Any]:
    """Give an answer everything but the task's own names, as follow-through does."""
    own = {FUNCTIONS.get(task), "predicted_winner", "reading", "student_id"}
    return {name: value for name, value in reference_names(COURSE).items() if name not in own}


def tell(task: str, text: str, seed: int = 0) -> Any:
    return grade(COURSE, task, text, seed, supplied(task))


@pytest.mark.parametrize("task", POINTS)
def test_groups_sum_to_the_points_and_read_as_sentences(task):
    groups = [function.group for function in groups_of(COURSE, task).values()]
    assert sum(group.points for group in groups) == POINTS[task]
    assert all(group.sentence == group.sentence.strip() and len(group.sentence) > 20 for group in groups)
    assert len({group.sentence for group in groups}) == len(groups)
    assert any(not group.conditional for group in groups)
    assert task not in getattr(grader_module(COURSE, f"test_{task}"), "builds_on", ())


@pytest.mark.parametrize("task", FUNCTIONS)
def test_the_reference_earns_everything(task):
    names = reference_names(COURSE)
    for seed in SEEDS:
        outcome = grade(COURSE, task, "", seed, dict(names))
        assert outcome.points == POINTS[task], outcome.said
        assert outcome.remarks.notes in ([], ["A prediction earns its point whether or not it came true."])


@pytest.mark.parametrize(("task", "name"), [(task, name) for task in RIGHT for name in RIGHT[task]])
def test_right_answers_earn_everything(task, name):
    for seed in SEEDS:
        outcome = tell(task, RIGHT[task][name], seed)
        assert outcome.points == POINTS[task], (seed, outcome.said)
        said = [note for note in outcome.remarks.notes if not note.startswith("A prediction")]
        assert bool(said) == ((task, name) in NOTED or name.startswith("float32")), said


@pytest.mark.parametrize(("task", "name"), [(task, name) for task in WRONG for name in WRONG[task]])
def test_wrong_answers_lose_the_fitting_groups(task, name):
    lost, text = WRONG[task][name]
    for seed in SEEDS:
        outcome = tell(task, text, seed)
        assert outcome.points < POINTS[task]
        assert not [group for group in lost if outcome.passed[group]], (seed, outcome.passed)


@pytest.mark.parametrize("task", FUNCTIONS)
@pytest.mark.parametrize("kind", [*STUBS, *GARBAGE])
def test_stubs_and_garbage_earn_nothing(task, kind):
    text = {**STUBS, **GARBAGE}[kind].replace("{name}", FUNCTIONS[task])
    for seed in range(3):
        assert tell(task, text, seed).points == 0


@pytest.mark.parametrize("task", SHAPED_GARBAGE)
@pytest.mark.parametrize("fill", FILLS)
def test_garbage_of_the_right_shape_earns_nothing(task, fill):
    for seed in range(3):
        outcome = tell(task, FILLS[fill] + "\n" + SHAPED_GARBAGE[task], seed)
        assert outcome.points == 0, outcome.passed


@pytest.mark.parametrize("answer", ["True", "False", "bool(next(turns))", "rng.random() < 0.5", "callable(candidate)"])
def test_a_check_that_does_not_look_earns_nothing(answer):
    text = f"""
import itertools
turns = itertools.cycle([True, False])
rng = np.random.default_rng(3)
def check_attend(candidate): return {answer}
"""
    earned = [tell("testing", text, seed).points for seed in SEEDS]
    assert max(earned) <= (3 if "turns" in answer or "random" in answer else 0)
    assert np.mean(earned) < 0.1 * POINTS["testing"]


# ------------------------------------------------------------------------------------------------- one cost once


@pytest.mark.parametrize(
    ("task", "name", "kept"),
    [
        ("softmax", "whole_array", {"test_one_row", "test_odds"}),
        ("softmax", "axis_ignored", {"test_one_row", "test_matrix", "test_odds", "test_large_scores"}),
        ("softmax", "no_max", {"test_one_row", "test_matrix", "test_axis", "test_odds", "test_plain_inputs"}),
        ("attend", "blend_keys", {"test_weights"}),
        ("attend", "mean_values", {"test_weights"}),
        ("project", "v_truncated", {"test_queries", "test_keys"}),
        ("project", "k_uses_wq", {"test_queries", "test_values", "test_value_width"}),
        ("plural", "query_zero", {"test_slot", "test_prediction"}),
        ("identity", "eye8", {"test_eight_words"}),
        ("attend_all", "blend_keys", {"test_weights"}),
        ("cross", "v_uses_wk", {"test_weights"}),
        ("testing", "weights_only", {"test_accepts", "test_no_softmax", "test_scaled"}),
    ],
)
def test_what_is_right_is_kept(task, name, kept):
    outcome = tell(task, WRONG[task][name][1])
    assert kept <= {group for group, passed in outcome.passed.items() if passed}


# -------------------------------------------------------------------------------------------------------- bank


def replay(run: Any, faults: set[str], call: Any) -> tuple[Any, str | None, tuple[int, ...]]:
    """Return the model's value, the kind of its error, and the positions of the arguments that it changed."""
    args = copy.deepcopy(call.args)
    try:
        with quiet():
            value = through_the_wire(run(faults, *args, **copy.deepcopy(call.kwargs)))
    except Exception as error:
        return None, built_in_kind(error), ()
    return value, None, changed(call.args, args)


def alike(left: Any, right: Any) -> bool:
    if isinstance(left, list | tuple) and isinstance(right, list | tuple) and len(left) == len(right):
        return all(alike(a, b) for a, b in zip(left, right, strict=True))
    try:
        left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    except (TypeError, ValueError):
        return False
    return left.shape == right.shape and np.allclose(left, right, rtol=1e-9, atol=1e-12, equal_nan=True)


MODELS = {model.task: model for model in grader_module(COURSE, "misconceptions").MODELS}
LISTED = [(task, fault) for task in MODELS for fault in MODELS[task].faults]


def matches(task: str, faults: set[str], calls: list[Any]) -> bool:
    for call in calls:
        value, error, mutated = replay(MODELS[task].run, faults, call)
        if error != call.error or mutated != call.mutated:
            return False
        if error is None and not alike(value, call.value):
            return False
    return True


@pytest.mark.parametrize(("task", "fault"), LISTED, ids=lambda part: getattr(part, "id", part))
def test_each_listed_fault_costs_points_and_reads_well(task, fault):
    model, names = MODELS[task], supplied(task)
    names[model.function] = lambda *args, **kwargs: model.run({fault.id}, *args, **kwargs)
    names["predicted_winner"] = "birds"
    outcome = grade(COURSE, task, "", 1, names)
    assert (outcome.points == POINTS[task]) == fault.note_only, outcome.passed
    assert fault.sentence.endswith(".") and fault.example.endswith(".")
    assert matches(task, {fault.id}, outcome.calls)


@pytest.mark.parametrize("task", MODELS)
def test_a_model_without_faults_is_right(task):
    model, names = MODELS[task], supplied(task)
    names[model.function] = lambda *args, **kwargs: model.run(set(), *args, **kwargs)
    names["predicted_winner"] = "birds"
    for seed in range(3):
        assert grade(COURSE, task, "", seed, names).points == POINTS[task]


@pytest.mark.parametrize(
    ("task", "name"),
    [(task, name) for task in MODELS for name in WRONG[task] if name in {f.id for f in MODELS[task].faults}],
)
def test_an_answer_behaves_like_the_fault_of_its_name(task, name):
    calls = tell(task, WRONG[task][name][1], 2).calls
    assert matches(task, {name}, calls)
    others = [fault.id for fault in MODELS[task].faults if fault.id != name]
    assert not [other for other in others if matches(task, {other}, calls)]


def test_the_lessons_own_softmax_is_named_as_it_is():
    calls = tell("softmax", WRONG["softmax"]["lessons_own"][1]).calls
    assert matches("softmax", {"whole_array", "arrays_only"}, calls)


def test_two_faults_at_once_are_one_model_run():
    text = """
def softmax(x, axis=-1):
    e = np.exp(np.asarray(x, dtype=float))
    return e / e.sum(axis=-1, keepdims=True)
"""
    calls = tell("softmax", text).calls
    assert matches("softmax", {"no_max", "axis_ignored"}, calls)
    assert not matches("softmax", {"no_max"}, calls)
    assert not matches("softmax", {"axis_ignored"}, calls)


# ----------------------------------------------------------------------------------------------------- reading


def reading(ticks: Any, typed: str = "ada") -> Any:
    return tell("reading", f"student_id = {typed!r}\nreading = {ticks!r}")


def truth(typed: str = "ada") -> tuple[list[str], list[str]]:
    key = grader_module(COURSE, "reading_key").KEY
    shown = reference_names(COURSE)["variant"](typed, "reading")
    right = [letter for letter, statement in shown.items() if key[statement][0]]
    return right, [letter for letter in shown if letter not in right]


def test_every_statement_of_the_pool_has_a_key():
    pool = reference_names(COURSE)["POOLS"]["reading"]
    assert set(pool) == set(grader_module(COURSE, "reading_key").KEY)


def test_the_right_ticks_earn_everything_in_any_form():
    right, _ = truth()
    forms = [right, tuple(right), set(right), [letter.lower() for letter in right], right + right[:1]]
    forms += ["".join(right), ", ".join(right), " ".join(right).lower()]
    for form in forms:
        assert reading(form).points == 8, form


def test_wrong_ticks_cancel_right_ones():
    right, wrong = truth()
    assert reading([*right, wrong[0]]).points == 6
    assert reading(right[:1] + wrong[:1]).points == 0
    assert reading(wrong).points == 0
    assert 0 < reading(right[:-1]).points < 8


@pytest.mark.parametrize("ticks", [[], "ABCDEFGHIJKL", list("abcdefghijkl"), None, 3, [1, 2], ["all"], [True]])
def test_ticking_all_none_or_nonsense_earns_nothing(ticks):
    assert reading(ticks).points == 0


def test_any_id_of_the_owner_is_fine_and_another_one_is_reviewed():
    for typed in [*IDENTITIES, " ADA ", "Ada@Example.org", "ada@uni.edu"]:
        outcome = reading(truth(typed)[0], typed)
        assert (outcome.points, outcome.remarks.reviews) == (8, [])
    outcome = reading(truth("bob")[0], "bob")
    assert outcome.points == 8
    assert len(outcome.remarks.reviews) == 1


def test_without_an_id_nothing_was_shown():
    right, _ = truth("")
    assert reading(right, "").points == 0


def test_feedback_speaks_to_the_belief_behind_a_wrong_tick():
    right, wrong = truth()
    key, shown = grader_module(COURSE, "reading_key").KEY, reference_names(COURSE)["variant"]("ada", "reading")
    said = reading([*right, wrong[0]]).said["test_all"]
    assert key[shown[wrong[0]]][1] in said
