"""Grade `bilinear_scores(X, W_qk) -> (T, T)`: rows ask, columns answer, linear in either token."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
SIZES = ((4, 4), (5, 3), (2, 6), (7, 2), (1, 3), (3, 1))  # tokens, model width


def draw(rng, tokens, model, spread=1.0):
    return rng.normal(size=(tokens, model)) * spread, rng.normal(size=(model, model))


def score(asks, form, answers):
    """Sum up one score entry by entry, without a matrix product."""
    return float((np.outer(asks, answers) * form).sum())


@group("scores every token for every token, unscaled and without softmax", points=2)
def test_scores(student, reference, rng):
    for spread in (1.0, 20.0, 0.01):
        for sizes in SIZES:
            inputs = draw(rng, *sizes, spread)
            agree(student.bilinear_scores(*inputs), reference.bilinear_scores(*inputs))


@group("reads a row of the form for the token that asks and a column for the one that answers", points=1)
def test_rows_ask(student, rng):
    for model, tokens in ((4, 4), (5, 3), (3, 6)):
        form = rng.normal(size=(model, model))
        chosen = rng.integers(model, size=tokens)
        chosen[:2] = 0, 1
        agree(student.bilinear_scores(np.eye(model)[chosen], form), form[np.ix_(chosen, chosen)])


@group("is linear in the token that asks and in the token that answers", points=1)
def test_linear(student, rng):
    for model in (3, 4, 5):
        form, a, b = rng.normal(size=(model, model)), *rng.normal(size=(2, model))
        raw = student.bilinear_scores(np.array([a, b, a + b, 3 * a]), form)
        scores = array(raw, shape=(4, 4))
        agree(scores[2], scores[0] + scores[1], like=raw)
        agree(scores[:, 2], scores[:, 0] + scores[:, 1], like=raw)
        agree(scores[[0, 3, 3], [1, 1, 0]], np.array([1, 3, 3]) * [score(a, form, v) for v in (b, b, a)], like=raw)
        agree(student.bilinear_scores(np.array([a, b]), 2 * form), 2 * scores[:2, :2], like=raw)


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    for tokens, model in ((3, 3), (4, 2), (2, 5)):
        x, form = rng.integers(-5, 6, size=(tokens, model)), rng.integers(-5, 6, size=(model, model))
        wanted = reference.bilinear_scores(x, form)
        agree(student.bilinear_scores(x, form), wanted)
        agree(student.bilinear_scores(x.tolist(), form.tolist()), wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in ((4, 4), (5, 3)):
        student.bilinear_scores(*draw(rng, *sizes))
        if student.mutated:
            raise Mismatch("`bilinear_scores` changed an array that it was given")
