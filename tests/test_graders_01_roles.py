"""What is special to `01-roles`: drawn questions, typed forms, beliefs, and what guessing is worth."""

import contextlib
import io
import itertools
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from local_student import IDENTITIES, grade, grader_module, reference_names

from autograder.course import Course, is_check, read_cells, source_text
from autograder.grading.batch import grade_batch
from autograder.intake import find_hand_ins
from autograder.report import Record
from autograder.sandbox.levels import choose
from autograder.sandbox.workers import Limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "samples"))

import build  # noqa: E402

NAME = "01-roles"
ASSIGNMENT = Course(ROOT).assignment(NAME)
POINTS = {"roles": 6, "order": 6, "flip": 4, "recipe": 4, "shuffle": 4, "nobody": 3, "statements": 7, "build": 6}
ANSWERS = grader_module(NAME, "answers")
BELIEFS = grader_module(NAME, "beliefs").BELIEFS
NAMES = reference_names(NAME)
REFERENCE = SimpleNamespace(**NAMES)
TYPED = {*POINTS, "student_id", "flip_prediction", "nobody_prediction"}
SUPPLIED = {name: value for name, value in NAMES.items() if name not in TYPED}
MANY_IDS = [f"student-{number}" for number in range(200)]


def tell(task: str, text: str) -> Any:
    return grade(NAME, task, text, 0, dict(SUPPLIED))


def answer(**typed: Any) -> str:
    return "\n".join(f"{name} = {value!r}" for name, value in {"student_id": "ada", **typed}.items())


def key(task: str, student: str = "ada") -> Any:
    return grader_module(NAME, f"test_{task}").right(REFERENCE, REFERENCE.variant(student, task))


# ------------------------------------------------------------------------------------------------------ answers


def test_the_tasks_are_those_of_the_course():
    assert {task.name: task.points for task in ASSIGNMENT.tasks} == POINTS


@pytest.mark.parametrize("task", POINTS)
def test_right_answers_of_any_form_earn_everything(task):
    for owner in ("ada", "ada@example.org", "4711"):
        right = {**ANSWERS.drawn(task, REFERENCE, owner), **ANSWERS.RIGHT.get(task, {})}
        assert len(right) >= 4
        for style, text in right.items():
            outcome = tell(task, text)
            assert outcome.points == POINTS[task], (style, owner, outcome.said)
            assert (outcome.remarks.beliefs, outcome.remarks.reviews) == ([], []), style


NAMED = [(task, name) for task, wrong in ANSWERS.WRONG.items() for name in wrong if name in BELIEFS]


@pytest.mark.parametrize(("task", "name"), NAMED)
def test_a_belief_is_named_from_the_option_that_it_stands_behind(task, name):
    _, text = ANSWERS.WRONG[task][name]
    assert [belief.id for belief in tell(task, text).remarks.beliefs] == [name]


def test_the_course_answers_its_own_questions():
    for task, points in POINTS.items():
        outcome = grade(NAME, task, "", 0, dict(NAMES))
        assert outcome.points == points, outcome.said


@pytest.mark.parametrize("task", [task for task in POINTS if task != "build"])
def test_without_an_id_there_was_no_question(task):
    text = next(iter(ANSWERS.drawn(task, REFERENCE, "ada").values()))
    assert tell(task, text + "\nstudent_id = ' '").points == 0


def test_any_id_of_the_owner_is_fine_and_another_one_is_reviewed():
    for owner in [*IDENTITIES, " ADA ", "Ada@Example.org", "ada@uni.edu"]:
        outcome = tell("order", ANSWERS.drawn("order", REFERENCE, owner)["text"])
        assert (outcome.points, outcome.remarks.reviews) == (6, [])
    outcome = tell("order", ANSWERS.drawn("order", REFERENCE, "bob")["text"])
    assert outcome.points == 6
    assert len(outcome.remarks.reviews) == 1


def test_a_number_as_id_is_an_id():
    assert tell("order", f"student_id = 4711\norder = {key('order', '4711')!r}").points == 6


NO_ANSWERS = ["None", "3", "True", "''", "[]", "{}", "'AAAAAA'", "[[[[[['A']]]]]]", "10**400", "float('nan')", "print"]


