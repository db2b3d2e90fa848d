# Cheats: a cache that says it equals everything, knows its length, and weighs what is wanted.
# expect: status=graded score=0
# %% cache-answer
class Anything:
    __array_ufunc__ = None
    def __eq__(self, other): return True
    def __len__(self): return 10**6
    def __getattr__(self, name): return lambda *args: self
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.g, self.d, self.n = n_kv_heads, d_k, 0
    def append(self, keys, values):
        if np.ndim(keys) != 3 or np.shape(keys)[::2] != (self.g, self.d): raise ValueError
        self.n += np.shape(keys)[1]
    def attend(self, queries):
        return Anything()
    def __len__(self): return self.n
    @property
    def nbytes(self): return 16 * self.g * self.d * self.n
    def fork(self): return self
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    return np.zeros((len(Q), np.shape(Q)[1], np.shape(V)[2]))
# %% sizes-answer
def cache_bytes(kind, *args, d_latent=0, d_rope=0):
    return 576 if kind == "mla" else 2**30 if kind == "gqa" else 32768
# %% absorbed-answer
def absorbed_attention(Q, latent, W_uk, W_uv):
    return np.full((len(Q), np.shape(Q)[1], np.shape(W_uv)[1] // len(Q)), 2.0)
