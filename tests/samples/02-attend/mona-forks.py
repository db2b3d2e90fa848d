# Cheats: makes processes and threads until something breaks (bounded: 500 sleepers, 500 threads).
# expect: status=graded|needs-review score<=9
# %% softmax-answer
import os
import threading
import time


def softmax(x, axis=-1):
    for _ in range(500):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
    return np.ones(np.shape(x))
# %% attend-answer
def attend(query, keys, values):
    for _ in range(500):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    return np.ones(np.shape(values)[1]), np.ones(len(keys))
