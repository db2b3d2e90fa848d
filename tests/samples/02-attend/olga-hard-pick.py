# Wrong: attend copies the winner's value.
# expect: status=graded score>=84 score<98
# rest: cleo-einsum
# %% attend-answer
def attend(query, keys, values):
    weights = softmax(np.asarray(keys, float) @ np.asarray(query, float))
    return np.asarray(values, float)[np.argmax(weights)], weights
