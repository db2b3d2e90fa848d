"""Exports, read back by independent parsers, with names that hurt and marks of every kind."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest
import xmlschema

from autograder.errors import AutograderError
from autograder.exports import canvas, classroom50, gradescope, junit, moodle, nbgrader_csv, parquet, prairielearn
from autograder.exports import records_json as as_json
from autograder.exports.marks import Mark, mark_of, with_marks
from autograder.exports.sheet import Sheet
from autograder.host.gradebook import fill_gradebook, set_deadline
from autograder.report import Diagnosis, Finding, GroupResult, Record, TaskResult, record_path, schema, write_record

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from test_gradebook import write_course  # noqa: E402

NAME = "week"
WHEN = datetime(2026, 1, 15, 12, tzinfo=UTC)
HURT = (
    'Ada "the, first"', "Zoë Ångström", "emoji 🎉", "שלום عليكم", "=1+1", "+49", "-x", "@sum", "two\nlines",
    "O'Neil; <b>&amp;", "\u202eevil\x07"
)  # fmt: skip


def task(name: str, earned: Sequence[float], **more: Any) -> TaskResult:
    groups = [
        GroupResult(name=f"g{n}", sentence=f"holds, \"{n}\" <é>", points=3.0, earned=got,
                    verdict="passed" if got == 3 else "failed",
                    message="" if got == 3 else "=cmd()\x00, not \u202ethis")
        for n, got in enumerate(earned)
    ]  # fmt: skip
    diagnosis = [Diagnosis(id="swap", sentence="Keys & values are <swapped>.", example="")] if sum(earned) < 6 else []
    fields = {"points": 3.0 * len(earned), "score": sum(earned), "groups": groups, "diagnosis": diagnosis}
    return TaskResult(**{"name": name, "error": None, **fields, **more})


def record(student: str, *tasks: TaskResult, status: str = "graded", **more: Any) -> Record:
    fields: dict[str, Any] = {
        "assignment": NAME, "graded_at": WHEN, "submitted_at": WHEN, "submission_sha256": "0" * 64,
        "grader_version": "1", "environment": {}, "seed": "s", "isolation": "kernel",
        "isolation_missing": ["No namespaces."], "findings": [], "output_tail": "HIDDEN-TAIL",
    }  # fmt: skip
    return Record(student=student, status=status, tasks=list(tasks), **{**fields, **more})


PENDING = TaskResult(name="words", points=2.0, score=None, manual=True, groups=[], diagnosis=[], error=None)
FULL = record("full", task("softmax", [3, 3]))
PARTIAL = record("partial", task("softmax", [3, 0.5]))
ZERO = record("zero", task("softmax", [0, 0]))
WAITING = record("waiting", task("softmax", [3, 3]), PENDING)
BROKEN = record(
    "broken", task("softmax", [0, 0], score=None, groups=[]), status="unreadable",
    findings=[Finding(code="html", sentence="A web page, <i>not</i> a notebook.", review=True)],
)  # fmt: skip
CLASS = [FULL, PARTIAL, ZERO, WAITING, BROKEN, *(record(name, task("softmax", [3, 1.25])) for name in HURT)]
MARKS = {one.student: mark_of(one) for one in CLASS}
LATE = replace(MARKS["full"], penalty=1.5)


TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "max_score": {"type": "number"},
        "status": {"enum": ["passed", "failed"]},
        **{key: {"type": "string"} for key in ("name", "number", "output")},
        **{key: {"enum": ["text", "html", "simple_format", "md", "ansi"]} for key in ("name_format", "output_format")},
        "tags": {"type": "array", "items": {"type": "string"}},
        "visibility": {"enum": ["hidden", "after_due_date", "after_published", "visible"]},
        "extra_data": {"type": "object"},
    },
}
GRADESCOPE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        **{key: TEST["properties"]["output_format"] for key in  # type: ignore[index]
           ("output_format", "test_output_format", "test_name_format")},
        "visibility": TEST["properties"]["visibility"],  # type: ignore[index]
        "stdout_visibility": TEST["properties"]["visibility"],  # type: ignore[index]
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array"},
    },
}  # fmt: skip
PRAIRIELEARN = {
    "type": "object",
    "required": ["gradable"],
    "additionalProperties": False,
    "properties": {
        "gradable": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "message": {"type": "string"},
        "output": {"type": "string"},
        "images": {"type": "array"},
        "format_errors": {"type": "array", "items": {"type": "string"}},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name"],
                "properties": {
                    **{key: {"type": "string"} for key in ("name", "description", "message", "output")},
                    **{key: {"type": "number"} for key in ("points", "max_points")},
                    "images": {"type": "array"},
                },
            },
        },
    },
}
CLASSROOM50 = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema", "classroom", "assignment", "submission", "datetime", "score", "max-score", "tests"],
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        **{key: {"type": "string"} for key in
           ("classroom", "assignment", "owner", "submission", "commit", "release", "review")},
        "assignment_type": {"enum": ["individual", "group"]},
        **{key: {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
           for key in ("datetime", "graded_at")},
        "score": {"type": "integer"},
        "max-score": {"type": "integer"},
        "submitted_by": {"type": "object"},
        "tests": {"type": "array", "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["test-name", "passed", "score", "max-score"],
            "properties": {"test-name": {"type": "string"}, "passed": {"type": "boolean"},
                           "score": {"type": "integer"}, "max-score": {"type": "integer"}},
        }},
    },
}  # fmt: skip


@pytest.mark.parametrize("one", CLASS, ids=range(len(CLASS)))
def test_gradescope(one: Record) -> None:
    data = gradescope.export(one, MARKS[one.student])
    result = json.loads(data)
    jsonschema.validate(result, GRADESCOPE)
    assert result.get("score") == one.score and b"HIDDEN-TAIL" not in data
    assert all(test["visibility"] == "visible" for test in result["tests"]), "a hidden test hides the total"
    assert result["extra_data"]["isolation_missing"] == ["No namespaces."] and b"\\u0000" not in data
    known = [test["score"] for test in result["tests"] if "score" in test]
    assert sum(known) == (one.score or 0)


def test_gradescope_takes_late_points_off_and_leaves_a_waiting_task_without_a_score() -> None:
    assert json.loads(gradescope.export(FULL, LATE))["score"] == 4.5
    tests = json.loads(gradescope.export(WAITING, MARKS["waiting"]))["tests"]
    assert "score" not in tests[-1] and "Waits" in tests[-1]["output"]
    marked = replace(MARKS["waiting"], raw=7.5, tasks={"softmax": 6.0, "words": 1.5})
    result = json.loads(gradescope.export(WAITING, marked))
    assert result["score"] == 7.5 and result["tests"][-1]["score"] == 1.5


@pytest.mark.parametrize("one", CLASS, ids=range(len(CLASS)))
def test_prairielearn(one: Record) -> None:
    result = json.loads(prairielearn.export(one, MARKS[one.student]))
    jsonschema.validate(result, PRAIRIELEARN)
    assert result["gradable"] == (one.score is not None) == ("score" in result)
    if one.score is not None:
        assert result["score"] == pytest.approx(one.score / 6.0)


def test_prairielearn_stays_below_a_megabyte_and_never_above_one() -> None:
    loud = [task(f"t{n}", [0, 0]) for n in range(40)]
    long = [
        t.model_copy(update={"groups": [g.model_copy(update={"message": "é" * 20_000}) for g in t.groups]})
        for t in loud
    ]
    big = record("big", *long)
    assert len(prairielearn.export(big, mark_of(big))) <= 1_000_000
    assert json.loads(prairielearn.export(FULL, replace(MARKS["full"], raw=9.0)))["score"] == 1.0


def test_classroom50_scores_are_whole_and_nothing_is_lost() -> None:
    third = record("third", task("softmax", [1.0, 0.0], score=1.0).model_copy(update={"groups": [
        GroupResult(name="g", sentence="s", points=1 / 3, earned=1 / 3, verdict="passed")]}))  # fmt: skip
    scored = [*(one for one in CLASS if MARKS[one.student].final is not None), third]
    marks = {**MARKS, "third": mark_of(third)}
    scale = classroom50.scale_of(scored, marks)
    for one in scored:
        result = json.loads(classroom50.export(one, marks[one.student], scale, {"COMMIT_URL": "c"}))
        jsonschema.validate(result, CLASSROOM50)
        assert one.score is not None and result["score"] == pytest.approx(one.score * scale)
        assert result["datetime"] == "2026-01-15T12:00:00Z" and result["review"] == "c"
    assert scale == 12
    with pytest.raises(AutograderError, match="no mark"):
        classroom50.export(BROKEN, MARKS["broken"], scale, {})


def test_junit_fits_its_schema_and_counts() -> None:
    data = junit.export(CLASS, MARKS)
    xmlschema.validate(io.BytesIO(data), str(Path(__file__).parent / "junit.xsd"))
    root = xmlschema.XMLResource(io.BytesIO(data)).root
    suites = {suite.get("name"): suite for suite in root}
    assert len(suites) == len(CLASS) and {name for name in HURT if name.isprintable()} <= suites.keys()
    assert suites["broken"].get("errors") == "1" and suites["waiting"].get("skipped") == "1"
    assert suites["partial"].get("failures") == "1" and suites["zero"].get("failures") == "2"
    assert [p.get("value") for p in suites["partial"].iter("property")] == ["3", "3", "0.5", "3"]
    assert b"HIDDEN-TAIL" not in data


def test_json_is_a_list_of_records() -> None:
    read = json.loads(as_json.export(CLASS))
    jsonschema.validate(read, {"type": "array", "items": schema() | {"$id": "record"}})
    assert [Record.model_validate(one) for one in read] == CLASS


def test_parquet_has_a_row_for_each_group() -> None:
    table = pyarrow.parquet.read_table(io.BytesIO(parquet.export(CLASS, {**MARKS, "full": LATE})))
    assert table.column_names == list(parquet.COLUMNS)
    rows = table.to_pylist()
    assert [row["student"] for row in rows if row["task"] == "softmax"].count("partial") == 2
    assert {row["student"] for row in rows} == MARKS.keys()
    by = {(row["student"], row["task"], row["group"]): row for row in rows}
    assert by["full", "softmax", "g0"]["mark"] == 4.5 and by["broken", "softmax", None]["mark"] is None
    assert by["waiting", "words", None]["task_score"] is None and by["partial", "softmax", "g1"]["group_earned"] == 0.5


def test_nbgrader_csv_has_nbgraders_columns_and_no_formulas() -> None:
    from nbgrader.plugins import CsvExportPlugin

    marks = [replace(MARKS[name], last_name=name, first_name="=cmd|'/c calc'!A0") for name in MARKS] + [LATE]
    data = nbgrader_csv.export(marks)
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    source = Path(sys.modules[CsvExportPlugin.__module__].__file__ or "").read_text(encoding="utf-8")
    places = [source.index(f'"{column}"') for column in rows[0]]
    assert places == sorted(places), "in nbgrader's order"
    assert rows[0]["first_name"] == "'=cmd|'/c calc'!A0"
    by = {row["student_id"].removeprefix("'"): row for row in rows[:-1]}
    assert by.keys() == {name.replace("\0", "") for name in MARKS} and by['Ada "the, first"']["score"] == "4.25"
    assert by["broken"]["score"] == "" and by["zero"]["score"] == "0.0"
    assert (rows[-1]["raw_score"], rows[-1]["late_submission_penalty"], rows[-1]["score"]) == ("6.0", "1.5", "4.5")


# Downloads that are filled


def changed(before: bytes, after: bytes) -> list[tuple[int, int, str, str]]:
    """Return the cells that differ, after checking with the csv module that all others are the same."""
    delimiter = ";" if before.count(b";") > before.count(b",") else ","
    old, new = (
        list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter))
        for data in (before, after)
    )
    assert len(old) == len(new) and [len(row) for row in old] == [len(row) for row in new]
    return [(r, c, x, new[r][c]) for r, row in enumerate(old) for c, x in enumerate(row) if x != new[r][c]]


CANVAS = (
    "\ufeff" 'Student,ID,SIS User ID,SIS Login ID,Section,week (123),"Notes, old (5)",Final Score\r\n'
    "    Points Possible,,,,,6.00,10,(read only)\r\n"
    '"Angström, ""Zoë""",1,full,,"S 1",,"  kept ""as is""",9\r\n'
    "'=Partial,2,,partial,S,\"\",x,\r\n"
    "Zero,3,zero,,S,5,,\r\n"
    "Waiting,4,waiting,,S,,,\r\n"
    "Broken,5,broken,,S,,,\r\n"
    "emoji 🎉,6,,,S,EX,,\r\n"
    "שלום عليكم,7,,,S,,,\r\n"
    "Nobody,8,,nobody,S,,,\r\n"
    '"Student, Test",9,,abc,S,,,\r\n'
).encode()  # fmt: skip
SOME = {
    name: MARKS[name] for name in ("full", "partial", "zero", "waiting", "broken", "emoji 🎉", "שלום عليكم", "=1+1")
}


