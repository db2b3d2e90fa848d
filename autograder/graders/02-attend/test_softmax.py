"""Grade `softmax(x, axis=-1)`: one row, many rows, any axis, any size of score."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, is_single


def check(student, reference, cases):
    for inputs, shares in zip(cases, student.softmax.each(cases), strict=True):
        agree(shares, reference.softmax(*inputs))


@group("turns one row of scores into weights", points=2)
def test_one_row(student, reference, rng):
    sizes = ((5, 1.0), (7, 0.01), (6, 30.0), (1, 1.0))
    check(student, reference, [(rng.normal(size=size) * spread,) for size, spread in sizes])


@group("treats every row of a matrix on its own", points=3)
def test_matrix(student, reference, rng):
    check(student, reference, [(rng.normal(size=shape) * 2,) for shape in ((4, 4), (3, 5), (6, 2), (1, 7), (5, 1))])


@group("works along any axis of an array with one to four axes", points=3)
def test_axis(student, reference, rng):
    arrays = [rng.normal(size=shape) for shape in ((6,), (3, 5), (4, 4), (2, 3, 4), (2, 3, 5, 4))]
    check(student, reference, [(x, axis) for x in arrays for axis in range(-x.ndim, x.ndim)])
    x = arrays[-1]
    agree(student.softmax(x, axis=1), reference.softmax(x, axis=1))
    agree(student.softmax(x, axis=-2), reference.softmax(x, axis=-2))


@group("gives two scores odds of e to the power of their gap, and shares that add up to 1", points=2)
def test_odds(student, rng):
    for lead in (0.0, 12.0):
        x = rng.uniform(-2, 2, size=6) + [0, 0, 0, lead, 0, 0]
        raw, moved = student.softmax.each([(x,), (x + rng.integers(2, 9),)])
        shares = array(raw, shape=(6,))
        if not (shares > 0).all():
            raise Mismatch("a share is not positive although the scores lie close together")
        agree(shares / shares[0], np.exp(x - x[0]), like=raw)
        if abs(shares.sum() - 1) > (1e-4 if is_single(raw) else 2e-7):
            raise Mismatch("the shares do not add up to 1")
        agree(moved, shares, like=raw)


@group("stays right for huge scores, hugely negative ones, and wide gaps", points=2)
def test_large_scores(student, reference, rng):
    x = rng.integers(-16, 17, size=(3, 5)) / 8
    rows = x + [[1000.0], [-2000.0], [0.0]]
    gaps = x[0] + [0.0, 800.0, 0.0, -900.0, 800.0]
    one = np.roll(x[0] + [1500.0, 0.0, 0.0, 0.0, 0.0], rng.integers(5))  # far above the average, too
    check(student, reference, [(x + 1000.0,), (x - 2000.0,), (rows,), (gaps,), (one,)])


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    whole = rng.integers(-3, 4, size=7)
    nested = rng.normal(size=(2, 3)).tolist()
    check(student, reference, [(whole,), (whole.tolist(),), (nested,)])


@group("leaves its argument as it was", points=1, conditional=True)
def test_pure(student, rng):
    student.softmax.each([(rng.normal(size=6),), (rng.normal(size=(3, 4)),), (rng.normal(size=5).tolist(),)])
    if student.mutated:
        raise Mismatch("`softmax` changed the array that it was given")
