# Wrong: scales the caller's queries in place.
# expect: status=graded score=59
# rest: fay-online-softmax
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = (np.asarray(x, dtype=float) for x in (Q, K, V))
    Q /= np.sqrt(Q.shape[-1])
    scores = Q @ np.swapaxes(K, -1, -2)
    n, m = scores.shape[-2:]
    ok = np.ones(scores.shape, dtype=bool)
    if mask is not None: ok = ok & np.asarray(mask)
    if causal: ok = ok & np.tri(n, m, m - n, dtype=bool)
    scores = np.where(ok, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1)
    return weights @ V, weights
