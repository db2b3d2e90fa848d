"""The sample class: enough of it, of every kind, and real notebooks."""

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "samples"))

import build  # noqa: E402  (the folder of samples is no package: its assignments' names start with digits)

ASSIGNMENT = "02-attend"


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build.build_samples(ROOT, tmp_path_factory.mktemp("submitted"))


def _answers(path: Path) -> dict[str, str]:
    notebook: dict[str, Any] = json.loads(path.read_text())
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in notebook["cells"]
        if "nbgrader" in cell["metadata"]
    }


def test_the_class_is_large_and_of_every_kind() -> None:
    abouts = [expectation.about for expectation in build.expectations(ROOT, ASSIGNMENT).values()]
    assert len(abouts) >= 28
    wanted = {"Right": 6, "Wrong": 12, "Blank": 1, "Partly": 1, "Broken": 4, "Cheats": 8, "Not a notebook": 3}
    for kind, least in wanted.items():
        assert sum(about.startswith(kind) for about in abouts) >= least, kind


@pytest.mark.parametrize("assignment", build.assignments())
@pytest.mark.parametrize("kind", ["made of cells", "raw"])
def test_every_hand_in_is_where_nbgrader_looks(submitted: Path, assignment: str, kind: str) -> None:
    for student, sample in build.samples(assignment).items():
        if (sample.raw is None) != (kind == "made of cells"):
            continue
        folder = submitted / student / assignment
        assert (folder / "timestamp.txt").is_file()
        path = folder / (sample.file or f"{assignment}.ipynb")
        if sample.raw is None:
            nbformat.validate(nbformat.read(path, as_version=4))
        else:
            assert path.read_text() == sample.raw


@pytest.mark.parametrize("assignment", build.assignments())
def test_every_hand_in_differs_from_the_others(submitted: Path, assignment: str) -> None:
    texts: dict[str, str] = {}
    for student, sample in build.samples(assignment).items():
        text = (submitted / student / assignment / (sample.file or f"{assignment}.ipynb")).read_text()
        assert text not in texts, f"{student} hands in the same as {texts[text]}"
        texts[text] = student


def test_the_untouched_hand_in_is_the_release(submitted: Path) -> None:
    got = json.loads((submitted / "yara-blank" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text())
    assert got == json.loads((ROOT / "assignments" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text())


def test_no_placeholder_is_left_and_letters_are_the_students_own(submitted: Path) -> None:
    ticked = set()
    for student, expectation in build.expectations(ROOT, ASSIGNMENT).items():
        if not expectation.about.startswith("Right") or student == "theo-renamed":
            continue
        answers = _answers(submitted / student / ASSIGNMENT / f"{ASSIGNMENT}.ipynb")
        assert "_RIGHT" not in answers["reading-answer"]
        ticked.add(answers["reading-answer"])
        if student != "sara-other-id":
            assert answers["student-id"] == f"student_id = {student!r}"
    assert len(ticked) > 3


def test_new_cells_follow_the_cell_before_them(submitted: Path) -> None:
    notebook = json.loads((submitted / "ivo-helpers-last" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text())
    ids = [cell["id"] for cell in notebook["cells"]]
    place = ids.index("softmax-answer")
    assert ids[place + 1].startswith("extra-")
    assert "def log_softmax" in "".join(notebook["cells"][place + 1]["source"])


def test_expectations_say_what_is_not_met() -> None:
    expectation = build.Expectation("About", ("graded",), ((">=", 86.0), ("<", 98.0)))
    assert expectation.complaint("graded", 86.0) is None
    assert expectation.complaint("graded", 98.0) == "score 98.0, expected < 98"
    assert expectation.complaint("graded", None) == "score None, expected >= 86"
    assert expectation.complaint("unreadable", 90.0) == "status 'unreadable', expected graded"
