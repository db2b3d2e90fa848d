"""Answers to `04-kv-cache` as people write them: right ones in many styles, wrong ones with the groups that tell them.

`RIGHT[task][style]` is source text that replaces the answer's cell. `WRONG[task][name]` is (group functions that must
fail, source text); a name that is a fault id of the misconception bank must also behave like that fault.
"""

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {}
NOTED = {  # accepted with a note, by the conventions of the course
    ("split_heads", "lists"),
    ("split_heads", "float32"),
    ("gqa", "lists"),
    ("gqa", "float32"),
    ("cache", "lists"),
    ("cache", "float32_inside"),
    ("cache", "float32"),
    ("sizes", "floats_when_small"),
    ("mla", "float32"),
    ("mla", "loops"),
    ("mla", "matrix"),
    ("absorbed", "float32"),
    ("absorbed", "list_of_heads"),
}

# ------------------------------------------------------------------------------------------------ split_heads

RIGHT["split_heads"] = {
    "reshape_transpose": """
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=float)
    T, width = X.shape
    if width % n_heads != 0:
        raise ValueError("n_heads must divide the width")
    return X.reshape(T, n_heads, -1).transpose(1, 0, 2)
""",
    "slices": """
def split_heads(X, n_heads):
    X = np.array(X)
    d, left_over = divmod(X.shape[1], n_heads)
    if left_over:
        raise ValueError(X.shape)
    return np.stack([X[:, i * d:(i + 1) * d] for i in range(n_heads)])
""",
    "np_split": """
def split_heads(X, n_heads):
    return np.array(np.split(np.asarray(X), n_heads, axis=1))  # np.split raises a ValueError of its own
""",
    "einops_like": """
def split_heads(X, n_heads):
    X = np.asarray(X, float)
    if X.shape[-1] % n_heads:
        raise ValueError
    return np.einsum('thd->htd', X.reshape(len(X), n_heads, X.shape[-1] // n_heads)).copy()
""",
    "selection_matrices": """
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=float)
    d = X.shape[1] // n_heads
    if d * n_heads != X.shape[1]:
        raise ValueError('no')
    eye = np.eye(X.shape[1])
    return np.stack([X @ eye[:, i * d:(i + 1) * d] for i in range(n_heads)])
""",
    "loops": """
def split_heads(X, n_heads):
    T, width = len(X), len(X[0])
    if width % n_heads:
        raise ValueError('cannot split')
    d = width // n_heads
    heads = np.empty((n_heads, T, d))
    for t in range(T):
        for j in range(width):
            heads[j // d, t, j % d] = X[t][j]
    return heads
""",
    "transposes": """
def split_heads(X, n_heads):
    rows = np.asarray(X, dtype=float).T
    if len(rows) % n_heads > 0: raise ValueError
    return rows.reshape(n_heads, len(rows) // n_heads, -1).swapaxes(1, 2)
""",
    "lists": """
def split_heads(X, n_heads):
    X = np.array(X, dtype=float).tolist()
    d = len(X[0]) // n_heads
    if d * n_heads < len(X[0]):
        raise ValueError
    return [[row[i * d:(i + 1) * d] for row in X] for i in range(n_heads)]
""",
    "float32": """
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=np.float32)
    if X.shape[1] % n_heads: raise ValueError
    return X.reshape(X.shape[0], n_heads, -1).transpose(1, 0, 2)
""",
}

SPLIT = """
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=float)
    T, width = X.shape
    d = width // n_heads
    if {check}:
        raise {error}
    return {result}
"""


def split(*lost, result="X.reshape(T, n_heads, d).transpose(1, 0, 2)", check="width % n_heads", error="ValueError"):
    return lost, SPLIT.format(result=result, check=check, error=error)


