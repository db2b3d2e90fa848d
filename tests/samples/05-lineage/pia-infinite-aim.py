# Wrong: aims with an infinite query.
# expect: status=graded score=50
# rest: fay-online-softmax
# %% aim-answer
def query_copy(K, i):
    K = np.array(K, dtype=float)
    return np.inf * K[i]
def query_average(K, i, j):
    K = np.array(K, dtype=float)
    return np.inf * (K[i] + K[j])
