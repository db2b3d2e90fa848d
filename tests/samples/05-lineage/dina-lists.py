# Right: hands back lists, accepted with notes.
# expect: status=graded score=60
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, float), np.array(K, float), np.array(V, float)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    ok = np.full(s.shape, True)
    if mask is not None: ok &= np.array(mask)
    if causal: ok &= np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    w = np.nan_to_num(softmax(np.where(ok, s, -np.inf)))
    return (w @ V).tolist(), w.tolist()
# %% ntm-answer
import math
def content_address(key, memory, beta):
    scores = []
    for row in memory:
        dot, a, b = 0.0, 0.0, 0.0
        for x, y in zip(row, key):
            dot, a, b = dot + x * y, a + x * x, b + y * y
        scores.append(beta * dot / math.sqrt(a * b) if a * b > 0 else 0.0)
    powers = [math.exp(s - max(scores)) for s in scores]
    return [p / math.fsum(powers) for p in powers]
# %% bahdanau-answer
import math
def additive_scores(s, H, W_a, U_a, v_a):
    scores = []
    for h in H:
        total = 0.0
        for n, v in enumerate(v_a):
            z = sum(a * row[n] for a, row in zip(s, W_a)) + sum(b * row[n] for b, row in zip(h, U_a))
            total += v * math.tanh(z)
        scores.append(total)
    return scores
# %% luong-answer
import math
def luong_attend(s, H, W=None):
    q = list(s) if W is None else [sum(a * row[j] for a, row in zip(s, W)) for j in range(len(W[0]))]
    z = [float(sum(a * b for a, b in zip(h, q))) for h in H]
    e = [math.exp(x - max(z)) for x in z]
    w = [x / sum(e) for x in e]
    return [float(sum(a * h[j] for a, h in zip(w, H))) for j in range(len(H[0]))], w
# %% limits-answer
def zero_gap(dtype):
    return {2: 25, 4: 150, 8: 1075}[np.dtype(dtype).itemsize] * np.log(2)
# %% aim-answer
def query_copy(K, i): return [25.0 * float(x) for x in K[i]]
def query_average(K, i, j): return [25.0 * float(a + b) for a, b in zip(K[i], K[j])]