WRONG["split_heads"] = {
    "reshape_only": split("test_values", "test_columns", result="X.reshape(n_heads, T, d)"),
    "interleaved": split("test_values", "test_columns", result="X.reshape(T, d, n_heads).transpose(2, 0, 1)"),
    "split_tokens": split("test_values", result="X.reshape(n_heads, T // n_heads, width)"),
    "full_copies": split("test_values", result="np.stack([X] * n_heads)"),
    "tokens_first": split("test_values", result="X.reshape(T, n_heads, d)"),
    "transposed": split("test_values", result="X.reshape(T, n_heads, d).transpose(1, 2, 0)"),
    "reversed": split("test_values", "test_columns", result="X.reshape(T, n_heads, d).transpose(1, 0, 2)[::-1]"),
    "no_check": split("test_refuses", result="np.stack([X[:, i*d:(i+1)*d] for i in range(n_heads)])", check="False"),
    "asserts": split("test_refuses", error="AssertionError"),
    "always_two": split("test_values", result="np.stack([X[:, :width // 2], X[:, width // 2:]])"),
    "refuses_everything": split("test_values", "test_refuses", check="True"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def split_heads(X, n_heads):
    T, width = X.shape
    if width % n_heads: raise ValueError
    return X.reshape(T, n_heads, width // n_heads).swapaxes(0, 1)
""",
    ),
    "mutates": (
        ("test_pure",),
        """
def split_heads(X, n_heads):
    if np.shape(X)[1] % n_heads: raise ValueError
    heads = np.asarray(X, dtype=float).reshape(len(X), n_heads, -1).transpose(1, 0, 2)
    out = heads.copy()
    heads *= 0.5
    return out
""",
    ),
}

# -------------------------------------------------------------------------------------------------------- gqa

RIGHT["gqa"] = {
    "repeat": """
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    h, Tq, d = Q.shape
    g, Tk, _ = K.shape
    if h % g != 0:
        raise ValueError("g must divide h")
    K = K.repeat(h // g, axis=0)
    V = V.repeat(h // g, axis=0)
    s = Q @ K.swapaxes(1, 2) / d ** 0.5
    if causal:
        s[:, np.triu(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq + 1)] = -np.inf
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(-1, keepdims=True)
    return (e / np.where(total == 0, 1, total)) @ V
""",
    "groups_einsum": """
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = (np.array(x, dtype=float) for x in (Q, K, V))
    h, n, d = Q.shape
    g, m = K.shape[:2]
    if h % g:
        raise ValueError(f'{g} does not divide {h}')
    Q = Q.reshape(g, h // g, n, d)
    s = np.einsum('gsnd,gmd->gsnm', Q, K) / np.sqrt(d)
    seen = np.tril(np.ones((n, m)), m - n) if causal else np.ones((n, m))
    s = np.where(seen, s, -1e30)
    w = softmax(s) * seen
    return np.einsum('gsnm,gmv->gsnv', w, V).reshape(h, n, -1)
""",
    "loops": """
import math
def grouped_query_attention(Q, K, V, causal=False):
    h, g = len(Q), len(K)
    if h % g: raise ValueError('kv heads')
    Tq, d, Tk, dv = len(Q[0]), len(Q[0][0]), len(K[0]), len(V[0][0])
    out = np.zeros((h, Tq, dv))
    for head in range(h):
        kv = head // (h // g)
        for i in range(Tq):
            visible = [j for j in range(Tk) if not causal or j <= i + Tk - Tq]
            if not visible:
                continue
            scores = [sum(a * b for a, b in zip(Q[head][i], K[kv][j])) / math.sqrt(d) for j in visible]
            top = max(scores)
            powers = [math.exp(s - top) for s in scores]
            for p, j in zip(powers, visible):
                out[head, i] += p / sum(powers) * np.asarray(V[kv][j], dtype=float)
    return out
""",
    "online_softmax": """
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    (h, Tq, d), (g, Tk, _) = Q.shape, K.shape
    if h % g:
        raise ValueError
    kv = np.arange(h) // (h // g)
    top = np.full((h, Tq, 1), -np.inf)
    total = np.zeros((h, Tq, 1))
    out = np.zeros((h, Tq, V.shape[2]))
    for j in range(Tk):
        rows = slice(max(0, j - (Tk - Tq)), Tq) if causal else slice(0, Tq)
        s = (Q[:, rows] * K[kv, j][:, None]).sum(-1, keepdims=True) / np.sqrt(d)
        new = np.maximum(top[:, rows], s)
        shrink, p = np.exp(top[:, rows] - new), np.exp(s - new)
        total[:, rows] = total[:, rows] * shrink + p
        out[:, rows] = out[:, rows] * shrink + p * V[kv, j][:, None]
        top[:, rows] = new
    return np.divide(out, total, out=np.zeros_like(out), where=total > 0)
""",
    "head_by_head": """
def one_head(q, k, v, causal):
    s = q @ k.T / np.sqrt(q.shape[-1])
    out = np.zeros((len(q), v.shape[1]))
    for i, row in enumerate(s):
        last = i + len(k) - len(q) + 1 if causal else len(k)
        if last > 0:
            out[i] = softmax(row[:last]) @ v[:last]
    return out

def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = map(lambda x: np.asarray(x, dtype=float), (Q, K, V))
    size, rest = divmod(len(Q), len(K))
    if rest:
        raise ValueError
    return np.stack([one_head(Q[i], K[i // size], V[i // size], causal) for i in range(len(Q))])
""",
    "logs": """
def grouped_query_attention(Q, K, V, causal=False):
    Q = np.asarray(Q, float) / np.sqrt(np.shape(Q)[-1])
    h, g = len(Q), len(K)
    if h / g != h // g:
        raise ValueError
    kv = [i // (h // g) for i in range(h)]
    K, V = np.asarray(K, float)[kv], np.asarray(V, float)[kv]
    s = np.matmul(Q, np.transpose(K, (0, 2, 1)))
    n, m = s.shape[1:]
    if causal:
        future = np.subtract.outer(np.arange(n) + m - n, np.arange(m)) < 0
        s = np.where(future, -np.inf, s)
    with np.errstate(all='ignore'):
        w = np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))
    return np.nan_to_num(w) @ V
""",
    "grouped_class": """
class Attention:
    def __init__(self, n, m, causal):
        self.mask = np.array([[j - i > m - n for j in range(m)] for i in range(n)]) & bool(causal)

    def __call__(self, q, k, v):
        s = np.ma.masked_array(q @ k.T / np.sqrt(q.shape[1]), self.mask)
        e = np.exp(np.asarray((s - s.max(axis=1, keepdims=True)).filled(-np.inf)))
        total = e.sum(axis=1, keepdims=True)
        total[total == 0] = 1
        return e / total @ v

def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    if Q.shape[0] % K.shape[0]:
        raise ValueError("heads")
    attend = Attention(Q.shape[1], K.shape[1], causal)
    groups = Q.reshape(len(K), -1, *Q.shape[1:])
    return np.concatenate([[attend(q, k, v) for q in group] for group, k, v in zip(groups, K, V)])
""",
    "lists": """
def grouped_query_attention(Q, K, V, causal=False):
    if len(Q) % len(K): raise ValueError
    outs = []
    for i, queries in enumerate(Q):
        k, v = K[i // (len(Q) // len(K))], V[i // (len(Q) // len(K))]
        rows = []
        for t, q in enumerate(queries):
            end = t + 1 + len(k) - len(queries) if causal else len(k)
            if end <= 0:
                rows.append([0.0] * len(v[0]))
                continue
            w = softmax(np.asarray(k[:end], dtype=float) @ np.asarray(q, dtype=float) / np.sqrt(len(q)))
            rows.append((w @ np.asarray(v[:end], dtype=float)).tolist())
        outs.append(rows)
    return outs
""",
    "float32": """
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = (np.asarray(x, dtype=np.float32) for x in (Q, K, V))
    h, g, n, m = len(Q), len(K), Q.shape[1], K.shape[1]
    if h % g: raise ValueError
    s = Q @ np.repeat(K, h // g, 0).transpose(0, 2, 1) / np.float32(np.sqrt(Q.shape[2]))
    ok = np.tri(n, m, m - n, dtype=bool) if causal else np.ones((n, m), dtype=bool)
    s = np.where(ok, s, np.float32(-1e30))
    e = np.exp(s - s.max(-1, keepdims=True)) * ok
    return e / np.maximum(e.sum(-1, keepdims=True), np.float32(1e-30)) @ np.repeat(V, h // g, 0)
""",
}

GQA = """
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    h, g, d, Tq, Tk = len(Q), len(K), Q.shape[2], Q.shape[1], K.shape[1]
    if {check}:
        raise {error}
    size = h // g
    {before}
    K, V = {expand}
    scores = Q @ K.transpose(0, 2, 1) / {scale}
    ok = {mask} if {causal} else np.ones((Tq, Tk), dtype=bool)
    weights = {weights}
    return {result}
"""
MASK = "np.arange(Tk) <= np.arange(Tq)[:, None] + Tk - Tq"


def gqa(
    *lost,
    check="h % g",
    error="ValueError",
    before="pass",
    expand="np.repeat(K, size, 0), np.repeat(V, size, 0)",
    scale="np.sqrt(d)",
    mask=MASK,
    causal="causal",
    weights="softmax(np.where(ok, scores, -1e300)) * ok",
    result="weights @ V",
):
    return lost, GQA.format(**{name: value for name, value in locals().items() if name != "lost"})


VALUES, INFLUENCE = "test_values", "test_influence"
WRONG["gqa"] = {
    "tile": gqa(VALUES, INFLUENCE, expand="np.tile(K, (size, 1, 1)), np.tile(V, (size, 1, 1))"),
    "group_size_g": gqa(VALUES, INFLUENCE, expand="np.repeat(K, g, 0), np.repeat(V, g, 0)"),
    "first_head": gqa(VALUES, INFLUENCE, expand="np.stack([K[0]] * h), np.stack([V[0]] * h)"),
    "drop_q": gqa(VALUES, before="Q = Q[:g]; size = 1"),
    "mean_q": gqa(VALUES, "test_odds", before="Q = np.repeat(Q.reshape(g, size, Tq, d).mean(1), size, 0)"),
    "repeat_time": gqa(VALUES, INFLUENCE, expand="np.repeat(K, size, 1), np.repeat(V, size, 1)"),
    "reversed": gqa(VALUES, INFLUENCE, before="K, V = K[::-1], V[::-1]"),
    "reshape_heads": gqa(
        VALUES,
        expand="[np.repeat(x, size, 1).reshape(h, Tk, x.shape[2]) for x in (K, V)]",
    ),
    "floor_div": gqa("test_refuses", check="False", before="Q = Q[:size * g]"),
    "indexes_too_far": gqa(
        "test_refuses", check="False", expand="K[[i // size for i in range(h)]], V[[i // size for i in range(h)]]"
    ),
    "asserts": gqa("test_refuses", error="AssertionError"),
    "no_scale": gqa(VALUES, "test_odds", "test_causal", scale="1"),
    "scale_mul": gqa(VALUES, "test_odds", scale="(1 / np.sqrt(d))"),
    "scale_d": gqa(VALUES, "test_odds", scale="d"),
    "scale_dv": gqa(VALUES, "test_odds", scale="np.sqrt(V.shape[2])"),
    "scale_width": gqa(VALUES, "test_odds", scale="np.sqrt(h * d)"),
    "causal_upper_left": gqa("test_causal", "test_sees_nothing", mask="np.tri(Tq, Tk, dtype=bool)"),
    "causal_strict": gqa("test_causal", mask="np.arange(Tk) < np.arange(Tq)[:, None] + Tk - Tq"),
    "causal_leak1": gqa("test_causal", mask="np.tri(Tq, Tk, Tk - Tq + 1, dtype=bool)"),
    "causal_ignored": gqa("test_causal", "test_sees_nothing", causal="False"),
    "always_causal": gqa(VALUES, "test_odds", causal="True"),
    "causal_flipped": gqa("test_causal", mask="np.arange(Tk) >= np.arange(Tq)[:, None] + Tk - Tq"),
    "mask_zero_score": gqa("test_causal", weights="softmax(np.where(ok, scores, 0))"),
    "mask_after": gqa("test_causal", weights="softmax(scores) * ok"),
    "mask_nan": gqa("test_sees_nothing", weights="softmax(np.where(ok, scores, -np.inf))"),
    "mask_minus1e9": gqa("test_sees_nothing", weights="softmax(np.where(ok, scores, -1e9))"),
    "mask_adds_one": gqa("test_causal", weights="softmax(scores + ok)"),
    "query_axis": gqa(VALUES, "test_odds", weights="softmax(np.where(ok, scores, -1e300), 1) * ok"),
    "softmax_heads": gqa(VALUES, "test_odds", weights="softmax(np.where(ok, scores, -1e300), 0) * ok"),
    "whole_array": gqa(VALUES, weights="softmax(scores.reshape(h, -1)).reshape(scores.shape) * ok"),
    "no_max": gqa(
        "test_large_scores",
        before="soft = lambda s: np.exp(s) / np.exp(s).sum(-1, keepdims=True)",
        weights="np.where(ok.any(1)[:, None], soft(np.where(ok, scores, -np.inf)), 0)",
    ),
    "blend_keys": gqa(VALUES, result="weights @ K"),
    "mean_values": gqa(VALUES, result="np.repeat(V.mean(1, keepdims=True), Tq, 1)"),
    "weights_too": gqa(VALUES, result="(weights @ V, weights)"),
    "tokens_first": gqa(VALUES, result="(weights @ V).transpose(1, 0, 2)"),
    "joined_heads": gqa(VALUES, result="np.hstack(list(weights @ V))"),
    "rounded": gqa(VALUES, result="np.round(weights @ V, 3)"),
    "q_in_place": gqa("test_pure", before="Q /= np.sqrt(d)", scale="1"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def grouped_query_attention(Q, K, V, causal=False):
    (h, n, d), (g, m, _) = Q.shape, K.shape
    if h % g: raise ValueError
    s = Q @ np.repeat(K, h // g, 0).transpose(0, 2, 1) / np.sqrt(d)
    ok = np.tri(n, m, m - n, dtype=bool) if causal else np.ones((n, m), dtype=bool)
    return softmax(np.where(ok, s, -1e300)) * ok @ np.repeat(V, h // g, 0)
""",
    ),
}

# ------------------------------------------------------------------------------------------------------ cache

RIGHT["cache"] = {
    "concatenate": """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.K = np.zeros((n_kv_heads, 0, d_k))
        self.V = np.zeros((n_kv_heads, 0, d_v))

    def append(self, keys, values):
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or keys.shape[:2] != values.shape[:2]:
            raise ValueError("shapes")
        K, V = np.concatenate([self.K, keys], 1), np.concatenate([self.V, values], 1)  # these check the rest
        self.K, self.V = K, V

    def attend(self, queries):
        q = np.asarray(queries, float)
        if q.ndim != 3 or q.shape[2] != self.K.shape[2] or not 0 < len(self) or q.shape[1] > len(self):
            raise ValueError("queries")
        return grouped_query_attention(q, self.K, self.V, True)

    def __len__(self):
        return self.K.shape[1]

    @property
    def nbytes(self):
        return self.K.nbytes + self.V.nbytes

    def fork(self):
        twin = GQACache(1, 1, 1)
        twin.K, twin.V = self.K.copy(), self.V.copy()
        return twin
""",
    "growing_buffer": """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.g, self.d_k, self.d_v, self.n = n_kv_heads, d_k, d_v, 0
        self.buffer_k, self.buffer_v = np.empty((n_kv_heads, 16, d_k)), np.empty((n_kv_heads, 16, d_v))

    def _reserve(self, room):
        if room > self.buffer_k.shape[1]:
            size = max(room, 2 * self.buffer_k.shape[1])
            for name in ("buffer_k", "buffer_v"):
                old = getattr(self, name)
                new = np.empty((self.g, size, old.shape[2]))
                new[:, :self.n] = old[:, :self.n]
                setattr(self, name, new)

    def append(self, keys, values):
        keys, values = np.asarray(keys), np.asarray(values)
        if keys.ndim != 3 or values.ndim != 3:
            raise ValueError("three axes, please")
        n = keys.shape[1]
        if keys.shape != (self.g, n, self.d_k) or values.shape != (self.g, n, self.d_v):
            raise ValueError("wrong shape")
        self._reserve(self.n + n)
        self.buffer_k[:, self.n:self.n + n] = keys
        self.buffer_v[:, self.n:self.n + n] = values
        self.n += n

    def attend(self, queries):
        Q = np.asarray(queries, dtype=float)
        if self.n == 0:
            raise ValueError("empty")
        if Q.ndim != 3 or Q.shape[1] > self.n or Q.shape[2] != self.d_k or Q.shape[0] % self.g:
            raise ValueError("queries")
        return grouped_query_attention(Q, self.buffer_k[:, :self.n], self.buffer_v[:, :self.n], causal=True)

    def __len__(self):
        return self.n

    @property
    def nbytes(self):
        return self.buffer_k.nbytes + self.buffer_v.nbytes

    def fork(self):
        import copy
        return copy.deepcopy(self)
""",
    "list_of_chunks": """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v, chunks=()):
        self.shape = n_kv_heads, d_k, d_v
        self.chunks = list(chunks)
        self.nbytes = sum(k.nbytes + v.nbytes for k, v in self.chunks)

    def append(self, keys, values):
        g, d_k, d_v = self.shape
        keys, values = np.array(keys, dtype=float), np.array(values, dtype=float)
        if keys.shape != (g, *keys.shape[1:2], d_k) or values.shape != (g, *keys.shape[1:2], d_v):
            raise ValueError(f"{keys.shape} {values.shape}")
        self.chunks.append((keys, values))
        self.nbytes += keys.nbytes + values.nbytes

    def attend(self, queries):
        queries = np.array(queries, dtype=float)
        if not len(self) or queries.ndim < 3 or len(queries[0]) > len(self) or queries.shape[-1] != self.shape[1]:
            raise ValueError
        K, V = (np.concatenate(part, axis=1) for part in zip(*self.chunks))
        return grouped_query_attention(queries, K, V, True)

    def __len__(self):
        return sum(k.shape[1] for k, _ in self.chunks)

    def fork(self):
        return GQACache(*self.shape, self.chunks)
""",
    "token_by_token": """
class Token:
    def __init__(self, key, value):
        self.key, self.value = key, value

class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.g, self.d_k, self.d_v = n_kv_heads, d_k, d_v
        self.tokens = []

    def append(self, keys, values):
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or keys.shape[1] != values.shape[1]:
            raise ValueError
        if keys.shape[0] != self.g or values.shape[0] != self.g or keys.shape[2] != self.d_k:
            raise ValueError
        if values.shape[2] != self.d_v:
            raise ValueError
        for t in range(keys.shape[1]):
            self.tokens.append(Token(keys[:, t].copy(), values[:, t].copy()))

    def attend(self, queries):
        queries = np.array(queries, float)
        if queries.ndim != 3:
            raise ValueError
        h, n, d = queries.shape
        if d != self.d_k or h % self.g or n > len(self.tokens) or not self.tokens:
            raise ValueError
        out = np.zeros((h, n, self.d_v))
        for i in range(n):
            seen = self.tokens[:len(self.tokens) - n + i + 1]
            for head in range(h):
                kv = head * self.g // h
                weights = softmax([token.key[kv] @ queries[head, i] / np.sqrt(d) for token in seen])
                out[head, i] = sum(w * token.value[kv] for w, token in zip(weights, seen))
        return out

    def __len__(self):
        return len(self.tokens)

    @property
    def nbytes(self):
        return sum(token.key.nbytes + token.value.nbytes for token in self.tokens)

    def fork(self):
        other = GQACache(self.g, self.d_k, self.d_v)
        other.tokens = self.tokens[:]
        return other
""",
    "one_buffer": """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.split, self.data = d_k, np.zeros((n_kv_heads, 0, d_k + d_v))

    def append(self, keys, values):
        keys, values = np.asarray(keys, float), np.asarray(values, float)
        if np.ndim(keys) != 3 or keys.shape[-1] != self.split:
            raise ValueError('keys')
        both = np.concatenate([keys, values], axis=2)
        if both.shape[::2] != self.data.shape[::2]:
            raise ValueError('values')
        self.data = np.append(self.data, both, axis=1)

    def attend(self, queries):
        T = len(self)
        q = np.asarray(queries, float)
        h, n, d = q.shape
        g = len(self.data)
        if not T or n > T or d != self.split or h % g:
            raise ValueError('queries')
        q = q.reshape(g, h // g * n, d)
        s = q @ self.data[..., :d].swapaxes(1, 2) / np.sqrt(d)
        late = np.arange(T)[None] > (np.arange(n)[:, None] + T - n)
        s = s.reshape(g, h // g, n, T)  # with n = 0 NumPy could not work out a -1
        s[..., late] = -np.inf
        return np.einsum('gsnt,gtv->gsnv', softmax(s), self.data[..., d:]).reshape(h, n, self.data.shape[2] - d)

    def __len__(self):
        return self.data.shape[1]

    nbytes = property(lambda self: self.data.nbytes)

    def fork(self):
        other = object.__new__(GQACache)
        other.__dict__.update(self.__dict__)
        return other
""",
    "list_subclass": """
class GQACache(list):
    def __init__(self, n_kv_heads, d_k, d_v):
        super().__init__()
        self.kinds = (n_kv_heads, d_k), (n_kv_heads, d_v)

    def append(self, keys, values):
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or (keys.shape[::2], values.shape[::2]) != self.kinds:
            raise ValueError('shape')
        self += list(zip(keys.swapaxes(0, 1), values.swapaxes(0, 1), strict=True))

    def attend(self, queries):
        if np.ndim(queries) != 3 or np.shape(queries)[1] > len(self) or not self: raise ValueError
        if np.shape(queries)[2] != self.kinds[0][1]: raise ValueError
        K, V = (np.stack(part, axis=1) for part in zip(*self))
        return grouped_query_attention(queries, K, V, True)

    @property
    def nbytes(self):
        return sum(k.nbytes + v.nbytes for k, v in self)

    def fork(self):
        other = GQACache(*self.kinds[0], self.kinds[1][1])
        other.extend(self)
        return other
""",
    "online_softmax": """
from dataclasses import dataclass, field, replace

@dataclass
class GQACache:
    n_kv_heads: int
    d_k: int
    d_v: int
    blocks: tuple = ()

    def append(self, keys, values):
        k, v = np.array(keys, dtype=np.float64), np.array(values, dtype=np.float64)
        n = k.shape[1] if k.ndim > 1 else -1
        if k.shape != (self.n_kv_heads, n, self.d_k) or v.shape != (self.n_kv_heads, n, self.d_v):
            raise ValueError
        if n:
            self.blocks += ((len(self), k, v),)

    def attend(self, queries):
        q = np.asarray(queries, dtype=np.float64)
        if q.ndim != 3 or q.shape[2] != self.d_k or q.shape[0] % self.n_kv_heads:
            raise ValueError
        if not self.blocks or q.shape[1] > len(self):
            raise ValueError
        h, n, d = q.shape
        q = q.reshape(self.n_kv_heads, h // self.n_kv_heads, n, d) / d ** 0.5
        place = np.arange(len(self) - n, len(self))[:, None]
        top, total, out = np.full((*q.shape[:3], 1), -np.inf), 0.0, 0.0
        for start, k, v in self.blocks:
            s = np.where(np.arange(start, start + k.shape[1]) <= place, q @ k[:, None].swapaxes(2, 3), -np.inf)
            new = np.maximum(top, s.max(-1, keepdims=True))
            p, shrink = np.exp(s - new), np.exp(top - new)
            total = total * shrink + p.sum(-1, keepdims=True)
            out = out * shrink + p @ v[:, None]
            top = new
        return (out / total).reshape(h, n, self.d_v)

    def __len__(self):
        return sum(k.shape[1] for _, k, _ in self.blocks)

    @property
    def nbytes(self):
        return sum(k.nbytes + v.nbytes for _, k, v in self.blocks)

    def fork(self):
        return replace(self)
""",
    "np_int_length": """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.k = np.empty((0, n_kv_heads, d_k))
        self.v = np.empty((0, n_kv_heads, d_v))

    def append(self, keys, values):
        k, v = np.moveaxis(np.atleast_3d(np.asarray(keys, float)), 1, 0), np.asarray(values, float)
        if np.ndim(keys) != 3 or v.ndim != 3:
            raise ValueError
        v = np.moveaxis(v, 1, 0)
        if k.shape[0] != v.shape[0] or k.shape[1:] != self.k.shape[1:] or v.shape[1:] != self.v.shape[1:]:
            raise ValueError
        self.k, self.v = np.vstack([self.k, k]), np.vstack([self.v, v])

    def attend(self, queries):
        q = np.asarray(queries, float)
        t = len(self)
        if q.ndim != 3 or q.shape[2] != self.k.shape[2] or q.shape[1] > t or t == 0:
            raise ValueError
        return grouped_query_attention(q, self.k.swapaxes(0, 1), self.v.swapaxes(0, 1), True)

    def __len__(self):
        return int(np.int64(self.k.shape[0]))

    @property
    def nbytes(self):
        return np.int64(self.k.nbytes + self.v.nbytes)

    def fork(self):
        import copy
        return copy.copy(self)
""",
    "lists": """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.sizes = n_kv_heads, d_k, d_v
        self.K = [[] for _ in range(n_kv_heads)]
        self.V = [[] for _ in range(n_kv_heads)]

    def append(self, keys, values):
        g, d_k, d_v = self.sizes
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or keys.shape[1] != values.shape[1]: raise ValueError
        if keys.shape[0::2] != (g, d_k) or values.shape[0::2] != (g, d_v): raise ValueError
        for i in range(g):
            self.K[i] += keys[i].tolist()
            self.V[i] += values[i].tolist()

    def attend(self, queries):
        queries = np.array(queries, float)
        if queries.ndim != 3 or len(self) == 0 or queries.shape[1] > len(self): raise ValueError
        if queries.shape[2] != self.sizes[1]: raise ValueError
        return grouped_query_attention(queries, self.K, self.V, True).tolist() if queries.size else queries[..., :0] @ \
            np.zeros((0, self.sizes[2]))

    def __len__(self):
        return len(self.K[0])

    @property
    def nbytes(self):
        g, d_k, d_v = self.sizes
        return 8 * g * (d_k + d_v) * len(self)

    def fork(self):
        other = GQACache(*self.sizes)
        other.K, other.V = [list(k) for k in self.K], [list(v) for v in self.V]
        return other
""",
    "float32_inside": """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.K, self.V = np.zeros((n_kv_heads, 0, d_k), 'f4'), np.zeros((n_kv_heads, 0, d_v), 'f4')

    def append(self, keys, values):
        keys, values = np.array(keys, 'f4'), np.array(values, 'f4')
        if keys.ndim != 3 or keys.shape[:2] != values.shape[:2]: raise ValueError
        self.K, self.V = np.concatenate([self.K, keys], 1), np.concatenate([self.V, values], 1)

    def attend(self, queries):
        queries = np.asarray(queries, float)
        if queries.ndim != 3 or not len(self) or queries.shape[1] > len(self): raise ValueError
        if queries.shape[2] != self.K.shape[2]: raise ValueError
        return grouped_query_attention(queries, self.K, self.V, True)

    def __len__(self): return self.K.shape[1]

    @property
    def nbytes(self): return self.K.nbytes + self.V.nbytes

    def fork(self):
        other = GQACache(0, 0, 0)
        other.K, other.V = self.K, self.V
        return other
""",
}
RIGHT["cache"]["float32"] = RIGHT["cache"]["concatenate"].replace(
    "return grouped_query_attention(q, self.K, self.V, True)",
    "return np.asarray(grouped_query_attention(q, self.K, self.V, True), dtype=np.float32)",
)
RIGHT["cache"]["nbytes_method"] = RIGHT["cache"]["concatenate"].replace("    @property\n", "")
RIGHT["cache"]["no_copy_needed"] = RIGHT["cache"]["concatenate"].replace(".copy()", "")

CACHE = """
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.shape = n_kv_heads, d_k, d_v
        self.K, self.V = np.zeros((n_kv_heads, 0, d_k)), np.zeros((n_kv_heads, 0, d_v))
        {init}

    def append(self, keys, values):
        keys, values = np.asarray(keys, float), np.asarray(values, float)
        g, d_k, d_v = self.shape
        if {append_check}:
            raise ValueError
        {append}

    def attend(self, queries):
        queries = np.asarray(queries, float)
        K, V, n, T = self.K, self.V, queries.shape[1] if queries.ndim > 1 else 0, self.K.shape[1]
        if {attend_check}:
            raise ValueError
        return {attend}

    def __len__(self):
        return {length}

    @property
    def nbytes(self):
        return {nbytes}

    def fork(self):
        other = GQACache(*self.shape)
        other.K, other.V = self.K, self.V
        {fork}
        return other
"""
JOIN = "self.K, self.V = np.concatenate([self.K, keys], 1), np.concatenate([self.V, values], 1)"
FITS = "keys.ndim != 3 or keys.shape != (g, keys.shape[1], d_k) or values.shape != (g, keys.shape[1], d_v)"
ASKS = "queries.ndim != 3 or queries.shape[2] != self.shape[1] or len(queries) % self.shape[0] or T == 0"


def cache(
    *lost,
    init="pass",
    append_check=FITS,
    append=JOIN,
    attend_check=ASKS + " or n > T",
    attend="grouped_query_attention(queries, K, V, True)",
    length="self.K.shape[1]",
    nbytes="self.K.nbytes + self.V.nbytes",
    fork="pass",
):
    return lost, CACHE.format(**{name: value for name, value in locals().items() if name != "lost"})


FIRST = "(keys.copy(), values.copy()) if self.K.shape[1] == 0 else"
JOINED = "(np.concatenate([self.K, keys], 1), np.concatenate([self.V, values], 1))"
CHUNKS, FORKS = "test_chunks", "test_forks"
WRONG["cache"] = {
    "overwrite": cache(CHUNKS, "test_length", append="self.K, self.V = keys.copy(), values.copy()"),
    "head_axis": cache(
        CHUNKS, append=f"self.K, self.V = {FIRST} (np.concatenate([self.K, keys]), np.concatenate([self.V, values]))"
    ),
    "expanded": cache("test_memory", nbytes="3 * (self.K.nbytes + self.V.nbytes)"),
    "keeps_reference": cache(
        "test_overwritten", append=f"self.K, self.V = (keys, values) if self.K.shape[1] == 0 else {JOINED}"
    ),
    "keeps_references": cache(
        "test_overwritten",
        init="self.parts = []",
        append="self.parts.append((keys, values)); self.K, self.V = (np.concatenate(p, 1) for p in zip(*self.parts))",
        attend="grouped_query_attention(queries, *(np.concatenate(p, 1) for p in zip(*self.parts)), True)",
        fork="other.parts = list(self.parts)",
    ),
    "k_only": cache(CHUNKS, append="self.K, self.V = np.concatenate([self.K, keys], 1), values.copy()"),
    "v_is_k": cache("test_prompt", append=f"values = keys; self.K, self.V = {FIRST} {JOINED}"),
    "swapped": cache("test_prompt", append=f"keys, values = values, keys; self.K, self.V = {FIRST} {JOINED}"),
    "last_of_chunk": cache("test_prompt", append=f"keys, values = keys[:, -1:], values[:, -1:]; {JOIN}"),
    "doubles": cache(
        CHUNKS,
        append="self.K = np.concatenate([self.K, self.K, keys], 1); "
        "self.V = np.concatenate([self.V, self.V, values], 1)",
    ),
    "no_mask": cache("test_prompt", CHUNKS, attend="grouped_query_attention(queries, K, V)"),
    "offset_plus1": cache(
        "test_prompt",
        attend="np.concatenate([grouped_query_attention(queries[:, i:i+1], K[:, :T-n+i+2], V[:, :T-n+i+2]) "
        "for i in range(n)], 1) if n else np.zeros((len(queries), 0, self.shape[2]))",
    ),
    "past_only": cache("test_prompt", attend="grouped_query_attention(queries, K[:, :T-n], V[:, :T-n])"),
    "last_query": cache(
        "test_prompt",
        attend="np.repeat(grouped_query_attention(queries[:, -1:], K, V, True), n, 1) if n "
        "else np.zeros((len(queries), 0, self.shape[2]))",
    ),
    "causal_upper_left": cache(
        CHUNKS,
        attend="np.concatenate([grouped_query_attention(queries[:, i:i+1], K[:, :i+1], V[:, :i+1]) "
        "for i in range(n)], 1) if n else np.zeros((len(queries), 0, self.shape[2]))",
    ),
    "tile": cache(
        "test_prompt",
        "test_influence",
        attend="grouped_query_attention(queries, *(np.tile(x, (len(queries) // len(K), 1, 1)) for x in (K, V)), True)",
    ),
    "first_head": cache("test_prompt", "test_influence", attend="grouped_query_attention(queries, K[:1], V[:1], True)"),
    "no_scale": cache(
        "test_prompt", attend="grouped_query_attention(queries * np.sqrt(self.shape[1]), K, V, True)"
    ),
    "more_queries": cache("test_refused_queries", attend_check=ASKS),
    "empty_zeros": cache(
        "test_refused_queries",
        attend_check=ASKS.replace(" or T == 0", " or n > T > 0"),
        attend="grouped_query_attention(queries, K, V, True) if T else np.zeros((*queries.shape[:2], self.shape[2]))",
    ),
    "no_checks": cache("test_refused_appends", append_check="False", append="""
        if len(self): self.K = np.concatenate([self.K, keys], 1); self.V = np.concatenate([self.V, values], 1)
        else: self.K, self.V = keys.copy(), values.copy()"""),
    "half_checked": cache(
        "test_refused_appends",
        append_check="False",
        append="self.K = np.concatenate([self.K, keys], 1); self.V = np.concatenate([self.V, values], 1)",
    ),
    "broadcasts": cache("test_refused_appends", append_check="False", append="""
        n = keys.shape[1]
        K, V = np.zeros((g, n, d_k)), np.zeros((g, n, d_v))
        K[:], V[:] = keys, values
        self.K, self.V = np.concatenate([self.K, K], 1), np.concatenate([self.V, V], 1)"""),
    "asserts": cache("test_refused_appends", append_check="False", append=f"assert not ({FITS}); {JOIN}"),
    "fork_same": cache(FORKS, fork="return self"),
    "fork_empty": cache(FORKS, fork="return GQACache(*self.shape)"),
    "fork_buffer": cache(
        FORKS,
        init="self.n = 0; self.BK, self.BV = (np.zeros((n_kv_heads, 1024, d)) for d in (d_k, d_v))",
        append="T, n = self.n, keys.shape[1]; self.BK[:, T:T+n] = keys; self.BV[:, T:T+n] = values; self.n += n; "
        "self.K, self.V = self.BK[:, :self.n], self.BV[:, :self.n]",
        fork="other.n, other.BK, other.BV = self.n, self.BK, self.BV",
    ),
    "shared_by_all": cache(
        FORKS,
        append="T = self.K.shape[1]; GQACache.parts = getattr(GQACache, 'parts', []) if T else []; "
        "GQACache.parts.append((keys.copy(), values.copy())); self.K, self.V = "
        "(np.concatenate(p, 1) for p in zip(*GQACache.parts))",
        attend="grouped_query_attention(queries, *(np.concatenate(p, 1) for p in zip(*GQACache.parts)), True)",
    ),
    "len_heads": cache("test_length", FORKS, length="len(self.K)"),
    "len_chunks": cache(
        "test_length", init="self.calls = 0", append=f"{JOIN}; self.calls += 1", fork="other.calls = self.calls",
        length="self.calls",
    ),
    "nbytes_keys": cache("test_memory", nbytes="self.K.nbytes"),
    "nbytes_numbers": cache("test_memory", nbytes="self.K.size + self.V.size"),
    "big_buffer": cache("test_memory", nbytes="2 * len(self.K) * 4096 * self.shape[1] * 8"),
    "int_buffer": cache(
        "test_prompt", append=JOIN.replace("keys]", "keys.astype(int)]").replace("values]", "values.astype(int)]")
    ),
    "attend_eats": cache(
        "test_prompt", attend="(grouped_query_attention(queries, K, V, True), setattr(self, 'K', K[:, 1:]), "
        "setattr(self, 'V', V[:, 1:]))[0]"
    ),
    "mutates": cache("test_overwritten", append=f"{JOIN}; keys *= 2"),
    "no_length": (
        ("test_length",),
        RIGHT["cache"]["concatenate"].replace("__len__", "length").replace("len(self)", "self.length()"),
    ),
}

# ------------------------------------------------------------------------------------------------------ sizes

RIGHT["sizes"] = {
    "dictionary": """
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    per_token = {"mha": 2 * n_heads * d_head, "gqa": 2 * n_kv_heads * d_head, "mqa": 2 * d_head,
                 "mla": d_latent + d_rope}[kind]
    return n_layers * T * per_token * bytes_per
""",
    "ifs": """
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    if kind == "mla":
        return (d_latent + d_rope) * T * n_layers * bytes_per
    if kind == "mha":
        heads = n_heads
    elif kind == "gqa":
        heads = n_kv_heads
    elif kind == "mqa":
        heads = 1
    else:
        raise ValueError(kind)
    return 2 * heads * d_head * T * n_layers * bytes_per
""",
    "match": """
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    match kind.lower():
        case "mha": numbers = n_heads * d_head * 2
        case "gqa": numbers = n_kv_heads * d_head * 2
        case "mqa": numbers = d_head + d_head
        case "mla": numbers = d_latent + d_rope
    return sum(numbers * bytes_per * T for _ in range(n_layers))
""",
    "recursion": """
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    if kind == 'mha':
        return cache_bytes('gqa', n_layers, T, n_heads, n_heads, d_head, bytes_per)
    if kind == 'mqa':
        return cache_bytes('gqa', n_layers, T, n_heads, 1, d_head, bytes_per)
    numbers = d_latent + d_rope if kind == 'mla' else n_kv_heads * d_head << 1
    return bytes_per * numbers * T * n_layers
""",
    "np_prod": """
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    kv = dict(mha=n_heads, gqa=n_kv_heads, mqa=1)
    numbers = d_latent + d_rope if kind == "mla" else 2 * kv[kind] * d_head
    return np.prod([n_layers, T, numbers, bytes_per], dtype=np.int64)
""",
    "lambdas": """
import math
cache_bytes = lambda kind, L, T, h, g, d, b, d_latent=0, d_rope=0: math.prod(
    (L, T, b, d_latent + d_rope) if kind == "mla" else (L, T, b, 2, d, {"mha": h, "gqa": g, "mqa": 1}[kind]))
""",
    "class": """
class Sizes:
    def mha(self, h, g, d, r): return 2 * h * d
    def gqa(self, h, g, d, r): return self.mha(g, g, d, r)
    def mqa(self, h, g, d, r): return self.mha(1, 1, d, r)
    def mla(self, h, g, d, r): return r

def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    return int(getattr(Sizes(), kind)(n_heads, n_kv_heads, d_head, d_latent + d_rope)) * T * n_layers * bytes_per
""",
    "floats_when_small": """
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    numbers = d_latent + d_rope if kind == "mla" else 2 * d_head * {"mha": n_heads, "gqa": n_kv_heads, "mqa": 1}[kind]
    total = n_layers * T * numbers * bytes_per
    return float(total) if total < 2**50 else total
""",
}

SIZES = """
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    kv = dict(mha={mha}, gqa={gqa}, mqa={mqa})
    numbers = {mla} if kind == "mla" else {two} * kv[kind] * d_head
    return {result}
"""


def sizes(
    *lost,
    mha="n_heads",
    gqa="n_kv_heads",
    mqa="1",
    mla="d_latent + d_rope",
    two="2",
    result="n_layers * T * numbers * bytes_per",
):
    return lost, SIZES.format(**{name: value for name, value in locals().items() if name != "lost"})


ALL_SIZES = ("test_mha", "test_gqa", "test_mqa", "test_mla", "test_exact")
WRONG["sizes"] = {
    "uses_h": sizes("test_gqa", "test_mqa", "test_proportions", gqa="n_heads", mqa="n_heads"),
    "three": sizes("test_mha", "test_gqa", "test_mqa", two="3"),
    "keys_only": sizes("test_mha", "test_gqa", "test_mqa", two="1"),
    "g_is_size": sizes("test_gqa", gqa="n_heads // n_kv_heads"),
    "no_layers": sizes(*ALL_SIZES, result="T * numbers * bytes_per"),
    "T2": sizes(*ALL_SIZES, result="n_layers * T**2 * numbers * bytes_per"),
    "d_model": sizes("test_mha", "test_gqa", two="2 * n_heads"),
    "mqa_is_g": sizes("test_mqa", "test_proportions", mqa="n_kv_heads"),
    "mha_is_g": sizes("test_mha", "test_proportions", mha="n_kv_heads"),
    "mla_two": sizes("test_mla", mla="2 * d_latent + d_rope"),
    "mla_both_two": sizes("test_mla", mla="2 * (d_latent + d_rope)"),
    "mla_per_head": sizes("test_mla", mla="n_heads * (d_latent + d_rope)"),
    "mla_rope_per_head": sizes("test_mla", mla="d_latent + n_heads * d_rope"),
    "mla_no_rope": sizes("test_mla", mla="d_latent"),
    "mla_expanded": sizes("test_mla", mla="2 * n_heads * d_head"),
    "no_bytes": sizes(*ALL_SIZES[:4], result="n_layers * T * numbers"),
    "bits": sizes(*ALL_SIZES[:4], result="n_layers * T * numbers * bytes_per / 8"),
    "float_div": sizes("test_exact", result="n_layers * T * numbers * bytes_per / 1"),
    "gibibytes": sizes(*ALL_SIZES, result="n_layers * T * numbers * bytes_per / 2**30"),
    "int32": sizes("test_exact", result="int(np.prod([n_layers, T, numbers, bytes_per], dtype=np.int32))"),
    "text": sizes(*ALL_SIZES, result="str(n_layers * T * numbers * bytes_per)"),
}

# -------------------------------------------------------------------------------------------------------- mla

RIGHT["mla"] = {
    "own_functions": """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = (np.asarray(x, dtype=float) for x in (Q, X, W_dkv, W_uk, W_uv))
    c = X @ W_dkv
    h = Q.shape[0]
    return grouped_query_attention(Q, split_heads(c @ W_uk, h), split_heads(c @ W_uv, h)), c
""",
    "loops": """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    h, _, d = np.shape(Q)
    latent = np.dot(X, W_dkv)
    keys, values = np.dot(latent, W_uk), np.dot(latent, W_uv)
    d_v = values.shape[1] // h
    out = []
    for i in range(h):
        k, v = keys[:, i * d:(i + 1) * d], values[:, i * d_v:(i + 1) * d_v]
        out.append([softmax(k @ np.asarray(q) / np.sqrt(d)) @ v for q in Q[i]])
    return out, latent
""",
    "einsum": """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q = np.asarray(Q, float)
    h, n, d = Q.shape
    c = np.einsum('tm,mr->tr', np.asarray(X, float), np.asarray(W_dkv, float))
    K = np.einsum('tr,rhd->htd', c, np.asarray(W_uk, float).reshape(-1, h, d))
    V = np.einsum('tr,rhv->htv', c, np.asarray(W_uv, float).reshape(c.shape[1], h, -1))
    w = softmax(np.einsum('hnd,htd->hnt', Q, K) / np.sqrt(d))
    return np.einsum('hnt,htv->hnv', w, V), c
""",
    "absorbed_inside": """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    latent = np.asarray(X, float) @ np.asarray(W_dkv, float)
    return absorbed(np.asarray(Q, float), latent, np.asarray(W_uk, float), np.asarray(W_uv, float)), latent

def absorbed(Q, c, A, B):
    outs = []
    for q, a, b in zip(Q, np.hsplit(A, len(Q)), np.hsplit(B, len(Q))):
        s = (q @ a.T) @ c.T / np.sqrt(q.shape[1])
        e = np.exp(s - s.max(axis=1, keepdims=True))
        outs.append(e / e.sum(axis=1, keepdims=True) @ c @ b)
    return np.array(outs)
""",
    "namedtuple": """
from typing import NamedTuple
class Result(NamedTuple):
    out: object
    latent: object
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, latent = np.array(Q, float), np.matmul(X, W_dkv)
    h, _, d = Q.shape
    K = np.stack(np.split(latent @ W_uk, h, axis=1))
    V = np.stack(np.split(latent @ W_uv, h, axis=1))
    return Result(softmax(Q / d**0.5 @ K.swapaxes(1, 2)) @ V, latent)
""",
    "matrix": """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    latent = np.matrix(X) * np.matrix(W_dkv)
    h, d = len(Q), np.shape(Q)[2]
    K, V = np.hsplit(np.asarray(latent * np.matrix(W_uk)), h), np.hsplit(np.asarray(latent * np.matrix(W_uv)), h)
    return np.array([softmax(np.asarray(q) @ k.T / np.sqrt(d)) @ v for q, k, v in zip(Q, K, V)]), latent
""",
    "float32": """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = (np.asarray(x, dtype=np.float32) for x in (Q, X, W_dkv, W_uk, W_uv))
    c = X @ W_dkv
    K, V = (np.stack(np.hsplit(c @ W, len(Q))) for W in (W_uk, W_uv))
    s = Q @ K.transpose(0, 2, 1) / np.float32(np.sqrt(Q.shape[2]))
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V, c
""",
}

MLA = """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = (np.asarray(part, float) for part in (Q, X, W_dkv, W_uk, W_uv))
    h, Tq, d = Q.shape
    latent = X @ W_dkv
    T, r = latent.shape
    K, V = latent @ W_uk, latent @ {up_v}
    heads_K, heads_V = {split}
    scores = Q @ heads_K.transpose(0, 2, 1) / {scale}
    {mask}
    out = {weights} @ heads_V
    return {result}
"""
SPLIT_KV = "split_heads(K, h), split_heads(V, h)"


def mla(
    *lost, up_v="W_uv", split=SPLIT_KV, scale="np.sqrt(d)", mask="pass", weights="softmax(scores)",
    result="out, latent",
):  # fmt: skip
    return lost, MLA.format(**{name: value for name, value in locals().items() if name != "lost"})


OUT, LATENT, HEADS = "test_out", "test_latent", "test_heads"
WRONG["mla"] = {
    "scale_latent": mla(OUT, scale="np.sqrt(r)"),
    "scale_dmodel": mla(OUT, scale="np.sqrt(h * d)"),
    "scale_tokens": mla(OUT, scale="np.sqrt(X.shape[1])"),
    "no_scale": mla(OUT, scale="1"),
    "v_uses_uk": mla(OUT, HEADS, up_v="W_uk"),
    "reshape_only": mla(OUT, HEADS, split="K.reshape(h, T, -1), V.reshape(h, T, -1)"),
    "reshape_weights": mla(OUT, HEADS, split="latent @ W_uk.reshape(h, r, -1), latent @ W_uv.reshape(h, r, -1)"),
    "interleaved": mla(
        OUT, HEADS, split="K.reshape(T, -1, h).transpose(2, 0, 1), V.reshape(T, -1, h).transpose(2, 0, 1)"
    ),
    "causal": mla(OUT, mask="scores = np.where(np.tri(Tq, T, T - Tq), scores, -1e300)",
                  weights="(softmax(scores) * np.tri(Tq, T, T - Tq))"),
    "query_axis": mla(OUT, weights="softmax(scores, 1)"),
    "joined": mla(OUT, result="(np.hstack(list(out)), latent)"),
    "cache_x": mla(LATENT, result="(out, X)"),
    "two_latents": mla(LATENT, result="(out, np.stack([latent, latent]))"),
    "two_latents_wide": mla(LATENT, result="(out, np.hstack([latent, latent]))"),
    "two_latents_pair": mla(LATENT, result="(out, (latent, latent))"),
    "caches_kv": mla(LATENT, result="(out, np.hstack([K, V]))"),
    "out_only": mla(OUT, LATENT, result="out"),
    "order": mla(OUT, LATENT, result="latent, out"),
    "latent_from_queries": mla(LATENT, result="(out, latent[::-1])"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    latent = X @ W_dkv
    return grouped_query_attention(Q, split_heads(latent @ W_uk, len(Q)), split_heads(latent @ W_uv, len(Q))), latent
""",
    ),
    "mutates": (
        ("test_pure",),
        """
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.dot(X, W_dkv)
    K, V = split_heads(np.dot(latent, W_uk), len(Q)), split_heads(np.dot(latent, W_uv), len(Q))
    Q /= np.sqrt(Q.shape[2])
    return softmax(Q @ K.transpose(0, 2, 1)) @ V, latent
""",
    ),
}  # fmt: skip

# --------------------------------------------------------------------------------------------------- absorbed

RIGHT["absorbed"] = {
    "split_weights": """
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    h, _, d = Q.shape
    uk, uv = split_heads(W_uk, h), split_heads(W_uv, h)
    w = softmax((Q @ uk.swapaxes(1, 2)) @ latent.T / np.sqrt(d))
    return (w @ latent) @ uv
""",
    "einsum": """
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent, W_uk, W_uv = (np.asarray(x, float) for x in (Q, latent, W_uk, W_uv))
    h, n, d = Q.shape
    r = latent.shape[1]
    asked = np.einsum('hnd,rhd->hnr', Q, W_uk.reshape(r, h, d))
    s = np.einsum('hnr,tr->hnt', asked, latent) / np.sqrt(d)
    mixed = np.einsum('hnt,tr->hnr', softmax(s), latent)
    return np.einsum('hnr,rhv->hnv', mixed, W_uv.reshape(r, h, -1))
""",
    "loop_over_heads": """
def absorbed_attention(Q, latent, W_uk, W_uv):
    C, A, B = (np.array(x, dtype=float) for x in (latent, W_uk, W_uv))
    h, n, d = np.shape(Q)
    d_v = B.shape[1] // h
    out = np.empty((h, n, d_v))
    for i in range(h):
        q = np.asarray(Q[i], dtype=float) @ A[:, i * d:(i + 1) * d].T
        out[i] = softmax(q @ C.T / d ** 0.5) @ C @ B[:, i * d_v:(i + 1) * d_v]
    return out
""",
    "online_softmax": """
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    h, n, d = Q.shape
    A = np.stack(np.hsplit(np.asarray(W_uk, float), h)).swapaxes(1, 2)
    B = np.stack(np.hsplit(np.asarray(W_uv, float), h))
    q = Q @ A / np.sqrt(d)
    top, total, mixed = -np.inf, 0.0, 0.0
    for start in range(0, len(latent), 1000):
        block = latent[start:start + 1000]
        s = q @ block.T
        new = np.maximum(top, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        total = total * np.exp(top - new) + p.sum(-1, keepdims=True)
        mixed = mixed * np.exp(top - new) + p @ block
        top = new
    return mixed / total @ B
""",
    "as_mqa": """
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    h, n, d = Q.shape
    r = latent.shape[1]
    asked = Q @ split_heads(W_uk, h).transpose(0, 2, 1) * np.sqrt(r / d)  # the callee divides by sqrt(r)
    mixed = grouped_query_attention(asked, latent[None], latent[None])
    return mixed @ split_heads(W_uv, h)
""",
    "list_of_heads": """
import math
def absorbed_attention(Q, latent, W_uk, W_uv):
    latent, h, d = np.asarray(latent, float), len(Q), len(Q[0][0])
    result = []
    for i in range(h):
        up_k = np.array([row[i * d:(i + 1) * d] for row in np.asarray(W_uk)])
        d_v = np.shape(W_uv)[1] // h
        up_v = np.array([row[i * d_v:(i + 1) * d_v] for row in np.asarray(W_uv)])
        result.append([(softmax(latent @ (up_k @ np.asarray(q)) / math.sqrt(d)) @ latent) @ up_v for q in Q[i]])
    return result
""",
    "float32": """
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, c, W_uk, W_uv = (np.asarray(x, dtype=np.float32) for x in (Q, latent, W_uk, W_uv))
    h, _, d = Q.shape
    uk, uv = (W.reshape(len(W), h, -1).transpose(1, 0, 2) for W in (W_uk, W_uv))
    s = Q @ uk.transpose(0, 2, 1) @ c.T / np.float32(np.sqrt(d))
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ c @ uv
""",
}

ABSORBED = """
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent, W_uk, W_uv = (np.asarray(part, float) for part in (Q, latent, W_uk, W_uv))
    h, Tq, d = Q.shape
    T, r = latent.shape
    uk, uv = {split}
    scores = {scores} / {scale}
    {mask}
    weights = {weights}
    return {result}
"""


def absorbed(
    *lost, split="split_heads(W_uk, h), split_heads(W_uv, h)", scores="(Q @ uk.transpose(0, 2, 1) @ latent.T)",
    scale="np.sqrt(d)", mask="pass", weights="softmax(scores)", result="weights @ latent @ uv",
):  # fmt: skip
    return lost, ABSORBED.format(**{name: value for name, value in locals().items() if name != "lost"})


NO_KEYS, NO_VALUES = "test_no_keys", "test_no_values"
WRONG["absorbed"] = {
    "rebuilds": absorbed(
        NO_KEYS, NO_VALUES, scores="(Q @ (latent @ uk).transpose(0, 2, 1))", result="weights @ (latent @ uv)"
    ),
    "rebuilds_keys": absorbed(NO_KEYS, scores="(Q @ (latent @ uk).transpose(0, 2, 1))"),
    "rebuilds_values": absorbed(NO_VALUES, result="weights @ (latent @ uv)"),
    "rebuilds_one_head": absorbed(
        NO_KEYS, NO_VALUES,
        scores="np.stack([q @ (latent @ a).T for q, a in zip(Q, uk)])",
        result="np.stack([w @ (latent @ b) for w, b in zip(weights, uv)])",
    ),
    "scale_latent": absorbed("test_values", scale="np.sqrt(r)"),
    "scale_dmodel": absorbed("test_values", scale="np.sqrt(h * d)"),
    "no_scale": absorbed("test_values", scale="1"),
    "v_uses_uk": absorbed("test_values", result="weights @ latent @ uk"),
    "reshape_only": absorbed("test_values", split="W_uk.reshape(h, r, -1), W_uv.reshape(h, r, -1)"),
    "interleaved": absorbed(
        "test_values", split="W_uk.reshape(r, -1, h).transpose(2, 0, 1), W_uv.reshape(r, -1, h).transpose(2, 0, 1)"
    ),
    "reshaped": absorbed("test_values", scores="(Q @ W_uk.reshape(h, d, r) @ latent.T)"),
    "causal": absorbed(
        "test_values", mask="scores = np.where(np.tri(Tq, T, T - Tq), scores, -1e300)",
        weights="softmax(scores) * np.tri(Tq, T, T - Tq)",
    ),
    "query_axis": absorbed("test_values", weights="softmax(scores, 1)"),
    "joined": absorbed("test_values", result="np.hstack(list(weights @ latent @ uv))"),
    "blend_only": absorbed("test_values", result="weights @ latent"),
    "latent_too": absorbed("test_values", result="(weights @ latent @ uv, latent)"),
    "one_head_for_all": absorbed("test_values", split="(split_heads(W_uk, h)[:1], split_heads(W_uv, h)[:1])"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def absorbed_attention(Q, latent, W_uk, W_uv):
    h, d = len(Q), Q.shape[2]
    w = softmax(Q @ split_heads(W_uk, h).transpose(0, 2, 1) @ latent.T / np.sqrt(d))
    return w @ latent @ split_heads(W_uv, h)
""",
    ),
    "mutates": (
        ("test_pure",),
        """
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    Q /= np.sqrt(Q.shape[2])
    return softmax(Q @ split_heads(W_uk, len(Q)).transpose(0, 2, 1) @ latent.T) @ latent @ split_heads(W_uv, len(Q))
""",
    ),
}  # fmt: skip
