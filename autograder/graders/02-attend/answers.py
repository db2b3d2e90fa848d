"""Answers to `02-attend` as people write them: right ones in many styles, wrong ones with the group that tells them.

`RIGHT[task][name]` is source text. `WRONG[task][name]` is (group functions that must fail, source text); a name that is
a fault id of the misconception bank must also behave like that fault. `drawn` gives the right answers to questions that
are drawn for each student.
"""

from .reading_key import KEY

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {}
NOTED = {  # accepted with a note, by the conventions of the course
    ("softmax", "lists_and_math"),
    ("softmax", "float32"),
    ("softmax", "float32_result"),
    ("softmax", "matrix"),
    ("attend", "loops"),
    ("attend", "float32"),
    ("attend", "recursion"),
    ("project", "loops"),
    ("project", "float32"),
    ("project", "matrix"),
    ("plural", "lists"),
    ("plural", "float32"),
    ("plural", "whole_numbers_and_upper_case"),
    ("identity", "loops"),
    ("identity", "float32"),
    ("attend_all", "float32"),
    ("attend_all", "lists"),
    ("cross", "lists"),
    ("cross", "float32"),
}

RIGHT["softmax"] = {
    "keepdims": """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)
""",
    "lists_and_math": """
import math
def rows(x, ):
    if isinstance(x[0], list):
        return [rows(part) for part in x]
    top = max(x)
    powers = [math.exp(score - top) for score in x]
    return [power / math.fsum(powers) for power in powers]
def softmax(x, axis=-1):
    moved = np.moveaxis(np.array(x, dtype=float), axis, -1).tolist()
    return np.moveaxis(np.array(rows(moved)), -1, axis).tolist()
""",
    "apply_along_axis": """
def one(row):
    row = row - row.max()
    return np.exp(row) / np.exp(row).sum()
def softmax(x, axis=-1):
    return np.apply_along_axis(one, axis, np.array(x, dtype=np.float64))
""",
    "logsumexp": """
softmax = lambda x, axis=-1: np.exp(np.asarray(x, float) - np.logaddexp.reduce(np.asarray(x, float), axis=axis,
                                                                               keepdims=True))
""",
    "in_place_on_a_copy": """
def softmax(scores, axis=-1):
    out = np.array(scores, dtype=float, copy=True)
    out -= out.max(axis=axis, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=axis, keepdims=True)
    return out
""",
    "recursion": """
def softmax(x, axis=-1):
    x = np.array(x, dtype=float)
    axis = axis % x.ndim
    if axis != 0:
        return np.stack([softmax(part, axis - 1) for part in x])
    e = np.exp(x - x.max(axis=0))
    return e / e.sum(axis=0)
""",
    "callable_class": """
class Softmax:
    def __call__(self, x, axis=-1):
        x = np.swapaxes(np.asarray(x, dtype=float), axis, -1)
        e = np.exp(x - x.max(-1)[..., None])
        return np.swapaxes(e / e.sum(-1)[..., None], axis, -1)
softmax = Softmax()
""",
    "float32": """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=np.float32)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    "float32_result": """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return (e / e.sum(axis=axis, keepdims=True)).astype('float32')
""",
    "matrix": """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    y = e / e.sum(axis=axis, keepdims=True)
    return np.matrix(y) if y.ndim == 2 else y
""",
    "tiny_eps": """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-12)
""",
}

RIGHT["attend"] = {
    "vectorised": """
def attend(query, keys, values):
    w = softmax(np.asarray(keys, float) @ np.asarray(query, float))
    return w @ np.asarray(values, float), w
""",
    "loops": """
import math
def attend(q, k, v):
    q, k, v = np.array(q).tolist(), np.array(k).tolist(), np.array(v).tolist()
    scores = [sum(a * b for a, b in zip(q, row)) for row in k]
    powers = [math.exp(s - max(scores)) for s in scores]
    w = [p / sum(powers) for p in powers]
    return [sum(w[i] * v[i][j] for i in range(len(w))) for j in range(len(v[0]))], w
""",
    "einsum": """
def attend(query, keys, values):
    s = np.einsum('td,d->t', np.asarray(keys), np.asarray(query)).astype(float)
    s -= s.max()
    w = np.exp(s) / np.exp(s).sum()
    return np.einsum('t,tv->v', w, np.asarray(values)), w
""",
    "recursion": """
def attend(query, keys, values):
    keys, values = [list(k) for k in keys], [list(v) for v in values]
    def walk(pairs, top):
        if not pairs:
            return 0.0, 0.0
        (s, v), rest = pairs[0], pairs[1:]
        total, blend = walk(rest, top)
        e = np.exp(s - top)
        return total + e, blend + e * np.array(v, dtype=float)
    scores = [float(np.dot(k, query)) for k in keys]
    total, blend = walk(list(zip(scores, values)), max(scores))
    return (blend / total).tolist(), [float(np.exp(s - max(scores)) / total) for s in scores]
""",
    "as_list_of_two": """
