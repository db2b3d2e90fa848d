"""Grade `project(X, W_q, W_k, W_v) -> (Q, K, V)`: three matrices, three roles, a free value width."""

import numpy as np

from autograder.grading import Mismatch, agree, group, unpack

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
SIZES = ((4, 4, 4, 4), (5, 4, 3, 2), (3, 6, 5, 4), (1, 3, 5, 2))  # tokens, model width, key width, value width


def draw(rng, tokens, model, width, value_width):
    shapes = ((tokens, model), (model, width), (model, width), (model, value_width))
    return tuple(rng.normal(size=shape) for shape in shapes)


def results(student, reference, rng, all_sizes):
    """Return what came of sentences of these sizes, beside what should."""
    cases = [draw(rng, *sizes) for sizes in all_sizes]
    return [(raw, reference.project(*inputs)) for inputs, raw in zip(cases, student.project.each(cases), strict=True)]


def shared(student, reference, rng):
    return results(student, reference, rng, SIZES)


def check_part(results, part):
    for raw, wanted in results:
        agree(unpack(raw, 3)[part], wanted[part], like=raw)


@group("makes the queries X @ W_q", points=2)
def test_queries(shared):
    check_part(shared, 0)


@group("makes the keys X @ W_k", points=2)
def test_keys(shared):
    check_part(shared, 1)


@group("makes the values X @ W_v", points=2)
def test_values(shared):
    check_part(shared, 2)


@group("lets the values be wider than the keys, or narrower", points=1)
def test_value_width(student, reference, rng):
    check_part(results(student, reference, rng, ((5, 4, 2, 7), (3, 6, 2, 8), (4, 5, 3, 1))), 2)


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
    mixed = (inputs[0], *(rng.normal(size=shape) for shape in shapes[1:]))
    cases = [(*inputs,), tuple(part.tolist() for part in inputs), mixed]
    for case, raw in zip(cases, student.project.each(cases), strict=True):
        agree(raw, reference.project(*case))


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    student.project.each([draw(rng, *sizes) for sizes in ((5, 4, 3, 2), (4, 4, 4, 4))])
    if student.mutated:
        raise Mismatch("`project` changed an array that it was given")
