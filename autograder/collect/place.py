"""Put hand-ins into submitted/: bytes as they came, times in UTC, nothing overwritten without a copy."""

import csv
import hashlib
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Literal

from autograder.collect.layouts import Claim, claims
from autograder.collect.match import Fingerprint, could_be_notebook, fingerprint, is_named_notebook, recognise
from autograder.collect.tree import Item, read_tree
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.intake import TIMESTAMP, read_timestamp

EARLIER = ".earlier"
MOST_BESIDE = 200
NEVER = datetime.min.replace(tzinfo=UTC)
UNSAFE_IN_NAMES = re.compile(r"[/\\\x00-\x1f\x7f:*?\[\]\"<>|+]")
ID_COLUMNS = ("student_id", "sis login id", "username", "email address", "email", "id")

What = Literal["new", "replaced", "unchanged", "older, left alone", "no notebook", "refused", "nobody's"]


@dataclass(frozen=True)
class Row:
    """Say what became of one hand-in; `look` asks for a person."""

    what: What
    student: str = ""
    name: str = ""
    assignment: str = ""
    submitted_at: datetime | None = None
    file: str = ""
    odd: tuple[str, ...] = ()
    look: bool = False


@dataclass(frozen=True)
class _Notebook:
    item: Item
    data: bytes
    assignment: str | None


@dataclass
class _Desk:
    """Hold what all claims of a download share."""

    into: Path
    known: Sequence[Fingerprint]
    wanted: str | None
    roster: Sequence[dict[str, str]]
    rows: list[Row] = field(default_factory=list)


def collect(
    course: Course, source: Path, *, assignment: str | None = None, into: Path | None = None,
    roster: Path | None = None, zone: tzinfo | None = None,
) -> list[Row]:  # fmt: skip
    """Take in a download and return one row for each hand-in, and for each entry that was refused.

    Each notebook goes to <into>/<student>/<assignment>/<assignment>.ipynb with its bytes unchanged. The assignment
    is found by content. A `roster` is a CSV file that gives a platform's ids the ids of the course. An AutograderError
    says when nothing can be taken in at all.
    """
    names = [assignment] if assignment is not None else course.names()
    known = [fingerprint(course.assignment(name)) for name in names]
    tree = read_tree(source, zone)
    found, left = claims(tree, course.names())
    desk = _Desk(into or course.root / "submitted", known, assignment, read_roster(roster))
    read = [(claim, [*_notebooks(claim, known)]) for claim in map(_Names(desk.roster), found)]
    only = _only_assignment(desk, read)
    for claim, notebooks in read:
        _take(desk, claim, notebooks, only)
    desk.rows += [Row("nobody's", file=str(item.origin), look=is_named_notebook(item.name)) for item in left]
    desk.rows += [Row("refused", file=name, odd=(why,), look=True) for name, why in tree.refused]
    return desk.rows


# Who


class _Names:
    """Give claims the ids of the course."""

    def __init__(self, roster: Sequence[dict[str, str]]) -> None:
        self._roster = roster

    def __call__(self, claim: Claim) -> Claim:
        rows = [row for row in self._roster if self._fits(claim, row)]
        student, odd = claim.student, claim.odd
        if len(rows) == 1:
            student = next(rows[0][column] for column in ID_COLUMNS if rows[0].get(column))
        elif self._roster:
            odd = (*odd, "not in the roster" if not rows else "in the roster more than once")
        return replace(claim, student=folder_name(student), odd=odd)

    @staticmethod
    def _fits(claim: Claim, row: dict[str, str]) -> bool:
        values = {same_text(value) for value in row.values() if value}
        keys = {same_text(key) for key in (claim.platform_id, claim.student) if key}
        return bool(keys & values) or same_text(claim.name) in values


