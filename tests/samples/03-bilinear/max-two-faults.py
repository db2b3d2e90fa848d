# Wrong: two faults at once in most tasks.
# expect: status=graded score<20
# %% w_qk-answer
def w_qk(W_q, W_k):
    M = np.asarray(W_k) @ np.asarray(W_q).T
    return M / np.sqrt(np.shape(W_q)[1])
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    X = np.asarray(X)
    S = X @ np.asarray(W_qk) @ X.T / np.sqrt(X.shape[1])
    return (S + S.T) / 2
# %% parameters-answer
def qk_parameters(d_model, n_heads, d_k=None):
    d_k = d_model // n_heads if d_k is None else d_k
    return d_model * d_k, d_model ** 2, d_model * d_k < d_model ** 2
# %% asymmetry-answer
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    return np.sum((M - M.T) ** 2) / np.sum(M ** 2)


def delhi_capital():
    W = np.array([[1.0], [2.0]])
    return np.eye(2), W, W
# %% bottleneck-answer
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    return Vh[:d_k].T, U[:, :d_k]
# %% ov-answer
def w_ov(W_v, W_o):
    return (np.asarray(W_v) @ np.asarray(W_o)).T / np.sqrt(len(W_o))


def head_output(A, X, W_ov):
    return np.asarray(A).T @ np.asarray(X) @ np.asarray(W_ov).T
