"""Answers to `03-bilinear` as people write them: right ones in many styles, wrong ones with the groups that tell them.

`RIGHT[task][name]` is source text. `WRONG[task][name]` is (group functions that must fail, source text); a name that is
a fault id of the misconception bank must also behave like that fault.
"""

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {}
NOTED = {  # accepted with a note, by the conventions of the course
    ("w_qk", "loops"),
    ("w_qk", "float32"),
    ("w_qk", "matrix"),
    ("bilinear_scores", "loops"),
    ("bilinear_scores", "float32"),
    ("bilinear_scores", "matrix"),
    ("rank", "float"),
    ("rank_build", "lists"),
    ("rank_build", "float32"),
    ("rank_build", "matrix"),
    ("parameters", "floats_from_division"),
    ("parameters", "ones_and_zeros"),
    ("asymmetry", "float32"),
    ("asymmetry", "rest_of_the_symmetric_part"),
    ("asymmetry", "loops"),
    ("bottleneck", "lists"),
    ("bottleneck", "float32"),
    ("bottleneck", "matrix"),
    ("ov", "loops"),
    ("ov", "float32"),
}

# ------------------------------------------------------------------------------------------------------- right

RIGHT["w_qk"] = {
    "product": """
def w_qk(W_q, W_k):
    return np.array(W_q) @ np.array(W_k).T
""",
    "einsum": """
w_qk = lambda q, k: np.einsum('ic,jc->ij', np.asarray(q), np.asarray(k))
""",
    "loops": """
def w_qk(W_q, W_k):
    rows, others = [list(row) for row in W_q], [list(row) for row in W_k]
    return [[float(sum(a * b for a, b in zip(row, other))) for other in others] for row in rows]
""",
    "sum_of_outer_products": """
def w_qk(W_q, W_k):
    W_q, W_k = np.asarray(W_q, dtype=float), np.asarray(W_k, dtype=float)
    total = np.zeros((len(W_q), len(W_k)))
    for c in range(W_q.shape[1]):
        total += np.outer(W_q[:, c], W_k[:, c])
    return total
""",
    "through_the_scores_of_one_hot_tokens": """
def w_qk(W_q, W_k):
    tokens = np.eye(len(W_q))
    queries, keys = tokens @ np.asarray(W_q), tokens @ np.asarray(W_k)
    return queries @ keys.T
""",
    "broadcast": """
def w_qk(W_q, W_k):
    return (np.asarray(W_q)[:, None, :] * np.asarray(W_k)[None, :, :]).sum(axis=-1)
""",
    "class": """
class Head:
    def __init__(self, W_q, W_k):
        self.W_q, self.W_k = np.asarray(W_q, float), np.asarray(W_k, float)
    @property
    def form(self):
        return np.dot(self.W_q, self.W_k.transpose())
def w_qk(W_q, W_k):
    return Head(W_q, W_k).form
""",
    "float32": """
def w_qk(W_q, W_k):
    return np.asarray(W_q, dtype=np.float32) @ np.asarray(W_k, dtype=np.float32).T
""",
    "matrix": """
def w_qk(W_q, W_k):
    return np.matrix(W_q) * np.matrix(W_k).T
""",
}

RIGHT["bilinear_scores"] = {
    "product": """
def bilinear_scores(X, W_qk):
    X = np.asarray(X)
    return X @ np.asarray(W_qk) @ X.T
""",
    "einsum": """
def bilinear_scores(X, W):
    return np.einsum('ia,ab,jb->ij', np.asarray(X, float), np.asarray(W, float), np.asarray(X, float))
""",
    "loops": """
def bilinear_scores(X, W_qk):
    def score(a, b):
        return float(sum(a[i] * W_qk[i][j] * b[j] for i in range(len(a)) for j in range(len(b))))
    return [[score(x, y) for y in X] for x in X]
""",
    "queries_first": """
def bilinear_scores(X, W_qk):
    tokens = np.array(X, dtype=float)
    queries = tokens.dot(np.array(W_qk, dtype=float))
    scores = np.empty((len(tokens), len(tokens)))
    for i, q in enumerate(queries):
        for j, x in enumerate(tokens):
            scores[i, j] = q.dot(x)
    return scores
""",
    "keys_first": """
def bilinear_scores(X, W_qk):
    X = np.asarray(X)
    return np.dot(X, np.dot(np.asarray(W_qk), np.transpose(X)))
""",
    "multi_dot": """
bilinear_scores = lambda X, W: np.linalg.multi_dot([np.array(X, float), np.array(W, float), np.array(X, float).T])
""",
    "through_svd": """
def bilinear_scores(X, W_qk):
    U, s, Vt = np.linalg.svd(np.asarray(W_qk, dtype=float))
    X = np.asarray(X, dtype=float)
    return (X @ U * s) @ (X @ Vt.T).T
""",
    "float32": """
def bilinear_scores(X, W_qk):
    X = np.asarray(X, dtype=float)
    return (X @ np.asarray(W_qk, dtype=float) @ X.T).astype(np.float32)
""",
    "matrix": """
def bilinear_scores(X, W_qk):
    X = np.asmatrix(np.array(X, dtype=float))
    return X * np.asmatrix(W_qk) * X.T
""",
}

