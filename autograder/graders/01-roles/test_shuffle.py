"""Grade `shuffle`: the shares of the same words in another order, one of them covered."""

import numpy as np

from autograder.grading import Mismatch, believe, beside, group

BELIEFS = beside(__file__, "beliefs").BELIEFS
typed = beside(__file__, "as_typed").typed

CLOSE = 0.6  # percent: the shares shown are rounded to whole ones


def right(reference, shown):
    """Return the shares of the shuffled words in whole percents."""
    return [round(share) for share in run(reference, shown).tolist()]


def run(reference, shown):
    """Run attention over the shuffled words and return their shares in percent."""
    label = dict(zip(shown["words"], shown["labels"], strict=True))
    return 100 * reference.shares(shown["need"], [label[word] for word in shown["shuffled"]])


def look(student, reference, identities):
    """Return which shares are right and which words stand twice, and remark the beliefs behind wrong shares."""
    numbers, shown = typed(student, reference, identities, "shuffle")
    numbers, wanted = np.array(numbers), run(reference, shown)
    twice = np.array([shown["shuffled"].count(word) == 2 for word in shown["shuffled"]])
    old = 100 * reference.shares(shown["need"], shown["labels"])
    first, second = numbers[twice]
    if np.ptp(numbers) == 0:
        believe(BELIEFS["all_equal"])
    elif np.allclose(numbers, old, atol=CLOSE):
        believe(BELIEFS["place_keeps_share"])
    elif first > second + CLOSE:
        believe(BELIEFS["earlier"])
    elif second > first + CLOSE:
        believe(BELIEFS["nearer"])
    elif first > 0 and not numbers[~twice].any():
        believe(BELIEFS["nothing_for_the_rest"])
    return np.abs(numbers - wanted) <= CLOSE, twice


@group("gives both copies of the word that stands twice the same, right share", points=2)
def test_copies(student, reference, identities):
    fits, twice = look(student, reference, identities)
    if not fits[twice].all():
        raise Mismatch("a copy of the word that stands twice has another share than before")


@group("gives every other word the share that it had before the shuffle", points=2)
def test_others(student, reference, identities):
    fits, twice = look(student, reference, identities)
    if not fits[~twice].all():
        raise Mismatch("a word has another share than before the shuffle")
