"""Grade `split_heads(X, n_heads) -> (h, T, d)`: head i owns columns i*d to (i+1)*d - 1 of every token."""

import numpy as np

from autograder.grading import Mismatch, StudentError, agree, array, group

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
SIZES = ((6, 3, 2), (5, 2, 4), (4, 6, 3), (1, 3, 5), (7, 1, 4), (3, 5, 1), (8, 2, 2))  # tokens, heads, width of a head


def draw(rng, tokens, heads, width):
    return rng.normal(size=(tokens, heads * width))


@group("gives each head its own columns of every token", points=2)
def test_values(student, reference, rng):
    for tokens, heads, width in SIZES:
        x = draw(rng, tokens, heads, width)
        agree(student.split_heads(x, heads), reference.split_heads(x, heads))


@group("moves one head only when one column moves, and loses nothing", points=1)
def test_columns(student, rng):
    for tokens, heads, width in ((5, 3, 4), (4, 2, 3)):
        x = draw(rng, tokens, heads, width)
        raw = student.split_heads(x, heads)
        split = array(raw, shape=(heads, tokens, width))
        agree(np.hstack(list(split)), x, like=raw)
        column = int(rng.integers(heads * width))
        x[:, column] += 1
        split[column // width, :, column % width] += 1
        agree(student.split_heads(x, heads), split, like=raw)


@group("refuses, with a ValueError, a number of heads that does not divide the width", points=1)
def test_refuses(student, reference, rng):
    for width, heads in ((7, 2), (8, 3), (6, 4), (4, 8)):
        x = rng.normal(size=(3, width))
        try:
            student.split_heads(x, heads)
        except StudentError as error:
            if error.kind != "ValueError":
                raise
        else:
            raise Mismatch("a number of heads that does not divide the width is accepted")
    agree(student.split_heads(x, 4), reference.split_heads(x, 4))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    x = rng.integers(-9, 10, size=(5, 6))
    agree(student.split_heads(x.tolist(), 3), reference.split_heads(x, 3))
    agree(student.split_heads(x, 2), reference.split_heads(x, 2))


@group("leaves its argument as it was", points=1, conditional=True)
def test_pure(student, rng):
    for tokens, heads, width in ((5, 3, 4), (6, 3, 2)):
        student.split_heads(draw(rng, tokens, heads, width), heads)
        if student.mutated:
            raise Mismatch("`split_heads` changed the array that it was given")
