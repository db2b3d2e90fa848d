# Right: one class does it all, in an extra cell of its own below its first use.
# expect: status=graded score=56
# rest: ada-vectorised
# %% rank-answer
def head_rank(W_q, W_k):
    return Head(W_q, W_k).rank
# %% w_qk-answer
def w_qk(W_q, W_k):
    return Head(W_q, W_k).form
# %% extra
class Head:
    """Hold one head's two factors."""

    def __init__(self, W_q, W_k):
        self.W_q, self.W_k = np.array(W_q, dtype=float), np.array(W_k, dtype=float)

    @property
    def form(self):
        return self.W_q.dot(self.W_k.transpose())

    @property
    def rank(self):
        strengths = np.linalg.svd(self.form, compute_uv=False)
        return len([s for s in strengths if s > 1e-8 * strengths.max()])
