"""Grade `GQACache`: chunks, heads, memory, forks, refusals. The objects stay in the sandbox and are asked by handle."""

import numpy as np

from autograder.grading import (
    Handle,
    Mismatch,
    StudentError,
    StudentMissing,
    StudentTimeout,
    agree,
    array,
    exact_int,
    group,
)

builds_on = ("grouped_query_attention",)

# query heads, kv heads, tokens, key width, value width; the square case comes first
SIZES = ((8, 2, 4, 4, 4), (6, 3, 5, 4, 7), (6, 2, 7, 3, 2), (5, 1, 4, 2, 6), (3, 3, 6, 5, 4), (4, 2, 1, 3, 5))
SINGLE = np.float32(0)


def draw(rng, heads, kv_heads, tokens, width, value_width):
    shapes = ((heads, tokens, width), (kv_heads, tokens, width), (kv_heads, tokens, value_width))
    return tuple(rng.normal(size=shape) for shape in shapes)


def empty_cache(student, k, v):
    """Make an empty cache that fits these keys and values."""
    cache = student.GQACache(len(k), k.shape[2], v.shape[2])
    if not isinstance(cache, Handle):
        raise Mismatch("`GQACache(...)` does not give an object with methods")
    return cache


def filled_cache(student, k, v, *chunks):
    """Make a cache and append the tokens in these chunks, or all at once."""
    cache, start = empty_cache(student, k, v), 0
    for n in chunks or (k.shape[1],):
        student.method(cache, "append", k[:, start : start + n], v[:, start : start + n])
        start += n
    return cache


def whole(reference, q, k, v):
    """Return what the reference answers to the queries of the last tokens."""
    cache = reference.GQACache(len(k), k.shape[2], v.shape[2])
    cache.append(k, v)
    return cache.attend(q)


def same(got, wanted):
    """Compare; a cache that stores float32 shows only in its numbers, so those within 1e-4 pass with a note."""
    try:
        agree(got, wanted)
    except Mismatch:
        agree(got, wanted, like=SINGLE)


def check_length(student, cache, tokens):
    if exact_int(student.method(cache, "__len__")) != tokens:
        raise Mismatch("`len(cache)` is not the number of tokens in the cache")


def check_refused(student, cache, name, *args):
    """Pass when the call ends in a ValueError."""
    try:
        student.method(cache, name, *args)
    except (StudentMissing, StudentTimeout):
        raise
    except StudentError as error:
        if error.kind != "ValueError":
            raise Mismatch(f"`{name}` stopped with {error.kind} where it should raise a ValueError") from error
        return
    raise Mismatch(f"`{name}` accepted what it should refuse with a ValueError")


