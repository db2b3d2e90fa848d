"""What Canvas and Moodle share: a downloaded file is filled, and what could not be filled is said."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.errors import AutograderError
from autograder.exports.marks import Mark
from autograder.exports.sheet import Sheet, parse_number


@dataclass(frozen=True)
class Filled:
    """Hold the filled file; `problems` ask for a person, `left` says which cells stay as they were and why."""

    data: bytes
    filled: int
    problems: tuple[str, ...]
    left: tuple[str, ...]


def put_marks(
    sheet: Sheet, column: int, students: Mapping[int, str], marks: Mapping[str, Mark], locked: Mapping[int, str]
) -> tuple[list[int], list[str]]:
    """Put final marks into a column; return the rows that were filled, and why others were not.

    What was not graded, or waits for a manual mark, is never written. `locked` says why a row must not be touched.
    """
    filled, left = [], []
    for row, student in students.items():
        why = locked.get(row) or "; ".join(_not_yet(marks[student]))
        if why:
            left.append(f"{student}: {why}")
        elif column >= len(sheet.rows[row]):
            left.append(f"{student}: the row of the file is too short")
        else:
            sheet.put(row, column, sheet.number(marks[student].score or 0.0))
            filled.append(row)
    return filled, left


def check_points(said: str, marks: Mapping[str, Mark], where: str) -> None:
    """Refuse a file whose assignment has other points than ours: a mark would mean something else there."""
    points = parse_number(said)
    ours = next((mark.max_score for mark in marks.values()), None)
    if points is not None and ours is not None and abs(points - ours) > 1e-9:
        raise AutograderError(
            f"The file gives this assignment {points:g} points ({where}), the course gives it {ours:g}.",
            f"Set it to {ours:g} points on the platform and download the file again.",
        )


def _not_yet(mark: Mark) -> Iterator[str]:
    if mark.score is None:
        yield "not graded"
    elif mark.waiting:
        yield f"waits for a mark: {', '.join(mark.waiting)}"
