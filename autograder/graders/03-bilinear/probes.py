"""What is asked of answers to `03-bilinear` that lost points for a reason nobody has named; the same for everybody."""

import numpy as np

rng = np.random.default_rng(30)

square, other = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
tall, taller = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
tokens, form = rng.normal(size=(4, 5)), rng.normal(size=(5, 5))
shares = rng.dirichlet(np.ones(4), size=4)

PROBES = {
    "w_qk": {"w_qk": [(square, other), (tall, taller), (tall.tolist(), taller.tolist())]},
    "bilinear_scores": {
        "bilinear_scores": [(square, other), (tokens, form), (tokens[:1], form), (tokens.tolist(), form.tolist())]
    },
    "rank": {
        "head_rank": [(square, other), (tall, taller), (tall, tall), (1e-5 * tall, 1e-5 * taller),
                      (tall[:, [0, 0]], taller), (np.zeros((4, 2)), np.zeros((4, 2))), (rng.normal(size=(2, 4)),) * 2]
    },
    "rank_build": {"head_of_rank": [(5, 3, 2), (5, 3, 3), (4, 4, 1), (2, 4, 2), (4, 2, 0), (4, 2, 3), (4, 2, -1)]},
    "parameters": {
        "qk_parameters": [(12, 3), (64, 8), (12, 2), (12, 1), (12, 4, 5), (6, 2, 6), (10, 3), (10, 3, 2)]
    },
    "asymmetry": {
        "asymmetry": [(square,), (square + square.T,), (square - square.T,), (np.zeros((3, 3)),), (form.tolist(),)],
        "delhi_capital": [()],
    },
    "bottleneck": {"best_head": [(form, 2), (form, 5), (square, 1), (tall, 2), (form.tolist(), 3)]},
    "ov": {
        "w_ov": [(square, other), (tall, taller.T), (tall.tolist(), taller.T.tolist())],
        "head_output": [(shares, tokens, form), (square, other, square + other), (shares, tokens, tall)],
    },
}  # fmt: skip
