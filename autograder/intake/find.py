"""Find the hand-ins of an assignment, whatever their files are called."""

import os
import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.errors import AutograderError
from autograder.intake.files import MAX_FOLDER_ENTRIES, TIMESTAMP, Unreadable, files_below, looks_like_notebook, read_bounded

LAYOUT = "submitted/<student>/<assignment>/<assignment>.ipynb"


@dataclass(frozen=True)
class HandIn:
    """Name one student's hand-in; `path` is None when the folder holds no notebook."""

    student: str
    assignment: str
    path: Path | None
    submitted_at: datetime | None


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
    """Return a notebook with the assignment's name that lies one folder too high."""
    path = folder / f"{assignment}.ipynb"
    return path if _is_link_or_there(path) else None


def _hand_in(student_folder: Path, assignment: str) -> HandIn:
    folder = student_folder / assignment
    path = _pick(folder, assignment) or _stray_notebook(student_folder, assignment)
    student = os.fsencode(student_folder.name).decode("utf-8", "replace")
    return HandIn(student, assignment, path, read_timestamp(folder / TIMESTAMP))


def _pick(folder: Path, assignment: str) -> Path | None:
    exact = folder / f"{assignment}.ipynb"
    if folder.is_symlink() or _is_link_or_there(exact):
        return exact
    if folder.is_file():
        return None
    candidates = notebooks_in(folder)
    wanted = _plain_name(exact)
    return min(candidates, key=lambda path: (_plain_name(path) != wanted, str(path)), default=None)


def notebooks_in(folder: Path) -> list[Path]:
    """List what looks like a notebook in the folder itself or, failing that, in the folders below it."""
    if not folder.is_dir():
        return []
    entries = sorted(folder.iterdir())[:MAX_FOLDER_ENTRIES]
    here = [entry for entry in entries if looks_like_notebook(entry)]
    return here or [path for path in files_below(folder) if looks_like_notebook(path)]


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
