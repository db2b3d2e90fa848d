# Right: short and vectorised, concatenating arrays.
# expect: status=graded score=80
# %% split_heads-answer
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=float)
    T, width = X.shape
    if width % n_heads != 0:
        raise ValueError("n_heads must divide the width")
    return X.reshape(T, n_heads, -1).transpose(1, 0, 2)
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    h, Tq, d = Q.shape
    g, Tk, _ = K.shape
    if h % g != 0:
        raise ValueError("g must divide h")
    K = K.repeat(h // g, axis=0)
    V = V.repeat(h // g, axis=0)
    s = Q @ K.swapaxes(1, 2) / d ** 0.5
    if causal:
        s[:, np.triu(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq + 1)] = -np.inf
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(-1, keepdims=True)
    return (e / np.where(total == 0, 1, total)) @ V
# %% cache-answer
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.K = np.zeros((n_kv_heads, 0, d_k))
        self.V = np.zeros((n_kv_heads, 0, d_v))

    def append(self, keys, values):
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or keys.shape[:2] != values.shape[:2]:
            raise ValueError("shapes")
        K, V = np.concatenate([self.K, keys], 1), np.concatenate([self.V, values], 1)  # these check the rest
        self.K, self.V = K, V

    def attend(self, queries):
        q = np.asarray(queries, float)
        if q.ndim != 3 or q.shape[2] != self.K.shape[2] or not 0 < len(self) or q.shape[1] > len(self):
            raise ValueError("queries")
        return grouped_query_attention(q, self.K, self.V, True)

    def __len__(self):
        return self.K.shape[1]

    @property
    def nbytes(self):
        return self.K.nbytes + self.V.nbytes

    def fork(self):
        twin = GQACache(1, 1, 1)
        twin.K, twin.V = self.K.copy(), self.V.copy()
        return twin
# %% sizes-answer
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    per_token = {"mha": 2 * n_heads * d_head, "gqa": 2 * n_kv_heads * d_head, "mqa": 2 * d_head,
                 "mla": d_latent + d_rope}[kind]
    return n_layers * T * per_token * bytes_per
# %% mla-answer
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = (np.asarray(x, dtype=float) for x in (Q, X, W_dkv, W_uk, W_uv))
    c = X @ W_dkv
    h = Q.shape[0]
    return grouped_query_attention(Q, split_heads(c @ W_uk, h), split_heads(c @ W_uv, h)), c
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    h, _, d = Q.shape
    uk, uv = split_heads(W_uk, h), split_heads(W_uv, h)
    w = softmax((Q @ uk.swapaxes(1, 2)) @ latent.T / np.sqrt(d))
    return (w @ latent) @ uv