def test_canvas_fills_one_column_and_leaves_every_other_byte() -> None:
    done = canvas.fill(CANVAS, SOME, [], NAME, None)
    expected = (
        CANVAS.replace(b'"S 1",,', b'"S 1",6,').replace(b'S,"",x', b'S,"3.5",x').replace(b"zero,,S,5", b"zero,,S,0")
        .replace(b"7,,,S,,", b"7,,,S,4.25,")
    )  # fmt: skip
    assert done.data == expected and done.filled == 4
    assert {column for _, column, _, _ in changed(CANVAS, done.data)} == {5}
    assert sorted(line.split(":")[0] for line in done.problems) == ["=1+1", "Nobody (8)"]
    assert sorted(line.split(":")[0] for line in done.left) == ["broken", "emoji 🎉", "waiting"]


def test_canvas_with_semicolons_has_a_decimal_comma() -> None:
    data = b"Student;ID;SIS Login ID;Section;week (1)\nPoints Possible;;;;6,00\n=Ada;1;partial;S;\n"
    assert canvas.fill(data, {"partial": MARKS["partial"]}, [], NAME, None).data.endswith(b"=Ada;1;partial;S;3,5\n")


def test_canvas_guesses_nobody() -> None:
    twins = b"Student,ID,SIS Login ID,Section,week (1)\nTwin,1,,S,\nTwin,2,,S,\nOther,full,partial,S,\n"
    marks = {**{name: MARKS[name] for name in ("full", "partial")}, "Twin": replace(LATE, student="Twin")}
    done = canvas.fill(twins, marks, [], NAME, None)
    assert done.data == twins and done.filled == 0
    assert "fits 2 rows" in " ".join(done.problems) and "fits several students: full, partial" in " ".join(
        done.problems
    )


