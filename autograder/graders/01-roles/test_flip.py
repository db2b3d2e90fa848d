"""Grade `flip`: who gets most, predicted for two needs, and again after two words have traded labels."""

import numpy as np

from autograder.grading import Mismatch, believe, beside, group, note

BELIEFS = beside(__file__, "beliefs").BELIEFS
typed = beside(__file__, "as_typed").typed


def winners(reference, shown, labels):
    """Run attention for each need that is asked about and return the words that get most."""
    return [shown["words"][int(np.argmax(reference.shares(asked, labels)))] for asked in shown["asked"]]


def right(reference, shown):
    """Return the words that get most once the labels are traded."""
    return winners(reference, shown, shown["traded"])


def look(student, reference, identities):
    """Return {need: (typed word, right word)}, and remark the beliefs behind wrong words."""
    words, shown = typed(student, reference, identities, "flip")
    wanted, before = right(reference, shown), winners(reference, shown, shown["labels"])
    for word, key, old in zip(words, wanted, before, strict=True):
        if word != key and word == old:
            believe(BELIEFS["label_stays"])
        elif word != key and word == shown["words"][-1]:
            believe(BELIEFS["nearer"])
    moved = shown["asked"].index(shown["needs"][0])  # the need whose label has gone to another word
    return list(zip(words, wanted, strict=True)), moved


@group("predicts with two words of the sentence", points=1)
def test_prediction(student, reference, identities):
    typed(student, reference, identities, "flip_prediction", "flip")
    note("A prediction earns its point whether or not it came true.")


@group("finds the new winner where the matching label has gone to another word", points=2)
def test_moved_label(student, reference, identities):
    pairs, moved = look(student, reference, identities)
    if pairs[moved][0] != pairs[moved][1]:
        raise Mismatch("one need has another winner now")


@group("finds the winners of both needs after the trade", points=1)
def test_both(student, reference, identities):
    pairs, _ = look(student, reference, identities)
    if any(word != key for word, key in pairs):
        raise Mismatch("not both words get most for their need")
