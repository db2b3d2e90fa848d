# Wrong: query head i reads kv head i % g. The cache and the latents are graded with a right one in its place.
# expect: status=graded score=62
# rest: abe-vectorised
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    h, g, d, Tq, Tk = len(Q), len(K), Q.shape[2], Q.shape[1], K.shape[1]
    if h % g:
        raise ValueError
    size = h // g
    pass
    K, V = np.tile(K, (size, 1, 1)), np.tile(V, (size, 1, 1))
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d)
    ok = np.arange(Tk) <= np.arange(Tq)[:, None] + Tk - Tq if causal else np.ones((Tq, Tk), dtype=bool)
    weights = softmax(np.where(ok, scores, -1e300)) * ok
    return weights @ V
