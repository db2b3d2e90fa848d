"""Stock nbgrader on a fresh clone: autograde runs the engine, feedback shows it, and nothing stops a class."""

import copy
import json
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from host_course import NAME, SECRET, cell, edit_hand_in, graded, make_course, run

from autograder.course import Course, source_text
from autograder.report import read_record

STUDENTS = ("ada-vectorised", "lea-blends-keys", "theo-renamed", "uma-truncated", "yves-no-notebook", "yara-blank")
HOSTILE = "<script>alert(1)</script> $\\href{javascript:alert(2)}{x}$"


def spoil(notebook: dict[str, Any]) -> None:
    """Do to a right hand-in what stops stock nbgrader: copies, unknown ids, odd schemas, changed points and tests."""
    twin = copy.deepcopy(cell(notebook, "softmax-answer"))
    twin["source"], twin["id"] = "def softmax(x, axis=-1):\n    return x\n", "twin"
    notebook["cells"].insert(0, twin)
    cell(notebook, "project")["metadata"]["nbgrader"] |= {"points": 1000, "schema_version": 99}
    cell(notebook, "attend")["source"] = "print('all points')\n"
    notebook["cells"].remove(cell(notebook, "cross"))
    notebook["cells"].append({"cell_type": "code", "id": "odd", "outputs": [], "execution_count": None,
                              "metadata": {"nbgrader": {"grade_id": "no such cell", "grade": True}},
                              "source": f"raise ValueError({HOSTILE!r})\n"})  # fmt: skip
    notebook["nbformat_minor"] = 99


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course that `nbgrader autograde` has just graded, and `nbgrader generate_feedback` after it."""
    folder = make_course(tmp_path_factory.mktemp("host") / "clone", [*STUDENTS, "bela-loops"])
    edit_hand_in(folder, "bela-loops", spoil)
    link = folder / "submitted" / "ada-vectorised" / NAME / "link.txt"
    link.symlink_to(folder / "autograder" / "graders" / NAME / "test_softmax.py")
    (link.parent / "picture.txt").write_text("mine")
    done = run(folder, "nbgrader", "autograde", NAME)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr and "uma-truncated" in done.stderr and "breaks off" in done.stderr
    done = run(folder, "nbgrader", "generate_feedback", NAME)
    assert done.returncode == 0, done.stderr
    return folder


def scores(database: Path) -> list[tuple[Any, ...]]:
    query = """
        select student.id, base_cell.name, grade.auto_score, grade.manual_score, grade.extra_credit,
               grade.needs_manual_grade
        from grade join base_cell on grade.cell_id = base_cell.id
        join submitted_notebook on grade.notebook_id = submitted_notebook.id
        join submitted_assignment on submitted_notebook.assignment_id = submitted_assignment.id
        join student on submitted_assignment.student_id = student.id order by 1, 2"""
    with sqlite3.connect(database) as connection:
        return connection.execute(query).fetchall()


def record(course: Path, student: str) -> Any:
    return read_record(course / "reports" / NAME / "records" / f"{student}.json")


def test_the_marks_are_those_of_autograder_grade(course: Path, tmp_path: Path) -> None:
    places = ["--reports", str(tmp_path / "reports"), "--db", f"sqlite:///{tmp_path / 'gradebook.db'}"]
    done = run(course, "autograder", "grade", NAME, *places)
    assert done.returncode == 1, done.stderr
    marks = scores(course / "gradebook.db")
    assert marks == scores(tmp_path / "gradebook.db") and len(marks) > 7 * 8
    for student in (*STUDENTS, "bela-loops"):
        fast = json.loads((tmp_path / "autograded" / student / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
        for left, right in zip(graded(course, student)["cells"], fast["cells"], strict=True):
            assert source_text(left) == source_text(right) and left["metadata"] == right["metadata"]
            assert left.get("outputs", []) == [_split(output) for output in right.get("outputs", [])]


def _split(output: dict[str, Any]) -> dict[str, Any]:
    """Spell the texts of an output as nbformat writes them: as lists of lines."""
    if "data" not in output:
        return output
    return {**output, "data": {kind: text.splitlines(keepends=True) for kind, text in output["data"].items()}}


def test_renamed_and_spoilt_hand_ins_are_graded_and_the_release_decides(course: Path) -> None:
    assert record(course, "theo-renamed").score == record(course, "bela-loops").score == 100
    notebook = graded(course, "bela-loops")
    released = json.loads((course / "assignments" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    for name in ("project", "attend", "cross"):
        assert cell(notebook, name)["metadata"] == cell(released, name)["metadata"]
        assert source_text(cell(notebook, name)) == source_text(cell(released, name))
    ids = [each["metadata"].get("nbgrader", {}).get("grade_id") for each in notebook["cells"]]
    assert ids.count("softmax-answer") == 1 and "no such cell" not in ids
    assert "return x\n" not in source_text(cell(notebook, "softmax-answer"))


def test_the_notebooks_are_valid_and_stock_nbgrader_reads_the_same_marks(course: Path) -> None:
    from nbgrader.nbgraderformat import MetadataValidator
    from nbgrader.utils import determine_grade

    for student in (*STUDENTS, "bela-loops"):
        notebook = nbformat.read(course / "autograded" / student / NAME / f"{NAME}.ipynb", as_version=4)
        nbformat.validate(notebook)
        MetadataValidator().validate_nb(notebook)
        by_name = {each.metadata.get("nbgrader", {}).get("grade_id"): each for each in notebook.cells}
        for task in record(course, student).tasks:
            if not task.manual:
                assert determine_grade(by_name[task.name]) == (task.score or 0.0, task.points)


def test_what_could_not_be_graded_has_no_mark_and_is_not_full(course: Path) -> None:
    marks = [row for row in scores(course / "gradebook.db") if row[0] in ("uma-truncated", "yves-no-notebook")]
    assert marks and all(auto is None and manual is None for _, _, auto, manual, _, _ in marks)
    assert "breaks off" in source_text(graded(course, "uma-truncated")["cells"][0])


def test_files_keep_their_times_and_links_are_not_followed(course: Path) -> None:
    folder = course / "autograded" / "ada-vectorised" / NAME
    assert sorted(path.name for path in folder.iterdir()) == [f"{NAME}.ipynb", "picture.txt", "timestamp.txt"]
    handed_in = course / "submitted" / "ada-vectorised" / NAME / "timestamp.txt"
    assert (folder / "timestamp.txt").read_bytes() == handed_in.read_bytes()
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o444}


def test_the_feedback_page_shows_sentences_and_points_escaped(course: Path) -> None:
    page = (course / "feedback" / "lea-blends-keys" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    found = record(course, "lea-blends-keys")
    task = next(task for task in found.tasks if task.diagnosis)
    for text in (task.diagnosis[0].sentence, *(group.sentence for group in task.groups)):
        assert text in page
    assert "✗ failed" in page and "5 of 16 points" in page
    spoilt = (course / "feedback" / "bela-loops" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    summary = spoilt[spoilt.index("points from the automatic checks") :][:3000]
    assert "<script>" not in summary and "&lt;script&gt;alert(1)" in summary


def test_nothing_hidden_is_shown(course: Path) -> None:
    graders = course / "autograder" / "graders" / NAME
    lines = {line.strip() for path in graders.glob("*.py") for line in path.read_text(encoding="utf-8").splitlines()}
    telling = {line for line in lines if len(line) > 40 and "@group" not in line and '"' not in line}
    assert len(telling) > 50
    for student in (*STUDENTS, "bela-loops"):
        page = (course / "feedback" / student / NAME / f"{NAME}.html").read_text(encoding="utf-8")
        assert not [line for line in telling if line in page and line not in _handed_in(course, student)]
        assert SECRET not in json.dumps(graded(course, student)["metadata"])


def _handed_in(course: Path, student: str) -> str:
    release = (course / "assignments" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8")
    paths = (course / "submitted" / student).rglob("*.ipynb")
    return "".join([release, *(path.read_text(encoding="utf-8", errors="replace") for path in paths)])


# ---------------------------------------------------------------- again, by the API that formgrader's button calls


@pytest.fixture(scope="module")
def api(course: Path) -> Iterator[Any]:
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import PyFileConfigLoader

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_SECRET", SECRET)
        yield NbGraderAPI(config=PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config())


def test_formgrader_sees_the_class_as_graded(api: Any) -> None:
    submissions = {each["student"]: each for each in api.get_submissions(NAME)}
    assert all(each["autograded"] for each in submissions.values()) and len(submissions) == 7
    assert submissions["lea-blends-keys"]["score"] == 89
    assert not submissions["ada-vectorised"]["needs_manual_grade"]


def test_what_people_entered_survives_the_button(course: Path, api: Any) -> None:
    student = "lea-blends-keys"
    with api.gradebook as gradebook:
        grade = gradebook.find_grade("attend", NAME, NAME, student)
        grade.manual_score, grade.extra_credit = 7.5, 0.5
        gradebook.find_comment("attend-answer", NAME, NAME, student).manual_comment = "see me <b>soon</b>"
        gradebook.find_submission_notebook(NAME, NAME, student).flagged = True
        gradebook.db.commit()
    before = [row for row in scores(course / "gradebook.db") if row[1] != "attend"]
    result = api.autograde(NAME, student)
    assert result["success"], result
    with api.gradebook as gradebook:
        grade = gradebook.find_grade("attend", NAME, NAME, student)
        assert (grade.auto_score, grade.manual_score, grade.extra_credit, grade.score) == (5.0, 7.5, 0.5, 8.0)
        assert gradebook.find_comment("attend-answer", NAME, NAME, student).comment == "see me <b>soon</b>"
        assert gradebook.find_submission_notebook(NAME, NAME, student).flagged
    assert [row for row in scores(course / "gradebook.db") if row[1] != "attend"] == before
    assert api.generate_feedback(NAME, student)["success"]
    page = (course / "feedback" / student / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "see me" in page


def test_a_grader_that_cannot_run_leaves_the_old_marks_and_notebooks(course: Path, api: Any) -> None:
    grader = course / "autograder" / "graders" / NAME / "test_softmax.py"
    text = grader.read_text(encoding="utf-8")
    before = scores(course / "gradebook.db"), graded(course, "ada-vectorised")
    grader.write_text("import no_such_module\n", encoding="utf-8")
    try:
        result = api.autograde(NAME, "ada-vectorised")
    finally:
        grader.write_text(text, encoding="utf-8")
    assert not result["success"] and "test_softmax.py" in result["log"]
    assert (scores(course / "gradebook.db"), graded(course, "ada-vectorised")) == before


def test_a_damaged_timestamp_is_no_time_and_stops_nothing(course: Path, api: Any) -> None:
    (course / "submitted" / "yara-blank" / NAME / "timestamp.txt").write_text("yesterday, about noon", encoding="utf-8")
    assert api.autograde(NAME, "yara-blank")["success"]
    submission = api.get_submission(NAME, "yara-blank")
    assert submission["autograded"] and submission["timestamp"] is None


def test_another_file_is_graded_without_force_and_the_same_one_is_not(course: Path, api: Any) -> None:
    from nbgrader.converters.base import NbGraderException

    from autograder.host.converters import Autograde

    def due(student: str) -> bool:
        api.coursedir.assignment_id, api.coursedir.student_id = NAME, student
        converter = Autograde(coursedir=api.coursedir, parent=api)
        try:
            converter.init_notebooks()
        except NbGraderException:
            return False
        [hand_in] = converter._hand_ins.values()
        return converter._is_due(hand_in)

    assert not due("ada-vectorised") and not due("uma-truncated") and not due("nobody")
    edit_hand_in(course, "ada-vectorised", lambda notebook: notebook["cells"].pop())
    assert due("ada-vectorised")


def test_an_answer_as_released_gets_nbgraders_words(course: Path, api: Any) -> None:
    with api.gradebook as gradebook:
        assert gradebook.find_comment("softmax-answer", NAME, NAME, "yara-blank").comment == "No response."
        assert gradebook.find_comment("softmax-answer", NAME, NAME, "ada-vectorised").comment is None


def test_a_release_that_fails_or_tells_leaves_the_old_one(course: Path, api: Any) -> None:
    assert Course(course).assignment(NAME)
    source, release = course / "source" / NAME / f"{NAME}.ipynb", course / "assignments" / NAME / f"{NAME}.ipynb"
    text, before = source.read_text(encoding="utf-8"), release.read_bytes()
    notebook = json.loads(text)
    notebook["cells"][0]["source"] = "Hint: weights = softmax(Q @ K.T)"
    for bad in (json.dumps(notebook), text.replace("### END SOLUTION", "### END")):
        source.write_text(bad, encoding="utf-8")
        try:
            assert not api.generate_assignment(NAME)["success"]
        finally:
            source.write_text(text, encoding="utf-8")
        assert release.read_bytes() == before
    assert api.generate_assignment(NAME)["success"]
    assert release.read_bytes() == before
