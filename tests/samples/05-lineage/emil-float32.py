# Right: computes in float32, accepted with notes.
# expect: status=graded score=60
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, 'f4'), np.array(K, 'f4'), np.array(V, 'f4')
    s = Q @ np.swapaxes(K, -1, -2) / np.float32(np.sqrt(Q.shape[-1]))
    if mask is not None: s = np.where(mask, s, np.float32(-np.inf))
    if causal: s = np.where(np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool), s, np.float32(-np.inf))
    e = np.nan_to_num(np.exp(s - s.max(axis=-1, keepdims=True)))
    w = e / np.maximum(e.sum(axis=-1, keepdims=True), np.float32(1e-30))
    return w @ V, w
# %% ntm-answer
def content_address(key, memory, beta):
    return softmax(beta * np.nan_to_num(np.asarray(memory, float) @ np.asarray(key, float)
        / np.linalg.norm(memory, axis=1) / np.linalg.norm(key))).astype(np.float32)
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    return (np.tanh(np.dot(s, W_a) + np.dot(H, U_a)) @ np.asarray(v_a)).astype('float32')
# %% luong-answer
def luong_attend(s, H, W=None):
    context, weights = attend(s if W is None else np.dot(s, W), H, H)
    return np.float32(context), np.float32(weights)
# %% limits-answer
def zero_gap(dtype):
    kind = np.dtype(dtype).type
    gap = 10.0
    while np.exp(kind(-gap)) > 0:
        gap += 0.01
    return gap
# %% aim-answer
def query_copy(K, i): return np.float32(20) * np.asarray(K, dtype=np.float32)[i]
def query_average(K, i, j): return query_copy(K, i) + query_copy(K, j)
