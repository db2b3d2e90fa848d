"""Canvas's gradebook: one column of the teacher's own export is filled."""

import re
from collections.abc import Mapping, Sequence

from autograder.errors import AutograderError
from autograder.exports.fill import Filled, check_points, put_marks
from autograder.exports.marks import Mark
from autograder.exports.people import Row, match
from autograder.exports.sheet import Sheet

COLUMN = re.compile(r"(?P<title>.*) \(\d+\)", re.DOTALL)
READ_ONLY = re.compile(r"(?i)\b(current|final|unposted|override)\b.*\b(score|points|grade)\b")
IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
TEST_STUDENT = "student, test"
EXCUSED = "EX"


def fill(
    downloaded: bytes, marks: Mapping[str, Mark], roster: Sequence[dict[str, str]], assignment: str, title: str | None
) -> Filled:
    """Fill the column `title`, else the one named after the assignment; all else stays byte for byte.

    Excused cells (EX), the test student and rows above the students are left alone.
    """
    sheet = Sheet.read(downloaded)
    if "student" not in sheet.header[0].casefold() or sheet.column("ID") is None or sheet.column("Section") is None:
        raise AutograderError("This is no gradebook of Canvas.", "Export it there: Grades, Export, Entire Gradebook.")
    column, first = _column(sheet, assignment, title), _first_student(sheet)
    for place in range(1, first):
        if "points possible" in sheet.value(place, 0).casefold():
            if "read only" in sheet.value(place, column).casefold():
                raise AutograderError(f"Canvas calls the column {sheet.header[column]!r} read only.", "Name another.")
            check_points(sheet.value(place, column), marks, "Points Possible")
    rows = [_person(sheet, place) for place in range(first, len(sheet.rows)) if _is_student(sheet, place)]
    matched = match(rows, marks, roster)
    excused = {row.place: "excused (EX)" for row in rows if sheet.value(row.place, column).upper() == EXCUSED}
    filled, left = put_marks(sheet, column, matched.students, marks, excused)
    return Filled(sheet.bytes(), len(filled), matched.problems, tuple(left))


def _column(sheet: Sheet, assignment: str, title: str | None) -> int:
    """Return the one column that is meant; Canvas's own totals never are."""
    wanted = (title or assignment).casefold()
    after = (sheet.column("Section") or 0) + 1
    columns = {place: name for place, name in enumerate(sheet.header) if place >= after and not READ_ONLY.search(name)}
    names = {place: {name.casefold(), _title(name)} for place, name in columns.items() if COLUMN.fullmatch(name)}
    found = [place for place, either in names.items() if wanted in either]
    found = found or ([] if title else [place for place in names if wanted in _title(columns[place])])
    if len(found) != 1:
        listed = ", ".join(repr(columns[place]) for place in found or names) or "none"
        how = "Several columns" if found else "No column"
        raise AutograderError(f"{how} of the file fit {title or assignment!r}.", f"Name one with --column: {listed}.")
    return found[0]


def _title(name: str) -> str:
    found = COLUMN.fullmatch(name)
    return (found["title"] if found else name).strip().casefold()


def _first_student(sheet: Sheet) -> int:
    heads = [
        place for place in range(1, min(4, len(sheet.rows))) if "points possible" in sheet.value(place, 0).casefold()
    ]
    return heads[0] + 1 if heads else 1


def _is_student(sheet: Sheet, place: int) -> bool:
    return sheet.value(place, 0).casefold() != TEST_STUDENT and bool(sheet.value(place, 0) or sheet.value(place, 1))


def _person(sheet: Sheet, place: int) -> Row:
    ids = tuple(sheet.value(place, sheet.column(name)) for name in IDS)
    name = sheet.value(place, 0)
    return Row(place, f"{name} ({ids[0]})", ids, (name,))
