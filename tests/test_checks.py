"""Which cells of a hand-in are run: all but our own unchanged checks, unless something uses what they define."""

import pytest

from autograder.grading.checks import cells_to_run
from autograder.intake import Cell

CHECK = "import math\n@visible\ndef first_look():\n    inner = 3\nfor step in range(3):\n    shown = step"


def positions(*cells: Cell) -> list[int]:
    return [position for position, _ in cells_to_run(cells, {"softmax": CHECK})]


def answer(source: str) -> Cell:
    return Cell(1, "code", source, "softmax-answer")


def test_an_unchanged_check_is_left_out() -> None:
    words = Cell(3, "markdown", "math", None)
    assert positions(answer("inner = 1"), Cell(2, "code", CHECK, "softmax"), words) == [1]


def test_a_changed_check_is_run_like_any_cell() -> None:
    assert positions(answer("x = 1"), Cell(2, "code", CHECK + "\ny = 2", "softmax")) == [1, 2]
    assert positions(answer("x = 1"), Cell(2, "code", CHECK, "other")) == [1, 2]


@pytest.mark.parametrize("source", ["math.exp(1)", "first_look()", "print(shown)", "%time step"])
def test_a_check_is_run_when_a_cell_uses_what_it_defines(source: str) -> None:
    assert positions(answer(source), Cell(2, "code", CHECK, "softmax")) == [1, 2]


@pytest.mark.parametrize("check", ["from math import *\nfirst = 1", "%matplotlib inline"])
def test_what_a_check_defines_may_be_unknown(check: str) -> None:
    cells = [Cell(1, "code", "first = 2", None), Cell(2, "code", check, "t"), Cell(3, "code", "matplotlib", None)]
    assert len(cells_to_run(cells, {"t": check})) == 3
