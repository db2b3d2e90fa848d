"""Known wrong behaviours of `03-bilinear`, each a runnable switch of one parametric implementation per function.

Every function here is the right answer with faults switched on. Of faults that exclude each other, the first that the
code asks for counts. Sources are in the course's list of misconceptions; entries marked "ours" were added here.
Constructions are seen by what they amount to (their rank, their product, their scores), so that any way of building a
wrong one is named.
"""

import warnings

import numpy as np

from autograder.grading import Fault, Model


def quiet(run):
    """Keep NumPy's warnings from the grader's log."""

    def silent(*args, **kwargs):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return run(*args, **kwargs)

    return silent


def floats(*values):
    return tuple(np.asarray(value, dtype=float) for value in values)


def refuse_lists(faults, *inputs, error=AttributeError):
    """Fail as `list.T` or `list @ list` does, when lists were forgotten."""
    if "arrays_only" in faults and any(isinstance(part, list | tuple) for part in inputs):
        raise error("a list cannot do what an array can")


def as_floats(result):
    """See whole numbers as floats: whether an answer converts its inputs is no fault."""
    values = np.asarray(result)
    return values.astype(float) if values.dtype.kind in "iu" else values


ARRAYS_ONLY = Fault(
    "arrays_only",
    "Nested lists are not turned into arrays, so that a list as input ends in an error.",
    "With the list [[0, 1], [1, 0]] in place of an array the call stops; np.asarray would accept both.",
)  # ours


# ------------------------------------------------------------------------------------------------------- w_qk


@quiet
def w_qk(faults, W_q, W_k):
    refuse_lists(faults, W_q, W_k)
    given = W_q
    W_q, W_k = floats(W_q, W_k)
    width = W_q.shape[1]
    if "mutates" in faults and isinstance(given, np.ndarray) and given.dtype.kind == "f":
        given /= np.sqrt(width)
        return given @ W_k.T
    if "k_qT" in faults:
        W_q, W_k = W_k, W_q
    form = _qk_product(faults, W_q, W_k)
    if "symmetrised" in faults:
        form = (form + form.T) / 2
    return form / np.sqrt(width) if "scaled" in faults else form


def _qk_product(faults, W_q, W_k):
    if "elhage_columns" in faults:
        return W_q.T @ W_k
    if "no_T" in faults:
        return W_q @ W_k
    if "elementwise" in faults:
        return W_q * W_k
    if "sum_outer" in faults:
        return np.outer(W_q.sum(axis=1), W_k.sum(axis=1))
    if "shared" in faults:
        return W_q @ W_q.T
    return W_q @ W_k.T


W_QK = (
    ARRAYS_ONLY,
    Fault(
        "elhage_columns",
        "This is W_Q.T @ W_K, which is right where tokens are columns, as Elhage et al. (2021) write them. Here tokens "
        "are rows and the matrices are (d_model, d_k), so it is the second factor that has to be transposed.",
        "With W_q = [[1], [0]] and W_k = [[0], [1]] the form should be [[0, 1], [0, 0]]; here it is the one number 0.",
    ),  # ours
    Fault(
        "k_qT",
        "The two matrices have changed places: this is the transpose, in which the answering token asks.",
        "With W_q = [[1], [0]] and W_k = [[0], [1]] the form should be [[0, 1], [0, 0]]; here it is [[0, 0], [1, 0]].",
    ),
    Fault(
        "scaled",
        "The form is divided by the square root of the key width: scores are unscaled here.",
        "With W_q = W_k = [[2, 0, 0, 0], [0, 0, 0, 0]] the first entry should be 4; here it is 2.",
    ),
    Fault(
        "symmetrised",
        "The form is averaged with its transpose, so that both ways score the same. A head need not be symmetric.",
        "[[0, 1], [0, 0]] becomes [[0, 1/2], [1/2, 0]].",
    ),
    Fault(
        "elementwise",
        "W_q * W_k multiplies entry by entry; queries and keys meet in a matrix product.",
        "With W_q = [[1], [2]] and W_k = [[3], [4]] the form should be [[3, 4], [6, 8]]; here it is [[3], [8]].",
    ),
    Fault(
        "sum_outer",
        "The columns of each matrix are added up before the product, which leaves a form of rank 1.",
        "With W_q = W_k = [[1, 0], [0, 1]] the form should be the identity; here all four entries are 1.",
    ),
    Fault(
        "no_T",
        "The second matrix is not transposed: the product only runs when d_k is d_model, and then it is another one.",
        "With W_q the identity and W_k = [[0, 1], [0, 0]] the form should be [[0, 0], [1, 0]]; here it is W_k itself.",
    ),  # ours
    Fault(
        "shared",
        "W_q is multiplied by its own transpose: W_k is not used, and the form is always symmetric.",
        "With W_q = [[1], [0]] and W_k = [[0], [1]] the form should be [[0, 1], [0, 0]]; here it is [[1, 0], [0, 0]].",
    ),  # ours
    Fault(
        "mutates",
        "W_q is divided by the square root of its width inside the caller's own array.",
        "After the call, the caller's [[2, 0, 0, 0], [0, 2, 0, 0]] holds ones in place of its twos.",
    ),  # ours
)


