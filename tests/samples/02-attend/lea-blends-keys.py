# Wrong: attend blends the keys.
# expect: status=graded score>=84 score<98
# rest: ada-vectorised
# %% attend-answer
def attend(query, keys, values):
    weights = softmax(np.asarray(keys) @ np.asarray(query))
    return weights @ np.asarray(keys), weights
