"""Known wrong behaviours of `05-lineage`, each a runnable switch of one parametric implementation per function.

Every function here is the right answer with faults switched on. Of faults that exclude each other, the first that the
code asks for counts. Sources are in the course's list of misconceptions; entries marked "ours" were added here.
"""

import numpy as np

from autograder.grading import Fault, Model


def floats(faults, *inputs, error=TypeError):
    """Turn inputs into float arrays; an array of floats stays itself, so that a fault can change it.

    `error` is what a list ends in when nothing was turned into arrays: that of `list @ list`, or that of `list.shape`.
    """
    if "arrays_only" in faults and any(isinstance(part, list | tuple) for part in inputs):
        raise error("a list cannot do what an array can")
    return [np.asarray(part, dtype="f4" if "float32" in faults else float) for part in inputs]


def shares(scores, axis=-1, shift=True, guard=True):
    """Return softmax; `guard` makes a row of nothing but -inf zeros instead of nan, no `shift` lets it overflow."""
    top = scores.max(axis=axis, keepdims=True) if shift else np.zeros(())
    powers = np.exp(scores - (np.where(np.isfinite(top), top, 0) if guard else top))
    total = powers.sum(axis=axis, keepdims=True)
    return powers / (np.where(total == 0, 1, total) if guard else total)


ARRAYS_ONLY = Fault(
    "arrays_only",
    "Nested lists are not turned into arrays, so that a list as input ends in an error.",
    "With the list [[0, 1], [1, 0]] in place of an array the call stops; np.asarray would accept both.",
)  # ours
SINGLE = Fault(
    "float32",
    "The result is computed in float32.",
    "For the scores 0, 1 the first weight has seven digits instead of sixteen.",
    note_only=True,
)
ROUNDED = Fault(
    "rounded",
    "The results are rounded: the printed output shows three decimals, the numbers themselves have more.",
    "With scores 0, 1 the first weight is 0.2689..., here exactly 0.269.",
)
NO_MAX = Fault(
    "no_max",
    "The softmax inside does not subtract the largest score, so that large scores overflow.",
    "With scores [[1000, 1000], [0, 0]] the first row should be 1/2, 1/2 and becomes nan.",
)
SWAPPED = Fault(
    "swapped",
    "The two results are returned in the other order: weights first.",
    "With two keys and values of width 2, what should be the blend holds the weights, and the other way round.",
)  # ours
WEIGHTS_ONLY = Fault(
    "weights_only",
    "Only the weights are returned; the blend is missing.",
    "For two keys one array comes back where a pair (blend, weights) was asked for.",
)  # ours
OUT_ONLY = Fault(
    "out_only",
    "Only the blend is returned; the weights are missing.",
    "For two keys one array comes back where a pair (blend, weights) was asked for.",
)  # ours


def results(faults, out, weights):
    if "rounded" in faults:
        out, weights = np.round(out, 3), np.round(weights, 3)
    if "float32" in faults:
        out, weights = out.astype("f4"), weights.astype("f4")
    if "weights_only" in faults:
        return weights
    if "out_only" in faults:
        return out
    return (weights, out) if "swapped" in faults else (out, weights)


# ---------------------------------------------------------------------------------------------------- scaled


def scaled(faults, Q, K, V, mask=None, causal=False):
    Q, K, V = floats(faults, Q, K, V, error=AttributeError)
    scores = _scores(faults, Q, K, V)
    seen = None if mask is None or "mask_ignored" in faults else _seen(faults, mask, scores.shape)
    past = _past(faults, *scores.shape[-2:]) if causal and "causal_ignored" not in faults else None
    if causal and "mask_only_without_causal" in faults:
        seen = None
    if "mask_in_place" in faults and isinstance(mask, np.ndarray) and past is not None:
        mask &= past
    weights = _weights(faults, scores, seen, past)
    if "mean_out" in faults:
        out = np.broadcast_to(V.mean(axis=-2, keepdims=True), (*weights.shape[:-1], V.shape[-1]))
    elif "hard_pick" in faults:
        out = np.take_along_axis(V, weights.argmax(axis=-1)[..., None], axis=-2)
    else:
        out = weights @ (K if "blend_keys" in faults else V)
    return results(faults, out, weights)


def _scores(faults, Q, K, V):
    width = Q.shape[-1]
    keys = V if "score_values" in faults else K
    keys = keys.T if "kT_all_axes" in faults else np.swapaxes(keys, -1, -2)
    if "q_in_place" in faults:
        Q /= np.sqrt(width)
        return Q @ keys
    scores = Q @ keys
    if "no_scale" in faults:
        return scores
    if "scale_mul" in faults:
        return scores * np.sqrt(width)
    if "scale_width" in faults:
        return scores / width
    divisor = width
    if "scale_dv" in faults:
        divisor = V.shape[-1]
    elif "scale_tokens" in faults:
        divisor = K.shape[-2]
    elif "scale_queries" in faults:
        divisor = Q.shape[-2]
    return scores / np.sqrt(divisor)


