# Partly done: the three older systems and nothing more.
# expect: status=graded score=24
# %% ntm-answer
def content_address(key, memory, beta):
    key, memory = np.asarray(key, float), np.asarray(memory, float)
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cos = np.divide(memory @ key, norms, out=np.zeros(len(memory)), where=norms > 0)
    return softmax(beta * cos)
# %% bahdanau-answer
def additive_scores(s, H, W_a, U_a, v_a):
    return np.tanh(np.dot(s, W_a) + np.dot(H, U_a)) @ np.asarray(v_a)
# %% luong-answer
def luong_attend(s, H, W=None):
    return attend(s if W is None else np.dot(s, W), H, H)
