"""Grade `reading`: which of the student's own twelve statements about weights hold.

A wrong tick cancels a right one; ticking all or none earns nothing. The four groups are four heights of one bar.
"""

import re

from autograder.grading import Mismatch, beside, group, shown_id

KEY = beside(__file__, "reading_key").KEY


def right(reference, shown):
    """Return the letters of the statements that hold."""
    return [letter for letter, statement in shown.items() if KEY[statement][0]]


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
    statements = reference.variant(shown_id(student, reference, identities), "reading")
    ticked = ticked_letters(student)
    if not ticked:
        raise Mismatch("no statement is ticked")
    if ticked >= set(statements):
        raise Mismatch("every statement is ticked")
    holding = set(right(reference, statements))
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