# --------------------------------------------------------------------------------------------- bilinear_scores


@quiet
def bilinear_scores(faults, X, W_qk):
    refuse_lists(faults, X, error=TypeError)
    X, W_qk = floats(X, W_qk)
    if "form_ignored" in faults:
        W_qk = np.eye(len(W_qk))
    if "columns_ask" in faults:
        W_qk = W_qk.T
    scores = _bilinear(faults, X, W_qk)
    if "symmetrised" in faults:
        scores = (scores + scores.T) / 2
    if "scaled" in faults:
        scores = scores / np.sqrt(X.shape[1])
    if "causal" in faults:
        scores = np.where(np.tril(np.ones(scores.shape, dtype=bool)), scores, -np.inf)
    if "softmaxed" in faults:
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)
    return scores


def _bilinear(faults, X, W_qk):
    if "elhage_columns" in faults:
        return X.T @ W_qk @ X
    if "one_sided" in faults:
        return X @ W_qk
    if "both_sides" in faults:
        return X @ W_qk @ W_qk.T @ X.T
    if "own_only" in faults:
        return ((X @ W_qk) * X).sum(axis=1)
    return X @ W_qk @ X.T


SCORES = (
    ARRAYS_ONLY,
    Fault(
        "columns_ask",
        "Rows and columns have changed places: here the column asks and the row answers.",
        "With the form [[0, 1], [0, 0]], token [1, 0] should score 1 for token [0, 1]; here it scores 0.",
    ),  # ours
    Fault(
        "elhage_columns",
        "This is X.T @ W @ X, which is right where tokens are columns, as in Elhage et al. (2021). Here they are rows.",
        "One token [1, 2] should get one score; here it gets a matrix of 2 by 2.",
    ),  # ours
    Fault(
        "scaled",
        "The scores are divided by the square root of the width: scores are unscaled here.",
        "With the identity as form, the token [2, 0] should score 4 for itself; here it scores 2.83.",
    ),  # ours
    Fault(
        "softmaxed",
        "Softmax has been applied: the plain scores are asked for.",
        "With a form of zeros, two tokens should score 0 for each other; here every entry is 1/2.",
    ),  # ours
    Fault(
        "causal",
        "Later tokens are masked out; there is no mask here.",
        "With the identity as form, token one should score a number for token two; here it is minus infinity.",
    ),  # ours
    Fault(
        "symmetrised",
        "The scores are averaged with their transpose, so that both ways score the same.",
        "With the form [[0, 1], [0, 0]] the tokens [1, 0] and [0, 1] score 1/2 both ways; it should be 1 and 0.",
    ),  # ours
    Fault(
        "form_ignored",
        "The scores are plain dot products of tokens: the form is not used.",
        "With a form of zeros all scores should be 0; here the token [1, 0] scores 1 for itself.",
    ),  # ours
    Fault(
        "one_sided",
        "The form is only multiplied by the tokens that ask; the tokens that answer are missing.",
        "One token [1, 2] should get one score; here it gets two numbers.",
    ),  # ours
    Fault(
        "both_sides",
        "The form is used twice, once on each side, although it already holds both roles.",
        "With twice the identity as form, the token [1, 0] should score 2 for itself; here it scores 4.",
    ),  # ours
    Fault(
        "own_only",
        "Each token is only scored for itself.",
        "Two tokens should get four scores; here they get two.",
    ),  # ours
)


# -------------------------------------------------------------------------------------------------------- rank


@quiet
def head_rank(faults, W_q, W_k):
    refuse_lists(faults, W_q, W_k)
    W_q, W_k = floats(W_q, W_k)
    own = [np.linalg.matrix_rank(part) for part in (W_q, W_k)]
    bounds = {
        "width": W_q.shape[1],
        "smaller_side": min(W_q.shape),
        "model_width": len(W_q),
        "sum_ranks": sum(own),
        "min_of_ranks": min(own),
        "queries_only": own[0],
    }
    for name, bound in bounds.items():
        if name in faults:
            return int(bound)
    return _count(faults, W_q.T @ W_k if "kernel_dim" in faults else W_q @ W_k.T)


