"""A release is what nbgrader makes of the source, gives nothing away, and always runs to its end."""

import contextlib
import io
import json
import runpy
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course import Assignment, Course, is_check, read_cells, source_text
from autograder.errors import CourseError
from autograder.host.release import MARKERS, given_away_early, release, solution_lines

ROOT = Path(__file__).resolve().parent.parent
COURSE = Course(ROOT)
ASSIGNMENTS = COURSE.assignments()
ATTEND = COURSE.assignment("02-attend")

each_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda assignment: assignment.name)


Ran = tuple[dict[str, Any], dict[str, str], dict[str, str]]


def run(path: Path, replaced: dict[str, str] | None = None) -> Ran:
    """Run the code cells in a plain namespace; return it, and what each cell wrote to stdout and stderr."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    out, err = {}, {}
    for cell in read_cells(path, ""):
        if cell["cell_type"] != "code":
            continue
        stdout, stderr = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            source = (replaced or {}).get(cell["id"], source_text(cell))
            exec(compile(source, cell["id"], "exec"), namespace)
        out[cell["id"]], err[cell["id"]] = stdout.getvalue(), stderr.getvalue()
    return namespace, out, err


def checks(assignment: Assignment) -> list[str]:
    return [cell["id"] for cell in read_cells(assignment.source, "") if is_check(cell)]


def copy_course(folder: Path) -> Course:
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    shutil.copytree(ROOT / "source" / "02-attend", folder / "source" / "02-attend")
    return Course(folder)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    shutil.copytree(ROOT / "source", folder / "source")
    for assignment in ASSIGNMENTS:
        release(Course(folder), assignment.name)
    return folder / "assignments"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@each_assignment
def test_the_committed_release_is_the_generated_one(assignment: Assignment, released: Path) -> None:
    committed, generated = files(assignment.release.parent), files(released / assignment.name)
    assert committed.keys() == generated.keys()
    for name in generated:
        assert committed[name] == generated[name], f"{name} is stale: release {assignment.name} again"


def test_nothing_else_is_left_beside_the_releases(released: Path) -> None:
    assert sorted(path.name for path in released.iterdir()) == [assignment.name for assignment in ASSIGNMENTS]


@each_assignment
def test_a_release_gives_nothing_away(assignment: Assignment) -> None:
    text = "\n".join(source_text(cell) for cell in read_cells(assignment.release, ""))
    secrets = [line for _, line in solution_lines(assignment)]
    assert secrets
    secrets += [*MARKERS, "autograder.grading", "misconception"]
    secrets += [path.stem for path in assignment.graders.glob("*_*.py")]  # others are plain words
    for key in assignment.graders.glob("reading_key.py"):
        secrets += [belief for _, belief in runpy.run_path(str(key))["KEY"].values()]
    for bank in assignment.graders.glob("beliefs.py"):
        for belief in runpy.run_path(str(bank))["BELIEFS"].values():
            secrets += [belief.sentence, belief.example]
    assert [secret for secret in secrets if secret in text] == []


@each_assignment
def test_cell_ids_and_empty_outputs(assignment: Assignment) -> None:
    for path in (assignment.source, assignment.release):
        cells = read_cells(path, "")
        assert max(Counter(cell["id"] for cell in cells).values()) == 1
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@each_assignment
def test_the_release_runs_to_its_end_and_each_check_says_one_sentence(assignment: Assignment) -> None:
    _, _, err = run(assignment.release)
    for name in checks(assignment):
        assert err.pop(name).count("\n") == 1, name
    assert set(err.values()) == {""}


@each_assignment
def test_the_source_runs_without_a_word_on_stderr(assignment: Assignment) -> None:
    _, _, err = run(assignment.source)
    assert set(err.values()) == {""}


@each_assignment
def test_checks_survive_whatever_students_define(assignment: Assignment) -> None:
    namespace, _, _ = run(assignment.source)
    reference = {name: value for name, value in namespace.items() if not name.startswith("_")}
    functions = [name for name in task_names(assignment) if callable(reference.get(name))]

    def raises(*args: object, **kwargs: object) -> None:
        raise NotImplementedError

    def stops(*args: object, **kwargs: object) -> None:
        raise ValueError("first line\nsecond line")

    def leaves(*args: object, **kwargs: object) -> None:
        raise SystemExit(3)

    results = ["text", [[1], [2, 3]], (np.nan,) * 3, np.array([1j]), np.full(8, 1j), {}, (None, None), True]
    odd = [None, 3, "text", raises, stops, leaves]
    odd += [lambda *args, result=result: result for result in results]
    sources = {cell["id"]: source_text(cell) for cell in read_cells(assignment.source, "") if is_check(cell)}
    for value in odd:
        namespace.update(dict.fromkeys(functions, value))
        for name, source in sources.items():
            stderr = io.StringIO()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(stderr):
                exec(compile(source, name, "exec"), namespace)
            assert stderr.getvalue().count("\n") <= 1, (name, value)


def task_names(assignment: Assignment) -> list[str]:
    """Return the names that students define, read off the answers' `def` lines."""
    answers = [source_text(c) for c in read_cells(assignment.source, "") if c["id"].endswith("-answer")]
    lines = [line for text in answers for line in text.splitlines()]
    return [line.split("(")[0].removeprefix("def ") for line in lines if line.startswith("def ")]


