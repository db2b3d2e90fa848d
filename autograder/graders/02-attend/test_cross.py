"""Grade `cross_attend(X_q, X_kv, W_q, W_k, W_v) -> (out, weights)`: one side asks, the other is read."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, unpack

builds_on = ("softmax", "attend", "project", "attend_all")

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
# askers, tokens read, width of either side, key width, value width
SIZES = (
    (4, 4, 4, 4, 4, 4),
    (3, 5, 4, 6, 2, 7),
    (6, 4, 3, 5, 7, 2),
    (5, 3, 4, 4, 3, 2),
    (1, 6, 3, 4, 2, 5),
    (2, 3, 1, 2, 1, 1),
)


def draw(rng, askers, tokens, asking, reading, width, value_width, spread=0.6):
    shapes = ((askers, asking), (tokens, reading), (asking, width), (reading, width), (reading, value_width))
    return tuple(rng.normal(size=shape) * spread for shape in shapes)


def shared(student, reference, rng):
    """Return what came of ordinary sentences, beside what should."""
    cases = [draw(rng, *sizes) for sizes in SIZES]
    cases += [draw(rng, *sizes, spread) for spread in (1.5, 0.3) for sizes in SIZES[:3]]
    return [
        (raw, reference.cross_attend(*inputs))
        for inputs, raw in zip(cases, student.cross_attend.each(cases), strict=True)
    ]


def check_part(shared, part):
    for raw, wanted in shared:
        agree(unpack(raw, 2)[part], wanted[part], like=raw)


@group("weighs the second sequence for each query made from the first, unscaled", points=2)
def test_weights(shared):
    check_part(shared, 1)


@group("blends values made from the second sequence", points=3)
def test_out(shared):
    check_part(shared, 0)


@group("reads the second sequence in any order, and lets each asker read it differently", points=2)
def test_order(student, rng):
    asking, read, *matrices = draw(rng, 3, 6, 4, 5, 2, 3, spread=0.9)
    order = np.roll(np.arange(6), 1 + int(rng.integers(5)))
    sides = [(asking, read), (asking, read[order]), (asking[::-1].copy(), read), (asking, np.vstack([read, read]))]
    raw, moved, reversed_, doubled = student.cross_attend.each([(*side, *matrices) for side in sides])
    out, weights = unpack(raw, 2)
    out, weights = array(out, shape=(3, 3)), array(weights, shape=(3, 6))
    if not (weights > 0).all() or np.abs(weights.sum(axis=1) - 1).max() > 1e-4:
        raise Mismatch("a row of weights is not made of positive shares that add up to 1")
    if np.abs(weights - weights[0]).max() < 1e-6 or np.abs(out - out[0]).max() < 1e-6:
        raise Mismatch("different askers get the same answer")
    agree(moved, (out, weights[:, order]), like=raw)
    agree(reversed_, (out[::-1], weights[::-1]), like=raw)
    agree(doubled, (out, np.hstack([weights, weights]) / 2), like=raw)


@group("stays right when scores are huge", points=1)
def test_large_scores(student, reference, rng):
    asking, read = rng.integers(10, 17, size=(3, 2)).astype(float), rng.integers(10, 17, size=(5, 4)).astype(float)
    asking[0] *= -1
    matrices = np.ones((2, 3)), np.ones((4, 3)), rng.normal(size=(4, 2))
    alone = np.where(np.arange(5)[:, None] == rng.integers(5), read, rng.integers(-1, 2, size=(5, 4)))
    cases = [(asking, read, *matrices), (asking, alone, *matrices)]  # in the second one token is far above all
    for inputs, raw in zip(cases, student.cross_attend.each(cases), strict=True):
        agree(raw, reference.cross_attend(*inputs))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    asking, read = rng.integers(1, 3, size=(3, 2)), rng.integers(-1, 2, size=(5, 4))
    read[0], read[1] = 1, -1
    inputs = [asking, read, *(rng.integers(1, 3, size=shape) for shape in ((2, 3), (4, 3), (4, 2)))]
    mixed = (asking, read, *(rng.normal(size=shape) * 0.5 for shape in ((2, 3), (4, 3), (4, 2))))
    cases = [(*inputs,), tuple(part.tolist() for part in inputs), mixed]
    for case, raw in zip(cases, student.cross_attend.each(cases), strict=True):
        agree(raw, reference.cross_attend(*case))


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    student.cross_attend.each([draw(rng, *sizes) for sizes in ((3, 5, 4, 6, 2, 7), (4, 4, 4, 4, 4, 4))])
    if student.mutated:
        raise Mismatch("`cross_attend` changed an array that it was given")
