"""Grade `add_plural_slot(E, is_plural) -> (E_plural, query)` and `predicted_winner`."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group, note, unpack

NO_WINNER = "nobody"


def sentences(rng):
    """Draw sentences with one plural, two, none, and a single word that is one."""
    for tokens, width, plurals in ((7, 3, 1), (6, 4, 2), (5, 5, 0), (9, 2, 1), (1, 3, 1)):
        flags = np.zeros(tokens, dtype=bool)
        flags[rng.choice(tokens, size=plurals, replace=False)] = True
        yield rng.normal(size=(tokens, width)), flags


def forms(slots, flags):
    """Give the same sentence as arrays and as plain lists."""
    return ((slots, flags), (slots, flags.tolist()), (slots.tolist(), flags.tolist()))


def shared(student, rng):
    """Return what came of every sentence in every form, beside the sentence as arrays."""
    drawn = [(slots, flags) for slots, flags in sentences(rng) for _ in range(3)]
    cases = [form for sentence in drawn[::3] for form in forms(*sentence)]
    return list(zip(drawn, student.add_plural_slot.each(cases), strict=True))


@group("adds a last column that holds 1 for plural nouns and 0 for all else", points=3)
def test_slot(shared):
    for (slots, flags), raw in shared:
        agree(unpack(raw, 2)[0], np.hstack([slots, flags[:, None]]))


@group("writes the query (0, ..., 0, 4), whatever the sentence holds", points=3)
def test_query(shared):
    for (slots, _), raw in shared:
        agree(unpack(raw, 2)[1], [0] * slots.shape[1] + [4])


@group("lets the plurals win equally, and nobody win where there is none", points=2)
def test_winners(student, reference, rng):
    cases = list(sentences(rng))
    for (slots, flags), raw in zip(cases, student.add_plural_slot.each(cases), strict=True):
        tokens, width = slots.shape
        slotted, query = unpack(raw, 2)
        slotted, query = array(slotted, shape=(tokens, width + 1)), array(query, shape=(width + 1,))
        _, weights = reference.attend(query, slotted, slotted)
        odds = np.where(flags, np.exp(4), 1)
        agree(weights, odds / odds.sum())


@group("leaves the given sentence as it was", points=1, conditional=True)
def test_pure(student, rng):
    student.add_plural_slot.each([form for slots, flags in sentences(rng) for form in forms(slots, flags)])
    if student.mutated:
        raise Mismatch("`add_plural_slot` changed an array or a list that it was given")


@group("names a word of the sentence, or nobody, as the predicted winner", points=1)
def test_prediction(student, reference):
    guess = student.value("predicted_winner")
    if not isinstance(guess, str):
        raise Mismatch("`predicted_winner` is not a string")
    words = {word.casefold() for word in reference.plural_words} | {NO_WINNER}
    if guess.strip().strip("'\".").casefold() not in words:
        raise Mismatch('`predicted_winner` is neither a word of the sentence shown nor "nobody"')
    note("A prediction earns its point whether or not it came true.")
