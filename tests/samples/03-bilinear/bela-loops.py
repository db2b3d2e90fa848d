# Right: sums in loops over plain lists, and ranks by elimination.
# expect: status=graded score=56
# %% w_qk-answer
def w_qk(W_q, W_k):
    return [[float(sum(a * b for a, b in zip(q, k))) for k in W_k] for q in W_q]
# %% bilinear_scores-answer
def bilinear_scores(X, W_qk):
    n, d = len(X), len(W_qk)
    scores = []
    for i in range(n):
        row = []
        for j in range(n):
            total = 0.0
            for a in range(d):
                for b in range(d):
                    total += X[i][a] * W_qk[a][b] * X[j][b]
            row.append(float(total))
        scores.append(row)
    return scores
# %% rank-answer
def head_rank(W_q, W_k):
    M = [[float(v) for v in row] for row in w_qk(W_q, W_k)]
    size = max(abs(v) for row in M for v in row)
    rank = 0
    while M and M[0]:
        i, j = max(((i, j) for i in range(len(M)) for j in range(len(M[0]))), key=lambda ij: abs(M[ij[0]][ij[1]]))
        if abs(M[i][j]) <= 1e-10 * size:
            break
        pivot = M.pop(i)
        M = [[v - row[j] / pivot[j] * p for v, p in zip(row, pivot)] for row in M]
        M = [row[:j] + row[j + 1:] for row in M]
        rank += 1
    return rank
# %% rank_build-answer
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > d_model or r > d_k:
        raise ValueError("impossible")
    W_q = [[1.0 if i == j and i < r else 0.0 for j in range(d_k)] for i in range(d_model)]
    W_k = [[2.0 if i == j else 0.0 for j in range(d_k)] for i in range(d_model)]
    return W_q, W_k
# %% parameters-answer
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        if d_model % n_heads != 0:
            raise ValueError("does not come out even")
        d_k = d_model // n_heads
    factored = d_model * d_k + d_model * d_k
    full = d_model * d_model
    return [factored, full, factored < full]
# %% asymmetry-answer
import math

def asymmetry(M):
    n = len(M)
    anti = total = 0.0
    for i in range(n):
        for j in range(n):
            anti += ((M[i][j] - M[j][i]) / 2) ** 2
            total += M[i][j] ** 2
    return math.sqrt(anti / total) if total else 0.0

def delhi_capital():
    return [[1, 0], [0, 1]], [[2], [0]], [[0], [1]]
# %% bottleneck-answer
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(np.array(M, dtype=float))
    W_q = [[float(U[i, c] * s[c]) for c in range(d_k)] for i in range(len(M))]
    W_k = [[float(Vh[c, i]) for c in range(d_k)] for i in range(len(M))]
    return W_q, W_k
# %% ov-answer
def matmul(A, B):
    return [[float(sum(A[i][k] * B[k][j] for k in range(len(B)))) for j in range(len(B[0]))] for i in range(len(A))]

def w_ov(W_v, W_o):
    return matmul(W_v, W_o)

def head_output(A, X, W_ov):
    return matmul(matmul(A, X), W_ov)
# %% reflection
Because x M y and y M x are different numbers unless M is its own mirror image.
