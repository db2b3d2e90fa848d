# Cheats: leaves the process with a good exit code, from a function, and promises a pass on the way out.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
import atexit
import os

atexit.register(print, "===== 40 passed in 0.01s =====")


def softmax(x, axis=-1):
    print("100 passed")
    os._exit(0)
# %% attend-answer
def attend(query, keys, values):
    raise SystemExit(0)
# %% project-answer
def project(X, W_q, W_k, W_v):
    raise KeyboardInterrupt
# %% attend_all-answer
def attend_all(Q, K, V):
    os.kill(os.getpid(), 9)
# %% cross-answer
def cross_attend(X_q, X_kv, W_q, W_k, W_v):
    os.abort()
