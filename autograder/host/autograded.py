"""Write autograded notebooks, which formgrader and `nbgrader generate_feedback` read: no kernel, no nbconvert."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.course import Assignment, is_solution, nbgrader_metadata, source_text
from autograder.errors import CourseError
from autograder.host.feedback import outputs, summary_cell
from autograder.host.settled import stamp
from autograder.intake import MAX_BYTES, Cell, HandIn, Unreadable, read_notebook
from autograder.report import Record, TaskResult

READ_ONLY = 0o444  # as nbgrader leaves it
MOST_FILES = 200

NotebookJson = dict[str, Any]


def write_autograded(folder: Path, assignment: Assignment, hand_in: HandIn, record: Record) -> frozenset[str]:
    """Write <folder>/<student>/<assignment>/ with the graded notebook, the timestamp and the other files.

    Returns the grade_ids of the answer cells that are as released.
    """
    target = folder / record.student / assignment.name
    write_files(target, assignment, hand_in)
    notebook = graded_notebook(assignment, hand_in, record)
    _replace(target / f"{assignment.name}.ipynb", json.dumps(notebook, ensure_ascii=False) + "\n")
    return unanswered(assignment, notebook)


def write_files(target: Path, assignment: Assignment, hand_in: HandIn) -> None:
    """Copy the hand-in's other files, then the course's, which win; links and very large files are left out."""
    target.mkdir(parents=True, exist_ok=True)
    for path, name in _files(hand_in, assignment):
        place = target / name
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            shutil.copyfile(path, place, follow_symlinks=False)
            place.chmod(READ_ONLY)


def graded_notebook(assignment: Assignment, hand_in: HandIn, record: Record) -> NotebookJson:
    """Return the hand-in as a valid notebook in which the release decides about points, tests and locked cells.

    Of copies of a cell the last keeps its marks. Graded and locked cells that are missing are put back. A file that
    cannot be read is shown as the release. Each test cell's output is the record's; other outputs are dropped.
    """
    release = _release(assignment)
    cells = _handed_in(hand_in, assignment)
    own = {marked_id(cell): cell for cell in release["cells"] if marked_id(cell)}
    shown = [*_shown(cells, own)] if cells is not None else [_clean(cell) for cell in release["cells"]]
    if cells is not None:
        _put_back(shown, own)
    results = {task.name: task for task in record.tasks}
    for cell in shown:
        _show_result(cell, results)
    top = _cell("markdown", "autograder-summary", summary_cell(record))
    metadata = {**release["metadata"], "autograder": stamp(record)}
    return {"cells": [top, *shown], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def unanswered(assignment: Assignment, notebook: NotebookJson) -> frozenset[str]:
    """Return the grade_ids of answer cells whose text is still that of the release."""
    before = {marked_id(cell): source_text(cell) for cell in _release(assignment)["cells"] if is_solution(cell)}
    answers = (cell for cell in notebook["cells"] if is_solution(cell))
    return frozenset(marked_id(cell) for cell in answers if before.get(marked_id(cell)) == source_text(cell))


def marked_id(cell: NotebookJson) -> str:
    """Return the grade_id of a cell that nbgrader looks at, else an empty string."""
    marks = nbgrader_metadata(cell)
    known = marks.get("grade") or marks.get("solution") or marks.get("locked") or marks.get("task")
    return str(marks.get("grade_id", "")) if known else ""


# Cells


def _release(assignment: Assignment) -> NotebookJson:
    """Return the released notebook, read once as long as the file stays the same; it is not to be changed."""
    if not assignment.release.is_file():
        raise CourseError(f"{assignment.release} does not exist.", f"Run: autograder release {assignment.name}")
    return _read_release(assignment.release, assignment.release.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read_release(path: Path, written_at: int) -> NotebookJson:
    notebook: NotebookJson = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def _handed_in(hand_in: HandIn, assignment: Assignment) -> tuple[Cell, ...] | None:
    if hand_in.path is None:
        return None
    try:
        return read_notebook(hand_in.path, assignment).cells
    except Unreadable:
        return None


def _shown(cells: tuple[Cell, ...], own: Mapping[str, NotebookJson]) -> Iterator[NotebookJson]:
    last = {cell.grade_id: number for number, cell in enumerate(cells)}
    for number, cell in enumerate(cells):
        marked = own.get(cell.grade_id or "") if last[cell.grade_id] == number else None
        shown = _marked(cell, marked) if marked else _cell(cell.kind, f"handed-in-{number + 1}", cell.source)
        yield {**shown, **_attached(shown["cell_type"], cell.attachments)}


def _marked(cell: Cell, release: NotebookJson) -> NotebookJson:
    source = cell.source if is_solution(release) else source_text(release)
    return {**_clean(release), "source": source}


def _clean(release: NotebookJson) -> NotebookJson:
    return _cell(release["cell_type"], release.get("id", marked_id(release)), source_text(release), release["metadata"])


def _cell(kind: str, name: str, source: str, metadata: Mapping[str, Any] | None = None) -> NotebookJson:
    cell = {"cell_type": kind, "id": name[:64], "metadata": dict(metadata or {}), "source": source}
    return {**cell, "outputs": [], "execution_count": None} if kind == "code" else cell


def _attached(kind: str, attachments: Mapping[str, Any]) -> NotebookJson:
    """Return the pictures that a text cell carries, without anything that the format does not know."""
    pictures = {
        str(name): {str(kind): data for kind, data in bundle.items() if isinstance(data, str)}
        for name, bundle in attachments.items()
        if isinstance(bundle, dict)
    }
    return {"attachments": pictures} if pictures and kind != "code" else {}


def _put_back(shown: list[NotebookJson], own: Mapping[str, NotebookJson]) -> None:
    """Insert the graded and locked cells that are missing, each after the one that comes before it in the release."""
    ids = [marked_id(cell) for cell in shown]
    place = 0
    for grade_id, cell in own.items():
        if grade_id in ids:
            place = ids.index(grade_id) + 1
        elif not is_solution(cell) or nbgrader_metadata(cell).get("grade"):
            shown.insert(place, _clean(cell))
            ids.insert(place, grade_id)
            place += 1


def _show_result(cell: NotebookJson, results: Mapping[str, TaskResult]) -> None:
    task = results.get(marked_id(cell))
    if task is not None and not task.manual and cell["cell_type"] == "code" and nbgrader_metadata(cell).get("grade"):
        cell["outputs"] = outputs(task)


# Files


def _files(hand_in: HandIn, assignment: Assignment) -> Iterator[tuple[Path, Path]]:
    """Yield (file, name below the target); notebooks are left out."""
    if hand_in.path is not None and hand_in.path.parent.name == assignment.name:
        yield from _below(hand_in.path.parent)
    yield from _below(assignment.source.parent)


def _below(folder: Path) -> Iterator[tuple[Path, Path]]:
    count = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(names):
            path = Path(parent, name)
            if count < MOST_FILES and not name.startswith(".") and path.suffix != ".ipynb" and _is_moderate(path):
                count += 1
                yield path, path.relative_to(folder)


def _is_moderate(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.lstat().st_size <= MAX_BYTES


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=".autograded-", dir=path.parent)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, READ_ONLY)
    os.replace(name, path)
