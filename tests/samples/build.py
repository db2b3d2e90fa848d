"""Build the sample class: percent files become notebooks in nbgrader's layout.

A hand-in is `<assignment>/<student>.py` in this folder. It starts with comment lines:

    # What this hand-in is, in a few words.
    # expect: status=graded score>=86 score<98
    # rest: ada-vectorised           (optional: cells not written here come from that sample)
    # file: 02-attend (1).ipynb      (optional: another file name)

Then come cells. `# %% softmax-answer` replaces the released cell of that id, `# %% extra` is a new cell after the cell
before it, `# %% raw-file` is the whole file to the letter. A file without cells and without a rest is the release as it
came. The student's id is filled in for everybody else, and `READING_RIGHT` stands for the right answer to the item
`reading`, as its grader works it out.
"""

import ast
import contextlib
import copy
import io
import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from autograder.grading import beside

SAMPLES = Path(__file__).resolve().parent
HANDED_IN = "2026-01-15 12:00:00 UTC\n"
ID_CELL = "student-id"
VARIANTS_CELL = "variants"

_MARK = re.compile(r"^# %% (.+)\n", re.MULTILINE)
_CHECK = re.compile(r"score(<=|>=|=|<|>)(\d+(?:\.\d+)?)")
_RIGHT = re.compile(r"\b([A-Z][A-Z_]*)_RIGHT\b")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": lambda got, wanted: abs(got - wanted) < 1e-9,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Expectation:
    """Say what grading a sample should give: one of `statuses`, and a score within `bounds`."""

    about: str
    statuses: tuple[str, ...]
    bounds: tuple[tuple[str, float], ...]

    def complaint(self, status: str, score: float | None) -> str | None:
        """Return what is not as expected, or None."""
        if self.statuses and status not in self.statuses:
            return f"status {status!r}, expected {' or '.join(self.statuses)}"
        for sign, bound in self.bounds:
            if score is None or not _COMPARE[sign](score, bound):
                return f"score {score}, expected {sign} {bound:g}"
        return None


@dataclass(frozen=True)
class Sample:
    """Hold one percent file: its head, and its cells as (name, source) in order."""

    student: str
    expectation: Expectation
    rest: str | None
    file: str | None
    cells: tuple[tuple[str, str], ...]

    @property
    def raw(self) -> str | None:
        """Return the whole file, for a hand-in that is not made of cells."""
        return next((source for name, source in self.cells if name == "raw-file"), None)


def assignments() -> list[str]:
    """Return the assignments that have samples."""
    return sorted(folder.name for folder in SAMPLES.glob("[0-9]*-*/"))


def samples(assignment: str) -> dict[str, Sample]:
    """Read all samples of an assignment, by student."""
    return {path.stem: _read(path) for path in sorted((SAMPLES / assignment).glob("*.py"))}


def expectations(course_root: Path, assignment: str = "02-attend") -> dict[str, Expectation]:
    """Return what grading should give, by student."""
    _release(course_root, assignment)  # an assignment that the course does not have is refused here
    return {student: sample.expectation for student, sample in samples(assignment).items()}


def build_samples(course_root: Path, into: Path, assignment: str | None = None) -> Path:
    """Write the class to `<into>/<student>/<assignment>/` and return `into`; without a name, of every assignment."""
    for name in [assignment] if assignment else assignments():
        everybody = samples(name)
        for student in everybody:
            write_hand_in(course_root, into, name, everybody, student, student)
    return into


def write_hand_in(
    course_root: Path, into: Path, assignment: str, everybody: dict[str, Sample], sample_name: str, student: str
) -> Path:
    """Write one sample as the hand-in of `student` and return its path."""
    sample = everybody[sample_name]
    folder = into / student / assignment
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (sample.file or f"{assignment}.ipynb")
    text = sample.raw if sample.raw is not None else compose(course_root, assignment, everybody, sample, student)
    path.write_text(text, encoding="utf-8")
    (folder / "timestamp.txt").write_text(HANDED_IN, encoding="utf-8")
    return path


