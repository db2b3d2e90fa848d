"""Grade `w_ov(W_v, W_o)` and `head_output(A, X, W_ov)`: what a head writes, and where it ends up."""

import numpy as np

from autograder.grading import Mismatch, agree, group

# The square cases come first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
CIRCUITS = ((4, 4), (6, 3), (5, 2), (3, 7), (1, 2), (4, 1))  # model width, value width
HEADS = ((4, 4), (5, 3), (2, 6), (1, 3), (6, 1))  # tokens, model width


def draw(rng, model, width):
    return rng.normal(size=(model, width)), rng.normal(size=(width, model))


def recipes(rng, tokens):
    """Draw rows of positive weights that add up to 1."""
    powers = np.exp(rng.normal(size=(tokens, tokens)))
    return powers / powers.sum(axis=1, keepdims=True)


@group("gives the matrix from a token to what it writes, d_model by d_model, whatever the value width", points=1)
def test_circuit(student, reference, rng):
    for sizes in CIRCUITS:
        pair = draw(rng, *sizes)
        agree(student.w_ov(*pair), reference.w_ov(*pair))


@group("writes what values and output projection write one after the other, in any basis between the two", points=1)
def test_one_after_the_other(student, rng):
    for model, width in ((4, 4), (5, 3), (3, 4)):
        W_v, W_o = draw(rng, model, width)
        turn = np.linalg.qr(rng.normal(size=(width, width)))[0]
        wanted = sum(np.outer(v, o) for v, o in zip(W_v.T, W_o, strict=True))
        agree(student.w_ov(W_v @ turn, turn.T @ W_o), wanted)
        agree(student.w_ov(W_o.T, W_v.T), wanted.T)


@group("mixes what the tokens write by the rows of A", points=1)
def test_output(student, reference, rng):
    for tokens, model in HEADS:
        inputs = recipes(rng, tokens), rng.normal(size=(tokens, model)), rng.normal(size=(model, model))
        agree(student.head_output(*inputs), reference.head_output(*inputs))


@group("hands on one token, the plain average, or nothing when A says so", points=1)
def test_reading(student, rng):
    for tokens, model in ((4, 4), (5, 3), (3, 6)):
        x, form = rng.normal(size=(tokens, model)), rng.normal(size=(model, model))
        writes = np.array([sum(slot * row for slot, row in zip(token, form, strict=True)) for token in x])
        order = np.roll(np.arange(tokens), 1)
        agree(student.head_output(np.eye(tokens)[order], x, form), writes[order])
        A = np.vstack([np.full((1, tokens), 1 / tokens), np.eye(tokens)[1:-1], np.zeros((1, tokens))])
        agree(student.head_output(A, x, form), np.vstack([writes.mean(axis=0), writes[1:-1], np.zeros(model)]))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    for tokens, model, width in ((3, 3, 3), (4, 2, 3)):
        pair = [rng.integers(-5, 6, size=shape) for shape in ((model, width), (width, model))]
        head = [rng.integers(-5, 6, size=shape) for shape in ((tokens, tokens), (tokens, model), (model, model))]
        for given in (lambda part: part, lambda part: part.tolist()):
            agree(student.w_ov(*map(given, pair)), reference.w_ov(*pair))
            agree(student.head_output(*map(given, head)), reference.head_output(*head))


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for tokens, model, width in ((4, 4, 4), (5, 3, 2)):
        student.w_ov(*draw(rng, model, width))
        changed = student.mutated
        student.head_output(recipes(rng, tokens), rng.normal(size=(tokens, model)), rng.normal(size=(model, model)))
        if changed or student.mutated:
            raise Mismatch("an array that was given was changed")
