"""Grade `qk_parameters(d_model, n_heads, d_k=None) -> (factored, full, cheaper)`: exact counts for one head."""

import numpy as np

from autograder.grading import Mismatch, StudentError, exact_int, group, note, unpack


def check_counts(raw, model, width):
    factored, full, _ = unpack(raw, 3)
    if exact_int(factored) != 2 * model * width:
        raise Mismatch("the count of the two factors differs from what it should be")
    if exact_int(full) != model * model:
        raise Mismatch("the count of the full matrix differs from what it should be")


def check_cheaper(raw, model, width):
    if truth(unpack(raw, 3)[2]) != (2 * width < model):
        raise Mismatch("`cheaper` is wrong for these widths")


def truth(value):
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value[()]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer) and value in (0, 1):
        note("`cheaper` was returned as 0 or 1: accepted in place of False and True.")
        return bool(value)
    raise Mismatch("`cheaper` is neither True nor False")


@group("counts the numbers of one head: both factors, and the full matrix", points=2)
def test_counts(student, rng):
    for model, heads, width in ((64, 8, 24), (48, 4, 48), (10, 3, 4), (30, 7, 33), (1, 1, 1), (96, 2, 5)):
        model += int(rng.integers(40))
        check_counts(student.qk_parameters(heads * model, heads, d_k=model + 1), heads * model, model + 1)
        check_counts(student.qk_parameters(model, heads, width), model, width)


@group("shares the width among the heads when d_k is not given", points=1)
def test_default(student, rng):
    for heads in (1, 2, 3, 8, 12):
        width = int(rng.integers(5, 90))
        check_counts(student.qk_parameters(heads * width, heads), heads * width, width)
    check_counts(student.qk_parameters(7 * width, 7, None), 7 * width, width)


@group("calls the factors cheaper only where they are, which a tie is not", points=1)
def test_cheaper(student, rng):
    for heads in (1, 2, 3, 4, 16):
        model = heads * int(rng.integers(3, 40))
        check_cheaper(student.qk_parameters(model, heads), model, model // heads)
    check_cheaper(student.qk_parameters(model, 2, 1), model, 1)
    half = int(rng.integers(5, 90))
    for model, width in (
        (5 * half, 3 * half),
        (2 * half, half),
        (2 * half + 1, half),
        (2 * half - 1, half),
        (2 * half, half - 1),
    ):
        check_cheaper(student.qk_parameters(model, 5, width), model, width)


@group("stays exact however large the counts get", points=1)
def test_exact(student, rng):
    for _ in range(4):
        model, width = (2 * int(rng.integers(2**27, 2**28)) + 1 for _ in range(2))
        check_counts(student.qk_parameters(model, 6, width), model, width)


@group("refuses heads that do not divide the width with a ValueError", points=1, conditional=True)
def test_refuses(student, rng):
    for heads in (3, 4, 7):
        model = heads * int(rng.integers(4, 30)) + int(rng.integers(1, heads))
        for call in (lambda m=model, h=heads: student.qk_parameters(m, h), lambda h=heads: student.qk_parameters(2, h)):
            try:
                call()
            except StudentError as error:
                if error.kind != "ValueError":
                    raise
            else:
                raise Mismatch("a width that the heads cannot share was not refused")