def _count(faults, form):
    if "eigenvalues" in faults:
        strengths = np.sort(np.abs(np.linalg.eigvals(form)))[::-1]
    else:
        strengths = np.linalg.svd(form, compute_uv=False)
    if "strict_zero" in faults:
        return int((strengths > 0).sum())
    if "abs_tol" in faults:
        return int((strengths > 1e-3).sum())
    return int((strengths > (1e-3 if "coarse" in faults else 1e-9) * strengths[0]).sum())


RANK = (
    ARRAYS_ONLY,
    Fault(
        "abs_tol",
        "The tolerance is a fixed number, so that a head of small weights seems to have a lower rank. Measure against "
        "the largest singular value.",
        "A head with the form [[1, 0], [0, 1]] times 1e-18 has the rank 2; here it has the rank 0.",
    ),
    Fault(
        "strict_zero",
        "Every singular value above 0 is counted, also those that are only rounding noise.",
        "Singular values of 1 and 1e-17 make the rank 1; here it is 2.",
    ),  # ours
    Fault(
        "coarse",
        "The tolerance is too coarse: a faint direction that is real is taken for noise.",
        "Singular values of 1 and 0.00001 make the rank 2; here it is 1.",
    ),  # ours
    Fault(
        "sum_ranks",
        "The ranks of the two factors are added. The rank of a product is at most the smaller of them.",
        "Two factors of rank 1 make a product of rank 1 or 0; here it is 2.",
    ),
    Fault(
        "min_of_ranks",
        "This is the smaller rank of the two factors. It is only an upper bound: the product can have a lower one.",
        "W_q = [[1, 0], [0, 0]] and W_k = [[0, 1], [0, 0]] have the rank 1 each, and their product is zero.",
    ),
    Fault(
        "kernel_dim",
        "This is the rank of W_q.T @ W_k, of shape (d_k, d_k). The form is the other product, of shape "
        "(d_model, d_model).",
        "With W_q = [[1], [0]] and W_k = [[0], [1]] the rank is 1; here it is 0.",
    ),
    Fault(
        "eigenvalues",
        "Eigenvalues are counted in place of singular values. A form that is not symmetric can have none but zeros.",
        "[[0, 1], [0, 0]] has the rank 1, and both its eigenvalues are 0.",
    ),  # ours
    Fault(
        "width",
        "This is d_k, which is only an upper bound.",
        "With W_q = W_k = [[1, 0], [0, 0]] the rank is 1; here it is 2.",
    ),  # ours
    Fault(
        "smaller_side",
        "This is the smaller of d_model and d_k, which is only an upper bound.",
        "With W_q = W_k = [[1, 0], [0, 0]] the rank is 1; here it is 2.",
    ),  # ours
    Fault(
        "model_width",
        "This is d_model: the head is narrower than that, or loses directions.",
        "With W_q = W_k = [[1], [0]] the rank is 1; here it is 2.",
    ),  # ours
    Fault(
        "queries_only",
        "This is the rank of W_q alone. What the keys cannot see is lost, too.",
        "With W_q the identity and W_k = [[1, 0], [0, 0]] the rank is 1; here it is 2.",
    ),  # ours
)


# -------------------------------------------------------------------------------------------------- rank_build


@quiet
def head_of_rank(faults, d_model, d_k, r):
    r = _allowed_rank(faults, d_model, d_k, r)
    shape = (d_model, d_k)
    W_q, W_k = np.zeros(shape), np.zeros(shape)
    W_q[range(r), range(r)] = 1.0
    if "disjoint" in faults:
        W_k[range(r), range(d_k - r, d_k)] = 1.0
    else:
        W_k[range(r), range(r)] = 1.0
    if "form_returned" in faults:
        return W_q @ W_k.T
    return (W_q.T, W_k.T) if "transposed" in faults else (W_q, W_k)


def _allowed_rank(faults, d_model, d_k, r):
    least = 1 if "zero_refused" in faults else 0
    most = min(d_model, d_k) - ("full_refused" in faults)
    if "width_is_limit" in faults:
        most = d_k
    if not (least <= r <= most or "clips" in faults or (r < 0 and "negative_taken" in faults)):
        raise AssertionError("impossible") if "assertion" in faults else ValueError("impossible")
    if "none_wanted" in faults and r == 0:
        r = 1
    highest = min(d_model, d_k)
    if "r_ignored" in faults:
        return highest
    return min(max(r + ("one_more" in faults), 0), highest)


def rank_and_shapes(result):
    """See a head by the shapes of its factors and by the rank of their product."""
    if isinstance(result, np.ndarray):
        return result.shape, int(np.linalg.matrix_rank(result)), "one array"
    W_q, W_k = floats(*result)
    tall = W_q.shape[0] >= W_q.shape[1] and W_q.shape == W_k.shape
    return W_q.shape, W_k.shape, int(np.linalg.matrix_rank(W_q @ W_k.T if tall else W_q.T @ W_k, rtol=1e-9))