def _seen(faults, mask, shape):
    mask = np.asarray(mask, dtype=bool)
    if "mask_inverted" in faults:
        mask = ~mask
    if "mask_indexed" in faults:
        shown = np.ones(shape, dtype=bool)
        shown[~mask] = False
        return shown
    if "mask_on_queries" in faults:
        mask = mask[:, None] if mask.ndim == 1 else np.swapaxes(mask, -1, -2)
    return np.broadcast_to(mask, shape)


def _past(faults, queries, tokens):
    offset = 0 if "causal_upper_left" in faults else tokens - queries
    offset += ("causal_leak1" in faults) - ("causal_strict" in faults)
    past = np.tri(queries, tokens, offset, dtype=bool)
    return ~np.tri(queries, tokens, offset - 1, dtype=bool) if "causal_inverted" in faults else past


def _weights(faults, scores, seen, past):
    if "mean_v" in faults:
        return np.full(scores.shape, 1 / scores.shape[-1])
    if "mean_v_masked" in faults:
        scores = np.zeros_like(scores)
    axis = -2 if "query_axis" in faults else None if "whole" in faults else -1
    shift = "no_max" not in faults
    parts = [part for part in (seen, past) if part is not None]
    if "mask_after_softmax" in faults:
        weights = shares(scores, axis, shift)
        for part in parts:
            weights = weights * part
        return weights
    if "mask_after_max" in faults:
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        for part in parts:
            powers = powers * part
        total = powers.sum(axis=-1, keepdims=True)
        return powers / np.where(total == 0, 1, total)
    scores = _masked(faults, scores, seen, past)
    if "no_softmax" in faults:
        return np.where(np.isneginf(scores), 0, scores)
    if "linear_norm" in faults:
        scores = np.where(np.isneginf(scores), 0, scores)
        return scores / scores.sum(axis=-1, keepdims=True)
    return shares(scores, axis, shift, guard=not faults & {"mask_nan", "mask_0xinf", "mask_0xinf_both"})


# What each fault does to the scores of hidden keys, and whether to those of the future too.
FILLS = {
    "mask_zero_score": (0.0, True),
    "mask_zero_score_mask_only": (0.0, False),
    "mask_minus1e9": (-1e9, True),
    "mask_minus1e9_mask_only": (-1e9, False),
}
ADDS = {
    "mask_add_one": (lambda part: part * 1.0, False),
    "mask_add_one_both": (lambda part: part * 1.0, True),
    "mask_0xinf": (lambda part: (1 - part) * -np.inf, False),
    "mask_0xinf_both": (lambda part: (1 - part) * -np.inf, True),
    "mask_add_1e9": (lambda part: (1 - part) * -1e9, True),
}


def _masked(faults, scores, seen, past):
    for fault, (term, both) in ADDS.items():
        if fault in faults and seen is not None:
            scores, seen = scores + term(seen), None
        if fault in faults and both and past is not None:
            scores, past = scores + term(past), None
    for part, is_past in ((seen, False), (past, True)):
        fills = [fill for fault, (fill, both) in FILLS.items() if fault in faults and (both or not is_past)]
        if part is not None:
            scores = np.where(part, scores, fills[0] if fills else -np.inf)
    return scores


ZERO_SCORE = "The scores of hidden keys are set to 0 (or nearly 0) instead of minus infinity, so that they still count."
ONE_ADDED = "The mask is added to the scores as 0 and 1, which hides nothing."
ZERO_TIMES_INF = "The mask is turned into (1 - mask) * -inf, and 0 times infinity is nan."
UNIFORM = "Hidden scores become a number such as -1e9, so that a query that may look at no key weighs all keys equally."