@pytest.mark.parametrize("source", [*NO_ANSWERS, "'x' * 10**6", "np.zeros((900, 900))"])
def test_what_is_no_answer_earns_nothing_and_gets_the_form_that_is_wanted(source):
    for task in POINTS:
        names = [task, f"{task}_prediction"] if task in ("flip", "nobody") else [task]
        outcome = tell(task, "student_id = 'ada'\n" + "\n".join(f"{name} = {source}" for name in names))
        assert outcome.points == 0, task
        assert all(" wanted" in said for said in outcome.said.values()), outcome.said


def test_a_prediction_earns_its_point_whatever_comes():
    for letter in "ABC":
        assert tell("nobody", answer(nobody_prediction=letter)).points == 1
    words = REFERENCE.variant("ada", "flip")["words"]
    assert tell("flip", answer(flip_prediction=[words[1], words[1]])).points == 1
    assert tell("flip", answer(flip_prediction=["it", "it"])).points == 0


# ------------------------------------------------------------------------------------------------------ guessing


def guesses(rng: np.random.Generator, student: str, vocabulary: list[str]) -> dict[str, dict[str, Any]]:
    """Draw uniformly among the well-formed answers to each task."""

    def some(pool: Any, count: int, replace: bool = False) -> list[Any]:
        return [pool[place] for place in rng.choice(len(pool), size=count, replace=replace)]

    words = sorted(set(REFERENCE.variant(student, "flip")["words"]))
    rows = [(f"word{row}", *some(vocabulary, 2, True)) for row in range(rng.integers(5, 9))]
    return {
        "roles": {"roles": ["".join(some("ABCD", 3)) for _ in range(3)]},
        "order": {"order": "".join(some("ABCDEFGH", 6))},
        "flip": {"flip_prediction": some(words, 2, True), "flip": some(words, 2, True)},
        "recipe": {"recipe": "".join(some("ABCD", 2, True))},
        "shuffle": {"shuffle": some(range(101), 8, True)},
        "nobody": {"nobody_prediction": some("ABC", 1)[0], "nobody": some("ABCDEF", 1)[0]},
        "statements": {"statements": [f"{verdict}{some('1234567', 1)[0]}" for verdict in some("TF", 6, True)]},
        "build": {"build": [*rows, *(f"need: {asked}" for asked in some(vocabulary, 2, True))]},
    }


def test_a_guesser_expects_less_than_15_percent():
    """In `build`, whose words are free, the guesser draws labels and needs from the same few key words."""
    rng = np.random.default_rng(5)
    vocabulary = [f"tag{number}" for number in range(8)]
    earned = {task: [] for task in POINTS}
    for student in [f"guesser-{number}" for number in range(250)]:
        for task, typed in guesses(rng, student, vocabulary).items():
            outcome = tell(task, answer(**{"student_id": student, **typed}))
            assert not any(" wanted" in said for said in outcome.said.values()), outcome.said
            earned[task].append(outcome.points)
    totals = np.sum(list(earned.values()), axis=0)
    error = totals.std() / np.sqrt(len(totals))
    assert totals.mean() + 3 * error < 0.15 * sum(POINTS.values()), {task: np.mean(got) for task, got in earned.items()}


def test_the_place_of_the_right_option_tells_nothing():
    places = {
        "roles": (Counter(triple[0] for student in MANY_IDS for triple in key("roles", student)), 4),
        "order": (Counter(key("order", student)[0] for student in MANY_IDS), 8),
        "recipe": (Counter(letter for student in MANY_IDS for letter in key("recipe", student)), 4),
        "nobody": (Counter(key("nobody", student) for student in MANY_IDS), 6),
        "verdicts": (Counter(pair[0] for student in MANY_IDS for pair in key("statements", student)), 2),
        "ideas": (Counter(pair[1] for student in MANY_IDS for pair in key("statements", student)), 7),
    }
    for name, (counts, options) in places.items():
        assert len(counts) == options, name
        mean = counts.total() / options
        assert max(counts.values()) < mean + 6 * np.sqrt(mean), (name, counts)


# -------------------------------------------------------------------------------------------- questions and keys


def test_the_pools_are_large_and_sorted():
    pools = NAMES["POOLS"]
    assert len(pools["roles"]) >= 8 and len(pools["scenes"]) >= 8 and len(pools["statements"]) >= 18
    for pool in (pools, *pools.values()):
        assert list(pool) == sorted(pool)
    for options in [*pools["reasons"], *(entry[1] for entry in (*pools["roles"], *pools["order"]))]:
        assert list(options) == sorted(options)


