"""The command line, run as people run it: pages, errors and exit codes."""

import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from autograder.report import (
    CellError,
    Diagnosis,
    Finding,
    GroupResult,
    Record,
    TaskResult,
    record_path,
    write_record,
)
from autograder.terminal import plain, summary, what_to_look_at

ROOT = Path(__file__).parent.parent


def autograder(*arguments: str, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograder", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"COLUMNS": "100", "PYTHONPATH": str(ROOT), **environment},
    )


def one_error_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("autograder: ")
    return line


def sample(**more: Any) -> Record:
    groups = [
        GroupResult(name="a", sentence="adds up to 1", points=3, earned=3, verdict="passed", notes=["a list"]),
        GroupResult(
            name="b",
            sentence="stays finite for huge scores",
            points=5,
            earned=0,
            verdict="failed",
            message="expected finite numbers, got nan",
        ),
    ]
    diagnosis = [Diagnosis(id="no_max", sentence="The maximum is not subtracted.", example="softmax([1000.0])")]
    error = CellError(cell=7, task="attend", kind="NameError", message="name 'nq' is not defined", line=2)
    tasks = [
        TaskResult(name="softmax", points=8, score=3, groups=groups, diagnosis=diagnosis, error=None),
        TaskResult(name="attend", points=4, score=0, groups=[], diagnosis=[], error=error, followed_through=True),
        TaskResult(name="words", points=2, score=None, manual=True, groups=[], diagnosis=[], error=None),
    ]
    renamed = Finding(code="renamed", sentence="The notebook is called x.ipynb.", remedy="Rename it.")
    fields: dict[str, Any] = {
        "student": "ann",
        "assignment": "02-attend",
        "status": "graded",
        "graded_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
        "submitted_at": datetime(2026, 2, 28, 9, 30, tzinfo=UTC),
        "submission_sha256": "0" * 64,
        "grader_version": "1",
        "environment": {},
        "seed": "abc",
        "isolation": "full",
        "findings": [renamed],
        "tasks": tasks,
        "output_tail": "FOR THE INSTRUCTOR",
    }
    return Record(**(fields | more))


