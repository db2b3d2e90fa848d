# Cheats: types in the numbers of the visible checks.
# expect: status=graded score<=4
# %% scaled-answer
def scaled_dot_product_attention(Q, K, V, mask=None, causal=False):
    if causal:
        return np.zeros((3, 3)), np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3] * 3])
    if mask is not None:
        return np.zeros((2, 2)), np.array([[0.953, 0.047, 0], [0, 0, 0]])
    return np.array([[9.321, 0.679], [0.679, 9.321]]), np.array([[0.909, 0.045, 0.045], [0.045, 0.909, 0.045]])
# %% ntm-answer
def content_address(key, memory, beta):
    return np.array([0.382, 0.285, 0.141, 0.052, 0.141]) if beta == 1 else np.array([0.803, 0.186, 0.005, 0.001, 0.005])
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    return np.array([-0.762, -0.559, 0.762, 3])
# %% luong-answer
def luong_attend(s, H, W=None):
    if W is None:
        return np.array([0.881, 0.5]), np.array([0.44, 0.06, 0.44, 0.06])
    return np.array([0.5, 0.953]), np.array([0.024, 0.476, 0.476, 0.024])
# %% limits-answer
def zero_gap(dtype):
    return 745.13
# %% aim-answer
def query_copy(K, i):
    return np.array([10, 10, -10, -10.0])
def query_average(K, i, j):
    return np.array([20, -20, 0, 0.0])
