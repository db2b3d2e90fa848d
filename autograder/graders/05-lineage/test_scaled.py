"""Grade `scaled_dot_product_attention(Q, K, V, mask=None, causal=False) -> (out, weights)`."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, unpack

# The square case comes first: there a wrong answer runs instead of failing on its shapes, so that it can be named.
# queries, tokens, key width, value width, spread of the queries
SIZES = ((4, 4, 4, 4, 1), (5, 6, 3, 4, 1), (7, 3, 2, 5, 9), (2, 8, 6, 3, 0.01), (1, 5, 3, 2, 1), (3, 1, 4, 2, 1))

# Groups about masks use keys of width 1, where the divisor is 1: a wrong one costs its own groups, and only those.


def draw(rng, queries, tokens, width, value_width, spread=1.0, lead=()):
    q = rng.normal(size=(*lead, queries, width)) * spread
    return q, rng.normal(size=(*lead, tokens, width)), rng.normal(size=(*lead, tokens, value_width))


def draw_mask(rng, *shape):
    """Draw a mask that hides about a third; each row keeps at least one key, and the first row loses one."""
    mask = rng.random(shape) < 0.65
    keep = rng.integers(shape[-1], size=shape[:-1])
    np.put_along_axis(mask, keep[..., None], True, axis=-1)
    first = (0,) * (len(shape) - 1)
    mask[(*first, (keep[first] + 1) % shape[-1])] = False
    return mask


@group("divides the scores by the square root of the width and turns each row into weights", points=3)
def test_weights(student, reference, rng):
    for sizes in SIZES:
        inputs = draw(rng, *sizes)
        raw = student.scaled_dot_product_attention(*inputs)
        agree(unpack(raw, 2)[1], reference.scaled_dot_product_attention(*inputs)[1], like=raw)
    q, k, v = draw(rng, 3, 5, 4, 2)
    raw = student.scaled_dot_product_attention(q, k, v)
    weights = array(unpack(raw, 2)[1], shape=(3, 5))
    if not (weights > 0).all():
        raise Mismatch("a weight is not positive although nothing is masked")
    scores = (q / 2) @ k.T  # the width is 4
    agree(weights / weights[:, :1], np.exp(scores - scores[:, :1]), like=raw)
    agree(weights.sum(axis=1), np.ones(3), like=raw)


@group("blends the values by these weights, whatever their width", points=2)
def test_out(student, reference, rng):
    for sizes in SIZES[:5]:
        inputs = draw(rng, *sizes)
        raw = student.scaled_dot_product_attention(*inputs)
        agree(unpack(raw, 2)[0], reference.scaled_dot_product_attention(*inputs)[0], like=raw)
    q, k, v = draw(rng, 2, 6, 3, 4)
    before = student.scaled_dot_product_attention(q, k, v)
    out = array(unpack(before, 2)[0], shape=(2, 4))
    order = np.roll(np.arange(6), int(rng.integers(1, 6)))
    after = student.scaled_dot_product_attention(q, k[order], v[order] + 1)
    agree(unpack(after, 2)[0], out + 1, like=before)


@group("keeps the entries of a batch apart, with one leading axis or more", points=2)
def test_batch(student, reference, rng):
    for lead, sizes in (((3,), (3, 3, 3, 3)), ((2,), (4, 5, 3, 6)), ((2, 3), (5, 4, 2, 1)), ((1,), (2, 3, 4, 5))):
        inputs = draw(rng, *sizes, lead=lead)
        agree(student.scaled_dot_product_attention(*inputs), reference.scaled_dot_product_attention(*inputs))
    q, k, v = draw(rng, 3, 5, 2, 4, lead=(2, 2))
    mask = draw_mask(rng, 2, 2, 3, 5)
    mask[..., 0] = True
    padding = mask[:, :1, :1]  # one row for all queries
    for settings in ((mask, False), (None, True), (mask, True), (padding, True)):
        raw = student.scaled_dot_product_attention(q, k, v, *settings)
        out, weights = np.zeros((2, 2, 3, 4)), np.zeros((2, 2, 3, 5))
        for place in np.ndindex(2, 2):
            own = None if settings[0] is None else np.broadcast_to(settings[0], mask.shape)[place]
            alone = reference.scaled_dot_product_attention(q[place], k[place], v[place], own, settings[1])
            out[place], weights[place] = alone
        agree(raw, (out, weights))


@group("gives a weight only where the mask is True, as if the other keys were not there", points=2)
def test_mask(student, reference, rng):
    for sizes in ((4, 4, 1, 4), (5, 6, 1, 2), (2, 5, 1, 4)):
        inputs = draw(rng, *sizes)
        mask = draw_mask(rng, *sizes[:2])
        raw = student.scaled_dot_product_attention(*inputs, mask)
        agree(raw, reference.scaled_dot_product_attention(*inputs, mask))
    q, k, v = draw(rng, 1, 6, 1, 2)
    mask = draw_mask(rng, 1, 6)
    left = mask[0]
    raw = student.scaled_dot_product_attention(q, k, v, mask=mask)
    out, weights = (array(part) for part in unpack(raw, 2))
    agree(weights, np.where(mask, array(weights, shape=(1, 6)), 0.0), like=raw)
    agree(student.scaled_dot_product_attention(q, k[left], v[left]), (out, weights[:, left]), like=raw)


@group("takes a mask of any shape that broadcasts", points=1)
def test_mask_shapes(student, reference, rng):
    for lead, shape in (((), (4,)), ((), (1, 4)), ((2,), (2, 1, 4)), ((2,), (4,)), ((2, 3), (3, 1, 4)), ((2,), (4, 4))):
        inputs = draw(rng, 4, 4, 1, 5, lead=lead)
        mask = draw_mask(rng, *shape)
        raw = student.scaled_dot_product_attention(*inputs, mask=mask)
        agree(raw, reference.scaled_dot_product_attention(*inputs, mask))


@group("gives weights and an output of zeros to a query that may look at no key", points=2)
def test_nothing_to_see(student, reference, rng):
    empty = 0
    for sizes, shape in (((4, 4, 1, 4), (4, 4)), ((3, 5, 1, 4), (3, 5)), ((5, 3, 1, 4), (5, 1)), ((2, 4, 1, 1), (4,))):
        inputs = draw(rng, *sizes)
        mask = draw_mask(rng, *shape) if shape[-1] > 1 else rng.random(shape) < 0.5
        mask[int(rng.integers(shape[0])) if len(shape) > 1 else ...] = False
        out, weights = reference.scaled_dot_product_attention(*inputs, mask)
        empty += int((weights.sum(axis=-1) == 0).sum())
        agree(student.scaled_dot_product_attention(*inputs, mask), (out, weights))
    assert empty >= 4
    inputs = draw(rng, 5, 3, 1, 2)
    raw = student.scaled_dot_product_attention(*inputs, None, True)
    out, weights = unpack(raw, 2)
    agree(array(weights, shape=(5, 3))[:2], np.zeros((2, 3)), like=raw)
    agree(array(out, shape=(5, 2))[:2], np.zeros((2, 2)), like=raw)


@group("hides the future when causal: each query sees its own token and those before it", points=2)
def test_causal(student, reference, rng):
    for sizes in ((4, 4, 1, 4), (6, 6, 1, 2), (1, 1, 1, 3)):
        inputs = draw(rng, *sizes)
        raw = student.scaled_dot_product_attention(*inputs, causal=True)
        agree(raw, reference.scaled_dot_product_attention(*inputs, causal=True))
    q, k, v = draw(rng, 5, 5, 1, 4)
    before = student.scaled_dot_product_attention(q, k, v, None, True)
    out, weights = array(unpack(before, 2)[0], shape=(5, 4)), array(unpack(before, 2)[1], shape=(5, 5))
    agree(weights[0], np.eye(5)[0], like=before)
    k[3:], v[3:] = rng.normal(size=(2, 1)), rng.normal(size=(2, 4))
    after = unpack(student.scaled_dot_product_attention(q, k, v, None, True), 2)
    agree((array(after[0], shape=(5, 4))[:3], array(after[1], shape=(5, 5))[:3]), (out[:3], weights[:3]), like=before)


@group("lines queries and keys up at their ends when their numbers differ", points=2)
def test_causal_ends(student, reference, rng):
    for sizes in ((2, 5, 1, 4), (1, 6, 1, 3), (3, 4, 1, 2)):
        inputs = draw(rng, *sizes)
        raw = student.scaled_dot_product_attention(*inputs, None, True)
        agree(raw, reference.scaled_dot_product_attention(*inputs, None, True))
    q, k, v = draw(rng, 6, 6, 1, 2)
    whole = unpack(student.scaled_dot_product_attention(q, k, v, None, True), 2)
    raw = student.scaled_dot_product_attention(q[4:], k, v, None, True)  # decoding: the last two tokens ask
    agree(raw, (array(whole[0], shape=(6, 2))[4:], array(whole[1], shape=(6, 6))[4:]), like=whole)
    inputs = draw(rng, 5, 3, 1, 2)
    wanted = reference.scaled_dot_product_attention(*inputs, None, True)
    got = unpack(student.scaled_dot_product_attention(*inputs, None, True), 2)
    for part, right in zip(got, wanted, strict=True):
        agree(array(part, shape=right.shape, finite=False)[2:], right[2:], like=got)


@group("combines a mask with causal: a key must be allowed by both", points=1)
def test_both(student, reference, rng):
    for sizes in ((4, 4, 1, 4), (6, 6, 1, 3), (3, 5, 1, 2)):
        inputs = draw(rng, *sizes)
        queries, tokens = sizes[:2]
        mask = draw_mask(rng, queries, tokens) | np.eye(queries, tokens, tokens - queries, dtype=bool)
        mask[-1, 0] = False
        raw = student.scaled_dot_product_attention(*inputs, mask, True)
        agree(raw, reference.scaled_dot_product_attention(*inputs, mask, True))
    for shape, queries in (((4,), 4), ((1, 5), 3), ((6,), 4)):
        inputs = draw(rng, queries, shape[-1], 1, 3)
        mask = rng.random(shape) < 0.65
        mask[..., 0], mask[..., 1] = True, False  # every query sees something, and misses something
        raw = student.scaled_dot_product_attention(*inputs, mask, True)
        agree(raw, reference.scaled_dot_product_attention(*inputs, mask, True))


@group("stays right when scores are huge, even next to a hidden key", points=1)
def test_large_scores(student, reference, rng):
    q = np.array([[40.0, 30.0, 50.0], [-40.0, -60.0, -50.0], [1.0, 0.0, -1.0]])
    k = rng.integers(20, 33, size=(5, 3)).astype(float)
    v = rng.normal(size=(5, 2))
    agree(student.scaled_dot_product_attention(q, k, v), reference.scaled_dot_product_attention(q, k, v))
    k[3] *= -1
    for hidden in (np.arange(5) != 3, np.arange(5) == 3):
        wanted = reference.scaled_dot_product_attention(q, k, v, hidden)
        agree(student.scaled_dot_product_attention(q, k, v, hidden), wanted)


@group("takes whole numbers and nested lists, also for the mask", points=1)
def test_plain_inputs(student, reference, rng):
    inputs = [rng.integers(-2, 3, size=shape) for shape in ((3, 2), (5, 2), (5, 4))]
    inputs[0][0], inputs[1][0], inputs[1][1] = [2, 1], [1, 1], [-1, -1]
    mask = draw_mask(rng, 3, 5)
    agree(student.scaled_dot_product_attention(*inputs), reference.scaled_dot_product_attention(*inputs))
    lists = [part.tolist() for part in inputs]
    wanted = reference.scaled_dot_product_attention(*inputs, mask)
    agree(student.scaled_dot_product_attention(*lists, mask.tolist()), wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in ((5, 6, 3, 4), (4, 4, 4, 4)):
        for settings in ((), (np.ones(sizes[:2], dtype=bool), True)):
            student.scaled_dot_product_attention(*draw(rng, *sizes), *settings)
            if student.mutated:
                raise Mismatch("`scaled_dot_product_attention` changed an array that it was given")
