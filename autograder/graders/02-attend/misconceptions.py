"""Known wrong behaviours of `02-attend`, each a runnable switch of one parametric implementation per task.

Every function here is the right answer with faults switched on. Of faults that exclude each other, the first that the
code asks for counts. Sources are in the course's list of misconceptions; entries marked "ours" were added here.
"""

import warnings

import numpy as np

from autograder.grading import Fault, Model

# The lesson's sentence: what a function reads that forgets its arguments.
E = np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=float)


def floats(value):
    return np.asarray(value, dtype=float)


def plain_softmax(scores, axis=-1):
    scores = floats(scores)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def refuse_lists(faults, *inputs, error=TypeError):
    """Fail as `list @ list` (or `list.max()`) does, when lists were forgotten."""
    if "arrays_only" in faults and any(isinstance(part, list | tuple) for part in inputs):
        raise error("a list cannot do what an array can")


ARRAYS_ONLY = Fault(
    "arrays_only",
    "Nested lists are not turned into arrays, so that a list as input ends in an error.",
    "With the list [[0, 1], [1, 0]] in place of an array the call stops; np.asarray would accept both.",
)  # ours


def quiet(run):
    """Keep NumPy's warnings about overflow from the grader's log."""

    def silent(*args, **kwargs):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return run(*args, **kwargs)

    return silent


# ---------------------------------------------------------------------------------------------------- softmax


@quiet
def softmax(faults, x, axis=-1):
    refuse_lists(faults, x, error=AttributeError)
    given = x
    x = np.array(x) if "int_result" in faults else np.asarray(x, dtype="f4" if "float32" in faults else float)
    axis = _softmax_axis(faults, axis)
    keep = "no_keepdims" not in faults
    scores = x / np.sqrt(x.shape[-1]) if "scaled" in faults else x
    scores = _shifted(faults, scores, given, axis, keep)
    powers = 2.0**scores if "base2" in faults else np.exp(scores)
    if "no_normaliser" in faults:
        result = powers
    elif "no_exp" in faults:
        result = x / x.sum(axis=axis, keepdims=keep)
    elif "log" in faults:
        result = scores - np.log(powers.sum(axis=axis, keepdims=keep))
    else:
        total = powers.sum(axis=axis, keepdims=keep)
        result = powers / (total + 1e-6 if "eps" in faults else total)
    if "nan_to_num" in faults:
        result = np.nan_to_num(result)
    if "int_result" in faults and x.dtype.kind in "iu":
        result = result.astype(x.dtype)
    return np.round(result, 3) if "rounded" in faults else result


def _softmax_axis(faults, axis):
    if "whole_array" in faults:
        return None
    if "axis0" in faults:
        return 0
    return -1 if "axis_ignored" in faults else axis


def _shifted(faults, scores, given, axis, keep):
    if "no_max" in faults or "nan_to_num" in faults:
        return scores
    if "global_max" in faults:
        return scores - scores.max()
    if "max_floor0" in faults:
        return scores - np.maximum(0, scores.max(axis=axis, keepdims=keep))
    if "min_sub" in faults:
        return scores - scores.min(axis=axis, keepdims=keep)
    top = scores.max(axis=axis, keepdims=keep)
    if "mutates" in faults and isinstance(given, np.ndarray) and given.dtype == scores.dtype:
        given -= top
        return given
    return scores - top


