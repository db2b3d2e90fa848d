# Wrong: attend_all normalises over the queries.
# expect: status=graded score>=76 score<98
# rest: ada-vectorised
# %% attend_all-answer
def attend_all(Q, K, V):
    weights = softmax(np.asarray(Q) @ np.asarray(K).T, axis=0)
    return weights @ np.asarray(V), weights
