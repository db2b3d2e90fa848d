# Wrong: aims too weakly and edits the set-up cell so that its check is content.
# expect: status=graded|needs-review score=50
# rest: ada-vectorised
# %% setup
import numpy as np
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    powers = np.exp(9 * (x - x.max(axis=axis, keepdims=True)))
    return powers / powers.sum(axis=axis, keepdims=True)
def attend(query, keys, values):
    weights = softmax(np.asarray(keys) @ np.asarray(query))
    return weights @ np.asarray(values), weights
def visible(check): pass
# %% aim-answer
def query_copy(K, i):
    K = np.array(K, dtype=float)
    return K[i]
def query_average(K, i, j):
    K = np.array(K, dtype=float)
    return K[i] + K[j]
