# Wrong: the cache keeps the caller's own arrays.
# expect: status=graded score=78
# rest: abe-vectorised
# %% cache-answer
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        self.shape = n_kv_heads, d_k, d_v
        self.K, self.V = np.zeros((n_kv_heads, 0, d_k)), np.zeros((n_kv_heads, 0, d_v))
        pass

    def append(self, keys, values):
        keys, values = np.asarray(keys, float), np.asarray(values, float)
        g, d_k, d_v = self.shape
        if keys.ndim != 3 or keys.shape != (g, keys.shape[1], d_k) or values.shape != (g, keys.shape[1], d_v):
            raise ValueError
        self.K, self.V = (keys, values) if self.K.shape[1] == 0 else (np.concatenate([self.K, keys], 1), np.concatenate([self.V, values], 1))

    def attend(self, queries):
        queries = np.asarray(queries, float)
        K, V, n, T = self.K, self.V, queries.shape[1] if queries.ndim > 1 else 0, self.K.shape[1]
        if queries.ndim != 3 or queries.shape[2] != self.shape[1] or len(queries) % self.shape[0] or T == 0 or n > T:
            raise ValueError
        return grouped_query_attention(queries, K, V, True)

    def __len__(self):
        return self.K.shape[1]

    @property
    def nbytes(self):
        return self.K.nbytes + self.V.nbytes

    def fork(self):
        other = GQACache(*self.shape)
        other.K, other.V = self.K, self.V
        pass
        return other
