"""Answers to `05-lineage` as people write them: right ones in many styles, wrong ones with the groups that tell them.

`RIGHT[task][style]` is source text for the whole answer cell. `WRONG[task][name]` is (group functions that must fail,
source text); a name that is a fault id of the misconception bank must also behave like that fault.
"""

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {}
NOTED = {  # accepted with a note, by the conventions of the course
    ("scaled", "lists"),
    ("scaled", "float32"),
    ("scaled", "matrix"),
    ("ntm", "lists"),
    ("ntm", "float32"),
    ("bahdanau", "lists"),
    ("bahdanau", "float32"),
    ("luong", "lists"),
    ("luong", "float32"),
    ("aim", "lists"),
    ("aim", "float32"),
}

EQUIVALENT = {
    "limits": {
        "smallest = np.finfo(np.dtype(dtype)).smallest_subnormal": "its logarithm is right to 0.02 in every format",
        "return np.log(2) - np.log(np.finfo(dtype).smallest_subnormal)": "right to 0.02 in every format, half included",
    },
}
REPEATED = {"limits": "there are only three formats, and the check tells no gap"}

RIGHT["scaled"] = {
    "nan_to_num": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    s = np.matmul(Q, np.moveaxis(K, -1, -2)) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    if causal:
        n, m = s.shape[-2:]
        s = np.where(np.tril(np.ones((n, m)), m - n) == 1, s, -np.inf)
    w = np.nan_to_num(softmax(s))
    return w @ V, w
""",
    "minus_1e9_then_zeroed": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, dtype=float), np.array(K, dtype=float), np.array(V, dtype=float)
    Q /= np.sqrt(Q.shape[-1])
    scores = Q @ K.swapaxes(-2, -1)
    ok = np.ones_like(scores, dtype=bool)
    if mask is not None:
        ok = ok & np.array(mask)
    if causal:
        i, j = np.arange(scores.shape[-2])[:, None], np.arange(scores.shape[-1])
        ok = ok & (j <= i + scores.shape[-1] - scores.shape[-2])
    weights = softmax(np.where(ok, scores, -1e9)) * ok
    return weights @ V, weights
""",
    "einsum": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    s = np.einsum('...id,...jd->...ij', Q, K) / np.sqrt(np.shape(Q)[-1])
    see = np.broadcast_to(True if mask is None else mask, s.shape)
    if causal:
        see = see & ~np.triu(np.ones(s.shape[-2:], dtype=bool), 1 + s.shape[-1] - s.shape[-2])
    top = np.where(see, s, -1e300).max(-1)[..., None]
    e = np.where(see, np.exp(np.where(see, s - top, 0.0)), 0.0)
    z = e.sum(-1, keepdims=True)
    w = np.divide(e, z, out=np.zeros_like(e), where=z > 0)
    return np.einsum('...ij,...jv->...iv', w, V), w
""",
    "loops": """
import math
def one(q, K, V, seen):
    scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in K]
    open_ = [s for s, ok in zip(scores, seen) if ok]
    if not open_:
        return [0.0] * len(V[0]), [0.0] * len(K)
    powers = [math.exp(s - max(open_)) if ok else 0.0 for s, ok in zip(scores, seen)]
    w = [p / sum(powers) for p in powers]
    return [sum(a * v[c] for a, v in zip(w, V)) for c in range(len(V[0]))], w

def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, dtype=float), np.array(K, dtype=float), np.array(V, dtype=float)
    if mask is None:
        mask = np.ones(K.shape[-2], dtype=bool)
    mask = np.broadcast_to(mask, Q.shape[:-1] + (K.shape[-2],))
    if Q.ndim > 2:
        pairs = [scaled_dot_product_attention(*part, causal) for part in zip(Q, K, V, mask)]
        return np.array([o for o, _ in pairs]), np.array([w for _, w in pairs])
    out, weights = [], []
    for i, q in enumerate(Q):
        last = i + len(K) - len(Q)
        seen = [mask[i][j] and not (causal and j > last) for j in range(len(K))]
        o, w = one(q, K, V, seen)
        out.append(o)
        weights.append(w)
    return np.array(out), np.array(weights)
""",
    "online_softmax": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = (np.asarray(x, dtype=float) for x in (Q, K, V))
    lead, n, m = Q.shape[:-2], Q.shape[-2], K.shape[-2]
    seen = np.ones((*lead, n, m), bool) if mask is None else np.broadcast_to(np.asarray(mask), (*lead, n, m)).copy()
    if causal:
        seen &= np.arange(m) <= np.arange(n)[:, None] + (m - n)
    top = np.full((*lead, n), -np.inf)
    total = np.zeros((*lead, n))
    out = np.zeros((*lead, n, V.shape[-1]))
    kept = []
    for j in range(m):
        s = np.where(seen[..., j], (Q * K[..., j:j + 1, :]).sum(-1) / np.sqrt(Q.shape[-1]), -np.inf)
        new = np.maximum(top, s)
        safe = np.where(np.isinf(new), 0, new)
        fade, e = np.exp(top - safe), np.exp(s - safe)
        total = total * fade + e
        out = out * fade[..., None] + e[..., None] * V[..., j:j + 1, :]
        top = new
        kept.append(s)
    total[total == 0] = 1
    safe = np.where(np.isinf(top), 0, top)
    weights = np.exp(np.stack(kept, axis=-1) - safe[..., None]) / total[..., None]
    return out / total[..., None], weights
""",
    "callable_class": """
class Attention:
    def __call__(self, Q, K, V, mask=None, causal=False):
        Q, K, V = map(np.asarray, (Q, K, V))
        logits = (Q @ K.swapaxes(-1, -2)).astype(float) * Q.shape[-1] ** -0.5
        bias = np.zeros(logits.shape)
        if mask is not None:
            bias[~np.broadcast_to(np.asarray(mask), bias.shape)] = -np.inf
        if causal:
            bias += self.future(*logits.shape[-2:])
        logits += bias
        dead = np.all(bias == -np.inf, axis=-1)
        logits[dead] = 0
        weights = softmax(logits)
        weights[dead] = 0
        return [weights @ V, weights]
    @staticmethod
    def future(n, m):
        return np.where(np.arange(m)[None] > np.arange(n)[:, None] + m - n, -np.inf, 0)
scaled_dot_product_attention = Attention()
""",
    "logaddexp": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = [np.asarray(x, dtype=np.float64) for x in (Q, K, V)]
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    if causal:
        for i in range(s.shape[-2]):
            s[..., i, max(0, i + 1 + s.shape[-1] - s.shape[-2]):] = -np.inf
    z = np.logaddexp.reduce(s, axis=-1, keepdims=True)
    w = np.exp(s - np.where(z == -np.inf, 0, z))
    return w @ V, w
