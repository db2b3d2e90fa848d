# Right: everything in float32, which is noted and costs nothing.
# expect: status=graded score=80
# %% split_heads-answer
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=np.float32)
    if X.shape[1] % n_heads: raise ValueError
    return X.reshape(X.shape[0], n_heads, -1).transpose(1, 0, 2)
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = (np.asarray(x, dtype=np.float32) for x in (Q, K, V))
    h, g, n, m = len(Q), len(K), Q.shape[1], K.shape[1]
    if h % g: raise ValueError
    s = Q @ np.repeat(K, h // g, 0).transpose(0, 2, 1) / np.float32(np.sqrt(Q.shape[2]))
    ok = np.tri(n, m, m - n, dtype=bool) if causal else np.ones((n, m), dtype=bool)
    s = np.where(ok, s, np.float32(-1e30))
    e = np.exp(s - s.max(-1, keepdims=True)) * ok
    return e / np.maximum(e.sum(-1, keepdims=True), np.float32(1e-30)) @ np.repeat(V, h // g, 0)
# %% cache-answer
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.K, self.V = np.zeros((n_kv_heads, 0, d_k), 'f4'), np.zeros((n_kv_heads, 0, d_v), 'f4')

    def append(self, keys, values):
        keys, values = np.array(keys, 'f4'), np.array(values, 'f4')
        if keys.ndim != 3 or keys.shape[:2] != values.shape[:2]: raise ValueError
        self.K, self.V = np.concatenate([self.K, keys], 1), np.concatenate([self.V, values], 1)

    def attend(self, queries):
        queries = np.asarray(queries, float)
        if queries.ndim != 3 or not len(self) or queries.shape[1] > len(self): raise ValueError
        if queries.shape[2] != self.K.shape[2]: raise ValueError
        return grouped_query_attention(queries, self.K, self.V, True)

    def __len__(self): return self.K.shape[1]

    @property
    def nbytes(self): return self.K.nbytes + self.V.nbytes

    def fork(self):
        other = GQACache(0, 0, 0)
        other.K, other.V = self.K, self.V
        return other
# %% sizes-answer
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    kv = dict(mha=n_heads, gqa=n_kv_heads, mqa=1)
    numbers = d_latent + d_rope if kind == "mla" else 2 * kv[kind] * d_head
    return np.prod([n_layers, T, numbers, bytes_per], dtype=np.int64)
# %% mla-answer
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = (np.asarray(x, dtype=np.float32) for x in (Q, X, W_dkv, W_uk, W_uv))
    c = X @ W_dkv
    K, V = (np.stack(np.hsplit(c @ W, len(Q))) for W in (W_uk, W_uv))
    s = Q @ K.transpose(0, 2, 1) / np.float32(np.sqrt(Q.shape[2]))
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V, c
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, c, W_uk, W_uv = (np.asarray(x, dtype=np.float32) for x in (Q, latent, W_uk, W_uv))
    h, _, d = Q.shape
    uk, uv = (W.reshape(len(W), h, -1).transpose(1, 0, 2) for W in (W_uk, W_uv))
    s = Q @ uk.transpose(0, 2, 1) @ c.T / np.float32(np.sqrt(d))
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ c @ uv
