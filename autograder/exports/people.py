"""Tell which row of a platform's file is which student of the course; nobody is guessed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.collect.place import course_id, folder_name, same_text
from autograder.exports.marks import Mark


@dataclass(frozen=True)
class Row:
    """Hold what a row of the file says about a person: ids that decide, names for where no id is known."""

    place: int
    shown: str
    ids: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Matched:
    """Hold the student of each row, and in sentences what a person must settle."""

    students: dict[int, str]
    problems: tuple[str, ...]


def match(rows: Sequence[Row], marks: Mapping[str, Mark], roster: Sequence[dict[str, str]]) -> Matched:
    """Match rows with students by their ids, else by exact names, with what the roster adds.

    A row that fits several students, and a student that fits several rows, is left out and said.
    """
    known = _keys(marks.values(), roster)
    students: dict[int, str] = {}
    problems = []
    for row in rows:
        by_id, by_name = _fits(row.ids, known), _fits(row.names, known)
        fits = by_id | by_name if not by_id & by_name else by_id
        if len(fits) == 1:
            students[row.place] = fits.pop()
        elif fits:
            problems.append(f"{row.shown}: fits several students: {', '.join(sorted(fits))}")
        else:
            problems.append(f"{row.shown}: in the file, but no hand-in has this id or name")
    for student in marks:
        places = [place for place, one in students.items() if one == student]
        if len(places) > 1:
            problems.append(f"{student}: fits {len(places)} rows of the file")
            students = {place: one for place, one in students.items() if one != student}
        elif not places and not any(student in _fits((*row.ids, *row.names), known) for row in rows):
            problems.append(f"{student}: handed in, but is not in the file")
    return Matched(students, tuple(problems))


def _keys(marks: Iterable[Mark], roster: Sequence[dict[str, str]]) -> dict[str, set[str]]:
    """Return which students each id or name may mean."""
    known: dict[str, set[str]] = {}
    for mark in marks:
        mine = [line for line in roster if course_id(line) == mark.student]
        names = [f"{mark.first_name} {mark.last_name}", f"{mark.last_name}, {mark.first_name}"]
        values = [mark.student, mark.email, *(names if mark.first_name and mark.last_name else [])]
        for value in (*values, *(value for line in mine for value in line.values())):
            if value:
                known.setdefault(same_text(value), set()).add(mark.student)
    return known


def _fits(values: Iterable[str], known: Mapping[str, set[str]]) -> set[str]:
    found = (known.get(same_text(folder_name(value))) or known.get(same_text(value)) for value in values if value)
    return set().union(*(students for students in found if students))
