"""Grade `reading`: which of the student's own twelve statements about weights hold.

A wrong tick cancels a right one; ticking all or none earns nothing. The four groups are four heights of one bar.
"""

import importlib.util
import pathlib
import re

from autograder.grading import Mismatch, group, review

_spec = importlib.util.spec_from_file_location("reading_key", pathlib.Path(__file__).with_name("reading_key.py"))
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
KEY = _module.KEY


def shown_statements(student, reference, identities):
    """Return the statements that the typed id shows; an id that is not the owner's is reported for review."""
    typed = student.value("student_id")
    if isinstance(typed, int) and not isinstance(typed, bool):
        typed = str(typed)
    if not isinstance(typed, str) or not reference.normalise_id(typed):
        raise Mismatch("no student id was typed, so no statements were shown")
    typed = reference.normalise_id(typed[:200])
    known = {reference.normalise_id(identity) for identity in identities}
    if typed not in known and typed.partition("@")[0] not in known:
        review(f"The id typed for the statements, {typed[:60]!a}, is not the owner's: its statements were graded.")
    return reference.variant(typed, "reading")


def ticked_letters(student):
    """Return the set of letters that were ticked, from a list, a tuple, a set, or a string such as "A, C"."""
    ticks = student.value("reading")
    if isinstance(ticks, str):
        words = re.findall(r"\w+", ticks)
        ticks = list(words[0]) if len(words) == 1 else words
    if not isinstance(ticks, list | tuple) or not all(isinstance(tick, str) for tick in ticks):
        raise Mismatch("`reading` is not a list of letters")
    return {tick.strip().upper() for tick in ticks}


def check_share(student, reference, identities, wanted):
    """Pass when right ticks minus wrong ones reach the `wanted` share of the statements that hold."""
    statements = shown_statements(student, reference, identities)
    ticked = ticked_letters(student)
    if not ticked:
        raise Mismatch("no statement is ticked")
    if ticked >= set(statements):
        raise Mismatch("every statement is ticked")
    holding = {letter for letter, statement in statements.items() if KEY[statement][0]}
    net = len(ticked & holding) - len(ticked - holding)
    if net < wanted * len(holding):
        beliefs = sorted(KEY[statements[letter]][1] for letter in (ticked - holding) & set(statements))
        raise Mismatch(" ".join(["too few ticks hold once wrong ones are taken away.", *beliefs]))


@group("ticks at least a quarter of the statements that hold, once wrong ticks are taken away", points=2)
def test_a_quarter(student, reference, identities):
    check_share(student, reference, identities, 0.25)


@group("ticks at least half of the statements that hold, once wrong ticks are taken away", points=2)
def test_half(student, reference, identities):
    check_share(student, reference, identities, 0.5)


@group("ticks at least three quarters of the statements that hold, once wrong ticks are taken away", points=2)
def test_three_quarters(student, reference, identities):
    check_share(student, reference, identities, 0.75)


@group("ticks every statement that holds and no other", points=2)
def test_all(student, reference, identities):
    check_share(student, reference, identities, 1)