def test_canvas_knows_by_the_roster() -> None:
    data = b"Student,ID,Section,week (1)\nX,77,S,\n"
    done = canvas.fill(data, {"full": LATE}, [{"student_id": "full", "id": "77"}], NAME, None)
    assert done.data == b"Student,ID,Section,week (1)\nX,77,S,4.5\n" and not done.problems


@pytest.mark.parametrize(("column", "points", "complaint"), [
    ("other (1)", "6", "No column"), ("Week Final Score", "6", "No column"), ("week (1)", "10", "10 points"),
    ("week (1)", "(read only)", "read only"),
])  # fmt: skip
def test_canvas_refuses_what_it_cannot_mean(column: str, points: str, complaint: str) -> None:
    data = f"Student,ID,Section,{column}\nPoints Possible,,,{points}\nX,full,S,\n".encode()
    with pytest.raises(AutograderError, match=complaint):
        canvas.fill(data, {"full": LATE}, [], NAME, None)


MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 11,"Ada ""the, first""",a@x,"Submitted, 1 day late",,6.00,Yes,'
    '"Thursday, 15 January 2026, 2:00 PM",-,\n'
    "Participant 12,=1+1,b@x,Submitted,,6.00,Yes,-,-,\n"
    "Participant 13,zero,c@x,Submitted,,6.00,No,-,-,\n"
    "Participant 14,broken,d@x,Submitted,,6.00,Yes,-,-,kept\n"
    "Participant 15,Zoë Ångström,e@x,Submitted,,6.00,Yes,-,-,\n"
).encode()


