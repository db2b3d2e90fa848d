# Right: hands back float32, which the course accepts with a note.
# expect: status=graded score=100
# rest: ada-vectorised
# %% softmax-answer
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return (e / e.sum(axis=axis, keepdims=True)).astype(np.float32)
# %% attend-answer
def attend(query, keys, values):
    s = np.asarray(keys, dtype=np.float64) @ np.asarray(query, dtype=np.float64)
    e = np.exp(s - s.max())
    weights = e / e.sum()
    return (weights @ np.asarray(values, dtype=np.float64)).astype(np.float32), weights.astype(np.float32)
# %% project-answer
def project(X, W_q, W_k, W_v):
    return [(np.asarray(X, float) @ np.asarray(W, float)).astype("float32") for W in (W_q, W_k, W_v)]
# %% plural-answer
def add_plural_slot(E, is_plural):
    T, d = np.shape(E)
    E_plural = np.zeros((T, d + 1), dtype=np.float32)
    E_plural[:, :d] = E
    E_plural[:, d] = is_plural
    query = np.zeros(d + 1, dtype=np.float32)
    query[d] = 4
    return E_plural, query
# %% attend_all-answer
def attend_all(Q, K, V):
    s = np.asarray(Q, dtype=np.float64) @ np.asarray(K, dtype=np.float64).T
    e = np.exp(s - s.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return (weights @ np.asarray(V, dtype=np.float64)).astype(np.float32), weights.astype(np.float32)
