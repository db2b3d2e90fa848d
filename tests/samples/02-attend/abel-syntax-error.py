# Broken: a bracket is missing in attend, so that cell never runs; all else is right.
# expect: status=graded score>=78 score<=84
# rest: ada-vectorised
# %% attend-answer
def attend(query, keys, values):
    weights = softmax(np.asarray(keys) @ np.asarray(query)
    return weights @ np.asarray(values), weights