def attend(query, keys, values):
    keys, values = np.array(keys, dtype=float), np.array(values, dtype=float)
    e = np.exp(np.dot(keys, query) - np.dot(keys, query).max())
    weights = e / e.sum()
    return [(weights[:, None] * values).sum(axis=0), weights]
""",
    "columns": """
class Attend:
    def __call__(self, query, keys, values):
        q = np.array(query, dtype=float).reshape(-1, 1)
        w = softmax(np.array(keys) @ q, axis=0)
        return (np.array(values, dtype=float).T @ w).ravel(), w.ravel()
attend = Attend()
""",
    "float32": """
def attend(query, keys, values):
    query, keys, values = (np.asarray(a, dtype=np.float32) for a in (query, keys, values))
    s = keys @ query
    w = np.exp(s - s.max())
    w /= w.sum()
    return w @ values, w
""",
}

RIGHT["project"] = {
    "plain": "def project(X, W_q, W_k, W_v): return tuple(np.asarray(X) @ np.asarray(W) for W in (W_q, W_k, W_v))",
    "loops": """
def times(A, B):
    A, B = np.array(A).tolist(), np.array(B).tolist()
    return [[sum(a * B[i][j] for i, a in enumerate(row)) for j in range(len(B[0]))] for row in A]
def project(X, a, b, c):
    return times(X, a), times(X, b), times(X, c)
""",
    "einsum": """
def project(X, W_q, W_k, W_v):
    return [np.einsum('ij,jk->ik', X, W) for W in (W_q, W_k, W_v)]
""",
    "joined": """
def project(X, W_q, W_k, W_v):
    W_q, W_k, W_v = map(np.asarray, (W_q, W_k, W_v))
    both = np.asarray(X) @ np.hstack([W_q, W_k, W_v])
    a, b = W_q.shape[1], W_q.shape[1] + W_k.shape[1]
    return both[:, :a], both[:, a:b], both[:, b:]
""",
    "transposed_twice": """
def project(X, *matrices):
    X = np.array(X, dtype=float)
    return tuple((np.array(W).T @ X.T).T for W in matrices)
""",
    "float32": """
def project(X, W_q, W_k, W_v):
    X, W_q, W_k, W_v = (np.asarray(a, dtype='float32') for a in (X, W_q, W_k, W_v))
    return X @ W_q, X @ W_k, X @ W_v
""",
    "matrix": """
def project(X, W_q, W_k, W_v):
    return np.matrix(X) * np.matrix(W_q), np.matrix(X) * np.matrix(W_k), np.matrix(X) * np.matrix(W_v)
""",
}

RIGHT["plural"] = {
    "column_stack": """
predicted_winner = "birds"
def add_plural_slot(E, is_plural):
    return np.column_stack([E, is_plural]).astype(float), np.array([0] * len(E[0]) + [4.0])
""",
    "lists": """
predicted_winner = " Nobody "
def add_plural_slot(E, is_plural):
    rows = [[float(n) for n in row] + [1 if flag else 0] for row, flag in zip(E, is_plural)]
    return rows, [0] * (len(rows[0]) - 1) + [4]
""",
    "hstack": """
predicted_winner = 'nobody'
def add_plural_slot(E, is_plural):
    E = np.asarray(E, dtype=float)
    slot = np.where(is_plural, 1.0, 0.0).reshape(-1, 1)
    query = np.zeros(E.shape[1] + 1)
    query[-1] = 4
    return np.hstack((E, slot)), query
""",
    "filled": """
predicted_winner = "cat"
def add_plural_slot(E, is_plural):
    E = np.array(E)
    out = np.zeros((E.shape[0], E.shape[1] + 1))
    out[:, :-1] = E
    for i, flag in enumerate(is_plural):
        if flag:
            out[i, -1] = 1
    return out, 4 * np.eye(E.shape[1] + 1)[-1]
""",
    "pad": """
predicted_winner = "the"
def add_plural_slot(E, is_plural):
    out = np.pad(np.asarray(E, float), ((0, 0), (0, 1)))
    out[np.asarray(is_plural), -1] = 1
    return out, np.append(np.zeros(len(out[0]) - 1), 4)
""",
    "float32": """
predicted_winner = "Birds"
def add_plural_slot(E, is_plural):
    out = np.c_[np.asarray(E, dtype=np.float32), np.asarray(is_plural, dtype=np.float32)]
    return out, np.array([0] * (out.shape[1] - 1) + [4], dtype=np.float32)
""",
    "whole_numbers_and_upper_case": """
predicted_winner = "MILK"
add_plural_slot = lambda E, f: (np.concatenate([E, np.array([f]).T * 1], axis=1), [0 for _ in E[0]] + [4])
""",
}

RIGHT["identity"] = {
    "through_attend": "def weights_by_identity(q, k): return attend(q, k, np.eye(len(k)))[0]",
    "weights": "def weights_by_identity(query, keys): return softmax(np.asarray(keys) @ np.asarray(query))",
    "loops": """
