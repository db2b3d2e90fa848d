# Broken: a syntax error in one answer costs that task and nothing else; the rank does not build on it in vain.
# expect: status=graded score=48
# rest: ada-vectorised
# %% w_qk-answer
def w_qk(W_q, W_k)
    return np.asarray(W_q) @ np.asarray(W_k).T
