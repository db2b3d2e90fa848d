"""What is read off a cell's code without running it."""

import pytest

from autograder.intake.code import bound_names, definition, definitions_only, parse
from autograder.intake.conflict import settled


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f():\n    inner = 1\n", {"f"}),
        ("if x:\n    a, (b, *c) = x\nelse:\n    import numpy.linalg as d, os.path\n", {"a", "b", "c", "d", "os"}),
        ("for i in x:\n    with y as z:\n        total += i\n", {"i", "z", "total"}),
        ("squares = [n for n in range(3)]", {"squares"}),
        ("%matplotlib inline\nfiles = !ls\nx = 1\nx?\n", {"files", "x"}),
        ("%%time\ny = 2", {"y"}),
        ("%%bash\ny=2", set()),
        ("match p:\n    case 1:\n        q = 2\n", {"q"}),
        ("try:\n    r = 1\nexcept E:\n    s = 2\nfinally:\n    t = 3\n", {"r", "s", "t"}),
        ("def (", set()),
    ],
)
def test_what_a_cell_leaves_behind(source: str, names: set[str]) -> None:
    assert bound_names(source) == names


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        ("def f(x):\n    ...", True),
        ("def f(x):\n    '''Say.'''\n    # YOUR CODE HERE\n    raise NotImplementedError()", True),
        ("def f(x):\n    raise NotImplementedError\n    return x", True),
        ("def f(x):\n    '''Only words.'''", True),
        ("def f(x):\n    pass", True),
        ("def f(x):\n    return None", False),
        ("def f(x):\n    if x < 0:\n        raise NotImplementedError\n    return x", False),
        ("f = lambda x: ...", False),
    ],
)
def test_a_stub_is_told_from_an_answer(source: str, stub: bool) -> None:
    found = definition(source, "f")
    assert found is not None and found.stub is stub


def test_definitions_are_compared_by_what_they_do() -> None:
    plain, spaced = (
        definition("def f(x): return x+1", "f"),
        definition("def f(x):\n    '''Add.'''\n    return x + 1 #", "f"),
    )
    assert plain is not None and spaced is not None and plain.text == spaced.text
    other = definition("def f(x): return x+2", "f")
    assert other is not None and other.text != plain.text


@pytest.mark.parametrize(
    ("source", "wraps"),
    [("f = cached(f)", True), ("f = f(3)", True), ("f = cached(g)", False), ("def f(x): return f(x - 1)", False)],
)
def test_a_definition_that_uses_the_one_before_is_known(source: str, wraps: bool) -> None:
    found = definition(source, "f")
    assert found is not None and found.wraps is wraps


@pytest.mark.parametrize("source", ["g(f)", "x = f(1)", "# def f", "h(f=1)", "f == 1", "f.x = 1", "def ff(): pass"])
def test_a_use_is_no_definition(source: str) -> None:
    assert definition(source, "f") is None


def test_of_a_cell_that_hangs_the_definitions_stay_in_their_lines() -> None:
    source = "import os\nwhile True:\n    pass\n@cached\ndef f(x):\n    return x\n\ny = f(1)\nk = 3\ng = lambda: f(2)"
    assert definitions_only(source) == "import os\n\n\n@cached\ndef f(x):\n    return x\n\n\nk = 3\ng = lambda: f(2)"
    assert definitions_only("while True: pass") == definitions_only("def (") == ""


def test_a_very_long_or_odd_cell_is_not_read() -> None:
    assert parse("x = 1\n" * 100_000) is None
    assert parse("(" * 5_000) is None
    assert parse("x = '\0'") is None


@pytest.mark.parametrize(("ours", "theirs", "kept"), [("x = 1", "x = 1", True), ("x = 1", "x = 2", False)])
def test_a_conflict_is_settled_only_when_the_cells_are_the_same(ours: str, theirs: str, kept: bool) -> None:
    def side(text: str, count: int) -> str:
        return f'{{"cell_type": "code", "source": ["{text}"], "execution_count": {count}}}\n'

    hunk = f"<<<<<<< HEAD\n{side(ours, 1)}||||||| base\n{{}}\n=======\n{side(theirs, 2)}>>>>>>> other\n"
    assert (settled(f'{{"cells": [\n{hunk}]}}') is not None) is kept