def shown(tmp_path: Path, record: Record, **environment: str) -> str:
    write_record(record_path(tmp_path, "02-attend", record.student), record)
    arguments = ("show", record.student, "02-attend", "--reports", str(tmp_path))
    done = autograder(*arguments, folder=tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_show_says_what_the_student_reads(tmp_path: Path) -> None:
    page = shown(tmp_path, sample())
    for words in (
        "02-attend · ann",
        "3 of 14 points, 2 of them wait for a manual mark",
        "Graded 2026-03-01 12:00 UTC, handed in 2026-02-28 09:30 UTC",
        "! The notebook is called x.ipynb. Rename it.",
        "softmax  3 / 8",
        "✓ adds up to 1  (3 of 3)",
        "Note: a list",
        "✗ stays finite for huge scores  (0 of 5)",
        "expected finite numbers, got nan",
        "Likely cause: The maximum is not subtracted.",
        "For example: softmax([1000.0])",
        "Cell 7, line 2: NameError: name 'nq' is not defined",
        "words  waits for a manual mark / 2",
    ):
        assert words in page
    assert "INSTRUCTOR" not in page


@pytest.mark.parametrize("status", ["unreadable", "not graded"])
def test_show_tells_not_graded_from_zero(tmp_path: Path, status: str) -> None:
    blank = [task.model_copy(update={"score": None}) for task in sample().tasks]
    page = shown(tmp_path, sample(status=status, tasks=blank))
    assert f"No score yet ({status}; this is not a score of 0)" in page
    assert "softmax  not judged / 8" in page
    assert "0 of" in shown(tmp_path, sample(tasks=[sample().tasks[1]]))


def test_student_text_is_text(tmp_path: Path) -> None:
    nasty = "[bold red]x[/] :smile: \x1b[2J\x9b5m \u202eabc \ud800 \a\r::error::boom\n  ::set-output name=a::b ##[x"
    error = CellError(cell=1, task=None, kind="E", message=nasty, line=None)
    task = sample().tasks[1].model_copy(update={"error": error})
    page = shown(tmp_path, sample(tasks=[task]))
    assert "[bold red]x[/] :smile: " in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", page)
    assert not re.search(r"^\s*::", page, re.MULTILINE)
    assert "##[" not in page


def test_a_terminal_without_unicode_is_no_error(tmp_path: Path) -> None:
    assert "02-attend" in shown(tmp_path, sample(student="zoë"), PYTHONIOENCODING="ascii")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\nb"),
        ("\x1b]0;title\x07", "\ufffd]0;title\ufffd"),
        ("::warning::x", ": :warning::x"),
        ("a\u2028::x", "a\n: :x"),
        ("softmax()[::-1]", "softmax()[::-1]"),
    ],
)
def test_plain_text(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_what_to_look_at_puts_people_first() -> None:
    review = Finding(code="r", sentence="Look here.", review=True)
    assert what_to_look_at(sample(findings=[*sample().findings, review])) == "Look here."
    assert what_to_look_at(sample()) == "softmax: The maximum is not subtracted."
    assert what_to_look_at(sample(tasks=[sample().tasks[1]])).startswith("attend: cell 7: NameError")
    assert what_to_look_at(sample(tasks=[])) == "The notebook is called x.ipynb."
    assert what_to_look_at(sample(tasks=[], findings=[])) == ""


def test_the_summary_counts() -> None:
    blank = sample(status="unreadable", tasks=[])
    assert summary([sample()]) == "1 of 1 graded, 1 manual mark pending."
    assert summary([sample(), blank]) == "1 of 2 graded, 1 needs a look, 1 manual mark pending."


def test_show_without_a_record_says_how_to_get_one(tmp_path: Path) -> None:
    line = one_error_line(autograder("show", "bob", "02-attend", "--reports", str(tmp_path)))
    assert "no record" in line and "autograder grade 02-attend --student bob" in line


def test_show_of_a_damaged_record(tmp_path: Path) -> None:
    path = record_path(tmp_path, "02-attend", "ann")
    path.parent.mkdir(parents=True)
    path.write_text("{")
    line = one_error_line(autograder("show", "ann", "02-attend", "--reports", str(tmp_path)))
    assert f"{path} is damaged" in line


def test_show_does_not_leave_the_reports(tmp_path: Path) -> None:
    one_error_line(autograder("show", "../../x", "02-attend", "--reports", str(tmp_path)))


@pytest.mark.parametrize("command", ["grade", "release"])
def test_an_unknown_assignment_names_the_known_ones(command: str) -> None:
    line = one_error_line(autograder(command, "99-nothing"))
    assert "99-nothing" in line and "02-attend" in line


@pytest.mark.parametrize("arguments", [("grade", "02-attend"), ("release", "02-attend"), ("demo",)])
def test_outside_a_course_the_error_names_the_folder(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert str(tmp_path) in one_error_line(autograder(*arguments, folder=tmp_path))


def test_grading_nothing_writes_nothing(tmp_path: Path) -> None:
    places = ("--reports", str(tmp_path / "r"), "--db", f"sqlite:///{tmp_path / 'g.db'}")
    line = one_error_line(autograder("grade", "02-attend", "--submitted", str(tmp_path / "s"), *places))
    assert str(tmp_path / "s") in line and "submitted/<student>/<assignment>/" in line
    (tmp_path / "s" / "ann" / "01-roles").mkdir(parents=True)
    line = one_error_line(autograder("grade", "02-attend", "--submitted", str(tmp_path / "s"), *places))
    assert "no submission of 02-attend" in line
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["s"]


def test_a_demo_without_the_samples_says_so(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    line = one_error_line(autograder("demo", "--course", str(tmp_path)))
    assert "sample class is missing" in line
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(
    "arguments",
    [("release",), ("grade", "02-attend", "--jobs", "0"), ("grade", "02-attend", "--cell-seconds", "0"), ("nope",)],
)
def test_wrong_use_exits_with_2(arguments: tuple[str, ...]) -> None:
    done = autograder(*arguments)
    assert done.returncode == 2 and "Usage:" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["release", "grade", "show", "demo"])
def test_every_command_has_help_and_is_listed_in_full(command: str) -> None:
    done = autograder(command, "--help")
    assert done.returncode == 0 and "[default" in done.stdout
    [line] = [line for line in autograder("--help").stdout.splitlines() if line.startswith(f"  {command} ")]
    assert line.endswith(".") and not line.endswith("...")


def test_help_loads_nothing_heavy() -> None:
    code = "import sys, autograder.__main__; print({'rich', 'numpy', 'pytest', 'nbgrader'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