def test_moodle_fills_grade_and_feedback_only() -> None:
    marks = {name: MARKS[name] for name in ('Ada "the, first"', "=1+1", "zero", "broken", "Zoë Ångström")}
    marks["=1+1"] = replace(marks["=1+1"], penalty=1.0)
    done = moodle.fill(MOODLE, CLASS, marks, [], None)
    cells = {(row, column): new for row, column, _, new in changed(MOODLE, done.data)}
    assert {key: value for key, value in cells.items() if key[1] == 4} == {
        (1, 4): "4.25",
        (2, 4): "3.25",
        (5, 4): "4.25",
    }
    assert cells.keys() - {(1, 4), (2, 4), (5, 4)} == {(1, 9), (2, 9), (5, 9)}
    page = cells[2, 9]
    assert "1 points off" in page and "&lt;swapped&gt;" in page and "<swapped>" not in page and "HIDDEN" not in page
    assert "\n" not in page and not done.problems and len(done.left) == 2


def test_moodle_in_german_has_commas() -> None:
    data = (
        '\ufeffID,"Vollständiger Name",E-Mail-Adresse,Bewertung,Bestwertung,"Feedback als Kommentar"\r\n'
        'Teilnehmer/in11,partial,p@x,"-","6,00",""\r\n'
    ).encode()
    done = moodle.fill(data, CLASS, {"partial": MARKS["partial"]}, [], None)
    assert data[: data.rindex(b'"-"')] == done.data[: data.rindex(b'"-"')] and b'"3,5","6,00","<p>' in done.data


