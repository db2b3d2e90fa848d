"""Intake: real files, as they really arrive."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment, Task
from autograder.errors import AutograderError
from autograder.intake import MAX_BYTES, Notebook, Unreadable, find_hand_ins, read_notebook

SETUP = "import numpy as np\n"
STUB = "def attend(q):\n    ...\n"
ANSWER = "def attend(q):\n    return q * 2\n"


def code(source: Any, grade_id: str | None = None, **marks: Any) -> dict[str, Any]:
    nbgrader = {"grade_id": grade_id, "grade": False, "solution": False, "locked": False, **marks}
    metadata = {} if grade_id is None else {"nbgrader": nbgrader}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


def markdown(source: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def released(answer: str = ANSWER) -> list[dict[str, Any]]:
    return [
        markdown("# Week"),
        code(SETUP, "setup", locked=True),
        code(answer, "attend-answer", solution=True),
        code("attend(1)\n", "attend", grade=True, locked=True, points=3),
    ]


def notebook(cells: list[Any], **more: Any) -> dict[str, Any]:
    kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5} | more


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    root = tmp_path / "course"
    release = root / "assignments" / "week" / "week.ipynb"
    release.parent.mkdir(parents=True)
    release.write_text(json.dumps(notebook(released(STUB))))
    tasks = (Task("attend", 3.0),)
    return Assignment("week", root, root / "source", release, root / "graders", tasks)


class Reader:
    """Write a file as a hand-in and read it."""

    def __init__(self, folder: Path, assignment: Assignment) -> None:
        self.path = folder / "week.ipynb"
        self.assignment = assignment

    def cells(self, *cells: Any, **more: Any) -> Notebook:
        return self.text(json.dumps(notebook(list(cells), **more)))

    def text(self, text: str) -> Notebook:
        return self.data(text.encode())

    def data(self, data: bytes) -> Notebook:
        self.path.write_bytes(data)
        return read_notebook(self.path, self.assignment)

    def refusal(self, data: bytes) -> str:
        with pytest.raises(Unreadable) as caught:
            self.data(data)
        assert caught.value.remedy
        return caught.value.message


@pytest.fixture
def read(tmp_path: Path, assignment: Assignment) -> Reader:
    folder = tmp_path / "submitted" / "ann" / "week"
    folder.mkdir(parents=True)
    return Reader(folder, assignment)


def codes(found: Notebook) -> list[str]:
    return [finding.code for finding in found.findings]


def test_the_release_reads_without_a_remark(read: Reader) -> None:
    found = read.cells(*released())
    assert [(cell.position, cell.kind, cell.grade_id) for cell in found.cells] == [
        (1, "markdown", None),
        (2, "code", "setup"),
        (3, "code", "attend-answer"),
        (4, "code", "attend"),
    ]
    assert found.findings == ()
    assert len(found.sha256) == 64


# What cannot be read


def test_an_empty_file_is_called_empty(read: Reader) -> None:
    assert "empty file (0 bytes)" in read.refusal(b"")
    assert "empty file" in read.refusal(b"\n \r\n")


def test_a_truncated_file_names_line_and_size(read: Reader) -> None:
    data = json.dumps(notebook(released()), indent=1).encode()[:700]
    line = data.count(b"\n") + 1
    assert f"breaks off in line {line} (700 bytes)" in read.refusal(data)


def test_damaged_json_names_line_and_column(read: Reader) -> None:
    assert "damaged at line 2, column 3" in read.refusal(b'{\n  oops: 1,\n "cells": []\n}')


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_merge_conflict_names_the_line_of_its_first_marker(read: Reader, newline: str) -> None:
    lines = ["{", '"cells": [', "<<<<<<< HEAD", "1", "=======", "2", ">>>>>>> theirs", "]}"]
    assert "merge conflict: its first marker is in line 3" in read.refusal(newline.join(lines).encode())
    assert "line 1" in read.refusal(b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<!DOCTYPE html>\n<html></html>", "web page"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"%PDF-1.7", "PDF"),
        (b"print('hello')", "not a notebook"),
        (b"[]", "not a notebook"),
        (b'"text"', "not a notebook"),
        (b"{}", "no list of cells"),
        (b'{"cells": {"0": 1}}', "no list of cells"),
        (b'{"worksheets": 3}', "no list of cells"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"cells":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b"[" + b"[]," * 2_100_000 + b"[]]", "too many values"),
        (json.dumps({"cells": [markdown("x")] * 2_001}).encode(), "2001 cells"),
        (b"\xff\xfe\x00\x01\x02", "not a notebook"),
    ],
)
def test_what_is_no_notebook_is_named(read: Reader, data: bytes, words: str) -> None:
    assert words in read.refusal(data)


def test_a_huge_file_is_refused_by_its_size_before_it_is_read(read: Reader) -> None:
    with open(read.path, "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(Unreadable, match="too large"):
        read_notebook(read.path, read.assignment)


def test_links_folders_and_pipes_are_refused(read: Reader, tmp_path: Path) -> None:
    outside = tmp_path / "secret.ipynb"
    outside.write_text(json.dumps(notebook(released())))
    read.path.symlink_to(outside)
    with pytest.raises(Unreadable, match="is a link"):
        read_notebook(read.path, read.assignment)
    read.path.unlink()
    os.mkfifo(read.path)
    with pytest.raises(Unreadable, match="not a regular file"):
        read_notebook(read.path, read.assignment)
    read.path.unlink()
    read.path.mkdir()
    with pytest.raises(Unreadable, match="not a regular file"):
        read_notebook(read.path, read.assignment)


def test_a_linked_folder_is_refused(read: Reader, tmp_path: Path) -> None:
    read.cells(*released())
    (tmp_path / "submitted" / "bob").mkdir()
    (tmp_path / "submitted" / "bob" / "week").symlink_to(read.path.parent)
    [bob] = find_hand_ins(tmp_path / "submitted", "week", "bob")
    assert bob.path is not None
    with pytest.raises(Unreadable, match="is a link"):
        read_notebook(bob.path, read.assignment)


def test_no_refusal_tells_where_the_course_lies(read: Reader, tmp_path: Path) -> None:
    assert str(tmp_path) not in read.refusal(b"{")
    assert str(tmp_path) not in read.refusal(b"{}")


# What is odd but can be graded


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_other_encodings_are_converted(read: Reader, encoding: str) -> None:
    text = json.dumps(notebook([*released(), markdown("é")]), ensure_ascii=False)
    found = read.data(text.encode(encoding))
    assert found.cells[-1].source == "é"
    assert ("encoding" in codes(found)) == (encoding != "utf-8-sig")


def test_windows_line_ends_are_no_change_of_a_locked_cell(read: Reader) -> None:
    cells = [{**cell, "source": cell["source"].replace("\n", "\r\n")} for cell in released()]
    found = read.text(json.dumps(notebook(cells), indent=1).replace("\n", "\r\n"))
    assert found.findings == ()
    assert found.cells[2].source == ANSWER


@pytest.mark.parametrize(
    "source",
    [ANSWER, ANSWER.splitlines(keepends=True), ANSWER.splitlines(), ["", ANSWER]],
    ids=["text", "lines", "bare lines", "pieces"],
)
def test_sources_come_as_text_or_lines(read: Reader, source: Any) -> None:
    cells = released()
    cells[2]["source"] = source
    assert read.cells(*cells).cells[2].source.strip() == ANSWER.strip()


@pytest.mark.parametrize("source", [7, [1, 2], None, {"a": 1}, [["x"]]])
def test_a_source_that_is_no_text_is_a_finding(read: Reader, source: Any) -> None:
    found = read.cells(*released(), code(source))
    assert (codes(found), found.findings[0].cell, found.findings[0].review) == (["damaged_cell"], 5, True)
    assert found.cells[4].source == ""


@pytest.mark.parametrize("cell", ["text", 3, None, [1]])
def test_a_cell_that_is_no_cell_is_a_finding_and_positions_stay(read: Reader, cell: Any) -> None:
    found = read.cells(cell, *released())
    assert codes(found) == ["damaged_cell"]
    assert [each.position for each in found.cells] == [2, 3, 4, 5]


@pytest.mark.parametrize("metadata", [None, [], "x", {"nbgrader": 3}, {"nbgrader": {"grade_id": 7}}])
def test_odd_metadata_is_no_metadata(read: Reader, metadata: Any) -> None:
    cell = {"cell_type": "code", "metadata": metadata, "source": "x = 1"}
    assert read.cells(*released(), cell).cells[-1].grade_id is None


def test_nul_characters_and_half_characters_are_named_by_cell(read: Reader) -> None:
    found = read.cells(*released(), code("a = 'x\0y'"), code("b = '\ud800'"), code("c = '\U0001f600'"))
    assert set(codes(found)) == {"odd_characters"}
    assert {finding.cell for finding in found.findings} == {5, 6}
    assert found.cells[4].source == "a = 'x\0y'"
    assert found.cells[5].source == "b = '\ufffd'"
    assert found.cells[6].source == "c = '\U0001f600'"


def test_nan_and_huge_numbers_do_no_harm(read: Reader) -> None:
    text = json.dumps(notebook(released())).replace('"nbformat_minor": 5', '"x": NaN, "y": ' + "9" * 5000)
    assert codes(read.text(text)) == ["format_repaired"]


def test_the_old_format_with_worksheets_is_read(read: Reader) -> None:
    old = {"cell_type": "code", "input": ANSWER, "metadata": {}, "language": "python", "outputs": []}
    found = read.text(json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [old]}]}))
    assert ANSWER in [cell.source for cell in found.cells]
    assert "format_older" in codes(found)


def test_a_newer_format_is_read(read: Reader) -> None:
    assert codes(read.cells(*released(), nbformat_minor=99)) == ["format_newer"]
    assert codes(read.cells(*released(), nbformat="four")) == ["format_repaired"]


def test_another_kernel_is_a_remark_and_another_language_asks_for_a_look(read: Reader) -> None:
    conda = {"kernelspec": {"name": "conda-env", "language": "python"}}
    assert codes(read.cells(*released(), metadata=conda)) == ["kernel_overridden"]
    found = read.cells(*released(), metadata={"kernelspec": {"name": "ir", "language": "R"}})
    assert found.findings[0].review
    assert codes(read.cells(*released(), metadata=[1])) == []


def test_a_conflict_inside_a_cell_asks_for_a_look(read: Reader) -> None:
    found = read.cells(*released(), code("x = 1\n<<<<<<< local\ny = 2\n"))
    assert (codes(found), found.findings[0].review) == (["merge_conflict"], True)
    assert "line 2" in found.findings[0].sentence


def test_outputs_are_not_kept(read: Reader) -> None:
    cells = released()
    cells[3]["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "FORGED"}}]
    assert "FORGED" not in repr(read.cells(*cells))


# Set-up, answers, checks


def test_a_changed_set_up_cell_gets_the_text_of_the_release(read: Reader) -> None:
    cells = released()
    cells[1]["source"] = "import numpy as np\nE = None\n"
    found = read.cells(*cells)
    both = [(cell.position, cell.grade_id, cell.source) for cell in found.cells[1:3]]
    assert both == [(2, None, "import numpy as np\nE = None\n"), (0, "setup", SETUP)]
    assert (codes(found), found.findings[0].cell) == (["locked_cell_changed"], 2)


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_set_up_cell_that_became_text_is_code_again(read: Reader, kind: str) -> None:
    cells = released()
    cells[1]["cell_type"] = kind
    found = read.cells(*cells)
    assert (found.cells[1].kind, codes(found)) == ("code", ["cell_type_changed"])


def test_a_missing_set_up_cell_is_put_before_the_first_code_cell(read: Reader) -> None:
    cells = released()
    found = read.cells(cells[0], *cells[2:])
    assert [(cell.position, cell.grade_id) for cell in found.cells][:3] == [
        (1, None),
        (0, "setup"),
        (2, "attend-answer"),
    ]
    assert codes(found) == ["locked_cell_missing"]


def test_a_missing_second_set_up_cell_follows_the_first(read: Reader) -> None:
    two = released(STUB)
    two.insert(2, code("helper = 1\n", "helpers", locked=True))
    read.assignment.release.write_text(json.dumps(notebook(two)))
    found = read.cells(*released())
    assert [cell.grade_id for cell in found.cells] == [None, "setup", "helpers", "attend-answer", "attend"]


def test_a_notebook_that_lost_its_metadata_keeps_its_set_up_cell(read: Reader) -> None:
    found = read.cells(*[{**cell, "metadata": {}} for cell in released()])
    assert [cell.grade_id for cell in found.cells] == [None, "setup", "attend-answer", "attend"]
    assert codes(found) == ["metadata_lost"]


@pytest.mark.parametrize(("second", "words"), [(ANSWER, "the same text"), ("x = 1", "different texts")])
def test_a_pasted_copy_is_kept_and_named(read: Reader, second: str, words: str) -> None:
    found = read.cells(*released(), code(second, "attend-answer", solution=True))
    assert (codes(found), found.findings[0].cell) == (["duplicated_cell"], 5)
    assert words in found.findings[0].sentence
    assert len(found.cells) == 5


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_that_became_text_is_code_again(read: Reader, kind: str) -> None:
    cells = released()
    cells[2]["cell_type"] = kind
    found = read.cells(*cells)
    assert (found.cells[2].kind, codes(found)) == ("code", ["cell_type_changed"])


@pytest.mark.parametrize("text", ["I do not know", "answer", "def broken(", "x == 1"])
def test_text_that_defines_nothing_stays_text(read: Reader, text: str) -> None:
    cells = released()
    cells[2] |= {"cell_type": "markdown", "source": text}
    assert read.cells(*cells).cells[2].kind == "markdown"


def test_an_answer_in_words_stays_text(read: Reader) -> None:
    cells = [*released(), code("x = 1", "words", grade=True, solution=True, points=2)]
    cells[4]["cell_type"] = "markdown"
    assert read.cells(*cells).cells[4].kind == "markdown"


def test_a_check_that_is_gone_or_text_is_a_remark_only(read: Reader) -> None:
    found = read.cells(*released()[:3])
    assert (codes(found), found.findings[0].review) == (["locked_cell_missing"], False)
    assert [(cell.position, cell.grade_id) for cell in found.cells][-1] == (0, "attend")
    cells = released()
    cells[3]["cell_type"] = "raw"
    found = read.cells(*cells)
    assert (codes(found), found.findings[0].cell) == (["cell_type_changed"], 4)


# Finding


def put(submitted: Path, name: str, text: str = "{}") -> Path:
    path = submitted / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_hand_ins_come_sorted_with_their_times(tmp_path: Path) -> None:
    zoe = put(tmp_path, "zoë/week/week.ipynb")
    ann = put(tmp_path, "ann/week/week.ipynb")
    put(tmp_path, "ann/week/timestamp.txt", "2026-01-15 12:00:00.5 UTC\n")
    put(tmp_path, ".hidden/week/week.ipynb")
    put(tmp_path, "idle/other/other.ipynb")
    found = find_hand_ins(tmp_path, "week")
    assert [(each.student, each.path) for each in found] == [("ann", ann), ("zoë", zoe)]
    assert found[0].submitted_at == datetime(2026, 1, 15, 12, 0, 0, 500_000, tzinfo=UTC)
    assert found[1].submitted_at is None


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-01-15 12:00:00 UTC", 12),
        ("2026-01-15 12:00:00", 12),
        ("2026-01-15 12:00:00 +0200", 10),
        ("2026-01-15 12:00:00 -03:00", 15),
        ("2026-01-15T12:00:00+01:00", 11),
        ("\ufeff2026-01-15 12:00:00 UTC\r\n", 12),
        ("2026-01-15 12:00:00 Nowhere/AtAll", None),
        ("yesterday", None),
        ("", None),
        ("9" * 500, None),
        ("0001-01-01 00:00:00 +2300", None),
        ("2026-01-15 12:00:00 ../../etc", None),
    ],
)
def test_timestamps_are_read_and_odd_ones_ignored(tmp_path: Path, text: str, hour: int | None) -> None:
    put(tmp_path, "ann/week/week.ipynb")
    put(tmp_path, "ann/week/timestamp.txt", text)
    [found] = find_hand_ins(tmp_path, "week")
    assert found.submitted_at == (None if hour is None else datetime(2026, 1, 15, hour, tzinfo=UTC))


@pytest.mark.parametrize(
    "name",
    [
        "week (1).ipynb",
        "Ödev çözüm – #1 (final).ipynb",
        "week.ipynb.json",
        "week.ipynb.txt",
        "WEEK.IPYNB",
        "w[e]e\nk.ipynb",
    ],
)
def test_a_single_notebook_with_another_name_is_taken(tmp_path: Path, assignment: Assignment, name: str) -> None:
    path = put(tmp_path / "s", f"ann/week/{name}", json.dumps(notebook(released())))
    [found] = find_hand_ins(tmp_path / "s", "week")
    assert found.path == path
    assert codes(read_notebook(path, assignment)) == ["renamed"]


def test_the_exact_name_wins_and_the_others_are_named(tmp_path: Path, assignment: Assignment) -> None:
    path = put(tmp_path / "s", "ann/week/week.ipynb", json.dumps(notebook(released())))
    put(tmp_path / "s", "ann/week/a.ipynb")
    put(tmp_path / "s", "ann/week/.ipynb_checkpoints/week-checkpoint.ipynb")
    [found] = find_hand_ins(tmp_path / "s", "week")
    assert found.path == path
    assert codes(read_notebook(path, assignment)) == ["other_notebooks"]


def test_several_without_the_exact_name_ask_for_a_look(tmp_path: Path, assignment: Assignment) -> None:
    for name in ("b.ipynb", "a.ipynb"):
        put(tmp_path / "s", f"ann/week/{name}", json.dumps(notebook(released())))
    [found] = find_hand_ins(tmp_path / "s", "week")
    assert found.path is not None and found.path.name == "a.ipynb"
    [finding] = read_notebook(found.path, assignment).findings
    assert finding.review and "b.ipynb" in finding.sentence


def test_a_notebook_in_a_folder_below_or_above_is_found(tmp_path: Path) -> None:
    below = put(tmp_path, "ann/week/my work/week.ipynb")
    above = put(tmp_path, "bob/week.ipynb")
    assert [each.path for each in find_hand_ins(tmp_path, "week")] == [below, above]


def test_a_folder_without_a_notebook_is_a_hand_in_without_a_path(tmp_path: Path) -> None:
    put(tmp_path, "ann/week/readme.txt")
    (tmp_path / "bob").mkdir()
    put(tmp_path, "cy/week", "a file where a folder should be")
    assert [(each.student, each.path) for each in find_hand_ins(tmp_path, "week")] == [
        ("ann", None),
        ("bob", None),
        ("cy", None),
    ]


def test_a_missing_folder_and_an_empty_one_say_what_was_expected(tmp_path: Path) -> None:
    layout = r"submitted/<student>/<assignment>/<assignment>\.ipynb"
    with pytest.raises(AutograderError, match=f"no folder .*nowhere.*{layout}"):
        find_hand_ins(tmp_path / "nowhere", "week")
    (tmp_path / "week.ipynb").write_text("{}")
    with pytest.raises(AutograderError, match=f"no submission of week in .*{layout}"):
        find_hand_ins(tmp_path, "week")
    put(tmp_path, "ann/week/week.ipynb")
    with pytest.raises(AutograderError, match="no submission of week by bob"):
        find_hand_ins(tmp_path, "week", "bob")
    assert [each.student for each in find_hand_ins(tmp_path, "week", "ann")] == ["ann"]
