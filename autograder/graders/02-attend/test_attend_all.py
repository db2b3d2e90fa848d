"""Grade `attend_all(Q, K, V) -> (out, weights)`: every query at once, unscaled."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, unpack

builds_on = ("softmax", "attend")

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
# queries, tokens, key width, value width
SIZES = ((4, 4, 4, 4), (5, 6, 3, 4), (7, 3, 2, 5), (2, 8, 6, 3), (1, 5, 3, 2), (3, 1, 4, 2), (2, 3, 1, 1))


def draw(rng, queries, tokens, width, value_width, spread=1.0):
    q = rng.normal(size=(queries, width)) * spread
    return q, rng.normal(size=(tokens, width)), rng.normal(size=(tokens, value_width))


def shared(student, reference, rng):
    """Return what came of ordinary sentences, beside what should."""
    cases = [draw(rng, *sizes) for sizes in SIZES]
    cases += [draw(rng, *sizes, spread) for spread in (8.0, 0.01) for sizes in SIZES[:3]]
    return [
        (raw, reference.attend_all(*inputs)) for inputs, raw in zip(cases, student.attend_all.each(cases), strict=True)
    ]


def check_part(shared, part):
    for raw, wanted in shared:
        agree(unpack(raw, 2)[part], wanted[part], like=raw)


@group("gives each query a row of weights over the keys, unscaled", points=4)
def test_weights(shared):
    check_part(shared, 1)


@group("blends the values once per query", points=4)
def test_out(shared):
    check_part(shared, 0)


@group("answers a query the same way alone and among others", points=2)
def test_alone(student, rng):
    q, k, v = draw(rng, 4, 6, 3, 5)
    raw, *rows = student.attend_all.each([(q, k, v), *((q[row : row + 1], k, v) for row in range(4))])
    out, weights = unpack(raw, 2)
    out, weights = array(out, shape=(4, 5)), array(weights, shape=(4, 6))
    scores = q @ k.T
    if not (weights > 0).all():
        raise Mismatch("a weight is not positive although the scores lie close together")
    agree(weights / weights[:, :1], np.exp(scores - scores[:, :1]), like=raw)
    for row, alone in enumerate(rows):
        agree(alone, (out[row : row + 1], weights[row : row + 1]), like=raw)


@group("lets a value move the outputs by its token's share and the weights not at all", points=1)
def test_influence(student, rng):
    q, k, v = draw(rng, 3, 5, 4, 4)
    odds = np.exp(q @ k.T)
    shares = odds / odds.sum(axis=1, keepdims=True)
    token, step = int(rng.integers(5)), rng.uniform(0.5, 1.5, size=4)
    moved = v.copy()
    moved[token] += step
    before, after = student.attend_all.each([(q, k, v), (q, k, moved)])
    out, weights = unpack(before, 2)
    wanted = (array(out, shape=(3, 4)) + np.outer(shares[:, token], step), array(weights))
    agree(after, wanted, like=before)


@group("stays right when scores are huge", points=1)
def test_large_scores(student, reference, rng):
    q = np.array([[40.0, 30.0, 50.0], [-40.0, -60.0, -50.0], [1.0, 0.0, -1.0]])
    k = rng.integers(20, 33, size=(5, 3)).astype(float)
    v = rng.normal(size=(5, 2))
    alone = np.where(np.arange(5)[:, None] == rng.integers(5), k, rng.normal(size=(5, 3)))  # one key far above all
    cases = [(q, k, v), (q, alone, v)]
    for inputs, raw in zip(cases, student.attend_all.each(cases), strict=True):
        agree(raw, reference.attend_all(*inputs))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    inputs = [rng.integers(-2, 3, size=shape) for shape in ((3, 2), (5, 2), (5, 4))]
    inputs[0][0], inputs[1][0], inputs[1][1] = [2, 1], [1, 1], [-1, -1]
    wanted = reference.attend_all(*inputs)
    for raw in student.attend_all.each([inputs, [part.tolist() for part in inputs]]):
        agree(raw, wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    student.attend_all.each([draw(rng, *sizes) for sizes in ((5, 6, 3, 4), (4, 4, 4, 4))])
    if student.mutated:
        raise Mismatch("`attend_all` changed an array that it was given")
