"""Grade `best_head(M, d_k) -> (W_q, W_k)`: any pair whose product is as close to M as the width allows."""

import numpy as np

from autograder.grading import Mismatch, array, group, is_single, note, unpack

FURTHER = "the product of the pair stays further from M than a head of that width has to"


def check(student, M, width, least):
    """Measure the distance of the student's product from M against the least one, both as shares of M's norm."""
    raw = student.best_head(M, width)
    M = np.asarray(M, dtype=float)
    W_q, W_k = (array(part, shape=(len(M), width)) for part in unpack(raw, 2))
    rtol, atol = (1e-4, 1e-5) if is_single(raw) else (1e-6, 1e-8)
    size = np.linalg.norm(M) or 1.0
    with np.errstate(all="ignore"):
        distance = np.linalg.norm(M - W_q @ W_k.T)
    if not distance <= least * (1 + rtol) + size * atol:
        raise Mismatch(FURTHER)
    if is_single(raw):
        note("The matrices are in float32: accepted within 1e-4, though the course works in float64.")


def clear(draw, width):
    """Draw forms until what is kept stands out from what is not, so that answers by iteration get there, too."""
    while True:
        form = draw()
        strengths = np.linalg.svd(form, compute_uv=False)
        if strengths[width] < 0.9 * strengths[width - 1]:
            return form


def left_over(M, width):
    """Return the least distance: what Eckart and Young say remains of the singular values."""
    return np.linalg.norm(np.linalg.svd(M, compute_uv=False)[width:])


@group("meets a form exactly when its rank fits into the width", points=2)
def test_exact(student, rng):
    for model, width, rank in ((6, 3, 3), (5, 3, 2), (7, 2, 1), (4, 4, 4), (3, 3, 1), (1, 1, 1)):
        form = rng.normal(size=(model, rank)) @ rng.normal(size=(rank, model))
        check(student, form, width, 0.0)
    check(student, np.zeros((4, 4)), 2, 0.0)


@group("comes as close to a form of higher rank as any head of that width can", points=2)
def test_closest(student, rng):
    for spread in (1.0, 1e3, 1e-3):
        for model, width in ((4, 2), (5, 1), (6, 5), (7, 3), (2, 1)):
            form = clear(lambda m=model, s=spread: rng.normal(size=(m, m)) * s, width)
            check(student, form, width, left_over(form, width))


@group("spends its width on the strongest directions, whatever their sign, their order and their ties", points=1)
def test_strongest(student, rng):
    for model, width in ((4, 2), (6, 3), (5, 2)):
        strengths = rng.uniform(1, 3) * rng.permutation(np.arange(1, model + 1))
        form = np.diag(strengths * rng.choice([-1, 1], size=model))[rng.permutation(model)]
        check(student, form, width, np.linalg.norm(np.sort(strengths)[: model - width]))
        same = np.eye(model)[rng.permutation(model)]
        check(student, same, width, np.sqrt(model - width))


@group("takes forms that read the same, or the opposite, in both directions", points=1)
def test_mirrored(student, rng):
    for model, width in ((4, 2), (6, 4), (5, 1)):
        turn = np.linalg.qr(rng.normal(size=(model, model)))[0]
        strengths = rng.uniform(1, 3) * rng.permutation(np.arange(1, model + 1))
        signs = np.where(strengths == strengths.max(), -1, 1) * rng.choice([-1, 1])
        check(student, turn @ np.diag(strengths * signs) @ turn.T, width, np.linalg.norm(np.sort(strengths)[:-width]))
    for model in (4, 6):
        turn = np.linalg.qr(rng.normal(size=(model, model)))[0]
        turning = np.kron(np.diag(np.arange(1, model // 2 + 1)), [[0, 1], [-1, 0]])
        check(student, turn @ turning @ turn.T, 2, np.linalg.norm(turning[:-2]))


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, rng):
    for model, width in ((4, 2), (3, 1), (5, 4)):
        form = clear(lambda m=model: rng.integers(-9, 10, size=(m, m)), width)
        check(student, form, width, left_over(form, width))
        check(student, form.tolist(), width, left_over(form, width))


@group("leaves its argument as it was", points=1, conditional=True)
def test_pure(student, rng):
    for model, width in ((4, 2), (5, 3)):
        student.best_head(rng.normal(size=(model, model)), width)
        if student.mutated:
            raise Mismatch("`best_head` changed the array that it was given")
