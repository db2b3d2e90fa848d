# Cheats: returns an object that is equal to everything.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
class Equal:
    __array_ufunc__ = None
    shape, ndim, dtype, size = (), 0, float, 1

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __getattr__(self, name):
        return lambda *args, **kwargs: self

    def __bool__(self):
        return True

    __hash__ = object.__hash__


def softmax(x, axis=-1):
    return Equal()
# %% attend-answer
def attend(query, keys, values):
    return Equal(), Equal()
# %% project-answer
def project(X, W_q, W_k, W_v):
    return Equal(), Equal(), Equal()
# %% identity-answer
weights_by_identity = lambda query, keys: Equal()
# %% attend_all-answer
attend_all = lambda Q, K, V: (Equal(), Equal())
# %% cross-answer
cross_attend = lambda *args: (Equal(), Equal())
# %% testing-answer
check_attend = lambda candidate: Equal()
