# Wrong: keys times queries; the rank, which builds on it, is not counted as wrong a second time.
# expect: status=graded score=48
# rest: ada-vectorised
# %% w_qk-answer
def w_qk(W_q, W_k):
    return np.asarray(W_k) @ np.asarray(W_q).T
