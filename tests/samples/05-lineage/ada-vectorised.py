# Right: as the course would write it.
# expect: status=graded score=60
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    s = np.matmul(Q, np.moveaxis(K, -1, -2)) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    if causal:
        n, m = s.shape[-2:]
        s = np.where(np.tril(np.ones((n, m)), m - n) == 1, s, -np.inf)
    w = np.nan_to_num(softmax(s))
    return w @ V, w
# %% ntm-answer
def content_address(key, memory, beta):
    key, memory = np.asarray(key, float), np.asarray(memory, float)
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cos = np.divide(memory @ key, norms, out=np.zeros(len(memory)), where=norms > 0)
    return softmax(beta * cos)
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    return np.tanh(np.dot(s, W_a) + np.dot(H, U_a)) @ np.asarray(v_a)
# %% luong-answer
def luong_attend(s, H, W=None):
    return attend(s if W is None else np.dot(s, W), H, H)
# %% limits-answer
def zero_gap(dtype):
    return np.log(2) - np.log(float(np.finfo(dtype).smallest_subnormal))
# %% aim-answer
def query_copy(K, i): return 30 * np.array(K)[i]
def query_average(K, i, j): return 30 * (np.array(K)[i] + np.array(K)[j])
