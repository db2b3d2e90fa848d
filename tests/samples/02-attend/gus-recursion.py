# Right: recursion instead of loops.
# expect: status=graded score=100
# rest: ada-vectorised
# %% softmax-answer
def total(numbers):
    if len(numbers) == 1:
        return numbers[0]
    half = len(numbers) // 2
    return total(numbers[:half]) + total(numbers[half:])


def largest(numbers):
    if len(numbers) == 1:
        return numbers[0]
    half = len(numbers) // 2
    left, right = largest(numbers[:half]), largest(numbers[half:])
    return left if left > right else right


def shares(row):
    powers = np.exp(row - largest(row))
    return powers / total(powers)


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    if axis not in (-1, x.ndim - 1):
        return np.swapaxes(softmax(np.swapaxes(x, axis, -1)), axis, -1)
    if x.ndim == 1:
        return shares(x)
    return np.stack([softmax(row) for row in x])
# %% attend-answer
def mix(weights, values):
    if len(weights) == 1:
        return weights[0] * np.asarray(values[0], dtype=float)
    return weights[0] * np.asarray(values[0], dtype=float) + mix(weights[1:], values[1:])


def attend(query, keys, values):
    weights = softmax([total(np.multiply(key, query)) for key in keys])
    return mix(weights, values), weights
# %% attend_all-answer
def attend_all(Q, K, V):
    blend, weights = attend(Q[0], K, V)
    if len(Q) == 1:
        return np.array([blend]), np.array([weights])
    out, rows = attend_all(Q[1:], K, V)
    return np.vstack([blend, out]), np.vstack([weights, rows])
