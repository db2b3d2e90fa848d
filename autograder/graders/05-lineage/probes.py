"""What is asked of answers to `05-lineage` that lost points for a reason nobody has named; the same for everybody."""

import numpy as np

rng = np.random.default_rng(50)


def draw(queries, tokens, width, value_width, *batch):
    shapes = (queries, width), (tokens, width), (tokens, value_width)
    return tuple(rng.normal(size=(*batch, *shape)) for shape in shapes)


even, oblong, stacked, early = draw(4, 4, 4, 4), draw(2, 5, 3, 2), draw(3, 3, 2, 4, 2), draw(5, 3, 2, 2)
mask = rng.random((4, 4)) < 0.6
closed = mask & (np.arange(4)[:, None] != 1)  # one query sees nothing
state, memory, square = rng.normal(size=3), rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
keys = np.linalg.qr(rng.normal(size=(5, 5)))[0]

PROBES = {
    "scaled": {
        "scaled_dot_product_attention": [
            even, oblong, stacked, (*even, mask), (*even, closed), (*even, None, True), (*even, mask, True),
            (*oblong, None, True), (*early, None, True), (300 * even[0], *even[1:]), (*even, np.ones(4, dtype=bool)),
        ]
    },
    "ntm": {
        "content_address": [(state, memory, 1.0), (state, memory, 5.0), (state, memory * [[0], [1], [2], [3]], 2.0),
                            (0 * state, memory, 2.0), (state, memory, 900.0), (state.tolist(), memory.tolist(), 2)]
    },
    "bahdanau": {
        "additive_scores": [(state, memory, square, square + 1, state),
                            (state, rng.normal(size=(4, 2)), rng.normal(size=(3, 5)), rng.normal(size=(2, 5)),
                             rng.normal(size=5))]
    },
    "luong": {
        "luong_attend": [(state, memory), (state, memory, square), (np.ones(2), memory, rng.normal(size=(2, 3))),
                         (300 * state, memory)]
    },
    "limits": {"zero_gap": [("float16",), ("float32",), ("float64",), (np.float32,)]},
    "aim": {"query_copy": [(keys, 0), (keys, 3)], "query_average": [(keys, 0, 1), (keys, 2, 4)]},
}  # fmt: skip
