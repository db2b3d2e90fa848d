"""Find hand-ins and read them: what arrives becomes cells and findings, or one sentence that says why not."""

import ast
import hashlib
import json
import os
import re
import stat
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.course import Assignment
from autograder.errors import AutograderError
from autograder.report import Finding

MAX_BYTES = 20 * 1024 * 1024
MAX_CELLS = 2_000
MAX_BRACKETS = 2_000_000
MAX_FOLDER_ENTRIES = 5_000
MAX_ANSWER = 100_000
SUFFIXES = (".ipynb", ".ipynb.json", ".ipynb.txt")
SKIPPED_FOLDERS = ("__MACOSX", "__pycache__")
SAVE_AGAIN = "Save the notebook again and hand it in once more."
TIMESTAMP = "timestamp.txt"
LAYOUT = "submitted/<student>/<assignment>/<assignment>.ipynb"
CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
MAGIC_BYTES = {
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a picture",
    b"Rar!": "a rar archive",
}

Kind = Literal["code", "markdown", "raw"]


class Unreadable(AutograderError):
    """Say why a file cannot be graded at all; the class goes on."""


@dataclass(frozen=True)
class HandIn:
    """Name one student's hand-in; `path` is None when the folder holds no notebook."""

    student: str
    assignment: str
    path: Path | None
    submitted_at: datetime | None


@dataclass(frozen=True)
class Cell:
    """Hold one cell; `position` counts from 1 in the file, and is 0 for a cell put back from the release."""

    position: int
    kind: Kind
    source: str
    grade_id: str | None
    attachments: Mapping[str, Any] = field(default_factory=dict)  # pictures pasted into text


@dataclass(frozen=True)
class Notebook:
    """Hold the cells of a hand-in in file order, without outputs, and what was noticed about the file."""

    cells: tuple[Cell, ...]
    sha256: str
    findings: tuple[Finding, ...]


# Finding


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
    candidates = _candidates(folder)
    wanted = _plain_name(exact)
    return min(candidates, key=lambda path: (_plain_name(path) != wanted, str(path)), default=None)


def _candidates(folder: Path) -> list[Path]:
    """List what looks like a notebook in the folder itself or, failing that, in the folders below it."""
    if not folder.is_dir():
        return []
    entries = sorted(folder.iterdir())[:MAX_FOLDER_ENTRIES]
    here = [entry for entry in entries if _looks_like_notebook(entry)]
    return here or [path for path in _below(folder) if _looks_like_notebook(path)]


def _below(folder: Path) -> Iterator[Path]:
    seen = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            seen += 1
            if seen > MAX_FOLDER_ENTRIES:
                return
            yield Path(parent, name)


def _looks_like_notebook(path: Path) -> bool:
    name = path.name.lower()
    return name.endswith(SUFFIXES) and not name.startswith(".") and not path.is_dir()


def _plain_name(path: Path) -> str:
    return unicodedata.normalize("NFC", path.name).casefold()


def read_timestamp(path: Path) -> datetime | None:
    """Read nbgrader's timestamp.txt as UTC; one that cannot be read is no time at all."""
    try:
        return parse_timestamp(_read_bounded(path, 200).decode("utf-8-sig"))
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


# Reading


def read_notebook(path: Path, assignment: Assignment) -> Notebook:
    """Read a hand-in; `Unreadable` says why a file cannot be graded at all.

    The size is bounded before anything is parsed, links are refused, outputs are never kept, and set-up cells
    take their text from the release.
    """
    if path.parent.is_symlink():
        raise Unreadable(f"The folder {path.parent.name} is a link, and links are not followed.", SAVE_AGAIN)
    data = _read_bounded(path, MAX_BYTES)
    findings = _name_findings(path, assignment.name)
    text = _decode(data, path, findings)
    notebook = _parse(text, path, len(data), findings)
    read = _cells(_raw_cells(notebook, path), findings)
    _look_at_metadata(notebook, findings)
    cells = _put_back_code(read, findings)
    cells = _restore_locked(cells, assignment.locked_cells(), findings)
    _look_for_copies(cells, findings)
    _look_for_checks(cells, assignment, findings)
    return Notebook(tuple(cells), hashlib.sha256(data).hexdigest(), tuple(findings))


def _note(
    findings: list[Finding],
    code: str,
    sentence: str,
    remedy: str = "",
    cell: int | None = None,
    review: bool = False,
) -> None:
    findings.append(Finding(code=code, sentence=sentence, remedy=remedy, cell=cell, review=review))


