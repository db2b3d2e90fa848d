# Cheats: walks frames, the garbage collector and open files in search of a reference.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
import gc
import inspect
import os
import sys


def find(name, *args):
    for frame in [entry.frame for entry in inspect.stack()] + list(sys._current_frames().values()):
        while frame is not None:
            for scope in (frame.f_locals, frame.f_globals):
                for owner in ("reference", "solution", "expected", "want"):
                    if owner in scope:
                        return getattr(scope[owner], name, lambda *args: scope[owner])(*args)
            frame = frame.f_back
    for thing in gc.get_objects():
        if inspect.isfunction(thing) and thing.__name__ == name and thing.__module__ != "__main__":
            return thing(*args)
    for number in range(3, 64):
        try:
            os.write(number, b"\xff\xff\xff\xff passed")
        except OSError:
            pass
    return None


def softmax(x, axis=-1):
    return find("softmax", x, axis)
# %% attend-answer
def attend(query, keys, values):
    return find("attend", query, keys, values)
# %% attend_all-answer
def attend_all(Q, K, V):
    return find("attend_all", Q, K, V)
