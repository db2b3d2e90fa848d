"""Grade `head_of_rank(d_model, d_k, r) -> (W_q, W_k)`: any head of that rank is right; it is measured."""

import numpy as np

from autograder.grading import Mismatch, StudentError, array, group, is_single, note, unpack


def measured_rank(raw, model, width):
    """Count the singular values above 1e-9 of the largest, or 1e-5 of it when the factors are in float32."""
    W_q, W_k = (array(part, shape=(model, width)) for part in unpack(raw, 2))
    with np.errstate(all="ignore"):
        form = W_q @ W_k.T
    if not np.isfinite(form).all():
        raise Mismatch("the product of the two matrices overflows")
    if is_single(raw):
        note("The matrices are in float32: accepted, though the course works in float64.")
    strengths = np.linalg.svd(form, compute_uv=False)
    return int((strengths > (1e-5 if is_single(raw) else 1e-9) * strengths[0]).sum())


def check(student, model, width, rank):
    found = measured_rank(student.head_of_rank(model, width, rank), model, width)
    if found != rank:
        raise Mismatch(f"the rank of the head is {'higher' if found > rank else 'lower'} than what was asked for")


@group("builds heads of every rank from 1 up to just below the limit", points=3)
def test_every_rank(student, rng):
    for model, width in ((5, 5), (7, 4), (4, 6), (9, 3)):
        model += int(rng.integers(3))
        for rank in range(1, min(model, width)):
            check(student, model, width, rank)


@group("builds the extremes: no direction at all, and as many as fit", points=2)
def test_extremes(student, rng):
    for model, width in ((4, 4), (6, 3), (3, 7), (1, 4), (5, 1), (1, 1)):
        grown = int(rng.integers(2)) if min(model, width) > 1 else 0
        model, width = model + grown, width + grown
        check(student, model, width, 0)
        check(student, model, width, min(model, width))


@group("refuses a rank that no such head can have with a ValueError", points=1, conditional=True)
def test_refuses(student, rng):
    for model, width in ((4, 4), (6, 3), (3, 6), (1, 2)):
        for rank in (min(model, width) + 1, max(model, width) + int(rng.integers(1, 4)), -1, -int(rng.integers(2, 9))):
            try:
                student.head_of_rank(model, width, rank)
            except StudentError as error:
                if error.kind != "ValueError":
                    raise
            else:
                raise Mismatch("a rank that is impossible was not refused")
