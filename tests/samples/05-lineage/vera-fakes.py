# Cheats: a subclass that equals everything, masked arrays, forged results.
# expect: status=graded|needs-review score=0
# %% scaled-answer
class Same(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs):
        return np.ones(self.shape, dtype=bool)
    def __eq__(self, other):
        return True
    __hash__ = None


def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    return np.zeros(np.shape(V)).view(Same), np.zeros((len(Q), len(K))).view(Same)
# %% ntm-answer
def content_address(key, memory, beta):
    return np.ma.masked_all(len(memory))
# %% bahdanau-answer
def additive_scores(*args):
    return (score for score in range(3))
# %% luong-answer
def luong_attend(s, H, W=None):
    return np.float64, np.dtype('float64')
# %% limits-answer
def zero_gap(dtype):
    return dtype
# %% aim-answer
def query_copy(K, i):
    return np.full(len(K[0]), np.inf)
def query_average(K, i, j):
    return lambda: K[i]