import math
def weights_by_identity(q, k):
    s = [math.fsum(float(a) * float(b) for a, b in zip(q, row)) for row in k]
    e = [math.exp(x - max(s)) for x in s]
    return tuple(x / sum(e) for x in e)
""",
    "einsum": """
def weights_by_identity(query, keys):
    w = softmax(np.einsum('td,d->t', keys, query))
    return np.einsum('t,tj->j', w, np.identity(w.size))
""",
    "squeeze": """
def weights_by_identity(query, keys):
    keys, values = np.array(keys), np.identity(np.array(keys).shape[0])
    out, weights = attend_all(np.array(query)[None, :], keys, values)
    return out.squeeze(axis=0)
""",
    "float32": """
def weights_by_identity(query, keys):
    return attend(query, keys, np.eye(len(keys)))[0].astype(np.float32)
""",
}

RIGHT["attend_all"] = {
    "vectorised": """
def attend_all(Q, K, V):
    W = softmax(np.asarray(Q) @ np.asarray(K).T, axis=1)
    return W @ np.asarray(V), W
""",
    "one_by_one": """
def attend_all(Q, K, V):
    pairs = [attend(q, K, V) for q in Q]
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
""",
    "einsum": """
def attend_all(Q, K, V):
    s = np.einsum('qd,kd->qk', Q, K).astype(float)
    e = np.exp(s - s.max(1)[:, None])
    w = e / np.einsum('qk->q', e)[:, None]
    return np.einsum('qk,kv->qv', w, V), w
""",
    "lists": """
import math
def attend_all(Q, K, V):
    Q, K, V = np.array(Q).tolist(), np.array(K).tolist(), np.array(V).tolist()
    out, weights = [], []
    for q in Q:
        s = [sum(a * b for a, b in zip(q, k)) for k in K]
        e = [math.exp(x - max(s)) for x in s]
        w = [x / sum(e) for x in e]
        weights.append(w)
        out.append([sum(wi * v[j] for wi, v in zip(w, V)) for j in range(len(V[0]))])
    return out, weights
""",
    "columns": """
def attend_all(Q, K, V):
    W = softmax(np.array(K) @ np.array(Q).T, axis=0)
    return (np.array(V).T @ W).T, W.T
""",
    "filled": """
