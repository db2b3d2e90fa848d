"""The main job on the real thing: the command grades the sample class through the sandbox into a real gradebook."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.grading.batch import grade_batch
from autograder.intake import find_hand_ins
from autograder.report import Record, read_record
from autograder.sandbox.levels import Isolation
from autograder.sandbox.workers import Limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "samples"))

import build  # noqa: E402

NAME = "02-attend"
FULL = Isolation("full")
EXPECTED = build.expectations(ROOT, NAME)
QUICK = ["--cell-seconds", "4", "--call-seconds", "2"]


def autograder(*arguments: object, secret: str = "tests", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograder", *map(str, arguments)]
    environment = {**os.environ, "AUTOGRADER_SECRET": secret, "COLUMNS": "200"}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, check=False)


def digests(folder: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


@dataclass
class Graded:
    done: subprocess.CompletedProcess[str]
    folder: Path
    before: dict[str, str]

    def record(self, student: str) -> Record:
        return read_record(self.folder / "reports" / NAME / "records" / f"{student}.json")


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = tmp_path_factory.mktemp("class")
    submitted = build.build_samples(ROOT, folder / "submitted", NAME)
    before = digests(submitted)
    database = f"sqlite:///{folder / 'gradebook.db'}"
    places = ["--submitted", submitted, "--reports", folder / "reports", "--db", database]
    return Graded(autograder("grade", NAME, *places, *QUICK), folder, before)


def test_the_command_says_that_someone_must_look(graded: Graded) -> None:
    assert graded.done.returncode == 1, graded.done.stderr
    assert "gradebook.db" in graded.done.stdout and "records" in graded.done.stdout


@pytest.mark.parametrize("student", sorted(EXPECTED))
def test_every_hand_in_gets_what_it_deserves(graded: Graded, student: str) -> None:
    record = graded.record(student)
    assert EXPECTED[student].complaint(record.status, record.score) is None, record.output_tail


def test_student_files_are_as_they_were(graded: Graded) -> None:
    assert digests(graded.folder / "submitted") == graded.before


def test_nothing_is_left_running(graded: Graded) -> None:
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            commands.append(path.read_bytes().decode(errors="replace"))
    assert commands and not [command for command in commands if str(graded.folder) in command]


@pytest.mark.parametrize(("student", "task", "fault"), [
    ("jan-lesson-softmax", "softmax", "whole_array"), ("kim-overflow", "softmax", "no_max"),
    ("lea-blends-keys", "attend", "blend_keys"), ("mia-scores-from-values", "attend", "score_values"),
    ("nils-scaled", "attend_all", "scaled"), ("olga-hard-pick", "attend", "hard_pick"),
    ("pia-torch-transpose", "project", "torch_T"), ("quin-slot-first", "plural", "slot_first"),
    ("rosa-eye8", "identity", "eye8"), ("sven-query-axis", "attend_all", "query_axis"),
    ("tara-roles-swapped", "cross", "roles_swapped"),
])  # fmt: skip
def test_a_known_fault_is_named(graded: Graded, student: str, task: str, fault: str) -> None:
    found = next(t for t in graded.record(student).tasks if t.name == task)
    assert [diagnosis.id for diagnosis in found.diagnosis] == [fault]


def test_a_right_answer_is_never_given_a_diagnosis(graded: Graded) -> None:
    for student in EXPECTED:
        for task in graded.record(student).tasks:
            assert not task.diagnosis or (task.score is not None and task.score < task.points)


def test_a_wrong_softmax_costs_its_points_once(graded: Graded) -> None:
    lost = {t.name for t in graded.record("jan-lesson-softmax").tasks if t.score != t.points}
    assert lost == {"softmax"}


def test_the_gradebook_holds_the_numbers_of_the_records(graded: Graded) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{graded.folder / 'gradebook.db'}") as gradebook:
        scores = {s.student.id: s for s in gradebook.assignment_submissions(NAME)}
        for student in EXPECTED:
            record = graded.record(student)
            if record.score is not None:
                assert scores[student].score == record.score
            elif student in scores:
                assert all(g.auto_score is None for book in scores[student].notebooks for g in book.grades)


def test_a_student_s_page_shows_sentences_and_no_test_time_output(graded: Graded) -> None:
    for student in ("nora-frames", "lea-blends-keys", "ada-vectorised"):
        shown = autograder("show", student, NAME, "--reports", graded.folder / "reports")
        assert shown.returncode == 0, shown.stderr
        record = graded.record(student)
        assert record.tasks[0].groups[0].sentence.split()[0] in shown.stdout
        assert not record.output_tail or record.output_tail[-60:] not in shown.stdout


def test_other_seeds_give_the_same_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    students = ["ada-vectorised", "dina-lists", "lea-blends-keys", "jan-lesson-softmax", "wim-many-faults"]
    build.build_samples(ROOT, tmp_path / "all", NAME)
    for student in students:
        shutil.copytree(tmp_path / "all" / student, tmp_path / "submitted" / student)
    assignment, marks = Course.find(ROOT).assignment(NAME), set()
    hand_ins = find_hand_ins(tmp_path / "submitted", NAME)
    for number in range(10):
        monkeypatch.setenv("AUTOGRADER_SECRET", f"seed {number}")
        records = grade_batch(assignment, hand_ins, tmp_path / "reports", Limits(), FULL)
        marks.add(tuple((record.student, tuple(task.score for task in record.tasks)) for record in records))
    assert len(marks) == 1


def test_no_submissions_and_unknown_assignments_end_with_2(tmp_path: Path) -> None:
    for arguments in (("grade", NAME, "--submitted", tmp_path), ("grade", "99-none"), ("release", "99-none")):
        done = autograder(*arguments)
        assert done.returncode == 2 and done.stderr.strip() and "Traceback" not in done.stderr
