# Right: einsum, random constructions and a projection in place of the full decomposition.
# expect: status=graded score=56
# rest: ada-vectorised
# %% w_qk-answer
w_qk = lambda W_q, W_k: np.einsum("ic,jc->ij", np.asarray(W_q, float), np.asarray(W_k, float))
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    return np.einsum("ia,ab,jb->ij", np.asarray(X, float), np.asarray(W_qk, float), np.asarray(X, float))
# %% rank_build-answer
def head_of_rank(d_model, d_k, r):
    if r not in range(min(d_model, d_k) + 1):
        raise ValueError(r)
    rng = np.random.default_rng(7)
    return rng.normal(size=(d_model, r)) @ rng.normal(size=(r, d_k)), rng.normal(size=(d_model, d_k))
# %% asymmetry-answer
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    S = (M + M.T) / 2
    size = np.einsum("ij,ij", M, M)
    return np.sqrt(max(0.0, 1 - np.einsum("ij,ij", S, S) / size)) if size else 0.0


def delhi_capital():
    rng = np.random.default_rng(5)
    while True:
        X, W_q, W_k = rng.normal(size=(2, 8)), rng.normal(size=(8, 4)), rng.normal(size=(8, 4))
        S = (X @ W_q) @ (X @ W_k).T
        if S[0, 1] - S[1, 0] > 3:
            return X, W_q, W_k
# %% bottleneck-answer
def best_head(M, d_k):
    M = np.asarray(M, dtype=float)
    values, vectors = np.linalg.eigh(M @ M.T)
    left = vectors[:, values.argsort()[::-1][:d_k]]
    return left, M.T @ left
# %% ov-answer
def w_ov(W_v, W_o):
    return np.einsum("iv,vj->ij", np.asarray(W_v, float), np.asarray(W_o, float))


def head_output(A, X, W_ov):
    return np.einsum("ij,jd,de->ie", *(np.asarray(part, float) for part in (A, X, W_ov)))
