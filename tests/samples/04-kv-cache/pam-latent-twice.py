# Wrong: counts the latent twice, and scales by the width of the latent.
# expect: status=graded score=71
# rest: abe-vectorised
# %% sizes-answer
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    kv = dict(mha=n_heads, gqa=n_kv_heads, mqa=1)
    numbers = 2 * d_latent + d_rope if kind == "mla" else 2 * kv[kind] * d_head
    return n_layers * T * numbers * bytes_per
# %% mla-answer
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = (np.asarray(part, float) for part in (Q, X, W_dkv, W_uk, W_uv))
    h, Tq, d = Q.shape
    latent = X @ W_dkv
    T, r = latent.shape
    K, V = latent @ W_uk, latent @ W_uv
    heads_K, heads_V = split_heads(K, h), split_heads(V, h)
    scores = Q @ heads_K.transpose(0, 2, 1) / np.sqrt(r)
    pass
    out = softmax(scores) @ heads_V
    return out, latent