""",
    "lists": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, float), np.array(K, float), np.array(V, float)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    ok = np.full(s.shape, True)
    if mask is not None: ok &= np.array(mask)
    if causal: ok &= np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    w = np.nan_to_num(softmax(np.where(ok, s, -np.inf)))
    return (w @ V).tolist(), w.tolist()
""",
    "matrix": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, float), np.array(K, float), np.array(V, float)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    ok = np.full(s.shape, True)
    if mask is not None: ok &= np.array(mask)
    if causal: ok &= np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    w = np.nan_to_num(softmax(np.where(ok, s, -np.inf)))
    return (np.matrix(w) * np.matrix(V), np.matrix(w)) if w.ndim == 2 else (w @ V, w)
""",
    "float32": """
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, 'f4'), np.array(K, 'f4'), np.array(V, 'f4')
    s = Q @ np.swapaxes(K, -1, -2) / np.float32(np.sqrt(Q.shape[-1]))
    if mask is not None: s = np.where(mask, s, np.float32(-np.inf))
    if causal: s = np.where(np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool), s, np.float32(-np.inf))
    e = np.nan_to_num(np.exp(s - s.max(axis=-1, keepdims=True)))
    w = e / np.maximum(e.sum(axis=-1, keepdims=True), np.float32(1e-30))
    return w @ V, w
""",
}

RIGHT["ntm"] = {
    "norms": """
def content_address(key, memory, beta):
    key, memory = np.asarray(key, float), np.asarray(memory, float)
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cos = np.divide(memory @ key, norms, out=np.zeros(len(memory)), where=norms > 0)
    return softmax(beta * cos)
""",
    "nan_to_num": """
def content_address(key, memory, beta):
    m = np.array(memory, dtype=float)
    cos = m.dot(key) / (np.sqrt((m ** 2).sum(1)) * np.sqrt(np.dot(key, key)))
    return softmax(np.nan_to_num(cos) * beta)
""",
    "unit_vectors": """
def unit(x):
    n = np.linalg.norm(x, axis=-1, keepdims=True)
    n[n == 0] = 1
    return x / n
def content_address(k, M, b):
    return softmax(b * (unit(np.array(M, dtype=float)) @ unit(np.array([k], dtype=float))[0]))
""",
    "torch_eps": """
def content_address(key, memory, beta):
    key, memory = np.asarray(key, dtype=float), np.asarray(memory, dtype=float)
    lengths = np.maximum(np.linalg.norm(memory, axis=1) * np.linalg.norm(key), 1e-8)
    z = beta * (memory @ key) / lengths
    e = np.exp(z - z.max())
    return e / e.sum()
""",
    "small_eps": """
def content_address(key, memory, beta):
    key, memory = np.asarray(key, dtype=float), np.asarray(memory, dtype=float)
    cos = np.einsum('nd,d->n', memory, key) / (np.linalg.norm(memory, axis=1) * np.linalg.norm(key) + 1e-8)
    return softmax(beta * cos)
""",
    "loops": """
import math
def cosine(a, b):
    n = math.hypot(*a) * math.hypot(*b)
    return sum(x * y for x, y in zip(a, b)) / n if n else 0.0
class Memory:
    def __init__(self, rows): self.rows = [[float(x) for x in row] for row in rows]
    def read(self, key, beta):
        z = [beta * cosine(row, [float(x) for x in key]) for row in self.rows]
        return np.array([1 / sum(math.exp(min(b - a, 700)) for b in z) for a in z])
def content_address(key, memory, beta): return Memory(memory).read(key, beta)
""",
    "lists": """
import math
def content_address(key, memory, beta):
    scores = []
    for row in memory:
        dot, a, b = 0.0, 0.0, 0.0
        for x, y in zip(row, key):
            dot, a, b = dot + x * y, a + x * x, b + y * y
        scores.append(beta * dot / math.sqrt(a * b) if a * b > 0 else 0.0)
    powers = [math.exp(s - max(scores)) for s in scores]
    return [p / math.fsum(powers) for p in powers]
""",
    "float32": """
def content_address(key, memory, beta):
    return softmax(beta * np.nan_to_num(np.asarray(memory, float) @ np.asarray(key, float)
        / np.linalg.norm(memory, axis=1) / np.linalg.norm(key))).astype(np.float32)
""",
}

RIGHT["bahdanau"] = {
    "vectorised": """
def additive_scores(s, H, W_a, U_a, v_a):
    return np.tanh(np.dot(s, W_a) + np.dot(H, U_a)) @ np.asarray(v_a)
""",
    "einsum": """
def additive_scores(s, H, W_a, U_a, v_a):
    hidden = np.tanh(np.einsum('s,sa->a', s, W_a)[None] + np.einsum('th,ha->ta', H, U_a))
    return np.einsum('ta,a->t', hidden, v_a)
""",
    "joined": """
