"""Say why cells stopped and points were lost, where the notebook's own text tells: packages, stale state, names."""

import ast
import builtins
import difflib
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from autograder.course import ReleasedCell
from autograder.intake import Cell
from autograder.intake.code import bound_by, bound_names, parse, statements
from autograder.intake.notebook import Findings, listed
from autograder.report import Finding
from autograder.sandbox.student import CellOutcome

RUN_ALL = "In Jupyter, Restart Kernel and Run All Cells shows what counts."
MEND = "Restart the kernel, run all cells from the top, and mend this one."
ALWAYS_THERE = frozenset(dir(builtins)) | frozenset(
    "get_ipython display In Out exit quit _ __ ___ _i _ii _iii _ih _oh _dh __name__ __file__ __doc__".split()
)
_no_module = re.compile(r"No module named '([\w.]+)'")
_no_name = re.compile(r"name '(\w+)' is not defined")


def remarks(
    cells: Sequence[Cell],
    outcomes: Mapping[int, CellOutcome],
    released: Sequence[ReleasedCell],
    lost: Collection[str],
) -> list[Finding]:
    """Return what to say about the run of a notebook; `lost` are the tasks that lost points.

    The course's own checks are passed over: what they found, the groups of the task say better.
    """
    checks = {cell.grade_id: cell.source for cell in released if cell.role == "check"}
    code = {cell.position: cell for cell in cells if cell.kind == "code"}
    ours = {position for position, cell in code.items() if checks.get(cell.grade_id or "") == cell.source}
    stopped = [o for position, o in sorted(outcomes.items()) if o.error is not None and position not in ours]
    if not stopped and not lost:
        return []
    findings = Findings()
    missing = _missing_packages(stopped, findings)
    affected = {name for cell in code.values() for name in _imported_from(cell.source, missing)}
    _say_what_stopped(stopped, affected, findings)
    answers = _answers_of(code.values(), released, lost)
    _look_for_stale_state(code, stopped, answers, affected, findings)
    _look_for_hidden_names(code.values(), answers, findings)
    _look_for_misspelt_names(code.values(), released, lost, findings)
    return findings


def _missing_packages(stopped: Sequence[CellOutcome], findings: Findings) -> set[str]:
    places: dict[str, list[int]] = {}
    for outcome in stopped:
        if outcome.error == "ModuleNotFoundError":
            for module in _no_module.findall(outcome.message):
                places.setdefault(module.split(".")[0], []).append(outcome.position)
    for package, positions in places.items():
        sentence = f"The package {package} is not installed here (cell {listed(dict.fromkeys(positions))})."
        remedy = "What does not need it was graded all the same. A file of your own goes beside the notebook."
        findings.note("missing_package", sentence, remedy, cell=max(positions[0], 0))
    return set(places)


def _imported_from(source: str, packages: Collection[str]) -> Iterator[str]:
    tree = parse(source) if packages and "import" in source else None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            yield from ((a.asname or a.name).split(".")[0] for a in node.names if a.name.split(".")[0] in packages)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in packages:
            yield from (alias.asname or alias.name for alias in node.names)


def _say_what_stopped(stopped: Sequence[CellOutcome], affected: Collection[str], findings: Findings) -> None:
    for outcome in stopped:
        name = _no_name.search(outcome.message) if outcome.error == "NameError" else None
        if (name and name[1] in affected) or _no_module.search(outcome.message):
            continue  # said once, with the package
        where = f"Cell {outcome.position}" if outcome.position > 0 else "A set-up cell"
        if outcome.ended:
            sentence = f"{where} was stopped: {outcome.message}. Only its definitions count."
        else:
            sentence = f"{where} stopped with {outcome.error}: {outcome.message}"
        findings.note("cell_stopped", sentence, MEND, cell=max(outcome.position, 0))


def _answers_of(
    code: Collection[Cell], released: Sequence[ReleasedCell], lost: Collection[str]
) -> dict[int, tuple[Cell, str]]:
    """Return the cells, by position, that define what the lost tasks ask for, with the task."""
    names = _names_of(released, lost)
    if not names:
        return {}
    return {cell.position: (cell, names[name]) for cell in code for name in bound_names(cell.source) & names.keys()}


def _names_of(released: Sequence[ReleasedCell], lost: Collection[str]) -> dict[str, str]:
    """Return {name that students define: its task} for the tasks that lost points."""
    return {
        name: task
        for cell in released if cell.role == "answer"
        for task in cell.tasks[:1] if task in lost
        for name in bound_names(cell.source)
    }  # fmt: skip


