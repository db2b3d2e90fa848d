"""A class seen as a whole: fingerprints of unknown behaviours, the report's numbers, and bank entries."""

import ast
import base64
import hashlib
import re
import sys
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course import Course
from autograder.insight import items, page
from autograder.insight.clusters import Cluster, HandIns, bank_entry
from autograder.report import GroupResult, Record, TaskResult, read_record

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from host_course import NAME, cell, edit_hand_in, make_course, run  # noqa: E402

SAMPLES = (
    "ada-vectorised",
    "bela-loops",
    "lea-blends-keys",
    "zoe-half-done",
    "vito-html",
    "yara-blank",
    "sara-other-id",
)
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
        edit_hand_in(
            folder, student, lambda notebook, text=answer: cell(notebook, "softmax-answer").update(source=text)
        )
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


# ------------------------------------------------------------------------------------------- numbers

PASSES = np.array([  # hand-ins by groups: two in the task `one`, three in `two`
    [1, 1, 1, 1, 1], [1, 0, 1, 1, 0], [1, 1, 0, 0, 0], [1, 0, 0, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0],
    [1, 1, 1, 1, 0],
])  # fmt: skip
POINTS = np.array([2.0, 3.0, 1.0, 1.5, 2.5])
TASKS = {"one": (0, 1), "two": (2, 3, 4)}


def made(student: str, passes: Any, unjudged: tuple[int, ...] = (), **more: Any) -> Record:
    results = []
    for name, places in TASKS.items():
        groups = [
            GroupResult(
                name=f"test_{place}", sentence=f"does {place}", points=POINTS[place],
                earned=POINTS[place] * passes[place],
                verdict="not judged" if place in unjudged else "passed" if passes[place] else "failed",
            )
            for place in places
        ]  # fmt: skip
        points, score = sum(POINTS[list(places)]), sum(group.earned for group in groups)
        results.append(TaskResult(name=name, points=points, score=score, groups=groups, diagnosis=[], error=None))
    fields: dict[str, Any] = {
        "student": student, "assignment": NAME, "status": "graded", "graded_at": datetime(2026, 3, 1, tzinfo=UTC),
        "submitted_at": None, "submission_sha256": "", "grader_version": "1", "environment": {},
        "seed": hashlib.sha256(student.encode()).hexdigest(), "isolation": "full", "findings": [], "tasks": results,
    }  # fmt: skip
    return Record(**(fields | more))


def made_class(passes: Any = PASSES) -> list[Record]:
    return [made(f"student-{place}", row) for place, row in enumerate(passes)]


def ungraded(student: str) -> Record:
    tasks = [task.model_copy(update={"score": None, "groups": []}) for task in made(student, PASSES[0]).tasks]
    return made(student, PASSES[0], status="unreadable", tasks=tasks)


def point_biserial(passed: Any, rest: Any) -> float:
    """Return the correlation of a yes or no with a number, by its textbook formula."""
    share = passed.mean()
    between = rest[passed == 1].mean() - rest[passed == 0].mean()
    return float(between / rest.std() * np.sqrt(share * (1 - share)))


def test_groups_by_the_textbook() -> None:
    found = {item.name: item for item in items.groups([*made_class(), ungraded("nobody")])}
    totals = PASSES @ POINTS
    for place in range(1, 5):
        item, passed = found[f"test_{place}"], PASSES[:, place]
        assert (item.judged, item.passed) == (7, passed.sum())
        assert item.share == pytest.approx(passed.mean())
        assert item.discrimination == pytest.approx(point_biserial(passed, totals - POINTS[place] * passed))
    assert found["test_0"].share == 1 and found["test_0"].discrimination is None  # everybody passes
    assert "cannot be said" in items.discrimination_in_words(found["test_0"].discrimination, 7)


def test_tasks_are_compared_with_the_other_tasks() -> None:
    one, two = items.tasks(made_class())
    first, second = PASSES[:, :2] @ POINTS[:2], PASSES[:, 2:] @ POINTS[2:]
    assert one.share == pytest.approx(first.mean() / 5) and two.share == pytest.approx(second.mean() / 5)
    assert one.discrimination == pytest.approx(np.corrcoef(first, second)[0, 1]) == pytest.approx(two.discrimination)
    assert (one.passed, two.passed) == ((first == 5).sum(), (second == 5).sum())


def test_alpha_by_the_textbook() -> None:
    covariance = np.cov(PASSES * POINTS, rowvar=False)
    k = len(POINTS)
    wanted = k / (k - 1) * (1 - np.trace(covariance) / covariance.sum())
    assert items.alpha([*made_class(), ungraded("nobody")]) == pytest.approx(wanted)
    doubled = np.repeat(PASSES[:, 1:2], 5, axis=1)
    equal = [made(str(place), row) for place, row in enumerate(doubled)]
    spread = POINTS.sum() ** 2 / (POINTS**2).sum()
    assert items.alpha(equal) == pytest.approx(k / (k - 1) * (1 - 1 / spread))