@group("answers the queries of a whole prompt, and of its last tokens", points=3)
def test_prompt(student, reference, rng):
    for sizes in SIZES:
        q, k, v = draw(rng, *sizes)
        cache = filled_cache(student, k, v)
        for n in sorted({sizes[2], -(-sizes[2] // 2), 1}):
            for _ in range(2 if n == 1 else 1):
                same(student.method(cache, "attend", q[:, -n:]), whole(reference, q[:, -n:], k, v))


@group("gives the same answers token by token, in chunks, and at once", points=5)
def test_chunks(student, reference, rng):
    for sizes in ((6, 2, 9, 4, 3), (6, 3, 8, 2, 5)):
        q, k, v = draw(rng, *sizes)
        tokens = sizes[2]
        for chunks in ((tokens,), (1,) * tokens, (3, 1, 2, tokens - 6), (2, tokens - 2)):
            cache, start = empty_cache(student, k, v), 0
            for n in chunks:
                part, start = slice(start, start + n), start + n
                student.method(cache, "append", k[:, part], v[:, part])
                answer = student.method(cache, "attend", q[:, part])
                same(answer, whole(reference, q[:, part], k[:, :start], v[:, :start]))
            same(student.method(cache, "attend", q), whole(reference, q, k, v))
    q, k, v = draw(rng, 2, 1, 700, 2, 2)  # a long text, yet not too long for a supplied answer: the first token counts
    cache = filled_cache(student, k, v, 540, 1, 159)
    same(student.method(cache, "attend", q[:, -3:]), whole(reference, q[:, -3:], k, v))


@group("moves, with one kv head, exactly the query heads that read it", points=3)
def test_influence(student, rng):
    for heads, kv_heads in ((6, 2), (6, 3)):
        q, k, v = draw(rng, heads, kv_heads, 5, 3, 4)
        before = array(student.method(filled_cache(student, k, v, 3, 2), "attend", q), shape=(heads, 5, 4))
        for head in range(kv_heads):
            moved = v.copy()
            moved[head] += 1
            readers = np.arange(heads) * kv_heads // heads == head
            after = student.method(filled_cache(student, k, moved, 3, 2), "attend", q)
            same(after, before + readers[:, None, None])


@group("counts its tokens, whatever the chunks", points=1, conditional=True)
def test_length(student, rng):
    _, k, v = draw(rng, 6, 3, 7, 4, 5)
    cache = empty_cache(student, k, v)
    check_length(student, cache, 0)
    start = 0
    for n in (2, 1, 4):
        student.method(cache, "append", k[:, start : start + n], v[:, start : start + n])
        start += n
        check_length(student, cache, start)


@group("takes no tokens and no queries calmly", points=1)
def test_nothing(student, reference, rng):
    q, k, v = draw(rng, 6, 3, 7, 4, 5)
    cache = filled_cache(student, k, v)
    student.method(cache, "append", k[:, :0], v[:, :0])
    array(student.method(cache, "attend", q[:, :0]), shape=(6, 0, 5))
    check_length(student, cache, 7)
    same(student.method(cache, "attend", q), whole(reference, q, k, v))


@group("stores one key and one value per token and kv head, and says so in `nbytes`", points=3, conditional=True)
def test_memory(student, reference, rng):
    for heads, kv_heads, width, chunks in ((6, 2, 4, (40, 24, 1, 35)), (9, 3, 5, (90, 1)), (12, 4, 3, (64, 7))):
        q, k, v = draw(rng, heads, kv_heads, sum(chunks), width, width)
        cache, start = empty_cache(student, k, v), 0
        for n in chunks:
            student.method(cache, "append", k[:, start : start + n], v[:, start : start + n])
            start += n
            if start >= 64:
                wanted = whole(reference, q[:, :2], k[:, :start], v[:, :start])
                check_size(student, cache, 2 * kv_heads * start * width, q[:, :2], wanted)


def check_size(student, cache, numbers, q, wanted):
    """Allow from 8 to 16 bytes a number; half of that when the answers show that float32 is stored."""
    answer = student.method(cache, "attend", q)
    same(answer, wanted)
    least = numbers * (8 if np.abs(array(answer) - wanted).max() < 1e-10 else 4)
    size = exact_int(student.method(cache, "nbytes"))
    if size < least:
        raise Mismatch("`nbytes` is less than the keys and values of all kv heads take")
    if size > 2 * least:
        raise Mismatch("`nbytes` is more than twice what one key and one value per token and kv head take")


@group("neither changes the caller's arrays nor depends on them after `append`", points=2)
def test_overwritten(student, reference, rng):
    for chunks in ((1, 4), (6,), (3, 2, 1)):
        q, k, v = draw(rng, 6, 2, sum(chunks), 3, 5)
        cache, start = empty_cache(student, k, v), 0
        for n in chunks:
            student.lend(cache, "append", k[:, start : start + n], v[:, start : start + n])
            if student.mutated:
                raise Mismatch("`append` changed an array that it was given")
            start += n
        same(student.method(cache, "attend", q), whole(reference, q, k, v))
        if student.mutated:
            raise Mismatch("`attend` changed the array that it was given")


@group("lets forks and other caches go their own ways", points=2)
def test_forks(student, reference, rng):
    q, k, v = draw(rng, 6, 2, 4, 3, 5)
    ends = [draw(rng, 6, 2, n, 3, 5) for n in (2, 1, 3, 2)]
    first = filled_cache(student, k, v, 3, 1)
    fork = student.method(first, "fork")
    caches = [first, fork, student.method(first, "fork"), student.method(fork, "fork")]
    if not all(isinstance(cache, Handle) for cache in caches):
        raise Mismatch("`fork()` does not give a cache")
    for cache, (_, new_k, new_v) in zip(caches, ends, strict=True):
        student.method(cache, "append", new_k, new_v)
    new = empty_cache(student, k, v)
    student.method(student.method(new, "fork"), "append", k, v)
    check_length(student, new, 0)
    stranger = filled_cache(student, 2 * k, 3 * v)
    same(student.method(stranger, "attend", q), whole(reference, q, 2 * k, 3 * v))
    for cache, (new_q, new_k, new_v) in zip(caches, ends, strict=True):
        check_length(student, cache, 4 + new_k.shape[1])
        everything = np.concatenate([k, new_k], axis=1), np.concatenate([v, new_v], axis=1)
        same(student.method(cache, "attend", new_q), whole(reference, new_q, *everything))


@group("refuses keys and values of the wrong shape with a ValueError, and stays as it was", points=2)
def test_refused_appends(student, reference, rng):
    q, k, v = draw(rng, 6, 3, 5, 4, 2)

    def shaped(keys, values):
        return rng.normal(size=keys), rng.normal(size=values)

    wrong = (
        shaped((2, 2, 4), (2, 2, 2)), shaped((1, 2, 4), (1, 2, 2)), shaped((6, 2, 4), (6, 2, 2)),  # kv heads
        shaped((3, 2, 5), (3, 2, 2)), shaped((3, 2, 1), (3, 2, 2)), shaped((3, 2, 4), (3, 2, 3)),  # widths
        shaped((3, 2, 4), (3, 1, 2)), shaped((3, 1, 4), (3, 2, 2)), shaped((3, 2, 4), (2, 2, 2)),  # not alike
        shaped((2, 2, 4), (3, 2, 2)), shaped((1, 2, 4), (3, 2, 2)),
        shaped((3, 4), (3, 2)), shaped((3, 1, 4), (3, 2)), shaped((3, 4), (3, 2, 2)),  # an axis is missing
    )  # fmt: skip
    new = empty_cache(student, k, v)
    for place in (0, 1, 3, 6, 7):
        check_refused(student, new, "append", *wrong[place])
        check_length(student, new, 0)
    for cache in (new, filled_cache(student, k[:, :3], v[:, :3])):
        at_hand = exact_int(student.method(cache, "__len__"))
        student.method(cache, "append", k[:, at_hand:], v[:, at_hand:])
        for keys, values in wrong:
            check_refused(student, cache, "append", keys, values)
        check_length(student, cache, 5)
        same(student.method(cache, "attend", q), whole(reference, q, k, v))


@group("refuses queries that do not fit, and any on an empty cache, with a ValueError", points=1)
def test_refused_queries(student, reference, rng):
    q, k, v = draw(rng, 6, 3, 4, 5, 2)
    cache = empty_cache(student, k, v)
    check_refused(student, cache, "attend", q[:, :1])
    student.method(cache, "append", k, v)
    for shape in ((6, 5, 5), (6, 9, 5), (4, 2, 5), (7, 2, 5), (1, 2, 5), (2, 2, 5), (6, 2, 4), (6, 2, 1), (6, 5)):
        check_refused(student, cache, "attend", rng.normal(size=shape))
    check_length(student, cache, 4)
    same(student.method(cache, "attend", q), whole(reference, q, k, v))


@group("takes whole numbers and nested lists, and fractions after them", points=1)
def test_plain_inputs(student, reference, rng):
    q, k, v = (rng.integers(-3, 4, size=shape) for shape in ((6, 5, 2), (3, 5, 2), (3, 5, 4)))
    end_k, end_v = k[:, :2] + 0.5, v[:, :2] + 0.25
    cache = empty_cache(student, k, v)
    student.method(cache, "append", k[:, :3], v[:, :3])
    student.method(cache, "append", k[:, 3:].tolist(), v[:, 3:].tolist())
    same(student.method(cache, "attend", q), whole(reference, q, k, v))
    student.method(cache, "append", end_k, end_v)
    everything = np.concatenate([k, end_k], axis=1), np.concatenate([v, end_v], axis=1)
    same(student.method(cache, "attend", q.tolist()), whole(reference, q, *everything))
