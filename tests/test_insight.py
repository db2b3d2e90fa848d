"""A class seen as a whole: fingerprints of unknown behaviours, the report's numbers, and bank entries."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.report import Record, TaskResult, read_record

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from host_course import NAME, cell, edit_hand_in, make_course, run  # noqa: E402

SAMPLES = ("ada-vectorised", "bela-loops", "lea-blends-keys", "zoe-half-done", "vito-html", "yara-blank", "sara-other-id")
UNKNOWN = {
    "amy-thirds": """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)  # every step triples the odds
    powers = 3.0 ** (x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
""",
    "ben-thirds": """
def softmax(x, axis=-1):
    '''</script><script>alert("ben-thirds")</script>'''
    scores = np.log(3) * np.array(x, float)
    scores = scores - np.max(scores, axis, keepdims=True)
    total = np.expand_dims(np.exp(scores).sum(axis), axis)
    return np.exp(scores) / total
""",
    "cat-thirds": """
def softmax(x, axis=-1):
    x = np.moveaxis(np.asarray(x, dtype=float), axis, 0)
    odds = [1 / sum(3.0 ** np.clip(other - one, -600, 600) for other in x) for one in x]
    return np.moveaxis(np.array(odds), 0, axis)
""",
    "dan-fourths": """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    powers = 4.0 ** (x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
""",
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course whose class has samples and hand-ins with faults that the bank does not know, graded."""
    folder = make_course(tmp_path_factory.mktemp("insight") / "course", SAMPLES)
    everybody = make_course(tmp_path_factory.mktemp("models") / "course", ["ada-vectorised"])
    for student, answer in UNKNOWN.items():
        target = folder / "submitted" / student / NAME
        target.mkdir(parents=True)
        original = everybody / "submitted" / "ada-vectorised" / NAME / f"{NAME}.ipynb"
        (target / f"{NAME}.ipynb").write_text(original.read_text().replace("ada-vectorised", student))
        edit_hand_in(folder, student, lambda notebook, text=answer: cell(notebook, "softmax-answer").update(source=text))
    done = run(folder, "autograder", "grade", NAME)
    assert done.returncode == 1, done.stdout + done.stderr
    return folder


def record(course: Path, student: str) -> Record:
    return read_record(course / "reports" / NAME / "records" / f"{student}.json")


def task(course: Path, student: str, name: str = "softmax") -> TaskResult:
    return next(task for task in record(course, student).tasks if task.name == name)


def test_styles_of_one_unknown_fault_share_a_fingerprint(course: Path) -> None:
    prints = {student: task(course, student).fingerprint for student in UNKNOWN}
    assert prints["amy-thirds"] == prints["ben-thirds"] == prints["cat-thirds"] is not None
    assert prints["dan-fourths"] not in (None, prints["amy-thirds"])


def test_only_unknown_losers_have_a_fingerprint(course: Path) -> None:
    known = task(course, "lea-blends-keys", "attend")
    assert known.diagnosis and known.fingerprint is None
    for student in ("ada-vectorised", "bela-loops", "yara-blank"):
        assert {task.fingerprint for task in record(course, student).tasks} == {None}
    for student in UNKNOWN:  # what builds on softmax is judged with a right one, and is right
        assert {task.fingerprint for task in record(course, student).tasks if task.name != "softmax"} == {None}


def test_the_time_of_each_hand_in_is_kept(course: Path) -> None:
    assert 0 < (record(course, "ada-vectorised").seconds or 0) < 120
    assert record(course, "vito-html").seconds is None


def test_try(course):
    for more in ((), ("--anonymous",)):
        done = run(course, "autograder", "report", NAME, *more)
        print(done.stdout, done.stderr)
        import shutil
        shutil.copy(course / "reports" / NAME / "report.html", f"/tmp/insight-report{len(more)}.html")
    done = run(course, "autograder", "misconception", "add", NAME, "--cluster", task(course, "amy-thirds").fingerprint, "--print")
    print(done.stdout, done.stderr)
    done = run(course, "autograder", "misconception", "add", NAME, "--cluster", task(course, "amy-thirds").fingerprint)
    print(done.stdout, done.stderr)
    assert 0
