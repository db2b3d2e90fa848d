"""Grade `head_rank(W_q, W_k) -> int`: how many directions are left of a head, rounding apart.

Ranks are known from how a head is built, so no rank routine is trusted. Heads are drawn until every singular value of
the product is far on its side: what is real above a fiftieth of the largest, unless something else is
said; what is noise below a third of the strictest tolerance that people use, which is that of np.linalg.matrix_rank.
"""

import numpy as np

from autograder.grading import Mismatch, exact_int, group

builds_on = ("w_qk",)

FLOAT = np.finfo(float).eps


def settled(draw, rank, least=0.02):
    """Draw a head again and again until nobody can doubt its rank; return (W_q, W_k)."""
    for _ in range(1000):
        W_q, W_k = draw()
        strengths = np.linalg.svd(W_q @ W_k.T, compute_uv=False)
        real, noise = strengths[:rank], strengths[rank:]
        if (real > least * strengths[0]).all() and (noise <= FLOAT * len(W_q) / 3 * strengths[0]).all():
            return W_q, W_k
    raise ValueError(f"no clear head of rank {rank} was drawn")


def turn(rng, width):
    """Draw a matrix of small whole numbers whose inverse is one too, so that turning a head is exact."""
    lower = np.tril(rng.integers(-1, 2, size=(width, width)), -1) + np.eye(width)
    upper = np.triu(rng.integers(-1, 2, size=(width, width)), 1) + np.eye(width)
    return lower @ upper, np.rint(np.linalg.inv(lower @ upper))


def whole(rng, *shape):
    return rng.integers(-5, 6, size=shape).astype(float)


def narrow(rng, model, width, left, right):
    """Draw a head whose factors have the ranks `left` and `right`, and their product left + right - width."""

    def draw():
        W_q, W_k = np.zeros((model, width)), np.zeros((model, width))
        W_q[:, :left], W_k[:, width - right :] = whole(rng, model, left), whole(rng, model, right)
        G, inverse = turn(rng, width)
        return W_q @ G, W_k @ inverse.T

    return settled(draw, left + right - width)


def apart(rng, model, width):
    """Draw a head of rank `width` whose queries and keys come from different slots of a token."""

    def draw():
        asking, half = rng.permutation(model), model // 2
        W_q, W_k = np.zeros((model, width)), np.zeros((model, width))
        W_q[asking[:half]], W_k[asking[half:]] = whole(rng, half, width), whole(rng, model - half, width)
        return W_q, W_k

    return settled(draw, width)


def faint(rng, model, width, rank):
    """Draw a head of real numbers whose weakest real direction has a 100,000th of the strength of the first."""

    def draw():
        left, right = (np.linalg.qr(rng.normal(size=(model, rank)))[0] for _ in "qk")
        strengths = 128 * np.append(np.linspace(1, 0.5, rank - 1), 1e-5)
        mix = np.linalg.qr(rng.normal(size=(width, width)))[0][:rank]
        return left * strengths @ mix, right @ mix

    return settled(draw, rank, least=0.9e-5)


def check(student, W_q, W_k, rank):
    found = exact_int(student.head_rank(W_q, W_k))
    if found != rank:
        raise Mismatch(f"the rank comes out {'too high' if found > rank else 'too low'}")


@group("counts the directions of a head: as many as the smaller of its two widths, where nothing is lost", points=1)
def test_full(student, rng):
    for model, width in ((4, 4), (6, 3), (5, 2), (3, 7), (8, 1), (1, 3)):
        rank = min(model, width)
        check(student, *settled(lambda m=model, w=width: (whole(rng, m, w), whole(rng, m, w)), rank), rank)


@group("sees a product whose rank is below that of both factors, and 0 where all is zero", points=2)
def test_lower(student, rng):
    for model, width, left, right in ((4, 4, 3, 3), (6, 4, 3, 2), (7, 5, 4, 4), (5, 4, 3, 2), (5, 3, 3, 2)):
        check(student, *narrow(rng, model, width, left, right), left + right - width)
    check(student, np.zeros((4, 3)), whole(rng, 4, 3), 0)


@group("looks at the tokens' side of the two matrices, also when queries and keys read different slots", points=1)
def test_apart(student, rng):
    for model, width in ((6, 2), (6, 3), (4, 1), (8, 4)):
        check(student, *apart(rng, model, width), width)


@group("counts faint directions that are real, and no rounding noise", points=1)
def test_faint(student, rng):
    for model, width, rank in ((5, 5, 3), (7, 3, 3), (6, 4, 2), (4, 6, 3)):
        check(student, *faint(rng, model, width, rank), rank)


@group("gives the same rank in any unit and in any basis, and with the roles exchanged", points=1)
def test_unit(student, rng):
    for model, width, left, right in ((4, 4, 3, 4), (6, 3, 3, 3), (5, 4, 3, 3)):
        W_q, W_k = narrow(rng, model, width, left, right)
        rank = left + right - width
        check(student, W_q * 2.0**-30, W_k * 2.0**-32, rank)
        check(student, -W_k, W_q * 2.0**-3, rank)
        G, inverse = turn(rng, width)
        if np.abs(W_q @ G).max() < 2**20:
            check(student, W_q @ G, W_k @ inverse.T, rank)


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, rng):
    for model, width, left, right in ((4, 4, 4, 2), (5, 3, 2, 2), (3, 5, 3, 5)):
        pair = [part.astype(int) for part in narrow(rng, model, width, left, right)]
        check(student, *pair, left + right - width)
        check(student, *[part.tolist() for part in pair], left + right - width)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for shape in ((4, 4), (5, 3)):
        student.head_rank(whole(rng, *shape), whole(rng, *shape))
        if student.mutated:
            raise Mismatch("`head_rank` changed an array that it was given")
