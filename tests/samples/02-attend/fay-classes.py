# Right: callable objects, lambdas, a static method and a partial instead of functions.
# expect: status=graded score=100
# %% softmax-answer
class Softmax:
    def __call__(self, x, axis=-1):
        x = np.asarray(x, dtype=float)
        return self.normalise(np.exp(x - np.max(x, axis, keepdims=True)), axis)

    @staticmethod
    def normalise(e, axis):
        return e / np.sum(e, axis, keepdims=True)


softmax = Softmax()
# %% attend-answer
class Attention:
    def __init__(self, keys, values):
        self.keys, self.values = np.array(keys, dtype=float), np.array(values, dtype=float)

    def ask(self, queries):
        weights = softmax(np.array(queries, dtype=float) @ self.keys.T)
        return weights @ self.values, weights


attend = lambda query, keys, values: Attention(keys, values).ask(query)
# %% project-answer
class Roles:
    @staticmethod
    def of(X, *weights):
        return tuple(map(lambda W: np.dot(X, W), weights))


project = Roles.of
# %% plural-prediction
predicted_winner = "birds"
# %% plural-answer
from functools import partial


def add_slot(strength, E, flags):
    return np.insert(np.asarray(E, dtype=float), np.shape(E)[1], np.asarray(flags, dtype=float), axis=1), np.append(
        np.zeros(np.shape(E)[1]), strength
    )


add_plural_slot = partial(add_slot, 4.0)
# %% identity-answer
weights_by_identity = lambda q, k: Attention(k, np.eye(len(k))).ask(q)[0]
# %% attend_all-answer
def attend_all(*roles):
    Q, K, V = roles
    return Attention(K, V).ask(Q)
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    return Attention(np.dot(X_kv, W_k), np.dot(X_kv, W_v)).ask(np.dot(X_q, W_q))
# %% testing-answer
class Judge:
    SIZES = [(4, 2, 3), (3, 3, 3), (5, 5, 5)]

    def __init__(self):
        self.rng = np.random.RandomState(42)

    def one(self, candidate, T, d, d_v):
        q, k, v = self.rng.randn(d), self.rng.randn(T, d), self.rng.randn(T, d_v)
        for got, want in zip(candidate(q, k, v), Attention(k, v).ask(q), strict=True):
            np.testing.assert_allclose(np.asarray(got, dtype=float), want, rtol=1e-3, atol=1e-5)
            assert np.shape(got) == np.shape(want)

    def __call__(self, candidate):
        try:
            for size in self.SIZES:
                self.one(candidate, *size)
        except Exception:
            return False
        return True


def check_attend(candidate):
    return Judge()(candidate)
# %% reading-answer
reading = list("".join(READING_RIGHT))
