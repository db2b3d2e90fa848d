# Broken: some cells end in an exception, after the functions were defined; every function is right.
# expect: status=graded score=100
# rest: ada-vectorised
# %% attend-answer
def attend(query, keys, values):
    weights = softmax(np.asarray(keys) @ np.asarray(query))
    return weights @ np.asarray(values), weights


attend(np.zeros(2), np.zeros((4, 3)), np.zeros((4, 3)))
# %% extra
1 / 0
# %% extra
raise KeyboardInterrupt
