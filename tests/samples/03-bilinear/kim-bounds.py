# Wrong: takes upper bounds for ranks, a tie for cheaper, and lets impossible ranks through.
# expect: status=graded score>=46 score<54
# rest: ada-vectorised
# %% rank-answer
def head_rank(W_q, W_k):
    return min(np.linalg.matrix_rank(np.asarray(W_q)), np.linalg.matrix_rank(np.asarray(W_k)))
# %% rank_build-answer
def head_of_rank(d_model, d_k, r):
    W = np.eye(d_model, d_k)
    W[:, max(r, 0):] = 0
    return W, W
# %% parameters-answer
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        if d_model % n_heads:
            raise ValueError("uneven")
        d_k = d_model // n_heads
    return 2 * d_model * d_k, d_model ** 2, 2 * d_model * d_k <= d_model ** 2
