"""Grade `query_copy(K, i)` and `query_average(K, i, j)` by handing their queries to the unscaled attend."""

import numpy as np

from autograder.grading import Mismatch, array, group, is_single, note

SLACK = 0.01 + 1e-9


def draw_keys(rng, tokens, width):
    """Draw orthonormal keys, one a row."""
    return np.linalg.qr(rng.normal(size=(width, tokens)))[0].T


def check_blend(reference, raw, keys, targets, values):
    """Run attend with the query; the blend has to be the average of the values of the targets."""
    query = array(raw, shape=keys.shape[1:])
    with np.errstate(all="ignore"):
        blend, weights = reference.attend(query, keys, values)
    if not np.isfinite(blend).all():
        raise Mismatch("the scores of this query are too large for floats")
    if np.abs(blend - values[list(targets)].mean(axis=0)).max() > SLACK:
        raise Mismatch(_complaint(weights, targets))
    if is_single(raw):
        note("The query is in float32: accepted, though the course works in float64.")


def _complaint(weights, targets):
    shares = weights[list(targets)]
    if np.delete(weights, list(targets)).max(initial=0.0) >= shares.min():
        return "a token that was not asked for gets as much weight as one that was, or more"
    if shares.max() - shares.min() > 0.01:
        return "the two tokens do not get the same weight"
    return "the right tokens win, but the others keep too much weight: the query has to point more strongly"


def most_unlike(tokens, targets):
    """Return values that make the most of every weight at the wrong place, be it with a target or elsewhere."""
    values = np.array([[-1.0, 1.0, -1.0]]).repeat(tokens, axis=0)
    values[targets[0]] = [1.0, -1.0, 1.0]
    values[targets[-1]] = [1.0, -1.0, -1.0 if len(targets) == 2 else 1.0]
    return np.column_stack([values, values[:, ::-1] * [1.0, -1.0, -1.0]])


def pair(rng, tokens):
    return tuple(int(place) for place in rng.choice(tokens, size=2, replace=False))


@group("copies the value of the token that is asked for", points=3)
def test_copy(student, reference, rng):
    for tokens, width in ((4, 4), (3, 5), (7, 7), (1, 3), (5, 12)):
        keys = draw_keys(rng, tokens, width)
        for i in {int(rng.integers(tokens)), tokens - 1}:
            values = rng.uniform(-1, 1, size=(tokens, 3))
            check_blend(reference, student.query_copy(keys, i), keys, (i,), values)


@group("averages the values of the two tokens that are asked for", points=3)
def test_average(student, reference, rng):
    for tokens, width in ((4, 4), (3, 5), (7, 7), (2, 3), (5, 12)):
        keys = draw_keys(rng, tokens, width)
        i, j = pair(rng, tokens)
        for targets in ((i, j), (j, i)):
            values = rng.uniform(-1, 1, size=(tokens, 3))
            check_blend(reference, student.query_average(keys, *targets), keys, targets, values)


@group("copies to within 0.01 among sixteen tokens, however unlike their values are", points=1)
def test_copy_exactness(student, reference, rng):
    keys = draw_keys(rng, 16, 16)
    for i in (0, int(rng.integers(1, 16))):
        check_blend(reference, student.query_copy(keys, i), keys, (i,), most_unlike(16, (i,)))


@group("averages to within 0.01 among sixteen tokens, however unlike their values are", points=1)
def test_average_exactness(student, reference, rng):
    keys = draw_keys(rng, 16, 20)
    for targets in (pair(rng, 16), pair(rng, 16)):
        check_blend(reference, student.query_average(keys, *targets), keys, targets, most_unlike(16, targets))


@group("takes keys that are whole numbers, and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    keys = np.eye(5, dtype=np.int64)[rng.permutation(5)[:4]] * rng.choice([-1, 1], size=(4, 1))
    values = rng.uniform(-1, 1, size=(4, 3))
    i, j = pair(rng, 4)
    for given in (keys, keys.tolist(), keys.astype(float).tolist()):
        check_blend(reference, student.query_copy(given, i), keys, (i,), values)
        check_blend(reference, student.query_average(given, i, j), keys, (i, j), values)


@group("leaves the keys as they were", points=1, conditional=True)
def test_pure(student, rng):
    keys = draw_keys(rng, 5, 6)
    for call in (lambda: student.query_copy(keys, 2), lambda: student.query_average(keys, 1, 3)):
        call()
        if student.mutated:
            raise Mismatch("the keys were changed")