SOFTMAX = (
    ARRAYS_ONLY,
    Fault(
        "whole_array",
        "The shares are taken over the whole array, as in the lesson's own version, which is made for a single row.",
        "For the scores [[0, 0], [0, 0]] each entry becomes 1/4; every row should be 1/2, 1/2.",
    ),
    Fault(
        "no_max",
        "Nothing is subtracted before the exponential, so that large scores overflow and become nan.",
        "For the scores [[1000, 1000], [0, 0]] the first row should be 1/2, 1/2 and becomes nan.",
    ),
    Fault(
        "axis0",
        "The shares always add up along axis 0, whichever axis is asked for.",
        "For [[0, 0], [9, 9]] every row should be 1/2, 1/2; here each column adds up to 1 instead.",
    ),
    Fault(
        "axis_ignored",
        "The shares always add up along the last axis: the argument `axis` is never used.",
        "For [[0, 9], [0, 9]] with axis=0 every column should be 1/2, 1/2; here each row adds up to 1 instead.",
    ),
    Fault(
        "no_keepdims",
        "The maximum and the sum lose their axis (keepdims is missing), so rows are divided by the sums of others.",
        "For [[0, 0], [0, 9]] the first row should be 1/2, 1/2; its second entry is shifted and divided by what "
        "belongs to row two.",
    ),
    Fault(
        "max_floor0",
        "The subtracted maximum is never below 0, so that rows of hugely negative scores come out as 0/0.",
        "For [[-2000, -2000], [0, 0]] the first row should be 1/2, 1/2 and becomes nan.",
    ),
    Fault(
        "min_sub",
        "The smallest score is subtracted instead of the largest, so that wide gaps still overflow.",
        "For [[0, 800], [0, 0]] the first row should be 0, 1 and becomes nan.",
    ),
    Fault(
        "global_max",
        "The largest score of the whole array is subtracted, so that rows far below it vanish and come out as 0/0.",
        "For [[1000, 1000], [0, 0]] the second row should be 1/2, 1/2 and becomes nan.",
    ),  # ours
    Fault(
        "eps",
        "A small number is added to the sum, so that the shares do not quite add up to 1.",
        "For [[0, 0], [0, 0]] every entry is a little less than 1/2; the sum is never 0, so nothing needs adding.",
    ),
    Fault(
        "rounded",
        "The shares are rounded: the printed output shows three decimals, the numbers themselves have more.",
        "For [[0, 1], [1, 0]] the first entry is 0.2689..., here exactly 0.269.",
    ),
    Fault(
        "float32",
        "The result is cast to float32.",
        "For [[0, 1], [1, 0]] the first entry has seven digits instead of sixteen.",
        note_only=True,
    ),
    Fault(
        "nan_to_num",
        "The overflow is hidden with nan_to_num: a row of large scores gets shares of 0.",
        "For [[1000, 1000], [0, 0]] the first row should be 1/2, 1/2 and becomes 0, 0.",
    ),
    Fault(
        "no_exp",
        "The scores are divided by their sum without the exponential.",
        "For [[1, 3], [1, 1]] the first row becomes 1/4, 3/4; a gap of 2 should give odds of 7.39 to 1.",
    ),  # ours
    Fault(
        "no_normaliser",
        "The exponentials are not divided by their sum.",
        "For [[0, 0], [0, 0]] the entries become 1 each; every row should be 1/2, 1/2.",
    ),  # ours
    Fault(
        "log",
        "The logarithm of the shares is returned.",
        "For [[0, 0], [0, 0]] the entries become -0.69; they should be 1/2.",
    ),  # ours
    Fault(
        "base2",
        "Powers of 2 are taken instead of powers of e.",
        "For [[0, 1], [0, 0]] the first row becomes 1/3, 2/3; it should be 0.27, 0.73.",
    ),  # ours
    Fault(
        "scaled",
        "The scores are divided by the square root of the row's length first.",
        "For [[0, 4], [0, 0]] the gap of 4 counts as 2.83.",
    ),  # ours
    Fault(
        "int_result",
        "The result is stored in the whole-number type of the input, which cuts every share below 1 to 0.",
        "For the whole numbers [[0, 0], [0, 0]] the entries become 0; they should be 1/2.",
    ),  # ours
    Fault(
        "mutates",
        "The maximum is subtracted inside the caller's own array.",
        "After the call, the caller's [[0, 1], [2, 4]] reads [[-1, 0], [-2, 0]].",
    ),  # ours
)


# ----------------------------------------------------------------------------------------------------- attend


@quiet
def attend(faults, query, keys, values):
    refuse_lists(faults, keys)
    query, keys, values = floats(query), floats(keys), floats(values)
    if "uses_global_E" in faults:
        keys = values = E
    if "int_query" in faults:
        query = query.astype(int)
    weights = _attend_weights(faults, query, keys, values)
    if "rounded" in faults:
        weights = np.round(weights, 3)
    blend = _attend_blend(faults, query, keys, values, weights)
    if "weights_only" in faults:
        return weights
    if "blend_only" in faults:
        return blend
    if "scores_returned" in faults:
        return blend, keys @ query
    return (weights, blend) if "swapped" in faults else (blend, weights)


def _attend_weights(faults, query, keys, values):
    if "per_feature_softmax" in faults:
        return plain_softmax(keys * query, axis=1).sum(axis=1)
    scores = (values if "score_values" in faults else keys) @ query
    if "scaled" in faults:
        scores = scores / np.sqrt(query.shape[-1])
    if "no_softmax" in faults:
        return scores
    if "linear_norm" in faults:
        return scores / scores.sum()
    if "no_max" in faults:
        return np.exp(scores) / np.exp(scores).sum()
    return plain_softmax(scores)


