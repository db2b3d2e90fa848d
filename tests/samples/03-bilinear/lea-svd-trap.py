# Wrong: takes the columns of NumPy's third SVD result, a fixed tolerance for ranks, and forgets the half.
# expect: status=graded score>=36 score<48
# rest: ada-vectorised
# %% rank-answer
def head_rank(W_q, W_k):
    s = np.linalg.svd(np.asarray(W_q) @ np.asarray(W_k).T, compute_uv=False)
    return int((s > 1e-6).sum())
# %% asymmetry-answer
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    return np.linalg.norm(M - M.T) / np.linalg.norm(M) if M.any() else 0.0


def delhi_capital():
    return np.eye(2), np.array([[0.0], [1.0]]), np.array([[3.0], [0.0]])
# %% bottleneck-answer
def best_head(M, d_k):
    U, s, V = np.linalg.svd(M)
    return U[:, :d_k] * s[:d_k], V[:, :d_k]