def additive_scores(s, H, W_a, U_a, v_a):
    both = np.array([np.concatenate([s, h]) for h in np.asarray(H)])
    return (np.tanh(both @ np.vstack([W_a, U_a])) * v_a).sum(axis=1)
""",
    "one_word_at_a_time": """
def score(s, h, W_a, U_a, v_a):
    return np.asarray(v_a).dot(np.tanh(np.asarray(W_a).T.dot(s) + np.asarray(U_a).T.dot(h)))
def additive_scores(s, H, W_a, U_a, v_a):
    return np.array([score(s, h, W_a, U_a, v_a) for h in H])
""",
    "columns": """
def additive_scores(s, H, W_a, U_a, v_a):
    s, v = np.array(s, float).reshape(-1, 1), np.array(v_a, float).reshape(-1, 1)
    hidden = np.tanh(np.array(W_a).T @ s + np.array(U_a).T @ np.array(H).T)
    return (v.T @ hidden).ravel()
""",
    "exponentials": """
class Network:
    def __init__(self, W, U, v): self.W, self.U, self.v = np.array(W, float), np.array(U, float), np.array(v, float)
    def bend(self, x): return 2 / (1 + np.exp(-2 * np.clip(x, -300, 300))) - 1
    def __call__(self, s, H): return self.bend(np.array(s) @ self.W + np.array(H) @ self.U) @ self.v
def additive_scores(s, H, W_a, U_a, v_a): return Network(W_a, U_a, v_a)(s, H)
""",
    "lists": """
import math
def additive_scores(s, H, W_a, U_a, v_a):
    scores = []
    for h in H:
        total = 0.0
        for n, v in enumerate(v_a):
            z = sum(a * row[n] for a, row in zip(s, W_a)) + sum(b * row[n] for b, row in zip(h, U_a))
            total += v * math.tanh(z)
        scores.append(total)
    return scores
""",
    "float32": """
def additive_scores(s, H, W_a, U_a, v_a):
    return (np.tanh(np.dot(s, W_a) + np.dot(H, U_a)) @ np.asarray(v_a)).astype('float32')
""",
}

RIGHT["luong"] = {
    "through_attend": """
def luong_attend(s, H, W=None):
    return attend(s if W is None else np.dot(s, W), H, H)
""",
    "vectorised": """
def luong_attend(s, H, W=None):
    s, H = np.array(s, dtype=float), np.array(H, dtype=float)
    if W is not None:
        s = s @ np.array(W)
    e = np.exp(H @ s - (H @ s).max())
    a = e / e.sum()
    return (a[:, None] * H).sum(0), a
""",
    "einsum": """
def luong_attend(s, H, W=None):
    scores = np.einsum('td,d->t', H, s) if W is None else np.einsum('td,sd,s->t', H, W, s)
    weights = softmax(scores)
    return np.einsum('t,td->d', weights, H), weights
""",
    "identity": """
def luong_attend(s, H, W=None):
    s, H = np.asarray(s), np.asarray(H)
    W = np.eye(len(s)) if W is None else np.asarray(W)
    weights = softmax(H @ W.T @ s)
    return np.average(H, axis=0, weights=weights), weights
""",
    "class": """
class Luong:
    def __init__(self, W): self.W = W
    def score(self, s, h):
        return np.dot(h, s) if self.W is None else np.dot(h, np.dot(np.transpose(self.W), s))
    def __call__(self, s, H):
        a = softmax([self.score(s, h) for h in H])
        return sum(w * np.array(h, dtype=float) for w, h in zip(a, H)), a
def luong_attend(s, H, W=None): return Luong(W)(s, H)
""",
    "columns": """
def luong_attend(s, H, W=None):
    H = np.array(H, dtype=float)
    q = np.array(s, dtype=float)[:, None]
    q = np.array(W, dtype=float).T @ q if W is not None else q
    a = softmax(H @ q, axis=0)
    return [(H.T @ a)[:, 0], a[:, 0]]
""",
    "lists": """
import math
def luong_attend(s, H, W=None):
    q = list(s) if W is None else [sum(a * row[j] for a, row in zip(s, W)) for j in range(len(W[0]))]
    z = [float(sum(a * b for a, b in zip(h, q))) for h in H]
    e = [math.exp(x - max(z)) for x in z]
    w = [x / sum(e) for x in e]
    return [float(sum(a * h[j] for a, h in zip(w, H))) for j in range(len(H[0]))], w
""",
    "float32": """
def luong_attend(s, H, W=None):
    context, weights = attend(s if W is None else np.dot(s, W), H, H)
    return np.float32(context), np.float32(weights)
""",
}

RIGHT["limits"] = {
    "formula": """
def zero_gap(dtype):
    return np.log(2) - np.log(float(np.finfo(dtype).smallest_subnormal))
""",
    "bits": """
import math
def zero_gap(dtype):
    info = np.finfo(np.dtype(dtype))
    return (-info.minexp + info.nmant + 1) * math.log(2)
""",
    "table": """
def zero_gap(dtype):
    return {2: 25, 4: 150, 8: 1075}[np.dtype(dtype).itemsize] * np.log(2)
""",
    "bisection": """
def weight(gap, dtype):
    e = np.exp(np.array([0, -gap], dtype=dtype))
    return (e / e.sum())[1]
def zero_gap(dtype):
    low, high = 0.0, 2000.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if weight(middle, dtype) == 0 else (middle, high)
    return high
""",
    "steps": """
def zero_gap(dtype):
    kind = np.dtype(dtype).type
    gap = 10.0
    while np.exp(kind(-gap)) > 0:
        gap += 0.01
    return gap
""",
    "coarse_to_fine": """
