"""Grade `additive_scores(s, H, W_a, U_a, v_a) -> scores`: v_a . tanh(s W_a + h U_a), no softmax."""

import numpy as np

from autograder.grading import Mismatch, agree, array, group

# The square case comes first, then one with equal widths of the states: there a wrong answer runs and can be named.
# words, state width, width of H, hidden units, spread
SIZES = ((4, 4, 4, 4, 1), (6, 3, 3, 5, 1), (5, 2, 4, 3, 0.7), (1, 3, 2, 4, 1), (7, 5, 3, 1, 0.01), (3, 1, 6, 2, 5))


def draw(rng, words, state, width, hidden, spread=1.0):
    s, H = rng.normal(size=state) * spread, rng.normal(size=(words, width)) * spread
    return s, H, rng.normal(size=(state, hidden)), rng.normal(size=(width, hidden)), rng.normal(size=hidden)


@group("scores each word by v_a . tanh(s W_a + h U_a)", points=3)
def test_scores(student, reference, rng):
    for sizes in SIZES:
        inputs = draw(rng, *sizes)
        agree(student.additive_scores(*inputs), reference.additive_scores(*inputs))


@group("bends the sum of both sides by tanh, inside and not outside", points=1)
def test_tanh(student, rng):
    s, H, W_a, U_a, _ = draw(rng, 5, 2, 3, 1, 0.4)
    raw = student.additive_scores(s, H, W_a, U_a, np.array([4.0]))
    bent = array(raw, shape=(5,)) / 4
    if not (np.abs(bent) < 1).all():
        raise Mismatch("a score is larger than tanh can make it")
    agree(np.tanh(np.arctanh(bent)) * 4, np.tanh((s @ W_a + H @ U_a)[:, 0]) * 4, like=raw)
    s, H, W_a, U_a, v_a = draw(rng, 4, 3, 2, 3)
    W_a = np.array([[300.0, -300.0, 300.0]] * 3)
    s = np.ones(3)
    agree(student.additive_scores(s, H, W_a, U_a, v_a), np.full(4, v_a @ [1, -1, 1]))


@group("adds the hidden units up with the weights v_a", points=1)
def test_hidden_units(student, rng):
    s, H, W_a, U_a, v_a = draw(rng, 4, 3, 2, 5)
    raw = student.additive_scores(s, H, W_a, U_a, v_a)
    scores = array(raw, shape=(4,))
    if not scores.all():
        raise Mismatch("a score is zero although v_a is not")
    agree(student.additive_scores(s, H, W_a, U_a, -3 * v_a), -3 * scores, like=raw)
    order = np.roll(np.arange(5), int(rng.integers(1, 5)))
    agree(student.additive_scores(s, H, W_a[:, order], U_a[:, order], v_a[order]), scores, like=raw)
    alone = [array(student.additive_scores(s, H, W_a[:, [n]], U_a[:, [n]], v_a[[n]]), shape=(4,)) for n in range(5)]
    agree(np.sum(alone, axis=0), scores, like=raw)


@group("scores a word the same way alone and among others", points=1)
def test_alone(student, reference, rng):
    s, H, *weights = draw(rng, 5, 3, 4, 2)
    H[4] = H[1]
    raw = student.additive_scores(s, H, *weights)
    scores = array(raw, shape=(5,))
    agree(scores, reference.additive_scores(s, H, *weights), like=raw)
    for word in (4, 0):
        agree(student.additive_scores(s, H[word : word + 1], *weights), scores[word : word + 1], like=raw)


@group("takes whole numbers and nested lists", points=1)
def test_plain_inputs(student, reference, rng):
    inputs = [rng.integers(-2, 3, size=shape) for shape in ((3,), (4, 2), (3, 5), (2, 5), (5,))]
    inputs[0][0], inputs[1][0], inputs[4][:] = 1, [1, -1], [1, -2, 3, 1, 2]
    wanted = reference.additive_scores(*inputs)
    agree(student.additive_scores(*inputs), wanted)
    agree(student.additive_scores(*[part.tolist() for part in inputs]), wanted)


@group("leaves its arguments as they were", points=1, conditional=True)
def test_pure(student, rng):
    for sizes in SIZES[:3]:
        student.additive_scores(*draw(rng, *sizes))
        if student.mutated:
            raise Mismatch("`additive_scores` changed an array that it was given")