SCALED = (
    Fault(
        "no_scale",
        "The scores are not divided by the square root of the width.",
        "With query [2, 0] and keys [2, 0], [0, 2] the weights should be 0.94, 0.06; here they are 0.98, 0.02.",
    ),
    Fault(
        "scale_mul",
        "The scores are multiplied by the square root of the width instead of divided.",
        "With query [1, 0] and keys [1, 0], [0, 1] the gap should be 0.71; here it is 1.41.",
    ),
    Fault(
        "query_axis",
        "Softmax runs over the queries: every column of the weights adds up to 1 instead of every row.",
        "With scores [[0, 0], [9, 9]] every row should be 1/2, 1/2; here the columns add up to 1.",
    ),
    Fault(
        "whole",
        "Softmax runs over all scores at once: the weights of all queries together add up to 1.",
        "With scores [[0, 0], [0, 0]] every weight is 1/4; it should be 1/2.",
    ),
    Fault(
        "kT_all_axes",
        "K.T turns all axes of a batch round, not only the last two.",
        "Two entries of two keys of width 2: K.T mixes the entries; np.swapaxes(K, -1, -2) keeps them apart.",
    ),
    Fault(
        "mask_zero_score",
        ZERO_SCORE,
        "With scores 0, 0 and the second key hidden the weights should be 1, 0; here they are 1/2, 1/2: e**0 is 1.",
    ),
    Fault(
        "mask_ignored",
        "The argument `mask` is never used.",
        "With scores 0, 0 and the second key hidden the weights should be 1, 0; here they are 1/2, 1/2.",
    ),
    Fault(
        "mask_add_one",
        ONE_ADDED,
        "With scores 0, 0 and the second key hidden the weights should be 1, 0; here they are 0.73, 0.27.",
    ),
    Fault(
        "mask_0xinf",
        ZERO_TIMES_INF,
        "With the mask True, False the term for the first key is 0 * -inf: its weight should be 1 and becomes nan.",
    ),
    Fault(
        "causal_strict",
        "The causal mask is off by one: a token cannot see itself, and the first sees nothing.",
        "With two equal tokens row one should be 1, 0; here it is 0, 0.",
    ),
    Fault(
        "causal_leak1",
        "The causal mask is off by one: each token also sees the one after it.",
        "With two equal tokens row one should be 1, 0; here it is 1/2, 1/2.",
    ),
    Fault(
        "causal_upper_left",
        "Causal lines queries and keys up at their starts instead of their ends, which hides a cached past.",
        "With one query and two equal keys the query is the last token: 1/2, 1/2; here it gets 1, 0.",
    ),
    Fault(
        "causal_ignored",
        "The argument `causal` is never used.",
        "With two equal tokens row one should be 1, 0 when causal; here it is 1/2, 1/2.",
    ),
    Fault(
        "mask_only_without_causal",
        "With causal=True the mask is skipped.",
        "If key one of two is hidden and causal is set, row two should be 0, 1; here it is 1/2, 1/2.",
    ),
    Fault(
        "mask_on_queries",
        "The mask is turned round: it is applied along the queries instead of the keys.",
        "With the mask [[True, False], [True, True]] query one should see key one only; here query two does.",
    ),
    Fault(
        "q_in_place",
        "The scaling is done in place (Q /= ...), which changes the caller's queries.",
        "After the call the query [2, 0] of the caller has become [1.41, 0].",
    ),
    Fault(
        "mean_v",
        "Every output is the plain average of all values: the scores are not used.",
        "With query [4, 0] and keys [1, 0], [0, 1] the first key should win; here both get 1/2.",
    ),
    Fault(
        "mean_v_masked",
        "Every output is the plain average of the values that may be seen: the scores are not used.",
        "With query [4, 0] and keys [1, 0], [0, 1] the first key should win; here both get 1/2.",
    ),
    Fault(
        "mean_out",
        "The outputs are the plain average of the values: the weights are right, but not used.",
        "With weights 1, 0 and values [2], [4] the output should be 2; here it is 3.",
    ),  # ours
    Fault(
        "mask_zero_score_mask_only",
        ZERO_SCORE + " The future is hidden properly.",
        "With scores 0, 0 and the second key hidden the weights should be 1, 0; here they are 1/2, 1/2: e**0 is 1.",
    ),
    Fault(
        "mask_add_one_both",
        ONE_ADDED + " The same is done with the causal mask.",
        "With scores 0, 0 and the second key hidden the weights should be 1, 0; here they are 0.73, 0.27.",
    ),
    Fault(
        "mask_0xinf_both",
        ZERO_TIMES_INF + " The same is done with the causal mask.",
        "With the mask True, False the term for the first key is 0 * -inf: its weight should be 1 and becomes nan.",
    ),
    Fault(
        "mask_inverted",
        "The mask is read the other way round: True is taken to mean hidden.",
        "With scores 0, 0 and the mask True, False the weights should be 1, 0; here they are 0, 1.",
    ),  # ours: the convention of nn.MultiheadAttention
    Fault(
        "mask_indexed",
        "The mask is used as an index (scores[~mask] = ...), which does not broadcast: it fits only at full size.",
        "With the mask True, False for two keys, query two is hidden instead of key two; np.where broadcasts.",
    ),  # ours
    Fault(
        "mask_after_softmax",
        "Hidden weights are set to 0 after softmax, so that the others no longer add up to 1.",
        "With scores 0, 0 and the second key hidden the weights should be 1, 0; here they are 1/2, 0.",
    ),  # ours
    Fault(
        "mask_after_max",
        "The largest score is taken over hidden keys too, so that far smaller scores that may be seen vanish.",
        "With scores 0, 2000 and the second key hidden the weights should be 1, 0; here they are 0, 0.",
    ),  # ours
    Fault(
        "causal_inverted",
        "The causal mask hides the past and shows the future.",
        "With two equal tokens row two should be 1/2, 1/2; here it is 0, 1.",
    ),  # ours
    Fault(
        "mask_in_place",
        "The causal mask is combined into the caller's mask in place, which changes that array.",
        "After the call the mask [[True, True], [True, True]] has become [[True, False], [True, True]].",
    ),  # ours
    Fault(
        "scale_width",
        "The scores are divided by the width itself instead of its square root.",
        "With query [2, 0] and keys [2, 0], [0, 2] the gap should be 2.83; here it is 2.",
    ),  # ours
    Fault(
        "scale_dv",
        "The scores are divided by the square root of the width of the values.",
        "With queries of width 2 and values of width 8 the divisor should be 1.41; here it is 2.83.",
    ),  # ours
    Fault(
        "scale_tokens",
        "The scores are divided by the square root of the number of keys.",
        "With queries of width 2 and one key the divisor should be 1.41; here it is 1.",
    ),  # ours
    Fault(
        "scale_queries",
        "The scores are divided by the square root of the number of queries.",
        "With queries of width 2 and one query the divisor should be 1.41; here it is 1.",
    ),  # ours
    Fault(
        "no_softmax",
        "The raw scores serve as weights: they are not turned into shares of one whole.",
        "With scores [[4, 0], [0, 4]] the first weights should be 0.98, 0.02; here they are 4, 0.",
    ),  # ours
    Fault(
        "linear_norm",
        "The scores are divided by their sum, without the exponential of softmax.",
        "With scores [[3, 1], [1, 1]] the first row should be 0.88, 0.12; here it is 0.75, 0.25.",
    ),  # ours
    Fault(
        "hard_pick",
        "The winner's value is copied for each query. Attention blends.",
        "With weights 0.9, 0.1 and values [1], [0] the output should be 0.9; here it is 1.",
    ),  # ours
    Fault(
        "blend_keys",
        "The keys are blended instead of the values.",
        "With keys [1], [1] and values [7], [7] each output should be 7; here it is 1.",
    ),  # ours
    Fault(
        "score_values",
        "The queries are compared with the values instead of the keys.",
        "With keys [1], [0], values [0], [1] and query [4], key one should win; here key two does.",
    ),  # ours
    SWAPPED,
    OUT_ONLY,
    WEIGHTS_ONLY,
    Fault(
        "mask_minus1e9",
        UNIFORM,
        "With two keys, both hidden, the weights should be 0, 0; here they are 1/2, 1/2.",
    ),
    Fault(
        "mask_minus1e9_mask_only",
        UNIFORM + " The future is hidden properly.",
        "With two keys, both hidden, the weights should be 0, 0; here they are 1/2, 1/2.",
    ),
    Fault(
        "mask_add_1e9",
        "A large negative number is added to hidden scores: a query that may look at no key attends as if unmasked.",
        "With scores 0, 0 and both keys hidden the weights should be 0, 0; here they are 1/2, 1/2.",
    ),  # ours
    Fault(
        "mask_nan",
        "A query that may look at no key gets nan: softmax of nothing but minus infinity is 0/0.",
        "With two keys, both hidden, the weights should be 0, 0; here they are nan, nan.",
    ),
    NO_MAX,
    ROUNDED,
    ARRAYS_ONLY,
    SINGLE,
)


