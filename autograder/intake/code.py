"""Look at the code of a cell without running it: which names it binds, how, and whether it is still a stub."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 100_000
_ipython_line = re.compile(r"^(\s*)(?:[%!?].*|[^\n#'\"]*\?{1,2}\s*)$", re.MULTILINE)
_ipython_value = re.compile(r"^(\s*[\w, ]+=\s*)[%!].*$", re.MULTILINE)
PYTHON_MAGICS = ("%%time", "%%capture", "%%prun", "%%timeit")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@lru_cache(maxsize=256)
def parse(source: str) -> ast.Module | None:
    """Return the tree of a cell, IPython's own lines passed over; None when it is not Python, or too long."""
    if len(source) > LONGEST:
        return None
    if source.lstrip().startswith("%%"):
        magic, _, source = source.lstrip().partition("\n")
        if not magic.startswith(PYTHON_MAGICS):
            return None
        source = f"\n{source}"
    return _tree(source) or _tree(_ipython_value.sub(r"\1None", _ipython_line.sub(r"\1pass", source)))


def _tree(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_plain(source: str) -> bool:
    """Tell whether a cell is Python to the letter, without IPython's own syntax."""
    return _tree(source) is not None


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run at a cell's top level, those inside if, for, try and with included."""
    for statement in body:
        yield statement
        if isinstance(statement, Scope):
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from statements(getattr(statement, part, []))
        for handler in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
            yield from statements(handler.body)


def bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement itself binds, not those of the statements inside it."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    return {node.id for node in _own_parts(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _own_parts(statement: ast.AST) -> Iterator[ast.AST]:
    """Walk a statement without going into the statements or functions that it holds."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, (ast.stmt, ast.Lambda, ast.comprehension, ast.ExceptHandler, ast.match_case)):
            continue
        yield child
        yield from _own_parts(child)


def bound_names(source: str) -> set[str]:
    """Return the names that a cell leaves behind."""
    tree = parse(source)
    return set().union(*map(bound_by, statements(tree.body))) if tree else set()


@dataclass(frozen=True)
class Definition:
    """Say how a cell defines a name: what tells it from others, whether it is a stub, and whether it uses itself."""

    text: str
    stub: bool
    wraps: bool


def definition(source: str, name: str) -> Definition | None:
    """Return the last definition of `name` that a cell leaves, or None."""
    if not may_define(source, name):
        return None
    tree = parse(source)
    found = [statement for statement in statements(tree.body) if name in bound_by(statement)] if tree else []
    if not found:
        return None
    last = found[-1]
    uses = not isinstance(last, Scope) and any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
                                               for n in _own_parts(last))  # fmt: skip
    wraps = uses and len(found) == 1
    return Definition("\n".join(map(ast.dump, map(_without_docstring, found))), _is_stub(last), wraps)


def may_define(source: str, name: str) -> bool:
    """Tell quickly whether a cell may define `name`; it does not when this says no."""
    return name in source and re.search(_pattern(name), source) is not None


@lru_cache(maxsize=256)
def _pattern(name: str) -> str:
    word = rf"\b{re.escape(name)}\b"
    return rf"(?:\b(?:def|class|as|import|for)\s[^\n]*{word}|{word}[^\n=]*[^\n=!<>]?=(?!=)|{word}\s*:)"


def _without_docstring(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, Function) and len(statement.body) > 1 and _is_text(statement.body[0]):
        fields = {field: getattr(statement, field) for field in statement._fields}
        return type(statement)(**{**fields, "body": statement.body[1:]})
    return statement


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_stub(statement: ast.stmt) -> bool:
    """Tell whether a function does nothing at all, or begins by saying that it is not implemented."""
    if not isinstance(statement, Function):
        return False
    body = [part for part in statement.body if not _is_text(part)]
    if not body:
        return True
    first = body[0]
    if isinstance(first, ast.Raise):
        return first.exc is not None and "NotImplementedError" in ast.dump(first.exc)
    idle = isinstance(first, ast.Pass) or (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first.value.value is ...
    )
    return idle and len(body) == 1


def definitions_only(source: str) -> str:
    """Return a cell with its imports, functions, classes and plain values kept, the rest blank; "" if nothing is left.

    Lines keep their numbers.
    """
    tree = parse(source)
    kept: set[int] = set()
    for statement in tree.body if tree else ():
        if _only_defines(statement):
            decorators = [decorator.lineno for decorator in getattr(statement, "decorator_list", [])]
            kept.update(range(min([statement.lineno, *decorators]), (statement.end_lineno or statement.lineno) + 1))
    lines = [line if number in kept else "" for number, line in enumerate(source.split("\n"), 1)]
    return "\n".join(lines).rstrip("\n")


def _only_defines(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return True
    busy = (ast.Call, ast.Await, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return isinstance(statement, ast.Assign) and (
        isinstance(statement.value, ast.Lambda) or not any(isinstance(node, busy) for node in ast.walk(statement))
    )
