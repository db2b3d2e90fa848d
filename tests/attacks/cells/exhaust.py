# Use up what others need.
# %% R1 quick | loops for ever in a cell
while True:
    pass
# %% R2 quick | sleeps in the function
import time
everywhere(lambda *args, **kwargs: time.sleep(1000))
# %% R3 quick | one huge array
import numpy as np
everywhere(lambda *args, **kwargs: np.ones(5 * 10**9))
# %% R4 | many small objects
heap = []
while True:
    heap.append(bytearray(1000))
# %% R5a quick says=refused | a fork bomb
while True:
    try:
        os.fork()
        print("BREACH")
    except OSError:
        print("refused")
        break
# %% R5b says=refused | forks from threads, by every road
import subprocess, multiprocessing, threading, concurrent.futures
def breed():
    attempt(lambda: os.forkpty())
    attempt(lambda: subprocess.Popen([sys.executable]))
    attempt(lambda: multiprocessing.get_context("fork").Process(target=print).start() or True)
    attempt(lambda: concurrent.futures.ProcessPoolExecutor(1).submit(int).result(1))
thread = threading.Thread(target=breed)
thread.start()
thread.join(1)
# %% R6 quick says=refused | three thousand threads
import threading, time
threading.stack_size(32768)
threads = []
try:
    for _ in range(3000):
        threads.append(threading.Thread(target=time.sleep, args=(1000,), daemon=True))
        threads[-1].start()
    print("BREACH", len(threads))
except RuntimeError:
    print("refused", len(threads))
# %% R7a quick | fills the disk with one file
with open("big", "wb") as file:
    while True:
        file.write(b"x" * (1 << 20))
# %% R7b | fills the disk with many files
for number in range(200):
    try:
        with open(f"big{number}", "wb") as file:
            file.write(b"x" * (8 << 20))
    except OSError:
        pass
# %% R7c | uses up the inodes
for number in range(20000):
    open(f"small{number}", "w").close()
# %% R7d | folders deeper than a path can be long, one without rights
for number in range(3000):
    os.mkdir("deep")
    os.chdir("deep")
os.mkdir("locked")
try:
    os.chmod("locked", 0)
except OSError:
    pass
# %% R8a quick | floods the output, in lines and in one of 50 MB
for _ in range(20000):
    print("flood")
print("x" * 50_000_000)
# %% R8b | floods the file descriptors behind the output
for number in (1, 2):
    for _ in range(2000):
        os.write(number, b"x" * 65536)
# %% R10a | a loop in C that sees no signal
import itertools
everywhere(lambda *args, **kwargs: sum(itertools.repeat(1)))
# %% R10b | a power that takes for ever
number = 9 ** 9 ** 9
# %% R10c | a pattern that takes for ever
import re
everywhere(lambda *args, **kwargs: re.match(r"(a*)*b", "a" * 60))
# %% R11 | ignores every signal and loops
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
# %% R13 says=refused | opens files until there are no more
files = []
try:
    while True:
        files.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    print("refused", len(files))
if len(files) > 100:
    print("BREACH")
# %% R14a | returns two gigabytes
everywhere(lambda *args, **kwargs: np.zeros((1 << 28,)))
import numpy as np
# %% R14b | returns the largest reply that fits, every time
import numpy as np
everywhere(lambda *args, **kwargs: np.zeros(8 << 20, dtype=np.uint8))
# %% R14c | returns a million small things
everywhere(lambda *args, **kwargs: [None] * 1_000_000)
# %% R16a | threads that spin while others work
import threading
def spin():
    while True:
        pass
for _ in range(20):
    threading.Thread(target=spin, daemon=True).start()
# %% R16b | threads that spin outside the interpreter's lock
import threading, hashlib
def spin():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10**7)
for _ in range(8):
    threading.Thread(target=spin, daemon=True).start()
# %% R17 | calls a candidate without end
def check_attend(candidate):
    while True:
        try:
            candidate(np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2)))
        except Exception:
            pass
import numpy as np
# %% R17b | calls a candidate with as much as fits
def check_attend(candidate):
    import numpy as np
    while True:
        candidate(np.zeros((700, 700)), np.zeros((700, 700)), np.zeros((700, 700)))
# %% R19 | digits without end
everywhere(lambda *args, **kwargs: 1 << (1 << 30))
# %% R22 says=refused | shared memory beside the heap
import mmap
kept = []
try:
    for _ in range(64):
        kept.append(mmap.mmap(-1, 256 << 20))
    print("BREACH")
except (OSError, MemoryError):
    print("refused", len(kept))
# %% R23 says=refused | kernel buffers behind pipes
import fcntl
kept = []
try:
    while True:
        kept.append(os.pipe())
        os.set_blocking(kept[-1][1], False)
        fcntl.fcntl(kept[-1][1], 1031, 1 << 20)
        os.write(kept[-1][1], b"x" * (1 << 20))
except OSError:
    print("refused", len(kept))
# %% R26 | answers whose every method hangs
class Slow:
    def __len__(self):
        while True:
            pass
    __iter__ = __array__ = __repr__ = __str__ = __float__ = __getattr__ = __bool__ = __eq__ = __len__
everywhere(lambda *args, **kwargs: Slow())
# %% R27 says=refused | takes back its limits
import resource
for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
    attempt(lambda: resource.setrlimit(kind, (-1, -1)) or True)
# %% R28 says=refused | claims more of the processor
attempt(lambda: os.setpriority(os.PRIO_PROCESS, 0, -10) or True)
attempt(lambda: os.sched_setaffinity(0, range(64)) or True)
attempt(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) or True)
