# Right: lists where arrays are meant.
# expect: status=graded score=80
# %% split_heads-answer
def split_heads(X, n_heads):
    X = np.array(X, dtype=float).tolist()
    d = len(X[0]) // n_heads
    if d * n_heads < len(X[0]):
        raise ValueError
    return [[row[i * d:(i + 1) * d] for row in X] for i in range(n_heads)]
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    if len(Q) % len(K): raise ValueError
    outs = []
    for i, queries in enumerate(Q):
        k, v = K[i // (len(Q) // len(K))], V[i // (len(Q) // len(K))]
        rows = []
        for t, q in enumerate(queries):
            end = t + 1 + len(k) - len(queries) if causal else len(k)
            if end <= 0:
                rows.append([0.0] * len(v[0]))
                continue
            w = softmax(np.asarray(k[:end], dtype=float) @ np.asarray(q, dtype=float) / np.sqrt(len(q)))
            rows.append((w @ np.asarray(v[:end], dtype=float)).tolist())
        outs.append(rows)
    return outs
# %% cache-answer
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.sizes = n_kv_heads, d_k, d_v
        self.K = [[] for _ in range(n_kv_heads)]
        self.V = [[] for _ in range(n_kv_heads)]

    def append(self, keys, values):
        g, d_k, d_v = self.sizes
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or keys.shape[1] != values.shape[1]: raise ValueError
        if keys.shape[0::2] != (g, d_k) or values.shape[0::2] != (g, d_v): raise ValueError
        for i in range(g):
            self.K[i] += keys[i].tolist()
            self.V[i] += values[i].tolist()

    def attend(self, queries):
        queries = np.array(queries, float)
        if queries.ndim != 3 or len(self) == 0 or queries.shape[1] > len(self): raise ValueError
        if queries.shape[2] != self.sizes[1]: raise ValueError
        return grouped_query_attention(queries, self.K, self.V, True).tolist() if queries.size else queries[..., :0] @             np.zeros((0, self.sizes[2]))

    def __len__(self):
        return len(self.K[0])

    @property
    def nbytes(self):
        g, d_k, d_v = self.sizes
        return 8 * g * (d_k + d_v) * len(self)

    def fork(self):
        other = GQACache(*self.sizes)
        other.K, other.V = [list(k) for k in self.K], [list(v) for v in self.V]
        return other
# %% sizes-answer
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    numbers = d_latent + d_rope if kind == "mla" else 2 * d_head * {"mha": n_heads, "gqa": n_kv_heads, "mqa": 1}[kind]
    total = n_layers * T * numbers * bytes_per
    return float(total) if total < 2**50 else total
# %% mla-answer
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    latent = np.matrix(X) * np.matrix(W_dkv)
    h, d = len(Q), np.shape(Q)[2]
    K, V = np.hsplit(np.asarray(latent * np.matrix(W_uk)), h), np.hsplit(np.asarray(latent * np.matrix(W_uv)), h)
    return np.array([softmax(np.asarray(q) @ k.T / np.sqrt(d)) @ v for q, k, v in zip(Q, K, V)]), latent
# %% absorbed-answer
import math
def absorbed_attention(Q, latent, W_uk, W_uv):
    latent, h, d = np.asarray(latent, float), len(Q), len(Q[0][0])
    result = []
    for i in range(h):
        up_k = np.array([row[i * d:(i + 1) * d] for row in np.asarray(W_uk)])
        d_v = np.shape(W_uv)[1] // h
        up_v = np.array([row[i * d_v:(i + 1) * d_v] for row in np.asarray(W_uv)])
        result.append([(softmax(latent @ (up_k @ np.asarray(q)) / math.sqrt(d)) @ latent) @ up_v for q in Q[i]])
    return result
