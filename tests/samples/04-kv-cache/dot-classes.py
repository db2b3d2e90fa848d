# Right: classes, a dataclass, recursion, a named tuple.
# expect: status=graded score=80
# %% split_heads-answer
def split_heads(X, n_heads):
    X = np.array(X)
    d, left_over = divmod(X.shape[1], n_heads)
    if left_over:
        raise ValueError(X.shape)
    return np.stack([X[:, i * d:(i + 1) * d] for i in range(n_heads)])
# %% gqa-answer
class Attention:
    def __init__(self, n, m, causal):
        self.mask = np.array([[j - i > m - n for j in range(m)] for i in range(n)]) & bool(causal)

    def __call__(self, q, k, v):
        s = np.ma.masked_array(q @ k.T / np.sqrt(q.shape[1]), self.mask)
        e = np.exp(np.asarray((s - s.max(axis=1, keepdims=True)).filled(-np.inf)))
        total = e.sum(axis=1, keepdims=True)
        total[total == 0] = 1
        return e / total @ v

def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    if Q.shape[0] % K.shape[0]:
        raise ValueError("heads")
    attend = Attention(Q.shape[1], K.shape[1], causal)
    groups = Q.reshape(len(K), -1, *Q.shape[1:])
    return np.concatenate([[attend(q, k, v) for q in group] for group, k, v in zip(groups, K, V)])
# %% cache-answer
from dataclasses import dataclass, field, replace

@dataclass
class GQACache:
    n_kv_heads: int
    d_k: int
    d_v: int
    blocks: tuple = ()

    def append(self, keys, values):
        k, v = np.array(keys, dtype=np.float64), np.array(values, dtype=np.float64)
        n = k.shape[1] if k.ndim > 1 else -1
        if k.shape != (self.n_kv_heads, n, self.d_k) or v.shape != (self.n_kv_heads, n, self.d_v):
            raise ValueError
        if n:
            self.blocks += ((len(self), k, v),)

    def attend(self, queries):
        q = np.asarray(queries, dtype=np.float64)
        if q.ndim != 3 or q.shape[2] != self.d_k or q.shape[0] % self.n_kv_heads:
            raise ValueError
        if not self.blocks or q.shape[1] > len(self):
            raise ValueError
        h, n, d = q.shape
        q = q.reshape(self.n_kv_heads, h // self.n_kv_heads, n, d) / d ** 0.5
        place = np.arange(len(self) - n, len(self))[:, None]
        top, total, out = np.full((*q.shape[:3], 1), -np.inf), 0.0, 0.0
        for start, k, v in self.blocks:
            s = np.where(np.arange(start, start + k.shape[1]) <= place, q @ k[:, None].swapaxes(2, 3), -np.inf)
            new = np.maximum(top, s.max(-1, keepdims=True))
            p, shrink = np.exp(s - new), np.exp(top - new)
            total = total * shrink + p.sum(-1, keepdims=True)
            out = out * shrink + p @ v[:, None]
            top = new
        return (out / total).reshape(h, n, self.d_v)

    def __len__(self):
        return sum(k.shape[1] for _, k, _ in self.blocks)

    @property
    def nbytes(self):
        return sum(k.nbytes + v.nbytes for _, k, v in self.blocks)

    def fork(self):
        return replace(self)
# %% sizes-answer
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    if kind == 'mha':
        return cache_bytes('gqa', n_layers, T, n_heads, n_heads, d_head, bytes_per)
    if kind == 'mqa':
        return cache_bytes('gqa', n_layers, T, n_heads, 1, d_head, bytes_per)
    numbers = d_latent + d_rope if kind == 'mla' else n_kv_heads * d_head << 1
    return bytes_per * numbers * T * n_layers
# %% mla-answer
from typing import NamedTuple
class Result(NamedTuple):
    out: object
    latent: object
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    Q, latent = np.array(Q, float), np.matmul(X, W_dkv)
    h, _, d = Q.shape
    K = np.stack(np.split(latent @ W_uk, h, axis=1))
    V = np.stack(np.split(latent @ W_uv, h, axis=1))
    return Result(softmax(Q / d**0.5 @ K.swapaxes(1, 2)) @ V, latent)
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    h, n, d = Q.shape
    r = latent.shape[1]
    asked = Q @ split_heads(W_uk, h).transpose(0, 2, 1) * np.sqrt(r / d)  # the callee divides by sqrt(r)
    mixed = grouped_query_attention(asked, latent[None], latent[None])
    return mixed @ split_heads(W_uv, h)
