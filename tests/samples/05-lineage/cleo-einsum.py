# Right: einsum wherever it fits.
# expect: status=graded score=60
# %% scaled-answer
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
# %% ntm-answer
def content_address(key, memory, beta):
    key, memory = np.asarray(key, dtype=float), np.asarray(memory, dtype=float)
    cos = np.einsum('nd,d->n', memory, key) / (np.linalg.norm(memory, axis=1) * np.linalg.norm(key) + 1e-8)
    return softmax(beta * cos)
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    hidden = np.tanh(np.einsum('s,sa->a', s, W_a)[None] + np.einsum('th,ha->ta', H, U_a))
    return np.einsum('ta,a->t', hidden, v_a)
# %% luong-answer
def luong_attend(s, H, W=None):
    scores = np.einsum('td,d->t', H, s) if W is None else np.einsum('td,sd,s->t', H, W, s)
    weights = softmax(scores)
    return np.einsum('t,td->d', weights, H), weights
# %% limits-answer
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
# %% aim-answer
def scores_to_query(K, scores):
    return np.linalg.lstsq(np.asarray(K, float), scores, rcond=None)[0]
def query_copy(K, i):
    return scores_to_query(K, np.where(np.arange(len(K)) == i, 500.0, -500.0))
def query_average(K, i, j):
    n = np.arange(len(K))
    return scores_to_query(K, np.where((n == i) | (n == j), 20.0, 0.0))
