"""Grade `recipe`: which of four pictures shows what happens, for two needs."""

import numpy as np

from autograder.grading import Mismatch, believe, beside, group

BELIEFS = beside(__file__, "beliefs").BELIEFS
typed = beside(__file__, "as_typed").typed


def belief(reference, shown, asked, picture):
    """Return the id of the belief behind a picture, None for what attention really does."""
    times, then = picture
    drawn = reference.shares(asked, shown["labels"], times)
    if then != "mix":
        return "replaced"
    if np.allclose(drawn, reference.shares(asked, shown["labels"])):
        return None
    return "winner_takes_all" if drawn.max() > 0.999 else "all_equal"


def held(reference, shown):
    """Return, for each need, the belief behind each letter."""
    return [
        {letter: belief(reference, shown, asked, picture) for letter, picture in pictures.items()}
        for asked, pictures in zip(shown["needs"], shown["pictures"], strict=True)
    ]


def right(reference, shown):
    """Return the letters of the pictures that show what attention does."""
    return "".join(letter for beliefs in held(reference, shown) for letter, belief in beliefs.items() if belief is None)


def look(student, reference, identities):
    """Tell for each need whether the right picture was chosen, and remark the beliefs behind wrong ones."""
    letters, shown = typed(student, reference, identities, "recipe")
    chosen = [beliefs[letter] for letter, beliefs in zip(letters, held(reference, shown), strict=True)]
    for name in chosen:
        if name is not None:
            believe(BELIEFS[name])
    return [name is None for name in chosen]


@group("chooses the right picture for the first need", points=1)
def test_first(student, reference, identities):
    if not look(student, reference, identities)[0]:
        raise Mismatch("another picture shows what happens here")


@group("chooses the right picture for the second need", points=1)
def test_second(student, reference, identities):
    if not look(student, reference, identities)[1]:
        raise Mismatch("another picture shows what happens here")


@group("chooses the right picture for both needs", points=2)
def test_both(student, reference, identities):
    if not all(look(student, reference, identities)):
        raise Mismatch("not both pictures show what happens")