@pytest.mark.parametrize("records", [[], made_class()[:1], made_class([PASSES[0]] * 4), [ungraded("nobody")] * 2])
def test_undefined_is_said_and_is_no_number(records: list[Record]) -> None:
    assert items.alpha(records) is None and items.reliability_in_words(None).startswith("Undefined")
    assert all(item.discrimination is None for item in (*items.tasks(records), *items.groups(records)))
    assert items.fail_together(records) == []


def test_what_was_not_judged_counts_for_nothing() -> None:
    records = made_class()
    passes = PASSES.copy()
    passes[[1, 4], 4] = 0
    for place in (1, 4):
        records[place] = made(f"student-{place}", passes[place], unjudged=(4,))
    item = next(item for item in items.groups(records) if item.name == "test_4")
    left = [0, 2, 3, 5, 6]
    rest = passes[left] @ POINTS - POINTS[4] * passes[left, 4]
    assert (item.judged, item.share) == (5, pytest.approx(passes[left, 4].mean()))
    assert item.discrimination == pytest.approx(point_biserial(passes[left, 4], rest))


def test_a_check_that_the_strong_fail_is_called_backwards() -> None:
    backwards = PASSES.copy()
    backwards[:, 1] = (PASSES[:, 2:].sum(axis=1) < 2).astype(int)
    item = next(item for item in items.groups(made_class(backwards)) if item.name == "test_1")
    assert item.discrimination is not None and item.discrimination < -0.3
    assert "backwards" in items.discrimination_in_words(item.discrimination, 30)
    assert "chance" in items.discrimination_in_words(item.discrimination, 7)


def test_groups_that_fail_together() -> None:
    passes = PASSES.copy()
    passes[:, 3] = passes[:, 1]
    assert items.fail_together(made_class(passes)) == [[("one", "does 1"), ("two", "does 3")]]
    assert items.fail_together(made_class(PASSES)) == []
    passes[:, 3] = passes[:, 1] = [1, 1, 1, 0, 1, 1, 1]  # a single hand-in shows nothing
    assert items.fail_together(made_class(passes)) == []


def test_the_distribution_counts_every_graded_hand_in_once() -> None:
    nobody, half, everything = (
        made(name, passes) for name, passes in (("n", [0] * 5), ("h", [1, 1, 0, 0, 0]), ("e", [1] * 5))
    )
    counts = page.bins([nobody, half, everything, ungraded("u")])
    assert [count for _, _, count in counts] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert page.summary([nobody, half, everything])["standard deviation"] == pytest.approx(5)
    assert page.summary([ungraded("u")]) == {}


def test_who_took_far_longer_stands_out() -> None:
    quick = [made(f"q{place}", PASSES[0], seconds=1 + place / 10) for place in range(8)]
    late = made("late", PASSES[0], seconds=30)
    assert page.slow([*quick, late, ungraded("u")]) == [late]
    assert page.slow(quick) == [] == page.slow([late])


# ------------------------------------------------------------------------------------------- the page


class Page(HTMLParser):
    """Take a page apart: its scripts, its words, what it would load, and tags that do not close."""

    VOID = frozenset("meta link br input img rect line hr".split())

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.scripts if self.open[-1:] == ["script"] else self.words).append(data)


