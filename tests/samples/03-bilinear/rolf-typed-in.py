# Wrong: gives back the numbers of the visible checks, and constants.
# expect: status=graded score<6
# %% w_qk-answer
def w_qk(W_q, W_k):
    return np.array([[0.0, 2.0, 3.0], [1.0, 0.0, -1.0], [1.0, 2.0, 2.0]])
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    return np.array([[0.0, 0, 3, 6], [2, 0, 0, 0], [2, 1, 2, 2], [0, 2, 4, 4]])
# %% rank-answer
def head_rank(W_q, W_k):
    return 2
# %% rank_build-answer
def head_of_rank(d_model, d_k, r):
    raise ValueError
# %% parameters-answer
def qk_parameters(d_model, n_heads, d_k=None):
    if d_model % n_heads:
        raise ValueError
    return 65536, 262144, True
# %% asymmetry-answer
def asymmetry(M):
    return 0.0


def delhi_capital():
    return np.eye(2), np.eye(2), np.eye(2)
# %% bottleneck-answer
def best_head(M, d_k):
    return np.zeros((len(M), d_k)), np.zeros((len(M), d_k))
# %% ov-answer
def w_ov(W_v, W_o):
    return np.array([[0.0, 1, 5], [6, 0, 0], [3, 1, 5]])


def head_output(A, X, W_ov):
    return np.zeros(np.shape(X))
