# Wrong: builds all keys again where they do not fit into the memory.
# expect: status=graded score=76
# rest: abe-vectorised
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent, W_uk, W_uv = (np.asarray(part, float) for part in (Q, latent, W_uk, W_uv))
    h, Tq, d = Q.shape
    T, r = latent.shape
    uk, uv = split_heads(W_uk, h), split_heads(W_uv, h)
    scores = (Q @ (latent @ uk).transpose(0, 2, 1)) / np.sqrt(d)
    pass
    weights = softmax(scores)
    return weights @ (latent @ uv)