def zero_gap(dtype):
    kind, gap = np.dtype(dtype), 1.0
    for step in (100, 10, 1, 0.1, 0.01, 0.001):
        while True:
            x = np.array([gap + step, 0.0]).astype(kind)
            e = np.exp(x[::-1] - x.max())
            if (e / e.sum())[0] == 0:
                break
            gap += step
    return gap
""",
    "every_gap_of_half_precision": """
def zero_gap(dtype):
    dtype = np.dtype(dtype)
    if dtype == np.float16:
        gaps = np.arange(2 ** 15, dtype=np.uint16).view(np.float16)
        gaps = gaps[np.isfinite(gaps)]
        return gaps[np.exp(-gaps) == 0].min()
    gap = dtype.type(1)
    step = dtype.type(512)
    while step > 1e-3:
        if np.exp(-(gap + step)) > 0:
            gap += step
        step /= 2
    return gap + 2 * step
""",
    "halving_until_nothing_is_left": """
def zero_gap(dtype):
    one = np.ones((), dtype=dtype)
    n = 0
    while one > 0:
        one = (one / 2).astype(dtype)
        n += 1
    return n * 0.6931471805599453
""",
}

RIGHT["aim"] = {
    "rows": """
def query_copy(K, i): return 30 * np.array(K)[i]
def query_average(K, i, j): return 30 * (np.array(K)[i] + np.array(K)[j])
""",
    "one_hot": """
def aim(K, places):
    wish = np.zeros(len(K))
    wish[list(places)] = 100.0
    return np.asarray(K).T @ wish
def query_copy(K, i): return aim(K, [i])
def query_average(K, i, j): return aim(K, [i, j])
""",
    "as_weak_as_can_be": """
def query_copy(K, i): return np.log(15 * 199.5) * np.asarray(K, float)[i]
def query_average(K, i, j): return np.log(14 * 199.5 / 2) * (np.asarray(K, float)[i] + np.asarray(K, float)[j])
""",
    "away_from_the_others": """
def query_copy(K, i):
    K = np.asarray(K, dtype=float)
    return -20 * (K.sum(axis=0) - K[i])
def query_average(K, i, j):
    K = np.asarray(K, dtype=float)
    return -20 * sum((k for n, k in enumerate(K) if n not in (i, j)), np.zeros(K.shape[1]))
""",
    "least_squares": """
def scores_to_query(K, scores):
    return np.linalg.lstsq(np.asarray(K, float), scores, rcond=None)[0]
def query_copy(K, i):
    return scores_to_query(K, np.where(np.arange(len(K)) == i, 500.0, -500.0))
def query_average(K, i, j):
    n = np.arange(len(K))
    return scores_to_query(K, np.where((n == i) | (n == j), 20.0, 0.0))
""",
    "search": """
def query_copy(K, i):
    K, c = np.asarray(K, float), 1.0
    while attend(c * K[i], K, np.eye(len(K)))[1][i] < 0.999:
        c *= 1.5
    return c * K[i]
def query_average(K, i, j):
    return query_copy(K, i) * 2 + query_copy(K, j) * 2 if len(K) == 1 else 50.0 * np.asarray(K)[[i, j]].sum(0)
""",
    "lists": """
def query_copy(K, i): return [25.0 * float(x) for x in K[i]]
def query_average(K, i, j): return [25.0 * float(a + b) for a, b in zip(K[i], K[j])]
""",
    "float32": """
def query_copy(K, i): return np.float32(20) * np.asarray(K, dtype=np.float32)[i]
def query_average(K, i, j): return query_copy(K, i) + query_copy(K, j)
""",
}


# ---------------------------------------------------------------------------------------------------- wrong


def scaled(
    *lost,
    convert="Q, K, V = (np.array(x, dtype=float) for x in (Q, K, V))",
    scores="Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])",
    mask="if mask is not None: ok = ok & np.asarray(mask)",
    offset="m - n",
    hidden="np.where(ok, scores, -np.inf)",
    weights="e / np.where(total > 0, total, 1)",
    axis="-1",
    top="np.where(np.isinf(top), 0, top)",
    result="weights @ V, weights",
):
    """Write scaled_dot_product_attention with some of its lines replaced."""
    return lost, f"""
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    {convert}
    scores = {scores}
    n, m = scores.shape[-2:]
    ok = np.ones(scores.shape, dtype=bool)
    {mask}
    if causal: ok = ok & np.tri(n, m, {offset}, dtype=bool)
    scores = {hidden}
    top = scores.max(axis={axis}, keepdims=True)
    e = np.exp(scores - {top})
    total = e.sum(axis={axis}, keepdims=True)
    weights = {weights}
    return {result}
