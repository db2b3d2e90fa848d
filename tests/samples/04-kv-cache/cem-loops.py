# Right: plain loops over tokens and heads.
# expect: status=graded score=80
# %% split_heads-answer
def split_heads(X, n_heads):
    T, width = len(X), len(X[0])
    if width % n_heads:
        raise ValueError('cannot split')
    d = width // n_heads
    heads = np.empty((n_heads, T, d))
    for t in range(T):
        for j in range(width):
            heads[j // d, t, j % d] = X[t][j]
    return heads
# %% gqa-answer
import math
def grouped_query_attention(Q, K, V, causal=False):
    h, g = len(Q), len(K)
    if h % g: raise ValueError('kv heads')
    Tq, d, Tk, dv = len(Q[0]), len(Q[0][0]), len(K[0]), len(V[0][0])
    out = np.zeros((h, Tq, dv))
    for head in range(h):
        kv = head // (h // g)
        for i in range(Tq):
            visible = [j for j in range(Tk) if not causal or j <= i + Tk - Tq]
            if not visible:
                continue
            scores = [sum(a * b for a, b in zip(Q[head][i], K[kv][j])) / math.sqrt(d) for j in visible]
            top = max(scores)
            powers = [math.exp(s - top) for s in scores]
            for p, j in zip(powers, visible):
                out[head, i] += p / sum(powers) * np.asarray(V[kv][j], dtype=float)
    return out
# %% cache-answer
class Token:
    def __init__(self, key, value):
        self.key, self.value = key, value

class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.g, self.d_k, self.d_v = n_kv_heads, d_k, d_v
        self.tokens = []

    def append(self, keys, values):
        keys, values = np.array(keys, float), np.array(values, float)
        if keys.ndim != 3 or values.ndim != 3 or keys.shape[1] != values.shape[1]:
            raise ValueError
        if keys.shape[0] != self.g or values.shape[0] != self.g or keys.shape[2] != self.d_k:
            raise ValueError
        if values.shape[2] != self.d_v:
            raise ValueError
        for t in range(keys.shape[1]):
            self.tokens.append(Token(keys[:, t].copy(), values[:, t].copy()))

    def attend(self, queries):
        queries = np.array(queries, float)
        if queries.ndim != 3:
            raise ValueError
        h, n, d = queries.shape
        if d != self.d_k or h % self.g or n > len(self.tokens) or not self.tokens:
            raise ValueError
        out = np.zeros((h, n, self.d_v))
        for i in range(n):
            seen = self.tokens[:len(self.tokens) - n + i + 1]
            for head in range(h):
                kv = head * self.g // h
                weights = softmax([token.key[kv] @ queries[head, i] / np.sqrt(d) for token in seen])
                out[head, i] = sum(w * token.value[kv] for w, token in zip(weights, seen))
        return out

    def __len__(self):
        return len(self.tokens)

    @property
    def nbytes(self):
        return sum(token.key.nbytes + token.value.nbytes for token in self.tokens)

    def fork(self):
        other = GQACache(self.g, self.d_k, self.d_v)
        other.tokens = self.tokens[:]
        return other
# %% sizes-answer
def cache_bytes(kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    if kind == "mla":
        return (d_latent + d_rope) * T * n_layers * bytes_per
    if kind == "mha":
        heads = n_heads
    elif kind == "gqa":
        heads = n_kv_heads
    elif kind == "mqa":
        heads = 1
    else:
        raise ValueError(kind)
    return 2 * heads * d_head * T * n_layers * bytes_per
# %% mla-answer
def latent_attention(Q, X, W_dkv, W_uk, W_uv):
    h, _, d = np.shape(Q)
    latent = np.dot(X, W_dkv)
    keys, values = np.dot(latent, W_uk), np.dot(latent, W_uv)
    d_v = values.shape[1] // h
    out = []
    for i in range(h):
        k, v = keys[:, i * d:(i + 1) * d], values[:, i * d_v:(i + 1) * d_v]
        out.append([softmax(k @ np.asarray(q) / np.sqrt(d)) @ v for q in Q[i]])
    return out, latent
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    C, A, B = (np.array(x, dtype=float) for x in (latent, W_uk, W_uv))
    h, n, d = np.shape(Q)
    d_v = B.shape[1] // h
    out = np.empty((h, n, d_v))
    for i in range(h):
        q = np.asarray(Q[i], dtype=float) @ A[:, i * d:(i + 1) * d].T
        out[i] = softmax(q @ C.T / d ** 0.5) @ C @ B[:, i * d_v:(i + 1) * d_v]
    return out
