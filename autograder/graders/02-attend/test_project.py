"""Grade `project(X, W_q, W_k, W_v) -> (Q, K, V)`: three matrices, three roles, a free value width."""

import numpy as np

from autograder.grading import Mismatch, agree, group, unpack

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
SIZES = ((4, 4, 4, 4), (5, 4, 3, 2), (3, 6, 5, 4), (1, 3, 5, 2))  # tokens, model width, key width, value width


def draw(rng, tokens, model, width, value_width):
    shapes = ((tokens, model), (model, width), (model, width), (model, value_width))
    return tuple(rng.normal(size=shape) for shape in shapes)


def check_part(student, reference, rng, part, all_sizes=SIZES):
    cases = [draw(rng, *sizes) for sizes in all_sizes]
    for inputs, raw in zip(cases, student.project.each(cases), strict=True):
        agree(unpack(raw, 3)[part], reference.project(*inputs)[part], like=raw)


@group("makes the queries X @ W_q", points=2)
def test_queries(student, reference, rng):
    check_part(student, reference, rng, 0)


@group("makes the keys X @ W_k", points=2)
def test_keys(student, reference, rng):
    check_part(student, reference, rng, 1)


@group("makes the values X @ W_v", points=2)
def test_values(student, reference, rng):
    check_part(student, reference, rng, 2)


@group("lets the values be wider than the keys, or narrower", points=1)
def test_value_width(student, reference, rng):
    check_part(student, reference, rng, 2, ((5, 4, 2, 7), (3, 6, 2, 8), (4, 5, 3, 1)))


@group("only moves and stretches columns when the matrices do no more than that", points=1)
def test_shuffled_columns(student, rng):
    x = rng.normal(size=(6, 4))
    shifted = np.roll(np.eye(4), 1, axis=1)
    wanted = (np.roll(x, 1, axis=1), 2 * x, np.roll(x, 2, axis=1))
    agree(student.project(x, shifted, 2 * np.eye(4), shifted @ shifted), wanted)


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    shapes = ((5, 3), (3, 2), (3, 2), (3, 4))
    inputs = [rng.integers(-4, 5, size=shape) for shape in shapes]
    wanted = reference.project(*inputs)
    agree(student.project(*inputs), wanted)
    agree(student.project(*[part.tolist() for part in inputs]), wanted)
    mixed = (inputs[0], *(rng.normal(size=shape) for shape in shapes[1:]))
    agree(student.project(*mixed), reference.project(*mixed))


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in ((5, 4, 3, 2), (4, 4, 4, 4)):
        student.project(*draw(rng, *sizes))
        if student.mutated:
            raise Mismatch("`project` changed an array that it was given")