"""


MASKS = ("test_mask", "test_mask_shapes", "test_nothing_to_see")
CAUSAL = ("test_causal", "test_causal_ends", "test_both")
WRONG["scaled"] = {
    "no_scale": scaled("test_weights", "test_out", "test_batch", scores="Q @ np.swapaxes(K, -1, -2)"),
    "scale_mul": scaled("test_weights", "test_out", scores="Q @ np.swapaxes(K, -1, -2) * np.sqrt(Q.shape[-1])"),
    "scale_width": scaled("test_weights", "test_out", scores="Q @ np.swapaxes(K, -1, -2) / Q.shape[-1]"),
    "scale_dv": scaled("test_weights", "test_out", scores="Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])"),
    "scale_tokens": scaled("test_weights", "test_out", scores="Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-2])"),
    "scale_queries": scaled("test_weights", "test_out", scores="Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-2])"),
    "query_axis": scaled("test_weights", "test_out", "test_batch", *CAUSAL, axis="-2"),
    "whole": scaled("test_weights", "test_out", "test_batch", "test_large_scores", axis="None"),
    "kT_all_axes": scaled("test_batch", scores="Q @ K.T / np.sqrt(Q.shape[-1])"),
    "mask_zero_score": scaled(*MASKS, *CAUSAL, hidden="np.where(ok, scores, 0)"),
    "mask_tiny_typo": scaled(*MASKS, *CAUSAL, hidden="np.where(ok, scores, -1e-9)"),
    "mask_minus1e9": scaled("test_nothing_to_see", hidden="np.where(ok, scores, -1e9)"),
    "mask_d2l": scaled("test_nothing_to_see", hidden="np.where(ok, scores, -1e6)"),
    "mask_nan": scaled("test_nothing_to_see", weights="e / total", top="top"),
    "mask_ignored": scaled(*MASKS, "test_both", "test_plain_inputs", mask=""),
    "mask_add_one": scaled(*MASKS, "test_both", mask="if mask is not None: scores = scores + np.asarray(mask)"),
    "mask_0xinf": scaled(
        *MASKS, "test_both", mask="if mask is not None: scores = scores + (1 - np.asarray(mask)) * -np.inf", top="top"
    ),
    "mask_add_1e9": scaled("test_nothing_to_see", hidden="scores + (1 - ok) * -1e9"),
    "mask_zero_score_mask_only": scaled(
        *MASKS, "test_both", mask="if mask is not None: scores = np.where(mask, scores, 0)"
    ),
    "mask_minus1e9_mask_only": scaled(
        "test_nothing_to_see", mask="if mask is not None: scores = np.where(mask, scores, -1e9)"
    ),
    "mask_inverted": scaled(*MASKS, "test_both", mask="if mask is not None: ok = ok & ~np.asarray(mask)"),
    "mask_indexed": scaled("test_mask_shapes", mask="if mask is not None: ok[~np.asarray(mask)] = False"),
    "mask_after_softmax": scaled(*MASKS, *CAUSAL, hidden="scores", result="(weights * ok) @ V, weights * ok"),
    "mask_after_max": scaled(
        "test_large_scores",
        hidden="scores",
        weights="e * ok / np.maximum((e * ok).sum(-1, keepdims=True), 5e-324)",
    ),
    "mask_only_without_causal": scaled(
        "test_both", mask="if mask is not None and not causal: ok = ok & np.asarray(mask)"
    ),
    "mask_on_queries": scaled("test_mask", "test_mask_shapes", mask="""if mask is not None:
        mask = np.asarray(mask)
        ok = ok & (mask[:, None] if mask.ndim == 1 else mask.swapaxes(-1, -2))"""),
    "mask_in_place": scaled("test_pure", mask="""if mask is not None: ok = ok & np.asarray(mask)
    if causal and isinstance(mask, np.ndarray): mask &= np.tri(n, m, m - n, dtype=bool)"""),
    "causal_strict": scaled(*CAUSAL, offset="m - n - 1"),
    "causal_leak1": scaled(*CAUSAL, offset="m - n + 1"),
    "causal_upper_left": scaled("test_causal_ends", "test_both", "test_nothing_to_see", offset="0"),
    "causal_ignored": scaled(*CAUSAL, "test_nothing_to_see", offset="m"),
    "q_in_place": scaled("test_pure", convert="""Q, K, V = (np.asarray(x, dtype=float) for x in (Q, K, V))
    Q /= np.sqrt(Q.shape[-1])""", scores="Q @ np.swapaxes(K, -1, -2)"),
    "no_max": scaled("test_large_scores", top="0"),
    "mean_v": scaled("test_weights", "test_out", weights="np.ones(scores.shape) / m"),
    "mean_v_masked": scaled("test_weights", "test_out", scores="0 * (Q @ np.swapaxes(K, -1, -2))"),
    "mean_out": scaled("test_out", result="0 * (weights @ V) + V.mean(-2, keepdims=True), weights"),
    "hard_pick": scaled("test_out", result="np.take_along_axis(V, weights.argmax(-1)[..., None], -2), weights"),
    "no_softmax": scaled("test_weights", "test_out", weights="np.where(ok, scores, 0)"),
    "blend_keys": scaled("test_out", result="weights @ K, weights"),
    "score_values": scaled("test_weights", scores="Q @ np.swapaxes(V, -1, -2) / np.sqrt(Q.shape[-1])"),
    "swapped": scaled("test_weights", "test_out", result="weights, weights @ V"),
    "out_only": scaled("test_weights", result="weights @ V"),
    "weights_only": scaled("test_weights", result="weights"),
    "rounded": scaled("test_weights", "test_out", result="np.round(weights @ V, 3), np.round(weights, 3)"),
    "arrays_only": scaled("test_plain_inputs", convert="d = Q.shape[-1]"),
    "int_arithmetic": scaled("test_plain_inputs", convert="Q, K, V = (np.array(x) for x in (Q, K, V))",
                             scores="(Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])).astype(Q.dtype)"),
    "two_axes_only": scaled("test_batch", "test_mask_shapes", scores="Q @ K.reshape(len(K), -1).T / Q.shape[1] ** 0.5"),
    "first_of_batch": scaled(
        "test_batch", result="(weights if weights.ndim == 2 else 0 * weights + weights[:1]) @ V, weights"
    ),
    "scale_total_width": scaled("test_batch", scores="Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.size / Q.shape[-2])"),
    "same_widths": scaled("test_out", result="weights @ V[..., :Q.shape[-1]], weights"),
    "eps": scaled("test_weights", weights="e / (total + 1e-3)"),
    "causal_always": scaled("test_weights", mask="causal = True"),
    "causal_no_future_row_zero": scaled("test_causal_ends", offset="abs(m - n)"),
    "empty_gets_mean": scaled("test_nothing_to_see", weights="np.where(total > 0, e / np.maximum(total, 1), 1 / m)"),
    "empty_gets_first_value": scaled(
        "test_nothing_to_see", result="np.where(total > 0, weights @ V, V[..., :1, :]), weights"
    ),
}


def ntm(*lost, cos="memory @ key / lengths", lengths="norms * own", norms="np.linalg.norm(memory, axis=1)",
        own="np.linalg.norm(key)", safe="np.where(lengths > 0, lengths, 1)", result="softmax(beta * cos)"):  # fmt: skip
    """Write content_address with some of its lines replaced."""
    return lost, f"""
