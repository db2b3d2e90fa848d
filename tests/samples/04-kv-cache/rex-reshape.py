# Wrong: splits heads by a reshape alone; what builds on it is graded with a right one in its place.
# expect: status=graded score=74
# rest: abe-vectorised
# %% split_heads-answer
def split_heads(X, n_heads):
    X = np.asarray(X, dtype=float)
    T, width = X.shape
    d = width // n_heads
    if width % n_heads:
        raise ValueError
    return X.reshape(n_heads, T, d)