# ------------------------------------------------------------------------------------------------------- ntm


def content_address(faults, key, memory, beta):
    key, memory = floats(faults, key, memory)
    match = _match(faults, key, memory)
    if "raw_cos" in faults:
        return match
    if "beta_after" in faults:
        return beta * shares(match)
    scores = match if "beta_ignored" in faults else match / beta if "beta_divides" in faults else beta * match
    if "raw_scores" in faults:
        return scores
    if "beta_power" in faults:
        scores = np.sign(match) * np.abs(match) ** beta
    weights = shares(scores, shift="no_max" not in faults, guard=False)
    return np.round(weights, 3) if "rounded" in faults else weights


def _match(faults, key, memory):
    products = memory @ key
    if "dot" in faults:
        return products
    if "distance" in faults:
        return -np.linalg.norm(memory - key, axis=1)
    if "sq_norm" in faults:
        lengths, own = (memory**2).sum(axis=1), key @ key
    elif "sum_norm" in faults:
        lengths, own = np.abs(memory).sum(axis=1), np.abs(key).sum()
    else:
        lengths, own = np.linalg.norm(memory, axis=1), np.linalg.norm(key)
    if "whole_norm" in faults:
        lengths = np.linalg.norm(memory)
    elif "column_norm" in faults:
        lengths = np.linalg.norm(memory, axis=0)
    if "key_norm_only" in faults:
        lengths = np.ones(())
    if "memory_norm_only" in faults:
        own = np.ones(())
    both = lengths * own
    if "big_eps" in faults:
        both = both + 0.1
    elif "nan_zero_row" not in faults:
        both = np.where(both == 0, 1, both)
    match = products / both
    return np.abs(match) if "absolute" in faults else match


