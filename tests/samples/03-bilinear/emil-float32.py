# Right: in float32 wherever it does no harm, and np.matrix; accepted with notes.
# expect: status=graded score=56
# rest: ada-vectorised
# %% w_qk-answer
def w_qk(W_q, W_k):
    return np.matrix(W_q, dtype=float) * np.matrix(W_k, dtype=float).T
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    X = np.asarray(X, dtype=float)
    return (X @ np.asarray(W_qk, dtype=float) @ X.T).astype(np.float32)
# %% bottleneck-answer
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(np.asarray(M, dtype=np.float32))
    return U[:, :d_k] * s[:d_k], Vh[:d_k].T
