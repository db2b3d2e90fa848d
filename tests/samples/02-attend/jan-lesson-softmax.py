# Wrong: softmax is the lesson's own, which normalises over the whole array.
# expect: status=graded score>=86 score<100
# rest: ada-vectorised
# %% softmax-answer
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max())
    return e / e.sum()