def _attend_blend(faults, query, keys, values, weights):
    if "blend_keys" in faults:
        return weights @ keys
    if "hard_pick" in faults:
        return values[np.argmax(weights)]
    if "weights_no_newaxis" in faults:
        return (weights * values).sum(axis=0)
    if "mean_values" in faults:
        return values.mean(axis=0)
    blend = weights @ values
    return blend + query if "residual" in faults else blend


UNSCALED = Fault(
    "scaled",
    "The scores are divided by the square root of the key width: this task, as the lesson, does not scale.",
    "With two slots, a score of 4 counts as 2.83.",
)  # ours
ATTEND = (
    ARRAYS_ONLY,
    Fault(
        "weights_only",
        "Only the weights are returned: the blend, which is what attention hands over, is missing.",
        "With two tokens the result is (0.5, 0.5); it should be the pair of the blend and these weights.",
    ),
    Fault(
        "blend_only",
        "Only the blend is returned: the weights are missing.",
        "With two tokens of values [2, 0] and [0, 2] the result is (1, 1); the weights (0.5, 0.5) should follow.",
    ),  # ours
    Fault(
        "score_values",
        "The query is compared with the values instead of the keys.",
        "With keys [1, 0], [0, 1], values [0, 5], [5, 0] and query [1, 0], token one should win; here token two does.",
    ),
    Fault(
        "blend_keys",
        "The keys are blended instead of the values: a label is handed over in place of the contents.",
        "With keys [1, 0], [0, 1], values [7, 7], [7, 7] the blend should be [7, 7]; here it stays below 1.",
    ),
    Fault(
        "hard_pick",
        "The winner's value is copied. Attention blends: every token hands over its share.",
        "With weights 0.9 and 0.1 and values [1, 0], [0, 1] the blend should be [0.9, 0.1]; here it is [1, 0].",
    ),
    Fault(
        "no_softmax",
        "The raw scores serve as weights: they are not turned into shares of one whole.",
        "With scores 4 and 0 the weights should be 0.98 and 0.02; here they are 4 and 0.",
    ),
    Fault(
        "linear_norm",
        "The scores are divided by their sum, without the exponential of softmax.",
        "With scores 3 and 1 the weights should be 0.88 and 0.12; here they are 0.75 and 0.25.",
    ),
    Fault(
        "uses_global_E",
        "The notebook's E is read instead of the arguments.",
        "With keys [1, 0], [0, 1] there should be two weights; here there are eight, one per word of the lesson.",
    ),
    Fault(
        "weights_no_newaxis",
        "Weights times values, then a sum: the weights meet the columns of the values instead of their rows.",
        "With weights 0.9, 0.1 and values [1, 1], [1, 1] the blend should be [1, 1]; here it is [1.8, 0.2].",
    ),
    Fault(
        "per_feature_softmax",
        "Softmax is taken over the slots of keys * query, before these are summed to one score per token.",
        "With two slots each token's shares add up to 1, so that both tokens get the weight 1.",
    ),
    Fault(
        "residual",
        "The query is added to the blend.",
        "With values [0, 0], [0, 0] and query [4, 0] the blend should be [0, 0]; here it is [4, 0].",
    ),
    Fault(
        "rounded",
        "The weights are rounded before they are used: the lesson only prints three decimals.",
        "With scores 1 and 0 the first weight is 0.7310..., here exactly 0.731.",
    ),
    Fault(
        "int_query",
        "The query is cut to whole numbers.",
        "A query of [0.9, 1.5] counts as [0, 1].",
    ),
    UNSCALED,
    Fault(
        "swapped",
        "The two results come in the wrong order: weights first, blend second.",
        "With two tokens and values that are one number wide, the pair starts with two numbers instead of one.",
    ),  # ours
    Fault(
        "scores_returned",
        "The raw scores are returned in place of the weights.",
        "With scores 4 and 0 the second result should be 0.98, 0.02; here it is 4, 0.",
    ),  # ours
    Fault(
        "no_max",
        "The softmax inside does not subtract the largest score, so that large scores overflow.",
        "With scores 1000 and 1000 the weights should be 1/2, 1/2 and become nan.",
    ),  # ours
    Fault(
        "mean_values",
        "The blend is the plain average of the values: the weights are computed and not used.",
        "With weights 0.9, 0.1 and values [1, 0], [0, 1] the blend should be [0.9, 0.1]; here it is [0.5, 0.5].",
    ),  # ours
)


# ---------------------------------------------------------------------------------------------------- project