# ---------------------------------------------------------------- 02-attend


@pytest.fixture(scope="module")
def attend_names() -> dict[str, Any]:
    return run(ATTEND.source)[0]


def test_the_lessons_figures_are_reproduced(attend_names: dict[str, Any]) -> None:
    attend, table = attend_names["attend"], attend_names["E"]
    blend, weights = attend([4, 0, 0], table, table)
    assert [f"{weight:.3f}" for weight in weights] == ["0.016", "0.886", *["0.016"] * 6]
    assert [f"{entry:.3f}" for entry in blend] == ["0.886", "0.016", "0.049"]
    assert f"{blend.sum():.3f}" == "0.951"
    blend, weights = attend([0, 4, 0], table, table)
    assert f"{weights[4]:.3f}" == "0.886"
    assert [f"{entry:.3f}" for entry in blend] == ["0.016", "0.886", "0.049"]


def test_nobody_wins_without_a_plural(attend_names: dict[str, Any]) -> None:
    slots, query = attend_names["add_plural_slot"](attend_names["E"], [False] * 8)
    assert np.array_equal(attend_names["weights_by_identity"](query, slots), np.full(8, 0.125))


def test_the_reference_softmax_is_general_and_stable(attend_names: dict[str, Any]) -> None:
    softmax = attend_names["softmax"]
    x = np.array([[[1000, 0, -2000]], [[1, 2, 3]]])
    before = x.copy()
    for axis in (0, 1, 2, -1):
        shares = softmax(x, axis=axis)
        assert np.isfinite(shares).all()
        assert np.allclose(shares.sum(axis=axis), 1)
    assert np.array_equal(x, before)
    assert np.allclose(softmax([[1, 2], [3, 5]])[1, 1] / softmax([[1, 2], [3, 5]])[1, 0], np.exp(2))


