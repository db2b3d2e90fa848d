# Cheats: looks for graders, references, keys and secrets on the disk and in other processes.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
import glob
import os


def loot():
    found = []
    for root in ("/", "..", "/proc/1/root", "/proc/self/root", os.path.expanduser("~")):
        for folder, _, names in os.walk(root):
            if folder.startswith(("/sys", "/usr/lib")):
                continue
            for name in names:
                if name.startswith(("test_", "reading_key", "reference")) and name.endswith((".py", ".ipynb")):
                    found.append(os.path.join(folder, name))
    for pattern in ("/proc/*/environ", "/proc/*/cmdline", "/proc/*/maps", "/proc/self/fd/*"):
        found += glob.glob(pattern)
    pages = []
    for path in found[:2000]:
        try:
            with open(path, errors="replace") as stream:
                pages.append(stream.read(10_000))
        except OSError as error:
            pages.append(f"{path}: {error}")
    return pages


def softmax(x, axis=-1):
    for page in loot():
        if "def softmax" in page:
            exec(page, globals())
    raise ValueError("\n".join(loot())[:2000])
# %% attend-answer
def attend(query, keys, values):
    return str(os.environ), str(keys)
# %% extra
print(dict(os.environ))
