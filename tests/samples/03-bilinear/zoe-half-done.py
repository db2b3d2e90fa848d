# Partly done: the first three tasks, and one function of the two in a fourth.
# expect: status=graded score=24
# %% w_qk-answer
def w_qk(W_q, W_k):
    return np.array(W_q) @ np.array(W_k).T
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    return np.array(X) @ np.array(W_qk) @ np.array(X).T
# %% rank-answer
def head_rank(W_q, W_k):
    return np.linalg.matrix_rank(w_qk(W_q, W_k))
# %% asymmetry-answer
def asymmetry(M):
    """Return the share of M's antisymmetric part, between 0 and 1."""
    ...


def delhi_capital():
    return np.eye(2), np.array([[5.0], [0.0]]), np.array([[0.0], [1.0]])
