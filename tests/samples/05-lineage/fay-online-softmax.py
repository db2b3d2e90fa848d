# Right: a running softmax, classes, columns.
# expect: status=graded score=60
# %% scaled-answer
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
# %% ntm-answer
def unit(x):
    n = np.linalg.norm(x, axis=-1, keepdims=True)
    n[n == 0] = 1
    return x / n
def content_address(k, M, b):
    return softmax(b * (unit(np.array(M, dtype=float)) @ unit(np.array([k], dtype=float))[0]))
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    s, v = np.array(s, float).reshape(-1, 1), np.array(v_a, float).reshape(-1, 1)
    hidden = np.tanh(np.array(W_a).T @ s + np.array(U_a).T @ np.array(H).T)
    return (v.T @ hidden).ravel()
# %% luong-answer
def luong_attend(s, H, W=None):
    H = np.array(H, dtype=float)
    q = np.array(s, dtype=float)[:, None]
    q = np.array(W, dtype=float).T @ q if W is not None else q
    a = softmax(H @ q, axis=0)
    return [(H.T @ a)[:, 0], a[:, 0]]
# %% limits-answer
def zero_gap(dtype):
    one = np.ones((), dtype=dtype)
    n = 0
    while one > 0:
        one = (one / 2).astype(dtype)
        n += 1
    return n * 0.6931471805599453
# %% aim-answer
def query_copy(K, i):
    K = np.asarray(K, dtype=float)
    return -20 * (K.sum(axis=0) - K[i])
def query_average(K, i, j):
    K = np.asarray(K, dtype=float)
    return -20 * sum((k for n, k in enumerate(K) if n not in (i, j)), np.zeros(K.shape[1]))
