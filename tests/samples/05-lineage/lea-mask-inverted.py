# Wrong: reads True in a mask as hidden.
# expect: status=graded score>=50 score<56
# rest: ada-vectorised
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = (np.array(x, dtype=float) for x in (Q, K, V))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    n, m = scores.shape[-2:]
    ok = np.ones(scores.shape, dtype=bool)
    if mask is not None: ok = ok & ~np.asarray(mask)
    if causal: ok = ok & np.tri(n, m, m - n, dtype=bool)
    scores = np.where(ok, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1)
    return weights @ V, weights
