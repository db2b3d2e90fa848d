"""Leave out the visible checks of a hand-in: they are ours, unchanged, and decide nothing."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from autograder.intake import Cell
from autograder.intake.code import bound_names, is_plain


def cells_to_run(cells: Sequence[Cell], checks: Mapping[str, str]) -> list[tuple[int, str]]:
    """Return (position, source) of the code cells to run, in order.

    `checks` holds the visible checks as released, by grade_id. One that came back unchanged is left out, unless it
    binds a name that a cell of the hand-in's own uses.
    """
    code = [cell for cell in cells if cell.kind == "code"]
    ours = {cell.position for cell in code if cell.grade_id and checks.get(cell.grade_id) == cell.source}
    used = {word for cell in code if cell.position not in ours for word in re.findall(r"\w+", cell.source)}
    return [
        (cell.position, cell.source) for cell in code if cell.position not in ours or _binds(cell.source) & used
    ]


@cache
def _binds(source: str) -> frozenset[str]:
    """Return the names that a cell defines for the cells after it; every word of one that may define any."""
    names = bound_names(source) if is_plain(source) else {"*"}
    return frozenset(re.findall(r"\w+", source) if "*" in names else names)
