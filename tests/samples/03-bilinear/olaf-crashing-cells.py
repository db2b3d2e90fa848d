# Broken: a cell that raises, a cell that leaves; every function is right.
# expect: status=graded score=56
# rest: ada-vectorised
# %% w_qk-answer
def w_qk(W_q, W_k):
    return np.asarray(W_q) @ np.asarray(W_k).T


w_qk(np.zeros((2, 3)), np.zeros((4, 5)))
# %% extra
raise KeyboardInterrupt
# %% extra
raise SystemExit(0)
