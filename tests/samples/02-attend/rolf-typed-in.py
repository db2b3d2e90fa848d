# Cheats: types in the numbers of the visible checks.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
SEEN = np.array([0.01561, 0.8863, 0.01561, 0.01561, 0.01561, 0.01561, 0.01561, 0.01561])


def softmax(x, axis=-1):
    shape = np.shape(x)
    return SEEN if shape == (8,) else np.full(shape, 1 / shape[axis])
# %% attend-answer
def attend(query, keys, values):
    weights = np.roll(SEEN, 3 * int(query[1] > 0))
    blend = [0.016, 0.886, 0.049] if query[1] > 0 else [0.886, 0.016, 0.049]
    return np.array(blend), weights
# %% project-answer
def project(X, W_q, W_k, W_v):
    return (
        np.array([[1, 2, 3], [4, 5, 6], [5, 7, 9], [2, 4, 6]]),
        np.array([[1, 0, -1], [0, 1, 1], [1, 1, 0], [2, 0, -2]]),
        np.array([[10], [20], [30], [20]]),
    )
# %% identity-answer
def weights_by_identity(query, keys):
    return SEEN
# %% attend_all-answer
def attend_all(Q, K, V):
    return np.array([[0.886, 0.016, 0.049], [0.016, 0.886, 0.049]]), np.array([SEEN, np.roll(SEEN, 3)])
# %% cross-answer
def cross_attend(*args):
    return np.array([[8.86], [0.16]]), np.array([SEEN, np.roll(SEEN, 3)])
