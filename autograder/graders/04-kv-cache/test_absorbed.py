"""Grade `absorbed_attention(Q, latent, W_uk, W_uv) -> out`: the same output without all tokens' keys or values."""

import numpy as np

from autograder.grading import Mismatch, StudentError, agree, group

builds_on = ("split_heads",)

# heads, queries, tokens, width of a query, value width, width of the latent; the square case first
SIZES = (
    (4, 4, 4, 4, 4, 4),
    (3, 5, 6, 4, 2, 5),
    (2, 3, 7, 5, 6, 3),
    (5, 2, 4, 3, 1, 2),
    (1, 4, 3, 2, 5, 4),
    (3, 1, 1, 4, 3, 6),
    (6, 3, 5, 1, 4, 2),
    (2, 4, 3, 5, 2, 1),
)
MANY, WIDE = 65_536, 4_096  # one head's keys would take 2 GiB, twice what the sandbox gives


def draw(rng, heads, queries, tokens, width, value_width, rank, spread=1.0):
    shapes = ((tokens, rank), (rank, heads * width), (rank, heads * value_width))
    return rng.normal(size=(heads, queries, width)) * spread, *(rng.normal(size=shape) * 0.8 for shape in shapes)


def by_hand(q, latent, w_uk, w_uv):
    """Attend head by head to rebuilt keys and values."""
    heads, _, width = q.shape
    value_width = w_uv.shape[1] // heads
    outs = []
    for head in range(heads):
        keys = latent @ w_uk[:, head * width : (head + 1) * width]
        values = latent @ w_uv[:, head * value_width : (head + 1) * value_width]
        powers = np.exp(q[head] @ keys.T / width**0.5)
        outs.append(powers / powers.sum(axis=1, keepdims=True) @ values)
    return np.stack(outs)


@group("gives what attention to the rebuilt keys and values gives", points=4)
def test_values(student, reference, rng):
    for sizes in SIZES:
        for spread in (1.0, 6.0, 0.01) if sizes is SIZES[0] else (1.0,):
            inputs = draw(rng, *sizes, spread)
            raw = student.absorbed_attention(*inputs)
            agree(raw, reference.absorbed_attention(*inputs))
            agree(raw, by_hand(*inputs))


def check_large(student, reference, inputs):
    """Run a case in which all tokens' keys or values do not fit into the memory."""
    try:
        raw = student.absorbed_attention(*inputs)
    except StudentError as error:
        if error.kind not in ("MemoryError", "SystemExit"):
            raise
        raise Mismatch("with many tokens and wide heads the memory did not suffice") from error
    agree(raw, reference.absorbed_attention(*inputs))


@group("never builds the keys of all tokens, not even of one head", points=2, conditional=True, replay=False)
def test_no_keys(student, reference, rng):
    q, *rest = draw(rng, 2, 1, MANY, WIDE, 3, 2)
    check_large(student, reference, (q * 0.5, *rest))


@group("never builds the values of all tokens, not even of one head", points=2, conditional=True, replay=False)
def test_no_values(student, reference, rng):
    check_large(student, reference, draw(rng, 2, 1, MANY, 3, WIDE, 2))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    inputs = [rng.integers(-1, 2, size=shape) for shape in ((2, 3, 4), (5, 3), (3, 8), (3, 6))]
    inputs[1][0], inputs[2][0] = [1, -1, 1], 1
    wanted = reference.absorbed_attention(*inputs)
    agree(student.absorbed_attention(*inputs), wanted)
    agree(student.absorbed_attention(*[part.tolist() for part in inputs]), wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in (SIZES[0], SIZES[2]):
        student.absorbed_attention(*draw(rng, *sizes))
        if student.mutated:
            raise Mismatch("`absorbed_attention` changed an array that it was given")
