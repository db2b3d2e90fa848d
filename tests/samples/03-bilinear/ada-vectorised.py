# Right: everything in matrix products, the written answer too; full marks but for what a person has to read.
# expect: status=graded score=56
# %% w_qk-answer
def w_qk(W_q, W_k):
    """Return the one matrix that the scores see of W_q and W_k."""
    return np.asarray(W_q) @ np.asarray(W_k).T
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    """Return the score of every token (row) for every token (column)."""
    X = np.asarray(X)
    return X @ np.asarray(W_qk) @ X.T
# %% rank-answer
def head_rank(W_q, W_k):
    """Return the numerical rank of the head's bilinear form."""
    return int(np.linalg.matrix_rank(w_qk(W_q, W_k), rtol=1e-9))
# %% rank_build-answer
def head_of_rank(d_model, d_k, r):
    """Return (W_q, W_k) whose bilinear form has exactly the rank r."""
    if r < 0 or r > min(d_model, d_k):
        raise ValueError(f"rank {r} is impossible")
    W = np.eye(d_model, d_k)
    W[:, r:] = 0
    return W, W.copy()
# %% parameters-answer
def qk_parameters(d_model, n_heads, d_k=None):
    """Count one head's numbers for queries and keys; return (factored, full, cheaper)."""
    if d_k is None:
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError("the heads cannot share the width evenly")
    return 2 * d_model * d_k, d_model * d_model, 2 * d_k < d_model
# %% asymmetry-answer
def asymmetry(M):
    """Return the share of M's antisymmetric part, between 0 and 1."""
    M = np.asarray(M, dtype=float)
    return np.linalg.norm(M - M.T) / 2 / np.linalg.norm(M) if M.any() else 0.0


def delhi_capital():
    """Return (X, W_q, W_k) so that Delhi looks at capital more than capital looks at Delhi."""
    return np.eye(2), np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [9.0, 0.0]])
# %% bottleneck-answer
def best_head(M, d_k):
    """Return the head (W_q, W_k) of width d_k that comes closest to M."""
    U, s, Vh = np.linalg.svd(M)
    root = np.sqrt(s[:d_k])
    return U[:, :d_k] * root, Vh[:d_k].T * root
# %% ov-answer
def w_ov(W_v, W_o):
    """Return the one matrix that takes a token to what it writes."""
    return np.asarray(W_v) @ np.asarray(W_o)


def head_output(A, X, W_ov):
    """Return what the head writes for each token, given the weights A."""
    return np.asarray(A) @ np.asarray(X) @ np.asarray(W_ov)
# %% reflection
With M in the middle, i asks j is x_i M x_j and the way back is x_j M x_i, which is the same as x_i M^T x_j. Nothing makes
M equal to its transpose, so the two can differ. With one shared matrix W, M is W W^T. That is its own transpose, so Delhi
scores capital exactly as much as capital scores Delhi, and a token's score for itself is |xW|^2, never below zero.
