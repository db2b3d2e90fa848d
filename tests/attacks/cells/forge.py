# Forge a result.
# %% F1a quick | leaves Python in a cell
import os
os._exit(0)
# %% F1b quick | leaves Python inside the called function
def leave(*args, **kwargs):
    os._exit(0)
everywhere(leave)
# %% F1c | aborts in a cell
os.abort()
# %% F1d | leaves from another thread while the function runs
import threading, time
def leave(*args, **kwargs):
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(5)
everywhere(leave)
# %% F2a | raises SystemExit
def stop(*args, **kwargs):
    raise SystemExit(0)
everywhere(stop)
# %% F2b | raises KeyboardInterrupt
def stop(*args, **kwargs):
    raise KeyboardInterrupt
everywhere(stop)
# %% F2c | raises an exception whose text and class lie
class AssertionPassed(BaseException):
    def __str__(self):
        os._exit(0)
    __repr__ = __str__
def stop(*args, **kwargs):
    raise AssertionPassed
everywhere(stop)
# %% F2d rest=ada-vectorised least=80 most=90 | a function that stops leaves the others, which are right, alone
def softmax(x, axis=-1):
    raise SystemExit
# %% F3 | an exit handler that prints a verdict
import atexit
atexit.register(print, "9 passed in 0.01s")
# %% F4 quick | prints what results look like
print('{"score": 100, "max_score": 100, "status": "passed", "schema_version": 1}')
print('<testsuite tests="9" failures="0" errors="0"><testcase name="softmax"/></testsuite>')
print("================ 9 passed in 0.10s ================")
everywhere(lambda *args, **kwargs: print("score: 100/100"))
# %% F6 | an object that equals everything
class Equal:
    __array_ufunc__ = None
    shape, ndim, dtype = (2, 3), 2, float
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __bool__ = lambda self: True
    __len__ = lambda self: 2
    __iter__ = lambda self: iter((Equal(), Equal()))
    __getitem__ = __sub__ = __rsub__ = lambda self, other: self
    __float__ = lambda self: 0.0
    __hash__ = lambda self: 0
everywhere(lambda *args, **kwargs: Equal())
# %% F7a quick | an array subclass that overrides comparison and bytes
import numpy as np
class Liar(np.ndarray):
    __eq__ = __le__ = lambda self, other: True
    def __array_function__(self, *args, **kwargs):
        return True
    def __array_ufunc__(self, *args, **kwargs):
        return True
    def tobytes(self, *args):
        return b"\0" * 8
everywhere(lambda *args, **kwargs: np.zeros(np.shape(args[0])).view(Liar))
# %% F7b | subclasses of float, list, tuple and dict that lie
class Number(float):
    __eq__ = lambda self, other: True
class Row(list):
    __len__ = lambda self: 3
    __iter__ = lambda self: iter([Number(1)] * 3)
    __eq__ = lambda self, other: True
everywhere(lambda *args, **kwargs: Row([Number(1), Number(2)]))
# %% F7c | claims to be an array by its __class__
class Claim:
    __class__ = property(lambda self: np.ndarray)
    shape, dtype, nbytes = (3,), np.dtype(float), 24
everywhere(lambda *args, **kwargs: Claim())
# %% F8 | arrays of objects and of text
everywhere(lambda *args, **kwargs: np.array([object(), "passed"], dtype=object))
# %% F9 | arrays of NaN
everywhere(lambda *args, **kwargs: np.full(np.shape(args[0]), np.nan))
# %% F10 | fully masked arrays
everywhere(lambda *args, **kwargs: np.ma.masked_all(np.shape(args[0])))
# %% F11a | one number for everything
everywhere(lambda *args, **kwargs: 1.0)
# %% F11b | shape (1,)
everywhere(lambda *args, **kwargs: np.ones(1))
# %% F12 | empty arrays
everywhere(lambda *args, **kwargs: np.empty((0, 3)))
# %% F13 | infinite numbers
everywhere(lambda *args, **kwargs: np.full(np.shape(args[0]), np.inf))
# %% F14 quick | changes its arguments in place and returns them
def same(*args, **kwargs):
    for arg in args:
        if isinstance(arg, np.ndarray):
            arg[...] = 0
    return args[0]
everywhere(same)
# %% F15 | hands back what it got
everywhere(lambda *args, **kwargs: args if len(args) > 1 else args[0])
# %% F16a | generators
def give(*args, **kwargs):
    yield from args
everywhere(give)
# %% F16b | coroutines
async def give(*args, **kwargs):
    return args
everywhere(give)
# %% F16c | a proxy that answers everything
from unittest import mock
everywhere(mock.MagicMock())
# %% F17 | classes and functions instead of values
everywhere(lambda *args, **kwargs: (np.ndarray, lambda: 1))
# %% F18 | True for everything
everywhere(lambda *args, **kwargs: True)
# %% F19 | complex and enormous numbers
everywhere(lambda *args, **kwargs: [10**4000, 1e308 + 1j])
# %% F20 | a whole result
everywhere(lambda *args, **kwargs: {"score": 16, "max_score": 16, "passed": True, "verdict": "passed"})
# %% F21 | no functions but numbers
everywhere(1.0)
# %% F22 | an exception as a value
everywhere(lambda *args, **kwargs: AssertionError("passed"))
