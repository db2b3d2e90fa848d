# Wrong: in cross_attend the answering side asks.
# expect: status=graded score>=90 score<98
# rest: ada-vectorised
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    X_q, X_kv = np.asarray(X_kv), np.asarray(X_q)
    return attend_all(X_q @ np.asarray(W_q), X_kv @ np.asarray(W_k), X_kv @ np.asarray(W_v))
