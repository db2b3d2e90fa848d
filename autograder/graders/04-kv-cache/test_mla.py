"""Grade `latent_attention(Q, X, W_dkv, W_uk, W_uv) -> (out, latent)`: keys and values of all heads from one latent."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, unpack

builds_on = ("split_heads", "grouped_query_attention")

# heads, queries, tokens, width of a query, value width, width of a token, width of the latent; the square case first
SIZES = (
    (4, 4, 4, 4, 4, 4, 4),
    (3, 5, 6, 4, 2, 7, 5),
    (2, 3, 7, 5, 6, 4, 3),
    (5, 2, 4, 3, 1, 6, 2),
    (1, 4, 3, 2, 5, 5, 4),
    (3, 1, 1, 4, 3, 2, 6),
    (6, 3, 5, 1, 4, 3, 2),
)


def draw(rng, heads, queries, tokens, width, value_width, token_width, rank, spread=1.0):
    shapes = ((token_width, rank), (rank, heads * width), (rank, heads * value_width))
    q, x = rng.normal(size=(heads, queries, width)) * spread, rng.normal(size=(tokens, token_width))
    return q, x, *(rng.normal(size=shape) * 0.7 for shape in shapes)


@group("caches the latents X @ W_dkv and nothing else", points=3)
def test_latent(student, rng):
    for sizes in SIZES:
        q, x, w_dkv, w_uk, w_uv = draw(rng, *sizes)
        raw = student.latent_attention(q, x, w_dkv, w_uk, w_uv)
        agree(unpack(raw, 2)[1], x @ w_dkv, like=raw)


@group("lets each head attend, scaled, to its own keys and values", points=4)
def test_out(student, reference, rng):
    for sizes in SIZES:
        for spread in (1.0, 6.0, 0.01) if sizes is SIZES[0] else (1.0,):
            inputs = draw(rng, *sizes, spread)
            raw = student.latent_attention(*inputs)
            agree(unpack(raw, 2)[0], reference.latent_attention(*inputs)[0], like=raw)


@group("moves one head only when that head's columns of W_uk or W_uv move", points=2)
def test_heads(student, rng):
    heads, width, value_width = 3, 4, 2
    q, x, w_dkv, w_uk, w_uv = draw(rng, heads, 3, 6, width, value_width, 5, 4)
    raw = student.latent_attention(q, x, w_dkv, w_uk, w_uv)
    out = array(unpack(raw, 2)[0], shape=(heads, 3, value_width))
    for head in range(heads):
        others = np.arange(heads) != head
        doubled, turned = w_uv.copy(), w_uk.copy()
        doubled[:, head * value_width : (head + 1) * value_width] *= 2
        turned[:, head * width : (head + 1) * width] *= -1
        wanted = np.where(others[:, None, None], out, 2 * out)
        agree(unpack(student.latent_attention(q, x, w_dkv, w_uk, doubled), 2)[0], wanted, like=raw)
        got = array(unpack(student.latent_attention(q, x, w_dkv, turned, w_uv), 2)[0], shape=out.shape)
        agree(got[others], out[others], like=raw)
        if np.abs(got[head] - out[head]).max() < 1e-5:
            raise Mismatch("turning a head's keys round does not change what the head gives")


@group("gives the same output when the latent is stretched on the way down and shrunk on the way up", points=1)
def test_gauge(student, rng):
    q, x, w_dkv, w_uk, w_uv = draw(rng, 3, 4, 6, 5, 2, 7, 3)
    stretch = np.diag(rng.uniform(0.5, 2, size=3)) + np.triu(rng.normal(size=(3, 3)), 1)
    shrink = np.linalg.inv(stretch)
    raw = student.latent_attention(q, x, w_dkv, w_uk, w_uv)
    out, latent = unpack(raw, 2)
    order = rng.permutation(6)
    both = student.latent_attention(q, x[order], w_dkv @ stretch, shrink @ w_uk, shrink @ w_uv)
    agree(both, (array(out, shape=(3, 4, 2)), (array(latent, shape=(6, 3)) @ stretch)[order]), like=raw)


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    inputs = [rng.integers(-1, 2, size=shape) for shape in ((2, 3, 4), (5, 3), (3, 2), (2, 8), (2, 6))]
    inputs[1][0], inputs[2][0] = [1, -1, 1], [1, 1]
    wanted = reference.latent_attention(*inputs)
    agree(student.latent_attention(*inputs), wanted)
    agree(student.latent_attention(*[part.tolist() for part in inputs]), wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in (SIZES[0], SIZES[2]):
        student.latent_attention(*draw(rng, *sizes))
        if student.mutated:
            raise Mismatch("`latent_attention` changed an array that it was given")