def _read_bounded(path: Path, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes, without following a link or waiting for a pipe."""
    name = path.name
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        why = "is a link, and links are not followed" if path.is_symlink() else f"cannot be opened: {error.strerror}"
        raise Unreadable(f"{name} {why}.", SAVE_AGAIN) from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{name} is not a regular file.", SAVE_AGAIN)
        if status.st_size > limit:
            size = f"{status.st_size / 2**20:.1f} MB, and {limit / 2**20:.0f} MB is the limit"
            remedy = "Clear all outputs, save, and hand it in once more."
            raise Unreadable(f"{name} is too large: {size}.", remedy)
        with open(handle, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.", SAVE_AGAIN) from None
    finally:
        os.close(handle)


def _name_findings(path: Path, assignment: str) -> list[Finding]:
    wanted = f"{assignment}.ipynb"
    rivals = _candidates(path.parent)
    others = ", ".join(sorted(rival.name for rival in rivals if rival != path))
    if path.name == wanted:
        if not others:
            return []
        sentence = f"{wanted} was graded; the folder also holds {others}."
        return [Finding(code="other_notebooks", sentence=sentence)]
    if others:
        sentence = f"No notebook is called {wanted}; {path.name} was graded, but there are also {others}."
        remedy = f"Rename the right one to {wanted} and grade again."
        return [Finding(code="several_notebooks", sentence=sentence, remedy=remedy, review=True)]
    sentence = f"The notebook is called {path.name}, not {wanted}."
    return [Finding(code="renamed", sentence=sentence)]


def _decode(data: bytes, path: Path, findings: list[Finding]) -> str:
    if not data.strip(b" \t\r\n\0"):
        raise Unreadable(f"{path.name} is an empty file ({len(data)} bytes).", SAVE_AGAIN)
    for magic, what in MAGIC_BYTES.items():
        if data.startswith(magic):
            raise Unreadable(f"{path.name} is {what}, not a notebook.", SAVE_AGAIN)
    encoding: str = json.detect_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = "cp1252"
        text = data.decode(encoding, "replace")
    if encoding not in ("utf-8", "utf-8-sig"):
        sentence = f"The file is written in {encoding}, not in UTF-8; it was converted."
        _note(findings, "encoding", sentence)
    return text.removeprefix("\ufeff")


def _parse(text: str, path: Path, size: int, findings: list[Finding]) -> dict[str, Any]:
    if text.lstrip().startswith("<") and not CONFLICT.match(text.lstrip()):
        raise Unreadable(f"{path.name} is a web page (HTML), not a notebook.", SAVE_AGAIN)
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        raise Unreadable(f"{path.name} holds too many values to be a notebook.", SAVE_AGAIN)
    constants: list[str] = []
    try:
        value = json.loads(text, strict=False, parse_constant=constants.append, parse_int=_bounded_int)
    except json.JSONDecodeError as error:
        raise _not_json(text, path, size, error) from None
    except RecursionError:
        raise Unreadable(f"{path.name} is nested too deeply to be a notebook.", SAVE_AGAIN) from None
    if constants:
        sentence = f"The file holds {constants[0]}, which JSON does not know; it was left out."
        _note(findings, "format_repaired", sentence)
    if not isinstance(value, dict):
        raise Unreadable(f"{path.name} is JSON, but not a notebook.", SAVE_AGAIN)
    return value


def _bounded_int(digits: str) -> int:
    return int(digits) if len(digits) <= 20 else 0


def _not_json(text: str, path: Path, size: int, error: json.JSONDecodeError) -> Unreadable:
    conflict = CONFLICT.search(text.replace("\r\n", "\n"))
    if conflict:
        line = text.replace("\r\n", "\n").count("\n", 0, conflict.start()) + 1
        remedy = "Choose one side, delete the markers, save, and hand it in once more."
        what = f"{path.name} has an unresolved merge conflict: its first marker is in line {line}."
        return Unreadable(what, remedy)
    last = text.rstrip().count("\n") + 1
    if not text.lstrip().startswith(("{", "[")):
        return Unreadable(f"{path.name} is not a notebook: it holds no JSON ({size} bytes).", SAVE_AGAIN)
    if error.lineno >= last and not text.rstrip().endswith("}"):
        what = f"{path.name} breaks off in line {last} ({size} bytes): part of the file is missing."
        return Unreadable(what, SAVE_AGAIN)
    where = f"line {error.lineno}, column {error.colno}"
    return Unreadable(f"{path.name} is not a notebook: its JSON is damaged at {where} ({size} bytes).", SAVE_AGAIN)


def _raw_cells(notebook: dict[str, Any], path: Path) -> list[Any]:
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        sheets = [sheet.get("cells") for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(cells, list):
        raise Unreadable(f"{path.name} is JSON, but not a notebook: it has no list of cells.", SAVE_AGAIN)
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"{path.name} has {len(cells)} cells, and {MAX_CELLS} is the limit.", SAVE_AGAIN)
    return cells


# Cells


@dataclass(frozen=True)
class _Read:
    """A cell on its way in, with the two marks of nbgrader that intake looks at."""

    cell: Cell
    answer: bool


def _cells(raw: list[Any], findings: list[Finding]) -> list[_Read]:
    read = [_cell(position, value, findings) for position, value in enumerate(raw, 1)]
    return [cell for cell in read if cell is not None]


def _cell(position: int, value: Any, findings: list[Finding]) -> _Read | None:
    if not isinstance(value, dict):
        sentence = f"Cell {position} is damaged and was left out."
        _note(findings, "damaged_cell", sentence, cell=position, review=True)
        return None
    source = _source(position, value, findings)
    marks = value.get("metadata")
    marks = marks.get("nbgrader") if isinstance(marks, dict) else None
    marks = marks if isinstance(marks, dict) else {}
    grade_id = marks.get("grade_id")
    grade_id = _mend(grade_id) if isinstance(grade_id, str) and grade_id else None
    answer = marks.get("solution") is True and marks.get("grade") is not True
    attachments = value.get("attachments")
    attachments = attachments if isinstance(attachments, dict) else {}
    return _Read(Cell(position, _kind(value.get("cell_type")), source, grade_id, attachments), answer)


def _kind(value: Any) -> Kind:
    if value == "code":
        return "code"
    return "raw" if value == "raw" else "markdown"


def _source(position: int, value: dict[str, Any], findings: list[Finding]) -> str:
    source = value.get("source", value.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = _join(source)
    if not isinstance(source, str):
        sentence = f"The text of cell {position} is damaged; it was read as empty."
        _note(findings, "damaged_cell", sentence, cell=position, review=True)
        return ""
    mended = _mend(source)
    if mended != source:
        sentence = f"Cell {position} holds half a character (a lone surrogate); it was replaced."
        _note(findings, "odd_characters", sentence, cell=position)
    if "\0" in mended:
        sentence = f"Cell {position} holds a NUL character, so Python cannot run it."
        remedy = "Delete the character, or type the cell again."
        _note(findings, "odd_characters", sentence, remedy=remedy, cell=position)
    mended = mended.replace("\r\n", "\n").replace("\r", "\n")
    conflict = CONFLICT.search(mended)
    if conflict:
        line = mended.count("\n", 0, conflict.start()) + 1
        sentence = f"Cell {position} has an unresolved merge conflict in line {line}."
        remedy = "Choose one side and delete the markers."
        _note(findings, "merge_conflict", sentence, remedy=remedy, cell=position, review=True)
    return mended


def _join(lines: list[str]) -> str:
    """Join a list of lines, whether they carry their own line ends (as they should) or not."""
    bare = len(lines) > 1 and not any(line.endswith(("\n", "\r")) for line in lines)
    return ("\n" if bare else "").join(lines)


def _mend(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _look_at_metadata(notebook: dict[str, Any], findings: list[Finding]) -> None:
    major, minor = notebook.get("nbformat"), notebook.get("nbformat_minor")
    if not isinstance(major, int):
        _note(findings, "format_repaired", "The file does not name its notebook format.")
    elif major < 4:
        _note(findings, "format_older", f"The file has the old notebook format {major}.")
    elif major > 4 or (isinstance(minor, int) and minor > 5):
        sentence = f"The file has the newer notebook format {major}.{minor}; it was read as 4.5."
        _note(findings, "format_newer", sentence)
    metadata = notebook.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    kernel = kernel if isinstance(kernel, dict) else {}
    name, language = kernel.get("name"), kernel.get("language", "python")
    if isinstance(language, str) and language.lower() not in ("python", "python3"):
        sentence = f"The notebook is set to the language {_mend(language)[:40]}; it was graded as Python."
        _note(findings, "other_language", sentence, review=True)
    elif kernel and name != "python3":
        named = f"the kernel {_mend(name)[:80]}" if isinstance(name, str) else "a kernel without a name"
        sentence = f"The notebook asks for {named}; it was graded with the course's Python."
        _note(findings, "kernel_overridden", sentence)


def _put_back_code(read: list[_Read], findings: list[Finding]) -> list[Cell]:
    """Treat an answer cell that became text as code, when its text is code that defines something."""
    cells = []
    for cell, answer in ((each.cell, each.answer) for each in read):
        if cell.kind != "code" and answer and _defines_something(cell.source):
            sentence = f"Cell {cell.position} ({cell.grade_id}), an answer, was turned into {cell.kind} text."
            remedy = "It was graded as code. In Jupyter, press Y in the cell to turn it back."
            _note(findings, "cell_type_changed", sentence, remedy=remedy, cell=cell.position, review=True)
            cell = replace(cell, kind="code")
        cells.append(cell)
    return cells


def _defines_something(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source[:MAX_ANSWER]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    return any(isinstance(statement, kinds) for statement in body)


def _same_text(left: str, right: str) -> bool:
    return _plain_lines(left) == _plain_lines(right)


def _plain_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _restore_locked(cells: list[Cell], locked: Mapping[str, str], findings: list[Finding]) -> list[Cell]:
    """Give every set-up cell the text of the release, and put back those that are missing."""
    cells = [_restored(cell, locked, findings) for cell in cells]
    before: str | None = None
    for grade_id, source in locked.items():
        if not any(cell.grade_id == grade_id for cell in cells):
            sentence = f"The set-up cell {grade_id} was missing; it was put back."
            _note(findings, "locked_cell_missing", sentence)
            cells.insert(_place_after(cells, before), Cell(0, "code", source, grade_id))
        before = grade_id
    return cells


def _restored(cell: Cell, locked: Mapping[str, str], findings: list[Finding]) -> Cell:
    if cell.grade_id is None and cell.kind == "code":
        twins = [grade_id for grade_id, source in locked.items() if _same_text(source, cell.source)]
        return replace(cell, grade_id=twins[0], source=locked[twins[0]]) if twins else cell
    if cell.grade_id is None or cell.grade_id not in locked:
        return cell
    source = locked[cell.grade_id]
    if cell.kind != "code" or not _same_text(cell.source, source):
        sentence = f"Cell {cell.position} ({cell.grade_id}) is locked but was changed; the original was used."
        _note(findings, "locked_cell_changed", sentence, cell=cell.position)
    return replace(cell, kind="code", source=source)


def _place_after(cells: list[Cell], grade_id: str | None) -> int:
    """Return the place after the previous set-up cell or, without one, before the first code cell."""
    ids = [cell.grade_id for cell in cells]
    if grade_id is not None and grade_id in ids:
        return ids.index(grade_id) + 1
    kinds = [cell.kind for cell in cells]
    return kinds.index("code") if "code" in kinds else len(cells)


def _look_for_copies(cells: list[Cell], findings: list[Finding]) -> None:
    places: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.grade_id is not None:
            places.setdefault(cell.grade_id, []).append(cell)
    for grade_id, copies in places.items():
        if len(copies) > 1:
            where = ", ".join(str(copy.position) for copy in copies)
            texts = "the same text" if len({copy.source for copy in copies}) == 1 else "different texts"
            sentence = f"The cell {grade_id} is there {len(copies)} times (cells {where}), with {texts}."
            remedy = "The notebook was run from top to bottom, so the last copy counts."
            _note(findings, "duplicated_cell", sentence, remedy=remedy, cell=copies[-1].position)


def _look_for_checks(cells: list[Cell], assignment: Assignment, findings: list[Finding]) -> None:
    """Remark on graded cells that are gone or no longer code; functions are found by name all the same."""
    places = {cell.grade_id: cell for cell in cells}
    for task in assignment.tasks:
        cell = places.get(task.name)
        if cell is None:
            what = "answer in words" if task.manual else "check"
            sentence = f"The {what} {task.name} has no cell of its own in the file."
            _note(findings, "graded_cell_missing", sentence, review=task.manual)
        elif not task.manual and cell.kind != "code":
            sentence = f"The check in cell {cell.position} ({task.name}) was turned into {cell.kind} text."
            _note(findings, "cell_type_changed", sentence, cell=cell.position)
