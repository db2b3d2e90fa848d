# Leak hidden material.
# %% L1 quick says=refused | looks for secrets in the environment
attempt(lambda: [v for v in os.environ.values() if "secret" in v.lower()][0])
attempt(lambda: os.environ["AUTOGRADER_SECRET"])
print(dict(os.environ))
# %% L2a quick says=refused | reads about other processes
import glob
for name in ("environ", "cmdline", "maps", "mem", "status", "fd", "root"):
    attempt(lambda: open(f"/proc/{GRADER}/{name}", "rb").read(100))
    attempt(lambda: os.listdir(f"/proc/{GRADER}/{name}"))
for name in ("exe", "cwd", "root", "fd/1", "fd/3", "ns/mnt"):
    attempt(lambda: os.readlink(f"/proc/{GRADER}/{name}"))
attempt(lambda: [open(p).read() for p in glob.glob("/proc/[0-9]*/environ")][0])
# %% L2b says=refused | reads about itself
for name in ("maps", "mem", "environ", "mountinfo", "fdinfo", "task"):
    attempt(lambda: open(f"/proc/self/{name}", "rb").read(100))
# %% L4a quick says=refused | opens the graders, the reference and the records by their paths
for path in (f"{COURSE}/autograder/graders/02-attend/test_softmax.py", f"{COURSE}/source/02-attend/02-attend.ipynb",
             CANARY, f"{REPORTS}/02-attend/records/honest.json", f"{COURSE}/.autograder-secret"):
    attempt(lambda: open(path).read())
# %% L4b says=refused | the same by detours
for start in (".", "/tmp", "/proc/self/cwd", "/proc/self/root", f"/proc/{GRADER}/root", "/proc/1/root", "/dev/fd/3"):
    attempt(lambda: open(start + "/" + "../" * 12 + CANARY).read())
    attempt(lambda: open(start + CANARY).read())
# %% L4c says=refused | the same by open flags of every kind
for flags in (os.O_RDONLY, os.O_PATH | os.O_RDWR, os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_DIRECTORY):
    attempt(lambda: os.read(os.open(CANARY, flags), 10))
attempt(lambda: os.listdir(os.path.dirname(CANARY)))
attempt(lambda: os.read(os.open(os.path.basename(CANARY), os.O_RDONLY, dir_fd=os.open(os.path.dirname(CANARY), os.O_PATH)), 9))
# %% L5 quick says=refused | walks the tree for tests, references and keys
found = []
for top in ("/", "..", os.path.expanduser("~"), "/tmp", COURSE):
    for folder, _, names in os.walk(top):
        if not folder.startswith(("/sys", "/usr/lib", "/python", "/packages")):
            found += [n for n in names if n.startswith(("test_softmax", "reading_key", "misconceptions")) or n.endswith(".ipynb")]
print("BREACH", found) if found else print("refused")
# %% L6a says=refused | searches all objects for what must not be there
import gc
attempt(lambda: [o for o in gc.get_objects() if type(o).__module__.startswith(("autograder", "pytest"))][0])
attempt(lambda: [m for m in sys.modules if m.startswith(("autograder", "pytest", "_pytest", "graders"))][0])
# %% L6b says=refused | walks the frames when it is called
def look(*args, **kwargs):
    frame = sys._getframe()
    while frame:
        attempt(lambda: frame.f_globals["reference"])
        attempt(lambda: frame.f_locals["rng"])
        frame = frame.f_back
look()
everywhere(look)
# %% L7 quick says=refused | uses every open file descriptor
import stat
for number in range(64):
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        continue
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        print("BREACH", number)
print("refused")
# %% L8 says=refused | reads its own channel ahead
def look(*args, **kwargs):
    channel = the_channel()
    channel.setblocking(False)
    attempt(lambda: channel.recv(100) or None)
