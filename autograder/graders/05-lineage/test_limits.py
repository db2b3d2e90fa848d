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
    if abs(gap - wanted) > SLACK:
        raise Mismatch(f"the smaller weight is {'already' if gap > wanted else 'not yet'} 0 well before this gap in {name}"
                       if gap > wanted else f"the smaller weight is not yet 0 at this gap in {name}")  # fmt: skip


def forms(name):
    return np.dtype(name), name, np.dtype(name).type


def check_any_form(student, name):
    """Pass when one of the three forms of a dtype gives the gap; which ones are taken is a group of its own."""
    failure = None
    for form in forms(name):
        try:
            return check_gap(student.zero_gap(form), name)
        except (StudentError, AssertionError) as error:
            failure = failure or error
    raise failure


@group("finds the gap in double precision", points=1)
def test_float64(student):
    check_any_form(student, "float64")


@group("finds the gap in single precision", points=2)
def test_float32(student):
    check_any_form(student, "float32")


@group("finds the gap in half precision", points=2)
def test_float16(student):
    check_any_form(student, "float16")


@group("takes a dtype as a class, as an np.dtype and by name", points=1)
def test_forms(student):
    for name in ("float32", "float16", "float64"):
        for form in forms(name):
            check_gap(student.zero_gap(form), name)