def candidates(softmax: Callable[..., Any]) -> tuple[list[Callable[..., Any]], list[Callable[..., Any]]]:
    def loops(query: Any, keys: Any, values: Any) -> list[Any]:
        weights = list(softmax([sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]))
        columns = zip(*values, strict=True)
        return [[sum(w * v for w, v in zip(weights, column, strict=True)) for column in columns], weights]

    def mixed(scores: Any, keys: Any, values: Any) -> tuple[Any, Any]:
        weights = softmax(scores)
        return weights @ values, weights

    def raises(q: Any, k: Any, v: Any) -> None:
        raise RuntimeError

    right = [
        loops,
        lambda q, k, v: mixed(np.einsum("td,d->t", k, q), k, v),
        lambda q, k, v: tuple(part.astype(np.float32) for part in mixed(k @ q, k, v)),
    ]
    wrong = [
        lambda q, k, v: ((k @ q) @ v, k @ q),  # no softmax
        lambda q, k, v: mixed((softmax((k * q), 0)).sum(-1), k, v),  # the wrong axis
        lambda q, k, v: mixed(v @ q, k, v),  # scores from the values
        lambda q, k, v: (softmax(k @ q) @ k, softmax(k @ q)),  # blends the keys
        lambda q, k, v: mixed(k @ q, k, v)[::-1],  # swapped
        lambda q, k, v: mixed(k @ q / np.sqrt(k.shape[1]), k, v),  # scaled
        lambda q, k, v: (v[np.argmax(k @ q)], softmax(k @ q)),  # a hard pick
        lambda q, k, v: (v[np.argmax(k @ q)], np.eye(len(k))[np.argmax(k @ q)]),  # with weights to match
        lambda q, k, v: mixed(k @ q, k, v)[0],  # the blend alone
        lambda q, k, v: None,
        raises,
    ]
    return right, wrong


def test_the_reference_check_tells_right_from_wrong(attend_names: dict[str, Any]) -> None:
    check = attend_names["check_attend"]
    right, wrong = candidates(attend_names["softmax"])
    assert [check(candidate) for candidate in [*right, attend_names["attend"]]] == [True] * 4
    assert [check(candidate) for candidate in wrong] == [False] * len(wrong)


def test_pool_and_key_hold_the_same_statements(attend_names: dict[str, Any]) -> None:
    key = runpy.run_path(str(ATTEND.graders / "reading_key.py"))["KEY"]
    pool = attend_names["POOLS"]["reading"]
    assert list(pool) == sorted(key)
    assert Counter(true for true, _ in key.values()) == {True: 10, False: 10}
    assert all(belief.endswith(".") for _, belief in key.values())


def test_the_variant_is_deterministic_and_always_mixed(attend_names: dict[str, Any]) -> None:
    key = runpy.run_path(str(ATTEND.graders / "reading_key.py"))["KEY"]
    variant = attend_names["variant"]
    drawn = Counter()
    for number in range(500):
        mine = variant(f"student{number}", "reading")
        assert "".join(mine) == "ABCDEFGHIJKL"
        assert len(set(mine.values())) == 12
        assert 2 <= sum(key[statement][0] for statement in mine.values()) <= 10
        drawn.update(mine.values())
    assert len(drawn) == 20
    assert min(drawn.values()) > 230  # 300 expected
    assert variant("  Ada@School.example ", "reading") == variant("ada@school.example", "reading")
    assert variant("ada", "reading")["A"] == "The entries of the blend always add up to 1."


def test_the_variant_does_not_hang_on_the_interpreters_hash_seed(attend_names: dict[str, Any]) -> None:
    namespace: dict[str, Any] = {}
    exec(ATTEND.locked_cells()["variants"], namespace)
    assert namespace["variant"]("ada", "reading") == attend_names["variant"]("ada", "reading")


def test_a_typed_id_shows_the_statements_and_the_check_asks_for_the_form_only() -> None:
    def stderr(reading: str) -> str:
        cells = {"student-id": 'student_id = "ada"', "reading-answer": f"reading = {reading}"}
        _, out, err = run(ATTEND.release, cells)
        assert out["reading-statements"].count("\n") == 12
        return err["reading"]

    assert stderr('["A"]') == stderr('("B", "L")') == ""
    for bad in ("[]", '["M"]', '["a"]', '"A"', "None", "[1]", "[[]]", 'list("ABCDEFGHIJKL")'):
        assert stderr(bad).count("\n") == 1


