# Wrong: attend scores the values instead of the keys.
# expect: status=graded score>=84 score<98
# rest: bela-loops
# %% attend-answer
def attend(query, keys, values):
    weights = softmax(np.asarray(values) @ np.asarray(query))
    return weights @ np.asarray(values), weights
# %% attend_all-answer
def attend_all(Q, K, V):
    weights = softmax(np.asarray(Q, float) @ np.asarray(K, float).T)
    return weights @ np.asarray(V, float), weights