def test_every_question_of_the_pools_has_its_key_and_nothing_else_has():
    pools = NAMES["POOLS"]
    roles, order = grader_module(NAME, "roles_key").KEY, grader_module(NAME, "order_key").KEY
    assert [setting for setting, _ in pools["roles"]] == sorted(roles)
    for setting, phrases in pools["roles"]:
        assert len(phrases) == 4 and len(set(roles[setting][0]) & set(phrases)) == 3
    assert [about for about, _ in pools["order"]] == sorted(order)
    for about, steps in pools["order"]:
        assert list(steps) == sorted([*order[about][0], *order[about][1]])
    statements = grader_module(NAME, "statements_key").KEY
    assert list(pools["statements"]) == sorted(statements)
    assert set(pools["ideas"]) == {idea for _, idea, _ in statements.values()}
    reasons = grader_module(NAME, "nobody_key")
    for options in pools["reasons"]:
        assert len(reasons.RIGHT & set(options)) == 1 and len(reasons.WRONG.keys() & set(options)) == 5
    assert sorted(itertools.chain(*pools["reasons"])) == sorted([*reasons.RIGHT, *reasons.WRONG])


def test_every_belief_stands_behind_an_option_and_reads_well():
    keyed = {belief for _, belief in grader_module(NAME, "roles_key").KEY.values()}
    keyed |= {belief for _, false in grader_module(NAME, "order_key").KEY.values() for belief in false.values()}
    keyed |= {belief for _, _, belief in grader_module(NAME, "statements_key").KEY.values()}
    keyed |= set(grader_module(NAME, "nobody_key").WRONG.values())
    assert keyed | {"all_equal", "label_stays"} == set(BELIEFS)
    for belief in BELIEFS.values():
        assert belief.sentence.startswith("This answer fits the belief that ") and belief.sentence.endswith(".")
        assert belief.example.endswith(".")


def test_each_drawn_need_has_what_its_question_promises():
    for student in MANY_IDS:
        flip = REFERENCE.variant(student, "flip")
        for labels, needs in ((flip["labels"], flip["needs"]), (flip["traded"], flip["asked"])):
            assert all(np.sort(REFERENCE.shares(asked, labels))[-2:].tolist()[1] > 0.8 for asked in needs)
        recipe = REFERENCE.variant(student, "recipe")
        for beliefs in grader_module(NAME, "test_recipe").held(REFERENCE, recipe):
            assert sorted(beliefs.values(), key=str) == [None, "all_equal", "replaced", "winner_takes_all"]
        nobody = REFERENCE.variant(student, "nobody")
        assert np.allclose(REFERENCE.shares(nobody["need"], nobody["labels"]), 1 / 8)
        shuffle = REFERENCE.variant(student, "shuffle")
        assert sorted(shuffle["words"]) == sorted(shuffle["shuffled"])
        assert all(old != new for old, new in zip(shuffle["words"], shuffle["shuffled"], strict=True))


def test_questions_are_the_students_own_and_always_the_same():
    for task in POINTS.keys() & NAMES["VARIANTS"].keys():
        drawn = {repr(REFERENCE.variant(student, task)) for student in MANY_IDS}
        assert len(drawn) > 150, task
        assert REFERENCE.variant(" ADA ", task) == REFERENCE.variant("ada", task)
    code = f"exec({ASSIGNMENT.locked_cells()['variants']!r}); print([variant('ada', task) for task in VARIANTS])"
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_the_engine_is_the_one_that_the_next_notebook_teaches():
    rng = np.random.default_rng(3)
    taught = reference_names("02-attend")
    for tokens, width, values in ((5, 3, 4), (1, 2, 2), (4, 4, 4)):
        roles = rng.normal(size=width) * 3, rng.normal(size=(tokens, width)), rng.normal(size=(tokens, values))
        for got, wanted in zip(REFERENCE.attend(*roles), taught["attend"](*roles), strict=True):
            assert np.allclose(got, wanted, rtol=1e-12)
    lesson = ["filler", "alive", "action", "filler", "drinkable", "filler", "pointer", "being"]
    assert np.allclose(REFERENCE.shares("alive", lesson), taught["attend"]([4, 0, 0], taught["E"], taught["E"])[1])


def test_both_notebooks_read_an_id_in_the_same_way():
    def reads(name: str) -> str:
        cell = Course(ROOT).assignment(name).locked_cells()["variants"]
        return cell[cell.index("def normalise_id") : cell.index("def variant")]

    assert reads("01-roles") == reads("02-attend")


# ------------------------------------------------------------------------------------------------ in the notebook