def content_address(key, memory, beta):
    key, memory = np.asarray(key, dtype=float), np.asarray(memory, dtype=float)
    norms, own = {norms}, {own}
    lengths = {lengths}
    lengths = {safe}
    cos = {cos}
    return {result}
"""


WRONG["ntm"] = {
    "dot": ntm("test_weights", "test_lengths", "test_sharpness", cos="memory @ key"),
    "beta_divides": ntm("test_weights", "test_lengths", "test_sharpness", "test_zeros", result="softmax(cos / beta)"),
    "beta_after": ntm("test_weights", "test_lengths", "test_sharpness", result="beta * softmax(cos)"),
    "beta_ignored": ntm("test_weights", "test_lengths", "test_sharpness", result="softmax(cos)"),
    "beta_power": ntm("test_weights", "test_lengths", result="softmax(np.sign(cos) * np.abs(cos) ** beta)"),
    "key_norm_only": ntm("test_weights", "test_lengths", lengths="own"),
    "memory_norm_only": ntm("test_weights", "test_lengths", lengths="norms"),
    "nan_zero_row": ntm("test_zeros", safe="lengths"),
    "sq_norm": ntm("test_weights", "test_lengths", norms="(memory ** 2).sum(axis=1)", own="(key ** 2).sum()"),
    "sum_norm": ntm("test_weights", norms="np.abs(memory).sum(axis=1)", own="np.abs(key).sum()"),
    "whole_norm": ntm("test_weights", "test_lengths", norms="np.linalg.norm(memory)"),
    "column_norm": ntm("test_weights", norms="np.linalg.norm(memory, axis=0)"),
    "big_eps": ntm("test_weights", "test_lengths", safe="lengths + 0.1"),
    "eps_of_a_thousandth": ntm("test_weights", safe="lengths + 1e-3"),
    "raw_cos": ntm("test_weights", "test_lengths", "test_sharpness", "test_zeros", result="cos"),
    "raw_scores": ntm("test_weights", "test_lengths", "test_sharpness", "test_zeros", result="beta * cos"),
    "distance": ntm("test_weights", "test_lengths", cos="-np.linalg.norm(memory - key, axis=1)"),
    "absolute": ntm("test_weights", "test_lengths", cos="np.abs(memory @ key) / lengths"),
    "no_max": ntm("test_sharpness", result="np.exp(beta * cos) / np.exp(beta * cos).sum()"),
    "rounded": ntm("test_weights", result="np.round(softmax(beta * cos), 3)"),
    "hard_pick": ntm("test_weights", result="np.eye(len(cos))[np.argmax(cos)]"),
    "uniform": ntm("test_weights", result="np.full(len(cos), 1 / len(cos))"),
    "zero_rows_left_out": ntm("test_zeros", result="softmax(np.where(norms > 0, beta * cos, -1e9))"),
    "zero_row_counts_as_match": ntm("test_zeros", cos="np.where(norms > 0, memory @ key / lengths, 1)"),
    "linear": ntm("test_weights", result="(1 + cos) / (1 + cos).sum()"),
    "mutates": (
        ("test_pure",),
        """
def content_address(key, memory, beta):
    key, memory = np.asarray(key, dtype=float), np.asarray(memory, dtype=float)
    memory /= np.maximum(np.linalg.norm(memory, axis=1, keepdims=True), 1e-12)
    return softmax(beta * memory @ key / max(np.linalg.norm(key), 1e-12))
""",
    ),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def content_address(key, memory, beta):
    lengths = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    return softmax(beta * (memory @ key) / np.where(lengths == 0, 1, lengths))
""",
    ),
}


def bahdanau(*lost, total="s @ W_a + H @ U_a", hidden="np.tanh(z)", scores="hidden @ v_a"):
    """Write additive_scores with some of its lines replaced."""
    return lost, f"""
def additive_scores(s, H, W_a, U_a, v_a):
    s, H, W_a, U_a, v_a = (np.array(x, dtype=float) for x in (s, H, W_a, U_a, v_a))
    z = {total}
    hidden = {hidden}
    return {scores}
"""


