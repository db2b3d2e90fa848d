"""Grade `asymmetry(M) -> float` by its parts and invariances, and `delhi_capital()` by its scores."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, unpack


def share(M):
    """Work out the share over single entries: half of each difference to the mirror image, against all entries."""
    size = len(M)
    halves = sum(((M[i, j] - M[j, i]) / 2) ** 2 for i in range(size) for j in range(size))
    return np.sqrt(halves / sum(M[i, j] ** 2 for i in range(size) for j in range(size)))


def parts(rng, size):
    """Draw a symmetric and an antisymmetric matrix, both of norm 1."""
    raw = rng.normal(size=(size, size))
    symmetric, antisymmetric = raw + raw.T, raw - raw.T
    return symmetric / np.linalg.norm(symmetric), antisymmetric / np.linalg.norm(antisymmetric)


def check_symmetric(student, M):
    """Leave room for an answer that takes the root of 1 minus the symmetric part, which rounding leaves at 1e-8."""
    if abs(array(student.asymmetry(M), shape=())) > 1e-6:
        raise Mismatch("the share of a symmetric matrix is not 0")


@group("is the norm of (M - M.T)/2 divided by the norm of M", points=1)
def test_share(student, reference, rng):
    for size in (3, 2, 5, 8):
        M = rng.normal(size=(size, size)) + rng.normal() * 0.5
        agree(student.asymmetry(M), reference.asymmetry(M))


@group("is 0 for a symmetric form, 1 for an antisymmetric one, and in between for a mixture", points=1)
def test_parts(student, rng):
    for size in (4, 2, 6):
        symmetric, antisymmetric = parts(rng, size)
        agree(student.asymmetry(antisymmetric), 1.0)
        check_symmetric(student, symmetric)
        for angle in rng.uniform(0.2, 1.4, size=3):
            agree(student.asymmetry(np.cos(angle) * symmetric + np.sin(angle) * antisymmetric), np.sin(angle))
    check_symmetric(student, rng.uniform(1, 9, size=(1, 1)))


@group("does not change with the unit, the sign, the numbering of the slots, or the direction of reading", points=1)
def test_invariance(student, rng):
    for size in (3, 4, 6):
        M = rng.normal(size=(size, size))
        order = rng.permutation(size)
        for same in (M, M.T, -3e5 * M, 1e-6 * M, M[np.ix_(order, order)]):
            agree(student.asymmetry(same), share(M))


@group("is 0 for a matrix of zeros", points=1, conditional=True)
def test_zeros(student, rng):
    for size in (4, 2, 6):
        agree(student.asymmetry(np.zeros((size, size))), 0.0)
        agree(student.asymmetry(parts(rng, size)[1]), 1.0)  # a constant earns nothing


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, rng):
    for size in (3, 2, 5):
        M = rng.integers(-9, 10, size=(size, size))
        M[0, 1] = 10
        agree(student.asymmetry(M), share(M))
        agree(student.asymmetry(M.tolist()), share(M))


@group("leaves its argument as it was", points=1, conditional=True)
def test_pure(student, rng):
    for size in (2, 5):
        M = rng.normal(size=(size, size))
        agree(student.asymmetry(M), share(M))  # what does nothing changes nothing
        if student.mutated:
            raise Mismatch("`asymmetry` changed the array that it was given")


@group("lets Delhi score capital by more than 1 above the way back", points=2)
def test_delhi(student):
    X, W_q, W_k = (array(part) for part in unpack(student.delhi_capital(), 3))
    if X.ndim != 2 or len(X) != 2:
        raise Mismatch("X does not have two rows, one for Delhi and one for capital")
    if W_q.ndim != 2 or W_q.shape != W_k.shape or len(W_q) != X.shape[1]:
        raise Mismatch("W_q and W_k do not have the same shape (d_model, d_k), with d_model the width of X")
    with np.errstate(all="ignore"):
        scores = (X @ W_q) @ (X @ W_k).T
        gap = scores[0, 1] - scores[1, 0]
    if not gap > 1:
        raise Mismatch(complaint(gap))


def complaint(gap):
    if np.isnan(gap):
        return "the scores overflow"
    if abs(gap) < 1e-9:
        return "both ways get the same score"
    if gap < 0:
        return "capital looks at Delhi more than Delhi looks at capital"
    return "Delhi scores capital above the way back, but not by more than 1"