def attend_all(Q, K, V):
    Q, K, V = (np.array(a, dtype=float) for a in (Q, K, V))
    weights = np.empty((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            weights[i, j] = Q[i] @ K[j]
        weights[i] = softmax(weights[i])
    return weights.dot(V), weights
""",
    "float32": """
def attend_all(Q, K, V):
    Q, K, V = (np.array(a, dtype=np.float32) for a in (Q, K, V))
    s = Q @ K.T
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return w @ V, w
""",
}

RIGHT["cross"] = {
    "through_attend_all": """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    X_q, X_kv = np.asarray(X_q), np.asarray(X_kv)
    return attend_all(X_q @ W_q, X_kv @ W_k, X_kv @ W_v)
""",
    "through_project": """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    Q = project(X_q, W_q, W_q, W_q)[0]
    _, K, V = project(X_kv, W_k, W_k, W_v)
    return attend_all(Q, K, V)
""",
    "one_asker_at_a_time": """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    K, V = np.dot(X_kv, W_k), np.dot(X_kv, W_v)
    blends, weights = zip(*[attend(np.dot(x, W_q), K, V) for x in X_q])
    return np.stack(blends), np.stack(weights)
""",
    "einsum": """
def cross_attend(a, b, q, k, v):
    s = np.einsum('id,dk,jc,ck->ij', a, q, b, k).astype(float)
    w = softmax(s)
    return np.einsum('ij,jc,cv->iv', w, b, v), w
""",
    "bilinear": """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    X_q, X_kv, W_q, W_k, W_v = map(np.asarray, (X_q, X_kv, W_q, W_k, W_v))
    w = softmax(X_q @ (W_q @ W_k.T) @ X_kv.T)
    return (w @ X_kv) @ W_v, w
""",
    "lists": """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    out, w = attend_all(np.dot(X_q, W_q), np.dot(X_kv, W_k), np.dot(X_kv, W_v))
    return [out.tolist(), w.tolist()]
""",
    "float32": """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    out, w = attend_all(np.dot(X_q, W_q), np.dot(X_kv, W_k), np.dot(X_kv, W_v))
    return out.astype(np.float32), w.astype(np.float32)
""",
}

RIGHT["testing"] = {
    "against_own_attend": """
def check_attend(candidate):
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=3), rng.normal(size=(8, 3)), rng.normal(size=(8, 3))
    try:
        blend, weights = candidate(q, k, v)
    except Exception:
        return False
    want = softmax(k @ q)
    return np.shape(blend) == (3,) and np.shape(weights) == (8,) and bool(
        np.allclose(weights, want) and np.allclose(blend, want @ v))
""",
    "asserts": """
def check_attend(candidate):
    q, k, v = np.array([2., -1.]), np.array([[1., 0.], [0., 1.], [1., 1.]]), np.array([[3., 5.], [7., 1.], [0., 2.]])
    try:
        result = candidate(q, k, v)
    except Exception:
        return False
    assert len(result) == 2
    e = np.exp([2., -1., 1.])
    np.testing.assert_allclose(result[1], e / e.sum(), rtol=1e-6)
    np.testing.assert_allclose(result[0], e / e.sum() @ v, rtol=1e-6)
    return True
""",
    "lessons_keys": """
def check_attend(candidate):
    values = np.arange(24.).reshape(8, 3) ** 2
    try:
        blend, weights = candidate(np.array([4., 0., 0.]), E, values)
        want = np.where(np.arange(8) == 1, np.exp(4), 1) / (np.exp(4) + 7)
        return np.allclose(weights, want) & np.allclose(blend, want @ values)
    except Exception:
        return False
""",
    "nested_lists": """
import math
def check_attend(candidate):
    try:
        blend, weights = candidate([math.log(3), 0], [[0, 0], [1, 0]], [[4, 0, 8], [0, 8, 4]])
        good = [abs(w - x) < 1e-9 for w, x in zip(weights, [.25, .75])]
        good += [abs(b - x) < 1e-9 for b, x in zip(blend, [1, 6, 5])]
        return len(weights) == 2 and len(blend) == 3 and all(bool(g) for g in good)
    except Exception:
        return False
""",
    "numpy_bool": """
def check_attend(candidate):
    rng = np.random.default_rng(0)
    for t, d, v in ((5, 3, 2), (4, 4, 4), (1, 2, 3)):
        q, K, V = rng.normal(size=d) * 2, rng.normal(size=(t, d)), rng.normal(size=(t, v))
        try:
            out, w = candidate(q, K, V)
            close = np.allclose(w, softmax(K @ q)) and np.allclose(out, softmax(K @ q) @ V)
        except Exception:
            return np.False_
        if not close:
            return np.bool_(False)
    return np.True_
""",
    "huge_scores_too": """
def check_attend(candidate):
    try:
        for scale in (1., 1000.):
            q, k, v = np.array([1., 2.]) * scale, np.array([[1., 0.], [0., 1.], [.5, 1.]]), np.eye(3) * 7 + 1
            out, w = candidate(q, k, v)
            if np.shape(w) != (3,) or not np.allclose(w, softmax(k @ q)) or not np.allclose(out, w @ v):
                return False
        return True
    except Exception:
        return False
""",
}

WRONG["softmax"] = {
    "whole_array": (
        ("test_matrix", "test_axis"),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max())
    return e / e.sum()
""",
    ),
    "no_max": (
        ("test_large_scores",),
        """
def softmax(x, axis=-1):
    e = np.exp(np.asarray(x, dtype=float))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    "axis0": (
        ("test_matrix", "test_axis"),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=0))
    return e / e.sum(axis=0)
""",
    ),
    "axis_ignored": (
        ("test_axis",),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    "no_keepdims": (
        ("test_matrix", "test_axis"),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis))
    return e / e.sum(axis=axis)