RANK_BUILD = (
    Fault(
        "r_ignored",
        "The head always has the highest rank that fits: the rank asked for is not used.",
        "Asked for rank 1 with d_model = d_k = 2, the head has the rank 2.",
    ),  # ours
    Fault(
        "one_more",
        "The rank is one higher than what was asked for.",
        "Asked for rank 1 with d_model = d_k = 2, the head has the rank 2.",
    ),  # ours
    Fault(
        "disjoint",
        "Each factor has the rank that was asked for, but their product has not: their columns miss each other.",
        "W_q = [[1, 0], [0, 0]] and W_k = [[0, 1], [0, 0]] have the rank 1 each; W_q @ W_k.T is zero.",
    ),  # ours
    Fault(
        "transposed",
        "The factors have the shape (d_k, d_model), as where tokens are columns; it should be (d_model, d_k).",
        "For d_model = 2 and d_k = 1 each matrix should have two rows and one column.",
    ),  # ours
    Fault(
        "form_returned",
        "The product is returned; its two factors are asked for.",
        "For d_model = 2 and d_k = 1 there should be two matrices of 2 by 1; here there is one of 2 by 2.",
    ),  # ours
    Fault(
        "clips",
        "A rank that is impossible is quietly brought into range; it should be refused with a ValueError.",
        "Rank 3 with d_model = d_k = 2 gives a head of rank 2.",
    ),  # ours
    Fault(
        "negative_taken",
        "A negative rank is accepted; it should be refused with a ValueError.",
        "Rank -1 with d_model = d_k = 2 gives a head of rank 0.",
    ),  # ours
    Fault(
        "width_is_limit",
        "Only d_k is looked at: when d_model is smaller, ranks above d_model are let through.",
        "Rank 2 with d_model = 1 and d_k = 2 should be refused with a ValueError.",
    ),  # ours
    Fault(
        "assertion",
        "Impossible ranks end in an AssertionError; a ValueError was asked for.",
        "Rank 3 with d_model = d_k = 2 stops with the wrong kind of error.",
    ),  # ours
    Fault(
        "zero_refused",
        "Rank 0 is refused, but a head of zeros has it.",
        "Rank 0 with d_model = d_k = 2 should give two matrices of zeros, or any two whose product is zero.",
    ),  # ours
    Fault(
        "full_refused",
        "The highest rank is refused, but a head can have as many directions as the smaller of its widths.",
        "Rank 2 with d_model = d_k = 2 should give a head.",
    ),  # ours
    Fault(
        "none_wanted",
        "Rank 0 gives a head of rank 1.",
        "Rank 0 with d_model = d_k = 2 should give a product of zeros.",
    ),  # ours
)


# -------------------------------------------------------------------------------------------------- parameters


@quiet
def qk_parameters(faults, d_model, n_heads, d_k=None):
    if d_k is None or "dk_ignored" in faults:
        d_k = _head_width(faults, d_model, n_heads)
    elif "always_divides" in faults and d_model % n_heads:
        raise ValueError("does not divide")
    factored, full = _factored(faults, d_model, d_k, n_heads), d_model**2
    if "biases" in faults:
        factored += 2 * d_k
    if "full_all_heads" in faults:
        full *= n_heads
    if "floats" in faults:
        factored, full = float(factored), float(full)
    cheaper = factored <= full if "ge" in faults else factored < full
    if "costlier" in faults:
        cheaper = factored > full
    return (full, factored, cheaper) if "swapped" in faults else (factored, full, cheaper)


def _head_width(faults, d_model, n_heads):
    if "float_div" in faults and not d_model % n_heads:
        return d_model / n_heads
    if d_model % n_heads and "not_refused" not in faults:
        raise AssertionError("does not divide") if "assertion" in faults else ValueError("does not divide")
    return d_model // n_heads


def _factored(faults, d_model, d_k, n_heads):
    if "dof" in faults:
        return d_k * (2 * d_model - d_k)
    count = (1 if "no_factor2" in faults else 4 if "with_ov" in faults else 2) * d_model * d_k
    return count * n_heads if "all_heads" in faults else count