def test_an_unfilled_sheet_is_the_file(tmp_path: Path) -> None:
    for data in (CANVAS, MOODLE, b'a,b\r\n\r\n"x""y\r\n",2', b"a;b;c\r1;2;3\r", b"a\n"):
        assert Sheet.read(data).bytes() == data
    for data in (b"", b'a,b\n"never ends,1\n', b"a,b\n\xff,1\n"):
        with pytest.raises(AutograderError):
            Sheet.read(data)


def test_the_gradebooks_mark_wins() -> None:
    known = {"full": replace(LATE, raw=8.0), "absent": Mark("absent", NAME, 6.0)}
    marks = with_marks(CLASS, known)
    assert marks["full"].score == 6.5 and marks["absent"].score is None and marks["zero"].score == 0
    assert marks["waiting"].waiting == ["words"] and marks["waiting"].final is None


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a course whose gradebook holds a late hand-in, manual marks and extra credit."""
    root = tmp_path_factory.mktemp("exports") / "course"
    assignment = write_course(root, {"softmax": 6.0, "words": 2.0})
    shutil.copytree(ROOT / "autograder" / "graders" / "02-attend", root / "autograder" / "graders" / "week")
    records = [record(name, task("softmax", [3, 3]), PENDING) for name in ("late", "marked", "waiting")]
    records[0] = records[0].model_copy(update={"submitted_at": WHEN + timedelta(hours=30)})
    database = f"sqlite:///{root / 'gradebook.db'}"
    set_deadline(database, assignment, WHEN)
    for one in records:
        write_record(record_path(root / "reports", NAME, one.student), one)
    fill_gradebook(database, assignment, records)
    from nbgrader.api import Gradebook

    with Gradebook(database, "qkv") as opened:
        for student in ("late", "marked"):
            opened.find_grade("words", NAME, NAME, student).manual_score = 1.5
        opened.find_grade("softmax", NAME, NAME, "marked").extra_credit = 0.5
        opened.find_submission(NAME, "late").notebooks[0].late_submission_penalty = 2.0
        opened.update_or_create_student("absent", first_name="=1", last_name="B, C")
        opened.db.commit()
    return root


def autograder(course: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograder", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)


def test_the_command_fills_canvas_with_final_marks(course: Path, tmp_path: Path) -> None:
    download = tmp_path / "grades.csv"
    head = b"Student,ID,SIS Login ID,Section,week (1)\r\n    Points Possible,,,,8\r\n"
    download.write_bytes(head + b"L,1,late,S,\r\nM,2,marked,S,\r\nW,3,waiting,S,\r\n")
    done = autograder(course, "export", NAME, "--to", "canvas", "--fill", download)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = head + b"L,1,late,S,5.5\r\nM,2,marked,S,8\r\nW,3,waiting,S,\r\n"
    assert (tmp_path / "grades-filled.csv").read_bytes() == expected
    assert "waiting: waits for a mark: words" in done.stdout
    download.write_bytes(head + b"N,1,nobody,S,\r\n")
    done = autograder(course, "export", NAME, "--to", "canvas", "--fill", download)
    assert done.returncode == 1 and "N (1): in the file" in done.stderr and "late: handed in" in done.stderr


@pytest.mark.parametrize(
    "to", ["gradescope", "prairielearn", "classroom50", "junit", "json", "parquet", "nbgrader-csv"]
)
def test_the_command_writes_every_format(course: Path, tmp_path: Path, to: str) -> None:
    done = autograder(course, "export", NAME, "--to", to, "-o", tmp_path / "out")
    assert done.returncode == (1 if to == "classroom50" else 0), done.stderr
    assert (tmp_path / "out").stat().st_size > 100
    if to == "nbgrader-csv":
        rows = {row["student_id"]: row for row in csv.DictReader(io.StringIO((tmp_path / "out").read_text("utf-8")))}
        assert rows["late"]["score"] == "5.5" and rows["marked"]["score"] == "8.0" and rows["absent"]["score"] == ""
        assert rows["absent"]["first_name"] == "'=1"


def test_the_command_says_what_is_missing(course: Path) -> None:
    for arguments, complaint in ((["--to", "excel"], "no format"), (["--to", "canvas"], "needs --fill")):
        done = autograder(course, "export", NAME, *arguments)
        assert done.returncode == 2 and complaint in done.stderr


def test_the_zip_is_named_by_students(tmp_path: Path) -> None:
    from autograder.commands.export import _make

    data, ending, left = _make("classroom50", CLASS, MARKS, one=False)
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert ending == "zip" and "full.json" in names and "broken.json" not in names
    assert [line.split(":")[0] for line in left] == ["waiting", "broken"]
