"""Grade `build`: a sentence of the student's own, run for real, whose two needs are won by two different words."""

import numpy as np

from autograder.grading import Mismatch, believe, beside, group

BELIEFS = beside(__file__, "beliefs").BELIEFS
typed = beside(__file__, "as_typed").typed


def look(student, reference, identities):
    """Run attention for both needs; return the winning row of each, None where no word is ahead of all others."""
    table, _ = typed(student, reference, identities, "build")
    rows = table["rows"]
    won = [winner(reference, rows, asked) for asked in table["needs"]]
    for asked, row in zip(table["needs"], won, strict=True):
        if row is None:
            remark(reference, rows, reference.tags(asked))
    return won


def winner(reference, rows, asked):
    weights = reference.shares(asked, [label for _, label, _ in rows])
    best = int(np.argmax(weights))
    return rows[best] if np.all(np.delete(weights, best) < weights[best] - 1e-9) else None


def remark(reference, rows, asked):
    """Remark the belief behind a need that no label meets, but a word or what it hands over."""
    if any(asked & reference.tags(label) for _, label, _ in rows):
        return
    if any(asked & reference.tags(contents) for _, _, contents in rows):
        believe(BELIEFS["contents_matched"])
    elif any(asked & reference.tags(word) for word, _, _ in rows):
        believe(BELIEFS["word_is_all"])


def both(student, reference, identities):
    won = look(student, reference, identities)
    if None in won:
        raise Mismatch("for one need, or for both, no word gets more than all others")
    return won


@group("writes two needs that each have one winner when they are run", points=2)
def test_winners(student, reference, identities):
    both(student, reference, identities)


@group("lets two different words win the two needs", points=3)
def test_two_words(student, reference, identities):
    (one, *_), (other, *_) = both(student, reference, identities)
    if one.casefold() == other.casefold():
        raise Mismatch("the same word wins both needs")


@group("has the winners hand over something else than their labels", points=1, conditional=True)
def test_contents(student, reference, identities):
    for _, label, contents in both(student, reference, identities):
        if reference.tags(contents) == reference.tags(label):
            believe(BELIEFS["word_is_all"])
            raise Mismatch("a winner's contents are the same as its label")
