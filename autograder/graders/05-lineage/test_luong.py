"""Grade `luong_attend(s, H, W=None) -> (context, weights)`: the forms dot and general, unscaled."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, unpack

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
DOT = ((4, 4, 1), (5, 3, 1), (1, 3, 1), (6, 2, 7), (2, 5, 0.01), (7, 1, 1))  # words, width, spread
GENERAL = ((4, 4, 4, 1), (6, 3, 3, 1), (5, 2, 4, 0.7), (3, 5, 2, 0.01), (1, 2, 3, 1))  # words, state, width, spread


def draw_dot(rng, words, width, spread=1.0):
    return rng.normal(size=width) * spread, rng.normal(size=(words, width))


def draw_general(rng, words, state, width, spread=1.0):
    return rng.normal(size=state) * spread, rng.normal(size=(words, width)), rng.normal(size=(state, width))


@group("weighs the words by the softmax of H @ s when there is no W", points=1)
def test_dot(student, reference, rng):
    for sizes in DOT:
        inputs = draw_dot(rng, *sizes)
        raw = student.luong_attend(*inputs)
        agree(unpack(raw, 2)[1], reference.luong_attend(*inputs)[1], like=raw)
    s, H = draw_dot(rng, 5, 4)
    raw = student.luong_attend(s, H, None)
    weights = array(unpack(raw, 2)[1], shape=(5,))
    agree(weights / weights[0] if weights[0] else weights, np.exp((H - H[0]) @ s), like=raw)


@group("weighs them by the softmax of H @ (s @ W) when there is one", points=2)
def test_general(student, reference, rng):
    for sizes in GENERAL:
        s, H, W = draw_general(rng, *sizes)
        raw = student.luong_attend(s, H, W)
        agree(unpack(raw, 2)[1], reference.luong_attend(s, H, W)[1], like=raw)
    s, H, W = draw_general(rng, 5, 3, 3)
    raw = student.luong_attend(s, H, W=W)
    weights = array(unpack(raw, 2)[1], shape=(5,))
    gauge = np.linalg.qr(rng.normal(size=(3, 3)))[0] * 2  # (s G) (G^-1 W) = s W
    agree(unpack(student.luong_attend(s @ gauge, H, np.linalg.inv(gauge) @ W), 2)[1], weights, like=raw)
    agree(unpack(student.luong_attend(s @ W, H), 2)[1], weights, like=raw)


@group("blends the rows of H by those weights, in both forms", points=2)
def test_context(student, reference, rng):
    for sizes in DOT[:3]:
        inputs = draw_dot(rng, *sizes)
        raw = student.luong_attend(*inputs)
        agree(unpack(raw, 2)[0], reference.luong_attend(*inputs)[0], like=raw)
    for sizes in GENERAL[:4]:
        inputs = draw_general(rng, *sizes)
        raw = student.luong_attend(*inputs)
        agree(unpack(raw, 2)[0], reference.luong_attend(*inputs)[0], like=raw)
    s, H = draw_dot(rng, 6, 3)
    s[1] = 0.0  # this feature moves the context, never the weights
    raw = student.luong_attend(s, H)
    context = array(unpack(raw, 2)[0], shape=(3,))
    step = rng.uniform(1, 2, size=6)
    odds = np.exp(H @ s)
    moved = H + np.outer(step, [0, 1, 0])
    agree(unpack(student.luong_attend(s, moved), 2)[0], context + [0, odds @ step / odds.sum(), 0], like=raw)


@group("stays right when scores are huge", points=1)
def test_large_scores(student, reference, rng):
    s, H = np.array([40.0, 30.0, 50.0]), rng.integers(20, 33, size=(5, 3)).astype(float)
    W = np.array([[20.0, 0, 0], [0, 20.0, 0], [0, 0, 20.0]])
    for inputs in ((s, H), (-s, H), (s, H, W)):
        agree(student.luong_attend(*inputs), reference.luong_attend(*inputs))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    s, H, W = (rng.integers(-2, 3, size=shape) for shape in ((3,), (5, 3), (3, 3)))
    s[0], H[0], H[1], W[0] = 1, [2, 1, 0], [-1, 0, 2], [1, 0, -1]
    for inputs in ((s, H), (s, H, W)):
        wanted = reference.luong_attend(*inputs)
        agree(student.luong_attend(*inputs), wanted)
        agree(student.luong_attend(*[part.tolist() for part in inputs]), wanted)
    W = rng.normal(size=(3, 3))
    agree(student.luong_attend(s, H, W), reference.luong_attend(s, H, W))


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for inputs in (draw_dot(rng, 5, 3), draw_dot(rng, 4, 4), draw_general(rng, 4, 3, 2), draw_general(rng, 4, 4, 4)):
        student.luong_attend(*inputs)
        if student.mutated:
            raise Mismatch("`luong_attend` changed an array that it was given")
