"""Turn the JSON of a notebook into cells: missing keys, odd text and other tools' habits are mended or named."""

import re
from typing import Any

from autograder.intake.files import Unreadable
from autograder.intake.notebook import Cell, Findings, Kind

MAX_CELLS = 2_000
CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
NEWEST_MINOR = 5


def cells_of(notebook: dict[str, Any], name: str, findings: Findings) -> list[Cell]:
    """Return the cells of a notebook in file order; what is no cell is left out with a finding."""
    cells = [_cell(position, value, findings) for position, value in enumerate(_raw_cells(notebook, name), 1)]
    return [cell for cell in cells if cell is not None]


def _raw_cells(notebook: dict[str, Any], name: str) -> list[Any]:
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        sheets = [sheet.get("cells") for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(cells, list):
        raise Unreadable(f"{name} is JSON, but not a notebook: it has no list of cells.", code="not_a_notebook")
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"{name} has {len(cells)} cells, and {MAX_CELLS} is the limit.")
    return cells


def _cell(position: int, value: Any, findings: Findings) -> Cell | None:
    if not isinstance(value, dict):
        findings.note("damaged_cell", f"Cell {position} is damaged and was left out.", cell=position, review=True)
        return None
    source = _source(position, value, findings)
    attachments = value.get("attachments")
    attachments = attachments if isinstance(attachments, dict) else {}
    return Cell(position, _kind(value), source, _grade_id(value), attachments, _ran(value))


def _grade_id(value: dict[str, Any]) -> str | None:
    marks = value.get("metadata")
    marks = marks.get("nbgrader") if isinstance(marks, dict) else None
    grade_id = marks.get("grade_id") if isinstance(marks, dict) else None
    return _mend(grade_id) if isinstance(grade_id, str) and grade_id else None


def _kind(value: dict[str, Any]) -> Kind:
    kind = value.get("cell_type")
    if kind == "code" or (kind not in ("markdown", "raw") and "outputs" in value):
        return "code"
    return "raw" if kind == "raw" else "markdown"


def _ran(value: dict[str, Any]) -> bool:
    """Tell whether the file says that this cell ran and no error came of it."""
    outputs = value.get("outputs")
    outputs = [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []
    counted = isinstance(value.get("execution_count", value.get("prompt_number")), int)
    return (counted or bool(outputs)) and all(output.get("output_type") not in ("error", "pyerr") for output in outputs)


def _source(position: int, value: dict[str, Any], findings: Findings) -> str:
    source = value.get("source", value.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = _join(source)
    if not isinstance(source, str):
        sentence = f"The text of cell {position} is damaged; it was read as empty."
        findings.note("damaged_cell", sentence, cell=position, review=True)
        return ""
    mended = _mend(source)
    if mended != source:
        sentence = f"Cell {position} holds half a character (a lone surrogate); it was replaced."
        findings.note("odd_characters", sentence, cell=position)
    mended = mended.replace("\r\n", "\n").replace("\r", "\n")
    conflict = CONFLICT.search(mended) if "<<<<<<<" in mended or ">>>>>>>" in mended else None
    if conflict:
        line = mended.count("\n", 0, conflict.start()) + 1
        sentence = f"Cell {position} has an unresolved merge conflict in line {line}."
        findings.note("merge_conflict", sentence, "Choose one side and delete the markers.", cell=position, review=True)
    return mended


def _join(lines: list[str]) -> str:
    """Join a list of lines, whether they carry their own line ends (as they should) or not."""
    bare = len(lines) > 1 and not any(line.endswith(("\n", "\r")) for line in lines)
    return ("\n" if bare else "").join(lines)


def _mend(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def look_at_metadata(notebook: dict[str, Any], findings: Findings) -> None:
    """Remark on the notebook format, the kernel and the language; none of them keeps a notebook from being graded."""
    major, minor = notebook.get("nbformat"), notebook.get("nbformat_minor")
    if not isinstance(major, int):
        findings.note("format_repaired", "The file does not name its notebook format.")
    elif major < 4:
        findings.note("format_older", f"The file has the old notebook format {major}.")
    elif major > 4 or (isinstance(minor, int) and minor > NEWEST_MINOR):
        sentence = f"The file has the newer notebook format {major}.{minor}; it was read as 4.{NEWEST_MINOR}."
        findings.note("format_newer", sentence)
    metadata = notebook.get("metadata")
    if isinstance(metadata, dict):
        kernel, language = (metadata.get(key) for key in ("kernelspec", "language_info"))
        _look_at_kernel(kernel if isinstance(kernel, dict) else {}, language, findings)


def _look_at_kernel(kernel: dict[str, Any], info: Any, findings: Findings) -> None:
    named = info.get("name", "") if isinstance(info, dict) else ""
    name, language = kernel.get("name"), kernel.get("language") or named
    if isinstance(language, str) and language and not language.lower().startswith(("python", "ipython")):
        sentence = f"The notebook is set to the language {_mend(language)[:40]}; it was graded as Python."
        findings.note("other_language", sentence, review=True)
    elif not kernel:
        return
    elif not isinstance(name, str) or not name:
        sentence = "The notebook asks for a kernel without a name; it was graded with the course's Python."
        findings.note("format_repaired", sentence)
    elif name != "python3":
        sentence = f"The notebook asks for the kernel {_mend(name)[:80]}; it was graded with the course's Python."
        findings.note("kernel_overridden", sentence)