everywhere(look)
attempt(lambda: the_channel().getpeername() or None)
# %% L9a quick says=refused | leaves files in every place that can be written
for place in (".", "/tmp", "/home", "/dev/shm", "/var/tmp", "/run", os.path.dirname(CANARY), COURSE):
    try:
        with open(f"{place}/left-behind", "w") as file:
            file.write("left")
    except OSError:
        print("refused")
# %% L9b says=refused | looks for what others left behind
for place in (".", "/tmp", "/home", "/dev/shm", "/var/tmp", "/run", "..", "../1", "../2", "../3"):
    attempt(lambda: open(f"{place}/left-behind").read())
    attempt(lambda: [n for n in os.listdir(place) if n not in (os.path.basename(os.getcwd()),) and n.isdigit()][0])
# %% L10 says=refused | imports what grades
for name in ("autograder", "autograder.grading", "pytest", "graders_02_attend", "misconceptions", "reading_key", "hypothesis"):
    attempt(lambda: __import__(name))
sys.path += [COURSE, f"{COURSE}/autograder/graders/02-attend", os.path.dirname(CANARY)]
for name in ("autograder.grading", "misconceptions", "reading_key"):
    attempt(lambda: __import__(name))
# %% L12a quick hidden | prints the hidden inputs
def carry(*args, **kwargs):
    print("CARRIED", [np.shape(a) for a in args], args)
    sys.stderr.write(f"CARRIED {args}")
import numpy as np
everywhere(carry)
# %% L12b quick hidden | puts the hidden inputs into exceptions
class CARRIED(ValueError):
    pass
def carry(*args, **kwargs):
    raise CARRIED(f"CARRIED {args}") from RuntimeError(f"CARRIED {kwargs}")
everywhere(carry)
# %% L12c hidden | returns the hidden inputs as text, and under names
everywhere(lambda *args, **kwargs: {f"CARRIED {args}": f"CARRIED {args}", "error": f"CARRIED {args}"})
# %% L12d hidden | raises syntax errors and warnings made of the hidden inputs
import warnings
def carry(*args, **kwargs):
    warnings.warn(f"CARRIED {args}")
    raise SyntaxError(f"CARRIED {args}", ("CARRIED", 1, 2, "CARRIED"))
everywhere(carry)
# %% L12e hidden | raises another kind of error for each kind of input
def carry(x, *args, **kwargs):
    raise [ValueError, KeyError, OSError][np.size(x) % 3](f"CARRIED {np.size(x)}")
everywhere(carry)
# %% L12f hidden | makes a cell fail later with what it saw
seen = []
def carry(*args, **kwargs):
    seen.append(args)
    open("seen", "a").write(f"CARRIED {args}")
everywhere(carry)
if os.path.exists("seen"):
    raise ValueError(open("seen").read())
# %% L14 says=refused | follows a candidate back to the trusted side
def check_attend(candidate):
    for name in ("__closure__", "__globals__", "__code__", "__self__"):
        got = getattr(candidate, name, None)
        for cell in got if isinstance(got, tuple) else ():
            attempt(lambda: cell.cell_contents.reference)
    print("BREACH") if "reference" in getattr(candidate, "__globals__", {}) else print("refused")
    return True
attempt(lambda: check_attend(check_attend).missing)
# %% L15 says=refused | opens devices
for path in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/tty", "/dev/ptmx", "/dev/shm/x", "/dev/mqueue/x"):
    attempt(lambda: os.open(path, os.O_RDWR | os.O_CREAT))
# %% L16 says=refused | watches the course for changes
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
attempt(lambda: (None, True)[libc.inotify_init1(0) >= 0])
attempt(lambda: (None, True)[libc.fanotify_init(0, 0) >= 0])
# %% L17 says=refused | reads the kernel's log and its keys
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
attempt(lambda: (None, True)[libc.klogctl(3, ctypes.create_string_buffer(100), 100) > 0])
attempt(lambda: (None, True)[libc.syscall(250, 0, -3, 0, 0, 0) >= 0])
