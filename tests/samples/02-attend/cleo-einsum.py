# Right: einsum for every product.
# expect: status=graded score=100
# %% softmax-answer
def softmax(x, axis=-1):
    x = np.moveaxis(np.asarray(x, dtype=np.float64), axis, 0)
    y = np.exp(x - np.max(x, axis=0))
    return np.moveaxis(np.divide(y, np.einsum("i...->...", y)), 0, axis)
# %% attend-answer
def attend(query, keys, values):
    p = softmax(np.einsum("td,d->t", np.asarray(keys, float), np.asarray(query, float)))
    return np.einsum("t,tv->v", p, np.asarray(values, float)), p
# %% project-answer
def project(X, W_q, W_k, W_v):
    return tuple(np.einsum("td,dk->tk", np.asarray(X, float), np.asarray(W, float)) for W in [W_q, W_k, W_v])
# %% plural-prediction
predicted_winner = "birds"
# %% plural-answer
def add_plural_slot(E, is_plural):
    E_plural = np.c_[np.asarray(E, float), np.where(is_plural, 1.0, 0.0)]
    return E_plural, 4.0 * (np.arange(E_plural.shape[1]) == E_plural.shape[1] - 1)
# %% identity-answer
def weights_by_identity(query, keys):
    blend, _ = attend(query, keys, np.identity(np.shape(keys)[0]))
    return blend
# %% attend_all-answer
def attend_all(Q, K, V):
    scores = np.einsum("qd,kd->qk", np.asarray(Q, float), np.asarray(K, float))
    weights = softmax(scores, axis=1)
    return np.einsum("qk,kv->qv", weights, np.asarray(V, float)), weights
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    X_q, X_kv, W_q, W_k, W_v = [np.asarray(a, float) for a in (X_q, X_kv, W_q, W_k, W_v)]
    scores = np.einsum("ia,ak,bk,jb->ij", X_q, W_q, W_k, X_kv)
    weights = softmax(scores, axis=1)
    return np.einsum("ij,jb,bv->iv", weights, X_kv, W_v), weights
# %% testing-answer
def check_attend(candidate):
    rng = np.random.default_rng(7)

    def right(query, keys, values):
        p = softmax(np.einsum("td,d->t", keys, query))
        return np.einsum("t,tv->v", p, values), p

    def same(a, b):
        a = np.asarray(a, dtype=float)
        return a.shape == b.shape and bool(np.all(np.abs(a - b) < 1e-4))

    try:
        for sizes in ((5, 3, 2), (4, 4, 4), (2, 6, 3)):
            query, keys, values = rng.normal(size=sizes[1]), rng.normal(size=sizes[:2]), rng.normal(size=sizes[::2])
            got = candidate(query, keys, values)
            if len(got) != 2 or not all(map(same, got, right(query, keys, values))):
                return False
    except Exception:
        return False
    return True
# %% reading-answer
reading = sorted(READING_RIGHT, reverse=True)