def compose(course_root: Path, assignment: str, everybody: dict[str, Sample], sample: Sample, student: str) -> str:
    """Return the notebook of a sample as JSON text."""
    notebook = copy.deepcopy(_release(course_root, assignment))
    answers = [*sample.cells]
    if sample.rest is not None:
        here = {name for name, _ in answers}
        inherited = _with_rest(everybody, everybody[sample.rest])
        answers = [(name, source) for name, source in inherited if name not in here] + answers
    if answers and all(name != ID_CELL for name, _ in answers) and _find(notebook, ID_CELL) is not None:
        answers.append((ID_CELL, f"student_id = {student!r}"))
    typed_id = _typed_id(dict(answers).get(ID_CELL), student)
    last: int | None = None
    for number, (name, source) in enumerate(answers):
        source = _RIGHT.sub(lambda match: repr(_right(course_root, assignment, notebook, match[1], typed_id)), source)
        if name == "extra":
            last = len(notebook["cells"]) if last is None else last + 1
            notebook["cells"].insert(last, _new_cell(f"extra-{number}", source))
            continue
        last = _find(notebook, name)
        if last is None:
            raise ValueError(f"{assignment}/{sample.student}: the release has no cell {name!r}")
        notebook["cells"][last]["source"] = source.splitlines(keepends=True)
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _read(path: Path) -> Sample:
    head, *pieces = _MARK.split(path.read_text(encoding="utf-8"))
    lines = [line.removeprefix("#").strip() for line in head.splitlines()]
    tags = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    words = tags.get("expect", "").split()
    statuses = next((word.removeprefix("status=") for word in words if word.startswith("status=")), "")
    bounds = [match.groups() for word in words if (match := _CHECK.fullmatch(word))]
    if not statuses or len(bounds) != len(words) - 1:
        raise ValueError(f"{path}: the line '# expect:' is missing or not understood")
    raw = len(pieces) == 2 and pieces[0].strip() == "raw-file"
    pairs = zip(pieces[::2], pieces[1::2], strict=True)
    cells = [(name.strip(), text if raw else text.rstrip("\n")) for name, text in pairs]
    return Sample(
        student=path.stem,
        expectation=Expectation(
            about=lines[0],
            statuses=tuple(status.replace("-", " ") for status in statuses.split("|")),
            bounds=tuple((sign, float(number)) for sign, number in bounds),
        ),
        rest=tags.get("rest"),
        file=tags.get("file"),
        cells=tuple(cells),
    )


def _with_rest(everybody: dict[str, Sample], sample: Sample) -> list[tuple[str, str]]:
    named = {name for name, _ in sample.cells}
    rest = _with_rest(everybody, everybody[sample.rest]) if sample.rest else []
    return [cell for cell in rest if cell[0] not in named] + [cell for cell in sample.cells if cell[0] != "extra"]


def _release(course_root: Path, assignment: str) -> dict[str, Any]:
    path = course_root / "assignments" / assignment / f"{assignment}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def _find(notebook: dict[str, Any], grade_id: str) -> int | None:
    for index, cell in enumerate(notebook["cells"]):
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id:
            return index
    return None


def _new_cell(cell_id: str, source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def _typed_id(source: str | None, student: str) -> str:
    if source is None:
        return student
    return str(ast.literal_eval(source.partition("=")[2].strip()))


def _right(course_root: Path, assignment: str, notebook: dict[str, Any], item: str, typed_id: str) -> Any:
    """Return the right answer to a drawn item, for the variant that this id is shown."""
    item = item.lower()
    index = _find(notebook, VARIANTS_CELL)
    assert index is not None, f"{assignment} draws no variants"
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("".join(notebook["cells"][index]["source"]), names)
    grader = course_root / "autograder" / "graders" / assignment / f"test_{item}.py"
    return beside(str(grader), grader.stem).right(SimpleNamespace(**names), names["variant"](typed_id, item))
