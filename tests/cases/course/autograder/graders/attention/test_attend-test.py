"""Grade attend of the warm-up: scaled by the square root of the key width."""

from typing import Any

import numpy as np

from autograder.grading import agree, array, group, unpack

builds_on = ("softmax",)


def drawn(rng: Any, queries: int, keys: int, width: int, values: int) -> tuple[Any, ...]:
    return tuple(rng.normal(size=size) for size in ((queries, width), (keys, width), (keys, values)))


@group("blends the values by the scaled match of query and key", points=2)
def test_values(student: Any, reference: Any, rng: Any) -> None:
    for sizes in ((2, 3, 4, 5), (3, 3, 3, 3), (1, 6, 2, 4)):
        roles = drawn(rng, *sizes)
        agree(student.attend(*roles), reference.attend(*roles))


@group("returns the value itself when there is one key", points=1, conditional=True)
def test_one_key(student: Any, rng: Any) -> None:
    query, keys, values = drawn(rng, 2, 1, 3, 4)
    output, weights = unpack(student.attend(query, keys, values), 2)
    agree(array(output, shape=(2, 4)), np.repeat(values, 2, axis=0))
    agree(weights, np.ones((2, 1)))
