"""Right answers in bent notebooks: each assignment of the course loses no point by how its hand-in arrives."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment, Course, is_check, is_setup, is_solution, nbgrader_metadata, source_text
from autograder.grading.batch import grade_batch
from autograder.intake import find_hand_ins
from autograder.report import Record
from autograder.sandbox.levels import choose
from autograder.sandbox.workers import Limits

COURSE = Course.find(Path(__file__).parent)
MARKERS = re.compile(r"^[ \t]*### (?:BEGIN|END) SOLUTION.*\n?", re.MULTILINE)
LIMITS = Limits(cell_seconds=5, call_seconds=5, submission_seconds=90)

Cells = list[dict[str, Any]]
Bend = Callable[[Cells, dict[str, str]], Cells]  # a notebook's cells and the stubs by grade_id


def code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}


def is_answer(cell: dict[str, Any]) -> bool:
    return is_solution(cell) and not nbgrader_metadata(cell).get("grade")


def with_stub(cell: dict[str, Any], stubs: dict[str, str]) -> dict[str, Any]:
    return {**cell, "source": stubs[nbgrader_metadata(cell)["grade_id"]]}


def at_answers(replace: Callable[[dict[str, Any], dict[str, str]], Cells]) -> Bend:
    return lambda cells, stubs: [new for cell in cells for new in (replace(cell, stubs) if is_answer(cell) else [cell])]


def edited(cell: dict[str, Any]) -> dict[str, Any]:
    locked = cell["cell_type"] == "code" and (is_setup(cell) or is_check(cell))
    return {**cell, "source": f"import math\n{source_text(cell)}\nprint(1)"} if locked else cell


BENDS: dict[str, Bend] = {
    "as it is": lambda cells, stubs: cells,
    "marks lost": lambda cells, stubs: [{**cell, "metadata": {}} for cell in cells],
    "set-up deleted": lambda cells, stubs: [cell for cell in cells if not is_setup(cell)],
    "set-up and checks edited": lambda cells, stubs: [edited(cell) for cell in cells],
    "checks deleted": lambda cells, stubs: [cell for cell in cells if not is_check(cell)],
    "checks first": lambda cells, stubs: sorted(cells, key=lambda cell: not is_check(cell)),
    "answers as text": at_answers(lambda cell, stubs: [{**cell, "cell_type": "markdown"}]),
    "answers in plain cells": at_answers(lambda cell, stubs: [with_stub(cell, stubs), code(source_text(cell))]),
    "answers above the stubs": at_answers(lambda cell, stubs: [code(source_text(cell)), with_stub(cell, stubs)]),
    "answers twice": at_answers(lambda cell, stubs: [cell, copy.deepcopy(cell)]),
    "stubs before the answers": at_answers(lambda cell, stubs: [with_stub(cell, stubs), cell]),
    "all in one cell": lambda cells, stubs: [
        code("\n".join(source_text(cell) for cell in cells if cell["cell_type"] == "code" and not is_check(cell)))
    ],
    "what does not run here": lambda cells, stubs: [
        code("import torch, numpy as np\n%matplotlib inline\nimport matplotlib.pyplot as plt"),
        *cells[:2],
        code("import os; os._exit(1)"),
        *cells[2:],
        *map(code, ("plt.plot([1])", "!ls", "input()", "exit()", "np.seterr(all='raise')")),
    ],
}


def bent(assignment: Assignment, bend: Bend) -> bytes:
    source = json.loads(assignment.source.read_text(encoding="utf-8"))
    stubs = {cell.grade_id: cell.source for cell in assignment.released_cells()}
    cells = [{**cell, "source": MARKERS.sub("", source_text(cell))} for cell in source["cells"]]
    return json.dumps({**source, "cells": bend(cells, stubs)}).encode()


def scores(record: Record) -> dict[str, float | None]:
    return {task.name: task.score for task in record.tasks}


@pytest.mark.parametrize("name", COURSE.names())
def test_no_point_is_lost(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADER_SECRET", "everywhere")
    assignment = COURSE.assignment(name)
    for what, bend in BENDS.items():
        path = tmp_path / "submitted" / what / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(bent(assignment, bend))
    hand_ins = find_hand_ins(tmp_path / "submitted", name)
    records = {each.student: each for each in grade_batch(assignment, hand_ins, tmp_path / "r", LIMITS, choose())}
    wanted = scores(records["as it is"])
    assert all(task.score for task in records["as it is"].tasks if not task.manual and task.name != "reading")
    assert {what: scores(records[what]) for what in BENDS} == dict.fromkeys(BENDS, wanted)
    silent = {"as it is", "checks first"}
    assert [what for what in BENDS if what not in silent and not records[what].findings] == []
