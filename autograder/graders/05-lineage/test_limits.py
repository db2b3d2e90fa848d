"""Grade `zero_gap(dtype) -> float`: from which gap on the smaller of two weights is exactly 0."""

import numpy as np

from autograder.grading import Mismatch, StudentError, array, group

SLACK = 0.02 + 1e-9


def smallest_gap(name):
    """Return the first gap that the format holds and whose power rounds to 0, to two decimals.

    Half of the smallest number still rounds to 0; a closed form and a search differ by less than the slack.
    """
    limits = np.finfo(name)
    exact = np.log(2.0) - np.log(float(limits.smallest_subnormal))
    held = limits.dtype.type(exact)
    return round(float(held if held >= exact else np.nextafter(held, limits.dtype.type(np.inf))), 2)


def check_gap(value, name):
    gap, wanted = float(array(value, shape=())), smallest_gap(name)
    if gap > wanted + SLACK:
        raise Mismatch(f"in {name} the smaller weight is 0 already at a smaller gap")
    if gap < wanted - SLACK:
        raise Mismatch(f"in {name} the smaller weight is not yet 0 at this gap")
    return gap


def forms(name):
    return np.dtype(name), name, np.dtype(name).type


def any_form(student, name):
    """Return what is answered to the first form of a dtype that is taken; taking all of them is a group of its own."""
    for form in forms(name):
        try:
            return student.zero_gap(form)
        except StudentError as error:
            failure = error
    raise failure


def check_format(student, name, other):
    """Pass when the gap is right for one format, and not because it is the same for all."""
    gap = check_gap(any_form(student, name), name)
    if abs(float(array(any_form(student, other), shape=())) - gap) < 1:
        raise Mismatch("the gap is the same whatever the dtype is")


@group("finds the gap in double precision", points=1)
def test_float64(student):
    check_format(student, "float64", "float16")


@group("finds the gap in single precision", points=2)
def test_float32(student):
    check_format(student, "float32", "float64")


@group("finds the gap in half precision", points=2)
def test_float16(student):
    check_format(student, "float16", "float32")


@group("takes a dtype as a class, as an np.dtype and by name", points=1)
def test_forms(student):
    for name in ("float32", "float16", "float64"):
        for form in forms(name):
            check_gap(student.zero_gap(form), name)
