# Right: online softmax everywhere, chunks in a list.
# expect: status=graded score=80
# %% split_heads-answer
def split_heads(X, n_heads):
    return np.array(np.split(np.asarray(X), n_heads, axis=1))  # np.split raises a ValueError of its own
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    Q, K, V = np.asarray(Q, float), np.asarray(K, float), np.asarray(V, float)
    (h, Tq, d), (g, Tk, _) = Q.shape, K.shape
    if h % g:
        raise ValueError
    kv = np.arange(h) // (h // g)
    top = np.full((h, Tq, 1), -np.inf)
    total = np.zeros((h, Tq, 1))
    out = np.zeros((h, Tq, V.shape[2]))
    for j in range(Tk):
        rows = slice(max(0, j - (Tk - Tq)), Tq) if causal else slice(0, Tq)
        s = (Q[:, rows] * K[kv, j][:, None]).sum(-1, keepdims=True) / np.sqrt(d)
        new = np.maximum(top[:, rows], s)
        shrink, p = np.exp(top[:, rows] - new), np.exp(s - new)
        total[:, rows] = total[:, rows] * shrink + p
        out[:, rows] = out[:, rows] * shrink + p * V[kv, j][:, None]
        top[:, rows] = new
    return np.divide(out, total, out=np.zeros_like(out), where=total > 0)
# %% cache-answer
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v, chunks=()):
        self.shape = n_kv_heads, d_k, d_v
        self.chunks = list(chunks)
        self.nbytes = sum(k.nbytes + v.nbytes for k, v in self.chunks)

    def append(self, keys, values):
        g, d_k, d_v = self.shape
        keys, values = np.array(keys, dtype=float), np.array(values, dtype=float)
        if keys.shape != (g, *keys.shape[1:2], d_k) or values.shape != (g, *keys.shape[1:2], d_v):
            raise ValueError(f"{keys.shape} {values.shape}")
        self.chunks.append((keys, values))
        self.nbytes += keys.nbytes + values.nbytes

    def attend(self, queries):
        queries = np.array(queries, dtype=float)
        if not len(self) or queries.ndim < 3 or len(queries[0]) > len(self) or queries.shape[-1] != self.shape[1]:
            raise ValueError
        K, V = (np.concatenate(part, axis=1) for part in zip(*self.chunks))
        return grouped_query_attention(queries, K, V, True)

    def __len__(self):
        return sum(k.shape[1] for k, _ in self.chunks)

    def fork(self):
        return GQACache(*self.shape, self.chunks)
# %% sizes-answer
class Sizes:
    def mha(self, h, g, d, r): return 2 * h * d
    def gqa(self, h, g, d, r): return self.mha(g, g, d, r)
    def mqa(self, h, g, d, r): return self.mha(1, 1, d, r)
    def mla(self, h, g, d, r): return r

def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    return int(getattr(Sizes(), kind)(n_heads, n_kv_heads, d_head, d_latent + d_rope)) * T * n_layers * bytes_per
# %% mla-answer
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    latent = np.asarray(X, float) @ np.asarray(W_dkv, float)
    return absorbed(np.asarray(Q, float), latent, np.asarray(W_uk, float), np.asarray(W_uv, float)), latent

def absorbed(Q, c, A, B):
    outs = []
    for q, a, b in zip(Q, np.hsplit(A, len(Q)), np.hsplit(B, len(Q))):
        s = (q @ a.T) @ c.T / np.sqrt(q.shape[1])
        e = np.exp(s - s.max(axis=1, keepdims=True))
        outs.append(e / e.sum(axis=1, keepdims=True) @ c @ b)
    return np.array(outs)
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    Q, latent = np.asarray(Q, float), np.asarray(latent, float)
    h, n, d = Q.shape
    A = np.stack(np.hsplit(np.asarray(W_uk, float), h)).swapaxes(1, 2)
    B = np.stack(np.hsplit(np.asarray(W_uv, float), h))
    q = Q @ A / np.sqrt(d)
    top, total, mixed = -np.inf, 0.0, 0.0
    for start in range(0, len(latent), 1000):
        block = latent[start:start + 1000]
        s = q @ block.T
        new = np.maximum(top, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        total = total * np.exp(top - new) + p.sum(-1, keepdims=True)
        mixed = mixed * np.exp(top - new) + p @ block
        top = new
    return mixed / total @ B
