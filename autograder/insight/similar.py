"""Rank pairs of hand-ins by the code that they share: renamed alike, the stub and what many write taken out."""

import io
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.course import Assignment, answer_cells, automatic_tasks
from autograder.errors import AutograderError
from autograder.insight.clusters import HandIns
from autograder.insight.html import render
from autograder.insight.page import Names
from autograder.report import Record

SHORTEST, WINDOW = 20, 6  # of a passage, in characters of code whose names are one letter; of the winnowing
COMMON = 0.1  # what a larger part of the hand-ins has is an idiom,
FEW = 3  # but never what so few of them have
LEAST = 0.2  # of what is their own must be shared for a pair to be shown
Piece = tuple[str, bool]  # text, and whether it is shared


@dataclass(frozen=True)
class Cell:
    """Show one answer of both, in pieces, and which part of it is shared."""

    task: str
    share: float
    one: tuple[Piece, ...]
    other: tuple[Piece, ...]


@dataclass(frozen=True)
class Pair:
    """Hold two hand-ins, the weight of what they share (more for what few have), and their cells."""

    one: str
    other: str
    weight: float
    share: float
    cells: tuple[Cell, ...]


def find_pairs(assignment: Assignment, hand_ins: HandIns, records: Iterable[Record], most: int) -> list[Pair]:
    """Return the pairs that share most, at most so many; each task is compared with itself."""
    students = sorted(record.student for record in records)
    prints = {
        task.name: _task_prints(assignment, hand_ins, students, task.name) for task in automatic_tasks(assignment)
    }
    weights = sum((_weights(of_task) for of_task in prints.values()), Counter[tuple[str, str]]())
    pairs = []
    for (one, other), weight in sorted(weights.items(), key=lambda item: (-item[1], item[0])):
        pair = _pair(one, other, weight, prints)
        pairs += [pair] if pair.share >= LEAST else []
        if len(pairs) == most:
            break
    return pairs


def similar_page(assignment: Assignment, records: Sequence[Record], pairs: Sequence[Pair], anonymous: bool) -> str:
    """Return the page that shows the pairs side by side, all code escaped."""
    return render("similar.html", assignment=assignment, pairs=pairs, names=Names(records, anonymous),
                  count=len(records), anonymous=anonymous)  # fmt: skip


def _task_prints(assignment: Assignment, hand_ins: HandIns, students: Sequence[str], task: str) -> dict[str, Any]:
    """Return each student's fingerprint of a task's answer, without the stub, the reference and what many have."""
    codes = {student: hand_ins.answer(student, task) for student in students}
    prints = {student: _print(code) for student, code in codes.items() if code}
    written = Counter(itertools.chain.from_iterable(found.hashes for found in prints.values()))
    limit = max(FEW, COMMON * len(prints))
    common = {passage for passage, count in written.items() if count > limit}
    for code in _given(assignment, task):
        common |= _print(code).hashes
    for found in prints.values():
        _take_out(found, common)
    return {student: found for student, found in prints.items() if found.hashes}


def _given(assignment: Assignment, task: str) -> list[str]:
    """Return what nobody copied from anybody: the stubs and the reference."""
    stubs = [cell.source for cell in assignment.released_cells() if cell.role == "answer" and task in cell.tasks]
    return [*stubs, *answer_cells(assignment, assignment.task(task)).values()]


def _print(code: str) -> Any:
    """Fingerprint code with copydetect: names become one letter, comments and spaces go, passages are winnowed."""
    try:
        from copydetect import CodeFingerprint
    except ImportError:
        remedy = "Install it with: pip install 'qkv-autograder[report]'"
        raise AutograderError("The library copydetect is missing.", remedy) from None
    return CodeFingerprint("answer.py", SHORTEST, WINDOW, language="python", fp=io.StringIO(code))


def _take_out(found: Any, common: set[int]) -> None:
    from copydetect.utils import get_token_coverage

    found.hashes = found.hashes - common
    found.hash_idx = {passage: places for passage, places in found.hash_idx.items() if passage not in common}
    found.token_coverage = get_token_coverage(found.hash_idx, found.k, len(found.filtered_code))


def _weights(prints: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    """Return for each pair the weight of the passages that both have; one that k of n have weighs log(n / k)."""
    having = defaultdict[int, list[str]](list)
    for student, found in prints.items():
        for passage in found.hashes:
            having[passage].append(student)
    weights = Counter[tuple[str, str]]()
    for students in having.values():
        for pair in itertools.combinations(sorted(students), 2):
            weights[pair] += math.log((len(prints) + 1) / len(students))  # type: ignore[assignment]
    return weights


def _pair(one: str, other: str, weight: float, prints: Mapping[str, Mapping[str, Any]]) -> Pair:
    both = {task: (found[one], found[other]) for task, found in prints.items() if one in found and other in found}
    cells = [_cell(task, *found) for task, found in both.items()]
    own = [found[student].token_coverage for found in prints.values() for student in (one, other) if student in found]
    shared = sum(
        cell.share * (first.token_coverage + second.token_coverage)
        for cell, (first, second) in zip(cells, both.values(), strict=True)
    )
    cells.sort(key=lambda cell: -cell.share)
    return Pair(one, other, weight, float(shared / sum(own)), tuple(cell for cell in cells if cell.share > 0))


def _cell(task: str, one: Any, other: Any) -> Cell:
    from copydetect import compare_files

    _, (first, second), (in_one, in_other) = compare_files(one, other)
    total = one.token_coverage + other.token_coverage
    share = min(1.0, float((first * one.token_coverage + second * other.token_coverage) / total))
    return Cell(task, share, _pieces(one.raw_code, in_one), _pieces(other.raw_code, in_other))


def _pieces(code: str, slices: Any) -> tuple[Piece, ...]:
    """Cut code into what is shared and what is not; the slices are two rows of starts and ends."""
    pieces, at = list[Piece](), 0
    for start, end in zip(*slices, strict=True) if len(slices) else ():
        start, end = max(at, int(start)), max(at, int(end))
        pieces += [(code[at:start], False), (code[start:end], True)]
        at = end
    return tuple(piece for piece in [*pieces, (code[at:], False)] if piece[0])
