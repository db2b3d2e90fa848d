"""Mark behaviour groups, and collect what they remark."""

import dataclasses
from types import SimpleNamespace
from typing import Any, cast

import pytest

from autograder.grading import Fault, Group, Mismatch, Model, believe, group, note, review
from autograder.grading.groups import collect_notes, collect_remarks
from autograder.grading.submission import Submission
from autograder.sandbox.student import Call, Notebook, Student


def test_group_marks_a_function_and_leaves_it_callable():
    @group("adds one", points=2, conditional=True, fresh=True, replay=False)
    def add(x):
        return x + 1

    assert add(1) == 2
    assert add.group == Group("adds one", 2, conditional=True, fresh=True, replay=False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        add.group.points = 3


def test_remarks_are_collected_once_and_nest():
    note("dropped")
    review("dropped")
    with collect_remarks() as outer:
        note("one")
        note("one")
        review("look")
        with collect_notes() as inner:
            note("two")
        note("three")
    assert (outer.notes, outer.reviews, inner) == (["one", "three"], ["look"], ["two"])


def test_a_belief_is_remarked_once():
    winner, sure = Fault("winner", "It takes all.", "It does not."), Fault("sure", "It is sure.", "It is not.")
    believe(winner)
    with collect_remarks() as remarks:
        for belief in (winner, sure, winner):
            believe(belief)
    assert remarks.beliefs == [winner, sure]


def test_collecting_ends_with_an_exception():
    with pytest.raises(Mismatch), collect_notes():
        raise Mismatch("no")
    note("dropped")


def test_a_mismatch_is_an_assertion_with_a_sentence():
    assert issubclass(Mismatch, AssertionError)
    assert Mismatch("does not fit").sentence == "does not fit"


def test_bank_types_are_frozen():
    fault = Fault("scaled", "It is scaled.", "4 counts as 2.")
    model = Model("attend", "attend", lambda faults, x: x, (fault,))
    assert model.run(set(), 3) == 3
    assert not fault.note_only
    with pytest.raises(dataclasses.FrozenInstanceError):
        fault.id = "other"


@pytest.mark.parametrize("replay", [True, False])
def test_calls_of_a_group_without_replay_leave_no_trace(replay: bool) -> None:
    calls: list[Call] = []
    notebook = SimpleNamespace(supplied={}, ask=lambda *args, **content: {"value": 1}, dead={"g"})
    submission = cast(Submission, SimpleNamespace(judged={}, beliefs={}, _find=None))

    @group("asks once", points=1, replay=replay)
    def ask(student: Any) -> None:
        assert student.f(1) == 1
        notebook.dead.add("f")

    Submission.judge(submission, "task", "own", "ask", ask, {"student": Student(cast(Notebook, notebook), calls)})
    assert submission.judged["task", "own"][0][0].verdict == "passed"
    assert len(calls) == replay
    assert notebook.dead == ({"f", "g"} if replay else {"g"})
