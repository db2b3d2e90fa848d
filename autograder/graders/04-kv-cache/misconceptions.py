"""Known wrong behaviours of `04-kv-cache`, each a runnable switch of one parametric implementation per task.

Every function here is the right answer with faults switched on. Of faults that exclude each other, the first that the
code asks for counts. Sources are in the course's list of misconceptions; entries marked "ours" were added here.
"""

import numpy as np

from autograder.grading import Fault, Model


def floats(value):
    return np.asarray(value, dtype=float)


def softmax(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


class NotAnArray(AttributeError, TypeError):
    """What `list.shape` or `list @ list` ends in."""


def as_given(faults, *inputs):
    """Turn inputs into arrays of floats; or take arrays as they are, and no lists, when that was forgotten."""
    if "arrays_only" not in faults:
        return tuple(floats(part) for part in inputs)
    if any(isinstance(part, list | tuple) for part in inputs):
        raise NotAnArray
    return inputs


ARRAYS_ONLY = Fault(
    "arrays_only",
    "Nested lists are not turned into arrays, so that a list as input ends in an error.",
    "With the list [[0, 1], [1, 0]] in place of an array the call stops; np.asarray would accept both.",
)  # ours


# ------------------------------------------------------------------------------------------------ split_heads


def split_heads(faults, X, n_heads):
    (X,) = as_given(faults, X) if "whole_numbers" not in faults else (np.asarray(X),)
    T, width = X.shape
    if width % n_heads:
        if "no_check" in faults:
            X, width = X[:, : width // n_heads * n_heads], width // n_heads * n_heads
        else:
            raise ValueError
    d = width // n_heads
    if "tokens_first" in faults:
        return X.reshape(T, n_heads, d)
    if "reshape_only" in faults:
        return X.reshape(n_heads, T, d)
    if "interleaved" in faults:
        return X.reshape(T, d, n_heads).transpose(2, 0, 1)
    if "split_tokens" in faults:
        return X.reshape(n_heads, T // n_heads, width)
    if "full_copies" in faults:
        return np.tile(X, (n_heads, 1, 1))
    heads = X.reshape(T, n_heads, d).transpose(1, 0, 2)
    if "transposed" in faults:
        return heads.transpose(0, 2, 1)
    return heads[::-1] if "reversed" in faults else heads


SPLIT_HEADS = (
    ARRAYS_ONLY,
    Fault(
        "reshape_only",
        "A reshape to (h, T, d) alone cuts across the tokens: split the columns first, then swap the axes.",
        "For [[1, 2], [3, 4]] and two heads, head 0 should hold 1 and 3; here it holds 1 and 2.",
    ),
    Fault(
        "interleaved",
        "The columns are dealt out in turn, as cards are; each head owns a block of neighbouring columns.",
        "Of the columns 0, 1, 2, 3 head 0 of two should get 0 and 1; here it gets 0 and 2.",
    ),
    Fault(
        "split_tokens",
        "The tokens are split among the heads; every head should see every token, and a part of the columns.",
        "For [[1, 2], [3, 4]] and two heads, head 0 should hold 1 and 3; here it holds the whole first token.",
    ),
    Fault(
        "full_copies",
        "Every head gets a copy of all columns; each should own a part of them.",
        "For [[1, 2], [3, 4]] and two heads, head 0 should hold 1 and 3; here it holds everything.",
    ),
    Fault(
        "tokens_first",
        "The columns are split, but the tokens still come first: the axes of tokens and heads have to be swapped.",
        "For one token of width 2 and two heads the shape should be (2, 1, 1); here it is (1, 2, 1).",
    ),  # ours
    Fault(
        "transposed",
        "Each head comes out transposed: (h, d, T) where (h, T, d) is asked for.",
        "For one token of width 2 and one head the shape should be (1, 1, 2); here it is (1, 2, 1).",
    ),  # ours
    Fault(
        "reversed",
        "The heads come in reverse order.",
        "For [[1, 2], [3, 4]] and two heads, head 0 should hold 1 and 3; here it holds 2 and 4.",
    ),  # ours
    Fault(
        "no_check",
        "A number of heads that does not divide the width is accepted, and the columns left over are dropped.",
        "Two heads cannot share three columns: that should be a ValueError.",
    ),  # ours
    Fault(
        "whole_numbers",
        "Whole numbers stay whole numbers; the course works in floats.",
        "[[1, 2]] split in two gives [[1]] and [[2]] where [[1.0]] and [[2.0]] are meant: the same values.",
        note_only=True,
    ),  # ours
)


# -------------------------------------------------------------------------------- attention with shared kv heads


def grouped_query_attention(faults, Q, K, V, causal=False):
    Q, K, V = as_given(faults, Q, K, V)
    given = Q
    h, g = len(Q), len(K)
    if "reversed" in faults:
        K, V = K[::-1], V[::-1]
    if h % g:
        if "floor_div" not in faults or h < g:
            raise ValueError
        Q, h = Q[: h // g * g], h // g * g
    if "mean_q" in faults:
        Q = np.repeat(Q.reshape(g, h // g, *Q.shape[1:]).mean(axis=1), h // g, axis=0)
    if "drop_q" in faults:
        Q = Q[:g]
    K, V = (_expanded(faults, part, len(Q)) for part in (K, V))
    scores = _scores(faults, Q, K, V)
    weights = _masked_softmax(faults, scores, causal)
    if "q_in_place" in faults:
        given /= np.sqrt(given.shape[2])
    out = weights @ (K if "blend_keys" in faults else V)
    if "weights_too" in faults:
        return out, weights
    return out.transpose(1, 0, 2) if "tokens_first" in faults else out


def _expanded(faults, part, heads):
    g, tokens, width = part.shape
    size = heads // g
    if "tile" in faults:
        return np.tile(part, (size, 1, 1))
    if "group_size_g" in faults:
        return np.repeat(part, g, axis=0)
    if "first_head" in faults:
        return np.repeat(part[:1], heads, axis=0)
    if "repeat_time" in faults:
        return np.repeat(part, size, axis=1)
    if "reshape_heads" in faults:
        return np.repeat(part, size, axis=1).reshape(heads, tokens, width)
    return np.repeat(part, size, axis=0)


def _scores(faults, Q, K, V):
    scores = Q @ K.transpose(0, 2, 1)
    if "no_scale" in faults:
        return scores
    if "scale_mul" in faults:
        return scores * np.sqrt(Q.shape[2])
    if "scale_d" in faults:
        return scores / Q.shape[2]
    if "scale_dv" in faults:
        return scores / np.sqrt(V.shape[2])
    if "scale_width" in faults:
        return scores / np.sqrt(len(Q) * Q.shape[2])
    return scores / np.sqrt(Q.shape[2])


def _masked_softmax(faults, scores, causal):
    queries, keys = scores.shape[1:]
    if "causal_ignored" in faults or (not causal and "always_causal" not in faults):
        return _softmax(faults, scores)
    past = keys - queries
    if "causal_upper_left" in faults:
        past = 0
    past += ("causal_leak1" in faults) - ("causal_strict" in faults)
    allowed = np.arange(keys) <= np.arange(queries)[:, None] + past
    if "causal_flipped" in faults:
        allowed = np.arange(keys) >= np.arange(queries)[:, None] + past
    if "mask_zero_score" in faults:
        return _softmax(faults, np.where(allowed, scores, 0.0))
    if "mask_after" in faults:
        return _softmax(faults, scores) * allowed
    if "mask_nan" in faults:
        return _softmax(faults, np.where(allowed, scores, -np.inf))
    weights = _softmax(faults, np.where(allowed, scores, -1e300))
    if "mask_minus1e9" in faults:
        return weights
    return np.where(allowed.any(axis=1, keepdims=True), weights * allowed, 0.0)


def _softmax(faults, scores):
    if "query_axis" in faults:
        return softmax(scores, axis=1)
    if "softmax_heads" in faults:
        return softmax(scores, axis=0)
    if "no_max" in faults:
        powers = np.exp(scores)
        return powers / powers.sum(axis=-1, keepdims=True)
    return softmax(scores)


SHARING = (
    Fault(
        "tile",
        "The kv heads are dealt out in turn (np.tile): query head i reads kv head i % g. It should be i // (h // g).",
        "With 4 query heads on 2 kv heads, heads 0, 1, 2, 3 should read 0, 0, 1, 1; here they read 0, 1, 0, 1.",
    ),
    Fault(
        "group_size_g",
        "g is taken for the number of query heads in a group; here it is the number of kv heads.",
        "With 6 query heads on 2 kv heads, each kv head should serve 3 query heads; here it serves 2.",
    ),
    Fault(
        "first_head",
        "Every query head reads kv head 0: that is multi-query attention, whatever g is.",
        "With 4 query heads on 2 kv heads, heads 2 and 3 should read kv head 1; here they read 0.",
    ),
    Fault(
        "drop_q",
        "Only the first g query heads are answered.",
        "With 4 query heads on 2 kv heads there should be 4 outputs; here there are 2.",
    ),
    Fault(
        "mean_q",
        "The query heads of a group are averaged; only keys and values are shared, each head asks its own question.",
        "Two query heads on one kv head get the same output, whatever they ask.",
    ),
    Fault(
        "repeat_time",
        "The tokens are repeated instead of the heads.",
        "With 4 query heads on 2 kv heads of 2 tokens, each kv head becomes 4 tokens long and is still one of 2.",
    ),
    Fault(
        "reversed",
        "The kv heads are taken in reverse order.",
        "With 4 query heads on 2 kv heads, head 0 should read kv head 0; here it reads 1.",
    ),
    Fault(
        "reshape_heads",
        "The kv heads are expanded with a reshape that mixes tokens into heads.",
        "With 2 query heads on one kv head of the tokens 1, 2, head 0 should read 1, 2; here it reads 1, 1.",
    ),
)
SCALES = (
    Fault(
        "no_scale",
        "The scores are not divided by the square root of d.",
        "With d = 4, a dot product of 2 should count as a score of 1; here it counts as 2.",
    ),  # ours
    Fault(
        "scale_d",
        "The scores are divided by d; it should be its square root.",
        "With d = 4, a dot product of 4 should count as a score of 2; here it counts as 1.",
    ),  # ours
)
MASKS = (
    Fault(
        "causal_upper_left",
        "The causal mask starts at the first key, as np.tril does; the queries are those of the last tokens.",
        "One query on 2 keys should see both; here it sees the first only.",
    ),
    Fault(
        "causal_strict",
        "Off by one: a query does not see its own token.",
        "Of two tokens, query 1 should see keys 0 and 1; here it sees key 0 only.",
    ),
    Fault(
        "causal_leak1",
        "Off by one: a query sees one token of the future.",
        "Of two tokens, query 0 should see key 0 only; here it sees both.",
    ),
)
GQA = (
    ARRAYS_ONLY,
    *SHARING,
    Fault(
        "floor_div",
        "h // g is used although g does not divide h, which drops query heads without a word.",
        "3 query heads on 2 kv heads should be a ValueError; here 2 outputs come back.",
    ),
    *SCALES,
    Fault(
        "scale_mul",
        "The scores are multiplied by the square root of d instead of divided.",
        "With d = 4, a dot product of 2 should count as a score of 1; here it counts as 4.",
    ),
    Fault(
        "scale_dv",
        "The scores are divided by the square root of the width of the values; it should be that of the queries.",
        "With d = 4 and values one number wide, a dot product of 2 should count as 1; here it counts as 2.",
    ),  # ours
    Fault(
        "scale_width",
        "The scores are divided by the square root of all heads' width together; it should be that of one head.",
        "With 4 heads of d = 4, a dot product of 4 should count as a score of 2; here it counts as 1.",
    ),  # ours
    *MASKS,
    Fault(
        "causal_ignored",
        "The argument `causal` is not used: every query sees every key.",
        "Of two tokens, query 0 should see key 0 only; here it sees both.",
    ),
    Fault(
        "always_causal",
        "The future is hidden even when `causal` is False.",
        "Without causal, query 0 of two tokens should see both; here it sees key 0 only.",
    ),  # ours
    Fault(
        "causal_flipped",
        "The mask is the wrong way round: it hides the past and shows the future.",
        "Of two tokens, query 1 should see keys 0 and 1; here it sees key 1 only.",
    ),  # ours
    Fault(
        "mask_zero_score",
        "A hidden key gets the score 0, which still earns a share, because e to the power of 0 is 1.",
        "With scores 0 and 0, a hidden second key should leave 1 for the first; here both get 1/2.",
    ),
    Fault(
        "mask_after",
        "Hidden weights are set to 0 after the softmax, so that the others no longer add up to 1.",
        "With scores 0 and 0, a hidden second key should leave 1 for the first; here it leaves 1/2.",
    ),  # ours
    Fault(
        "mask_nan",
        "A query that may see no key gets nan: a softmax over nothing but -inf divides 0 by 0.",
        "Of two queries on one key, the first sees nothing and should get 0; here it gets nan.",
    ),
    Fault(
        "mask_minus1e9",
        "A query that may see no key gets the average of all values: equal scores make equal shares, however low.",
        "Of two queries on one key of value 5, the first sees nothing and should get 0; here it gets 5.",
    ),
    Fault(
        "query_axis",
        "The softmax runs along the queries instead of the keys.",
        "Two queries on one key should each give it the weight 1; here they give it 1/2 each.",
    ),
    Fault(
        "softmax_heads",
        "The softmax runs along the heads instead of the keys.",
        "Two heads on one key should each give it the weight 1; here they share it.",
    ),  # ours
    Fault(
        "no_max",
        "The softmax does not subtract the largest score, so that large scores overflow.",
        "With scores 1000 and 1000 the weights should be 1/2, 1/2 and become nan.",
    ),
    Fault(
        "blend_keys",
        "The keys are blended instead of the values.",
        "With a single token of value 7 the output should be 7; here it is that token's key.",
    ),  # ours
    Fault(
        "q_in_place",
        "The division by the square root of d is done inside the caller's own queries.",
        "With d = 4, the caller's query [2, 2, 2, 2] reads [1, 1, 1, 1] afterwards.",
    ),
    Fault(
        "weights_too",
        "The weights are returned beside the output; here the output alone is asked for.",
        "The result should be one array; here it is a pair of two.",
    ),  # ours
    Fault(
        "tokens_first",
        "The result has the tokens first; heads come first in this course.",
        "For 2 heads and one query the shape should be (2, 1, d_v); here it is (1, 2, d_v).",
    ),  # ours
)


# ------------------------------------------------------------------------------------------------------- cache


class Cache:
    """A cache that is right, with the faults switched on."""

    def __init__(self, faults, n_kv_heads, d_k, d_v):
        self.faults, self.shape = faults, (n_kv_heads, d_k, d_v)
        kind = np.float32 if "float32" in faults else float
        self.keys, self.values = np.zeros((n_kv_heads, 0, d_k), kind), np.zeros((n_kv_heads, 0, d_v), kind)
        self.chunks = 0
        self.tokens = []  # each token's key and value, for the faults that share them with a caller or a fork

    def append(self, keys, values):
        faults = self.faults
        keys, values = as_given(faults, keys, values)
        given = tuple(np.asarray(part, dtype=self.keys.dtype) for part in (keys, values))
        keys, values = (part.copy() for part in given)
        if "broadcasts" in faults:
            keys, values = (np.broadcast_to(part, self._room(keys, role)) for role, part in enumerate((keys, values)))
        elif not faults & {"no_checks", "half_checked"}:
            self._check(keys, values)
        start = self.keys.shape[1]
        if "keeps_references" in faults or ("keeps_reference" in faults and start == 0):
            keys, values = given
        self._store(keys, values)
        if faults & SHARED:
            self.tokens[start:] = [(keys[:, i], values[:, i]) for i in range(keys.shape[1])]
        self.chunks += 1

    def _room(self, keys, role):
        return self.shape[0], keys.shape[1], self.shape[1 + role]

    def _check(self, keys, values):
        if keys.ndim != 3 or keys.shape != self._room(keys, 0) or values.shape != self._room(keys, 1):
            raise ValueError

    def _store(self, keys, values):
        faults = self.faults
        if "swapped" in faults:
            keys, values = values, keys
        if "v_is_k" in faults:
            values = keys
        if "last_of_chunk" in faults:
            keys, values = keys[:, -1:], values[:, -1:]
        first = self.keys.shape[1] == 0
        if "overwrite" in faults or (first and faults & {"keeps_reference", "no_checks", "swapped", "v_is_k"}):
            self.keys, self.values = keys, values
            return
        self.keys = self._joined(self.keys, keys)
        self.values = values if "k_only" in faults else self._joined(self.values, values)

    def _joined(self, old, new):
        if "head_axis" in self.faults and old.size:
            return np.concatenate([old, new], axis=0)
        return np.concatenate([old, old, new] if "doubles" in self.faults else [old, new], axis=1)

    def attend(self, queries):
        faults = self.faults
        (queries,) = as_given(faults, queries)
        tokens = self.keys.shape[1]
        if tokens == 0 and "empty_zeros" in faults:
            return np.zeros((*queries.shape[:2], self.shape[2]))
        if tokens == 0 and "empty_error" in faults:
            raise AttributeError
        if tokens == 0 or queries.ndim != 3 or queries.shape[2] != self.shape[1] or len(queries) % self.shape[0]:
            raise ValueError
        if queries.shape[1] > tokens and "more_queries" not in faults:
            raise ValueError
        if faults & SHARED:
            self.keys, self.values = (np.stack(part, axis=1) for part in zip(*self.tokens[:tokens], strict=True))
        return self._answer(queries, self.keys, self.values)

    def _answer(self, queries, keys, values):
        faults, n = self.faults, queries.shape[1]
        if "past_only" in faults:
            keys, values = (part[:, : part.shape[1] - n] for part in (keys, values))
            return grouped_query_attention(faults, queries, keys, values)
        if "last_query" in faults and n:
            return np.repeat(grouped_query_attention(faults, queries[:, -1:], keys, values), n, axis=1)
        shown = {"offset_plus1": "causal_leak1", "no_mask": "causal_ignored"}
        return grouped_query_attention(faults | {shown[i] for i in shown.keys() & faults}, queries, keys, values, True)

    def __len__(self):
        if "len_heads" in self.faults:
            return len(self.keys)
        if "len_chunks" in self.faults:
            return self.chunks
        return self.keys.shape[1]

    @property
    def nbytes(self):
        size = self.keys.nbytes + self.values.nbytes
        if "nbytes_keys" in self.faults:
            return self.keys.nbytes
        if "nbytes_numbers" in self.faults:
            return self.keys.size + self.values.size
        return 3 * size if "expanded" in self.faults else size  # as the graded caches have three query heads a group

    def fork(self):
        if "fork_same" in self.faults:
            return self
        other = Cache(self.faults, *self.shape)
        if "fork_empty" not in self.faults:
            other.keys, other.values, other.chunks = self.keys, self.values, self.chunks
            other.tokens = self.tokens if "fork_buffer" in self.faults else list(self.tokens)
        return other


SHARED = {"keeps_references", "fork_buffer"}
CACHE = (
    ARRAYS_ONLY,
    Fault(
        "overwrite",
        "`append` replaces what was in the cache instead of adding to it.",
        "After two appends of one token each the cache should hold 2 tokens; here it holds 1.",
    ),
    Fault(
        "head_axis",
        "New tokens are joined on along the axis of heads instead of tokens.",
        "With one kv head, two tokens make a cache of 2 heads with 1 token instead of 1 head with 2.",
    ),
    Fault(
        "expanded",
        "The kv heads are stored once per query head: the answers are right, but no memory is saved.",
        "With 4 query heads on 2 kv heads, 2 keys per token should be kept; here 4 are, or more.",
    ),
    Fault(
        "keeps_reference",
        "The first append stores the caller's own arrays: when the caller reuses them, the cache changes.",
        "The caller appends the key 1 and overwrites it with 0; the cache should still hold 1, and holds 0.",
    ),
    Fault(
        "keeps_references",
        "Every append stores the caller's own arrays: when the caller reuses them, the cache changes.",
        "The caller appends the key 1 and overwrites it with 0; the cache should still hold 1, and holds 0.",
    ),  # ours
    Fault(
        "k_only",
        "The keys are appended while the values are replaced.",
        "After two appends of one token there should be 2 keys and 2 values; here there is 1 value.",
    ),
    Fault(
        "v_is_k",
        "The keys are stored as values too.",
        "A token of key 1 and value 7 should hand over 7; here it hands over 1.",
    ),
    Fault(
        "swapped",
        "Keys and values are stored in each other's place.",
        "A token of key 1 and value 7 should hand over 7; here it hands over 1.",
    ),
    Fault(
        "last_of_chunk",
        "Only the last token of a chunk is kept.",
        "After one append of 2 tokens the cache should hold 2; here it holds 1.",
    ),
    Fault(
        "doubles",
        "Each append adds the old tokens once more.",
        "After three appends of one token the cache should hold 3; here it holds 7.",
    ),
    Fault(
        "float32",
        "The cache is stored in float32.",
        "The key 0.1 is kept as 0.100000001.",
        note_only=True,
    ),
    Fault(
        "no_mask",
        "Nothing is masked: the tokens of one chunk see each other's future.",
        "In a chunk of two tokens, query 0 should see token 0 only; here it sees both.",
    ),
    Fault(
        "offset_plus1",
        "The mask is off by one: inside a chunk each query sees one token of the future.",
        "In a chunk of two tokens, query 0 should see token 0 only; here it sees both.",
    ),
    Fault(
        "past_only",
        "The queries see what came before their chunk and nothing of the chunk, not even their own token.",
        "With one token in the cache and one just appended, its query should see both; here it sees the first.",
    ),
    Fault(
        "last_query",
        "Only the last query of a chunk is answered, and its answer is repeated.",
        "In a chunk of two tokens, query 0 should see token 0 only; here it gets the answer of query 1.",
    ),
    Fault(
        "causal_strict",
        "Off by one: a query does not see its own token.",
        "In a chunk of two tokens, query 1 should see tokens 0 and 1; here it sees token 0 only.",
    ),  # ours
    MASKS[0],
    *(fault for fault in SHARING if fault.id in ("tile", "first_head", "reversed")),
    *SCALES,
    Fault(
        "more_queries",
        "More queries than there are tokens are accepted.",
        "Two queries of a cache that holds one token should be a ValueError.",
    ),  # ours
    Fault(
        "empty_zeros",
        "An empty cache answers with zeros; it should refuse with a ValueError.",
        "One query of a cache without tokens should be a ValueError; here it gets 0.",
    ),  # ours
    Fault(
        "empty_error",
        "An empty cache stops with an AttributeError, as if there were no arrays yet; it should raise a ValueError.",
        "One query of a cache without tokens should be a ValueError.",
    ),  # ours
    Fault(
        "no_checks",
        "Shapes are not checked: the first append takes anything.",
        "Keys of 3 heads in a cache for 2 should be a ValueError.",
    ),  # ours
    Fault(
        "half_checked",
        "Only joining looks at the shapes: keys are stored before values are refused, and their numbers may differ.",
        "Keys that fit and values that do not leave one key more than values.",
    ),  # ours
    Fault(
        "broadcasts",
        "Shapes that can be stretched to fit are accepted, as an assignment into a part of an array does.",
        "Keys of 1 head in a cache for 2 should be a ValueError; here both heads get them.",
    ),  # ours
    Fault(
        "fork_same",
        "`fork` gives the same cache back: what one appends, the other holds too.",
        "After one more token in the fork, the first cache should hold 1 token; here it holds 2.",
    ),  # ours
    Fault(
        "fork_buffer",
        "A fork writes into the same buffer: what it appends replaces what the first cache appends there.",
        "Fork after token 1, then append 2 to one and 3 to the other: one should hold 1, 2; here both hold 1, 3.",
    ),  # ours
    Fault(
        "fork_empty",
        "`fork` gives an empty cache; it should hold the same tokens.",
        "The fork of a cache with 2 tokens should hold 2; here it holds none.",
    ),  # ours
    Fault(
        "len_heads",
        "`len` counts the kv heads: the first axis is heads, the second is tokens.",
        "With 2 kv heads and one token the length should be 1; here it is 2.",
    ),  # ours
    Fault(
        "len_chunks",
        "`len` counts the calls of `append` instead of the tokens.",
        "After one append of 2 tokens the length should be 2; here it is 1.",
    ),  # ours
    Fault(
        "nbytes_keys",
        "`nbytes` counts the keys and leaves out the values.",
        "A key and a value of one float64 each take 16 bytes; here 8 are counted.",
    ),  # ours
    Fault(
        "nbytes_numbers",
        "`nbytes` counts numbers instead of bytes: a float64 takes 8.",
        "A key and a value of one float64 each take 16 bytes; here 2 are counted.",
    ),  # ours
)


# ------------------------------------------------------------------------------------------------------- sizes


def cache_bytes(faults, kind, n_layers, T, n_heads, n_kv_heads, d_head, bytes_per, d_latent=0, d_rope=0):
    if "no_layers" in faults:
        n_layers = 1
    if "T2" in faults:
        T = T * T
    if "no_bytes" in faults:
        bytes_per = 1
    if "bits" in faults:
        bytes_per = bytes_per / 8
    if "d_model" in faults:
        d_head = n_heads * d_head
    if kind == "mla":
        numbers = _latent_numbers(faults, n_heads, d_head, d_latent, d_rope)
    else:
        kv_heads = _kv_heads(faults, kind, n_heads, n_kv_heads)
        numbers = (3 if "three" in faults else 1 if "keys_only" in faults else 2) * kv_heads * d_head
    total = n_layers * T * numbers * bytes_per
    return float(total) if "float_div" in faults else int(total) if "bits" not in faults else total


def _kv_heads(faults, kind, n_heads, n_kv_heads):
    if "uses_h" in faults:
        return n_heads
    if "mha_is_g" in faults and kind == "mha":
        return n_kv_heads
    if "mqa_is_g" in faults and kind == "mqa":
        return n_kv_heads
    size = n_heads // n_kv_heads if "g_is_size" in faults else n_kv_heads
    return {"mha": n_heads, "gqa": size, "mqa": 1}[kind]


def _latent_numbers(faults, n_heads, d_head, d_latent, d_rope):
    if "mla_expanded" in faults:
        return 2 * n_heads * d_head
    if "mla_no_rope" in faults:
        d_rope = 0
    if "mla_rope_per_head" in faults:
        d_rope = n_heads * d_rope
    if "mla_both_two" in faults:
        return 2 * (d_latent + d_rope)
    numbers = (2 if "mla_two" in faults else 1) * d_latent + d_rope
    return n_heads * numbers if "mla_per_head" in faults else numbers


SIZES = (
    Fault(
        "uses_h",
        "All query heads are counted, whatever the kind: nothing is saved.",
        "With 4 heads on 2 kv heads, gqa keeps 2 keys per token; here 4 are counted.",
    ),
    Fault(
        "three",
        "Queries are counted too. They are used once and not kept.",
        "One head of width 1 keeps a key and a value, 2 numbers; here 3 are counted.",
    ),
    Fault(
        "keys_only",
        "Only one of keys and values is counted.",
        "One head of width 1 keeps a key and a value, 2 numbers; here 1 is counted.",
    ),  # ours
    Fault(
        "g_is_size",
        "g is taken for the number of query heads in a group, so h // g kv heads are counted; there are g.",
        "With 8 heads on 2 kv heads, 2 keys per token are kept; here 4 are counted.",
    ),
    Fault(
        "no_layers",
        "One layer is counted; each layer has a cache of its own.",
        "Two layers take twice what one takes; here they take the same.",
    ),
    Fault(
        "T2",
        "The tokens are counted squared. That is the size of the scores; the cache grows by one row per token.",
        "Twice the tokens take twice the bytes; here they take four times as many.",
    ),
    Fault(
        "d_model",
        "The width of all heads together is counted for each kv head.",
        "With 2 heads of width 1, one key of one kv head is 1 number; here 2 are counted.",
    ),
    Fault(
        "mqa_is_g",
        "mqa is counted with n_kv_heads, as gqa is; in mqa all heads share one key and one value.",
        "With 4 heads and n_kv_heads = 2, mqa keeps 1 key per token; here 2 are counted.",
    ),
    Fault(
        "mha_is_g",
        "mha is counted with n_kv_heads, as gqa is; in mha each head has a key and a value of its own.",
        "With 4 heads and n_kv_heads = 2, mha keeps 4 keys per token; here 2 are counted.",
    ),  # ours
    Fault(
        "mla_two",
        "The latent is counted twice, for keys and for values; both are made from the same one.",
        "A latent of 2 numbers and no rotary key is 2 numbers per token; here 4 are counted.",
    ),
    Fault(
        "mla_both_two",
        "Latent and rotary key are counted twice, as keys and values are; each is kept once.",
        "A latent of 2 numbers and a rotary key of 1 are 3 numbers per token; here 6 are counted.",
    ),  # ours
    Fault(
        "mla_per_head",
        "The latent is counted for each head; all heads share it.",
        "With 2 heads, a latent of 2 numbers is 2 numbers per token; here 4 are counted.",
    ),
    Fault(
        "mla_rope_per_head",
        "The rotary key is counted for each head; all heads share it.",
        "With 2 heads, a rotary key of 1 number is 1 number per token; here 2 are counted.",
    ),  # ours
    Fault(
        "mla_no_rope",
        "The rotary key is forgotten: it is kept beside the latent.",
        "A latent of 2 numbers and a rotary key of 1 are 3 numbers per token; here 2 are counted.",
    ),
    Fault(
        "mla_expanded",
        "mla is counted with the keys and values of all heads; only the latent and the rotary key are kept.",
        "With 2 heads of width 1, a latent of 2 numbers is 2 per token; here 4 are counted.",
    ),
    Fault(
        "no_bytes",
        "Numbers are counted instead of bytes.",
        "One number of 2 bytes takes 2; here 1 is counted.",
    ),  # ours
    Fault(
        "bits",
        "`bytes_per` is divided by 8, as if it were bits; it is bytes already.",
        "One number of 2 bytes takes 2; here 0.25 is counted.",
    ),  # ours
    Fault(
        "float_div",
        "The result is a float, which loses the last digits of large sizes.",
        "4 bytes come back as 4.0.",
    ),  # ours
)


# --------------------------------------------------------------------------------------------------------- mla


def latent_attention(faults, Q, X, W_dkv, W_uk, W_uv):
    Q, X, W_dkv, W_uk, W_uv = as_given(faults, Q, X, W_dkv, W_uk, W_uv)
    latent = X @ W_dkv
    if "v_uses_uk" in faults:
        W_uv = W_uk
    K, V = latent @ W_uk, latent @ W_uv
    heads_K, heads_V = (_in_heads(faults, part, len(Q)) for part in (K, V))
    if "reshape_weights" in faults:
        heads_K, heads_V = (latent @ split_heads({"reshape_only"}, W, len(Q)) for W in (W_uk, W_uv))
    out = _latent_weights(faults, Q @ heads_K.transpose(0, 2, 1), Q, latent, X.shape[1]) @ heads_V
    if "joined" in faults:
        out = np.hstack(list(out))
    if "out_only" in faults:
        return out
    cached = latent
    if "cache_x" in faults:
        cached = X
    if "two_latents" in faults:
        cached = np.stack([latent, latent])
    if "two_latents_wide" in faults:
        cached = np.hstack([latent, latent])
    if "caches_kv" in faults:
        cached = np.hstack([K, V])
    return (cached, out) if "order" in faults else (out, cached)


def _in_heads(faults, rows, heads):
    return split_heads(frozenset({"reshape_only", "interleaved"} & faults), rows, heads)


def _latent_weights(faults, scores, Q, latent, token_width=0):
    """Return the weights of each head, with the faults that concern them."""
    heads, _, width = Q.shape
    divisor = width
    if "scale_latent" in faults:
        divisor = latent.shape[1]
    if "scale_dmodel" in faults:
        divisor = heads * width
    if "scale_tokens" in faults:
        divisor = token_width
    if "no_scale" in faults:
        divisor = 1
    scores = scores / np.sqrt(divisor)
    return _masked_softmax(faults & {"query_axis", "no_max"}, scores, "causal" in faults)


LATENT = (
    ARRAYS_ONLY,
    Fault(
        "scale_latent",
        "The scores are divided by the square root of r, the width of the latent; it should be d, that of a query.",
        "With d = 4 and r = 1, a dot product of 2 should count as a score of 1; here it counts as 2.",
    ),
    Fault(
        "scale_dmodel",
        "The scores are divided by the square root of h*d, all heads together; it should be d.",
        "With 4 heads of d = 4, a dot product of 4 should count as a score of 2; here it counts as 1.",
    ),
    Fault(
        "no_scale",
        "The scores are not divided by the square root of d.",
        "With d = 4, a dot product of 2 should count as a score of 1; here it counts as 2.",
    ),  # ours
    Fault(
        "v_uses_uk",
        "The values are made with W_uk; they have a matrix of their own, W_uv.",
        "With r = 1, W_uk = 1 and W_uv = 7, the latent 1 should hand over 7; here it hands over 1.",
    ),
    Fault(
        "reshape_only",
        "The heads are split by a reshape alone, which cuts across the rows; each head owns a block of columns.",
        "For [[1, 2], [3, 4]] and two heads, head 0 should hold 1 and 3; here it holds 1 and 2.",
    ),  # ours
    Fault(
        "interleaved",
        "The columns are dealt out to the heads in turn; each head owns a block of neighbouring columns.",
        "Of the columns 0, 1, 2, 3 head 0 of two should get 0 and 1; here it gets 0 and 2.",
    ),  # ours
    Fault(
        "causal",
        "The future is hidden; nothing is masked here.",
        "Query 0 of two tokens should see both; here it sees token 0 only.",
    ),  # ours
    Fault(
        "query_axis",
        "The softmax runs along the queries instead of the tokens.",
        "Two queries on one token should each give it the weight 1; here they give it 1/2 each.",
    ),  # ours
    Fault(
        "joined",
        "The heads are joined side by side; out should have the heads first.",
        "For 2 heads, one query and values one number wide the shape should be (2, 1, 1); here it is (1, 2).",
    ),  # ours
)
MLA = (
    *LATENT,
    Fault(
        "scale_tokens",
        "The scores are divided by the square root of the tokens' width; it should be d, that of a query.",
        "With d = 4 and tokens one number wide, a dot product of 2 should count as 1; here it counts as 2.",
    ),  # ours
    Fault(
        "cache_x",
        "The tokens X themselves are given back as what is cached; the latents are shorter.",
        "With X = [[1, 2]] and W_dkv = [[1], [1]] the latent is [[3]]; here it is [[1, 2]].",
    ),
    Fault(
        "two_latents",
        "The latents are kept twice, once for the keys and once for the values; both are made from the same.",
        "For one token and r = 2 the shape should be (1, 2); here it is (2, 1, 2).",
    ),
    Fault(
        "two_latents_wide",
        "The latents are kept twice, side by side; keys and values are made from the same.",
        "For one token and r = 2 the shape should be (1, 2); here it is (1, 4).",
    ),  # ours
    Fault(
        "reshape_weights",
        "W_uk and W_uv are split into heads by a reshape alone; each head owns a block of columns.",
        "For [[1, 2], [3, 4]] and two heads, head 0 should own 1 and 3; here it owns 1 and 2.",
    ),  # ours
    Fault(
        "caches_kv",
        "The keys and values are given back as what is cached; they can be made from the latents again.",
        "For one token, 2 heads of width 1 and r = 1, 1 number should be kept; here there are 4.",
    ),  # ours
    Fault(
        "out_only",
        "Only the output is returned: the latents are missing.",
        "The result should be the pair (out, latent); here it is one array.",
    ),  # ours
    Fault(
        "order",
        "The two results come in the wrong order: the latents first.",
        "For one token, one query and one head, the first result should have three axes; here it has two.",
    ),  # ours
)


def absorbed_attention(faults, Q, latent, W_uk, W_uv):
    Q, latent, W_uk, W_uv = as_given(faults, Q, latent, W_uk, W_uv)
    h, _, d = Q.shape
    up_K, up_V = (_in_heads(faults, W, h) for W in (W_uk, W_uk if "v_uses_uk" in faults else W_uv))
    if "reshaped" in faults:
        up_K = W_uk.reshape(h, d, -1).transpose(0, 2, 1)
    weights = _latent_weights(faults, Q @ up_K.transpose(0, 2, 1) @ latent.T, Q, latent)
    if "blend_only" in faults:
        return weights @ latent
    out = weights @ latent @ up_V
    if "joined" in faults:
        out = np.hstack(list(out))
    return (out, latent) if "latent_too" in faults else out


ABSORBED = (
    *LATENT,
    Fault(
        "reshaped",
        "W_uk is reshaped to (h, d, r) where its columns should be split and each head's part transposed.",
        "[[1, 2], [3, 4]] transposed is [[1, 3], [2, 4]]; a reshape leaves it as it is.",
    ),  # ours
    Fault(
        "blend_only",
        "The blended latents are returned; they still have to be multiplied by each head's part of W_uv.",
        "With r = 1, W_uv = 7 and the latent 1, the output should be 7; here it is 1.",
    ),  # ours
    Fault(
        "latent_too",
        "The latents are returned beside the output; here the output alone is asked for.",
        "The result should be one array; here it is a pair of two.",
    ),  # ours
)


MODELS: tuple[Model, ...] = (
    Model("split_heads", "split_heads", split_heads, SPLIT_HEADS),
    Model("gqa", "grouped_query_attention", grouped_query_attention, GQA),
    Model("cache", "GQACache", Cache, CACHE),
    Model("sizes", "cache_bytes", cache_bytes, SIZES),
    Model("mla", "latent_attention", latent_attention, MLA),
    Model("absorbed", "absorbed_attention", absorbed_attention, ABSORBED),
)
