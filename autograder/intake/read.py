"""Read a hand-in: bytes become text, text becomes JSON, JSON becomes cells; or one sentence says why not."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from autograder.course import Assignment
from autograder.intake.archive import notebook_in_archive
from autograder.intake.cells import CONFLICT, cells_of, look_at_metadata
from autograder.intake.conflict import settled
from autograder.intake.files import MAX_BYTES, SAVE_AGAIN, Unreadable, read_bounded
from autograder.intake.find import notebooks_in
from autograder.intake.notebook import Findings, Notebook
from autograder.intake.repair import repair

MAX_BRACKETS = 2_000_000
ZIP = b"PK\x03\x04"
MAGIC_BYTES = {
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a picture",
    b"Rar!": "a rar archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xd0\xcf\x11\xe0": "an Office document",
}


def read_notebook(path: Path, assignment: Assignment) -> Notebook:
    """Read a hand-in; `Unreadable` says why a file cannot be graded at all.

    The size is bounded before anything is parsed, links are refused, outputs are never kept, and locked cells
    take their text from the release.
    """
    if path.parent.is_symlink():
        raise Unreadable(f"The folder {path.parent.name} is a link, and links are not followed.")
    findings = Findings()
    original = data = read_bounded(path, MAX_BYTES)
    name = path.name
    if data.startswith(ZIP):
        name, data = notebook_in_archive(data, name, assignment.name, findings)
    else:
        _look_at_name(path, assignment.name, findings)
    notebook = _parse(_decode(data, name, findings), name, len(data), findings)
    look_at_metadata(notebook, findings)
    cells, rivals = repair(cells_of(notebook, name, findings), assignment, findings)
    return Notebook(tuple(cells), hashlib.sha256(original).hexdigest(), tuple(findings), tuple(rivals))


def _look_at_name(path: Path, assignment: str, findings: Findings) -> None:
    wanted = f"{assignment}.ipynb"
    others = ", ".join(sorted(rival.name for rival in notebooks_in(path.parent) if rival != path))
    if path.name == wanted:
        if others:
            findings.note("other_notebooks", f"{wanted} was graded; the folder also holds {others}.")
    elif others:
        sentence = f"No notebook is called {wanted}; {path.name} was graded, but there are also {others}."
        findings.note("several_notebooks", sentence, f"Rename the right one to {wanted} and grade again.", review=True)
    else:
        findings.note("renamed", f"The notebook is called {path.name}, not {wanted}.")


def _decode(data: bytes, name: str, findings: Findings) -> str:
    if not data.strip(b" \t\r\n\0"):
        raise Unreadable(f"{name} is an empty file ({len(data)} bytes).", code="empty_file")
    for magic, what in MAGIC_BYTES.items():
        if data.startswith(magic):
            raise Unreadable(f"{name} is {what}, not a notebook.", code="not_a_notebook")
    encoding: str = json.detect_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = "cp1252"
        text = data.decode(encoding, "replace")
    if encoding not in ("utf-8", "utf-8-sig"):
        findings.note("encoding", f"The file is written in {encoding}, not in UTF-8; it was converted.")
    return text.removeprefix("\ufeff")


def _parse(text: str, name: str, size: int, findings: Findings) -> dict[str, Any]:
    start = text.lstrip()
    if start.startswith("<") and not CONFLICT.match(start):
        raise Unreadable(f"{name} is a web page (HTML), not a notebook.", code="not_a_notebook")
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        raise Unreadable(f"{name} holds too many values to be a notebook.")
    constants: list[str] = []
    decoder = json.JSONDecoder(strict=False, parse_constant=constants.append, parse_int=_bounded_int)
    try:
        value, end = decoder.raw_decode(start)
    except json.JSONDecodeError as error:
        one_side = settled(text.replace("\r\n", "\n")) if CONFLICT.search(text) else None
        if one_side is not None:
            sentence = "The file has an unresolved merge conflict, but both sides hold the same cells; it was graded."
            findings.note("merge_conflict", sentence, SAVE_AGAIN)
            return _parse(one_side, name, size, findings)
        raise _not_json(text, name, size, json.JSONDecodeError(error.msg, text, _shifted(text, error.pos))) from None
    except RecursionError:
        raise Unreadable(f"{name} is nested too deeply to be a notebook.") from None
    if constants:
        findings.note("format_repaired", f"The file holds {constants[0]}, which JSON does not know; it was left out.")
    _look_at_rest(start[end:], name, findings)
    if not isinstance(value, dict):
        raise Unreadable(f"{name} is JSON, but not a notebook.", code="not_a_notebook")
    return value


def _shifted(text: str, position: int) -> int:
    return position + len(text) - len(text.lstrip())


def _look_at_rest(rest: str, name: str, findings: Findings) -> None:
    """Accept odd characters after the end of the JSON; a second document may hold other answers."""
    rest = rest.strip(" \t\r\n\0")
    if not rest:
        return
    if CONFLICT.search(rest):
        raise Unreadable(f"{name} has an unresolved merge conflict after its end.", code="merge_conflict")
    second = rest.startswith("{")
    what = "a second notebook" if second else "something else"
    sentence = f"The file goes on with {what} after the end of the first; only the first was read."
    findings.note("format_repaired", sentence, SAVE_AGAIN, review=second)


def _bounded_int(digits: str) -> int:
    return int(digits) if len(digits) <= 20 else 0


def _not_json(text: str, name: str, size: int, error: json.JSONDecodeError) -> Unreadable:
    plain = text.replace("\r\n", "\n")
    conflict = CONFLICT.search(plain)
    if conflict:
        line = plain.count("\n", 0, conflict.start()) + 1
        remedy = "Choose one side, delete the markers, save, and hand it in once more."
        what = f"{name} has an unresolved merge conflict: its first marker is in line {line}."
        return Unreadable(what, remedy, code="merge_conflict")
    last = text.rstrip().count("\n") + 1
    if not text.lstrip().startswith(("{", "[")):
        return Unreadable(f"{name} is not a notebook: it holds no JSON ({size} bytes).", code="not_a_notebook")
    if _breaks_off(text, error, last):
        return Unreadable(f"{name} breaks off in line {last} ({size} bytes): part of the file is missing.")
    where = f"line {error.lineno}, column {error.colno}"
    return Unreadable(f"{name} is not a notebook: its JSON is damaged at {where} ({size} bytes).")


def _breaks_off(text: str, error: json.JSONDecodeError, last: int) -> bool:
    """Tell whether the JSON ends too early; an unfinished string is reported where it starts."""
    if error.msg.startswith("Unterminated string") and not re.search(r'[^\\]"', text[error.pos + 1 :]):
        return True
    return error.lineno >= last and not text.rstrip().endswith("}")
