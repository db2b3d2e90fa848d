"""What is special to `03-bilinear`: measured constructions, exact counts, columns for rows, and a mark by hand."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from local_student import grade, grader_module, reference_names

from autograder.course import Course
from autograder.grading.batch import load_models
from autograder.grading.diagnosis import diagnose
from autograder.report import Record, TaskResult, read_record

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "samples"))

import build  # noqa: E402

NAME = "03-bilinear"
ASSIGNMENT = Course(ROOT).assignment(NAME)
EXPECTED = build.expectations(ROOT, NAME)
MODELS = load_models(ASSIGNMENT)
BY_HAND = "reflection"


def tell(task: str, text: str, seed: int = 0) -> Any:
    return grade(NAME, task, text, seed, dict(reference_names(NAME)))


def named(task: str, outcome: Any) -> list[str]:
    return [found.id for found in diagnose(task, outcome.calls, MODELS)]


# ------------------------------------------------------------------------------------------------- constructions


@pytest.mark.parametrize("seed", range(12))
def test_any_factors_of_the_best_product_are_right(seed: int) -> None:
    text = f"""
rng = np.random.default_rng({seed})
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    G = np.linalg.qr(rng.normal(size=(d_k, d_k)))[0] * rng.uniform(0.1, 9, size=d_k)
    return U[:, :d_k] * s[:d_k] @ G, Vh[:d_k].T @ np.linalg.inv(G).T
"""
    outcome = tell("bottleneck", text, seed)
    assert (outcome.points, named("bottleneck", outcome)) == (8, [])


@pytest.mark.parametrize(("share", "right"), [(1e-10, True), (1e-6, False)])
def test_a_head_may_be_off_by_rounding_but_not_by_more(share: float, right: bool) -> None:
    text = f"""
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    return U[:, :d_k] * s[:d_k] * (1 + {share}), Vh[:d_k].T
"""
    assert tell("bottleneck", text).passed["test_exact"] == right


@pytest.mark.parametrize("seed", range(12))
def test_any_head_of_the_rank_is_right(seed: int) -> None:
    text = f"""
rng = np.random.default_rng({seed})
def head_of_rank(d_model, d_k, r):
    if not 0 <= r <= min(d_model, d_k):
        raise ValueError
    core = rng.uniform(0.5, 2, size=(r, 1)) * np.eye(r, d_k)
    turn, G = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (d_model, d_k))
    return turn[:, :r] @ core @ G, rng.permutation(turn)[:, :r] @ core @ G
"""
    assert tell("rank_build", text, seed).points == 6


@pytest.mark.parametrize(
    ("construction", "right"),
    [
        ("np.eye(2), np.array([[1.000001], [0]]), np.array([[0], [1]])", True),
        ("np.eye(2), np.array([[1], [0]]), np.array([[0], [1]])", False),
        ("np.eye(2), 1e6 * np.eye(2), 1e6 * np.eye(2)", False),
        ("np.array([[1.0], [3.0]]), np.array([[2.0]]), np.array([[5.0]])", False),
        ("np.array([[0.0, 0], [1, 1]]), np.array([[1.0], [0]]), np.array([[0.0], [1]])", False),
        ("np.array([[1.0, 1], [0, -3]]), np.array([[1], [0]]), np.array([[0], [-1]])", True),
        ("np.eye(2, dtype='f4'), np.eye(2, dtype='f4'), np.array([[0, 0], [2, 0]])", True),
        ("[[10**20, 0], [0, 1]], [[1], [0]], [[0], [1]]", True),
        ("np.eye(2, 40), np.eye(40, 7), np.roll(2 * np.eye(40, 7), 1, axis=0)", True),
    ],
)
def test_delhi_and_capital_are_judged_by_their_scores(construction: str, right: bool) -> None:
    outcome = tell("asymmetry", f"def delhi_capital(): return {construction}")
    assert outcome.passed["test_delhi"] == right, outcome.said
    assert (outcome.points == 8) == right


# -------------------------------------------------------------------------------------------------------- values


def test_heads_that_are_drawn_have_ranks_that_nobody_can_doubt() -> None:
    module = grader_module(NAME, "test_rank")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        for W_q, W_k, rank in (
            (*module.narrow(rng, 6, 4, 3, 3), 2),
            (*module.apart(rng, 6, 3), 3),
            (*module.faint(rng, 7, 4, 3), 3),
        ):
            for form in (W_q @ W_k.T, np.einsum("ic,jc->ji", W_q, W_k)):
                assert np.linalg.matrix_rank(form) == rank
                for tolerance in (1e-12, 1e-9, 1e-6):
                    assert np.linalg.matrix_rank(form, rtol=tolerance) == rank


def test_counts_have_to_be_exact_beyond_what_a_float_holds() -> None:
    text = """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        if d_model % n_heads:
            raise ValueError
        d_k = d_model // n_heads
    factored, full = int(2.0 * d_model * d_k), int(float(d_model) ** 2)
    return factored, full, factored < full
