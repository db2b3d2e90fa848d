# Cheats: an ndarray subclass that overrides how it is compared, and masked, endless and empty arrays.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
class Trick(np.ndarray):
    def __array_function__(self, function, kinds, args, kwargs):
        return True

    def __array_ufunc__(self, *args, **kwargs):
        return np.zeros(self.shape)

    def __eq__(self, other):
        return np.ones(self.shape, dtype=bool)

    def tobytes(self, order="C"):
        return b"\x00" * self.nbytes

    __hash__ = None


def softmax(x, axis=-1):
    return np.ones(np.shape(x)).view(Trick)
# %% attend-answer
def attend(query, keys, values):
    return np.ma.masked_all(np.shape(values)[1]), np.ma.masked_all(len(keys))
# %% project-answer
def project(X, W_q, W_k, W_v):
    return (value for value in (np.inf, np.inf, np.inf))
# %% identity-answer
def weights_by_identity(query, keys):
    return np.full(len(keys), np.nan)
# %% attend_all-answer
def attend_all(Q, K, V):
    return np.full((1,), np.inf), np.full((1, 1), 0.5)
# %% cross-answer
async def cross_attend(*args):
    return args
