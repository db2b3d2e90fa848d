"""Compare results by the course's conventions."""

import numpy as np
import pytest

from autograder.grading.compare import agree, array, exact_int, unpack
from autograder.grading.groups import Mismatch, collect_notes
from autograder.sandbox.inside.wire import Handle

WANT = np.array([[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("got", "noted"),
    [
        (WANT, False),
        (WANT + 1e-8, False),
        (np.asfortranarray(WANT), False),
        (WANT.astype(np.float32), True),
        (WANT.astype(np.float16), True),
        (WANT.tolist(), True),
        (tuple(map(tuple, WANT.tolist())), True),
        ([WANT[0], WANT[1]], True),
        (np.matrix(WANT), True),
        (np.ma.MaskedArray(WANT), True),
    ],
)
def test_what_the_course_accepts(got, noted):
    with collect_notes() as notes:
        agree(got, WANT)
    assert bool(notes) == noted


@pytest.mark.parametrize(
    "got",
    [
        None,
        0.5,
        np.float64(0.5),
        np.array([0.5]),
        WANT[0],
        WANT[None],
        WANT.T,
        WANT + 1e-5,
        (WANT + 3e-4).astype(np.float32),
        np.full((2, 2), np.nan),
        np.full((2, 2), np.inf),
        np.ma.masked_all((2, 2)),
        np.ma.MaskedArray(WANT, mask=[[1, 0], [0, 0]]),
        [np.ma.masked_all(2), WANT[1]],
        WANT * 1j,
        WANT + 0j,
        WANT > 0.3,
        [[True, False], [True, False]],
        WANT.astype(object),
        WANT.astype(str),
        [["0.25", "0.75"], ["0.5", "0.5"]],
        [[0.25, 0.75], [0.5]],
        [[0.25, None], [0.5, 0.5]],
        [[10**400, 1], [1, 1]],
        "0.5",
        b"0.5",
        {"a": WANT},
        Handle(1, "generator"),
        [Handle(1, "object"), WANT[1]],
    ],
)
def test_what_is_refused(got):
    with pytest.raises(Mismatch):
        agree(got, WANT)


def test_nested_too_deeply():
    deep = [1.0]
    for _ in range(200):
        deep = [deep]
    with pytest.raises(Mismatch, match="deeply"):
        array(deep)


def test_one_scalar_does_not_broadcast_either_way():
    with pytest.raises(Mismatch, match="one number"):
        agree(1.0, np.ones(3))
    with pytest.raises(Mismatch):
        agree(np.ones(1), np.float64(1))
    agree(1, np.float64(1))
    agree(np.float64(1), 1.0)


def test_an_expected_infinity_agrees_only_with_itself():
    want = np.array([np.inf, -np.inf, 1.0])
    agree(want.copy(), want)
    for got in (-want, [1e300, -1e300, 1.0], [np.inf, -np.inf, np.inf], [np.nan, -np.inf, 1.0]):
        with pytest.raises(Mismatch):
            agree(got, want)
    with pytest.raises(Mismatch):
        array(want)
    assert array(want, finite=False).shape == (3,)


def test_a_tuple_is_compared_entry_by_entry():
    want = (WANT, WANT[0])
    agree(want, want)
    agree(list(want), want)
    agree((WANT.astype("f4"), WANT[0] + 1e-5), want)  # one part in float32 makes the whole a float32 result
    for got in (None, WANT, (WANT,), (WANT, WANT[0], 1), (WANT[0], WANT), np.array([1.0, 2.0]), Handle(1, "generator")):
        with pytest.raises(Mismatch):
            agree(got, want)


def test_precision_can_come_from_the_raw_result():
    raw = WANT.astype(np.float32)
    agree(array(raw) + 3e-5, WANT, like=raw)
    with pytest.raises(Mismatch):
        agree(array(raw) + 3e-5, WANT)


def test_messages_name_the_fault_and_no_number():
    for got, words in ((None, "return"), ("x", "text"), (1.0, "one number"), (WANT * 1j, "complex")):
        with pytest.raises(Mismatch, match=words):
            agree(got, WANT)
    with pytest.raises(Mismatch) as caught:
        agree(np.zeros((2, 2), dtype=int), WANT)
    assert "whole numbers" in str(caught.value) and "0.25" not in str(caught.value)


def test_array_is_a_copy():
    x = WANT.copy()
    array(x)[:] = 0
    assert (x == WANT).all()


def test_unpack():
    assert unpack((1, 2), 2) == (1, 2)
    assert unpack([1, 2, 3], 3) == (1, 2, 3)
    for value in (None, 1, np.ones(2), (1,), "ab", {1: 2, 3: 4}):
        with pytest.raises(Mismatch):
            unpack(value, 2)


def test_exact_int():
    assert exact_int(2**70) == 2**70
    assert exact_int(np.int64(4)) == 4
    assert exact_int(np.array(4)) == 4
    with collect_notes() as notes:
        assert exact_int(4.0) == 4
    assert notes
    for value in (None, True, 4.5, np.nan, np.inf, "4", 4 + 0j, [4], np.array([4]), Handle(1, "object")):
        with pytest.raises(Mismatch):
            exact_int(value)


def test_a_task_may_be_compared_more_loosely():
    agree(WANT + 2e-6, WANT, rtol=1e-5)
    agree((WANT + 2e-6, WANT), (WANT, WANT), rtol=1e-5)
    with pytest.raises(Mismatch):
        agree(WANT + 2e-6, WANT)
    with pytest.raises(Mismatch):
        agree(WANT + 1e-4, WANT, rtol=1e-5)


def test_whole_numbers_beyond_64_bits_are_numbers() -> None:
    agree([[10**20, 1], [0, -(10**19)]], np.array([[1e20, 1.0], [0.0, -1e19]]))
