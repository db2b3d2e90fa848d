"""Try on `02-attend` what is special to it, in this process; what all graders promise is in test_graders.py."""

from typing import Any

import numpy as np
import pytest
from local_student import IDENTITIES, grader_module, reference_names
from test_graders import SEEDS, TASKS, answers, named
from test_graders import tell as tell_of_any

COURSE = "02-attend"
WRONG = answers(COURSE).wrong

SHAPED_GARBAGE = {
    "softmax": "def softmax(x, axis=-1): return FILL(np.shape(x))",
    "attend": "def attend(q, k, v): return FILL(np.shape(v)[1]), FILL(len(k))",
    "project": "def project(X, a, b, c): return tuple(FILL((len(X), np.shape(w)[1])) for w in (a, b, c))",
    "plural": "def add_plural_slot(E, f): return FILL((len(E), len(E[0]) + 1)), FILL(len(E[0]) + 1)",
    "identity": "def weights_by_identity(q, k): return FILL(len(k))",
    "attend_all": "def attend_all(Q, K, V): return FILL((len(Q), np.shape(V)[1])), FILL((len(Q), len(K)))",
    "cross": "def cross_attend(x, y, a, b, c): return FILL((len(x), np.shape(c)[1])), FILL((len(x), len(y)))",
}

FILLS = {
    "zeros": "FILL = np.zeros",
    "ones": "FILL = np.ones",
    "shares": "def FILL(shape): return np.full(shape, 1 / np.atleast_1d(shape)[-1])",
    "noise": "FILL = np.random.default_rng(0).random",
    "noisy_shares": """
def FILL(shape):
    e = np.random.default_rng(0).random(shape)
    return e / e.sum(-1, keepdims=True)
""",
}


def tell(task: str, text: str, seed: int = 0) -> Any:
    return tell_of_any(COURSE, task, text, seed)


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
    assert np.mean(earned) < 0.1 * TASKS[COURSE, "testing"].points


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


def test_the_lessons_own_softmax_is_named_as_it_is():
    outcome = tell("softmax", WRONG["softmax"]["lessons_own"][1])
    assert sorted(named(COURSE, "softmax", outcome)) == ["arrays_only", "whole_array"]


def test_two_faults_at_once_are_reported_as_two():
    text = """
def softmax(x, axis=-1):
    e = np.exp(np.asarray(x, dtype=float))
    return e / e.sum(axis=-1, keepdims=True)
"""
    assert sorted(named(COURSE, "softmax", tell("softmax", text))) == ["axis_ignored", "no_max"]


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