NTM = (
    Fault(
        "dot",
        "Plain dot products are compared: they are not divided by the lengths, so that long rows win.",
        "With key [1, 0] and rows [1, 0], [9, 9] row one points the same way and should win; here row two does.",
    ),
    Fault(
        "beta_divides",
        "The cosines are divided by beta instead of multiplied: a large beta blurs instead of sharpening.",
        "With cosines 1, 0 and beta 4 the weights should be 0.98, 0.02; here they are 0.56, 0.44.",
    ),
    Fault(
        "beta_after",
        "Beta multiplies the weights after softmax instead of the cosines before it.",
        "With equal cosines and beta 4 the weights should be 1/2, 1/2; here they are 2, 2.",
    ),
    Fault(
        "key_norm_only",
        "The products are divided by the length of the key only, so that long rows win.",
        "With key [2, 0] and rows [1, 0], [9, 9] row one should win; here row two does.",
    ),
    Fault(
        "nan_zero_row",
        "A row of zeros makes 0/0, and with it every weight becomes nan.",
        "With key [1, 0] and rows [0, 0], [0, 1] both cosines are 0: the weights should be 1/2, 1/2 and become nan.",
    ),
    Fault(
        "sq_norm",
        "The products are divided by the squared lengths: the square root is missing.",
        "With key [2, 0] and row [2, 0] the cosine should be 1; here it is 1/4.",
    ),
    Fault(
        "big_eps",
        "A number as large as 0.1 is added to the product of the lengths, which changes every cosine.",
        "With key [1, 0] and row [1, 0] the cosine should be 1; here it is 0.91.",
    ),
    Fault(
        "raw_cos",
        "The cosines are returned as they are: neither beta nor softmax is applied.",
        "With cosines 0, 0 the weights should be 1/2, 1/2; here they are 0, 0.",
    ),
    Fault(
        "raw_scores",
        "Beta times the cosine is returned: softmax is missing.",
        "With cosines 0, 0 the weights should be 1/2, 1/2; here they are 0, 0.",
    ),  # ours
    Fault(
        "beta_ignored",
        "Beta is not used.",
        "With cosines 1, 0 and beta 4 the weights should be 0.98, 0.02; here they are 0.73, 0.27.",
    ),  # ours
    Fault(
        "beta_power",
        "The cosines are raised to the power beta instead of multiplied by it.",
        "With cosines 1, 0 and beta 4 the weights should be 0.98, 0.02; here they are 0.73, 0.27.",
    ),  # ours
    Fault(
        "memory_norm_only",
        "The products are divided by the lengths of the rows only, so that a long key sharpens.",
        "With key [5, 0] and row [1, 0] the cosine should be 1; here it is 5.",
    ),  # ours
    Fault(
        "whole_norm",
        "The length is taken over the whole memory instead of row by row.",
        "With key [1, 0] and rows [1, 0], [2, 0] both cosines should be 1; here they are 0.45 and 0.89.",
    ),  # ours
    Fault(
        "column_norm",
        "The lengths are those of the columns of the memory instead of its rows.",
        "With rows [3, 4], [0, 0] the lengths should be 5, 0; here they are 3, 4.",
    ),  # ours
    Fault(
        "sum_norm",
        "Lengths are sums of absolute numbers instead of roots of sums of squares.",
        "The row [3, 4] has the length 5; here it is 7.",
    ),  # ours
    Fault(
        "distance",
        "Rows are compared by their distance to the key instead of by the cosine.",
        "With key [1, 0] and rows [9, 0], [0, 0] row one points the same way and should win; here row two does.",
    ),  # ours
    Fault(
        "absolute",
        "The sign of the cosine is dropped, so that an opposite row matches as well as an equal one.",
        "With key [1, 0] and rows [1, 0], [-1, 0] row one should win; here both get 1/2.",
    ),  # ours
    NO_MAX,
    ROUNDED,
    ARRAYS_ONLY,
    SINGLE,
)


# -------------------------------------------------------------------------------------------------- bahdanau


def additive_scores(faults, s, H, W_a, U_a, v_a):
    s, H, W_a, U_a, v_a = floats(faults, s, H, W_a, U_a, v_a)
    if "w_u_swapped" in faults:
        W_a, U_a = U_a, W_a
    if "transposed" in faults:
        W_a, U_a = W_a.T, U_a.T
    hidden = _hidden(faults, s @ W_a, H @ U_a)
    scores = hidden.sum(axis=-1) if "no_v" in faults else hidden @ v_a
    if "tanh_outside" in faults or "tanh_twice" in faults:
        scores = np.tanh(scores)
    if "scaled" in faults:
        scores = scores / np.sqrt(W_a.shape[1])
    if "softmaxed" in faults:
        scores = shares(scores)
    if "column" in faults:
        scores = scores[:, None]
    return np.round(scores, 3) if "rounded" in faults else scores


def _hidden(faults, state, words):
    if "state_ignored" in faults:
        state = np.zeros_like(state)
    if "each_bent" in faults:
        return np.tanh(state) + np.tanh(words)
    total = state * words if "product" in faults else state - words if "difference" in faults else state + words
    if "bias" in faults:
        total = total + 1
    if "no_tanh" in faults or "tanh_outside" in faults:
        return total
    if "relu" in faults:
        return np.maximum(total, 0)
    return 1 / (1 + np.exp(-total)) if "sigmoid" in faults else np.tanh(total)


