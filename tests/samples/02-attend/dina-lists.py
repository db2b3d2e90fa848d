# Right: no NumPy at all, only lists and math.exp.
# expect: status=graded score=100
# %% softmax-answer
import math


def as_lists(x):
    return x.tolist() if hasattr(x, "tolist") else [as_lists(row) if isinstance(row, (list, tuple)) else row for row in x]


def shares(row):
    top = max(row)
    powers = [math.exp(number - top) for number in row]
    total = sum(powers)
    return [power / total for power in powers]


def depth(x):
    return 1 + depth(x[0]) if isinstance(x, list) else 0


def along(x, axis):
    if axis > 0:
        return [along(row, axis - 1) for row in x]
    if depth(x) == 1:
        return shares(x)
    columns = [along([row[j] for row in x], 0) for j in range(len(x[0]))]
    return [[column[i] for column in columns] for i in range(len(x))]


def softmax(x, axis=-1):
    x = as_lists(x)
    return along(x, axis % depth(x))
# %% attend-answer
def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def attend(query, keys, values):
    weights = softmax([dot(key, query) for key in as_lists(keys)])
    return [dot(weights, column) for column in zip(*as_lists(values))], weights
# %% project-answer
def times(A, B):
    return [[dot(row, column) for column in zip(*as_lists(B))] for row in as_lists(A)]


def project(X, W_q, W_k, W_v):
    return times(X, W_q), times(X, W_k), times(X, W_v)
# %% plural-prediction
predicted_winner = "cat"
# %% plural-answer
def add_plural_slot(E, is_plural):
    rows = [[*row, 1.0 if flag else 0.0] for row, flag in zip(as_lists(E), is_plural)]
    return rows, [0.0] * (len(rows[0]) - 1) + [4.0]
# %% identity-answer
def weights_by_identity(query, keys):
    one_hot = [[float(i == j) for j in range(len(keys))] for i in range(len(keys))]
    return attend(query, keys, one_hot)[0]
# %% attend_all-answer
def attend_all(Q, K, V):
    pairs = [attend(query, K, V) for query in as_lists(Q)]
    return [out for out, _ in pairs], [weights for _, weights in pairs]
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    return attend_all(times(X_q, W_q), times(X_kv, W_k), times(X_kv, W_v))
# %% testing-answer
def check_attend(candidate):
    cases = [
        ([1.0, -0.5], [[0.3, 1.0], [2.0, -1.0], [0.0, 0.7]], [[1.0, 5.0, -2.0, 0.1], [0.0, 3.0, 3.0, 1.0], [-4.0, 2.0, 1.0, 7.0]]),
        ([0.2, 1.0, -1.0], [[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.5, 0.5, -1.0]], [[3.0, 1.0, 0.0], [0.0, -2.0, 5.0], [1.0, 1.0, 8.0]]),
    ]
    for query, keys, values in cases:
        powers = [math.exp(sum(a * b for a, b in zip(key, query))) for key in keys]
        weights = [power / sum(powers) for power in powers]
        blend = [sum(w * v for w, v in zip(weights, column)) for column in zip(*values)]
        try:
            got = candidate(query, keys, values)
            got = [[float(number) for number in part] for part in got]
        except Exception:
            return False
        # an AssertionError counts as False
        assert [len(part) for part in got] == [len(blend), len(weights)]
        for a, b in zip(got[0] + got[1], blend + weights):
            assert abs(a - b) < 1e-4
    return True
# %% reading-answer
reading = tuple(READING_RIGHT)
