"""Moodle's offline grading worksheet: grades and feedback of the teacher's own download are filled."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence

from autograder.errors import AutograderError
from autograder.exports.fill import Filled, check_points, put_marks
from autograder.exports.marks import Mark, by_person
from autograder.exports.people import Row, match
from autograder.exports.sheet import Sheet
from autograder.exports.words import BY_PERSON, findings, group_text, task_text
from autograder.report import Record, TaskResult
from autograder.terminal import number, plain

GRADE = ("Grade", "Bewertung")
FEEDBACK = ("Feedback comments", "Feedback als Kommentar")
MOST = ("Maximum Grade", "Maximum grade", "Bestwertung")
LOCKED = ("Grade can be changed", "Bewertung kann geändert werden")
IDS = ("ID number", "ID-Nummer", "Matrikelnummer", "Username", "Anmeldename", "Email address", "E-Mail-Adresse")
NAMES = ("Full name", "Vollständiger Name")
NO = ("no", "nein")
PARTICIPANT = re.compile(r"\D*?(\d+)")


def fill(
    downloaded: bytes, records: Sequence[Record], marks: Mapping[str, Mark], roster: Sequence[dict[str, str]],
    column: str | None, feedback: str | None = None,
) -> Filled:  # fmt: skip
    """Fill the grades, and the feedback (as HTML) where there is such a column; all else stays byte for byte.

    The first column is the identifier that Moodle itself knows a row by. `column` and `feedback` name the columns
    in another language than English or German, or those of a grade import.
    """
    sheet = Sheet.read(downloaded)
    place = sheet.column(*([column] if column else GRADE))
    if place is None:
        listed = ", ".join(repr(name) for name in sheet.header)
        raise AutograderError("The file has no column of grades.", f"Name it with --column, one of: {listed}.")
    words = sheet.column(*([feedback] if feedback else FEEDBACK))
    if feedback and words is None:
        raise AutograderError(f"The file has no column {feedback!r}.", "Name it as it is in the file.")
    rows = [_person(sheet, row) for row in range(1, len(sheet.rows))]
    for row in rows:
        check_points(sheet.value(row.place, sheet.column(*MOST)), marks, "Maximum Grade")
    matched = match(rows, marks, roster)
    locked = {row.place: "Moodle says that its grade cannot be changed" for row in rows
              if sheet.value(row.place, sheet.column(*LOCKED)).casefold() in NO}  # fmt: skip
    filled, left = put_marks(sheet, place, matched.students, marks, locked)
    of = {record.student: record for record in records}
    for line in filled:
        student = matched.students[line]
        if words is not None and words < len(sheet.rows[line]) and student in of:
            sheet.put(line, words, page(of[student], marks[student]))
    return Filled(sheet.bytes(), len(filled), matched.problems, tuple(left))


def page(record: Record, mark: Mark) -> str:
    """Return what the student reads as one line of HTML; all text is escaped."""
    return "".join(_page(record, mark))


def _page(record: Record, mark: Mark) -> Iterator[str]:
    if mark.penalty:
        yield f"<p>{number(mark.penalty)} points off: handed in late.</p>"
    yield from (f"<p>{_escaped(sentence)}</p>" for sentence in findings(record))
    for task in record.tasks:
        yield from _task(task, mark)


def _task(task: TaskResult, mark: Mark) -> Iterator[str]:
    final = mark.tasks.get(task.name, task.score)
    score = "–" if final is None else number(final)
    yield f"<p><strong>{_escaped(task.name)}: {score} / {number(task.points)}</strong></p>"
    lines = [BY_PERSON] if by_person(task, mark) else []
    for group in task.groups:
        sign = "✓" if group.verdict == "passed" else "✗" if group.verdict == "failed" else "–"
        lines.append("\n".join(filter(None, (f"{sign} {plain(group.sentence)}", group_text(group)))))
    lines += task_text(task).splitlines()
    if lines:
        yield f"<ul>{''.join(f'<li>{_escaped(line)}</li>' for line in lines)}</ul>"


def _escaped(text: str) -> str:
    return "<br>".join(html.escape(plain(text)).splitlines())


def _person(sheet: Sheet, place: int) -> Row:
    identifier = sheet.value(place, 0)
    name = next((value for one in NAMES if (value := sheet.value(place, sheet.column(one)))), "")
    found = PARTICIPANT.fullmatch(identifier)
    numbered = (f"Participant {found[1]}", f"{name} {found[1]}" if name else "") if found else ()
    ids = (identifier, *numbered, *(sheet.value(place, sheet.column(one)) for one in IDS))
    return Row(place, f"{name} ({identifier})".strip(), ids, (name,))
