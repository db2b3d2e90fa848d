"""Grade `check_attend(candidate) -> bool`: the student's own tests, tried on right and wrong candidates.

Every group asks about right candidates and wrong ones, in drawn order and in a fresh worker, so that an answer which
never changes, or which only counts calls, earns nothing.
"""

import numpy as np

from autograder.grading import Mismatch, StudentError, group


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def arrays(*inputs):
    return tuple(np.array(part, dtype=float) for part in inputs)


def right_vectorised(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    weights = softmax(keys @ query)
    return weights @ values, weights


def right_loops(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    scores = [sum(k * q for k, q in zip(key, query, strict=True)) for key in keys]
    powers = [np.exp(score - max(scores)) for score in scores]
    weights = np.array([power / sum(powers) for power in powers])
    blend = np.zeros(values.shape[1])
    for weight, value in zip(weights, values, strict=True):
        blend += weight * value
    return blend, weights


def right_einsum(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    scores = np.einsum("td,d->t", keys, query)
    weights = np.exp(scores - np.logaddexp.reduce(scores))
    return np.einsum("t,tv->v", weights, values), weights


def right_odds(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    scores = keys @ query
    with np.errstate(over="ignore"):
        weights = 1 / np.exp(scores[None, :] - scores[:, None]).sum(axis=1)
    return (weights[:, None] * values).sum(axis=0), weights


def right_average(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    scores = np.inner(query, keys)
    powers = np.exp(scores - scores.max())
    return np.average(values, axis=0, weights=powers), powers / powers.sum()


def raw_scores(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    weights = keys @ query
    return weights @ values, weights


def axis_of_tokens_too_early(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    products = np.exp(keys * query)
    weights = (products / products.sum(axis=0)).mean(axis=1)
    return weights @ values, weights


def axis_of_features(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    products = np.exp(keys * query)
    weights = (products / products.sum(axis=1, keepdims=True)).sum(axis=1)
    return weights @ values, weights


def scores_from_values(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    width = min(len(query), values.shape[1])
    weights = softmax(values[:, :width] @ query[:width])
    return weights @ values, weights


def blended_keys(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    weights = softmax(keys @ query)
    return weights @ keys, weights


def swapped_results(query, keys, values):
    blend, weights = right_vectorised(query, keys, values)
    return weights, blend


def scaled_down(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    weights = softmax(keys @ query / np.sqrt(len(query)))
    return weights @ values, weights


def hard_pick(query, keys, values):
    query, keys, values = arrays(query, keys, values)
    weights = np.eye(len(keys))[np.argmax(keys @ query)]
    return weights @ values, weights


def winner_only(query, keys, values):
    _, weights = right_vectorised(query, keys, values)
    return np.array(values, dtype=float)[np.argmax(weights)], weights


def raises(query, keys, values):
    raise ValueError("this candidate always fails")


RIGHT = (right_vectorised, right_loops, right_einsum, right_odds, right_average)


def says_yes(student, candidate):
    """Return the student's answer; an AssertionError out of `check_attend` counts as False."""
    try:
        answer = student.check_attend(candidate)
    except StudentError as error:
        if error.kind != "AssertionError":
            raise
        return False
    if not isinstance(answer, bool | np.bool_):
        raise Mismatch("`check_attend` has to answer True or False")
    return bool(answer)


def tell_apart(student, rng, right, wrong):
    """Ask about every candidate in drawn order."""
    candidates = [(candidate, True) for candidate in right] + [(candidate, False) for candidate in wrong]
    for place in rng.permutation(len(candidates)):
        candidate, wanted = candidates[place]
        if says_yes(student, candidate) != wanted:
            raise Mismatch("accepted a wrong candidate" if not wanted else "refused a right candidate")


def tell_fault(student, rng, *wrong):
    """Ask about five candidates, two or three of them right, so that luck and counting do not help."""
    count = int(rng.integers(2, 4))
    right = [RIGHT[place] for place in rng.choice(len(RIGHT), size=count, replace=False)]
    tell_apart(student, rng, right, (wrong * 3)[: 5 - count])


@group("accepts right candidates however they are written, and not just any candidate", points=3, fresh=True)
def test_accepts(student, rng):
    tell_apart(student, rng, RIGHT, (raw_scores, swapped_results, raw_scores))


@group("tells a candidate without softmax from right ones", points=1)
def test_no_softmax(student, rng):
    tell_fault(student, rng, raw_scores)


@group("tells a candidate with its softmax along the wrong axis from right ones", points=1)
def test_wrong_axis(student, rng):
    tell_fault(student, rng, axis_of_tokens_too_early, axis_of_features)


@group("tells a candidate that scores the values from right ones", points=2)
def test_scores_from_values(student, rng):
    tell_fault(student, rng, scores_from_values)


@group("tells a candidate that blends the keys from right ones", points=1)
def test_blended_keys(student, rng):
    tell_fault(student, rng, blended_keys)


@group("tells a candidate that swaps its two results from right ones", points=1)
def test_swapped(student, rng):
    tell_fault(student, rng, swapped_results)


@group("tells a candidate that divides its scores from right ones", points=1)
def test_scaled(student, rng):
    tell_fault(student, rng, scaled_down)


@group("tells a candidate that copies the winner from right ones", points=1)
def test_hard_pick(student, rng):
    tell_fault(student, rng, hard_pick, winner_only)


@group("answers False, and does not stop, when a candidate raises", points=1)
def test_raises(student, rng):
    tell_fault(student, rng, raises)
