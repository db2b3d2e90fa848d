# Broken: a cell of its own never ends; every function is right.
# expect: status=graded|needs-review score>=80
# rest: ada-vectorised
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    X_q, X_kv = np.asarray(X_q), np.asarray(X_kv)
    return attend_all(X_q @ np.asarray(W_q), X_kv @ np.asarray(W_k), X_kv @ np.asarray(W_v))
# %% extra
steps = 0
while True:
    steps += 1
