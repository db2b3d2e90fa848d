"""Grade `w_qk(W_q, W_k) -> (d_model, d_model)`: the one matrix that the scores see of two."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
SIZES = ((4, 4), (6, 3), (5, 2), (3, 7), (5, 1), (1, 3), (1, 1))  # model width, key width


def draw(rng, model, width, spread=1.0):
    return rng.normal(size=(model, width)) * spread, rng.normal(size=(model, width))


def sum_of_outer_products(W_q, W_k):
    """Build the form column by column, without a matrix product."""
    return sum(np.outer(q, k) for q, k in zip(W_q.T, W_k.T, strict=True))


def turn(rng, width):
    """Draw a matrix of small whole numbers whose inverse is one too, so that turning a head is exact."""
    lower = np.tril(rng.integers(-1, 2, size=(width, width)), -1) + np.eye(width)
    upper = np.triu(rng.integers(-1, 2, size=(width, width)), 1) + np.eye(width)
    return lower @ upper, np.rint(np.linalg.inv(lower @ upper))


@group("gives the matrix between the two tokens, d_model by d_model, whatever the key width", points=3)
def test_form(student, reference, rng):
    for spread in (1.0, 50.0):
        for sizes in SIZES:
            pair = draw(rng, *sizes, spread)
            agree(student.w_qk(*pair), reference.w_qk(*pair))


@group("gives every pair of tokens the score of query times key, unscaled", points=2)
def test_scores(student, rng):
    for tokens, model, width in ((4, 4, 4), (5, 6, 2), (3, 2, 5), (1, 5, 3)):
        x, (W_q, W_k) = rng.normal(size=(tokens, model)), draw(rng, model, width)
        raw = student.w_qk(W_q, W_k)
        agree(x @ array(raw, shape=(model, model)) @ x.T, (x @ W_q) @ (x @ W_k).T, like=raw)


@group("stays the same when both factors are turned by G, and is transposed when they change places", points=1)
def test_gauge(student, rng):
    for model, width in ((4, 4), (6, 3), (3, 5)):
        W_q, W_k = (rng.integers(-9, 10, size=(model, width)) / 4 for _ in "qk")
        G, inverse = turn(rng, width)
        wanted = sum_of_outer_products(W_q, W_k)
        agree(student.w_qk(W_q @ G, W_k @ inverse.T), wanted)
        agree(student.w_qk(W_k, W_q), wanted.T)


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, rng):
    for model, width in ((4, 4), (5, 3), (2, 4)):
        W_q, W_k = (rng.integers(-9, 10, size=(model, width)) for _ in "qk")
        wanted = sum_of_outer_products(W_q, W_k)
        agree(student.w_qk(W_q, W_k), wanted)
        agree(student.w_qk(W_q.tolist(), W_k.tolist()), wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in ((4, 4), (5, 3)):
        student.w_qk(*draw(rng, *sizes))
        if student.mutated:
            raise Mismatch("`w_qk` changed an array that it was given")
