"""What is special about `05-lineage`: one cost for one fault, constructions that are run, formats that are measured."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from local_student import grade, grader_module, reference_names

from autograder.course import Course
from autograder.grading import Mismatch
from autograder.grading.diagnosis import diagnose

COURSE = "05-lineage"
FUNCTIONS = {"limits": {"zero_gap"}, "aim": {"query_copy", "query_average"}, "scaled": {"scaled_dot_product_attention"}}
BANK = grader_module(COURSE, "misconceptions")
WRONG = grader_module(COURSE, "answers").WRONG


def tell(task: str, text: str, seed: int = 0) -> Any:
    kept = {name: value for name, value in reference_names(COURSE).items() if name not in FUNCTIONS.get(task, ())}
    return grade(COURSE, task, text, seed, kept)


def passed(outcome: Any) -> set[str]:
    return {name for name, fine in outcome.passed.items() if fine}


# ------------------------------------------------------------------------------------------------ one cost once

MASKED = {"test_mask", "test_mask_shapes", "test_nothing_to_see", "test_causal", "test_causal_ends", "test_both"}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("no_scale", MASKED),
        ("scale_width", MASKED),
        ("mask_ignored", {"test_weights", "test_out", "test_causal", "test_causal_ends"}),
        ("mask_minus1e9", MASKED - {"test_nothing_to_see"}),
        ("mask_nan", MASKED - {"test_nothing_to_see"}),
        ("mask_inverted", {"test_weights", "test_out", "test_causal", "test_causal_ends"}),
        ("causal_upper_left", {"test_mask", "test_mask_shapes", "test_causal", "test_weights", "test_out"}),
        ("causal_strict", {"test_mask", "test_mask_shapes", "test_weights", "test_out"}),
        ("kT_all_axes", MASKED - {"test_mask_shapes"}),
        ("no_max", MASKED),
        ("mean_out", {"test_weights"}),
        ("q_in_place", MASKED | {"test_weights", "test_out", "test_batch"}),
    ],
)  # fmt: skip
def test_what_is_right_of_scaled_attention_is_kept(name: str, kept: set[str]) -> None:
    for seed in range(3):
        assert kept <= passed(tell("scaled", WRONG["scaled"][name][1], seed))


@pytest.mark.parametrize(
    "pair", [("no_scale", "mask_inverted"), ("causal_upper_left", "mask_nan"), ("query_axis", "no_scale"),
             ("causal_strict", "mask_zero_score"), ("scale_dv", "swapped"), ("mask_on_queries", "causal_leak1")]
)  # fmt: skip
def test_two_faults_at_once_are_named_as_two(pair: tuple[str, str]) -> None:
    names = dict(reference_names(COURSE))
    names["scaled_dot_product_attention"] = lambda *args, **kwargs: BANK.scaled(frozenset(pair), *args, **kwargs)
    calls = grade(COURSE, "scaled", "", 3, names).calls
    assert {found.id for found in diagnose("scaled", calls, BANK.MODELS)} == set(pair)


# ------------------------------------------------------------------------------------------------------- limits

FORMATS = ("float64", "float32", "float16")


@pytest.mark.parametrize("name", FORMATS)
def test_the_gap_is_what_numpy_does(name: str) -> None:
    gap = grader_module(COURSE, "test_limits").smallest_gap(name)

    def smaller_weight(distance: float) -> Any:
        powers = np.exp(np.array([0.0, -distance], dtype=name))
        return (powers / powers.sum())[1]

    assert smaller_weight(gap - 0.02) > 0
    assert smaller_weight(gap + 0.02) == 0
    assert reference_names(COURSE)["zero_gap"](name) == pytest.approx(gap, abs=0.02)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("miss", [-0.019, 0.0, 0.019, -0.021, 0.021, np.nan, np.inf])
def test_the_slack_is_two_hundredths(name: str, miss: float) -> None:
    limits = grader_module(COURSE, "test_limits")
    answer = limits.smallest_gap(name) + miss
    if abs(miss) < 0.02:
        assert limits.check_gap(answer, name) == answer
    else:
        with pytest.raises(Mismatch):
            limits.check_gap(answer, name)


@pytest.mark.parametrize("constant", [745.13, 103.97, 17.34, 0.0, 20.0])
def test_a_constant_gap_earns_nothing(constant: float) -> None:
    assert tell("limits", f"def zero_gap(dtype): return {constant}").points == 0


@pytest.mark.parametrize("form", ["isinstance(dtype, str)", "isinstance(dtype, np.dtype)", "isinstance(dtype, type)"])
def test_one_form_of_a_dtype_costs_one_group(form: str) -> None:
    text = f"""
def zero_gap(dtype):
    assert {form}
    return np.log(2) - np.log(float(np.finfo(np.dtype(dtype)).smallest_subnormal))
"""
    outcome = tell("limits", text)
    assert passed(outcome) == {"test_float64", "test_float32", "test_float16"}


def test_the_release_prints_no_gap() -> None:
    text = Course.find(Path(__file__)).assignment(COURSE).release.read_text()
    assert not [number for number in ("745", "103.9", "104", "17.3") if number in text]


# ---------------------------------------------------------------------------------------------------------- aim


def aimed(copy: str, average: str) -> Any:
    text = f"""
def query_copy(K, i):
    K = np.array(K, dtype=float)
    return {copy}
def query_average(K, i, j):
    K = np.array(K, dtype=float)
    return {average}
"""
    return tell("aim", text)


@pytest.mark.parametrize("strength", [1.001, 2, 30, 1e6])
def test_any_query_that_is_strong_enough_is_right(strength: float) -> None:
    copy, average = np.log(15 * 199) * strength, np.log(14 * 199 / 2) * strength
    assert aimed(f"{copy} * K[i]", f"{average} * (K[i] + K[j])").points == 10


def test_a_query_a_little_too_weak_loses_only_the_exact_groups() -> None:
    copy, average = np.log(15 * 199) * 0.999, np.log(14 * 199 / 2) * 0.999
    outcome = aimed(f"{copy} * K[i]", f"{average} * (K[i] + K[j])")
    assert set(outcome.passed) - passed(outcome) == {"test_copy_exactness", "test_average_exactness"}
    assert "point more strongly" in outcome.said["test_copy_exactness"]


def test_what_lies_beside_the_keys_does_not_matter() -> None:
    beside = "(np.eye(K.shape[1]) - K.T @ K) @ np.arange(K.shape[1])"
    assert aimed(f"20 * K[i] + 9 * {beside}", f"20 * (K[i] + K[j]) - 9 * {beside}").points == 10


@pytest.mark.parametrize("value", ["np.inf", "-np.inf", "np.nan", "1e308 * 10"])
def test_a_query_that_is_not_finite_earns_nothing(value: str) -> None:
    assert aimed(f"np.where(K[i] != 0, {value}, 0)", f"np.where(K[i] != 0, {value}, 0)").points == 0


@pytest.mark.parametrize(
    ("average", "said"),
    [
        ("20 * K[i]", "a token that was not asked for"),
        ("20 * K[i] + 20.1 * K[j]", "do not get the same weight"),
        ("5 * (K[i] + K[j])", "point more strongly"),
        ("[20 * K[i]]", "shape"),
    ],
)
def test_a_wrong_average_is_told_why(average: str, said: str) -> None:
    outcome = aimed("20 * K[i]", average)
    assert said in outcome.said["test_average"]
    assert {"test_copy", "test_copy_exactness"} <= passed(outcome)
