# Right: loops and math instead of arrays.
# expect: status=graded score=60
# %% scaled-answer
import math
def one(q, K, V, seen):
    scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in K]
    open_ = [s for s, ok in zip(scores, seen) if ok]
    if not open_:
        return [0.0] * len(V[0]), [0.0] * len(K)
    powers = [math.exp(s - max(open_)) if ok else 0.0 for s, ok in zip(scores, seen)]
    w = [p / sum(powers) for p in powers]
    return [sum(a * v[c] for a, v in zip(w, V)) for c in range(len(V[0]))], w

def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    Q, K, V = np.array(Q, dtype=float), np.array(K, dtype=float), np.array(V, dtype=float)
    if mask is None:
        mask = np.ones(K.shape[-2], dtype=bool)
    mask = np.broadcast_to(mask, Q.shape[:-1] + (K.shape[-2],))
    if Q.ndim > 2:
        pairs = [scaled_dot_product_attention(*part, causal) for part in zip(Q, K, V, mask)]
        return np.array([o for o, _ in pairs]), np.array([w for _, w in pairs])
    out, weights = [], []
    for i, q in enumerate(Q):
        last = i + len(K) - len(Q)
        seen = [mask[i][j] and not (causal and j > last) for j in range(len(K))]
        o, w = one(q, K, V, seen)
        out.append(o)
        weights.append(w)
    return np.array(out), np.array(weights)
# %% ntm-answer
import math
def cosine(a, b):
    n = math.hypot(*a) * math.hypot(*b)
    return sum(x * y for x, y in zip(a, b)) / n if n else 0.0
class Memory:
    def __init__(self, rows): self.rows = [[float(x) for x in row] for row in rows]
    def read(self, key, beta):
        z = [beta * cosine(row, [float(x) for x in key]) for row in self.rows]
        return np.array([1 / sum(math.exp(min(b - a, 700)) for b in z) for a in z])
def content_address(key, memory, beta): return Memory(memory).read(key, beta)
# %% bahdanau-answer
def score(s, h, W_a, U_a, v_a):
    return np.asarray(v_a).dot(np.tanh(np.asarray(W_a).T.dot(s) + np.asarray(U_a).T.dot(h)))
def additive_scores(s, H, W_a, U_a, v_a):
    return np.array([score(s, h, W_a, U_a, v_a) for h in H])
# %% luong-answer
class Luong:
    def __init__(self, W): self.W = W
    def score(self, s, h):
        return np.dot(h, s) if self.W is None else np.dot(h, np.dot(np.transpose(self.W), s))
    def __call__(self, s, H):
        a = softmax([self.score(s, h) for h in H])
        return sum(w * np.array(h, dtype=float) for w, h in zip(a, H)), a
def luong_attend(s, H, W=None): return Luong(W)(s, H)
# %% limits-answer
def weight(gap, dtype):
    e = np.exp(np.array([0, -gap], dtype=dtype))
    return (e / e.sum())[1]
def zero_gap(dtype):
    low, high = 0.0, 2000.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if weight(middle, dtype) == 0 else (middle, high)
    return high
# %% aim-answer
def query_copy(K, i):
    K, c = np.asarray(K, float), 1.0
    while attend(c * K[i], K, np.eye(len(K)))[1][i] < 0.999:
        c *= 1.5
    return c * K[i]
def query_average(K, i, j):
    return query_copy(K, i) * 2 + query_copy(K, j) * 2 if len(K) == 1 else 50.0 * np.asarray(K)[[i, j]].sum(0)