PARAMETERS = (
    Fault(
        "no_factor2",
        "Only one of the two factors is counted: W_q and W_k both have d_model times d_k numbers.",
        "With d_model = 2 and d_k = 1 the factors hold 4 numbers; here it is 2.",
    ),
    Fault(
        "all_heads",
        "The factors of all heads are counted, but the full matrix of one. Everything is per head here.",
        "With d_model = 2, 2 heads and d_k = 1 the factors of one head hold 4 numbers; here it is 8.",
    ),
    Fault(
        "full_all_heads",
        "The full matrices of all heads are counted. Everything is per head here.",
        "With d_model = 2 and 2 heads the full matrix of one head holds 4 numbers; here it is 8.",
    ),  # ours
    Fault(
        "ge",
        "A tie counts as cheaper; it is not.",
        "With d_model = 2 and d_k = 1 both need 4 numbers, so `cheaper` should be False.",
    ),
    Fault(
        "biases",
        "Biases are counted as well; only the two matrices are asked for.",
        "With d_model = 2 and d_k = 1 the factors hold 4 numbers; here it is 6.",
    ),
    Fault(
        "dk_ignored",
        "The argument `d_k` is never used: the width is always divided by the number of heads.",
        "With d_model = 2, one head and d_k = 1 the factors hold 4 numbers; here it is 8.",
    ),
    Fault(
        "float_div",
        "d_k is worked out with / and so a float.",
        "With d_model = 2 and two heads, d_k is 1.0; // gives 1.",
        note_only=True,
    ),
    Fault(
        "floats",
        "The counts are turned into floats, which cannot hold every large whole number.",
        "With d_model = 2 and d_k = 1 the counts are 4.0; beyond 2**53 the last digits are lost.",
    ),  # ours
    Fault(
        "dof",
        "These are the degrees of freedom of a form of rank d_k, a true but different number: count what is stored.",
        "With d_model = d_k = 2 the factors hold 8 numbers; here it is 4.",
    ),
    Fault(
        "with_ov",
        "Values and output projection are counted as well; only queries and keys are asked for.",
        "With d_model = 2 and d_k = 1 the factors hold 4 numbers; here it is 8.",
    ),  # ours
    Fault(
        "not_refused",
        "A width that the heads cannot share is rounded down; it should be refused with a ValueError.",
        "With d_model = 3 and two heads d_k becomes 1.",
    ),  # ours
    Fault(
        "assertion",
        "A width that the heads cannot share ends in an AssertionError; a ValueError was asked for.",
        "With d_model = 3 and two heads the call stops with the wrong kind of error.",
    ),  # ours
    Fault(
        "always_divides",
        "Heads that do not divide the width are refused even when `d_k` is given; then they do not matter.",
        "With d_model = 3, two heads and d_k = 1 the factors hold 6 numbers; here the call stops.",
    ),  # ours
    Fault(
        "costlier",
        "`cheaper` is the wrong way round.",
        "With d_model = 3 and d_k = 1 the factors hold 6 numbers and the full matrix 9, so `cheaper` should be True.",
    ),  # ours
    Fault(
        "swapped",
        "The two counts come in the wrong order: full first, factored second.",
        "With d_model = 2 and d_k = 2 the first result should be 8; here it is 4.",
    ),  # ours
)


# --------------------------------------------------------------------------------------------------- asymmetry


@quiet
def asymmetry(faults, M):
    refuse_lists(faults, M)
    given = M
    (M,) = floats(M)
    part = M + M.T if "symmetric_part" in faults else M - M.T
    if "upper_only" in faults:
        part = np.triu(part)
    if "mutates" in faults and isinstance(given, np.ndarray) and given.dtype.kind == "f":
        given -= given.T.copy()
    norm = _norm(faults)
    above, below = norm(part if "no_half" in faults else part / 2), norm(M)
    if "symmetric_below" in faults:
        below = norm((M + M.T) / 2)
    if "nan_at_zero" not in faults and below == 0:
        return 0.0
    if "yes_or_no" in faults:
        return float(above > 0)
    result = above if "not_divided" in faults else np.float64(above) / below
    return float(result**2 if "squared" in faults else result)


def _norm(faults):
    if "spectral" in faults:
        return lambda part: np.linalg.norm(part, 2)
    if "largest" in faults:
        return lambda part: np.abs(part).max()
    if "absolute" in faults:
        return lambda part: np.abs(part).sum()
    return np.linalg.norm


