# Broken: project asks for 40 gigabytes.
# expect: status=graded|needs-review score>=86 score<=90
# rest: ada-vectorised
# %% project-answer
def project(X, W_q, W_k, W_v):
    padding = np.ones(int(5e9))
    X = np.asarray(X) + padding[0] - 1
    return X @ np.asarray(W_q), X @ np.asarray(W_k), X @ np.asarray(W_v)
