# Wrong: a different fault in almost every task, two at once in some.
# expect: status=graded score<40
# %% softmax-answer
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    return np.round(np.exp(x) / np.exp(x).sum(), 3)
# %% attend-answer
def attend(query, keys, values):
    weights = softmax(np.asarray(values) @ np.asarray(query))
    return weights, weights @ np.asarray(keys)
# %% project-answer
def project(X, W_q, W_k, W_v):
    X = np.asarray(X)
    return X @ np.asarray(W_k), X @ np.asarray(W_q), X
# %% plural-prediction
predicted_winner = "penguin"
# %% plural-answer
def add_plural_slot(E, is_plural):
    E_plural = np.column_stack([E, [not flag for flag in is_plural]])
    return E_plural, np.array([0, 0, 0, -4.0])
# %% identity-answer
def weights_by_identity(query, keys):
    return np.diag(softmax(np.asarray(keys) @ np.asarray(query)))
# %% attend_all-answer
def attend_all(Q, K, V):
    scores = np.asarray(Q) @ np.asarray(K).T
    return scores @ np.asarray(V), scores
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    return attend_all(np.asarray(X_q) @ W_q, np.asarray(X_q) @ W_k, np.asarray(X_q) @ W_v)
# %% testing-answer
def check_attend(candidate):
    blend, weights = candidate(np.array([4.0, 0, 0]), E, E)
    return bool(np.isclose(weights.sum(), 1))
# %% reading-answer
reading = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"]