RIGHT["rank"] = {
    "svd_with_a_relative_tolerance": """
def head_rank(W_q, W_k):
    s = np.linalg.svd(np.asarray(W_q, float) @ np.asarray(W_k, float).T, compute_uv=False)
    return int(np.sum(s > s.max() * 1e-9))
""",
    "matrix_rank": """
def head_rank(W_q, W_k):
    return np.linalg.matrix_rank(np.array(W_q) @ np.array(W_k).T)
""",
    "matrix_rank_with_rtol": """
def head_rank(W_q, W_k):
    return int(np.linalg.matrix_rank(w_qk(W_q, W_k), rtol=1e-8))
""",
    "normalised_first": """
def head_rank(W_q, W_k):
    M = np.asarray(W_q, dtype=float) @ np.asarray(W_k, dtype=float).T
    largest = np.abs(M).max()
    if largest == 0:
        return 0
    return int(np.count_nonzero(np.linalg.svd(M / largest)[1] > 1e-8))
""",
    "qr_of_both_factors": """
def head_rank(W_q, W_k):
    R_q = np.linalg.qr(np.asarray(W_q, dtype=float), mode='r')
    R_k = np.linalg.qr(np.asarray(W_k, dtype=float), mode='r')
    s = np.linalg.svd(R_q @ R_k.T, compute_uv=False)
    return sum(1 for value in s if value > 1e-10 * s[0])
""",
    "elimination": """
def head_rank(W_q, W_k):
    M = np.asarray(W_q, dtype=float) @ np.asarray(W_k, dtype=float).T
    size, rank = np.abs(M).max(), 0
    while M.size:
        i, j = np.unravel_index(np.argmax(np.abs(M)), M.shape)
        if abs(M[i, j]) <= 1e-10 * size:
            break
        M = M - np.outer(M[:, j], M[i]) / M[i, j]
        M = np.delete(np.delete(M, i, axis=0), j, axis=1)
        rank += 1
    return rank
""",
    "gram_eigenvalues": """
def head_rank(W_q, W_k):
    M = np.asarray(W_q, dtype=float) @ np.asarray(W_k, dtype=float).T
    squares = np.linalg.eigvalsh(M.T @ M)
    return int((squares > 1e-13 * squares[-1]).sum())
""",
    "small_side": """
def head_rank(W_q, W_k):
    M = np.asarray(W_q, dtype=float) @ np.asarray(W_k, dtype=float).T
    s = sorted(np.linalg.svd(M, compute_uv=False), reverse=True)
    count = 0
    while count < len(s) and s[count] > 1e-7 * s[0]:
        count += 1
    return count
""",
    "float": """
def head_rank(W_q, W_k):
    s = np.linalg.svd(np.asarray(W_q, float) @ np.asarray(W_k, float).T, compute_uv=False)
    return np.where(s > 1e-9 * s[0], 1.0, 0.0).sum()
""",
}

RIGHT["rank_build"] = {
    "ones_on_the_diagonal": """
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > min(d_model, d_k):
        raise ValueError('impossible')
    W_q, W_k = np.eye(d_model, d_k), np.eye(d_model, d_k)
    W_k[:, r:] = 0
    return W_q, W_k
""",
    "random": """
def head_of_rank(d_model, d_k, r):
    if not 0 <= r <= min(d_model, d_k):
        raise ValueError
    rng = np.random.default_rng(1)
    narrow = rng.normal(size=(d_model, r))
    return narrow @ rng.normal(size=(r, d_k)), rng.normal(size=(d_model, d_k))
""",
    "orthonormal": """
def head_of_rank(d_model, d_k, r):
    if r not in range(min(d_model, d_k) + 1):
        raise ValueError(f'rank {r} does not fit')
    side = max(d_model, d_k)
    Q, _ = np.linalg.qr(np.random.default_rng(d_model).normal(size=(side, side)))
    W = Q[:d_model, :r] @ np.eye(r, d_k)
    return (W, np.linalg.pinv(W).T)
""",
    "lists": """
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > d_model or r > d_k:
        raise ValueError('no such head')
    W = [[1.0 if i == j and i < r else 0.0 for j in range(d_k)] for i in range(d_model)]
    return W, W
""",
    "different_strengths_and_places": """
class NoSuchHead(ValueError):
    pass
def head_of_rank(d_model, d_k, r):
    if min(d_model, d_k) < r or r < 0:
        raise NoSuchHead(r)
    W_q, W_k = np.zeros((d_model, d_k)), np.zeros((d_model, d_k))
    for c in range(r):
        W_q[d_model - 1 - c, c] = 10.0 ** -c
        W_k[c, c] = -3
    return [W_q, W_k]
""",
    "whole_numbers": """
def head_of_rank(d_model, d_k, r):
    if not (0 <= r <= d_model and r <= d_k):
        raise ValueError('no')
    W_q = np.tril(np.ones((d_model, d_k), dtype=int))
    W_q[:, r:] = 0
    return W_q, np.eye(d_model, d_k, dtype=int)
""",
    "shared_columns": """
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > min(d_model, d_k):
        raise ValueError('no')
    if r == 0:
        return np.ones((d_model, d_k)), np.zeros((d_model, d_k))
    W = np.eye(d_model)[:, np.minimum(np.arange(d_k), r - 1)]
    return W, W.copy()
""",
    "float32": """
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > min(d_model, d_k):
        raise ValueError('no')
    rng = np.random.default_rng(2)
    W = (rng.normal(size=(d_model, r)) @ np.eye(r, d_k)).astype(np.float32)
    return W, (W @ np.diag(rng.uniform(1, 2, size=d_k))).astype(np.float32)
""",
    "matrix": """
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > min(d_model, d_k):
        raise ValueError('no')
    W = np.matrix(np.eye(d_model, r)) * np.matrix(np.eye(r, d_k))
    return W, 2 * W
""",
}

RIGHT["parameters"] = {
    "plain": """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        if d_model % n_heads != 0:
            raise ValueError('d_model must be divisible by n_heads')
        d_k = d_model // n_heads
    return 2 * d_model * d_k, d_model * d_model, 2 * d_k < d_model
""",
    "divmod": """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        d_k, left = divmod(d_model, n_heads)
        if left:
            raise ValueError(left)
    counts = [d_model * d_k * 2, d_model ** 2]
    return (*counts, counts[0] < counts[1])
""",
    "counted_in_arrays": """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None and d_model % n_heads:
        raise ValueError('uneven')
    width = d_model // n_heads if d_k is None else d_k
    W = np.broadcast_to(0.0, (d_model, width))
    factored, full = W.size + W.size, np.broadcast_to(0.0, (d_model, d_model)).size
    return [factored, full, factored < full]
""",
    "numpy_integers": """
def qk_parameters(d_model, n_heads, d_k=None):
    d_model = np.int64(d_model)
    if d_k is None:
        if d_model % n_heads:
            raise ValueError('uneven')
        d_k = d_model // n_heads
    factored, full = 2 * d_model * np.int64(d_k), d_model * d_model
    return factored, full, np.less(factored, full)
""",
    "exact_fractions": """
from fractions import Fraction
def qk_parameters(d_model, n_heads, d_k=None):
    width = Fraction(d_model, n_heads) if d_k is None else Fraction(d_k)
    if width.denominator != 1:
        raise ValueError('uneven')
    factored, full = int(2 * d_model * width), d_model ** 2
    return factored, full, Fraction(factored, full) < 1
""",
    "named_tuple": """
from collections import namedtuple
Count = namedtuple('Count', 'factored full cheaper')
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        d_k = next((w for w in range(1, d_model + 1) if w * n_heads == d_model), None)
        if d_k is None:
            raise ValueError('uneven')
    return Count(d_model * d_k + d_model * d_k, d_model * d_model, not d_model <= 2 * d_k)
""",
    "floats_from_division": """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        if d_model % n_heads:
            raise ValueError('uneven')
        d_k = d_model / n_heads
    factored = 2 * d_model * d_k
    return factored, d_model ** 2, factored < d_model ** 2
""",
    "ones_and_zeros": """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        if d_model % n_heads:
            raise ValueError('uneven')
        d_k = d_model // n_heads
    return 2 * d_model * d_k, d_model ** 2, 1 if 2 * d_k < d_model else 0
""",
}

