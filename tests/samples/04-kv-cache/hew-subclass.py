# Right: a cache that is a kind of list, and lambdas.
# expect: status=graded score=80
# %% split_heads-answer
def split_heads(X, n_heads):
    rows = np.asarray(X, dtype=float).T
    if len(rows) % n_heads > 0: raise ValueError
    return rows.reshape(n_heads, len(rows) // n_heads, -1).swapaxes(1, 2)
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    Q = np.asarray(Q, float) / np.sqrt(np.shape(Q)[-1])
    h, g = len(Q), len(K)
    if h / g != h // g:
        raise ValueError
    kv = [i // (h // g) for i in range(h)]
    K, V = np.asarray(K, float)[kv], np.asarray(V, float)[kv]
    s = np.matmul(Q, np.transpose(K, (0, 2, 1)))
    n, m = s.shape[1:]
    if causal:
        future = np.subtract.outer(np.arange(n) + m - n, np.arange(m)) < 0
        s = np.where(future, -np.inf, s)
    with np.errstate(all='ignore'):
        w = np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))
    return np.nan_to_num(w) @ V
# %% cache-answer
class GQACache(list):
    def __init__(self, n_kv_heads, d_k, d_v):
        super().__init__()
        self.kinds = (n_kv_heads, d_k), (n_kv_heads, d_v)

    def append(self, keys, values):
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or (keys.shape[::2], values.shape[::2]) != self.kinds:
            raise ValueError('shape')
        self += list(zip(keys.swapaxes(0, 1), values.swapaxes(0, 1), strict=True))

    def attend(self, queries):
        if np.ndim(queries) != 3 or np.shape(queries)[1] > len(self) or not self: raise ValueError
        if np.shape(queries)[2] != self.kinds[0][1]: raise ValueError
        K, V = (np.stack(part, axis=1) for part in zip(*self))
        return grouped_query_attention(queries, K, V, True)

    @property
    def nbytes(self):
        return sum(k.nbytes + v.nbytes for k, v in self)

    def fork(self):
        other = GQACache(*self.kinds[0], self.kinds[1][1])
        other.extend(self)
        return other
# %% sizes-answer
import math
cache_bytes = lambda kind, L, T, h, g, d, b, d_latent=0, d_rope=0: math.prod(
    (L, T, b, d_latent + d_rope) if kind == "mla" else (L, T, b, 2, d, {"mha": h, "gqa": g, "mqa": 1}[kind]))
# %% mla-answer
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = (np.asarray(x, dtype=float) for x in (Q, X, W_dkv, W_uk, W_uv))
    c = X @ W_dkv
    h = Q.shape[0]
    return grouped_query_attention(Q, split_heads(c @ W_uk, h), split_heads(c @ W_uv, h)), c
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    h, n, d = Q.shape
    r = latent.shape[1]
    asked = Q @ split_heads(W_uk, h).transpose(0, 2, 1) * np.sqrt(r / d)  # the callee divides by sqrt(r)
    mixed = grouped_query_attention(asked, latent[None], latent[None])
    return mixed @ split_heads(W_uv, h)
