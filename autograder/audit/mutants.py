"""Change right answers a little, everywhere that a person could slip: operators, axes, constants, names, statements."""

import ast
import copy
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_PER_STATEMENT = 6  # changes to the numbers of one statement: a table would drown all else
UNTOUCHED = frozenset({"annotation", "returns", "type_comment", "decorator_list", "ctx"})
LABELS = frozenset({"student_id"})  # what tells whose answer it is, and is no answer

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div, ast.Add), ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mod, ast.Mult), ast.Mod: (ast.FloorDiv,), ast.Pow: (ast.Mult,),
}  # fmt: skip
SWAPPED = (ast.Sub, ast.Div, ast.MatMult, ast.FloorDiv, ast.Mod, ast.Pow)
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
COUSINS = {
    "max": "min", "min": "max", "sum": "mean", "mean": "sum", "zeros": "ones", "ones": "zeros", "argmax": "argmin",
    "argmin": "argmax", "exp": "exp2", "sqrt": "square", "tanh": "sinh", "hstack": "vstack", "vstack": "hstack",
    "repeat": "tile", "tile": "repeat", "triu": "tril", "tril": "triu", "any": "all", "all": "any", "log": "log2",
    "column_stack": "vstack", "eye": "ones_like", "append": "extend", "copy": "view",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """Hold the changed text of one cell, and the lines that differ: `before` became `after` ("" when dropped)."""

    cell: str
    text: str
    before: str
    after: str

    @property
    def label(self) -> str:
        """Return the line that the change leaves, or which one it drops."""
        return self.after or f"drop {self.before}"

    @property
    def change(self) -> str:
        """Return the change in one line."""
        return f"{self.before}  ->  {self.after}" if self.after else self.label


def mutants(cell: str, text: str) -> list[Mutant]:
    """Return every mutant of a cell's text, each changed in one place, without duplicates."""
    tree = ast.parse(text)
    original = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for changed in _trees(tree):
        text = ast.unparse(changed)
        if text != original and text not in found and _compiles(text):
            found[text] = Mutant(cell, text, *_difference(original, text))
    return list(found.values())


def defines_code(text: str) -> bool:
    """Say whether a cell defines functions or classes, and not only literals to fill in."""
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda) for node in ast.walk(ast.parse(text)))


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _difference(original: str, changed: str) -> tuple[str, str]:
    lines = list(difflib.unified_diff(original.splitlines(), changed.splitlines(), n=0, lineterm=""))[3:]
    before, after = ([line[1:].strip() for line in lines if line.startswith(sign)] for sign in "-+")
    return " | ".join(before), " | ".join(line for line in after if line != "pass")


def _trees(tree: ast.Module) -> Iterator[ast.Module]:
    """Yield the tree with one place changed; it is the same object each time, put right again afterwards."""
    left: dict[int, int] = {}
    for holder, key, node, place in list(_places(tree, _Place())):
        for new in _variants(node, place):
            if _is_data(node):
                left[place.statement] = left.get(place.statement, MOST_PER_STATEMENT) - 1
                if left[place.statement] < 0:
                    break
            yield from _with(tree, holder, key, new)


def _is_data(node: ast.AST) -> bool:
    """Say whether a node is a number, a text, or a table of them."""
    return isinstance(node, ast.expr) and not any(isinstance(n, ast.Name | ast.Call) for n in ast.walk(node))


def _with(tree: ast.Module, holder: ast.AST, key: tuple[str, int | None], new: ast.AST | None) -> Iterator[ast.Module]:
    field, index = key
    if index is None:
        old = getattr(holder, field)
        setattr(holder, field, new)
        yield tree
        setattr(holder, field, old)
        return
    entries: list[ast.AST] = getattr(holder, field)
    before = entries[:]
    entries[index : index + 1] = [] if new is None else [new]
    if not entries and field == "body":
        entries.append(ast.Pass())
    yield tree
    entries[:] = before


@dataclass(frozen=True)
class _Place:
    """Say where in the text a node stands."""

    names: tuple[str, ...] = ()  # what the function around it could mix up
    statement: int = 0
    field: str = ""
    message: bool = False  # inside a raise, whose words nobody grades
    outermost: bool = False  # a statement of the cell or of a function's own body


Key = tuple[str, int | None]