@quiet
def project(faults, X, W_q, W_k, W_v):
    refuse_lists(faults, X)
    turn = np.asarray if "arrays_only" in faults else floats  # whole numbers stay whole
    X, W_q, W_k, W_v = turn(X), turn(W_q), turn(W_k), turn(W_v)
    Q = _times(faults, X, W_q)
    K = _times(faults, Q if "k_from_q" in faults else X, W_q if "k_uses_wq" in faults else W_k)
    V = _values(faults, X, Q, K, W_k, W_v)
    if "normalised" in faults:
        Q, K = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (Q, K))
    if "v_truncated" in faults:
        V = V[:, : K.shape[1]]
    if "stacked" in faults:
        return np.stack([Q, K, V])
    if "order_kqv" in faults:
        return K, Q, V
    return (Q, V, K) if "order_qvk" in faults else (Q, K, V)


def _values(faults, X, Q, K, W_k, W_v):
    if "v_is_x" in faults:
        return X
    return _times(faults, K if "v_from_k" in faults else X, W_k if "v_uses_wk" in faults else W_v)


def _times(faults, rows, matrix):
    if "torch_T" in faults:
        return rows @ matrix.T
    if "W_at_X" in faults:
        return matrix @ rows
    return rows * matrix if "elementwise" in faults else rows @ matrix


PROJECT = (
    ARRAYS_ONLY,
    Fault(
        "torch_T",
        "The weight matrix is transposed, as PyTorch's nn.Linear stores it; here it is (d_in, d_out).",
        "With X = [[1, 0]] and W = [[1, 2], [3, 4]] the result should be [1, 2]; here it is [1, 3].",
    ),
    Fault(
        "W_at_X",
        "The matrix stands on the left, as for column vectors; here tokens are rows, so it stands on the right.",
        "With X = [[1, 0], [0, 0]] and W = [[1, 2], [3, 4]] row one should be [1, 2]; here it is [1, 0].",
    ),
    Fault(
        "k_uses_wq",
        "The keys are made with W_q: queries and keys come out the same.",
        "With W_q = 1 and W_k = 2 times the identity, the token [1, 0] should have the key [2, 0]; here it is [1, 0].",
    ),
    Fault(
        "v_is_x",
        "The values are X itself: W_v is not used.",
        "With W_v = twice the identity, the token [1, 0] should have the value [2, 0]; here it is [1, 0].",
    ),
    Fault(
        "v_uses_wk",
        "The values are made with W_k: keys and values come out the same.",
        "With W_k = 1 and W_v = 2 times the identity, [1, 0] should have the value [2, 0]; here it is [1, 0].",
    ),  # ours
    Fault(
        "v_from_k",
        "The values are made from the keys instead of X: the projections are chained.",
        "With W_k = W_v = twice the identity, [1, 0] should have the value [2, 0]; here it is [4, 0].",
    ),
    Fault(
        "k_from_q",
        "The keys are made from the queries instead of X: the projections are chained.",
        "With W_q = W_k = twice the identity, [1, 0] should have the key [2, 0]; here it is [4, 0].",
    ),
    Fault(
        "order_kqv",
        "The order of the results is K, Q, V; it should be Q, K, V.",
        "With W_q = 1 and W_k = 2 times the identity, the first result of [1, 0] should be [1, 0]; here it is [2, 0].",
    ),
    Fault(
        "order_qvk",
        "The order of the results is Q, V, K, as in Keras; it should be Q, K, V.",
        "With W_k = 1 and W_v = 2 times the identity, the second result of [1, 0] should be [1, 0]; here it is [2, 0].",
    ),
    Fault(
        "elementwise",
        "X * W multiplies entry by entry; a projection is the matrix product X @ W.",
        "[[1, 1], [1, 1]] with W = [[1, 2], [3, 4]] should give [4, 6] in each row; here it gives W itself.",
    ),
    Fault(
        "v_truncated",
        "The values are cut to the width of the keys; their width is free.",
        "With keys of width 1 and W_v = identity, [1, 2] should have the value [1, 2]; here it is [1].",
    ),
    Fault(
        "stacked",
        "Q, K and V are stacked into one array; that only works while all widths are equal.",
        "For one token of width 2 the result is one array of shape (3, 1, 2); it should be three arrays.",
    ),
    Fault(
        "normalised",
        "Queries and keys are scaled to length 1; a projection leaves the length as it comes.",
        "With the identity, [3, 4] should have the query [3, 4]; here it is [0.6, 0.8].",
    ),
)


# ----------------------------------------------------------------------------------------------------- plural


