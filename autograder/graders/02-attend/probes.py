"""What is asked of answers to `02-attend` that lost points for a reason nobody has named; the same for everybody."""

import numpy as np

from autograder.grading import beside

candidates = beside(__file__, "test_testing")
rng = np.random.default_rng(20)

square = rng.normal(size=4), rng.normal(size=(4, 4)), rng.normal(size=(4, 4))
oblong = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
huge = 400 * oblong[0], oblong[1], oblong[2]
flat = np.zeros(3), oblong[1], oblong[2]
tokens, others = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
narrow, even, wide = rng.normal(size=(3, 2)), rng.normal(size=(3, 3)), rng.normal(size=(3, 4))
table = rng.integers(0, 2, size=(5, 3))

PROBES = {
    "softmax": {
        "softmax": [
            (square[1],), (square[1], 0), (oblong[1], -1), (oblong[1], 0), (rng.normal(size=(2, 3, 4)), 1),
            (oblong[0],), (np.array([[1000.0, 0.0], [-1000.0, 1.0]]),), (np.array([[3, 1], [0, 2]]),), ([[1.0, 2.0]],),
        ]
    },
    "attend": {
        "attend": [square, oblong, huge, flat, (oblong[0], oblong[1][:1], oblong[2][:1]),
                   tuple(part.tolist() for part in oblong)]
    },
    "project": {
        "project": [(tokens, even, even.T, 2 * even), (tokens, narrow, narrow + 1, wide),
                    (tokens.tolist(), narrow.tolist(), narrow.tolist(), wide.tolist())]
    },
    "plural": {
        "add_plural_slot": [(table, np.array([True, False, False, True, False])), (table.tolist(), [0, 1, 1, 0, 0])]
    },
    "identity": {"weights_by_identity": [square[:2], oblong[:2], huge[:2], (oblong[0].tolist(), oblong[1].tolist())]},
    "attend_all": {
        "attend_all": [(square[1], square[2], square[1] + 1), (tokens, others, rng.normal(size=(5, 2))),
                       (400 * tokens, others, others), (tokens[:1], others, others)]
    },
    "cross": {
        "cross_attend": [(tokens, others, even, even.T, 2 * even), (tokens, others, narrow, narrow + 1, wide),
                         (400 * tokens, others, narrow, narrow, narrow)]
    },
    "testing": {"check_attend": [(candidate,) for candidate in (*candidates.RIGHT, *candidates.WRONG)]},
}  # fmt: skip