def written(course: Path, *options: str) -> str:
    done = run(course, "autograder", "report", NAME, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return (course / "reports" / NAME / "report.html").read_text(encoding="utf-8")


def test_the_report_holds_what_an_instructor_asks(course: Path) -> None:
    words = " ".join(" ".join(Page(written(course)).words).split())
    cluster = task(course, "amy-thirds").fingerprint
    for wanted in (
        "Cronbach's alpha",
        "Groups that fail together",
        "The keys are blended instead of the values",
        "softmax: 3 hand-ins, 14 points lost on average",
        f"Cluster {cluster} : amy-thirds, ben-thirds, cat-thirds",
        "powers = 3.0 ** (x - x.max(axis=axis, keepdims=True))",
        f"autograder misconception add {NAME} --cluster {cluster}",
        "is a web page (HTML), not a notebook",
        "is not the owner's",
    ):
        assert wanted in words


def test_the_page_runs_its_own_script_only(course: Path) -> None:
    ben = task(course, "ben-thirds").fingerprint
    for student in ("amy-thirds", "cat-thirds"):  # so that the one that attacks the page is shown
        (course / "reports" / NAME / "records" / f"{student}.json").rename(course / f"{student}.json")
    try:
        text = written(course)
    finally:
        for student in ("amy-thirds", "cat-thirds"):
            (course / f"{student}.json").rename(course / "reports" / NAME / "records" / f"{student}.json")
    parsed = Page(text)
    assert ben is not None and ben in text and "&lt;/script&gt;&lt;script&gt;alert" in text
    [script] = parsed.scripts
    assert script == (ROOT / "autograder" / "pages" / "report.js").read_text()
    policy = next(value for name, value in parsed.attributes if name == "content" and "default-src" in value)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'sha256-")
    assert "unsafe" not in policy
    names = {name for name, _ in parsed.attributes}
    assert not names & {"src", "srcset", "style", "action"} and not any(name.startswith("on") for name in names)
    assert all(value.startswith("#") for name, value in parsed.attributes if name == "href")
    ids = [value for name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_hidden_names_are_hidden(course: Path) -> None:
    text = written(course, "--anonymous")
    for student in (*SAMPLES, *UNKNOWN):
        assert student not in text
    assert "someone.else@example.org" not in text and "Student 01" in text and "every step triples" not in text
    assert "x.max(axis=axis, keepdims=True)" in text
    order = re.findall(r'<th scope="row">(Student \d+)</th>', text[text.index('id="everybody"') :])
    assert order == sorted(order) and len(order) == 11


def test_a_class_of_nobody_graded_has_a_page() -> None:
    found = Course.find(ROOT).assignment(NAME)
    text = page.class_page(found, [ungraded("u")], HandIns(found, ROOT / "nowhere", []), (), anonymous=False)
    assert "Undefined: it takes two hand-ins" in text
    Page(text)


def test_a_report_without_records_says_what_to_do(course: Path, tmp_path: Path) -> None:
    done = run(course, "autograder", "report", NAME, "--reports", str(tmp_path))
    assert done.returncode == 2 and "Grade first" in done.stderr


# ------------------------------------------------------------------------------------------- the bank


def test_a_cluster_becomes_an_entry_that_explains_nobody_until_it_is_filled_in(course: Path, tmp_path: Path) -> None:
    id, bank = task(course, "amy-thirds").fingerprint, course / "autograder" / "graders" / NAME / "misconceptions.py"
    assert id is not None
    before = bank.read_text()
    printed = run(course, "autograder", "misconception", "add", NAME, "--cluster", id, "--print")
    assert printed.returncode == 0 and bank.read_text() == before
    added = run(course, "autograder", "misconception", "add", NAME, "--cluster", id[:6])
    assert added.returncode == 0, added.stderr
    try:
        after = bank.read_text()
        assert after.startswith(before.rstrip("\n")) and printed.stdout.strip() in after
        again = run(course, "autograder", "misconception", "add", NAME, "--cluster", id)
        assert again.returncode == 2 and "already" in again.stderr
        folder = tmp_path / "again"
        arguments = ("--student", "ben-thirds", "--reports", str(folder), "--db", f"sqlite:///{folder}.db")
        regraded = run(course, "autograder", "grade", NAME, *arguments)
        assert regraded.returncode == 0, regraded.stderr
        same = read_record(folder / NAME / "records" / "ben-thirds.json").tasks[0]
        assert (same.diagnosis, same.fingerprint) == ([], id)
        filled = after.replace(
            "return ...  # what the wrong answer returns, raises or changes; three dots equal no answer",
            "return softmax(frozenset(), np.log(3) * np.asarray(args[0], dtype=float), *args[1:], **kwargs)",
        )
        bank.write_text(filled.replace("TO DO: what happens, in one sentence.", "The base of the powers is 3."))
        run(course, "autograder", "grade", NAME, *arguments)
        named = read_record(folder / NAME / "records" / "ben-thirds.json").tasks[0]
        assert [found.sentence for found in named.diagnosis] == ["The base of the powers is 3."]
        assert named.fingerprint is None
    finally:
        bank.write_text(before)


def test_an_unknown_cluster_is_refused_with_those_that_there_are(course: Path) -> None:
    done = run(course, "autograder", "misconception", "add", NAME, "--cluster", "ffff")
    assert done.returncode == 2 and str(task(course, "dan-fourths").fingerprint) in done.stderr


def test_code_of_students_is_only_ever_a_comment() -> None:
    found = Course.find(ROOT).assignment(NAME)
    cluster = Cluster("abc", "softmax", ("s",), 1.0)
    for line_end in ("\n", "\r", "\x0b", "\x0c", "\x85", "\u2028"):
        entry = bank_entry(found, cluster, f"x = 1{line_end}raise SystemExit{line_end}'{{id}}'", ())
        assert "SystemExit" not in ast.dump(ast.parse(entry))
