# Partly done: the first three tasks and nothing more.
# expect: status=graded score=40
# %% softmax-answer
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
# %% attend-answer
def attend(query, keys, values):
    weights = softmax(np.array(keys) @ np.array(query))
    return weights @ np.array(values), weights
# %% project-answer
def project(X, W_q, W_k, W_v):
    return np.array(X) @ W_q, np.array(X) @ W_k, np.array(X) @ W_v