ASYMMETRY = (
    ARRAYS_ONLY,
    Fault(
        "no_half",
        "M - M.T is not halved, so that the result is twice as large and can reach 2.",
        "[[0, 3], [-3, 0]] should give 1; here it gives 2.",
    ),  # ours
    Fault(
        "symmetric_part",
        "This is the share of the symmetric part, M + M.T.",
        "[[1, 0], [0, 1]] should give 0; here it gives 1.",
    ),  # ours
    Fault(
        "nan_at_zero",
        "A matrix of zeros is divided by its norm, and 0/0 is nan.",
        "[[0, 0], [0, 0]] should give 0.",
    ),  # ours
    Fault(
        "squared",
        "The squared norms are divided: the root is missing.",
        "[[3, 4], [0, 1]] should give 0.555; here it gives 0.308.",
    ),  # ours
    Fault(
        "not_divided",
        "The norm of the antisymmetric part is not divided by that of M, so that it depends on the unit.",
        "[[0, 3], [-3, 0]] should give 1; here it gives 4.24.",
    ),  # ours
    Fault(
        "spectral",
        "The norm is the largest singular value; the Frobenius norm is asked for.",
        "[[3, 4], [0, 1]] should give 0.555; here it gives 0.395.",
    ),  # ours
    Fault(
        "largest",
        "The largest entries are compared; the Frobenius norm is asked for.",
        "[[3, 4], [0, 1]] should give 0.555; here it gives 0.5.",
    ),  # ours
    Fault(
        "absolute",
        "Absolute entries are added up; the Frobenius norm adds squares and takes the root.",
        "[[3, 4], [0, 1]] should give 0.555; here it gives 0.5.",
    ),  # ours
    Fault(
        "upper_only",
        "Each pair of entries is counted once, and the Frobenius norm counts both.",
        "[[0, 3], [-3, 0]] should give 1; here it gives 0.71.",
    ),  # ours
    Fault(
        "symmetric_below",
        "The antisymmetric part is divided by the symmetric one in place of the whole matrix.",
        "[[3, 4], [0, 1]] should give 0.555; here it gives 0.667.",
    ),  # ours
    Fault(
        "yes_or_no",
        "The result only says whether the matrix is asymmetric at all; it should say how much.",
        "[[3, 4], [0, 1]] should give 0.555; here it gives 1.",
    ),  # ours
    Fault(
        "mutates",
        "The transpose is subtracted inside the caller's own array.",
        "After the call, the caller's [[3, 4], [0, 1]] reads [[0, 4], [-4, 0]].",
    ),  # ours
)


def delhi_capital(faults):
    W_q, W_k = np.array([[2.0], [0.0]]), np.array([[0.0], [1.0]])
    if "reversed" in faults:
        W_q, W_k = W_k, W_q
    if "symmetric" in faults:
        W_k = W_q
    if "too_little" in faults:
        W_q = W_q / 2
    return np.eye(2), W_q, W_k


def kind_of_gap(result):
    """See the two tokens and their head by how the two scores compare."""
    X, W_q, W_k = floats(*result)
    scores = (X @ W_q) @ (X @ W_k).T
    gap = scores[0, 1] - scores[1, 0]
    if abs(gap) < 1e-9:
        return "equal"
    if gap > 0:
        return "enough" if gap > 1 else "too little"
    return "reversed" if gap < 0 else "no number"


DELHI = (
    Fault(
        "symmetric",
        "Both ways get the same score, as always when W_q and W_k are equal (or their product is symmetric).",
        "With W_q = W_k = [[1], [1]] and the tokens [1, 0] and [0, 1] both scores are 1.",
    ),  # ours
    Fault(
        "reversed",
        "It is the wrong way round: capital looks at Delhi more than Delhi looks at capital. Row 0 is Delhi, and the "
        "row of the scores asks.",
        "With the scores [[0, 0], [2, 0]] it is the second token, capital, that looks at the first.",
    ),  # ours
    Fault(
        "too_little",
        "The direction is right, but the two scores are not more than 1 apart.",
        "Scores [[0, 1], [0, 0]] are exactly 1 apart, which is not more than 1.",
    ),  # ours
)


# -------------------------------------------------------------------------------------------------- bottleneck


@quiet
def best_head(faults, M, d_k):
    given = M
    (M,) = floats(M)
    if "symmetrised" in faults:
        M = (M + M.T) / 2
    if "mutates" in faults and isinstance(given, np.ndarray) and given.dtype.kind == "f":
        given[:] = np.linalg.svd(given)[0]
    W_q, W_k = _factors(faults, M, len(M) if "dk_ignored" in faults else d_k)
    if "swapped" in faults:
        W_q, W_k = W_k, W_q
    if "form_returned" in faults:
        return W_q @ W_k.T
    return (W_q.T, W_k.T) if "transposed" in faults else (W_q, W_k)


def _factors(faults, M, d_k):
    if "first_columns" in faults:
        return M[:, :d_k], np.eye(len(M), d_k)
    if "first_rows" in faults:
        return np.eye(len(M), d_k), M[:d_k].T
    if "eigh" in faults:
        strengths, directions = np.linalg.eigh(M)
        kept = np.argsort(-np.abs(strengths))[:d_k]
        return directions[:, kept] * strengths[kept], directions[:, kept]
    U, strengths, Vt = np.linalg.svd(M)
    kept = slice(len(M) - d_k, None) if "weakest" in faults else slice(d_k)
    left, right = U[:, kept], Vt[:, kept] if "vt_columns" in faults else Vt[kept].T
    if "shared" in faults:
        right = left
    power = 0 if "no_strengths" in faults else 2 if "strengths_twice" in faults else 1
    return left * strengths[kept] ** power, right


