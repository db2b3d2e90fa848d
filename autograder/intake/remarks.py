"""Remark on code that does something else when it is graded than at the student's desk; nothing is held against it."""

import ast
import re
from collections.abc import Iterator, Sequence

from autograder.intake.code import is_plain, parse
from autograder.intake.notebook import Cell, Findings, listed

GUARDED = frozenset(["numpy", "np", "builtins", "__builtins__", "IPython", "math", "pytest", "unittest"])
NO_EFFECT = "Nothing that decides a mark runs in the notebook, so this changes none."

_command = re.compile(r"^[ \t]*(?:!|%%?(?:pip|conda|mamba|uv|bash|sh|script|system|sx|cmd)\b).*", re.MULTILINE)
_likely = re.compile(r"\w\.\w+\s*=[^=]|\bsetattr\b|\b(?:conftest|\w*results?|\w*scores?|report|gradebook|numpy)\.\w")
_result = re.compile(r"\w*(?:results?|scores?|report)\.(?:json|xml)|(?:conftest|numpy|pytest)\.py|gradebook\.db")
_writing = re.compile(r"\bopen\s*\(|\bwrite_|\bsavetxt\b|\bdump\s*\(")


def look_at_code(cells: Sequence[Cell], findings: Findings) -> None:
    """Name shell commands, functions of Python and NumPy that are replaced, and files written like results."""
    code = [cell for cell in cells if cell.kind == "code"]
    _look_for_commands(code, findings)
    for cell in code:
        if _likely.search(cell.source):
            _look_for_tampering(cell, findings)


def _look_for_commands(cells: Sequence[Cell], findings: Findings) -> None:
    found = [(cell.position, command) for cell in cells for command in _commands(cell.source)]
    if found:
        positions = list(dict.fromkeys(position for position, _ in found))
        where = f"cell{'s' if len(positions) > 1 else ''} {listed(positions)}"
        sentence = f"Shell commands are not run when a notebook is graded: {found[0][1][:60]} ({where})."
        findings.note("skipped_command", sentence, cell=positions[0])


def _commands(source: str) -> list[str]:
    if "!" not in source and "%" not in source:
        return []
    found = [match[0].strip() for match in _command.finditer(source)]
    return [] if found and is_plain(source) else found


def _look_for_tampering(cell: Cell, findings: Findings) -> None:
    tree = parse(cell.source)
    if tree is None:
        return
    replaced = list(dict.fromkeys(_replaced(tree)))
    if replaced:
        named = listed(f"`{name}`" for name in replaced[:3])
        more = f" and {len(replaced) - 3} more" if len(replaced) > 3 else ""
        sentence = f"Cell {cell.position} replaces {named}{more}."
        findings.note("tampering", sentence, NO_EFFECT, cell=cell.position)
    written = list(dict.fromkeys(_result_files(tree))) if _writing.search(cell.source) else []
    if written:
        sentence = f"Cell {cell.position} writes {listed(written[:5])}."
        findings.note("tampering", sentence, "Files of a notebook are never read as results.", cell=cell.position)


def _replaced(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names of things in Python's or NumPy's own modules that a cell assigns to."""
    guarded = GUARDED | set(_aliases(tree))
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            targets = [ast.Attribute(node.args[0], "...", ast.Store())] if node.args else []
        for target in targets:
            if isinstance(target, ast.Attribute) and _root(target) in guarded:
                yield ast.unparse(target)


def _aliases(tree: ast.Module) -> Iterator[str]:
    """Yield the names under which a cell imports a guarded module or something of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.asname or a.name.split(".")[0] for a in node.names if a.name.split(".")[0] in GUARDED)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in GUARDED:
            yield from (alias.asname or alias.name for alias in node.names)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "get_ipython":
        return "IPython"
    return node.id if isinstance(node, ast.Name) else ""


def _result_files(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.replace("\\", "/").rsplit("/", 1)[-1]
            if _result.fullmatch(name):
                yield name
