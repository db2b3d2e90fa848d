"""Leave out the visible checks of a hand-in: they are ours, unchanged, and decide nothing."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from autograder.intake import Cell


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
    """Return the names that a cell defines for the cells after it; every word of one that is not plain Python."""
    try:
        names = frozenset(_bound(ast.parse(source)))
    except SyntaxError:
        names = frozenset("*")
    return frozenset(re.findall(r"\w+", source)) if "*" in names else names


def _bound(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child.name
        elif isinstance(child, ast.alias):
            yield (child.asname or child.name).split(".")[0]
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif not isinstance(child, ast.Lambda):
            yield from _bound(child)