def product_and_shapes(result):
    """See a head by the shapes of its factors and by their product."""
    if isinstance(result, np.ndarray):
        return result.shape, result
    W_q, W_k = floats(*result)
    tall = W_q.shape[0] >= W_q.shape[1]
    return W_q.shape, W_k.shape, W_q @ W_k.T if tall else W_q.T @ W_k


BOTTLENECK = (
    Fault(
        "vt_columns",
        "NumPy's third result is already transposed: its rows are the directions, and here its columns were taken.",
        "For [[3, 4], [0, 0]] and d_k = 1 the product should be that matrix; here it is [[3, -4], [0, 0]].",
    ),  # ours
    Fault(
        "no_strengths",
        "The singular values are left out: the directions are right, their strengths are all 1.",
        "For [[3, 0], [0, 0]] and d_k = 1 the product is [[1, 0], [0, 0]].",
    ),  # ours
    Fault(
        "strengths_twice",
        "The singular values are in both factors, so that the product holds their squares. Split them, or give them to "
        "one side.",
        "For [[3, 0], [0, 0]] and d_k = 1 the product is [[9, 0], [0, 0]].",
    ),  # ours
    Fault(
        "weakest",
        "The weakest directions are kept; NumPy sorts singular values from large to small.",
        "For [[3, 0], [0, 1]] and d_k = 1 the product is [[0, 0], [0, 1]].",
    ),  # ours
    Fault(
        "swapped",
        "The two factors have changed places, so that the product is close to the transpose of M.",
        "For [[0, 2], [0, 0]] and d_k = 1 the product is [[0, 0], [2, 0]].",
    ),  # ours
    Fault(
        "symmetrised",
        "The head fits the symmetric part of M, not M.",
        "For [[0, 2], [0, 0]] and d_k = 2 the product is [[0, 1], [1, 0]].",
    ),  # ours
    Fault(
        "shared",
        "Both factors are made from the same directions, so that the product is symmetric whatever M is.",
        "For [[0, 2], [0, 0]] and d_k = 1 the product is [[2, 0], [0, 0]].",
    ),  # ours
    Fault(
        "eigh",
        "np.linalg.eigh is made for symmetric matrices and only looks at the lower half of M; M need not be symmetric.",
        "For [[0, 2], [0, 0]] and d_k = 1 the product is zero.",
    ),  # ours
    Fault(
        "first_columns",
        "The first d_k columns of M are kept; the strongest directions need not lie there.",
        "For [[1, 0], [0, 3]] and d_k = 1 the product is [[1, 0], [0, 0]].",
    ),  # ours
    Fault(
        "first_rows",
        "The first d_k rows of M are kept; the strongest directions need not lie there.",
        "For [[1, 0], [0, 3]] and d_k = 1 the product is [[1, 0], [0, 0]].",
    ),  # ours
    Fault(
        "dk_ignored",
        "The factors are d_model wide: d_k is not used.",
        "For a matrix of 2 by 2 and d_k = 1 each factor should have one column; here it has two.",
    ),  # ours
    Fault(
        "transposed",
        "The factors have the shape (d_k, d_model), as where tokens are columns; it should be (d_model, d_k).",
        "For a matrix of 2 by 2 and d_k = 1 each factor should have two rows and one column.",
    ),  # ours
    Fault(
        "form_returned",
        "The product is returned; its two factors are asked for.",
        "For a matrix of 2 by 2 and d_k = 1 there should be two matrices of 2 by 1; here there is one of 2 by 2.",
    ),  # ours
    Fault(
        "mutates",
        "Something is written into the caller's own matrix.",
        "After the call, the caller's [[0, 2], [0, 0]] holds other numbers.",
    ),  # ours
)


# ---------------------------------------------------------------------------------------------------------- ov


@quiet
def w_ov(faults, W_v, W_o):
    refuse_lists(faults, W_v, W_o, error=TypeError)
    W_v, W_o = floats(W_v, W_o)
    if "v_only" in faults:
        form = W_v @ W_v.T
    elif "sum" in faults:
        form = W_v + W_o.T
    elif "elhage_columns" in faults:
        form = W_o @ W_v
    elif "like_qk" in faults:
        form = W_v @ W_o.T
    else:
        form = W_v @ W_o
    if "scaled" in faults:
        form = form / np.sqrt(W_v.shape[1])
    return form.T if "transposed" in faults else form