DELHI = """
def delhi_capital():
    return np.eye(2), np.array([[3.0], [0.0]]), np.array([[0.0], [1.0]])
"""

RIGHT["asymmetry"] = {
    "norms": """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    if not M.any():
        return 0.0
    return np.linalg.norm((M - M.T) / 2) / np.linalg.norm(M)
def delhi_capital():
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    return X, 2 * np.eye(2), np.array([[0.0, 0.0], [1.0, 0.0]])
""",
    "one_antisymmetric_turn": """
def asymmetry(M):
    M = np.array(M, dtype=float)
    whole = np.sqrt((M ** 2).sum())
    return float(np.sqrt(((M - M.T) ** 2).sum()) / (2 * whole)) if whole > 0 else 0.0
def delhi_capital():
    turn = np.array([[0, 5], [-5, 0]])
    return np.eye(2), turn, np.eye(2)
""",
    "against_both_ways": """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    both = np.linalg.norm(M) + np.linalg.norm(M.T)
    return 0 if both == 0 else np.linalg.norm(M - M.T) / both
def delhi_capital():
    rng = np.random.default_rng(4)
    while True:
        X, W_q, W_k = rng.normal(size=(2, 6)), rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
        S = X @ W_q @ W_k.T @ X.T
        if S[0, 1] > S[1, 0] + 1.5:
            return X, W_q, W_k
""",
    "rest_of_the_symmetric_part": """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    size = np.sum(M * M)
    if size == 0:
        return 0.0
    S = (M + M.T) / 2
    return np.sqrt(max(0.0, 1 - np.sum(S * S) / size))
def delhi_capital():
    return [[1, 2, 0], [0, 1, 1]], [[4, 0], [0, 0], [0, 1]], [[0, 0], [0, 0], [3, 0]]
""",
    "loops": """
import math
def asymmetry(M):
    n = len(M)
    above = sum(((M[i][j] - M[j][i]) / 2) ** 2 for i in range(n) for j in range(n))
    below = sum(M[i][j] ** 2 for i in range(n) for j in range(n))
    return math.sqrt(above / below) if below else 0.0
def delhi_capital():
    return ((1.0, 0.0), (0.0, 1.0)), ((1.1,), (0.0,)), ((0.0,), (1.0,))
""",
    "trace": """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    A = (M - M.T) * 0.5
    with np.errstate(invalid='ignore'):
        return np.nan_to_num(np.sqrt(np.trace(A @ A.T)) / np.sqrt(np.trace(M @ M.T)))
def delhi_capital():
    return np.array([[2., 7.], [1., 9.]]), np.array([[1.], [0.]]), np.array([[0.], [1.]])
""",
    "keys_only_for_the_capital": """
def asymmetry(M):
    M = np.asarray(M, float)
    size = np.linalg.norm(M, 'fro')
    return np.linalg.norm(0.5 * (M - M.T), ord='fro') / size if size else 0
def delhi_capital():
    X = np.array([[1000.0, 0.0, 0.0], [0.0, 1e-2, 0.0]])
    W_q = np.zeros((3, 4)); W_q[0, 2] = 1
    W_k = np.zeros((3, 4)); W_k[1, 2] = 1
    return X, W_q, W_k
""",
    "float32": """
def asymmetry(M):
    M = np.asarray(M, dtype=np.float32)
    size = np.linalg.norm(M)
    return np.linalg.norm((M - M.T) / 2) / size if size else np.float32(0)
"""
    + DELHI,
}

RIGHT["bottleneck"] = {
    "root_on_each_side": """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    root = np.sqrt(s[:d_k])
    return U[:, :d_k] * root, Vh[:d_k, :].T * root
""",
    "strengths_on_the_keys": """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(np.array(M, dtype=float), full_matrices=False)
    return U[:, :d_k], (np.diag(s[:d_k]) @ Vh[:d_k]).T
""",
    "projection_on_the_gram_matrix": """
def best_head(M, d_k):
    M = np.asarray(M, dtype=float)
    _, vectors = np.linalg.eigh(M.T @ M)
    right = vectors[:, ::-1][:, :d_k]
    return M @ right, right
""",
    "projection_from_the_left": """
def best_head(M, d_k):
    M = np.asarray(M, dtype=float)
    values, vectors = np.linalg.eigh(M @ M.T)
    left = vectors[:, np.argsort(values)[::-1][:d_k]]
    return left, M.T @ left
""",
    "turned_at_will": """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    G = np.random.default_rng(0).normal(size=(d_k, d_k)) + 3 * np.eye(d_k)
    return -(U[:, :d_k] * s[:d_k]) @ G, -Vh[:d_k].T @ np.linalg.inv(G).T
""",
    "subspace_iteration": """
def best_head(M, d_k):
    M = np.asarray(M, dtype=float)
    right = np.linalg.qr(np.random.default_rng(3).normal(size=(len(M), d_k)))[0]
    for _ in range(120):
        right = np.linalg.qr(M.T @ (M @ right))[0]
    return M @ right, right
""",
    "one_direction_after_the_other": """
def best_head(M, d_k):
    rest = np.array(M, dtype=float)
    W_q, W_k = np.zeros((len(rest), d_k)), np.zeros((len(rest), d_k))
    for c in range(d_k):
        U, s, Vh = np.linalg.svd(rest)
        W_q[:, c], W_k[:, c] = s[0] * U[:, 0], Vh[0]
        rest = rest - np.outer(W_q[:, c], W_k[:, c])
    return W_q, W_k
""",
    "lists": """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    return [[u * v for u, v in zip(row[:d_k], s)] for row in U.tolist()], Vh[:d_k].T.tolist()
""",
    "float32": """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(np.asarray(M, dtype=np.float32))
    return U[:, :d_k] * s[:d_k], Vh[:d_k].T
""",
    "matrix": """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(np.matrix(M))
    return U[:, :d_k] * np.matrix(np.diag(s[:d_k])), Vh[:d_k].H
""",
}

