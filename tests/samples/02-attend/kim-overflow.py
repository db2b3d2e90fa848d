# Wrong: softmax without the maximum taken off, so large scores become nan.
# expect: status=graded score>=86 score<100
# rest: ada-vectorised
# %% softmax-answer
def softmax(x, axis=-1):
    e = np.exp(np.asarray(x, dtype=float))
    return e / e.sum(axis=axis, keepdims=True)
