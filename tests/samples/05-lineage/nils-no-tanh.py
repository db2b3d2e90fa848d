# Wrong: Bahdanau's hidden layer without its tanh, and Luong's form with one.
# expect: status=graded score>=42 score<52
# rest: ada-vectorised
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    s, H, W_a, U_a, v_a = (np.array(x, dtype=float) for x in (s, H, W_a, U_a, v_a))
    z = s @ W_a + H @ U_a
    hidden = z
    return hidden @ v_a
# %% luong-answer
def luong_attend(s, H, W=None):
    s, H = np.array(s, dtype=float), np.array(H, dtype=float)
    query = s if W is None else s @ np.array(W, dtype=float)
    scores = np.tanh(query + H).sum(axis=1)
    weights = softmax(scores)
    return weights @ H, weights