"""
    outcome = tell("parameters", text)
    assert [group for group, passed in outcome.passed.items() if not passed] == ["test_exact"]


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("w_qk", "def w_qk(W_Q, W_K): return np.asarray(W_Q).T @ np.asarray(W_K)"),
        ("bilinear_scores", "def bilinear_scores(X, W): return np.asarray(X).T @ np.asarray(W) @ np.asarray(X)"),
        ("ov", "def w_ov(W_V, W_O): return np.asarray(W_O) @ np.asarray(W_V)"),
    ],
)
def test_columns_for_rows_are_told_as_what_they_are(task: str, text: str) -> None:
    found = diagnose(task, tell(task, text).calls, MODELS)
    assert [diagnosis.id for diagnosis in found] == ["elhage_columns"]
    assert "columns" in found[0].sentence and "rows" in found[0].sentence and "Elhage" in found[0].sentence


@pytest.mark.parametrize(
    ("task", "text", "faults"),
    [
        (
            "w_qk",
            "def w_qk(q, k): return np.asarray(k) @ np.asarray(q).T / np.shape(q)[1] ** 0.5",
            {"k_qT", "scaled"},
        ),
        (
            "bottleneck",
            "def best_head(M, k): U, s, V = np.linalg.svd(M); return V[:k].T, U[:, :k]",
            {"swapped", "no_strengths"},
        ),
        (
            "asymmetry",
            "def asymmetry(M): M = np.asarray(M, float); return np.linalg.norm(M - M.T) / np.linalg.norm(M)\n"
            "def delhi_capital(): return np.eye(2), np.eye(2), np.eye(2)",
            {"no_half", "nan_at_zero", "symmetric"},
        ),
        (
            "ov",
            "def w_ov(V, O): return (np.asarray(V) @ np.asarray(O)).T\n"
            "def head_output(A, X, W): return np.asarray(A).T @ np.asarray(X) @ np.asarray(W)",
            {"transposed", "weights_T"},
        ),
    ],
)
def test_several_faults_are_named_together(task: str, text: str, faults: set[str]) -> None:
    assert set(named(task, tell(task, text))) == faults


FILLS = {
    "zeros": "FILL = np.zeros",
    "ones": "FILL = np.ones",
    "noise": "FILL = np.random.default_rng(0).random",
    "identity": "def FILL(shape): return np.eye(*np.broadcast_to(shape, 2)) if shape else 1.0",
}
SHAPED = {
    "w_qk": "def w_qk(q, k): return FILL((len(q), len(q)))",
    "bilinear_scores": "def bilinear_scores(X, W): return FILL((len(X), len(X)))",
    "rank": "def head_rank(q, k): return int(np.sum(FILL((1, 2))))",
    "rank_build": "def head_of_rank(d, k, r): return FILL((d, k)), FILL((d, k))",
    "asymmetry": """