RIGHT["ov"] = {
    "products": """
def w_ov(W_v, W_o):
    return np.asarray(W_v) @ np.asarray(W_o)
def head_output(A, X, W_ov):
    return np.asarray(A) @ np.asarray(X) @ np.asarray(W_ov)
""",
    "einsum": """
w_ov = lambda W_v, W_o: np.einsum('dv,ve->de', np.asarray(W_v, float), np.asarray(W_o, float))
head_output = lambda A, X, W: np.einsum('ij,jd,de->ie', *(np.asarray(p, float) for p in (A, X, W)))
""",
    "loops": """
def times(left, right):
    return [[float(sum(row[k] * right[k][j] for k in range(len(right)))) for j in range(len(right[0]))] for row in left]
def w_ov(W_v, W_o):
    return times(W_v, W_o)
def head_output(A, X, W_ov):
    return times(A, times(X, W_ov))
""",
    "writes_first": """
def w_ov(W_v, W_o):
    return sum(np.outer(np.asarray(W_v)[:, c], np.asarray(W_o)[c]) for c in range(len(W_o)))
def head_output(A, X, W_ov):
    writes = np.dot(X, W_ov)
    return np.array([sum(a * w for a, w in zip(row, writes)) for row in A])
""",
    "columns_and_back": """
def w_ov(W_v, W_o):
    return (np.transpose(W_o) @ np.transpose(W_v)).T
def head_output(A, X, W_ov):
    return (np.transpose(W_ov) @ np.transpose(X) @ np.transpose(A)).T
""",
    "one_hot_tokens": """
def w_ov(W_v, W_o):
    tokens = np.eye(len(W_v))
    return np.vstack([token @ np.array(W_v, float) @ np.array(W_o, float) for token in tokens])
def head_output(A, X, W_ov):
    out = np.zeros((len(A), np.shape(W_ov)[1]))
    for i, row in enumerate(A):
        for weight, token in zip(row, X):
            out[i] += weight * (np.asarray(token) @ np.asarray(W_ov))
    return out
""",
    "float32": """
def w_ov(W_v, W_o):
    return np.asarray(W_v, dtype='f4') @ np.asarray(W_o, dtype='f4')
def head_output(A, X, W_ov):
    return (np.asarray(A) @ np.asarray(X) @ np.asarray(W_ov)).astype('f4')
""",
}

# ------------------------------------------------------------------------------------------------------- wrong

QK_WHOLE = ("test_form", "test_scores", "test_gauge", "test_plain_inputs")
WRONG["w_qk"] = {
    "elhage_columns": (
        QK_WHOLE,
        """
def w_qk(W_Q, W_K):
    return np.asarray(W_Q).T @ np.asarray(W_K)
""",
    ),
    "k_qT": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    return np.array(W_k) @ np.array(W_q).T
""",
    ),
    "scaled": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    W_q, W_k = np.asarray(W_q), np.asarray(W_k)
    return W_q @ W_k.T / np.sqrt(W_k.shape[1])
""",
    ),
    "symmetrised": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    M = np.asarray(W_q) @ np.asarray(W_k).T
    return 0.5 * (M + M.T)
""",
    ),
    "elementwise": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    return np.asarray(W_q) * np.asarray(W_k)
""",
    ),
    "sum_outer": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    return np.outer(np.sum(W_q, axis=1), np.sum(W_k, axis=1))
""",
    ),
    "no_T": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    return np.dot(W_q, W_k)
""",
    ),
    "shared": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    W_q = np.asarray(W_q)
    return W_q @ W_q.T
""",
    ),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def w_qk(W_q, W_k):
    return W_q @ W_k.T
""",
    ),
    "mutates": (
        ("test_pure",),
        """
def w_qk(W_q, W_k):
    if isinstance(W_q, np.ndarray) and W_q.dtype == float:
        W_q /= W_q.shape[1] ** 0.5
        return W_q @ W_k.T
    return np.asarray(W_q) @ np.asarray(W_k).T
""",
    ),
    "rounded": (
        ("test_form", "test_scores"),
        """
def w_qk(W_q, W_k):
    return np.round(np.asarray(W_q) @ np.asarray(W_k).T, 3)
""",
    ),
    "typed_in": (
        QK_WHOLE,
        """
def w_qk(W_q, W_k):
    return np.array([[0., 2., 3.], [1., 0., -1.], [1., 2., 2.]])
""",
    ),
    "overwrites_afterwards": (
        ("test_pure",),
        """
def w_qk(W_q, W_k):
    M = np.asarray(W_q) @ np.asarray(W_k).T
    if isinstance(W_k, np.ndarray):
        W_k[0] = 0
    return M
""",
    ),
}

