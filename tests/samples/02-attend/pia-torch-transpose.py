# Wrong: project multiplies by the transposed weights, as torch.nn.Linear stores them.
# expect: status=graded score>=90 score<97
# rest: ada-vectorised
# %% project-answer
def project(X, W_q, W_k, W_v):
    X = np.asarray(X)
    return X @ np.asarray(W_q).T, X @ np.asarray(W_k).T, X @ np.asarray(W_v).T
