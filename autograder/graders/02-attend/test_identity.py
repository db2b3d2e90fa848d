"""Grade `weights_by_identity(query, keys) -> weights`: with values = identity the blend is the weights."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group

builds_on = ("softmax", "attend")


def check(student, reference, rng, sizes):
    drawn = [(tokens, width, spread) for tokens, width in sizes for spread in (1.0, 8.0, 0.01)]
    cases = [(rng.normal(size=width) * spread, rng.normal(size=(tokens, width))) for tokens, width, spread in drawn]
    for inputs, weights in zip(cases, student.weights_by_identity.each(cases), strict=True):
        agree(weights, reference.weights_by_identity(*inputs))


@group("returns the weights of a sentence of any length", points=3)
def test_any_length(student, reference, rng):
    check(student, reference, rng, ((5, 3), (3, 6), (4, 4), (11, 2), (1, 3)))
    query, keys = rng.normal(size=3), rng.normal(size=(7, 3))
    raw = student.weights_by_identity(query, keys)
    weights = array(raw, shape=(7,))
    if not (weights > 0).all():
        raise Mismatch("a weight is not positive although the scores lie close together")
    agree(weights / weights[0], np.exp((keys - keys[0]) @ query), like=raw)


@group("returns the weights of a sentence of eight words", points=1)
def test_eight_words(student, reference, rng):
    check(student, reference, rng, ((8, 3), (8, 5)))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    query, keys = rng.integers(-2, 3, size=3), rng.integers(-2, 3, size=(6, 3))
    query[0], keys[0], keys[1] = 1, query, -query
    wanted = reference.weights_by_identity(query, keys)
    for raw in student.weights_by_identity.each([(query, keys), (query.tolist(), keys.tolist())]):
        agree(raw, wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    student.weights_by_identity.each([(rng.normal(size=w), rng.normal(size=(t, w))) for t, w in ((8, 3), (5, 4))])
    if student.mutated:
        raise Mismatch("`weights_by_identity` changed an array that it was given")