OV = (
    ARRAYS_ONLY,
    Fault(
        "transposed",
        "The matrix is transposed: here a token stands on the left of it, as a row.",
        "With W_v = [[1], [0]] and W_o = [[0, 1]] it should be [[0, 1], [0, 0]]; here it is [[0, 0], [1, 0]].",
    ),
    Fault(
        "v_only",
        "W_v is multiplied by its own transpose: W_o is not used.",
        "With W_v = [[1], [0]] and W_o = [[0, 1]] it should be [[0, 1], [0, 0]]; here it is [[1, 0], [0, 0]].",
    ),
    Fault(
        "scaled",
        "The matrix is divided by the square root of the value width; nothing is scaled here.",
        "With W_v = [[2, 0, 0, 0]] and W_o its transpose it should be 4; here it is 2.",
    ),
    Fault(
        "sum",
        "The two matrices are added; what goes through one after the other is multiplied.",
        "With W_v = [[2], [0]] and W_o = [[3, 0]] it should be [[6, 0], [0, 0]]; here it is [[5], [0]].",
    ),
    Fault(
        "elhage_columns",
        "This is W_O @ W_V, which is right where tokens are columns, as Elhage et al. (2021) write them. Here tokens "
        "are rows: they meet W_v first, so it stands on the left.",
        "With W_v = [[1], [0]] and W_o = [[0, 1]] it should be [[0, 1], [0, 0]]; here it is the one number 0.",
    ),  # ours
    Fault(
        "like_qk",
        "W_o is transposed, as W_k is in the QK circuit; it already has the shape (d_v, d_model).",
        "With W_v the identity and W_o = [[0, 1], [0, 0]] it should be W_o; here it is [[0, 0], [1, 0]].",
    ),  # ours
)


@quiet
def head_output(faults, A, X, W_ov):
    refuse_lists(faults, A, X, error=TypeError)
    A, X, W_ov = floats(A, X, W_ov)
    if "weights_T" in faults:
        A = A.T
    if "form_T" in faults:
        W_ov = W_ov.T
    if "nothing_read" in faults:
        out = X @ W_ov
    elif "nothing_written" in faults:
        out = A @ X
    elif "form_first" in faults:
        out = W_ov @ A @ X
    elif "hard_pick" in faults:
        out = X[A.argmax(axis=1)] @ W_ov
    else:
        out = A @ X @ W_ov
    return out + X if "residual" in faults else out


HEAD_OUTPUT = (
    ARRAYS_ONLY,
    Fault(
        "weights_T",
        "The weights are transposed: a token gets what it should have given.",
        "With A = [[0, 1], [0, 1]] both tokens should get what token two writes; here token one gets nothing.",
    ),  # ours
    Fault(
        "form_T",
        "W_ov is transposed: a token stands on its left, as a row.",
        "With A = 1 and W_ov = [[0, 1], [0, 0]] the token [1, 0] should write [0, 1]; here it writes [0, 0].",
    ),  # ours
    Fault(
        "nothing_read",
        "The weights are not used: each token gets what it writes itself.",
        "With A = [[0, 1], [1, 0]] the two outputs should change places.",
    ),  # ours
    Fault(
        "nothing_written",
        "W_ov is not used: the tokens themselves are mixed.",
        "With W_ov = twice the identity, reading the token [1, 0] should give [2, 0]; here it gives [1, 0].",
    ),  # ours
    Fault(
        "form_first",
        "W_ov stands on the left, as for column vectors; here tokens are rows, so it stands on the right.",
        "With A = 1 and W_ov = [[0, 1], [0, 0]] the token [1, 0] should write [0, 1].",
    ),  # ours
    Fault(
        "hard_pick",
        "Only the token with the largest weight is read. Attention blends.",
        "With A = [[0.9, 0.1], [0.1, 0.9]] and W_ov the identity, [1, 0] and [0, 1] should give [0.9, 0.1] first.",
    ),  # ours
    Fault(
        "residual",
        "The tokens are added to the output; what the head writes is asked for, and no more.",
        "With W_ov = 0 every output should be 0; here it is the token itself.",
    ),  # ours
)


MODELS = (
    Model("w_qk", "w_qk", w_qk, W_QK, view=as_floats),
    Model("bilinear_scores", "bilinear_scores", bilinear_scores, SCORES, view=as_floats),
    Model("rank", "head_rank", head_rank, RANK, view=as_floats),
    Model("rank_build", "head_of_rank", head_of_rank, RANK_BUILD, view=rank_and_shapes),
    Model("parameters", "qk_parameters", qk_parameters, PARAMETERS),
    Model("asymmetry", "asymmetry", asymmetry, ASYMMETRY, view=as_floats),
    Model("asymmetry", "delhi_capital", delhi_capital, DELHI, view=kind_of_gap),
    Model("bottleneck", "best_head", best_head, BOTTLENECK, view=product_and_shapes),
    Model("ov", "w_ov", w_ov, OV, view=as_floats),
    Model("ov", "head_output", head_output, HEAD_OUTPUT, view=as_floats),
)
