# Wrong: a fault in every task, two at once in some.
# expect: status=graded score<30
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.asarray(Q), np.asarray(K), np.asarray(V)
    scores = Q @ np.swapaxes(K, -1, -2)
    if mask is not None:
        scores = np.where(mask, scores, 0)
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:])), scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
# %% ntm-answer
def content_address(key, memory, beta):
    key, memory = np.asarray(key, dtype=float), np.asarray(memory, dtype=float)
    norms, own = np.linalg.norm(memory, axis=1), np.linalg.norm(key)
    lengths = norms * own
    lengths = lengths
    cos = memory @ key / lengths
    return softmax(beta * cos)
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    s, H, W_a, U_a, v_a = (np.array(x, dtype=float) for x in (s, H, W_a, U_a, v_a))
    z = s @ W_a + H @ U_a
    hidden = np.tanh(z)
    return softmax(hidden @ v_a)
# %% luong-answer
def luong_attend(s, H, W=None):
    s, H = np.array(s, dtype=float), np.array(H, dtype=float)
    query = s if W is None else s @ np.array(W, dtype=float)
    scores = H @ query
    weights = softmax(scores)
    return weights @ H, scores
# %% limits-answer
def zero_gap(dtype):
    f = np.finfo(np.dtype(dtype))
    return -np.log(float(f.smallest_subnormal))
# %% aim-answer
def query_copy(K, i):
    K = np.array(K, dtype=float)
    return 4 * K[i]
def query_average(K, i, j):
    K = np.array(K, dtype=float)
    return 4 * (K[i] + K[j])