SCORES_WHOLE = ("test_scores", "test_rows_ask", "test_linear", "test_plain_inputs")
SCORES = """
def bilinear_scores(X, W_qk):
    X, W = np.asarray(X, dtype=float), np.asarray(W_qk, dtype=float)
    {}
"""
WRONG["bilinear_scores"] = {
    name: (SCORES_WHOLE, SCORES.format(text))
    for name, text in {
        "columns_ask": "return (X @ W @ X.T).T",
        "elhage_columns": "return X.T @ W @ X",
        "scaled": "return X @ W @ X.T / np.sqrt(X.shape[-1])",
        "softmaxed": "S = X @ W @ X.T; E = np.exp(S - S.max(1, keepdims=True)); return E / E.sum(1, keepdims=True)",
        "causal": "S = X @ W @ X.T; S[np.triu_indices(len(S), 1)] = -np.inf; return S",
        "symmetrised": "S = X @ W @ X.T; return (S + S.T) / 2",
        "form_ignored": "return X @ X.T",
        "one_sided": "return X @ W",
        "both_sides": "return (X @ W) @ (X @ W).T",
        "own_only": "return np.array([x @ W @ x for x in X])",
        "scaled_by_tokens": "return X @ W @ X.T / len(X)",
        "symmetrised_form_scaled": "return X @ (W + W.T) @ X.T / 2 / np.sqrt(X.shape[1])",
        "typed_in": "return np.array([[0., 0, 3, 6], [2, 0, 0, 0], [2, 1, 2, 2], [0, 2, 4, 4]])",
    }.items()
}
WRONG["bilinear_scores"]["arrays_only"] = (
    ("test_plain_inputs",),
    """
def bilinear_scores(X, W_qk):
    return X @ W_qk @ X.T
""",
)
WRONG["bilinear_scores"]["changes_the_tokens"] = (
    ("test_pure",),
    """
def bilinear_scores(X, W_qk):
    S = np.asarray(X) @ np.asarray(W_qk) @ np.asarray(X).T
    if isinstance(X, np.ndarray):
        X *= 2
    return S
""",
)

RANK = """
def head_rank(W_q, W_k):
    W_q, W_k = np.asarray(W_q, dtype=float), np.asarray(W_k, dtype=float)
    M = W_q @ W_k.T
    s = np.linalg.svd(M, compute_uv=False)
    return {}
"""
WRONG["rank"] = {
    name: (lost, RANK.format(text))
    for name, (lost, text) in {
        "abs_tol": (("test_unit",), "int((s > 1e-3).sum())"),
        "abs_tol_small": (("test_unit",), "int((s > 1e-10).sum())"),
        "strict_zero": (("test_full", "test_faint"), "int((s > 0).sum())"),
        "coarse": (("test_faint",), "int((s > 1e-3 * s[0]).sum())"),
        "coarse_percent": (("test_faint",), "int((s > 1e-2 * s[0]).sum())"),
        "sum_ranks": (
            ("test_full", "test_lower", "test_apart"),
            "int(np.linalg.matrix_rank(W_q) + np.linalg.matrix_rank(W_k))",
        ),
        "min_of_ranks": (("test_lower",), "int(min(np.linalg.matrix_rank(W_q), np.linalg.matrix_rank(W_k)))"),
        "kernel_dim": (("test_apart",), "int(np.linalg.matrix_rank(W_q.T @ W_k, rtol=1e-9))"),
        "eigenvalues": (
            ("test_apart",),
            "int((np.abs(np.linalg.eigvals(M)) > 1e-9 * np.abs(np.linalg.eigvals(M)).max()).sum())",
        ),
        "width": (("test_full", "test_lower", "test_faint"), "W_q.shape[1]"),
        "smaller_side": (("test_lower", "test_faint"), "min(W_q.shape)"),
        "model_width": (("test_full", "test_lower"), "len(W_q)"),
        "queries_only": (("test_lower",), "int(np.linalg.matrix_rank(W_q))"),
        "one_more": (("test_full", "test_lower", "test_faint"), "int((s > 1e-9 * s[0]).sum()) + 1"),
        "array_of_strengths": (("test_full", "test_lower"), "s"),
        "always_two": (("test_full", "test_lower", "test_faint"), "2"),
        "in_words": (("test_full", "test_lower"), "str(int((s > 1e-9 * s[0]).sum()))"),
    }.items()
}
WRONG["rank"]["arrays_only"] = (
    ("test_plain_inputs",),
    """
def head_rank(W_q, W_k):
    return int(np.linalg.matrix_rank(W_q @ W_k.T))
""",
)
WRONG["rank"]["divides_in_place"] = (
    ("test_pure",),
    """
def head_rank(W_q, W_k):
    if isinstance(W_q, np.ndarray) and W_q.dtype == float:
        W_q /= np.abs(W_q).max() or 1
    return int(np.linalg.matrix_rank(np.asarray(W_q) @ np.asarray(W_k).T))
""",
)

BUILD = """
def head_of_rank(d_model, d_k, r):
    if r < 0 or r > min(d_model, d_k):
        raise ValueError('impossible')
    {}
"""
BUILD_ALL = ("test_every_rank", "test_extremes")
WRONG["rank_build"] = {
    "r_ignored": (BUILD_ALL, BUILD.format("return np.eye(d_model, d_k), np.eye(d_model, d_k)")),
    "r_ignored_at_random": (
        BUILD_ALL,
        BUILD.format("return tuple(np.random.default_rng(0).normal(size=(2, d_model, d_k)))"),
    ),
    "one_more": (
        BUILD_ALL,
        BUILD.format("W = np.eye(d_model, d_k); W[:, r + 1:] = 0; return W, W"),
    ),
    "disjoint": (
        BUILD_ALL,
        BUILD.format(
            "W, V = np.zeros((2, d_model, d_k)); W[range(r), range(r)] = 1; "
            "V[range(r), range(d_k - r, d_k)] = 1; return W, V"
        ),
    ),
    "transposed": (BUILD_ALL, BUILD.format("W = np.eye(d_k, d_model); W[r:] = 0; return W, W")),
    "form_returned": (BUILD_ALL, BUILD.format("M = np.eye(d_model); M[r:] = 0; return M")),
    "clips": (
        ("test_refuses",),
        """
def head_of_rank(d_model, d_k, r):
    W = np.eye(d_model, d_k)
    W[:, max(r, 0):] = 0
    return W, W
""",
    ),
    "negative_taken": (
        ("test_refuses",),
        """
def head_of_rank(d_model, d_k, r):
    if r > min(d_model, d_k):
        raise ValueError('too many')
    W = np.zeros((d_model, d_k))
    for i in range(r):
        W[i, i] = 1
    return W, W
""",
    ),
    "width_is_limit": (
        ("test_refuses",),
        """
def head_of_rank(d_model, d_k, r):
    if not 0 <= r <= d_k:
        raise ValueError('impossible')
    W = np.eye(d_model, d_k)
    W[:, r:] = 0
    return W, W
""",
    ),
    "assertion": (
        ("test_refuses",),
        """
def head_of_rank(d_model, d_k, r):
    assert 0 <= r <= min(d_model, d_k)
    W = np.eye(d_model, d_k)
    W[:, r:] = 0
    return W, W
""",
    ),
    "index_error": (
        ("test_refuses",),
        """
def head_of_rank(d_model, d_k, r):
    W = np.zeros((d_model, d_k))
    for i in range(r):
        W[i, i] = 1.0
    return W, W
""",
    ),
    "zero_refused": (
        ("test_extremes",),
        """
def head_of_rank(d_model, d_k, r):
    if not 1 <= r <= min(d_model, d_k):
        raise ValueError('impossible')
    W = np.eye(d_model, d_k)
    W[:, r:] = 0
    return W, W
""",
    ),
    "full_refused": (
        ("test_extremes",),
        """
def head_of_rank(d_model, d_k, r):
    if r not in range(min(d_model, d_k)):
        raise ValueError('impossible')
    W = np.eye(d_model, d_k)
    W[:, r:] = 0
    return W, W
""",
    ),
    "none_wanted": (
        ("test_extremes",),
        BUILD.format("W = np.eye(d_model, d_k); W[:, max(r, 1):] = 0; return W, W"),
    ),
    "faint_rest": (
        BUILD_ALL[:1],
        BUILD.format("W = np.eye(d_model, d_k); W[:, r:] *= 1e-3; return W, W"),
    ),
    "refuses_everything": (
        (*BUILD_ALL,),
        """
def head_of_rank(d_model, d_k, r):
    raise ValueError('impossible')
""",
    ),
    "prints_only": (BUILD_ALL, BUILD.format("print(np.eye(d_model, d_k))")),
    "overflows": (BUILD_ALL[:1], BUILD.format("W = np.eye(d_model, d_k) * 1e200; W[:, r:] = 0; return W, W")),
}

