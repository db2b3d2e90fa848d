# Right: short and vectorised, much as the lesson would write it.
# expect: status=graded score=100
# %% softmax-answer
def softmax(x, axis=-1):
    """Turn the scores x into shares that add up to 1 along axis."""
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
# %% attend-answer
def attend(query, keys, values):
    """Blend the values by how well each key matches the query; return (blend, weights)."""
    weights = softmax(np.asarray(keys) @ np.asarray(query))
    return weights @ np.asarray(values), weights
# %% project-answer
def project(X, W_q, W_k, W_v):
    """Project each token of X into its three roles; return (Q, K, V)."""
    X = np.asarray(X)
    return X @ np.asarray(W_q), X @ np.asarray(W_k), X @ np.asarray(W_v)
# %% plural-prediction
predicted_winner = "birds"
# %% plural-answer
def add_plural_slot(E, is_plural):
    """Append the slot "is a plural noun" to each word; return (E_plural, query)."""
    E = np.asarray(E, dtype=float)
    E_plural = np.hstack([E, np.asarray(is_plural, dtype=float)[:, None]])
    query = np.zeros(E.shape[1] + 1)
    query[-1] = 4
    return E_plural, query
# %% identity-answer
def weights_by_identity(query, keys):
    """Return the weights of attend, read off the blend of identity values."""
    return attend(query, keys, np.eye(len(keys)))[0]
# %% attend_all-answer
def attend_all(Q, K, V):
    """Let every row of Q attend at once; return (out, weights)."""
    weights = softmax(np.asarray(Q) @ np.asarray(K).T)
    return weights @ np.asarray(V), weights
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    """Let the tokens of X_q ask those of X_kv; return (out, weights)."""
    X_q, X_kv = np.asarray(X_q), np.asarray(X_kv)
    return attend_all(X_q @ np.asarray(W_q), X_kv @ np.asarray(W_k), X_kv @ np.asarray(W_v))
# %% testing-answer
def check_attend(candidate):
    """Tell whether candidate(query, keys, values) behaves like attend."""
    rng = np.random.default_rng(0)
    for T, d, d_v in [(4, 3, 2), (3, 3, 3), (1, 2, 5), (6, 4, 4)]:
        query, keys, values = rng.normal(size=d), rng.normal(size=(T, d)), rng.normal(size=(T, d_v))
        e = np.exp(keys @ query)
        weights = e / e.sum()
        try:
            got_blend, got_weights = candidate(query, keys, values)
            got_blend, got_weights = np.asarray(got_blend, float), np.asarray(got_weights, float)
        except Exception:
            return False
        if got_blend.shape != (d_v,) or got_weights.shape != (T,):
            return False
        if not (np.allclose(got_blend, weights @ values, atol=1e-4) and np.allclose(got_weights, weights, atol=1e-4)):
            return False
    return True
# %% reading-answer
reading = READING_RIGHT