def add_plural_slot(faults, E, is_plural):
    if "appends" in faults:
        return _appended(E, is_plural)
    flags = np.asarray(is_plural, dtype=float)
    E = floats(E)
    if "inverted" in faults:
        flags = 1 - flags
    if "flag_4" in faults:
        flags = 4 * flags
    if "mutates" in faults:
        E[:, -1] = flags
        slotted = E
    else:
        slotted = np.hstack([flags[:, None], E] if "slot_first" in faults else [E, flags[:, None]])
    query = np.zeros(slotted.shape[1] - ("query_short" in faults))
    query[0 if "query_first" in faults else -1] = _strength(faults, flags)
    return (query, slotted) if "swapped" in faults else (slotted, query)


def _appended(E, is_plural):
    for row, flag in zip(E, is_plural, strict=False):
        row.append(1.0 if flag else 0.0)
    return E, [0.0] * (len(E[0]) - 1) + [4.0]


def _strength(faults, flags):
    if "query_zero" in faults or ("query_if_any" in faults and not flags.any()):
        return 0
    if "query_negative" in faults:
        return -4
    return 1 if "query_one" in faults else 4


PLURAL = (
    Fault(
        "slot_first",
        "The new slot comes first, while the query looks at the last.",
        "A plural [5, 6] should become [5, 6, 1]; here it becomes [1, 5, 6].",
    ),
    Fault(
        "query_short",
        "The query has no place for the new slot.",
        "For words of width 2 the query should be [0, 0, 4]; here it has two numbers.",
    ),
    Fault(
        "query_zero",
        "The query asks for nothing: all words get the same weight.",
        "For words of width 2 the query should be [0, 0, 4]; here it is [0, 0, 0].",
    ),
    Fault(
        "query_negative",
        "The query is negative: it hunts everything that is not plural.",
        "For words of width 2 the query should be [0, 0, 4]; here it is [0, 0, -4].",
    ),
    Fault(
        "inverted",
        "The flags are inverted: singular words get the 1.",
        "A plural [5, 6] should become [5, 6, 1]; here it becomes [5, 6, 0].",
    ),
    Fault(
        "mutates",
        "The flags are written over the last slot of the given table, in place; a new slot should be added to a copy.",
        "A plural [5, 6] should become [5, 6, 1]; here it becomes [5, 1], in the caller's table too.",
    ),
    Fault(
        "appends",
        "The flag is appended to the rows of the given table itself: arrays cannot do that, and lists are changed.",
        "The caller's plural [5, 6] reads [5, 6, 1] afterwards.",
    ),  # ours
    Fault(
        "flag_4",
        "The new slot holds 4 instead of 1: the strength belongs into the query, not into the key.",
        "A plural [5, 6] should become [5, 6, 1]; here it becomes [5, 6, 4].",
    ),  # ours
    Fault(
        "query_first",
        "The query looks at the first slot, while the new one is the last.",
        "For words of width 2 the query should be [0, 0, 4]; here it is [4, 0, 0].",
    ),  # ours
    Fault(
        "query_one",
        "The query has the strength 1 instead of 4.",
        "For words of width 2 the query should be [0, 0, 4]; here it is [0, 0, 1].",
    ),  # ours
    Fault(
        "query_if_any",
        "The query is zero when the sentence holds no plural; it should not look at the flags.",
        "For two singular words of width 2 the query should still be [0, 0, 4]; here it is [0, 0, 0].",
    ),  # ours
    Fault(
        "swapped",
        "The query comes first; the pair should be (E_plural, query).",
        "For words of width 2 the first result is [0, 0, 4]; it should be the table.",
    ),  # ours
)


# --------------------------------------------------------------------------------------------------- identity


@quiet
def weights_by_identity(faults, query, keys):
    refuse_lists(faults, keys)
    query, keys = floats(query), floats(keys)
    tokens, width = keys.shape
    scores = keys @ query
    weights = plain_softmax(scores / np.sqrt(width) if "scaled" in faults else scores)
    if "diag_only" in faults:
        return np.diag(weights)
    if "still_E" in faults:
        return weights @ keys
    if "pair" in faults:
        return weights @ np.eye(tokens), weights
    if "ones" in faults:
        return weights @ np.ones((tokens, tokens))
    if "scores" in faults:
        return scores
    if "eye8" in faults:
        return weights @ np.eye(8)
    return weights @ (np.eye(tokens, width) if "eye_d" in faults else np.eye(tokens))


