"""Grade `cache_bytes(...) -> int`: what the four kinds of cache weigh, exactly."""

from autograder.grading import Mismatch, exact_int, group


def draw(rng):
    """Return n_layers, T, n_heads, n_kv_heads, d_head, bytes_per; all differ, and g is neither 1 nor h nor h's root."""
    kv_heads = int(rng.choice([3, 5, 6]))
    layers, tokens, width, size = (int(rng.choice(range(*span, 2))) for span in ((9, 60), (101, 999), (65, 97), (2, 9)))
    return layers, tokens, kv_heads * int(rng.choice([2, 4, 8])), kv_heads, width, size


def check(student, wanted, kind, *args, **kwargs):
    if exact_int(student.cache_bytes(kind, *args, **kwargs)) != wanted:
        raise Mismatch(f"the bytes for {kind} differ from what they should be")


@group("counts a key and a value for every head in mha", points=1)
def test_mha(student, rng):
    for _ in range(3):
        layers, tokens, heads, kv_heads, width, size = draw(rng)
        check(student, 2 * layers * tokens * heads * width * size, "mha", layers, tokens, heads, heads, width, size)
        check(student, 2 * layers * tokens * heads * width * size, "mha", layers, tokens, heads, kv_heads, width, size)


@group("counts a key and a value for every kv head in gqa", points=2)
def test_gqa(student, rng):
    for _ in range(4):
        args = layers, tokens, _, kv_heads, width, size = draw(rng)
        check(student, 2 * layers * tokens * kv_heads * width * size, "gqa", *args)
    check(student, 2 * layers * tokens * kv_heads * width * size, "gqa", *args, d_latent=64, d_rope=16)


@group("counts one key and one value for all heads in mqa", points=2)
def test_mqa(student, rng):
    for _ in range(3):
        args = layers, tokens, heads, _, width, size = draw(rng)
        check(student, 2 * layers * tokens * width * size, "mqa", *args)
        check(student, 2 * layers * tokens * width * size, "mqa", layers, tokens, heads, 1, width, size)


@group("counts one latent and one rotary key for all heads in mla", points=3)
def test_mla(student, rng):
    for rope in (0, 24, 40):
        args = layers, tokens, _, _, _, size = draw(rng)
        latent = int(rng.integers(100, 400))
        check(student, layers * tokens * (latent + rope) * size, "mla", *args, latent, rope)
        check(student, layers * tokens * (latent + rope) * size, "mla", *args, d_latent=latent, d_rope=rope)
    check(student, layers * tokens * latent * size, "mla", *args, latent)


@group("keeps the proportions: mqa saves a factor of h, gqa of h / g, and layers, tokens and bytes multiply", points=1)
def test_proportions(student, rng):
    args = layers, tokens, heads, kv_heads, width, size = draw(rng)
    mha, gqa, mqa = (exact_int(student.cache_bytes(kind, *args)) for kind in ("mha", "gqa", "mqa"))
    if not mha == heads * mqa == heads // kv_heads * gqa > 0:
        raise Mismatch("mha, gqa and mqa are not in the proportion of their kv heads")
    one = exact_int(student.cache_bytes("mla", 1, 1, heads, kv_heads, width, 1, 70, 9))
    for kind, single in (("gqa", gqa // (layers * tokens * size)), ("mla", one)):
        for shape in ((3, 1, 1), (1, 5, 1), (1, 1, 4)):
            n_layers, length, bytes_per = shape
            check(student, single * max(shape), kind, n_layers, length, heads, kv_heads, width, bytes_per, 70, 9)


@group("stays exact for sizes that no float can hold", points=1, conditional=True)
def test_exact(student, rng):
    layers, tokens = 12101, 10**9 + 1 + 2 * int(rng.integers(1000))
    for kind, heads, kv_heads, size in (("gqa", 96, 12, 1), ("mla", 24, 6, 3), ("mha", 96, 24, 1)):
        one = exact_int(student.cache_bytes(kind, 1, 1, heads, kv_heads, 1001, 1, 3000, 1001))
        check(student, layers * tokens * size * one, kind, layers, tokens, heads, kv_heads, 1001, size, 3000, 1001)
