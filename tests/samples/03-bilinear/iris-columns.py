# Wrong: writes Elhage's column convention throughout, which is right there and not here.
# expect: status=graded score>=20 score<42
# rest: ada-vectorised
# %% w_qk-answer
def w_qk(W_Q, W_K):
    return np.asarray(W_Q).T @ np.asarray(W_K)
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    X = np.asarray(X)
    return X.T @ np.asarray(W_qk) @ X
# %% rank_build-answer
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > min(d_model, d_k):
        raise ValueError("impossible")
    W = np.eye(d_k, d_model)
    W[r:] = 0
    return W, W
# %% ov-answer
def w_ov(W_V, W_O):
    return np.asarray(W_O) @ np.asarray(W_V)


def head_output(A, X, W_ov):
    return np.asarray(W_ov) @ np.asarray(A) @ np.asarray(X)
