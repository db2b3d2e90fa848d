# Wrong: a query that may look at nothing weighs all keys equally.
# expect: status=graded score=58
# rest: cleo-einsum
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = (np.array(x, dtype=float) for x in (Q, K, V))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    n, m = scores.shape[-2:]
    ok = np.ones(scores.shape, dtype=bool)
    if mask is not None: ok = ok & np.asarray(mask)
    if causal: ok = ok & np.tri(n, m, m - n, dtype=bool)
    scores = np.where(ok, scores, -1e9)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1)
    return weights @ V, weights