BAHDANAU = (
    Fault(
        "no_tanh",
        "The tanh is missing: without it the state adds the same to every score, and softmax cancels it.",
        "With a hidden sum of 2 and v_a = 1 the score should be 0.96; here it is 2.",
    ),
    Fault(
        "relu",
        "The hidden units use relu, max(0, x), instead of tanh.",
        "With a hidden sum of -2 and v_a = 1 the score should be -0.96; here it is 0.",
    ),
    Fault(
        "sigmoid",
        "The hidden units use the sigmoid 1 / (1 + e**-x) instead of tanh.",
        "With a hidden sum of 0 and v_a = 1 the score should be 0; here it is 1/2.",
    ),
    Fault(
        "tanh_outside",
        "Tanh is taken of the final score instead of the hidden sums.",
        "With hidden sums 1, 1 and v_a = 1, 1 the score should be 1.52; here it is 0.96.",
    ),
    Fault(
        "w_u_swapped",
        "W_a and U_a are swapped: W_a belongs to the state s, U_a to the words in H.",
        "With s = [1, 0], h = [0, 0], W_a of twos, U_a of threes the hidden sums should be 2, 2; here they are 3, 3.",
    ),
    Fault(
        "transposed",
        "The weight matrices are transposed; they are (in, out), so rows meet them as they are.",
        "With s = [1, 0] and W_a = [[1, 2], [3, 4]] the state's part should be 1, 2; here it is 1, 3.",
    ),
    Fault(
        "scaled",
        "The scores are divided by the square root of the number of hidden units; this score is not scaled.",
        "With four hidden units the score should be 2; here it is 1.",
    ),
    Fault(
        "bias",
        "A bias of 1 is added inside tanh.",
        "With hidden sums of 0 the score should be 0; here it is 0.76 times the sum of v_a.",
    ),
    Fault(
        "tanh_twice",
        "Tanh is taken once inside and once more of the final score.",
        "With a hidden sum of 1 and v_a = 1 the score should be 0.76; here it is 0.64.",
    ),  # ours
    Fault(
        "softmaxed",
        "The scores have been through softmax; the task asks for the raw scores.",
        "With two equal words both scores should be what v_a makes of them; here they are 1/2, 1/2.",
    ),  # ours
    Fault(
        "no_v",
        "The hidden units are added up without the weights v_a.",
        "With hidden units 0.5, 0.5 and v_a = 2, 4 the score should be 3; here it is 1.",
    ),  # ours
    Fault(
        "product",
        "The two sides are multiplied inside tanh instead of added.",
        "With both sides equal to 1 the hidden sum should be 2; here it is 1.",
    ),  # ours
    Fault(
        "difference",
        "The words' side is subtracted from the state's instead of added.",
        "With both sides equal to 1 the hidden sum should be 2; here it is 0.",
    ),  # ours
    Fault(
        "each_bent",
        "Tanh is taken of the two sides separately, and then they are added.",
        "With both sides equal to 1 the hidden unit should be tanh(2) = 0.96; here it is 1.52.",
    ),  # ours
    Fault(
        "state_ignored",
        "The state s is not used.",
        "With s = [1, 0] or s = [0, 1] the scores should differ; here they do not.",
    ),  # ours
    Fault(
        "column",
        "The scores come back as a column of shape (T, 1) instead of (T,).",
        "Two words should give two numbers; here they give two rows of one number.",
    ),  # ours
    ROUNDED,
    ARRAYS_ONLY,
    SINGLE,
)


# ----------------------------------------------------------------------------------------------------- luong


def luong_attend(faults, s, H, W=None):
    if "asks_array" in faults and isinstance(W, np.ndarray) and W.size > 1:
        raise ValueError("the truth value of an array is ambiguous")
    if "needs_w" in faults and W is None:
        raise ValueError("matmul: there is no W")
    s, H = floats(faults, s, H)
    query = s
    if W is not None and "w_ignored" not in faults:
        (W,) = floats(faults, W)
        query = W @ s if "w_transposed" in faults else s @ W
    scores = _luong_scores(faults, query, H)
    weights = scores if "no_softmax" in faults else shares(scores, shift="no_max" not in faults, guard=False)
    if "hard_pick" in faults:
        context = H[weights.argmax()]
    elif "sum_features" in faults:
        context = (H * weights).sum(axis=0)
    elif "mean_context" in faults:
        context = H.mean(axis=0)
    else:
        context = weights @ H
    if "residual" in faults:
        context = context + s
    if "joined" in faults:
        context = np.concatenate([context, s])
    return results(faults, context, scores if "weights_scores" in faults else weights)


def _luong_scores(faults, query, H):
    if "additive" in faults:
        return np.tanh(query + H).sum(axis=1)
    scores = H @ query
    if "scaled" in faults:
        return scores / np.sqrt(len(query))
    if "cosine" in faults:
        return scores / (np.linalg.norm(H, axis=1) * np.linalg.norm(query))
    return scores


