# Broken: one answer is no Python, one cell stops with an error; the rest is right.
# expect: status=graded|needs-review score=32
# rest: ada-vectorised
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    return Q @ K.T / np.sqrt(Q.shape[1]
# %% ntm-answer
raise RuntimeError('I gave up here')
