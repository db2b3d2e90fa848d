"""Grade `order`: six of eight steps, in the order in which attention takes them."""

from autograder.grading import Mismatch, believe, beside, group

BELIEFS = beside(__file__, "beliefs").BELIEFS
KEY = beside(__file__, "order_key").KEY
typed = beside(__file__, "as_typed").typed


def right(reference, shown):
    """Return the letters of the true steps in their order."""
    letters = {step: letter for letter, step in shown["steps"].items()}
    return "".join(letters[step] for step in KEY[shown["about"]][0])


def look(student, reference, identities):
    """Return the typed and the right letters, and remark the beliefs behind false steps."""
    letters, shown = typed(student, reference, identities, "order")
    false = KEY[shown["about"]][1]
    for letter in letters:
        if shown["steps"][letter] in false:
            believe(BELIEFS[false[shown["steps"][letter]]])
    return letters, right(reference, shown)


@group("leaves out the two steps that never happen", points=2)
def test_left_out(student, reference, identities):
    letters, key = look(student, reference, identities)
    if set(letters) != set(key):
        raise Mismatch("a step that never happens is among the six")


@group("starts with the need and ends with the finished mixture", points=1)
def test_ends(student, reference, identities):
    letters, key = look(student, reference, identities)
    if (letters[0], letters[-1]) != (key[0], key[-1]):
        raise Mismatch("the first or the last step is not in its place")


@group("matches before it shares out, and shares out before it collects", points=1)
def test_middle(student, reference, identities):
    letters, key = look(student, reference, identities)
    if "".join(letter for letter in letters if letter in key[1:5]) != key[1:5]:
        raise Mismatch("the steps between the need and the mixture are not in their order")


@group("puts all six steps in order", points=2)
def test_order(student, reference, identities):
    letters, key = look(student, reference, identities)
    if letters != key:
        raise Mismatch("the six steps are not all in their places")