COUNT = """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        if d_model % n_heads:
            raise ValueError('uneven')
        d_k = d_model // n_heads
    {}
"""
COUNT_ALL = ("test_counts", "test_default", "test_exact")
WRONG["parameters"] = {
    name: (lost, COUNT.format(text))
    for name, (lost, text) in {
        "no_factor2": (COUNT_ALL, "return d_model * d_k, d_model ** 2, d_model * d_k < d_model ** 2"),
        "all_heads": (COUNT_ALL, "f = 2 * d_model * d_k * n_heads; return f, d_model ** 2, f < d_model ** 2"),
        "full_all_heads": (COUNT_ALL, "f = 2 * d_model * d_k; g = d_model ** 2 * n_heads; return f, g, f < g"),
        "ge": (("test_cheaper",), "f = 2 * d_model * d_k; return f, d_model ** 2, f <= d_model ** 2"),
        "biases": (COUNT_ALL, "f = 2 * (d_model + 1) * d_k; return f, d_model ** 2, f < d_model ** 2"),
        "dof": (COUNT_ALL, "f = d_k * (2 * d_model - d_k); return f, d_model ** 2, f < d_model ** 2"),
        "with_ov": (COUNT_ALL, "f = 4 * d_model * d_k; return f, d_model ** 2, f < d_model ** 2"),
        "costlier": (("test_cheaper",), "f = 2 * d_model * d_k; return f, d_model ** 2, f > d_model ** 2"),
        "swapped": (COUNT_ALL, "f = 2 * d_model * d_k; return d_model ** 2, f, f < d_model ** 2"),
        "floats": (("test_exact",), "f = 2.0 * d_model * d_k; return f, float(d_model ** 2), f < d_model ** 2"),
        "always_cheaper": (("test_cheaper",), "return 2 * d_model * d_k, d_model ** 2, True"),
        "never_cheaper": (("test_cheaper",), "return 2 * d_model * d_k, d_model ** 2, False"),
        "more_than_two_heads": (("test_cheaper",), "return 2 * d_model * d_k, d_model ** 2, n_heads > 2"),
        "in_words": (("test_cheaper",), "return 2 * d_model * d_k, d_model ** 2, 'yes' if 2 * d_k < d_model else 'no'"),
        "int32": (("test_exact",), "f = np.int32(2 * d_model * d_k % 2**31); return f, d_model**2, 2 * d_k < d_model"),
        "no_verdict": ((*COUNT_ALL, "test_cheaper"), "return 2 * d_model * d_k, d_model ** 2"),
        "full_of_the_key_width": (COUNT_ALL, "f = 2 * d_model * d_k; return f, d_k ** 2, f < d_k ** 2"),
    }.items()
}
WRONG["parameters"] |= {
    "dk_ignored": (
        ("test_counts", "test_exact"),
        """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_model % n_heads:
        raise ValueError('uneven')
    d_k = d_model // n_heads
    return 2 * d_model * d_k, d_model ** 2, 2 * d_k < d_model
""",
    ),
    "not_refused": (
        ("test_refuses",),
        """
def qk_parameters(d_model, n_heads, d_k=None):
    d_k = d_k or d_model // n_heads
    return 2 * d_model * d_k, d_model ** 2, 2 * d_k < d_model
""",
    ),
    "assertion": (
        ("test_refuses",),
        """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_k is None:
        assert d_model % n_heads == 0, 'uneven'
        d_k = d_model // n_heads
    return 2 * d_model * d_k, d_model ** 2, 2 * d_k < d_model
""",
    ),
    "always_divides": (
        ("test_counts",),
        """
def qk_parameters(d_model, n_heads, d_k=None):
    if d_model % n_heads:
        raise ValueError('uneven')
    d_k = d_model // n_heads if d_k is None else d_k
    return 2 * d_model * d_k, d_model ** 2, 2 * d_k < d_model
""",
    ),
    "refuses_everything": (
        (*COUNT_ALL, "test_cheaper"),
        """
def qk_parameters(d_model, n_heads, d_k=None):
    raise ValueError('uneven')
""",
    ),
    "typed_in": (
        (*COUNT_ALL, "test_cheaper"),
        """
def qk_parameters(d_model, n_heads, d_k=None):
    return {(3, 1): (12, 9, False), (512, 8): (65536, 262144, True)}.get((d_model, n_heads), (524288, 262144, False))
""",
    ),
}