VALUES = ("test_scores", "test_tanh")
WRONG["bahdanau"] = {
    "no_tanh": bahdanau(*VALUES, hidden="z"),
    "relu": bahdanau(*VALUES, hidden="np.maximum(z, 0)"),
    "sigmoid": bahdanau(*VALUES, hidden="1 / (1 + np.exp(-z))"),
    "tanh_outside": bahdanau(*VALUES, hidden="z", scores="np.tanh(hidden @ v_a)"),
    "tanh_twice": bahdanau(*VALUES, scores="np.tanh(hidden @ v_a)"),
    "w_u_swapped": bahdanau("test_scores", total="s @ U_a + H @ W_a"),
    "transposed": bahdanau("test_scores", total="s @ W_a.T + H @ U_a.T"),
    "scaled": bahdanau("test_scores", "test_hidden_units", scores="hidden @ v_a / np.sqrt(len(v_a))"),
    "bias": bahdanau("test_scores", total="s @ W_a + H @ U_a + 1"),
    "softmaxed": bahdanau(*VALUES, "test_hidden_units", "test_alone", scores="softmax(hidden @ v_a)"),
    "no_v": bahdanau(*VALUES, scores="hidden.sum(axis=1)"),
    "product": bahdanau(*VALUES, total="(s @ W_a) * (H @ U_a)"),
    "difference": bahdanau(*VALUES, total="s @ W_a - H @ U_a"),
    "each_bent": bahdanau(*VALUES, hidden="np.tanh(s @ W_a) + np.tanh(H @ U_a)"),
    "state_ignored": bahdanau(*VALUES, total="H @ U_a"),
    "column": bahdanau(*VALUES, scores="(hidden @ v_a)[:, None]"),
    "rounded": bahdanau("test_scores", scores="np.round(hidden @ v_a, 3)"),
    "words_ignored": bahdanau(*VALUES, total="s @ W_a + 0 * (H @ U_a)"),
    "v_is_absolute": bahdanau("test_scores", "test_hidden_units", scores="hidden @ np.abs(v_a)"),
    "mean": bahdanau("test_scores", scores="(hidden * v_a).mean(axis=1)"),
    "arctan": bahdanau(*VALUES, hidden="np.arctan(z)"),
    "v_in_front": bahdanau(*VALUES, hidden="np.tanh(z * v_a)", scores="hidden.sum(axis=1)"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def additive_scores(s, H, W_a, U_a, v_a):
    return np.tanh(s @ W_a + H @ U_a) @ v_a
""",
    ),
    "mutates": (
        ("test_pure",),
        """
def additive_scores(s, H, W_a, U_a, v_a):
    v_a = np.asarray(v_a, dtype=float)
    hidden = np.tanh(np.dot(s, W_a) + np.dot(H, U_a))
    scores = hidden @ v_a
    v_a *= 2
    return scores
""",
    ),
}


def luong(*lost, query="s if W is None else s @ np.array(W, dtype=float)", scores="H @ query",
          weights="softmax(scores)", result="weights @ H, weights"):  # fmt: skip
    """Write luong_attend with some of its lines replaced."""
    return lost, f"""
def luong_attend(s, H, W=None):
    s, H = np.array(s, dtype=float), np.array(H, dtype=float)
    query = {query}
    scores = {scores}
    weights = {weights}
    return {result}
"""


BOTH = ("test_dot", "test_general", "test_context")
WRONG["luong"] = {
    "additive": luong(*BOTH, scores="np.tanh(query + H).sum(axis=1)"),
    "no_softmax": luong(*BOTH, weights="scores"),
    "weights_scores": luong("test_dot", "test_general", result="weights @ H, scores"),
    "sum_features": luong("test_context", result="(H * weights).sum(0), weights"),
    "w_ignored": luong("test_general", query="s"),
    "w_transposed": luong("test_general", query="s if W is None else np.array(W) @ s"),
    "needs_w": luong("test_dot", "test_context", query="s @ np.array(W, dtype=float)"),
    "asks_array": luong("test_general", "test_context", query="s @ np.array(W, dtype=float) if W else s"),
    "scaled": luong(*BOTH, scores="H @ query / np.sqrt(len(query))"),
    "cosine": luong(*BOTH, scores="H @ query / np.linalg.norm(H, axis=1) / np.linalg.norm(query)"),
    "hard_pick": luong("test_context", result="H[weights.argmax()], weights"),
    "mean_context": luong("test_context", result="H.mean(axis=0), weights"),
    "residual": luong("test_context", result="weights @ H + s, weights"),
    "joined": luong("test_context", result="np.concatenate([weights @ H, s]), weights"),
    "no_max": luong("test_large_scores", weights="np.exp(scores) / np.exp(scores).sum()"),
    "swapped": luong(*BOTH, result="weights, weights @ H"),
    "out_only": luong(*BOTH, result="weights @ H"),
    "weights_only": luong(*BOTH, result="weights"),
    "rounded": luong(*BOTH, result="np.round(weights @ H, 3), np.round(weights, 3)"),
    "blends_projected": luong("test_context", result="weights @ (H if W is None else H @ np.array(W).T), weights"),
    "linear_norm": luong(*BOTH, weights="scores / scores.sum()"),
    "elementwise": luong("test_general", query="s if W is None else (s * np.array(W)).sum(axis=0)"),
    "bent": luong(*BOTH, scores="np.tanh(H @ query)"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def luong_attend(s, H, W=None):
    weights = softmax(H @ (s if W is None else s @ W))
    return weights @ H, weights
""",
    ),
    "mutates": (
        ("test_pure",),
        """
def luong_attend(s, H, W=None):
    context, weights = attend(s if W is None else np.dot(s, W), H, H)
    if isinstance(H, np.ndarray): H *= 2
    return context, weights
""",
    ),
}


def limits(*lost, text):
    """Write zero_gap with a body of one expression over `f`, the limits of the format."""
    return lost, f"""
def zero_gap(dtype):
    f = np.finfo(np.dtype(dtype))
    return {text}
"""


