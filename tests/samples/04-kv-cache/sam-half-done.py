# Partly done: the first two tasks and nothing more.
# expect: status=graded score=24
# %% split_heads-answer
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=float)
    T, width = X.shape
    if width % n_heads != 0:
        raise ValueError("n_heads must divide the width")
    return X.reshape(T, n_heads, -1).transpose(1, 0, 2)
# %% gqa-answer
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