def test_a_changed_input_is_noticed() -> None:
    spoiling = "def softmax(x, axis=-1):\n    x -= x.max()\n    return np.exp(x) / np.exp(x).sum()"
    assert "changes its input" in run(ATTEND.source, {"softmax-answer": spoiling})[2]["softmax"]


def test_the_lessons_softmax_is_told_from_the_general_one() -> None:
    lesson = "def softmax(x, axis=-1):\n    e = np.exp(np.asarray(x) - np.max(x))\n    return e / e.sum()"
    assert "each row" in run(ATTEND.source, {"softmax-answer": lesson})[2]["softmax"]


# ---------------------------------------------------------------- refusing


def edit(course: Course, change: Callable[[dict[str, Any]], None]) -> None:
    path = course.assignment("02-attend").source
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def test_a_solution_line_in_the_text_is_refused_and_the_old_release_stays(tmp_path: Path) -> None:
    course = copy_course(tmp_path)
    path = release(course, "02-attend")
    before = files(path.parent)

    def tell(notebook: dict[str, Any]) -> None:
        notebook["cells"][0]["source"] = "Hint: weights = softmax(Q @ K.T)"

    edit(course, tell)
    with pytest.raises(CourseError, match="a line of the solution 'attend_all-answer'"):
        release(course, "02-attend")
    assert files(path.parent) == before
    assert [entry.name for entry in path.parent.parent.iterdir()] == ["02-attend"]


def test_a_solution_in_a_cell_that_is_none_is_refused(tmp_path: Path) -> None:
    course = copy_course(tmp_path)

    def unmark(notebook: dict[str, Any]) -> None:
        for cell in notebook["cells"]:
            if cell["id"] == "softmax-answer":
                cell["metadata"]["nbgrader"]["solution"] = False

    edit(course, unmark)
    with pytest.raises(CourseError, match="nbgrader cannot release"):
        release(course, "02-attend")
    assert list((tmp_path / "assignments").iterdir()) == []


def test_other_files_are_released_unless_they_tell(tmp_path: Path) -> None:
    course = copy_course(tmp_path)
    folder = tmp_path / "source" / "02-attend"
    (folder / "table.csv").write_text("word,weight\ncat,0.886\n")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "table.csv").write_text("old")
    path = release(course, "02-attend")
    assert sorted(files(path.parent)) == ["02-attend.ipynb", "table.csv"]
    assert files(path.parent)["02-attend.ipynb"] == ATTEND.release.read_bytes()
    (folder / "helper.py").write_text("weights = softmax(Q @ K.T)\n")
    with pytest.raises(CourseError, match=r"helper\.py would be released"):
        release(course, "02-attend")
    assert sorted(files(path.parent)) == ["02-attend.ipynb", "table.csv"]


def test_a_release_that_gives_solutions_away_is_warned_about(tmp_path: Path) -> None:
    from nbgrader.api import Gradebook

    from autograder.host.database import ensure_tables

    course = copy_course(tmp_path)
    later = tmp_path / "source" / "03-later" / "03-later.ipynb"
    later.parent.mkdir()
    notebook = json.loads(ATTEND.source.read_text())
    setup = next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == "setup")
    setup["source"] = "def softmax(x, axis=-1):\n    return x\n"
    later.write_text(json.dumps({**notebook, "cells": [setup]}))
    database = f"sqlite:///{tmp_path / 'gradebook.db'}"
    before, due, after = (datetime(2030, 1, day, tzinfo=UTC) for day in (1, 2, 3))

    assert given_away_early(course, "03-later", database, before) == []  # nobody has set a deadline
    ensure_tables(database)
    with Gradebook(database, "qkv") as gradebook:
        gradebook.add_assignment("02-attend", duedate=due.replace(tzinfo=None))
    (sentence,) = given_away_early(course, "03-later", database, before)
    assert "softmax of 02-attend" in sentence and "2030-01-02 00:00 UTC" in sentence
    assert given_away_early(course, "03-later", database, after) == []
    assert given_away_early(course, "02-attend", database, before) == []