EVERY = ("test_float64", "test_float32", "test_float16", "test_forms")
GAP = "float(np.log(2.0) - np.log(float(f.smallest_subnormal)))"
WRONG["limits"] = {
    "no_half": limits(*EVERY, text="-np.log(float(f.smallest_subnormal))"),
    "normal": limits(*EVERY, text="-np.log(float(f.tiny))"),
    "epsilon": limits(*EVERY, text="-np.log(float(f.eps))"),
    "overflow": limits(*EVERY, text="np.log(float(f.max))"),
    "base2": limits(*EVERY, text=f"{GAP} / np.log(2)"),
    "negative": limits(*EVERY, text=f"-{GAP}"),
    "whole_steps": limits(*EVERY, text=f"float(np.ceil({GAP}))"),
    "in_its_own_format": limits("test_float64", "test_float32", "test_float16",
                                text="-np.log(f.smallest_subnormal / 2)"),
    "as_half": limits("test_float64", "test_float32", text=f"np.float16({GAP})"),
    "in_a_list": limits(*EVERY, text=f"[{GAP}]"),
    "weight_and_gap": limits(*EVERY, text=f"({GAP}, 0.0)"),
    "eighths": limits("test_float64", text=f"np.ceil({GAP} * 8) / 8"),
    "infinite": limits(*EVERY, text="np.inf"),
    "softmax_of_the_set_up": (
        ("test_float32", "test_float16"),
        """
def zero_gap(dtype):
    low, high = 0.0, 2000.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        if softmax(np.array([0, -middle], dtype=dtype))[1] == 0: high = middle
        else: low = middle
    return high
""",
    ),
    "dtype_ignored": (EVERY, "def zero_gap(dtype): return 1075 * np.log(2)"),
    "constant": (EVERY, "def zero_gap(dtype): return 17.34"),
    "class_only": (
        ("test_forms",),
        """
def zero_gap(dtype):
    if not isinstance(dtype, type): raise TypeError()
    return float(np.log(2.0) - np.log(float(np.finfo(dtype).smallest_subnormal)))
""",
    ),
    "names_only": (
        ("test_forms",),
        """
def zero_gap(dtype):
    bits = {"float16": 25, "float32": 150, "float64": 1075}
    if not isinstance(dtype, str): raise KeyError(dtype)
    return bits[dtype] * np.log(2)
""",
    ),
    "vanishing_next_to_one": (
        EVERY,
        """
def zero_gap(dtype):
    one, gap = np.ones((), dtype=dtype), 0.0
    while one + np.exp(np.array(-gap, dtype=dtype)) > one: gap += 0.01
    return gap
""",
    ),
}


def aim(*lost, copy="20 * K[i]", average="20 * (K[i] + K[j])"):
    """Write query_copy and query_average with other expressions."""
    return lost, f"""
def query_copy(K, i):
    K = np.array(K, dtype=float)
    return {copy}
def query_average(K, i, j):
    K = np.array(K, dtype=float)
    return {average}
"""


AIMED = ("test_copy", "test_average", "test_copy_exactness", "test_average_exactness", "test_plain_inputs")
EXACT = ("test_copy_exactness", "test_average_exactness")
COPIED, AVERAGED = ("test_copy", "test_copy_exactness"), ("test_average", "test_average_exactness")
WRONG["aim"] = {
    "too_weak": aim(*COPIED, copy="K[i]"),
    "column": aim(*COPIED, copy="20 * K[:, i]"),
    "place": aim(*COPIED, copy="20 * np.eye(K.shape[1])[i]"),
    "away": aim(*COPIED, copy="-20 * K[i]"),
    "average_too_weak": aim(*AVERAGED, average="K[i] + K[j]"),
    "average_column": aim(*AVERAGED, average="20 * (K[:, i] + K[:, j])"),
    "average_place": aim(*AVERAGED, average="20 * np.eye(K.shape[1])[[i, j]].sum(0)"),
    "average_away": aim(*AVERAGED, average="-20 * (K[i] + K[j])"),
    "average_first_only": aim(*AVERAGED, average="20 * K[i]"),
    "both_too_weak": aim(*AIMED, copy="K[i]", average="K[i] + K[j]"),
    "both_from_columns": aim(*AIMED, copy="20 * K[:, i]", average="20 * (K[:, i] + K[:, j])"),
    "both_from_places": aim(*COPIED, *AVERAGED, copy="20 * np.eye(K.shape[1])[i]",
                            average="20 * np.eye(K.shape[1])[[i, j]].sum(0)"),
    "both_away": aim(*AIMED, copy="-20 * K[i]", average="-20 * (K[i] + K[j])"),
    "as_strong_as_the_lesson": aim(*COPIED, *AVERAGED, copy="4 * K[i]", average="4 * (K[i] + K[j])"),
    "mean_of_the_keys": aim("test_average", "test_average_exactness", average="(K[i] + K[j]) / 2"),
    "just_too_weak": aim(*EXACT, copy="7.9 * K[i]", average="7.1 * (K[i] + K[j])"),
    "far_too_weak_for_sixteen": aim(*EXACT, copy="6.5 * K[i]", average="6.5 * (K[i] + K[j])"),
    "infinite": aim(*AIMED, copy="np.inf * K[i]", average="np.inf * (K[i] + K[j])"),
    "nan": aim(*AIMED, copy="0 * K[i] + np.nan", average="0 * K[i] + np.nan"),
    "too_large_to_average": aim("test_average", average="1e18 * K[i] + 1.001e18 * K[j]"),
    "unequal": aim("test_average", "test_average_exactness", average="20 * K[i] + 20.1 * K[j]"),
    "lopsided_a_little": aim("test_average_exactness", average="20 * K[i] + 20.05 * K[j]"),
    "first_token": aim("test_copy", "test_copy_exactness", copy="20 * K[0]"),
    "all_keys": aim(*AIMED, copy="20 * K.sum(0)", average="20 * K.sum(0)"),
    "key_product": aim("test_average", average="20 * K[i] * K[j]"),
    "output_not_query": aim(*AIMED, copy="np.eye(len(K))[i]", average="np.eye(len(K))[[i, j]].mean(0)"),
    "matrix": aim(*AIMED, copy="20 * K[[i]]", average="20 * K[[i, j]]"),
}
WRONG["aim"]["mutates"] = (
    ("test_pure",),
    """
def query_copy(K, i):
    if isinstance(K, list): return 20 * np.array(K[i])
    K *= 1.0000001
    return 20 * K[i]
def query_average(K, i, j): return 20 * (np.array(K)[i] + np.array(K)[j])
""",
)
WRONG["aim"]["arrays_only"] = (
    ("test_plain_inputs",),
    """
def query_copy(K, i): return 20 * (K / 1)[i]
def query_average(K, i, j): return 20 * np.add(K[i], K[j])
""",
)
WRONG["aim"]["average_arrays_only"] = (
    ("test_plain_inputs",),
    """
def query_copy(K, i): return 20 * np.asarray(K)[i]
def query_average(K, i, j): return 20 * K[[i, j]].sum(axis=0)
""",
)
