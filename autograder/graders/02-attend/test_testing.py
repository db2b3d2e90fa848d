"""Grade `check_attend(candidate) -> bool`: the student's own tests, tried on right and wrong candidates.

All candidates are asked about in one go, in drawn order and in a fresh worker. Every group looks at answers on right
ones and on wrong ones, so that an answer which never changes, or which only counts calls, earns nothing.
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


WRONG = (
    raw_scores, axis_of_tokens_too_early, axis_of_features, scores_from_values, blended_keys, swapped_results,
    scaled_down, hard_pick, winner_only, raises,
)  # fmt: skip


def shared(student, rng):
    """Ask about every candidate, in drawn order and about the wrong ones twice; each group judges from the answers."""
    candidates, answers = (*RIGHT, *WRONG, *WRONG), {}
    for place in rng.permutation(len(candidates)):
        candidate = candidates[place]
        answers.setdefault(candidate, []).append(ask(student, candidate))
    return answers


def ask(student, candidate):
    """Return the student's answer, or what it raised; an AssertionError out of `check_attend` counts as False."""
    try:
        answer = student.check_attend(candidate)
    except StudentError as error:
        return False if error.kind == "AssertionError" else error
    if not isinstance(answer, bool | np.bool_):
        return Mismatch("`check_attend` has to answer True or False")
    return bool(answer)


def expect(answers, wanted):
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
        if answer != wanted:
            raise Mismatch("refused a right candidate" if wanted else "accepted a wrong candidate")


def tell_apart(shared, right, wrong):
    for candidate in right:
        expect(shared[candidate], True)
    for candidate in wrong:
        expect(shared[candidate], False)


def tell_fault(shared, rng, *wrong):
    """Look at the answers on three right candidates as well, so that luck and counting do not help."""
    tell_apart(shared, [RIGHT[place] for place in rng.choice(len(RIGHT), size=3, replace=False)], wrong)


@group("accepts right candidates however they are written, and not just any candidate", points=3, fresh=True)
def test_accepts(shared):
    tell_apart(shared, RIGHT, (raw_scores, swapped_results))


@group("tells a candidate without softmax from right ones", points=1)
def test_no_softmax(shared, rng):
    tell_fault(shared, rng, raw_scores)


@group("tells a candidate with its softmax along the wrong axis from right ones", points=1)
def test_wrong_axis(shared, rng):
    tell_fault(shared, rng, axis_of_tokens_too_early, axis_of_features)


@group("tells a candidate that scores the values from right ones", points=2)
def test_scores_from_values(shared, rng):
    tell_fault(shared, rng, scores_from_values)


@group("tells a candidate that blends the keys from right ones", points=1)
def test_blended_keys(shared, rng):
    tell_fault(shared, rng, blended_keys)


@group("tells a candidate that swaps its two results from right ones", points=1)
def test_swapped(shared, rng):
    tell_fault(shared, rng, swapped_results)


@group("tells a candidate that divides its scores from right ones", points=1)
def test_scaled(shared, rng):
    tell_fault(shared, rng, scaled_down)


@group("tells a candidate that copies the winner from right ones", points=1)
def test_hard_pick(shared, rng):
    tell_fault(shared, rng, hard_pick, winner_only)


@group("answers False, and does not stop, when a candidate raises", points=1)
def test_raises(shared, rng):
    tell_fault(shared, rng, raises)
