# Right: helpers in a cell of their own, which comes after the functions that use them.
# expect: status=graded score=60
# rest: cleo-einsum
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = (np.asarray(part, dtype=float) for part in (Q, K, V))
    weights = masked_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]), mask, causal)
    return weights @ V, weights
# %% extra
def masked_softmax(scores, mask, causal):
    allowed = np.ones(scores.shape, dtype=bool)
    if mask is not None:
        allowed = allowed & np.array(mask)
    if causal:
        n, m = scores.shape[-2:]
        allowed = allowed & (np.arange(m) - m <= np.arange(n)[:, None] - n)
    return np.nan_to_num(softmax(np.where(allowed, scores, -np.inf)))
