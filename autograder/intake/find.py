"""Find the hand-ins of an assignment, whatever their files are called."""

import os
import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.errors import AutograderError
from autograder.intake.files import (
    MAX_BYTES,
    MAX_FOLDER_ENTRIES,
    TIMESTAMP,
    Unreadable,
    files_below,
    looks_like_notebook,
    read_bounded,
)

ODD_SUFFIXES = ("", ".json", ".txt", ".nb", ".download")
LAYOUT = "submitted/<student>/<assignment>/<assignment>.ipynb"


@dataclass(frozen=True)
class HandIn:
    """Name one student's hand-in; `path` is None when the folder holds no notebook."""

    student: str
    assignment: str
    path: Path | None
    submitted_at: datetime | None
    beside: tuple[str, ...] = ()  # what the folder holds instead, when there is no notebook
    inputs: str = ""  # a hash of all that the record will be made from


def find_hand_ins(submitted: Path, assignment: str, student: str | None = None) -> list[HandIn]:
    """List the hand-ins of an assignment, sorted by student, from submitted/<student>/<assignment>/."""
    if not submitted.is_dir():
        remedy = f"Put the notebooks in {LAYOUT}, or name the folder with --submitted."
        raise AutograderError(f"There is no folder {submitted} with submissions.", remedy)
    try:
        folders = [entry for entry in sorted(submitted.iterdir()) if not entry.name.startswith(".")]
        found = [
            _hand_in(folder, assignment)
            for folder in folders
            if folder.is_dir() and student in (None, folder.name) and _took_part(folder, assignment)
        ]
    except OSError as error:
        raise AutograderError(f"{error.filename} cannot be read: {error.strerror}.") from None
    if not found:
        whose = f" by {student}" if student is not None else ""
        remedy = f"Each notebook is expected at {LAYOUT}."
        raise AutograderError(f"There is no submission of {assignment}{whose} in {submitted}.", remedy)
    return found


def _took_part(folder: Path, assignment: str) -> bool:
    """Tell whether a student's folder is about this assignment; an empty one lacks its notebook."""
    if _is_link_or_there(folder / assignment) or _stray_notebook(folder, assignment):
        return True
    return not any(not entry.name.startswith(".") for entry in folder.iterdir())


def _is_link_or_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _stray_notebook(folder: Path, assignment: str) -> Path | None:
    """Return a notebook with the assignment's name that lies in another folder of the student than it should."""
    exact = folder / f"{assignment}.ipynb"
    if _is_link_or_there(exact):
        return exact
    named = [path for path in files_below(folder) if looks_like_notebook(path) and _is_named(path, assignment)]
    return _best(named, exact)


def _is_named(path: Path, assignment: str) -> bool:
    """Tell whether the file or its folder bears the assignment's name, perhaps with a copy's number after it."""
    wanted = re.compile(rf"{re.escape(assignment.casefold())}(?![\w-])")
    return any(wanted.match(name) for name in (_plain_name(path), _plain_name(path.parent)))


def _hand_in(student_folder: Path, assignment: str) -> HandIn:
    folder = student_folder / assignment
    path = _pick(folder, assignment)
    if path is None:
        path = _stray_notebook(student_folder, assignment) or _archive_in(folder)
    student = os.fsencode(student_folder.name).decode("utf-8", "replace")
    beside = () if path else tuple(file.name for file in files_below(folder) if file.name != TIMESTAMP)[:5]
    return HandIn(student, assignment, path, read_timestamp(folder / TIMESTAMP), beside)


def _pick(folder: Path, assignment: str) -> Path | None:
    exact = folder / f"{assignment}.ipynb"
    if folder.is_symlink() or exact.is_symlink() or (exact.exists() and not exact.is_dir()):
        return exact
    return None if folder.is_file() else _best(notebooks_in(folder), exact)


def _best(candidates: list[Path], exact: Path) -> Path | None:
    """Return the one with the right name, else the one with the most of nbgrader's marks in it."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    wanted = _plain_name(exact)
    return min(candidates, key=lambda path: (_plain_name(path) != wanted, -_marks(path), str(path)))


def _marks(path: Path) -> int:
    try:
        return read_bounded(path, MAX_BYTES).count(b'"grade_id"')
    except Unreadable:
        return 0


def _archive_in(folder: Path) -> Path | None:
    archives = [path for path in files_below(folder) if path.suffix.lower() == ".zip" and path.name[0] != "."]
    return archives[0] if len(archives) == 1 else None


def notebooks_in(folder: Path) -> list[Path]:
    """List what looks like a notebook in the folder itself or, failing that, in the folders below it.

    Without any such name, a file counts that holds a notebook under another one.
    """
    if not folder.is_dir():
        return []
    entries = sorted(folder.iterdir())[:MAX_FOLDER_ENTRIES]
    here = [entry for entry in entries if looks_like_notebook(entry)]
    if here:
        return here
    below = [path for path in files_below(folder) if path.name[0] != "."]
    return [path for path in below if looks_like_notebook(path)] or [path for path in below if _is_notebook(path)]


def _is_notebook(path: Path) -> bool:
    """Tell by its content whether a file with an odd name is a notebook."""
    if path.suffix.lower() not in ODD_SUFFIXES and ".ipynb" not in path.name.lower():
        return False
    try:
        data = read_bounded(path, MAX_BYTES)
    except Unreadable:
        return False
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"cells"' in data and b'"nbformat"' in data


def _plain_name(path: Path) -> str:
    return unicodedata.normalize("NFC", path.name).casefold()


def read_timestamp(path: Path) -> datetime | None:
    """Read nbgrader's timestamp.txt as UTC; one that cannot be read is no time at all."""
    try:
        return parse_timestamp(read_bounded(path, 200).decode("utf-8-sig"))
    except (OSError, ValueError, Unreadable):
        return None


def parse_timestamp(text: str) -> datetime | None:
    """Read a time as UTC; a time without a zone is UTC; odd text is no time at all."""
    try:
        parts = text.strip().split(" ")
        zone = _zone(parts[2]) if len(parts) == 3 else UTC
        moment = datetime.fromisoformat(" ".join(parts[:2]))
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (OSError, ValueError, OverflowError, ZoneInfoNotFoundError):
        return None


def _zone(name: str) -> tzinfo:
    offset = re.fullmatch(r"([+-])(\d\d):?(\d\d)", name)
    if offset:
        sign = -1 if offset[1] == "-" else 1
        return timezone(sign * timedelta(hours=int(offset[2]), minutes=int(offset[3])))
    return UTC if name in ("Z", "UTC", "GMT") else ZoneInfo(name)
