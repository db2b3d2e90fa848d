"""Try what is special to the graders of `04-kv-cache`: shared heads, objects with a state, sizes, large calls."""

from typing import Any

import numpy as np
import pytest
from local_student import Outcome, grade, grader_module, reference_names

from autograder.sandbox.student import MAX_SUPPLIED_ITEMS, _bounded

COURSE = "04-kv-cache"
ANSWERS = grader_module(COURSE, "answers")
FUNCTIONS = {
    "split_heads": "split_heads",
    "gqa": "grouped_query_attention",
    "cache": "GQACache",
    "sizes": "cache_bytes",
    "mla": "latent_attention",
    "absorbed": "absorbed_attention",
}


def tell(task: str, text: str, seed: int = 0) -> Outcome:
    given = {name: value for name, value in reference_names(COURSE).items() if name != FUNCTIONS[task]}
    return grade(COURSE, task, text, seed, given)


def passed(outcome: Outcome) -> set[str]:
    return {name for name, verdict in outcome.passed.items() if verdict}


@pytest.mark.parametrize(
    ("task", "name", "lost"),
    [
        ("split_heads", "no_check", {"test_refuses"}),
        ("gqa", "causal_upper_left", {"test_causal", "test_sees_nothing"}),
        ("gqa", "causal_ignored", {"test_causal", "test_sees_nothing", "test_large_scores"}),
        ("gqa", "mask_nan", {"test_sees_nothing"}),
        ("gqa", "floor_div", {"test_refuses"}),
        ("gqa", "no_max", {"test_large_scores"}),
        ("cache", "expanded", {"test_memory"}),
        ("cache", "big_buffer", {"test_memory"}),
        ("cache", "keeps_reference", {"test_overwritten"}),
        ("cache", "keeps_references", {"test_overwritten"}),
        ("cache", "mutates", {"test_overwritten"}),
        ("cache", "fork_buffer", {"test_forks"}),
        ("cache", "more_queries", {"test_refused_queries"}),
        ("cache", "half_checked", {"test_refused_appends"}),
        ("sizes", "mla_two", {"test_mla"}),
        ("sizes", "float_div", {"test_exact"}),
        ("mla", "cache_x", {"test_latent", "test_gauge", "test_plain_inputs"}),
        ("absorbed", "rebuilds", {"test_no_keys", "test_no_values"}),
        ("absorbed", "rebuilds_keys", {"test_no_keys"}),
        ("absorbed", "rebuilds_values", {"test_no_values"}),
    ],
)
def test_one_fault_costs_what_it_concerns(task: str, name: str, lost: set[str]) -> None:
    outcome = tell(task, ANSWERS.WRONG[task][name][1])
    assert set(outcome.passed) - passed(outcome) == lost, outcome.said


@pytest.mark.parametrize(("task", "supplied"), [("cache", "grouped_query_attention")])
def test_a_supplied_answer_is_not_asked_too_much(task: str, supplied: str) -> None:
    bounded = _bounded(reference_names(COURSE)[supplied], MAX_SUPPLIED_ITEMS)
    given = {**reference_names(COURSE), supplied: bounded}
    for name, text in ANSWERS.RIGHT[task].items():
        assert grade(COURSE, task, text, supplied=given).said == {}, name


def graded_heads(task: str) -> set[tuple[int, int]]:
    """Return (query heads, kv heads) of all calls of attention that a right answer gets."""
    found = set()
    kv_heads: dict[Any, int] = {}
    for call in tell(task, ANSWERS.RIGHT[task]["concatenate" if task == "cache" else "repeat"]).calls:
        if call.name == "GQACache":
            kv_heads[call.value] = call.args[0]
        elif call.name == "fork":
            kv_heads[call.value] = kv_heads[call.owner]
        elif call.name == "attend" and call.error is None:
            found.add((len(call.args[0]), kv_heads[call.owner]))
        elif call.name == "grouped_query_attention" and call.error is None:
            found.add((len(call.args[0]), len(call.args[1])))
    return found


@pytest.mark.parametrize("task", ["gqa", "cache"])
def test_most_graded_heads_tell_sharing_apart(task: str) -> None:
    telling = {(h, g) for h, g in graded_heads(task) if 1 < g < h and h != g * g}
    assert len(telling) >= 3
    assert len({h // g for h, g in telling}) >= 2


@pytest.mark.parametrize("task", ["cache", "absorbed"])
def test_only_small_calls_are_kept_for_the_diagnosis(task: str) -> None:
    right = next(iter(ANSWERS.RIGHT[task].values()))
    sizes = [np.size(arg) for call in tell(task, right).calls for arg in call.args]
    assert sizes and max(sizes) < 10_000


@pytest.mark.parametrize(("factor", "fine"), [(1.0, True), (2.0, True), (2.1, False), (0.99, False), (0.5, False)])
def test_a_buffer_may_be_up_to_twice_as_large(factor: float, fine: bool) -> None:
    right = ANSWERS.RIGHT["cache"]["concatenate"]
    text = right.replace("self.K.nbytes + self.V.nbytes", f"int({factor} * (self.K.nbytes + self.V.nbytes))")
    assert text != right
    outcome = tell("cache", text)
    assert outcome.points == (24 if fine else 21), outcome.said


def test_below_64_tokens_a_buffer_may_have_any_size() -> None:
    right = ANSWERS.RIGHT["cache"]["growing_buffer"]
    assert tell("cache", right.replace("16", "64")).points == 24


def test_a_cache_that_answers_nothing_earns_nothing() -> None:
    text = """
class GQACache:
    def __init__(self, g, d_k, d_v): self.g, self.d, self.v, self.n = g, d_k, d_v, 0
    def append(self, keys, values): self.n += np.shape(keys)[1]
    def attend(self, queries): return np.zeros((*np.shape(queries)[:2], self.v))
    def __len__(self): return self.n
    @property
    def nbytes(self): return 16 * self.g * self.n * self.d
    def fork(self):
        other = GQACache(self.g, self.d, self.v)
        other.n = self.n
        return other
"""
    for answer in (text, text.replace("np.zeros", "np.ones"), text.replace("np.zeros(", "np.random.random(")):
        assert tell("cache", answer).points == 0


def test_other_exceptions_than_a_value_error_lose_the_refusals_only() -> None:
    right = ANSWERS.RIGHT["cache"]["growing_buffer"]
    outcome = tell("cache", right.replace("raise ValueError", "raise RuntimeError"))
    assert outcome.points == 21
    assert "RuntimeError" in outcome.said["test_refused_queries"]
