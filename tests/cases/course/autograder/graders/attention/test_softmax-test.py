"""Grade softmax of the warm-up: the last axis, any shape."""

from typing import Any

from autograder.grading import Mismatch, agree, group


@group("turns each row into shares, whatever the shape", points=1)
def test_values(student: Any, reference: Any, rng: Any) -> None:
    for shape in ((2, 3), (4, 4), (5,), (2, 3, 4)):
        x = rng.normal(size=shape)
        agree(student.softmax(x), reference.softmax(x))


@group("stays finite for huge scores", points=0.5)
def test_huge(student: Any, reference: Any, rng: Any) -> None:
    x = rng.normal(size=(3, 5)) + [[1000.0], [-2000.0], [0.0]]
    agree(student.softmax(x), reference.softmax(x))


@group("takes whole numbers as well", points=0.25)
def test_integers(student: Any, reference: Any, rng: Any) -> None:
    x = rng.integers(-3, 4, size=(2, 6))
    agree(student.softmax(x), reference.softmax(x))


@group("leaves its argument as it was", points=0.25, conditional=True)
def test_pure(student: Any, reference: Any, rng: Any) -> None:
    student.softmax(rng.normal(size=(3, 4)))
    if student.mutated:
        raise Mismatch("the argument x was changed in place")
