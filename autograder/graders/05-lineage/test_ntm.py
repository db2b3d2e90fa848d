"""Grade `content_address(key, memory, beta) -> weights`: cosine, sharpened, through softmax."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group

NEAR = 1e-5  # the course's tolerance here: implementations differ in the epsilon that guards their division


def draw(rng, rows, width):
    """Draw a key and memory rows whose lengths lie between 1 and 40."""
    memory = rng.normal(size=(rows, width))
    memory *= rng.uniform(1, 40, size=(rows, 1)) / np.linalg.norm(memory, axis=1, keepdims=True)
    key = rng.normal(size=width)
    return key * rng.uniform(2, 6) / np.linalg.norm(key), memory


@group("weighs each row by the softmax of beta times the cosine", points=3)
def test_weights(student, reference, rng):
    for rows, width, beta in ((4, 4, 2.5), (5, 3, 0.4), (7, 2, 6.0), (1, 3, 3.0), (6, 5, 0.02), (3, 1, 2.0)):
        inputs = (*draw(rng, rows, width), beta)
        agree(student.content_address(*inputs), reference.content_address(*inputs), rtol=NEAR)


@group("looks at directions only: lengths change nothing, and odds follow the cosines", points=1)
def test_lengths(student, rng):
    key, memory = draw(rng, 6, 3)
    beta = rng.uniform(1.5, 4)
    raw = student.content_address(key, memory, beta)
    weights = array(raw, shape=(6,))
    if not (weights > 0).all():
        raise Mismatch("a weight is not positive although beta is small")
    cosines = [row @ key / np.sqrt((row @ row) * (key @ key)) for row in memory]
    agree(weights / weights[0], np.exp(beta * (np.array(cosines) - cosines[0])), like=raw, rtol=3 * NEAR)
    stretched = memory * rng.uniform(2, 9, size=(6, 1))
    agree(student.content_address(4 * key, stretched, beta), weights, like=raw, rtol=NEAR)
    short = memory / np.linalg.norm(memory, axis=1, keepdims=True) * rng.uniform(0.3, 0.9, size=(6, 1))
    agree(student.content_address(key / np.linalg.norm(key), short, beta), weights, like=raw, rtol=NEAR)
    shortest = short * rng.uniform(0.013, 0.02, size=(6, 1))
    agree(student.content_address(5 * key / np.linalg.norm(key), shortest, beta), weights, like=raw, rtol=NEAR)


@group("sharpens with beta, up to one clear winner when beta is huge", points=1)
def test_sharpness(student, reference, rng):
    key, memory = draw(rng, 5, 4)
    winner = int(rng.integers(5))
    memory[:, 0] = np.abs(memory[:, 0]) * -np.sign(key[0])  # every row leans away from the key ...
    memory[winner] = 3 * key  # ... but one
    for beta in (0.01, 5, 40.0, 2000.0):
        agree(student.content_address(key, memory, beta), reference.content_address(key, memory, beta), rtol=NEAR)
    agree(student.content_address(key, memory, 5000.0), np.eye(5)[winner], rtol=NEAR)


@group("counts the cosine of a zero row, or with a zero key, as 0", points=1)
def test_zeros(student, reference, rng):
    key, memory = draw(rng, 5, 3)
    beta = rng.uniform(1.5, 4)
    memory[int(rng.integers(5))] = 0
    agree(student.content_address(key, memory, beta), reference.content_address(key, memory, beta), rtol=NEAR)
    agree(student.content_address(np.zeros(3), memory, beta), np.full(5, 0.2), rtol=NEAR)
    agree(student.content_address(key, np.zeros((4, 3)), beta), np.full(4, 0.25), rtol=NEAR)


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    key, memory = rng.integers(-3, 4, size=3), rng.integers(-5, 6, size=(4, 3))
    key[0], memory[:, 1] = 2, [1, -2, 3, 4]
    wanted = reference.content_address(key, memory, 3)
    agree(student.content_address(key, memory, 3), wanted, rtol=NEAR)
    agree(student.content_address(key.tolist(), memory.tolist(), 3.0), wanted, rtol=NEAR)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for rows, width in ((5, 3), (4, 4)):
        key, memory = draw(rng, rows, width)
        memory[1] = 0
        student.content_address(key, memory, 2.0)
        if student.mutated:
            raise Mismatch("`content_address` changed an array that it was given")