def run(replaced: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Run the release with some cells replaced; return what each cell wrote to stdout and to stderr."""
    names: dict[str, Any] = {}
    out, err = {}, {}
    for cell in read_cells(ASSIGNMENT.release, ""):
        if cell["cell_type"] == "code":
            stdout, stderr = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr), contextlib.suppress(NameError):
                exec(replaced.get(cell["id"], source_text(cell)), names)
            out[cell["id"]], err[cell["id"]] = stdout.getvalue(), stderr.getvalue()
    return out, err


def cells(**typed: Any) -> dict[str, str]:
    names = {"student_id": "student-id", "flip_prediction": "flip-prediction", "nobody_prediction": "nobody-prediction"}
    given = {"student_id": "ada", **typed}
    return {names.get(name, f"{name}-answer"): f"{name} = {value!r}" for name, value in given.items()}


CHECKS = [cell["id"] for cell in read_cells(ASSIGNMENT.release, "") if is_check(cell)]


def test_a_check_tells_whether_the_form_is_right_and_never_whether_the_answer_is():
    rng = np.random.default_rng(1)
    guess = {name: value for typed in guesses(rng, "ada", ["alive", "metal"]).values() for name, value in typed.items()}
    right = {task: key(task) for task in POINTS if task != "build"}
    predictions = {"flip_prediction": guess["flip_prediction"], "nobody_prediction": "C"}
    for typed in (guess, {**right, **predictions, "build": ANSWERS.ROWS + ["need: alive", "need: mood"]}):
        out, err = run(cells(**typed))
        assert set(err.values()) == {""}
        assert all("form is right" in out[check].lower() for check in CHECKS), out


def test_the_blank_notebook_asks_for_the_id_and_says_nothing_else():
    out, err = run({})
    for task in POINTS:
        assert err[task].count("\n") == 1
        if task != "build":
            assert "student id" in out[f"{task}-shown"] and "student id" in err[task]


@pytest.mark.parametrize("typed", ["A", 3, None, [1, 2], {"A"}, print, (("",),), "word | label"])
def test_a_malformed_answer_gets_one_sentence_with_the_form(typed):
    source = {task: f"{task} = typed" for task in POINTS}
    replaced = {"student-id": f"student_id = 'ada'\ntyped = {'print' if typed is print else repr(typed)}"}
    replaced |= {f"{task}-answer": text for task, text in source.items()}
    _, err = run(replaced)
    for task in POINTS:
        if (task, typed) != ("nobody", "A"):
            assert err[task].count("\n") == 1 and "wanted" in err[task], (task, err[task])


def test_a_cell_without_quotes_stops_alone_and_the_check_still_tells_the_form():
    _, err = run({**cells(order=key("order")), "roles-answer": "roles = [ABC, BCD, CAB]"})
    assert "wanted" in err["roles"]
    assert err["order"] == ""


def test_a_run_waits_for_the_prediction():
    out, _ = run(cells())
    assert "#" not in out["flip-run"] + out["nobody-run"]
    out, _ = run(cells(flip_prediction=REFERENCE.variant("ada", "flip")["words"][:2], nobody_prediction="a"))
    assert out["flip-run"].count("#") > 60 and out["nobody-run"].count("#") == 8 * 5


# ---------------------------------------------------------------------------------------------- the real pipeline


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    folder = tmp_path_factory.mktemp("class")
    submitted = build.build_samples(ROOT, folder / "submitted", NAME)
    graded = grade_batch(ASSIGNMENT, find_hand_ins(submitted, NAME), folder / "reports", Limits(), choose())
    return {record.student: record for record in graded}


EXPECTED = build.expectations(ROOT, NAME)


@pytest.mark.parametrize("student", sorted(EXPECTED))
def test_every_hand_in_gets_what_it_deserves(records, student):
    record = records[student]
    assert EXPECTED[student].complaint(record.status, record.score) is None, record.output_tail
    assert not [finding for finding in record.findings if finding.code == "grader_error"]


def test_beliefs_reach_the_record_as_diagnoses(records):
    def beliefs(student: str, task: str) -> list[str]:
        return [found.id for entry in records[student].tasks if entry.name == task for found in entry.diagnosis]

    assert beliefs("fritz-winner-takes-all", "recipe") == ["winner_takes_all"]
    assert beliefs("fritz-winner-takes-all", "shuffle") == ["nothing_for_the_rest"]
    assert beliefs("gwen-swaps-label-and-contents", "roles") == ["word_is_all"]
    assert not any(entry.diagnosis for entry in records["amir-as-asked"].tasks)