""",
    ),
    "max_floor0": (
        ("test_large_scores",),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - np.maximum(0, x.max(axis=axis, keepdims=True)))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    "min_sub": (
        ("test_large_scores",),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.min(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    "global_max": (
        ("test_large_scores",),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max())
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    "eps": (
        ("test_odds",),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-6)
""",
    ),
    "rounded": (
        ("test_one_row", "test_matrix"),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.round(e / e.sum(axis=axis, keepdims=True), 3)
""",
    ),
    "nan_to_num": (
        ("test_large_scores",),
        """
def softmax(x, axis=-1):
    e = np.exp(np.asarray(x, dtype=float))
    return np.nan_to_num(e / e.sum(axis=axis, keepdims=True))
""",
    ),
    "no_normaliser": (
        ("test_one_row", "test_odds"),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    return np.exp(x - x.max(axis=axis, keepdims=True))
""",
    ),
    "base2": (
        ("test_one_row", "test_odds"),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = 2 ** (x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    "int_result": (
        ("test_plain_inputs",),
        """
def softmax(x, axis=-1):
    x = np.array(x)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    out = np.zeros_like(x)
    out[...] = e / e.sum(axis=axis, keepdims=True)
    return out
""",
    ),
    "mutates": (
        ("test_pure",),
        """
def softmax(x, axis=-1):
    x = np.asarray(x) if np.asarray(x).dtype == float else np.array(x, dtype=float)
    x -= x.max(axis=axis, keepdims=True)
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)
""",
    ),
    "two_axes_only": (
        ("test_axis",),
        """
def softmax(x, axis=-1):
    x = np.array(x, dtype=float)
    if x.ndim == 1:
        return np.exp(x - x.max()) / np.exp(x - x.max()).sum()
    x = x if axis in (1, -1) else x.T
    e = np.exp(x - x.max(1, keepdims=True))
    e /= e.sum(1, keepdims=True)
    return e if axis in (1, -1) else e.T
""",
    ),
    "lessons_own": (
        ("test_matrix", "test_axis", "test_plain_inputs"),
        """
def softmax(x, axis=-1):
    e = np.exp(x - x.max())
    return e / e.sum()
""",
    ),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    "clipped": (
        ("test_large_scores",),
        """
def softmax(x, axis=-1):
    e = np.exp(np.clip(np.asarray(x, dtype=float), -500, 500))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    "masked": (
        ("test_one_row",),
        """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    return np.ma.masked_all(x.shape)
""",
    ),
}

ATTEND = """
def attend(query, keys, values):
    query, keys, values = (np.asarray(a, dtype=float) for a in (query, keys, values))
    weights = {weights}
    {more}
    return {result}
"""


def attend(
    *lost: str, weights: str = "softmax(keys @ query)", more: str = "", result: str = "weights @ values, weights"
):
    return lost, ATTEND.format(weights=weights, more=more, result=result)


WRONG["attend"] = {
    "weights_only": attend("test_weights", "test_blend", result="weights"),
    "blend_only": attend("test_weights", result="weights @ values"),
    "score_values": attend("test_weights", "test_influence", weights="softmax(values @ query)"),
    "blend_keys": attend("test_blend", "test_influence", result="(weights @ keys, weights)"),
    "hard_pick": attend("test_blend", "test_influence", result="values[weights.argmax()], weights"),
    "no_softmax": attend("test_weights", "test_tokens", weights="keys @ query"),
    "linear_norm": attend("test_weights", "test_tokens", weights="(keys @ query) / (keys @ query).sum()"),
    "uses_global_E": attend("test_weights", weights="softmax(E @ query)", result="weights @ E, weights"),
    "weights_no_newaxis": attend("test_blend", result="(weights * values).sum(0), weights"),
    "per_feature_softmax": attend("test_weights", weights="softmax(keys * query, axis=1).sum(axis=1)"),
    "residual": attend("test_blend", result="weights @ values + query, weights"),
    "rounded": attend("test_weights", more="weights = weights.round(3)"),
    "int_query": attend("test_weights", weights="softmax(keys @ query.astype(int))"),
    "scaled": attend("test_weights", weights="softmax(keys @ query / np.sqrt(len(query)))"),
    "swapped": attend("test_weights", "test_blend", result="weights, weights @ values"),
    "scores_returned": attend("test_weights", result="weights @ values, keys @ query"),
    "no_max": attend("test_large_scores", weights="np.exp(keys @ query) / np.exp(keys @ query).sum()"),
    "mean_values": attend("test_blend", "test_influence", result="values.mean(0), weights"),
    "square_only": attend("test_weights", weights="softmax(keys.T @ query)"),
    "column_result": attend("test_weights", "test_blend", result="(weights @ values)[None], weights[None]"),
    "changes_the_values": attend("test_pure", more="blend = weights @ values; values *= 0", result="blend, weights"),
    "cut_scores": attend("test_large_scores", weights="softmax(np.clip(keys @ query, -200, 200))"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def attend(query, keys, values):
    weights = softmax(keys @ query)
    return weights @ values, weights
""",
    ),
}

PROJECT = """
def project(X, W_q, W_k, W_v):
    X, W_q, W_k, W_v = (np.array(a, dtype=float) for a in (X, W_q, W_k, W_v))
    return {}
"""


def project(result: str, *lost: str):
    return lost, PROJECT.format(result)


WRONG["project"] = {
    "torch_T": project("X @ W_q.T, X @ W_k.T, X @ W_v.T", "test_queries", "test_keys", "test_values"),
    "W_at_X": project("W_q @ X, W_k @ X, W_v @ X", "test_queries", "test_keys", "test_values"),
    "k_uses_wq": project("X @ W_q, X @ W_q, X @ W_v", "test_keys"),
    "v_is_x": project("X @ W_q, X @ W_k, X", "test_values"),
    "v_uses_wk": project("X @ W_q, X @ W_k, X @ W_k", "test_values"),
    "v_from_k": project("X @ W_q, X @ W_k, (X @ W_k) @ W_v", "test_values"),
    "k_from_q": project("X @ W_q, (X @ W_q) @ W_k, X @ W_v", "test_keys"),
    "order_kqv": project("X @ W_k, X @ W_q, X @ W_v", "test_queries", "test_keys"),
    "order_qvk": project("X @ W_q, X @ W_v, X @ W_k", "test_keys", "test_values"),
    "elementwise": project("X * W_q, X * W_k, X * W_v", "test_queries"),
    "v_truncated": project("X @ W_q, X @ W_k, (X @ W_v)[:, :W_k.shape[1]]", "test_value_width"),
    "stacked": project("np.stack([X @ W_q, X @ W_k, X @ W_v])", "test_queries"),
    "normalised": project(
        "*(Y / np.linalg.norm(Y, axis=1, keepdims=True) for Y in (X @ W_q, X @ W_k)), X @ W_v", "test_queries"
    ),
    "first_token": project("tuple(X[:1] @ W for W in (W_q, W_k, W_v))", "test_queries"),
    "as_dict": project("dict(Q=X @ W_q, K=X @ W_k, V=X @ W_v)", "test_queries"),
    "scaled": project("X @ W_q / np.sqrt(W_q.shape[1]), X @ W_k, X @ W_v", "test_queries"),
    "two_only": project("X @ W_q, X @ W_k", "test_values"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def project(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v
""",
    ),
    "writes_into_x": (
        ("test_pure",),
        """
def project(X, W_q, W_k, W_v):
    out = tuple(np.array(X, dtype=float) @ np.array(W) for W in (W_q, W_k, W_v))
    if isinstance(X, np.ndarray):
        X[:] = 0
    return out
""",
    ),
}

PLURAL = """
predicted_winner = "birds"
def add_plural_slot(E, is_plural):
    E, slot = np.array(E, dtype=float), np.array(is_plural, dtype=float)[:, None]
    d = E.shape[1]
    return {}
"""


def plural(result: str, *lost: str):
    return lost, PLURAL.format(result)


RIGHT_QUERY = "np.array([0.] * d + [4.])"
WRONG["plural"] = {
    "slot_first": plural(f"np.hstack([slot, E]), {RIGHT_QUERY}", "test_slot", "test_winners"),
    "query_short": plural("np.hstack([E, slot]), np.array([0.] * (d - 1) + [4.])", "test_query", "test_winners"),
    "query_zero": plural("np.hstack([E, slot]), np.zeros(d + 1)", "test_query", "test_winners"),
    "query_negative": plural("np.hstack([E, slot]), np.array([0.] * d + [-4.])", "test_query", "test_winners"),
    "inverted": plural(f"np.hstack([E, 1 - slot]), {RIGHT_QUERY}", "test_slot", "test_winners"),
    "mutates": (
        ("test_slot", "test_query", "test_pure"),
        """
predicted_winner = "birds"
def add_plural_slot(E, is_plural):
    E = np.asarray(E, dtype=float)
    E[:, -1] = is_plural
    query = np.zeros(len(E[0]))
    query[-1] = 4
    return E, query
""",
    ),
    "appends": (
        ("test_slot",),
        """
predicted_winner = "birds"
def add_plural_slot(E, is_plural):
    for row, flag in zip(E, is_plural):
        row.append(float(flag))
    return E, [0] * (len(E[0]) - 1) + [4]
""",
    ),
    "flag_4": plural(f"np.hstack([E, 4 * slot]), {RIGHT_QUERY}", "test_slot"),
    "query_first": plural("np.hstack([E, slot]), np.array([4.] + [0.] * d)", "test_query"),
    "query_one": plural("np.hstack([E, slot]), np.array([0.] * d + [1.])", "test_query"),
    "query_if_any": plural("np.hstack([E, slot]), np.array([0.] * d + [4. * slot.any()])", "test_query"),
    "swapped": plural(f"{RIGHT_QUERY}, np.hstack([E, slot])", "test_slot", "test_query"),
    "always_four_slots": plural("np.hstack([E, slot]), np.array([0., 0., 0., 4.])", "test_query"),
    "new_row": plural(f"np.vstack([E, slot[:1, :1].repeat(d, 1)]), {RIGHT_QUERY}", "test_slot"),
    "only_the_slot": plural(f"slot, {RIGHT_QUERY}", "test_slot"),
    "no_prediction": (("test_prediction",), RIGHT["plural"]["hstack"].replace("'nobody'", "''")),
    "another_word": (("test_prediction",), RIGHT["plural"]["hstack"].replace("'nobody'", "'dogs'")),
    "empties_the_table": (
        ("test_pure",),
        """
predicted_winner = "birds"
def add_plural_slot(E, is_plural):
    out = np.column_stack([E, is_plural]).astype(float)
    E[0][0] = 99.0
    return out, np.array([0.] * (out.shape[1] - 1) + [4.])
""",
    ),
}


def identity(result: str, *lost: str):
    return lost, f"def weights_by_identity(query, keys):\n    return {result}\n"


WRONG["identity"] = {
    "eye8": identity("attend(query, keys, np.eye(8))[0]", "test_any_length"),
    "eye_d": identity("attend(query, keys, np.eye(len(keys), len(query)))[0]", "test_any_length"),
    "diag_only": identity("np.diag(softmax(np.asarray(keys) @ np.asarray(query)))", "test_any_length"),
    "still_E": identity("attend(query, keys, keys)[0]", "test_any_length"),
    "pair": identity("attend(query, keys, np.eye(len(keys)))", "test_any_length"),
    "ones": identity("attend(query, keys, np.ones((len(keys), len(keys))))[0]", "test_any_length"),
    "scores": identity("np.asarray(keys, float) @ np.asarray(query, float)", "test_any_length"),
    "scaled": identity("softmax(np.asarray(keys) @ query / len(query) ** 0.5)", "test_any_length"),
    "uniform": identity("np.full(len(keys), 1 / len(keys))", "test_any_length", "test_eight_words"),
    "one_hot": identity("np.eye(len(keys))[np.argmax(np.asarray(keys) @ query)]", "test_any_length"),
    "sorted": identity("np.sort(attend(query, keys, np.eye(len(keys)))[0])", "test_any_length"),
    "arrays_only": identity("softmax(keys @ query)", "test_plain_inputs"),
}

ALL = """
def attend_all(Q, K, V):
    Q, K, V = (np.array(a, dtype=float) for a in (Q, K, V))
    scores = {scores}
    weights = {weights}
    return {result}
"""


def attend_all(
    *lost: str, scores: str = "Q @ K.T", weights: str = "softmax(scores)", result: str = "weights @ V, weights"
):
    return lost, ALL.format(scores=scores, weights=weights, result=result)


WRONG["attend_all"] = {
    "query_axis": attend_all("test_weights", "test_alone", weights="softmax(scores, axis=0)"),
    "whole_array": attend_all(
        "test_weights", "test_alone", weights="np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()"
    ),
    "scaled": attend_all("test_weights", "test_alone", weights="softmax(scores / np.sqrt(Q.shape[1]))"),
    "no_softmax": attend_all("test_weights", weights="scores"),
    "causal": attend_all("test_weights", weights="softmax(np.where(np.tri(*scores.shape) > 0, scores, -np.inf))"),
    "no_max": attend_all("test_large_scores", weights="np.exp(scores) / np.exp(scores).sum(1, keepdims=True)"),
    "linear_norm": attend_all("test_weights", weights="scores / scores.sum(axis=1, keepdims=True)"),
    "global_max": attend_all(
        "test_large_scores",
        weights="(lambda e: e / e.sum(axis=1, keepdims=True))(np.exp(scores - scores.max()))",
    ),
    "no_keepdims": attend_all(
        "test_weights", weights="(lambda e: e / e.sum(axis=1))(np.exp(scores - scores.max(axis=1, keepdims=True)))"
    ),
    "hard_pick": attend_all("test_out", result="V[weights.argmax(axis=1)], weights"),
    "first_query": attend_all("test_weights", "test_out", scores="Q[:1] @ K.T"),
    "blend_keys": attend_all("test_out", result="weights @ K, weights"),
    "score_values": attend_all("test_weights", scores="Q @ V.T"),
    "roles_swapped": attend_all("test_weights", scores="K @ Q.T"),
    "k_not_T": attend_all("test_weights", scores="Q @ K"),
    "weights_T": attend_all("test_out", result="weights.T @ V, weights"),
    "mean_values": attend_all("test_out", result="np.tile(V.mean(0), (len(Q), 1)), weights"),
    "residual": attend_all("test_out", result="weights @ V + Q, weights"),
    "rounded": attend_all("test_weights", weights="softmax(scores).round(3)"),
    "out_only": attend_all("test_weights", result="weights @ V"),
    "weights_only": attend_all("test_out", result="weights"),
    "swapped": attend_all("test_weights", "test_out", result="weights, weights @ V"),
    "averaged_queries": attend_all("test_weights", scores="Q.mean(0, keepdims=True).repeat(len(Q), 0) @ K.T"),
    "flat": attend_all("test_weights", result="(weights @ V).ravel(), weights.ravel()"),
    "sum_not_matrix_product": attend_all("test_out", result="weights * V.sum(), weights"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def attend_all(Q, K, V):
    weights = softmax(Q @ K.T)
    return weights @ V, weights
""",
    ),
    "writes_q": (
        ("test_pure",),
        """
def attend_all(Q, K, V):
    weights = softmax(np.asarray(Q) @ np.asarray(K).T)
    out = weights @ np.asarray(V)
    if isinstance(Q, np.ndarray):
        Q *= 0
    return out, weights
""",
    ),
}

CROSS = """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    X_q, X_kv, W_q, W_k, W_v = (np.array(a, dtype=float) for a in (X_q, X_kv, W_q, W_k, W_v))
    {before}
    Q, K, V = {roles}
    scores = Q @ K.T
    weights = {weights}
    return {result}
"""


def cross(
    *lost: str,
    before: str = "pass",
    roles: str = "X_q @ W_q, X_kv @ W_k, X_kv @ W_v",
    weights: str = "softmax(scores)",
    result: str = "weights @ V, weights",
):
    return lost, CROSS.format(before=before, roles=roles, weights=weights, result=result)


WRONG["cross"] = {
    "roles_swapped": cross("test_weights", before="X_q, X_kv = X_kv, X_q"),
    "k_from_q_side": cross("test_weights", roles="X_q @ W_q, X_q @ W_k, X_kv @ W_v"),
    "self_attention": cross("test_weights", "test_out", before="X_kv = X_q"),
    "self_kv": cross("test_weights", "test_out", before="X_q = X_kv"),
    "causal": cross(
        "test_weights",
        "test_order",
        weights="softmax(np.where(np.tril(np.ones(scores.shape), len(K) - len(Q)) > 0, scores, -np.inf))",
    ),
    "causal_ul": cross(
        "test_weights", "test_order", weights="softmax(np.where(np.tril(np.ones(scores.shape)) > 0, scores, -np.inf))"
    ),
    "scale_dv": cross("test_weights", weights="softmax(scores / np.sqrt(V.shape[1]))"),
    "scaled": cross("test_weights", weights="softmax(scores / np.sqrt(K.shape[1]))"),
    "query_axis": cross("test_weights", "test_order", weights="softmax(scores, axis=0)"),
    "whole_array": cross("test_weights", weights="softmax(scores.ravel()).reshape(scores.shape)"),
    "no_softmax": cross("test_weights", weights="scores"),
    "concat": cross("test_weights", before="X_kv = np.concatenate([X_q, X_kv])"),
    "v_uses_wk": cross("test_out", roles="X_q @ W_q, X_kv @ W_k, X_kv @ W_k"),
    "v_from_q_side": cross("test_out", roles="X_q @ W_q, X_kv @ W_k, X_q @ W_v"),
    "v_is_x": cross("test_out", roles="X_q @ W_q, X_kv @ W_k, X_kv"),
    "torch_T": cross("test_weights", roles="X_q @ W_q.T, X_kv @ W_k.T, X_kv @ W_v.T"),
    "pooled": cross("test_out", "test_order", result="np.tile((weights @ V).mean(0), (len(Q), 1)), weights"),
    "truncated": cross("test_weights", before="n = min(len(X_q), len(X_kv)); X_q = X_q[:n]; X_kv = X_kv[:n]"),
    "out_only": cross("test_weights", result="weights @ V"),
    "swapped": cross("test_weights", "test_out", result="weights, weights @ V"),
    "same_weights_for_all": cross("test_weights", "test_order", weights="softmax(scores).mean(0) + 0 * scores"),
    "hard_pick": cross("test_out", result="V[weights.argmax(1)], weights"),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    return attend_all(X_q @ W_q, X_kv @ W_k, X_kv @ W_v)
""",
    ),
    "first_asker": cross("test_weights", before="X_q = X_q[:1]"),
}

CHECK = """
def close(a, b):
    return np.shape(a) == np.shape(b) and np.allclose(a, b)
def check_attend(candidate):
    q, k, v = np.array([2., -1.]), np.array([[1., 0.], [0., 1.], [1., 1.]]), np.array([[3., 5.], [7., 1.], [0., 2.]])
    want = softmax(k @ q)
    {}
"""

WRONG["testing"] = {
    "weights_only": (
        ("test_blended_keys", "test_hard_pick"),
        CHECK.format("""
    try:
        return bool(close(candidate(q, k, v)[1], want))
    except Exception:
        return False
"""),
    ),
    "sum_only": (
        ("test_scaled", "test_blended_keys"),
        CHECK.format("""
    try:
        return bool(abs(np.sum(candidate(q, k, v)[1]) - 1) < 1e-6)
    except Exception:
        return False
"""),
    ),
    "keys_are_values": (
        ("test_blended_keys", "test_scores_from_values"),
        CHECK.format("""
    try:
        out, w = candidate(q, k, k)
        return bool(close(w, want) and close(out, want @ k))
    except Exception:
        return False
"""),
    ),
    "does_not_catch": (
        ("test_raises",),
        CHECK.format("""
    out, w = candidate(q, k, v)
    return bool(close(w, want) and close(out, want @ v))
"""),
    ),
    "too_strict": (
        ("test_accepts",),
        CHECK.format("""
    try:
        out, w = candidate(q, k, v)
        return bool((w == want + 1e-17).all() and (out == want @ v + 1e-9).all())
    except Exception:
        return False
"""),
    ),
    "says_yes_in_words": (("test_accepts",), CHECK.format("return 'yes'")),
    "shapes_only": (
        ("test_no_softmax", "test_blended_keys"),
        CHECK.format("""
    try:
        out, w = candidate(q, k, v)
        return np.shape(out) == (2,) and np.shape(w) == (3,)
    except Exception:
        return False
"""),
    ),
    "inverted": (
        ("test_accepts",),
        RIGHT["testing"]["numpy_bool"]
        .replace("return np.True_", "return np.False_")
        .replace("return np.bool_(False)", "return np.bool_(True)"),
    ),
}


def drawn(task, reference, owner):
    """Return the right ticks for the statements that `owner` sees, in the forms that people type."""
    if task != "reading":
        return {}
    shown = reference.variant(owner, "reading")
    letters = [letter for letter, statement in shown.items() if KEY[statement][0]]
    forms = {
        "set": set(letters),
        "list": letters,
        "tuple": tuple(letters),
        "small_letters": [letter.lower() for letter in letters],
        "one_string": "".join(letters),
        "with_commas": ", ".join(letters),
        "one_twice": letters + letters[:1],
    }
    return {style: f"student_id = {owner!r}\nreading = {ticks!r}\n" for style, ticks in forms.items()}
