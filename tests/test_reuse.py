"""Nothing is done twice: what has not changed keeps its record; what has is graded again, and nbgrader follows."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from host_course import edit_hand_in, make_course, run

from autograder.report import Record, read_record

NAME = "02-attend"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_course(tmp_path_factory.mktemp("reuse") / "course", ("ada-vectorised", "bela-loops"))
    grade(folder)
    return folder


def grade(course: Path, *options: str) -> str:
    done = run(course, "autograder", "grade", NAME, *options)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def record(course: Path, student: str) -> Record:
    return read_record(course / "reports" / NAME / "records" / f"{student}.json")


def records(course: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (course / "reports" / NAME / "records").glob("*.json")}


def scores(course: Path) -> list[Any]:
    with sqlite3.connect(course / "gradebook.db") as database:
        return database.execute("select auto_score from grade order by auto_score").fetchall()


def changed(course: Path, before: dict[str, bytes]) -> set[str]:
    after = records(course)
    return {student for student in after if after[student] != before.get(student)}


def touch_up(notebook: dict[str, Any]) -> None:
    notebook["cells"][-1]["source"] = "# one more remark"


def test_a_second_run_keeps_every_record_and_leaves_nbgrader_alone(course: Path) -> None:
    before, marks = records(course), (course / "gradebook.db").read_bytes()
    assert "2 unchanged since they were graded" in grade(course)
    assert records(course) == before and (course / "gradebook.db").read_bytes() == marks


def test_only_what_changed_is_graded_again(course: Path) -> None:
    before = records(course)
    edit_hand_in(course, "bela-loops", touch_up)
    assert "1 unchanged" in grade(course)
    assert changed(course, before) == {"bela-loops"}


def test_a_file_beside_the_notebook_is_part_of_the_hand_in(course: Path) -> None:
    before = records(course)
    (course / "submitted" / "ada-vectorised" / NAME / "data.csv").write_text("1,2\n")
    grade(course)
    assert changed(course, before) == {"ada-vectorised"}


def test_when_it_was_handed_in_is_part_of_it(course: Path) -> None:
    before = records(course)
    (course / "submitted" / "ada-vectorised" / NAME / "timestamp.txt").write_text("2026-03-01 10:00:00 UTC")
    grade(course)
    assert changed(course, before) == {"ada-vectorised"}


def test_all_is_graded_again_when_asked_or_when_graders_or_limits_change(course: Path) -> None:
    everybody = set(records(course))
    for options in (("--again",), ("--call-seconds", "4")):
        before = records(course)
        grade(course, *options)
        assert changed(course, before) == everybody
    before, source = records(course), course / "source" / NAME / f"{NAME}.ipynb"
    source.write_text(source.read_text() + "\n")
    grade(course)
    assert changed(course, before) == everybody


def test_what_nbgrader_lost_is_brought_back_without_grading(course: Path) -> None:
    grade(course)
    before, marks = records(course), scores(course)
    (course / "gradebook.db").unlink()
    (course / "autograded" / "bela-loops" / NAME / f"{NAME}.ipynb").unlink()
    assert "2 unchanged" in grade(course)
    assert records(course) == before and scores(course) == marks
    assert (course / "autograded" / "bela-loops" / NAME / f"{NAME}.ipynb").is_file()


def test_a_mark_that_somebody_overwrote_in_the_database_is_written_again(course: Path) -> None:
    grade(course)
    marks = scores(course)
    with sqlite3.connect(course / "gradebook.db") as database:
        database.execute("update grade set auto_score = 0.5 where auto_score > 1")
    grade(course)
    assert scores(course) == marks


@pytest.mark.parametrize("code", ["engine_error", "given_up", "grader_error"])
def test_a_mishap_of_ours_is_tried_again(course: Path, code: str) -> None:
    grade(course)
    path = course / "reports" / NAME / "records" / "ada-vectorised.json"
    kept = json.loads(path.read_text())
    kept["findings"].append({"code": code, "sentence": "It stopped.", "remedy": "", "cell": None, "review": True})
    path.write_text(json.dumps(kept))
    grade(course)
    assert not [finding for finding in record(course, "ada-vectorised").findings if finding.code == code]


def test_a_damaged_record_is_made_anew(course: Path) -> None:
    path = course / "reports" / NAME / "records" / "ada-vectorised.json"
    path.write_text(path.read_text()[:100])
    grade(course)
    assert record(course, "ada-vectorised").score == 100


def test_inputs_are_a_hash_that_gives_nothing_away(course: Path) -> None:
    assert re.fullmatch("[0-9a-f]{64}", record(course, "ada-vectorised").inputs)
