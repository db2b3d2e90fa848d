# Right: works in place, but on its own copy.
# expect: status=graded score=100
# rest: cleo-einsum
# %% softmax-answer
def softmax(x, axis=-1):
    y = np.array(x, dtype=float)
    y -= y.max(axis=axis, keepdims=True)
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y
# %% attend-answer
def attend(query, keys, values):
    scores = np.array(keys, dtype=float)
    scores *= query
    weights = softmax(scores.sum(axis=1))
    mixed = np.array(values, dtype=float)
    mixed *= weights[:, np.newaxis]
    return mixed.sum(axis=0), weights
# %% plural-answer
def add_plural_slot(E, is_plural):
    E_plural = np.zeros((np.shape(E)[0], np.shape(E)[1] + 1))
    E_plural[:, :-1] += E
    E_plural[:, -1] += np.array(is_plural)
    query = E_plural[0] * 0
    query[-1] += 4
    return E_plural, query
