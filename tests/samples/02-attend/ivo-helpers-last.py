# Right: the helpers stand in new cells below, logarithms do the work, np.matrix for the projections.
# expect: status=graded score=100
# rest: ada-vectorised
# %% softmax-answer
def softmax(x, axis=-1):
    return np.exp(log_softmax(np.asarray(x, dtype=float), axis))
# %% extra
def log_softmax(x, axis):
    x = x - np.max(x, axis=axis, keepdims=True)
    return x - np.log(np.sum(np.exp(x), axis=axis, keepdims=True))


print(softmax([[1, 2], [3, 4]]))
# %% project-answer
def project(X, W_q, W_k, W_v):
    return np.matrix(X) * np.matrix(W_q), np.matrix(X) * np.matrix(W_k), np.matrix(X) * np.matrix(W_v)
# %% extra
%timeit -n 1 -r 1 softmax(np.zeros((4, 4)))