ASYMMETRY = (
    """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    if not M.any():
        return 0.0
    A = (M - M.T) / 2
    {}
"""
    + DELHI
)
ASYMMETRY_ALL = ("test_share", "test_parts", "test_invariance", "test_plain_inputs")
WRONG["asymmetry"] = {
    name: (ASYMMETRY_ALL, ASYMMETRY.format(text))
    for name, text in {
        "no_half": "return np.linalg.norm(2 * A) / np.linalg.norm(M)",
        "symmetric_part": "return np.linalg.norm((M + M.T) / 2) / np.linalg.norm(M)",
        "squared": "return np.sum(A ** 2) / np.sum(M ** 2)",
        "spectral": "return np.linalg.norm(A, 2) / np.linalg.norm(M, 2)",
        "largest": "return np.abs(A).max() / np.abs(M).max()",
        "absolute": "return np.abs(A).sum() / np.abs(M).sum()",
        "upper_only": "return np.linalg.norm(np.triu(A)) / np.linalg.norm(M)",
        "symmetric_below": "return np.linalg.norm(A) / (np.linalg.norm((M + M.T) / 2) or np.inf)",
        "yes_or_no": "return float(not np.allclose(M, M.T))",
        "column_sums": "return np.linalg.norm(A, 1) / np.linalg.norm(M, 1)",
        "whole_matrix": "return A / np.linalg.norm(M)",
        "one_less": "return 1 - np.linalg.norm((M + M.T) / 2) / np.linalg.norm(M)",
    }.items()
}
WRONG["asymmetry"]["symmetric_below"] = (
    ASYMMETRY_ALL,
    """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    S = np.linalg.norm((M + M.T) / 2)
    return float(np.linalg.norm((M - M.T) / 2) / S) if S else 0.0
"""
    + DELHI,
)
WRONG["asymmetry"] |= {
    "not_divided": (
        ("test_share", "test_invariance", "test_plain_inputs"),
        ASYMMETRY.format("return float(np.linalg.norm(A))"),
    ),
    "nan_at_zero": (
        ("test_zeros",),
        """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    return np.linalg.norm((M - M.T) / 2) / np.linalg.norm(M)
"""
        + DELHI,
    ),
    "one_at_zero": (
        ("test_zeros",),
        """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    return np.linalg.norm((M - M.T) / 2) / np.linalg.norm(M) if M.any() else 1.0
"""
        + DELHI,
    ),
    "eps_in_the_divisor": (
        ("test_invariance",),
        """
def asymmetry(M):
    M = np.asarray(M, dtype=float)
    return np.linalg.norm((M - M.T) / 2) / (np.linalg.norm(M) + 1e-8)
"""
        + DELHI,
    ),
    "arrays_only": (
        ("test_plain_inputs",),
        """
def asymmetry(M):
    size = np.linalg.norm(M)
    return np.linalg.norm((M - M.T) / 2) / size if size else 0.0
"""
        + DELHI,
    ),
    "mutates": (
        ("test_pure",),
        """
def asymmetry(M):
    A = np.asarray(M, dtype=float)
    A -= A.T.copy()
    size = np.linalg.norm(M)
    return float(np.linalg.norm(A / 2) / size) if size else 0.0
"""
        + DELHI,
    ),
    "mutates_afterwards": (
        ("test_pure",),
        """
def asymmetry(M):
    A = np.asarray(M, dtype=float)
    size, part = np.linalg.norm(A), np.linalg.norm(A - A.T) / 2
    A -= A.T.copy()
    return part / size if size else 0.0
"""
        + DELHI,
    ),
    "half_done": (("test_delhi",), RIGHT["asymmetry"]["norms"].split("def delhi")[0]),
    "only_delhi": ((*ASYMMETRY_ALL, "test_zeros", "test_pure"), DELHI),
    "constant_and_delhi": (
        (*ASYMMETRY_ALL, "test_zeros", "test_pure"),
        "def asymmetry(M):\n    return 0.0\n" + DELHI,
    ),
}
TWO = RIGHT["asymmetry"]["norms"].split("def delhi")[0]
WRONG["asymmetry"] |= {
    name: (("test_delhi",), TWO + "def delhi_capital():\n    " + text)
    for name, text in {
        "symmetric": "W = np.array([[1., 0.], [5., 2.]]); return np.eye(2), W, W",
        "reversed": "return np.eye(2), np.array([[0.], [1.]]), np.array([[4.], [0.]])",
        "too_little": "return np.eye(2), np.array([[1.], [0.]]), np.array([[0.], [1.]])",
        "raw_embeddings": "return np.array([[1., 2.], [3., 4.]]), np.eye(2), np.eye(2)",
        "three_tokens": "return np.eye(3), np.array([[3.], [0.], [0.]]), np.array([[0.], [1.], [0.]])",
        "form_in_place_of_a_pair": "return np.eye(2), np.array([[0., 3.], [0., 0.]])",
        "transposed_factors": "return np.eye(2), np.array([[3., 0.]]), np.array([[0., 1.]])",
        "unequal_widths": "return np.eye(2), np.array([[3.], [0.]]), np.array([[0., 0.], [1., 0.]])",
        "infinite": "return np.eye(2), np.array([[np.inf], [0.]]), np.array([[0.], [1.]])",
        "overflows": "return np.ones((2, 2)), np.full((2, 2), 1e300), np.full((2, 2), 1e300)",
        "nothing": "pass",
        "in_words": "return 'Delhi', 'is the', 'capital'",
    }.items()
}

