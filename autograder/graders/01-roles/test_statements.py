"""Grade `statements`: true or false, and which idea of the lesson settles it."""

from autograder.grading import Mismatch, believe, beside, group

BELIEFS = beside(__file__, "beliefs").BELIEFS
KEY = beside(__file__, "statements_key").KEY
typed = beside(__file__, "as_typed").typed


def right(reference, shown):
    """Return the right pair of verdict and idea for each statement, such as T3."""
    number = {idea: number for number, idea in shown["ideas"].items()}
    return ["FT"[KEY[statement][0]] + number[KEY[statement][1]] for statement in shown["statements"]]


def look(student, reference, identities):
    """Return the typed and the right pairs, and remark the beliefs behind wrong verdicts."""
    pairs, shown = typed(student, reference, identities, "statements")
    pairs, wanted = ["".join(pair) for pair in pairs], right(reference, shown)
    for statement, pair, key in zip(shown["statements"], pairs, wanted, strict=True):
        if pair[0] != key[0]:
            believe(BELIEFS[KEY[statement][2]])
    return list(zip(pairs, wanted, strict=True))


def check_statement(pairs, place):
    pair, key = pairs[place]
    if pair[0] != key[0]:
        raise Mismatch("the verdict is the other one")
    if pair != key:
        raise Mismatch("the verdict is right, another idea settles it")


@group("judges the first statement and names the idea that settles it", points=1)
def test_statement_1(student, reference, identities):
    check_statement(look(student, reference, identities), 0)


@group("judges the second statement and names the idea that settles it", points=1)
def test_statement_2(student, reference, identities):
    check_statement(look(student, reference, identities), 1)


@group("judges the third statement and names the idea that settles it", points=1)
def test_statement_3(student, reference, identities):
    check_statement(look(student, reference, identities), 2)


@group("judges the fourth statement and names the idea that settles it", points=1)
def test_statement_4(student, reference, identities):
    check_statement(look(student, reference, identities), 3)


@group("judges the fifth statement and names the idea that settles it", points=1)
def test_statement_5(student, reference, identities):
    check_statement(look(student, reference, identities), 4)


@group("judges the sixth statement and names the idea that settles it", points=1)
def test_statement_6(student, reference, identities):
    check_statement(look(student, reference, identities), 5)


@group("judges all six statements rightly, whatever the ideas", points=1)
def test_verdicts(student, reference, identities):
    if any(pair[0] != key[0] for pair, key in look(student, reference, identities)):
        raise Mismatch("not every verdict is right")