def _places(node: ast.AST, place: _Place) -> Iterator[tuple[ast.AST, Key, ast.AST, _Place]]:
    """Yield (holder, key, node, place) for every node that may be changed."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        place = _Place(names=_names_in(node), statement=place.statement)
    for field, value in ast.iter_fields(node):
        if field in UNTOUCHED:
            continue
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if not isinstance(child, ast.AST) or _left_alone(child, field, index):
                continue
            inner = _Place(
                names=place.names,
                statement=id(child) if isinstance(child, ast.stmt) else place.statement,
                field=field,
                message=place.message or isinstance(child, ast.Raise),
                outermost=isinstance(node, ast.FunctionDef | ast.Module) and index == len(children) - 1,
            )
            yield node, (field, index if isinstance(value, list) else None), child, inner
            yield from _places(child, inner)


def _left_alone(node: ast.AST, field: str, index: int) -> bool:
    docstring = field == "body" and index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    label = isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in LABELS for t in node.targets)
    return docstring or label or isinstance(node, ast.JoinedStr)


def _names_in(function: ast.FunctionDef | ast.Lambda) -> tuple[str, ...]:
    arguments = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return tuple(dict.fromkeys(arguments + stored))


def _variants(node: ast.AST, place: _Place) -> Iterator[ast.AST | None]:
    """Yield what could stand in a node's place; None drops a statement."""
    if place.message and not isinstance(node, ast.Raise):
        return
    match node:
        case ast.stmt():
            yield from _statements(node, place)
        case ast.keyword(arg=str()):
            yield from _keywords(node)
        case ast.comprehension():
            yield from _comprehensions(node)
        case ast.Slice():
            yield from (_but(node, **{part: None}) for part in ("lower", "upper", "step") if getattr(node, part))
        case ast.expr():
            yield from _expressions(node, place)


def _statements(node: ast.stmt, place: _Place) -> Iterator[ast.AST | None]:
    final = isinstance(node, ast.Return) and place.outermost
    if not final and not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Pass | ast.Import | ast.ImportFrom):
        yield None
    if isinstance(node, ast.AugAssign):
        yield from (_but(node, op=other()) for other in OPERATORS.get(type(node.op), ()))
        yield ast.Assign(targets=[node.target], value=node.value, lineno=0)
    if isinstance(node, ast.If | ast.While):
        yield _but(node, test=_negated(node.test))
    if isinstance(node, ast.If) and node.orelse:
        yield _but(node, orelse=[])


def _keywords(node: ast.keyword) -> Iterator[ast.AST | None]:
    yield None
    if node.arg == "axis":
        for axis in (0, 1, -1, -2, None):
            yield _but(node, value=_constant(axis))
    if isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
        yield _but(node, value=_constant(not node.value.value))


def _comprehensions(node: ast.comprehension) -> Iterator[ast.AST]:
    for i, test in enumerate(node.ifs):
        yield _but(node, ifs=node.ifs[:i] + node.ifs[i + 1 :])
        yield _but(node, ifs=[*node.ifs[:i], _negated(test), *node.ifs[i + 1 :]])


def _expressions(node: ast.expr, place: _Place) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            yield from (_but(node, op=other()) for other in OPERATORS.get(type(op), ()))
            if isinstance(op, SWAPPED):
                yield _but(node, left=right, right=left)
            yield from (left, right)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.BoolOp(op=op, values=values):
            yield _but(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            yield from values
        case ast.Compare(ops=[op, *_]):
            yield from (_but(node, ops=[other(), *node.ops[1:]]) for other in COMPARISONS.get(type(op), ()))
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Constant(value=value):
            yield from map(_constant, _other_values(value))
        case ast.Call():
            yield from _calls(node, place)
        case ast.Attribute(value=value, attr=attr):
            if attr in COUSINS:
                yield _but(node, attr=COUSINS[attr])
            if attr == "T":
                yield value
        case ast.Subscript(value=value) if isinstance(node.ctx, ast.Load):
            yield value
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if isinstance(node.ctx, ast.Load):
            yield from _sequences(node, elements)
        case ast.Set(elts=elements) if len(elements) >= 2:
            yield from (_but(node, elts=elements[:i] + elements[i + 1 :]) for i in range(len(elements)))
        case ast.Starred(value=value):
            yield value
        case ast.Name(id=name) if isinstance(node.ctx, ast.Load) and name in place.names:
            yield from (_but(node, id=other) for other in _neighbours(name, place.names))


def _calls(node: ast.Call, place: _Place) -> Iterator[ast.AST]:
    plain = not any(isinstance(argument, ast.Starred) for argument in node.args)
    if plain and len(node.args) >= 2:
        for i in range(len(node.args) - 1):
            swapped = [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]]
            yield _but(node, args=swapped)
    if plain and node.args:
        yield node.args[0]  # the call left out
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value, place):
        yield node.func.value  # the method left out


def _is_module(node: ast.expr, place: _Place) -> bool:
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id not in place.names


def _sequences(node: ast.expr, elements: Sequence[ast.expr]) -> Iterator[ast.AST]:
    if len(elements) >= 2:
        yield _but(node, elts=[elements[1], elements[0], *elements[2:]])
        yield _but(node, elts=list(elements[:-1]))
        yield _but(node, elts=list(elements[1:]))


def _other_values(value: object) -> Iterator[object]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, float):
        yield from (value * 2, value + 1.0)
    elif isinstance(value, str) and value:
        yield chr(ord(value) + 1) if len(value) == 1 else value[:-1]


def _neighbours(name: str, names: Sequence[str]) -> list[str]:
    """Return the two names beside this one, in the order in which the function makes them."""
    at, count = names.index(name), len(names)
    return [other for other in dict.fromkeys((names[(at + 1) % count], names[at - 1])) if other != name]


def _but(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=test)


def _constant(value: object) -> ast.Constant:
    return ast.Constant(value=value)  # type: ignore[arg-type]