IDENTITY = (
    ARRAYS_ONLY,
    Fault(
        "eye8",
        "The identity always has eight rows, as in the lesson: only sentences of eight words work.",
        "Two words need the identity [[1, 0], [0, 1]], not one of eight rows.",
    ),
    Fault(
        "eye_d",
        "The identity is as wide as a key; it should be as wide as the sentence is long.",
        "Two words with keys of width 1 get one number back; they should get two weights.",
    ),
    Fault(
        "diag_only",
        "A diagonal matrix of the weights is returned; the blend of its rows is asked for.",
        "Two words get [[0.9, 0], [0, 0.1]] back; they should get [0.9, 0.1].",
    ),
    Fault(
        "still_E",
        "The values are still the keys, so that a blend of keys comes out.",
        "With keys [1, 1], [1, 1] the result is [1, 1]; the weights are [0.5, 0.5].",
    ),
    Fault(
        "pair",
        "The whole pair of attend is returned; only the blend is asked for, which now is the weights.",
        "Two words get ([0.9, 0.1], [0.9, 0.1]) back; they should get [0.9, 0.1].",
    ),  # ours
    Fault(
        "ones",
        "The values are all ones, so that every entry of the blend is the sum of the weights.",
        "Two words get [1, 1] back; with the identity they get [0.9, 0.1].",
    ),  # ours
    Fault(
        "scores",
        "The raw scores are returned: softmax is missing.",
        "With scores 4 and 0 the weights should be 0.98 and 0.02; here they are 4 and 0.",
    ),  # ours
    UNSCALED,
)


# ------------------------------------------------------------------------------------------------- attend_all


@quiet
def attend_all(faults, Q, K, V):
    refuse_lists(faults, K, error=AttributeError)
    Q, K, V = floats(Q), floats(K), floats(V)
    if "first_query" in faults:
        Q = Q[:1]
    weights = _all_weights(faults, _all_scores(faults, Q, K, V))
    if "hard_pick" in faults:
        out = V[weights.argmax(axis=1)]
    elif "weights_T" in faults:
        out = weights.T @ V
    elif "mean_values" in faults:
        out = np.repeat(V.mean(axis=0, keepdims=True), len(Q), axis=0)
    else:
        out = weights @ (K if "blend_keys" in faults else V)
    if "residual" in faults:
        out = out + Q
    if "out_only" in faults:
        return out
    if "weights_only" in faults:
        return weights
    return (weights, out) if "swapped" in faults else (out, weights)


def _all_scores(faults, Q, K, V):
    if "roles_swapped" in faults:
        scores = K @ Q.T
    elif "score_values" in faults:
        scores = Q @ V.T
    else:
        scores = Q @ (K if "k_not_T" in faults else K.T)
    if "causal" in faults:
        scores = np.where(np.tril(np.ones(scores.shape, dtype=bool)), scores, -np.inf)
    return scores / np.sqrt(Q.shape[1]) if "scaled" in faults else scores


def _all_weights(faults, scores):
    if "no_softmax" in faults:
        weights = scores
    elif "linear_norm" in faults:
        weights = scores / scores.sum(axis=1, keepdims=True)
    elif "whole_array" in faults:
        weights = plain_softmax(scores, axis=None)
    elif "query_axis" in faults:
        weights = plain_softmax(scores, axis=0)
    elif "no_max" in faults:
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    elif "global_max" in faults:
        powers = np.exp(scores - scores.max())
        weights = powers / powers.sum(axis=1, keepdims=True)
    elif "no_keepdims" in faults:
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1)
    else:
        weights = plain_softmax(scores)
    return np.round(weights, 3) if "rounded" in faults else weights


