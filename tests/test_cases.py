"""Hand-ins as they really arrive, graded as one class by the real command, honest students before and after each."""

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from autograder.report import Record, TaskResult, read_record
from autograder.terminal import print_safely, student_page

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
COURSE = CASES / "course"
NAME = "attention"
HONEST = CASES / "honest.ipynb"
FOLDERS = sorted(path.parent for path in CASES.glob("*/case.json"))
CASE = {folder.name: json.loads((folder / "case.json").read_text(encoding="utf-8")) for folder in FOLDERS}
HAND_INS = [name for name, case in CASE.items() if case["kind"] in ("notebook", "folder")]
LIMITS = ("--cell-seconds", "5", "--call-seconds", "3")

STATUS = {
    "graded": ("graded",),
    "graded-with-flag": ("graded",),
    "needs-review": ("needs review",),
    "unreadable": ("unreadable",),
    "refused": ("unreadable",),
}

# What each word of the cases is in the product: one of these findings, or these words in a task's result.
FLAGS: dict[str, tuple[str, ...]] = {
    "answer-outside-cell": ("answer_elsewhere",),
    "cell-exception": ("cell_stopped", "missing_package"),
    "cell-type-changed": ("cell_type_changed",),
    "dtype": ("(dtype int)",),
    "duplicate-cell": ("duplicated_cell",),
    "format-newer": ("format_newer",),
    "format-repaired": ("format_repaired",),
    "input-mutated": ("the argument x was changed",),
    "kernel-killed": ("cell_stopped",),
    "kernel-overridden": ("kernel_overridden",),
    "locked-cell-changed": ("locked_cell_changed",),
    "merge-conflict": ("merge_conflict",),
    "missing-cell": ("locked_cell_missing",),
    "missing-package": ("missing_package",),
    "not-a-notebook": ("not_a_notebook",),
    "renamed-file": ("renamed",),
    "shape-mismatch": ("is one number where an array of shape",),
    "stale-state": ("stale_state",),
    "syntax-error-cell": ("SyntaxError",),
    "tamper": ("tampering",),
    "timeout": ("cell_stopped",),  # no new process may be started, so a pool stops at once instead
    "type-mismatch": ("A list or tuple was returned", "An np.matrix was returned"),
    "unreadable": ("merge_conflict", "not_a_notebook", "empty_file", "damaged_file"),
    "unsafe-archive": ("unsafe_archive",),
    "html-escaped": (),  # a property of the page, looked at below
}

# What the page must say, in the words of the product.
SAYS = {
    "002-truncated-json": "attention.ipynb breaks off in line 128 (2886 bytes)",
    "003-zero-byte-file": "attention.ipynb is an empty file (0 bytes)",
    "007-git-conflict-markers": "unresolved merge conflict: its first marker is in line 121",
    "009-html-page-saved-as-ipynb": "attention.ipynb is a web page (HTML), not a notebook",
    "016-null-byte-in-source": "Cell 7 holds a NUL character",
    "027-duplicate-answer-cell-same": "attend-answer is there 2 times (cells 7, 8), with the same text",
    "028-duplicate-answer-stale-first": "attend-answer is there 2 times (cells 7, 8), with different texts",
    "031-merged-answer-and-test": "The locked cell attend-test was missing",
    "032-deleted-test-cell": "The locked cell attend-test was missing",
    "034-answer-retyped-in-plain-cell": "`attend` was found in cell 8, not in a cell of its own",
    "036-answer-cell-became-markdown": "Cell 7 (attend-answer) was turned into markdown text",
    "039-visible-test-edited": "Cell 8 (attend-test) is locked but was changed",
    "046-syntax-error-in-answer": "Cell 7, line 9: SyntaxError",
    "047-infinite-loop-top-level": "Cell 7 was stopped",
    "049-loop-that-swallows-interrupts": "Cell 7 was stopped",
    "050-input-call": "input() has nobody to ask",
    "057-import-fails-on-first-line": "The package seaborn_fancy_themes is not installed here (cell 2)",
    "059-gui-backend-plot": "The package matplotlib is not installed here (cell 7)",
    "063-chdir-and-missing-data": "points.csv",
    "064-stale-kernel-state": "`my_helper_from_before` is used in cell 7, but no cell defines it",
    "072-returns-list": "A list or tuple was returned",
    "073-returns-np-matrix": "An np.matrix was returned",
    "080-returns-scalar": "is one number where an array of shape",
    "085-traceback-suppressed": "Cell 7 replaces",
    "086-patched-comparison": "Cell 7 replaces",
    "089-writes-own-result-file": "Cell 11 writes",
    "094-renamed-with-copy-number": "The notebook is called attention (1).ipynb",
    "098-double-extension": "The notebook is called attention.ipynb.json",
    "101-unsafe-archive": "../submission-evil/escaped.txt",
}
NEVER_SAID = ("Traceback", "old metadata", "<script", "rng.normal", "\u202e")

Run = subprocess.CompletedProcess[str]


def autograder(*arguments: object, **environment: str) -> Run:
    command = [sys.executable, "-m", "autograder", *map(str, arguments)]
    settings = {**os.environ, "AUTOGRADER_SECRET": "cases", "COLUMNS": "200", **environment}
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", env=settings, check=False)


