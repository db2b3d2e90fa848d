"""Grade `grouped_query_attention(Q, K, V, causal=False) -> (h, Tq, d_v)`: who reads whom, scaled, causal at the end."""

import numpy as np

from autograder.grading import Mismatch, StudentError, agree, array, group, is_single

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
# query heads, kv heads, queries, keys, width, value width
SIZES = (
    (4, 2, 4, 4, 4, 4),
    (8, 2, 5, 5, 3, 3),
    (6, 3, 5, 5, 3, 3),
    (6, 2, 3, 5, 4, 7),
    (8, 4, 5, 3, 2, 6),
    (12, 3, 2, 6, 5, 1),
    (10, 5, 7, 4, 1, 3),
    (5, 1, 3, 2, 6, 4),
    (3, 3, 4, 6, 2, 5),
    (6, 2, 1, 1, 3, 2),
)
CAUSAL = (
    (6, 2, 5, 5, 4, 4),
    (8, 2, 2, 6, 3, 5),
    (6, 3, 1, 7, 2, 4),
    (4, 2, 3, 4, 5, 2),
    (12, 3, 6, 7, 3, 1),
    (5, 1, 4, 4, 2, 3),
    (6, 3, 1, 1, 4, 2),
)


def draw(rng, heads, kv_heads, queries, keys, width, value_width, spread=1.0):
    q = rng.normal(size=(heads, queries, width)) * spread
    return q, rng.normal(size=(kv_heads, keys, width)), rng.normal(size=(kv_heads, keys, value_width))


@group("lets each query head blend the values of its kv head", points=4)
def test_values(student, reference, rng):
    for sizes in SIZES:
        for spread in (1.0, 12.0, 0.01) if sizes is SIZES[0] else (1.0,):
            inputs = draw(rng, *sizes, spread)
            agree(student.grouped_query_attention(*inputs), reference.grouped_query_attention(*inputs))


@group("scales: two scores get odds of e to the power of their gap over the square root of d", points=2)
def test_odds(student, rng):
    for heads, kv_heads, width in ((6, 2, 5), (8, 4, 3), (6, 3, 1)):
        q, k, _ = draw(rng, heads, kv_heads, 3, 4, width, 4, spread=1.5)
        values = np.tile(np.eye(4), (kv_heads, 1, 1))  # so that the output is the weights
        raw = student.grouped_query_attention(q, k, values)
        weights = array(raw, shape=(heads, 3, 4))
        if not (weights > 0).all() or np.abs(weights.sum(axis=2) - 1).max() > (1e-4 if is_single(raw) else 2e-7):
            raise Mismatch("with the identity as values, a row of the output is not made of shares that add up to 1")
        for head in range(heads):
            scores = q[head] @ k[head * kv_heads // heads].T / width**0.5
            agree(weights[head] / weights[head, :, :1], np.exp(scores - scores[:, :1]), like=raw)


@group("moves, with one kv head, exactly the query heads that read it", points=4)
def test_influence(student, rng):
    for heads, kv_heads in ((6, 2), (6, 3), (8, 4)):
        q, k, v = draw(rng, heads, kv_heads, 3, 5, 4, 2)
        raw = student.grouped_query_attention(q, k, v)
        out = array(raw, shape=(heads, 3, 2))
        for head in range(kv_heads):
            readers = np.arange(heads) * kv_heads // heads == head
            moved_keys, moved_values = k.copy(), v.copy()
            moved_keys[head] += rng.uniform(0.5, 1.5, size=(5, 4))
            moved_values[head] += 1
            agree(student.grouped_query_attention(q, k, moved_values), out + readers[:, None, None], like=raw)
            change = array(student.grouped_query_attention(q, moved_keys, v), shape=out.shape) - out
            if ((np.abs(change).max(axis=(1, 2)) > 1e-5) != readers).any():
                raise Mismatch("moving the keys of one kv head does not move exactly the query heads that read it")


@group("hides the future when causal: the last query sees every key, the one before it all but the last", points=3)
def test_causal(student, reference, rng):
    for sizes in CAUSAL:
        inputs = draw(rng, *sizes)
        agree(student.grouped_query_attention(*inputs, True), reference.grouped_query_attention(*inputs, True))
    q, k, v = draw(rng, 6, 2, 4, 6, 3, 5)
    raw = student.grouped_query_attention(q, k, v, causal=True)
    out = array(raw, shape=(6, 4, 5))
    for later in (5, 4, 3):
        k[:, later:] += 1
        v[:, later:] -= 1
        after = array(student.grouped_query_attention(q, k, v, causal=True), shape=out.shape)
        agree(after[:, : later - 2], out[:, : later - 2], like=raw)
    agree(student.grouped_query_attention(q, k, v, causal=False), reference.grouped_query_attention(q, k, v))


@group("gives 0 to a query that may see no key", points=1)
def test_sees_nothing(student, reference, rng):
    for sizes in ((6, 2, 5, 3, 4, 2), (4, 2, 4, 1, 3, 5)):
        inputs = draw(rng, *sizes)
        agree(student.grouped_query_attention(*inputs, True), reference.grouped_query_attention(*inputs, True))


@group("refuses, with a ValueError, kv heads that do not divide the query heads", points=1)
def test_refuses(student, reference, rng):
    for heads, kv_heads in ((6, 4), (5, 2), (7, 3), (8, 5), (1, 3), (2, 4)):
        try:
            student.grouped_query_attention(*draw(rng, heads, kv_heads, 3, 4, 2, 5))
        except StudentError as error:
            if error.kind != "ValueError":
                raise
        else:
            raise Mismatch("kv heads that do not divide the query heads are accepted")
    inputs = draw(rng, 8, 4, 3, 4, 2, 5)
    agree(student.grouped_query_attention(*inputs), reference.grouped_query_attention(*inputs))


@group("stays right when scores are huge", points=1)
def test_large_scores(student, reference, rng):
    q = rng.integers(20, 33, size=(6, 3, 4)) * np.array([[60.0], [-60.0], [0.5]])
    k, v = rng.integers(20, 33, size=(2, 3, 4)).astype(float), rng.normal(size=(2, 3, 2))
    for causal in (False, True):
        agree(student.grouped_query_attention(q, k, v, causal), reference.grouped_query_attention(q, k, v, causal))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    inputs = [rng.integers(-2, 3, size=shape) for shape in ((6, 3, 2), (2, 5, 2), (2, 5, 4))]
    inputs[0][0, 0], inputs[1][0, 0], inputs[1][0, 1] = [2, 1], [1, 1], [-1, -1]
    wanted = reference.grouped_query_attention(*inputs)
    agree(student.grouped_query_attention(*inputs), wanted)
    agree(student.grouped_query_attention(*[part.tolist() for part in inputs]), wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in ((6, 2, 3, 5, 4, 7), (6, 2, 4, 4, 4, 4)):
        for causal in (False, True):
            student.grouped_query_attention(*draw(rng, *sizes), causal)
            if student.mutated:
                raise Mismatch("`grouped_query_attention` changed an array that it was given")
