"""Grade `attend(query, keys, values) -> (blend, weights)`: scores from keys, a blend of values."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, is_single, unpack

builds_on = ("softmax",)

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
SIZES = ((4, 4, 4), (5, 3, 4), (6, 4, 2), (8, 3, 5), (1, 3, 2), (5, 2, 1), (3, 1, 4))  # tokens, key width, value width


def draw(rng, tokens, width, value_width, spread=1.0):
    query = rng.normal(size=width) * spread
    return query, rng.normal(size=(tokens, width)), rng.normal(size=(tokens, value_width))


def shared(student, reference, rng):
    """Return what came of ordinary sentences, beside what should."""
    cases = [draw(rng, *sizes) for sizes in SIZES]
    cases += [draw(rng, *sizes, spread) for spread in (12.0, 0.01) for sizes in SIZES[:3]]
    return [(raw, reference.attend(*inputs)) for inputs, raw in zip(cases, student.attend.each(cases), strict=True)]


def check_part(shared, part):
    for raw, wanted in shared:
        agree(unpack(raw, 2)[part], wanted[part], like=raw)


@group("weighs the tokens by the softmax of keys @ query", points=4)
def test_weights(shared):
    check_part(shared, 1)


@group("blends the values by those weights", points=4)
def test_blend(shared):
    check_part(shared, 0)


@group("lets a value move the blend by its token's share and the weights not at all", points=3)
def test_influence(student, rng):
    query, keys, values = draw(rng, 6, 4, 4)
    odds = np.exp(keys @ query - (keys @ query)[0])
    step = rng.uniform(0.5, 1.5, size=4)
    moves = [values + np.outer(np.eye(6)[token], step) for token in range(6)]
    before, *all_after = student.attend.each([(query, keys, moved) for moved in (values, *moves)])
    blend, weights = (array(part) for part in unpack(before, 2))
    for token, after in enumerate(all_after):
        new_blend, new_weights = unpack(after, 2)
        agree(new_weights, weights, like=before)
        agree(array(new_blend, shape=(4,)) - array(blend, shape=(4,)), step * odds[token] / odds.sum(), like=after)


@group("gives shares of one whole that stay with their tokens, whatever the order", points=2)
def test_tokens(student, rng):
    query, keys, values = draw(rng, 6, 3, 5)
    keys[4] = keys[1]
    keys[2], keys[3] = query / 2, -query / 2
    order = np.roll(rng.permutation(5), 1)
    order = np.concatenate([order + 1, [0]])
    raw, moved = student.attend.each([(query, keys, values), (query, keys[order], values[order])])
    blend, weights = unpack(raw, 2)
    weights = array(weights, shape=(6,))
    if not (weights > 0).all() or abs(weights.sum() - 1) > (1e-4 if is_single(raw) else 2e-7):
        raise Mismatch("the weights are not positive shares that add up to 1")
    agree(weights[4], weights[1], like=raw)
    if list(np.argsort((keys @ query)[[0, 1, 2, 3, 5]])) != list(np.argsort(weights[[0, 1, 2, 3, 5]])):
        raise Mismatch("a token that matches the query better does not always get more")
    agree(moved, (array(blend, shape=(5,)), weights[order]), like=raw)


@group("stays right when scores are huge", points=1)
def test_large_scores(student, reference, rng):
    query = np.array([40.0, -30.0, 50.0])
    keys = rng.integers(-16, 17, size=(7, 3)).astype(float)
    keys[1] = [16.0, -16.0, 16.0]
    values = rng.normal(size=(7, 2))
    low = rng.integers(8, 18, size=(7, 3)).astype(float)  # every score lies far below 0
    cases = [(query, keys, values), (-query, keys, values), (np.array([-40.0, -30.0, -50.0]), low, values)]
    for inputs, raw in zip(cases, student.attend.each(cases), strict=True):
        agree(raw, reference.attend(*inputs))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    query, keys = rng.integers(-2, 3, size=3), rng.integers(-2, 3, size=(5, 3))
    query[0], keys[0], keys[1] = 1, query, -query
    values = rng.integers(-9, 10, size=(5, 4))
    wanted = reference.attend(query, keys, values)
    for raw in student.attend.each([(query, keys, values), (query.tolist(), keys.tolist(), values.tolist())]):
        agree(raw, wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    student.attend.each([draw(rng, *sizes) for sizes in ((6, 3, 4), (4, 4, 4))])
    if student.mutated:
        raise Mismatch("`attend` changed an array that it was given")