def digests(folder: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


@dataclass
class Graded:
    done: Run
    folder: Path
    before: dict[str, str]

    def record(self, student: str) -> Record:
        return read_record(self.folder / "reports" / NAME / "records" / f"{student}.json")

    def page(self, student: str) -> str:
        console = Console(file=io.StringIO(), width=200)
        print_safely(console, student_page(self.record(student)))
        return console.file.getvalue()


def hand_in(submitted: Path, student: str, *files: Path) -> None:
    folder = submitted / student / NAME
    folder.mkdir(parents=True)
    for file in files:
        shutil.copyfile(file, folder / (f"{NAME}.ipynb" if file == HONEST else file.name))


def grade(folder: Path, course: Path = COURSE, *more: object) -> Run:
    places = ("--submitted", folder / "submitted", "--reports", folder / "reports")
    return autograder("grade", NAME, "--course", course, *places, "--db", f"sqlite:///{folder / 'g.db'}", *more)


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = tmp_path_factory.mktemp("cases")
    submitted = folder / "submitted"
    for name in HAND_INS:
        hand_in(submitted, f"{name[:3]}-honest", HONEST)
        hand_in(submitted, f"{name[:3]}-then-{name[4:]}", *(CASES / name / file for file in CASE[name]["files"]))
    hand_in(submitted, "999-honest", HONEST)
    before = digests(folder)
    return Graded(grade(folder, COURSE, *LIMITS), folder, before)


def complaint(wanted: str, task: TaskResult) -> str | None:
    """Return what is not as the case says about one task, or None."""
    score = -1.0 if task.score is None else task.score
    right = {
        "full": score == task.points,
        "not-full": 0 <= score < task.points,
        "zero": score == 0,
        "either": score >= 0 or task.score is None,
        "review": task.score is None,
    }
    return None if right[wanted] else f"{task.name}: {task.score} of {task.points}, expected {wanted}"


def noticed(flag: str, record: Record, page: str) -> bool:
    codes = {finding.code for finding in record.findings}
    return not FLAGS[flag] or any(sign in codes or sign in page for sign in FLAGS[flag])


@pytest.mark.parametrize("name", HAND_INS)
def test_a_case_is_graded_as_it_says(graded: Graded, name: str) -> None:
    student, expect = f"{name[:3]}-then-{name[4:]}", CASE[name]["expect"]
    record, page = graded.record(student), graded.page(student)
    tasks = {task.name: task for task in record.tasks}
    wrong = [complaint(wanted, tasks[f"{task}-test"]) for task, wanted in expect["tasks"].items()]
    wrong += [f"{flag} was not noticed" for flag in expect["flags"] if not noticed(flag, record, page)]
    if record.status not in STATUS[expect["outcome"]]:
        wrong.append(f"{record.status}, expected {expect['outcome']}")
    if expect["outcome"] == "graded-with-flag" and not record.findings:
        wrong.append("nothing was remarked")
    if name in SAYS and SAYS[name] not in " ".join(page.split()):
        wrong.append(f"the page does not say: {SAYS[name]}")
    wrong += [f"the page says {words}" for words in NEVER_SAID if words in page.replace("<script>document", "")]
    assert [line for line in wrong if line] == [], page
    assert record.max_score == 6 and (record.pending or record.status == "unreadable")


def test_every_honest_student_has_full_marks_and_no_remark(graded: Graded) -> None:
    for student in sorted(path.name for path in (graded.folder / "submitted").glob("*-honest")):
        record = graded.record(student)
        assert (record.status, record.score, record.findings) == ("graded", 5, []), student


def test_the_command_says_that_someone_must_look(graded: Graded) -> None:
    assert graded.done.returncode == 1, graded.done.stderr
    assert "Traceback" not in graded.done.stdout + graded.done.stderr


def test_no_file_is_changed_and_none_is_written_beside(graded: Graded) -> None:
    after = digests(graded.folder)
    assert {path: after[path] for path in graded.before} == graded.before
    own = tuple(str(graded.folder / name) for name in ("reports", "autograded", "g.db"))
    assert [path for path in after if path not in graded.before and not path.startswith(own)] == []


def test_nothing_is_left_running(graded: Graded) -> None:
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            commands.append(path.read_bytes().decode(errors="replace"))
    assert commands and not [command for command in commands if str(graded.folder) in command]


def test_the_same_input_gives_the_same_record(graded: Graded, tmp_path: Path) -> None:
    """Run again from another folder, in another locale and time zone, one process instead of several."""
    names = [name for name in HAND_INS if name[:3] in ("028", "057", "063", "064", "080", "086", "093", "101")]
    for name in names:
        hand_in(tmp_path / "submitted", f"{name[:3]}-then-{name[4:]}", *(CASES / name / f for f in CASE[name]["files"]))
    arguments = ("grade", NAME, "--course", COURSE, "--submitted", tmp_path / "submitted", "--jobs", "1", *LIMITS)
    places = ("--reports", tmp_path / "reports", "--db", f"sqlite:///{tmp_path / 'g.db'}")
    done = autograder(*arguments, *places, LC_ALL="C", TZ="Asia/Kolkata")
    assert done.returncode == 1, done.stderr
    again = Graded(done, tmp_path, {})
    for name in names:
        student = f"{name[:3]}-then-{name[4:]}"
        one, other = (place.record(student).model_dump(exclude={"graded_at", "seconds"}) for place in (graded, again))
        assert one == other
