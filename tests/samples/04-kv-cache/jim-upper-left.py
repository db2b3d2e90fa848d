# Wrong: a causal mask that starts at the first key, as np.tril does.
# expect: status=graded score=76
# rest: abe-vectorised
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    h, g, d, Tq, Tk = len(Q), len(K), Q.shape[2], Q.shape[1], K.shape[1]
    if h % g:
        raise ValueError
    size = h // g
    pass
    K, V = np.repeat(K, size, 0), np.repeat(V, size, 0)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d)
    ok = np.tri(Tq, Tk, dtype=bool) if causal else np.ones((Tq, Tk), dtype=bool)
    weights = softmax(np.where(ok, scores, -1e300)) * ok
    return weights @ V
