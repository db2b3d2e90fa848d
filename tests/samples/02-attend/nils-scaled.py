# Wrong: attend and attend_all divide the scores by the square root of the width.
# expect: status=graded score>=60 score<95
# rest: ada-vectorised
# %% attend-answer
def attend(query, keys, values):
    query = np.asarray(query, dtype=float)
    weights = softmax(np.asarray(keys) @ query / np.sqrt(len(query)))
    return weights @ np.asarray(values), weights
# %% attend_all-answer
def attend_all(Q, K, V):
    Q = np.asarray(Q, dtype=float)
    weights = softmax(Q @ np.asarray(K).T / np.sqrt(Q.shape[-1]))
    return weights @ np.asarray(V), weights