LUONG = (
    Fault(
        "additive",
        "The scores are sums of tanh(s + h), in the manner of Bahdanau, instead of dot products.",
        "With s = [3, 0] and h = [3, 0] the score should be 9; here it is 1.",
    ),
    Fault(
        "no_softmax",
        "The raw scores serve as weights: they are not turned into shares of one whole.",
        "With scores 4, 0 the weights should be 0.98, 0.02; here they are 4, 0.",
    ),
    Fault(
        "weights_scores",
        "The scores are returned in place of the weights; the context is right.",
        "With scores 0, 0 the weights should be 1/2, 1/2; here they are 0, 0.",
    ),
    Fault(
        "sum_features",
        "The weights meet the features of H instead of its words: (H * weights).sum(0) needs a new axis.",
        "With H = [[2, 0], [0, 2]] and weights 1, 0 the context should be 2, 0; with H = [[0, 2], [0, 2]] it is 0, 0.",
    ),
    Fault(
        "w_ignored",
        "The matrix W is not used.",
        "With W = [[0, 1], [1, 0]] the query [4, 0] should become [0, 4]; here it stays [4, 0].",
    ),  # ours
    Fault(
        "w_transposed",
        "The state meets the wrong side of W: W @ s instead of s @ W.",
        "With s = [1, 0] and W = [[1, 2], [3, 4]] the query should be [1, 2]; here it is [1, 3].",
    ),  # ours
    Fault(
        "needs_w",
        "Without W the call stops, although W is optional.",
        "With s = [1, 0] and no W the scores should be H @ s.",
    ),  # ours
    Fault(
        "asks_array",
        "The code asks an array whether it is true (`if W:` or `W == None`); ask `W is None`.",
        "With W = [[1, 0], [0, 1]] the call stops with a ValueError.",
    ),  # ours
    Fault(
        "scaled",
        "The scores are divided by the square root of the width; Luong's are not scaled.",
        "With scores 2, 0 and width 4 the weights should be 0.88, 0.12; here they are 0.73, 0.27.",
    ),  # ours
    Fault(
        "cosine",
        "The scores are divided by the lengths of both vectors, as in content addressing.",
        "With s = [3, 0] and h = [3, 0] the score should be 9; here it is 1.",
    ),  # ours
    Fault(
        "hard_pick",
        "The winner's state is copied. Attention blends.",
        "With weights 0.9, 0.1 and states [1], [0] the context should be 0.9; here it is 1.",
    ),  # ours
    Fault(
        "mean_context",
        "The context is the plain average of H: the weights are not used.",
        "With weights 1, 0 and states [2], [4] the context should be 2; here it is 3.",
    ),  # ours
    Fault(
        "residual",
        "The state s is added to the context.",
        "With s = [1, 0] and a blend of [2, 2] the context should be [2, 2]; here it is [3, 2].",
    ),  # ours
    Fault(
        "joined",
        "The state s is appended to the context; the task asks for the blend alone.",
        "With states of width 2 the context should have 2 numbers; here it has 4.",
    ),  # ours
    NO_MAX,
    SWAPPED,
    OUT_ONLY,
    WEIGHTS_ONLY,
    ROUNDED,
    ARRAYS_ONLY,
    SINGLE,
)


# ---------------------------------------------------------------------------------------------------- limits


def zero_gap(faults, dtype):
    if "class_only" in faults and not isinstance(dtype, type):
        raise TypeError("a str or an np.dtype cannot be called")
    if "names_only" in faults and not isinstance(dtype, str):
        raise KeyError(dtype)
    limits = np.finfo(np.float64 if "dtype_ignored" in faults else np.dtype(dtype))
    gap = _gap(faults, limits)
    if "whole_steps" in faults:
        gap = np.ceil(gap)
    return -gap if "negative" in faults else float(gap)


def _gap(faults, limits):
    if "no_half" in faults:
        return -np.log(float(limits.smallest_subnormal))
    if "normal" in faults:
        return -np.log(float(limits.tiny))
    if "epsilon" in faults:
        return -np.log(float(limits.eps))
    if "overflow" in faults:
        return np.log(float(limits.max))
    gap = np.log(2.0) - np.log(float(limits.smallest_subnormal))
    return gap / np.log(2.0) if "base2" in faults else gap


LIMITS = (
    Fault(
        "no_half",
        "The gap is the one at which the weight is the smallest number that the format has; what is less than half of "
        "that number becomes 0.",
        "If 1 were the smallest number, 0.6 would be rounded up to 1, and 0.4 down to 0.",
    ),
    Fault(
        "normal",
        "The gap stops at the smallest normal number; below it the format still has subnormal ones.",
        "In a format whose smallest normal number is 1/4 there may still be 1/8 and 1/16 before 0.",
    ),
    Fault(
        "epsilon",
        "The gap stops where a number no longer changes 1; small numbers by themselves go much further down.",
        "1 + 1e-17 is 1 in double precision, but 1e-17 is not 0.",
    ),
    Fault(
        "overflow",
        "The gap is the one at which the exponential overflows, at the other end of the range.",
        "With the scores 0 and -gap nothing can overflow; the question is when e**-gap becomes 0.",
    ),
    Fault(
        "dtype_ignored",
        "The gap is that of double precision, whatever the dtype is.",
        "np.exp of the default float64 array [0, -20] holds no 0; of the float16 one it does.",
    ),
    Fault(
        "whole_steps",
        "The gap is searched in whole steps, which is not exact enough.",
        "If the gap were 2.5, a search in steps of 1 would find 3.",
    ),
    Fault(
        "base2",
        "The gap is counted in powers of 2, but softmax takes powers of e.",
        "To go from 1 to 1/2 a gap of 0.69 is enough; here it is 1.",
    ),
    Fault(
        "negative",
        "The gap has the wrong sign.",
        "The scores 0 and -3 are 3 apart, not -3.",
    ),
    Fault(
        "class_only",
        "Only a class such as np.float32 is taken; an np.dtype or a name ends in an error.",
        'zero_gap("float32") stops; np.dtype(dtype) makes the same of all three forms.',
    ),
    Fault(
        "names_only",
        "Only a name is taken; a class or an np.dtype ends in an error.",
        "zero_gap(np.float32) stops; np.dtype(dtype).name makes a name of all three forms.",
    ),
)  # all ours