def read_roster(path: Path | None) -> list[dict[str, str]]:
    """Read a roster: one dictionary a student, column names in lower case; no file is an empty roster."""
    if path is None:
        return []
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [
                {(column or "").strip().casefold(): (value or "").strip() for column, value in row.items() if column}
                for row in csv.DictReader(file)
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise AutograderError(f"The roster {path} cannot be read: {error}.", "Save it as CSV in UTF-8.") from None
    if not any(row.get(column) for row in rows for column in ID_COLUMNS):
        raise AutograderError(f"The roster {path} has no column of ids.", f"Call it one of {', '.join(ID_COLUMNS)}.")
    return [row for row in rows if any(row.get(column) for column in ID_COLUMNS)]


def same_text(text: str) -> str:
    """Return the text as names and ids are compared."""
    return unicodedata.normalize("NFC", text).strip().casefold()


def folder_name(student: str) -> str:
    """Return the student's id as a folder's name: no separators, no patterns, no leading dot."""
    name = UNSAFE_IN_NAMES.sub("_", unicodedata.normalize("NFC", student)).strip().lstrip(".")
    return name.encode("utf-8", "replace")[:150].decode("utf-8", "ignore") or "nameless"


def course_id(line: Mapping[str, str]) -> str:
    """Return the folder name that a line of the roster gives its student."""
    return folder_name(next(line[column] for column in ID_COLUMNS if line.get(column)))


def roster_id(people: Iterable[str], roster: Sequence[dict[str, str]]) -> str | None:
    """Return the course's id of whoever has one of these ids or names, None unless exactly one line fits."""
    wanted = {same_text(one) for one in people if one}
    lines = [line for line in roster if wanted & {same_text(value) for value in line.values() if value}]
    return course_id(lines[0]) if len(lines) == 1 else None


# What


def _notebooks(claim: Claim, known: Sequence[Fingerprint]) -> Iterator[_Notebook]:
    for item in claim.items:
        if could_be_notebook(item.name, item.size):
            data = item.content()
            assignment = recognise(data, known) if data is not None else None
            if data is not None and (assignment or is_named_notebook(item.name)):
                yield _Notebook(item, data, assignment)


def _only_assignment(desk: _Desk, read: Sequence[tuple[Claim, list[_Notebook]]]) -> str | None:
    """Return the assignment that the whole download is about, for notebooks that cannot be recognised."""
    found = {notebook.assignment for _, notebooks in read for notebook in notebooks if notebook.assignment}
    return desk.wanted or (found.pop() if len(found) == 1 else None)


def _take(desk: _Desk, claim: Claim, notebooks: list[_Notebook], only: str | None) -> None:
    groups: dict[str, list[_Notebook]] = {}
    for notebook in notebooks:
        assignment = notebook.assignment or claim.assignment or only
        if assignment is not None:
            groups.setdefault(assignment, []).append(notebook)
    for assignment, rivals in groups.items():
        recognised = [notebook for notebook in rivals if notebook.assignment] or rivals
        desk.rows.append(_place(desk, claim, assignment, _best(claim, assignment, recognised), recognised))
    if not groups:
        files = ", ".join(item.name for item in claim.items[:5])
        odd = (*claim.odd, "no notebook of the course")
        desk.rows.append(Row("no notebook", claim.student, claim.name, file=files, odd=odd, look=True))


def _best(claim: Claim, assignment: str, rivals: list[_Notebook]) -> _Notebook:
    if claim.in_order:
        return rivals[-1]
    wanted = f"{assignment}.ipynb"
    return max(rivals, key=lambda each: (each.item.name == wanted, each.item.moment or NEVER, str(each.item.path)))


def _place(desk: _Desk, claim: Claim, assignment: str, best: _Notebook, rivals: list[_Notebook]) -> Row:
    odd = [*claim.odd, *_oddities(claim, assignment, best, rivals)]
    target = desk.into / claim.student / assignment
    what, moment, more = _settle(desk.into, target, assignment, claim, best.data)
    if what in ("new", "replaced"):
        _write(target, assignment, claim, best)
    return Row(
        what, claim.student, claim.name, assignment, moment, str(best.item.origin), (*odd, *more),
        look=best.assignment is None,
    )  # fmt: skip


def _oddities(claim: Claim, assignment: str, best: _Notebook, rivals: list[_Notebook]) -> Iterator[str]:
    if best.assignment is None:
        yield "not recognised by its content"
    elif unicodedata.normalize("NFC", best.item.name) != f"{assignment}.ipynb":
        yield f"was called {best.item.name}"
    if len(rivals) > 1:
        yield f"chosen from {len(rivals)} notebooks"
    if claim.submitted_at is None:
        yield "no time known"


def _settle(
    into: Path, target: Path, assignment: str, claim: Claim, data: bytes
) -> tuple[What, datetime | None, tuple[str, ...]]:
    """Decide between what is there and what came; of equal files the earlier time counts."""
    path = target / f"{assignment}.ipynb"
    if not target.exists():
        return "new", claim.submitted_at, ()
    there, came = read_timestamp(target / TIMESTAMP), claim.submitted_at
    if path.is_file() and hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(data).digest():
        later = there is not None and came is not None and came > there
        return "unchanged", there or came, ("the same file again, later: the first time counts",) if later else ()
    if there is not None and came is not None and came < there:
        return "older, left alone", there, ("what is there was handed in later",)
    _put_aside(into, target)
    return "replaced", came, (f"what was there is in {EARLIER}/",)


def _put_aside(into: Path, target: Path) -> None:
    folder = into / EARLIER / target.parent.name / target.name
    number = 1
    while (folder / str(number)).exists():
        number += 1
    folder.mkdir(parents=True, exist_ok=True)
    shutil.move(target, folder / str(number))


def _write(target: Path, assignment: str, claim: Claim, best: _Notebook) -> None:
    target.mkdir(parents=True)
    for item, name in _beside(claim, best):
        data = item.content()
        if data is not None:
            (target / name).write_bytes(data)
    (target / f"{assignment}.ipynb").write_bytes(best.data)
    if claim.timestamp is not None:
        (target / TIMESTAMP).write_bytes(claim.timestamp)
    elif claim.submitted_at is not None:
        (target / TIMESTAMP).write_text(f"{claim.submitted_at:%Y-%m-%d %H:%M:%S.%f} UTC", encoding="ascii")


def _beside(claim: Claim, best: _Notebook) -> Iterator[tuple[Item, str]]:
    """Yield the files that lie in the notebook's folder, under names that are safe and single."""
    beside = [item for item in claim.items if item.path.parent == best.item.path.parent and item is not best.item]
    taken = Counter([TIMESTAMP])
    for item in beside[:MOST_BESIDE]:
        name = folder_name(item.name)
        taken[name] += 1
        if taken[name] == 1 and not item.name.startswith("."):
            yield item, name