ALL_SCORES = (
    ARRAYS_ONLY,
    Fault(
        "query_axis",
        "Softmax runs over the queries: every column of the weights adds up to 1 instead of every row.",
        "With scores [[0, 0], [9, 9]] every row should be 1/2, 1/2; here the columns add up to 1.",
    ),
    Fault(
        "whole_array",
        "Softmax runs over all scores at once: the weights of all queries together add up to 1.",
        "With scores [[0, 0], [0, 0]] every weight is 1/4; it should be 1/2.",
    ),
    UNSCALED,
    Fault(
        "no_softmax",
        "The raw scores serve as weights: they are not turned into shares of one whole.",
        "With scores [[4, 0], [0, 4]] the first weights should be 0.98, 0.02; here they are 4, 0.",
    ),
    Fault(
        "causal",
        "A causal mask hides later keys; this task has no mask.",
        "With scores [[0, 0], [0, 0]] the first row should be 1/2, 1/2; here it is 1, 0.",
    ),
    Fault(
        "no_max",
        "The softmax inside does not subtract the largest score, so that large scores overflow.",
        "With scores [[1000, 1000], [0, 0]] the first row should be 1/2, 1/2 and becomes nan.",
    ),
)
ALL = (
    *ALL_SCORES,
    Fault(
        "linear_norm",
        "The scores are divided by their sum, without the exponential of softmax.",
        "With scores [[3, 1], [1, 1]] the first row should be 0.88, 0.12; here it is 0.75, 0.25.",
    ),
    Fault(
        "global_max",
        "The largest score of all queries is subtracted, so that a query far below it comes out as 0/0.",
        "With scores [[1000, 1000], [0, 0]] the second row should be 1/2, 1/2 and becomes nan.",
    ),
    Fault(
        "no_keepdims",
        "The sums lose their axis (keepdims is missing), so that a row is divided by the sums of others.",
        "With scores [[0, 0], [0, 9]] the first row should be 1/2, 1/2; its second entry is divided by row two's sum.",
    ),
    Fault(
        "hard_pick",
        "The winner's value is copied for each query. Attention blends.",
        "With weights [[0.9, 0.1], [0.5, 0.5]] and values [1], [0] the outputs should be 0.9 and 0.5; here both are 1.",
    ),
    Fault(
        "first_query",
        "Only the first query is answered.",
        "Two queries and two keys should give two rows of weights; here there is one.",
    ),
    Fault(
        "blend_keys",
        "The keys are blended instead of the values.",
        "With keys [1], [1] and values [7], [7] each output should be 7; here it is 1.",
    ),
    Fault(
        "score_values",
        "The queries are compared with the values instead of the keys.",
        "With keys [1], [0], values [0], [1] and query [4], key one should win; here key two does.",
    ),
    Fault(
        "roles_swapped",
        "The scores are K @ Q.T: a row belongs to a key instead of a query.",
        "With queries [1], [0] and keys [0], [4] row one should be 0.02, 0.98; here it is 0.5, 0.5.",
    ),
    Fault(
        "k_not_T",
        "The keys are not transposed, so that queries meet the columns of the keys.",
        "With query [1, 0] and keys [1, 2], [3, 4] the scores should be 1, 3; here they are 1, 2.",
    ),
    Fault(
        "weights_T",
        "The weights are transposed before the blend: a query gets what it should have given.",
        "With weights [[1, 0], [1, 0]] and values [2], [4] the outputs should be 2, 2; here they are 6, 0.",
    ),
    Fault(
        "mean_values",
        "Every output is the plain average of the values: the weights are not used.",
        "With weights [[0.9, 0.1], [0.5, 0.5]] and values [1], [0] the outputs should be 0.9, 0.5; here both are 0.5.",
    ),
    Fault(
        "residual",
        "The queries are added to the outputs.",
        "With values [0, 0], [0, 0] and query [4, 0] the output should be [0, 0]; here it is [4, 0].",
    ),
    Fault(
        "rounded",
        "The weights are rounded before they are used.",
        "With scores [[1, 0], [0, 1]] the first weight is 0.7310..., here exactly 0.731.",
    ),
    Fault(
        "out_only",
        "Only the outputs are returned: the weights are missing.",
        "Two queries should get a pair of two rows each; here there is one array.",
    ),
    Fault(
        "weights_only",
        "Only the weights are returned: the outputs are missing.",
        "Two queries should get a pair of two rows each; here there is one array.",
    ),
    Fault(
        "swapped",
        "The two results come in the wrong order: weights first, outputs second.",
        "With two queries, two keys and values one number wide, the first result is 2 by 2; it should be 2 by 1.",
    ),
)


# ------------------------------------------------------------------------------------------------------ cross


@quiet
def cross_attend(faults, X_q, X_kv, W_q, W_k, W_v):
    refuse_lists(faults, X_q)
    X_q, X_kv, W_q, W_k, W_v = (floats(part) for part in (X_q, X_kv, W_q, W_k, W_v))
    if "roles_swapped" in faults:
        X_q, X_kv = X_kv, X_q
    if "self_attention" in faults:
        X_kv = X_q
    if "self_kv" in faults:
        X_q = X_kv
    if "concat" in faults:
        X_kv = np.vstack([X_q, X_kv])
    if "truncated" in faults:
        shorter = min(len(X_q), len(X_kv))
        X_q, X_kv = X_q[:shorter], X_kv[:shorter]
    Q, K, V = _cross_roles(faults, X_q, X_kv, W_q, W_k, W_v)
    scores = Q @ K.T
    if "scale_dv" in faults:
        scores = scores / np.sqrt(V.shape[1])
    if "causal_ul" in faults:
        scores = np.where(np.tril(np.ones(scores.shape, dtype=bool)), scores, -np.inf)
    if "causal" in faults:
        late = np.tril(np.ones(scores.shape, dtype=bool), scores.shape[1] - scores.shape[0])
        scores = np.where(late, scores, -np.inf)
    if "scaled" in faults:
        scores = scores / np.sqrt(Q.shape[1])
    weights = _all_weights(faults, scores)
    out = weights @ V
    if "pooled" in faults:
        out = np.repeat(out.mean(axis=0, keepdims=True), len(out), axis=0)
    if "out_only" in faults:
        return out
    return (weights, out) if "swapped" in faults else (out, weights)