def asymmetry(M): return float(FILL(()))
def delhi_capital(): return FILL((2, 2)), FILL((2, 2)), FILL((2, 2))
""",
    "bottleneck": "def best_head(M, k): return FILL((len(M), k)), FILL((len(M), k))",
    "ov": "def w_ov(v, o): return FILL((len(v), len(v)))\ndef head_output(A, X, W): return FILL(np.shape(X))",
}


@pytest.mark.parametrize("task", SHAPED)
@pytest.mark.parametrize("fill", FILLS)
def test_garbage_of_the_right_shape_earns_nothing(task: str, fill: str) -> None:
    for seed in range(3):
        outcome = tell(task, f"{FILLS[fill]}\n{SHAPED[task]}", seed)
        assert outcome.points == 0, outcome.passed


# --------------------------------------------------------------------------------------------- the written answer


def autograder(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograder", *map(str, arguments)]
    environment = {**os.environ, "AUTOGRADER_SECRET": "tests", "COLUMNS": "200"}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)


@dataclass
class Graded:
    folder: Path
    done: subprocess.CompletedProcess[str]

    def record(self, student: str) -> Record:
        return read_record(self.folder / "reports" / NAME / "records" / f"{student}.json")

    def task(self, student: str, name: str) -> TaskResult:
        return next(task for task in self.record(student).tasks if task.name == name)

    @property
    def database(self) -> str:
        return f"sqlite:///{self.folder / 'gradebook.db'}"


def run(folder: Path) -> Graded:
    places = ["--submitted", folder / "submitted", "--reports", folder / "reports"]
    return Graded(folder, autograder("grade", NAME, *places, "--db", f"sqlite:///{folder / 'gradebook.db'}"))


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = tmp_path_factory.mktemp("class")
    build.build_samples(ROOT, folder / "submitted", NAME)
    return run(folder)


def test_pending_marks_are_no_reason_to_look(graded: Graded) -> None:
    assert graded.done.returncode == 0, graded.done.stdout + graded.done.stderr
    assert f"{len(EXPECTED)} manual marks pending" in graded.done.stdout


@pytest.mark.parametrize("student", sorted(EXPECTED))
def test_every_hand_in_gets_what_it_deserves(graded: Graded, student: str) -> None:
    record = graded.record(student)
    assert EXPECTED[student].complaint(record.status, record.score) is None, record.output_tail


def test_a_written_answer_is_never_scored_not_even_an_empty_one(graded: Graded) -> None:
    for student in EXPECTED:
        result = graded.task(student, BY_HAND)
        assert (result.manual, result.score, result.points, result.groups) == (True, None, 4, [])
        assert graded.record(student).max_score == 60


def test_the_student_reads_that_the_written_answer_waits(graded: Graded) -> None:
    shown = autograder("show", "ada-vectorised", NAME, "--reports", graded.folder / "reports")
    assert shown.returncode == 0, shown.stderr
    assert "56 of 60 points, 4 of them wait for a manual mark" in shown.stdout
    assert "reflection  waits for a manual mark / 4" in shown.stdout


@pytest.mark.parametrize(("student", "task", "faults"), [
    ("iris-columns", "w_qk", ["elhage_columns"]), ("iris-columns", "rank_build", ["transposed"]),
    ("jan-transposed", "w_qk", ["k_qT"]), ("kim-bounds", "rank", ["min_of_ranks"]),
    ("kim-bounds", "parameters", ["ge"]), ("lea-svd-trap", "bottleneck", ["vt_columns"]),
    ("lea-svd-trap", "asymmetry", ["no_half", "reversed"]), ("lea-svd-trap", "rank", ["abs_tol"]),
    ("max-two-faults", "w_qk", ["k_qT", "scaled"]), ("ada-vectorised", "w_qk", []),
])  # fmt: skip
def test_faults_are_named_through_the_sandbox(graded: Graded, student: str, task: str, faults: list[str]) -> None:
    assert [diagnosis.id for diagnosis in graded.task(student, task).diagnosis] == faults


def test_a_rank_that_builds_on_a_wrong_form_is_not_lost_as_well(graded: Graded) -> None:
    rank = graded.task("iris-columns", "rank")
    assert (rank.score, rank.followed_through) == (8, True)


def test_the_gradebook_asks_for_the_mark_and_keeps_it(graded: Graded) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(graded.database) as gradebook:
        blank = gradebook.find_grade(BY_HAND, NAME, NAME, "yara-blank")
        assert (blank.auto_score, blank.manual_score, blank.needs_manual_grade) == (None, None, True)
        assert (blank.max_score, blank.cell.cell_type) == (4, "markdown")
        assert not gradebook.find_grade("w_qk", NAME, NAME, "yara-blank").needs_manual_grade
        marked = gradebook.find_grade(BY_HAND, NAME, NAME, "ada-vectorised")
        marked.manual_score, marked.needs_manual_grade = 3, False
        gradebook.find_comment(BY_HAND, NAME, NAME, "ada-vectorised").manual_comment = "three of the four points"
        gradebook.db.commit()
    assert run(graded.folder).done.returncode == 0
    with Gradebook(graded.database) as gradebook:
        assert gradebook.find_submission(NAME, "ada-vectorised").score == 59
        assert gradebook.find_submission(NAME, "yara-blank").score == 0
        comment = gradebook.find_comment(BY_HAND, NAME, NAME, "ada-vectorised")
        assert comment.comment == "three of the four points"


def test_the_mark_scheme_stays_with_the_instructor() -> None:
    def cell(path: Path) -> str:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return "".join(next(c["source"] for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id") == BY_HAND))

    assert cell(ASSIGNMENT.release) == "YOUR ANSWER HERE"
    assert "Mark scheme (4 points" in cell(ASSIGNMENT.source)
    assert "Mark scheme" not in ASSIGNMENT.release.read_text(encoding="utf-8")