# ------------------------------------------------------------------------------------------------------- aim


def query_copy(faults, K, i):
    (keys,) = floats(faults, K)
    return _strength(faults) * _direction(faults, keys, i)


def query_average(faults, K, i, j):
    faults = {fault.removeprefix("average_") for fault in faults}
    if "first_only" in faults:
        return query_copy(faults, K, i)
    return query_copy(faults, K, i) + query_copy(faults, K, j)


def _strength(faults):
    return 1.0 if "too_weak" in faults else 20.0


def _direction(faults, keys, i):
    sign = -1.0 if "away" in faults else 1.0
    if "column" in faults:
        return sign * keys[:, i]
    return sign * (np.eye(keys.shape[1])[i] if "place" in faults else keys[i])


def seen_as(weakest):
    """Return the view of a query: where it points, and whether it is shorter than the weakest that does the task."""

    def view(query):
        query = np.asarray(query, dtype=float)
        length = np.linalg.norm(query)
        return query / (length or 1.0), bool(length < weakest)

    return view


# Among 16 tokens the others may keep 1/200 of the weight, so that e**c has to be 199 times their number (and share).
WEAKEST_COPY = np.log(15 * 199)
WEAKEST_AVERAGE = np.sqrt(2) * np.log(14 * 199 / 2)

COPY = (
    Fault(
        "too_weak",
        "The query is too short, so that the other tokens keep too much of the weight; make it several times longer.",
        "With two orthonormal keys the query [1, 0] gives 0.73, 0.27; a copy needs more than 0.99.",
    ),
    Fault(
        "column",
        "The query is made of a column of K; the key of token i is its row i.",
        "With K = [[0, 1], [-1, 0]] the key of token 0 is [0, 1]; its column 0 is [0, -1].",
    ),
    Fault(
        "place",
        "The query has its number in place i, whatever the keys are; it has to point along the key.",
        "With K = [[0, 1], [1, 0]] the query for token 0 should point along [0, 1]; here it points along [1, 0].",
    ),
    Fault(
        "away",
        "The query points away from the key, so that its token gets least.",
        "With keys [1, 0], [0, 1] the query for token 0 should point along [1, 0]; here it points along [-1, 0].",
    ),
    ARRAYS_ONLY,
)  # all ours
AVERAGE = (
    Fault(
        "average_too_weak",
        "The query for two tokens is too short, so that the others keep too much of the weight.",
        "With keys [1, 0, 0], [0, 1, 0], [0, 0, 1] the query [1, 1, 0] leaves 0.16 to the third.",
    ),
    Fault(
        "average_first_only",
        "The query for two tokens points at the first of them only.",
        "With keys [1, 0], [0, 1] the query should point along [1, 1]; here it points along [1, 0].",
    ),
    Fault(
        "average_column",
        "The query for two tokens is made of columns of K; the keys of the tokens are its rows.",
        "With K = [[0, 1], [-1, 0]] the two keys add up to [-1, 1]; the two columns to [1, -1].",
    ),
    Fault(
        "average_place",
        "The query for two tokens has its numbers in the places i and j, whatever the keys are.",
        "With keys [0, 0, 1], [1, 0, 0] the query should point along [1, 0, 1]; here it points along [1, 1, 0].",
    ),
    Fault(
        "average_away",
        "The query for two tokens points away from their keys, so that they get least.",
        "With keys [1, 0], [0, 1] the query should point along [1, 1]; here it points along [-1, -1].",
    ),
    Fault(
        "average_arrays_only",
        "Nested lists are not turned into arrays in `query_average`, so that a list of keys ends in an error.",
        "With the list [[0, 1], [1, 0]] in place of an array the call stops; np.asarray would accept both.",
    ),
)  # all ours

MODELS = (
    Model("scaled", "scaled_dot_product_attention", scaled, SCALED),
    Model("ntm", "content_address", content_address, NTM),
    Model("bahdanau", "additive_scores", additive_scores, BAHDANAU),
    Model("luong", "luong_attend", luong_attend, LUONG),
    Model("limits", "zero_gap", zero_gap, LIMITS),
    Model("aim", "query_copy", query_copy, COPY, view=seen_as(WEAKEST_COPY)),
    Model("aim", "query_average", query_average, AVERAGE, view=seen_as(WEAKEST_AVERAGE)),
)