def _cross_roles(faults, X_q, X_kv, W_q, W_k, W_v):
    if "torch_T" in faults:
        W_q, W_k, W_v = W_q.T, W_k.T, W_v.T
    K = (X_q if "k_from_q_side" in faults else X_kv) @ W_k
    V = (X_q if "v_from_q_side" in faults else X_kv) @ (W_k if "v_uses_wk" in faults else W_v)
    return X_q @ W_q, K, X_kv if "v_is_x" in faults else V


CROSS = (
    Fault(
        "roles_swapped",
        "The two sequences have changed places: the second one asks and the first is read.",
        "With one asker and two tokens to read there should be one row of two weights; here there are two rows of one.",
    ),
    Fault(
        "k_from_q_side",
        "The keys are made from the sequence that asks; they belong to the one that is read.",
        "If both tokens that are read are changed, the weights should change; here they stay.",
    ),
    Fault(
        "self_attention",
        "The second sequence is not used: all three roles come from the first.",
        "If both tokens that are read are changed, the output should change; here it stays.",
    ),
    Fault(
        "self_kv",
        "The first sequence is not used: all three roles come from the second.",
        "With one asker and two tokens to read there should be one row of weights; here there are two.",
    ),  # ours
    Fault(
        "causal",
        "A causal mask hides tokens of the second sequence; there is no before and after between the two.",
        "With scores [[0, 0], [0, 0]] the first row should be 1/2, 1/2; here it is 1, 0.",
    ),
    Fault(
        "causal_ul",
        "A triangular mask (tril) hides tokens of the second sequence; there is no before and after between the two.",
        "With scores [[0, 0], [0, 0]] the first row should be 1/2, 1/2; here it is 1, 0.",
    ),
    Fault(
        "scale_dv",
        "The scores are divided by the square root of the value width; this task does not scale.",
        "With values two numbers wide, a score of 4 counts as 2.83.",
    ),
    *(fault for fault in ALL_SCORES if fault.id != "causal"),
    Fault(
        "concat",
        "Both sequences together are read; only the second should be.",
        "With one asker and two tokens to read there should be two weights; here there are three.",
    ),
    Fault(
        "v_uses_wk",
        "The values are made with W_k; they have a matrix of their own, W_v.",
        "With W_k = 1 and W_v = 2 times the identity, [1, 0] should hand over [2, 0]; here it hands over [1, 0].",
    ),
    Fault(
        "v_from_q_side",
        "The values are made from the sequence that asks; they belong to the one that is read.",
        "If both tokens that are read hand over 0, the output should be 0; here it is not.",
    ),  # ours
    Fault(
        "v_is_x",
        "The values are the tokens themselves: W_v is not used.",
        "With W_v = twice the identity, [1, 0] should hand over [2, 0]; here it hands over [1, 0].",
    ),  # ours
    Fault(
        "torch_T",
        "The weight matrices are transposed, as PyTorch's nn.Linear stores them; here they are (d_in, d_out).",
        "With X_q = [[1, 0]] and W_q = [[1, 2], [3, 4]] the query should be [1, 2]; here it is [1, 3].",
    ),  # ours
    Fault(
        "pooled",
        "Every asker gets the same averaged output.",
        "With outputs [2] and [4] for two askers, both get [3].",
    ),
    Fault(
        "truncated",
        "Both sequences are cut to the length of the shorter one.",
        "With one asker and two tokens to read there should be two weights; here there is one.",
    ),
    Fault(
        "out_only",
        "Only the outputs are returned: the weights are missing.",
        "Two askers should get a pair of two rows each; here there is one array.",
    ),  # ours
    Fault(
        "swapped",
        "The two results come in the wrong order: weights first, outputs second.",
        "With two askers, two tokens and values one number wide, the first result is 2 by 2; it should be 2 by 1.",
    ),  # ours
)


MODELS: tuple[Model, ...] = (
    Model("softmax", "softmax", softmax, SOFTMAX),
    Model("attend", "attend", attend, ATTEND),
    Model("project", "project", project, PROJECT),
    Model("plural", "add_plural_slot", add_plural_slot, PLURAL),
    Model("identity", "weights_by_identity", weights_by_identity, IDENTITY),
    Model("attend_all", "attend_all", attend_all, ALL),
    Model("cross", "cross_attend", cross_attend, CROSS),
)