HEAD_ALL = ("test_exact", "test_closest", "test_strongest", "test_plain_inputs")
BEST = """
def best_head(M, d_k):
    M = np.array(M, dtype=float)
    U, s, Vh = np.linalg.svd(M)
    {}
"""
WRONG["bottleneck"] = {
    name: (HEAD_ALL, BEST.format(text))
    for name, text in {
        "vt_columns": "return U[:, :d_k] * s[:d_k], Vh[:, :d_k]",
        "no_strengths": "return U[:, :d_k], Vh[:d_k].T",
        "strengths_twice": "return U[:, :d_k] * s[:d_k], Vh[:d_k].T * s[:d_k]",
        "weakest": "return U[:, -d_k:] * s[-d_k:], Vh[-d_k:].T",
        "swapped": "return Vh[:d_k].T * s[:d_k], U[:, :d_k]",
        "symmetrised": "U, s, Vh = np.linalg.svd((M + M.T) / 2); return U[:, :d_k] * s[:d_k], Vh[:d_k].T",
        "shared": "W = U[:, :d_k] * np.sqrt(s[:d_k]); return W, W",
        "eigh": "w, V = np.linalg.eigh(M); i = np.argsort(-np.abs(w))[:d_k]; return V[:, i] * w[i], V[:, i]",
        "first_columns": "return M[:, :d_k], np.eye(len(M))[:, :d_k]",
        "first_rows": "return np.eye(len(M))[:, :d_k], M[:d_k].T",
        "transposed": "r = np.sqrt(s[:d_k])[:, None]; return r * U[:, :d_k].T, r * Vh[:d_k]",
        "dk_ignored": "return U * s, Vh.T",
        "form_returned": "return U[:, :d_k] * s[:d_k] @ Vh[:d_k]",
        "three_results": "return U[:, :d_k], s[:d_k], Vh[:d_k].T",
        "rows_of_u": "return U[:d_k].T * s[:d_k], Vh[:d_k].T",
        "zeros": "return np.zeros((len(M), d_k)), np.zeros((len(M), d_k))",
        "noise": "return tuple(np.random.default_rng(0).normal(size=(2, len(M), d_k)))",
        "infinite": "return np.full((len(M), d_k), np.inf), Vh[:d_k].T",
        "overflows": "return np.full((len(M), d_k), 1e200), np.full((len(M), d_k), 1e200)",
    }.items()
}
WRONG["bottleneck"] |= {
    "mutates": (
        ("test_pure",),
        """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    if isinstance(M, np.ndarray) and M.dtype == float:
        M[:] = U
        U, s, Vh = np.linalg.svd(M)
    return U[:, :d_k] * s[:d_k], Vh[:d_k].T
""",
    ),
    "mutates_afterwards": (
        ("test_pure",),
        """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    if isinstance(M, np.ndarray):
        M *= 0
    return U[:, :d_k] * s[:d_k], Vh[:d_k].T
""",
    ),
    "best_columns": (
        ("test_exact", "test_closest"),
        """
def best_head(M, d_k):
    M = np.asarray(M, dtype=float)
    kept = np.argsort(-np.linalg.norm(M, axis=0))[:d_k]
    return M[:, kept], np.eye(len(M))[:, kept]
""",
    ),
    "random_subspace": (
        ("test_closest",),
        """
def best_head(M, d_k):
    M = np.asarray(M, dtype=float)
    left = np.linalg.qr(M @ np.random.default_rng(0).normal(size=(len(M), d_k)))[0]
    return left, M.T @ left
""",
    ),
    "gives_up_early": (
        ("test_closest",),
        """
def best_head(M, d_k):
    M = np.asarray(M, dtype=float)
    right = np.linalg.qr(np.random.default_rng(0).normal(size=(len(M), d_k)))[0]
    for _ in range(2):
        right = np.linalg.qr(M.T @ (M @ right))[0]
    return M @ right, right
""",
    ),
    "rounded": (
        ("test_exact",),
        """
def best_head(M, d_k):
    U, s, Vh = np.linalg.svd(M)
    return np.round(U[:, :d_k] * s[:d_k], 3), np.round(Vh[:d_k].T, 3)
""",
    ),
}

PRODUCTS = """
def w_ov(W_v, W_o):
    W_v, W_o = np.asarray(W_v, dtype=float), np.asarray(W_o, dtype=float)
    {}
def head_output(A, X, W_ov):
    A, X, W_ov = np.asarray(A, dtype=float), np.asarray(X, dtype=float), np.asarray(W_ov, dtype=float)
    {}
"""
CIRCUIT = ("test_circuit", "test_one_after_the_other", "test_plain_inputs")
OUTPUT = ("test_output", "test_reading", "test_plain_inputs")
WRONG["ov"] = {
    name: (CIRCUIT, PRODUCTS.format(text, "return A @ X @ W_ov"))
    for name, text in {
        "transposed": "return (W_v @ W_o).T",
        "v_only": "return W_v @ W_v.T",
        "scaled": "return W_v @ W_o / np.sqrt(len(W_o))",
        "sum": "return W_v + W_o.T",
        "elhage_columns": "return W_o @ W_v",
        "like_qk": "return W_v @ W_o.T",
        "symmetrised": "return (W_v @ W_o + (W_v @ W_o).T) / 2",
        "none": "return None",
    }.items()
} | {
    name: (OUTPUT, PRODUCTS.format("return W_v @ W_o", text))
    for name, text in {
        "weights_T": "return A.T @ X @ W_ov",
        "form_T": "return A @ X @ W_ov.T",
        "nothing_read": "return X @ W_ov",
        "nothing_written": "return A @ X",
        "form_first": "return W_ov @ A @ X",
        "hard_pick": "return X[A.argmax(axis=-1)] @ W_ov",
        "residual": "return X + A @ X @ W_ov",
        "softmax_again": "E = np.exp(A); return E / E.sum(1, keepdims=True) @ X @ W_ov",
        "form_twice": "return A @ X @ W_ov @ W_ov",
        "last_token_only": "return (A @ X @ W_ov)[-1:]",
    }.items()
}
WRONG["ov"]["normalised_rows"] = (
    ("test_reading",),
    PRODUCTS.format("return W_v @ W_o", "return A / A.sum(axis=1, keepdims=True) @ X @ W_ov"),
)
WRONG["ov"]["arrays_only"] = (
    ("test_plain_inputs",),
    """
def w_ov(W_v, W_o):
    return W_v @ W_o
def head_output(A, X, W_ov):
    return A @ X @ W_ov
""",
)
WRONG["ov"]["changes_the_weights"] = (
    ("test_pure",),
    """
def w_ov(W_v, W_o):
    return np.asarray(W_v) @ np.asarray(W_o)
def head_output(A, X, W_ov):
    out = np.asarray(A) @ np.asarray(X) @ np.asarray(W_ov)
    if isinstance(A, np.ndarray):
        A[:] = 0
    return out
""",
)
