"""Grade `nobody`: a need that no label meets, predicted, and the reason for what comes out."""

from autograder.grading import Mismatch, believe, beside, group, note

BELIEFS = beside(__file__, "beliefs").BELIEFS
KEY = beside(__file__, "nobody_key")
typed = beside(__file__, "as_typed").typed


def right(reference, shown):
    """Return the letter of the reason that holds."""
    return "".join(letter for letter, reason in shown["reasons"].items() if reason in KEY.RIGHT)


@group("predicts with one of the three outcomes", points=1)
def test_prediction(student, reference, identities):
    typed(student, reference, identities, "nobody_prediction", "nobody")
    note("A prediction earns its point whether or not it came true.")


@group("knows why everybody gets the same share", points=2)
def test_reason(student, reference, identities):
    letter, shown = typed(student, reference, identities, "nobody")
    if letter != right(reference, shown):
        believe(BELIEFS[KEY.WRONG[shown["reasons"][letter]]])
        raise Mismatch("another reason is the right one")
