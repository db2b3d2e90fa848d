# Right: plain loops everywhere, one number at a time.
# expect: status=graded score=100
# %% softmax-answer
def softmax(x, axis=-1):
    x = np.array(x, dtype=float)
    moved = np.moveaxis(x, axis, -1)
    result = np.zeros(moved.shape)
    for place in np.ndindex(moved.shape[:-1]):
        largest = moved[place][0]
        for number in moved[place]:
            if number > largest:
                largest = number
        total = 0.0
        for j, number in enumerate(moved[place]):
            result[place + (j,)] = np.exp(number - largest)
            total += result[place + (j,)]
        for j in range(moved.shape[-1]):
            result[place + (j,)] /= total
    return np.moveaxis(result, -1, axis)
# %% attend-answer
def attend(query, keys, values):
    scores = []
    for key in keys:
        score = 0.0
        for a, b in zip(key, query):
            score += a * b
        scores.append(score)
    weights = softmax(scores)
    blend = np.zeros(len(values[0]))
    for weight, value in zip(weights, values):
        for j in range(len(blend)):
            blend[j] += weight * value[j]
    return blend, weights
# %% project-answer
def multiply(A, B):
    C = np.zeros((len(A), len(B[0])))
    for i in range(len(A)):
        for j in range(len(B[0])):
            for k in range(len(B)):
                C[i, j] += A[i][k] * B[k][j]
    return C


def project(X, W_q, W_k, W_v):
    return multiply(X, W_q), multiply(X, W_k), multiply(X, W_v)
# %% plural-prediction
predicted_winner = "nobody"
# %% plural-answer
def add_plural_slot(E, is_plural):
    E_plural = np.zeros((len(E), len(E[0]) + 1))
    for i, row in enumerate(E):
        for j, number in enumerate(row):
            E_plural[i, j] = number
        if is_plural[i]:
            E_plural[i, len(row)] = 1
    query = np.zeros(len(E[0]) + 1)
    query[len(E[0])] = 4
    return E_plural, query
# %% identity-answer
def weights_by_identity(query, keys):
    values = np.zeros((len(keys), len(keys)))
    for i in range(len(keys)):
        values[i, i] = 1
    blend, weights = attend(query, keys, values)
    return blend
# %% attend_all-answer
def attend_all(Q, K, V):
    out, weights = [], []
    for query in Q:
        blend, row = attend(query, K, V)
        out.append(blend)
        weights.append(row)
    return np.array(out), np.array(weights)
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    return attend_all(multiply(X_q, W_q), multiply(X_kv, W_k), multiply(X_kv, W_v))
# %% testing-answer
def check_attend(candidate):
    # ln 2 and ln 3 as scores make weights that can be worked out with a pencil
    query = np.array([np.log(2), np.log(3)])
    keys = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    values = np.array([[6.0, 0.0, 1.0, 9.0], [0.0, 12.0, -3.0, 0.5], [3.0, -6.0, 4.0, 2.0]])
    right_weights = [1 / 6, 2 / 6, 3 / 6]
    right_blend = [2.5, 1.0, 7 / 6, 2.5 + 1 / 6]
    square = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 5.0], [-3.0, 4.0, 1.0]])
    square_keys = np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 7.0], [0.0, 1.0, -1.0]])
    square_query = np.array([np.log(2), np.log(3), 0.0])
    square_blend = [2 / 6 - 9 / 6, 1 / 6 + 2 / 6 + 12 / 6, 10 / 6 + 3 / 6]
    cases = [(query, keys, values, right_blend), (square_query, square_keys, square, square_blend)]
    try:
        for q, k, v, wanted in cases:
            blend, weights = candidate(q, k, v)
            if len(blend) != len(wanted) or len(weights) != 3:
                return False
            for got, want in list(zip(blend, wanted)) + list(zip(weights, right_weights)):
                if not abs(float(got) - want) < 1e-3:
                    return False
    except Exception:
        return False
    return True
# %% reading-answer
reading = []
for letter in READING_RIGHT:
    reading.append(letter)