def _look_for_stale_state(
    code: Mapping[int, Cell],
    stopped: Sequence[CellOutcome],
    answers: Mapping[int, tuple[Cell, str]],
    affected: Collection[str],
    findings: Findings,
) -> None:
    """Name what is used and not defined, or only further down: the notebook was not run from top to bottom."""
    asked = {outcome.position: match[1] for outcome in stopped if (match := _no_name.search(outcome.message))}
    if not asked and not answers:
        return
    known = ALWAYS_THERE | set(affected) | {name for cell in code.values() for name in _left_behind(cell.source)}
    said: set[str] = set()
    for position in sorted(place for place in {*asked, *answers} & code.keys() if place > 0):
        cell = code[position]
        unknown = _used(cell.source) - known - said
        said |= unknown
        for name in sorted(unknown):
            sentence = f"`{name}` is used in cell {position}, but no cell defines it: was it in a deleted cell?"
            sentence += _once_ran(cell, answers.get(position), code)
            findings.note("stale_state", sentence, RUN_ALL, cell=position)
        later = [p for p, c in sorted(code.items()) if p > position and asked.get(position) in bound_names(c.source)]
        if later:
            sentence = f"`{asked[position]}` is used in cell {position}, but defined only in cell {later[0]}."
            findings.note("stale_state", sentence, RUN_ALL, cell=position)


def _once_ran(cell: Cell, answer: tuple[Cell, str] | None, code: Mapping[int, Cell]) -> str:
    check = next((each for each in code.values() if answer and each.grade_id == answer[1]), cell)
    ran = next((each for each in (check, cell) if each.ran), None)
    return f" The file says that cell {ran.position} once ran without an error." if ran else ""


def _left_behind(source: str) -> set[str]:
    """Return the names that a cell may leave behind: all its words when it cannot be read as Python."""
    tree = parse(source)
    if tree is None:
        return set(re.findall(r"\w+", source))
    names = bound_names(source)
    for star in (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "*" in bound_by(node)):
        names |= _public_names(star.module or "")
    return names | {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}


def _public_names(module: str) -> set[str]:
    """Return what a star import brings, of the few modules that are starred; of another one nothing is known."""
    known = {"numpy": np, "numpy.linalg": np.linalg, "numpy.random": np.random, "math": math}
    return {name for name in dir(known[module]) if name[0] != "_"} if module in known else set()


def _used(source: str) -> set[str]:
    """Return the names that a cell reads and does not bind anywhere in itself."""
    tree = parse(source)
    if tree is None:
        return set()
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return read - set(_bound_anywhere(tree))


def _bound_anywhere(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).split(".")[0]
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name


def _look_for_hidden_names(
    code: Collection[Cell], answers: Mapping[int, tuple[Cell, str]], findings: Findings
) -> None:
    """Name variables that hide a function of Python, or NumPy itself, from an answer that lost points."""
    used = {name for cell, _ in answers.values() for name in _used(cell.source)}
    used &= {"np", *dir(builtins)}
    for cell in code if used else ():
        hidden = used & _made_variables(cell.source)
        if hidden:
            called = listed(f"`{name}`" for name in sorted(hidden))
            sentence = f"Cell {cell.position} gives {called} another meaning, and an answer uses the usual one."
            findings.note("hidden_name", sentence, "Take another name there.", cell=cell.position)


def _made_variables(source: str) -> set[str]:
    """Return the names that a cell binds at its top level, those of imported modules left out."""
    tree = parse(source)
    names: set[str] = set()
    for statement in statements(tree.body) if tree else ():
        if isinstance(statement, ast.ImportFrom) and "*" in bound_by(statement):
            names |= _public_names(statement.module or "")
        elif not isinstance(statement, (ast.Import, ast.ImportFrom)):
            names |= bound_by(statement)
    return names


def _look_for_misspelt_names(
    code: Collection[Cell], released: Sequence[ReleasedCell], lost: Collection[str], findings: Findings
) -> None:
    """Name what nearly bears the name of an answer that no cell defines."""
    bound = {name: cell.position for cell in code for name in bound_names(cell.source)}
    for wanted in _names_of(released, lost).keys() - bound.keys():
        plain = {name.replace("_", "").casefold(): name for name in bound}
        near = difflib.get_close_matches(wanted.replace("_", "").casefold(), plain, n=1, cutoff=0.8)
        if near:
            name = plain[near[0]]
            sentence = f"No cell defines `{wanted}`, but cell {bound[name]} defines `{name}`."
            findings.note("misspelt_name", sentence, "Names count to the letter.", cell=max(bound[name], 0))
