"""What is asked of answers to `04-kv-cache` that lost points for a reason nobody has named; the same for everybody."""

import contextlib

import numpy as np

from autograder.grading import StudentError

rng = np.random.default_rng(40)


def draw(heads, kv_heads, queries, tokens, width, value_width):
    shapes = (heads, queries, width), (kv_heads, tokens, width), (kv_heads, tokens, value_width)
    return tuple(rng.normal(size=shape) for shape in shapes)


even, grouped, late = draw(4, 4, 4, 4, 4, 4), draw(6, 2, 5, 5, 3, 4), draw(6, 3, 2, 5, 3, 2)
early, uneven = draw(4, 2, 5, 3, 3, 3), draw(5, 2, 3, 3, 2, 2)
text, down, up, up_values = (rng.normal(size=shape) for shape in ((5, 6), (6, 3), (3, 8), (3, 4)))
asked = rng.normal(size=(2, 5, 4))


def talk_to_cache(student):
    """Fill a cache in chunks, ask it, fork it, and ask what it refuses."""
    q, k, v = grouped
    cache = student.GQACache(2, 3, 4)
    start = 0
    for n in (2, 1, 2):
        student.method(cache, "append", k[:, start : start + n], v[:, start : start + n])
        start += n
        student.method(cache, "attend", q[:, :n])
        student.method(cache, "__len__")
    fork = student.method(cache, "fork")
    student.lend(fork, "append", k[:, :1], v[:, :1])
    student.method(cache, "append", 2 * k[:, :1], 3 * v[:, :1])
    for each in (fork, cache):
        student.method(each, "attend", q[:, -1:])
        student.method(each, "nbytes")
    for name, wrong in (("append", (k[:, :1], v[:, :2])), ("append", (k[:1], v[:1])), ("attend", (q[:, :, :2],))):
        with contextlib.suppress(StudentError):
            student.method(cache, name, *wrong)
    student.method(cache, "__len__")
    lent = student.GQACache(3, 3, 2)
    q, k, v = late
    student.lend(lent, "append", k[:, :3], v[:, :3])
    student.method(lent, "append", k[:, 3:].tolist(), v[:, 3:].tolist())
    student.method(lent, "attend", q)
    student.method(lent, "attend", q.tolist())
    student.method(lent, "nbytes")


PROBES = {
    "split_heads": {
        "split_heads": [(text, 2), (text, 3), (text, 1), (text, 6), (text, 4), (text[:1], 2), (text.tolist(), 2)]
    },
    "gqa": {
        "grouped_query_attention": [
            case for inputs in (even, grouped, late, early, uneven) for case in (inputs, (*inputs, True))
        ]
    },
    "cache": talk_to_cache,
    "sizes": {
        "cache_bytes": [(kind, *sizes) for kind in ("mha", "gqa", "mqa", "mla")
                        for sizes in ((3, 10, 8, 2, 16, 2), (5, 7, 6, 3, 4, 4, 12, 5))]
    },
    "mla": {"latent_attention": [(asked, text, down, up, up_values), (asked[:, :1], text, down, up, up_values)]},
    "absorbed": {
        "absorbed_attention": [(asked, text @ down, up, up_values), (asked[:, :1], text @ down, up, up_values)]
    },
}  # fmt: skip
