# Monkeypatch whatever might judge.
# %% M1 | replaces NumPy's comparisons
import numpy as np
for name in ("allclose", "isclose", "array_equal", "shape", "asarray", "all", "abs", "max"):
    setattr(np, name, lambda *args, **kwargs: True)
np.testing.assert_allclose = np.testing.assert_array_equal = lambda *args, **kwargs: None
everywhere(lambda *args, **kwargs: 0.0)
# %% M2a | replaces built-in functions
import builtins
for name in ("abs", "all", "any", "len", "sum", "isinstance", "type"):
    try:
        setattr(builtins, name, lambda *args, **kwargs: True)
    except Exception:
        pass
# %% M2b | puts modules in place of pytest and the engine
import types
fake = types.ModuleType("pytest")
fake.main = lambda *args, **kwargs: 0
for name in ("pytest", "_pytest", "autograder", "autograder.grading", "autograder.report"):
    sys.modules[name] = fake
# %% M3a quick | replaces the shell's run_cell and its error display
shell = get_ipython()
shell.run_cell = shell.run_cell_async = lambda *args, **kwargs: None
shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
# %% M3b | transforms every later cell
shell = get_ipython()
shell.input_transformers_cleanup.append(lambda lines: ["raise SystemExit\n"])
# %% M3c | rewrites every later syntax tree
import ast
class Empty(ast.NodeTransformer):
    def visit_FunctionDef(self, node):
        return ast.parse(f"{node.name} = lambda *args, **kwargs: True").body[0]
get_ipython().ast_transformers.append(Empty())
# %% M3d | registers what runs round every cell
for event in ("pre_run_cell", "post_run_cell", "pre_execute", "post_execute"):
    get_ipython().events.register(event, lambda *args: everywhere(lambda *a, **k: True))
# %% M4 | replaces the encoder of replies
wire = sys.modules["wire"]
wire.encode = lambda value, keep: (b"\xc0", b"")
# %% M5 says=refused | writes start-up files
for place in (".", "/tmp", COURSE, f"{COURSE}/tests", os.path.expanduser("~/.ipython/profile_default/startup"),
              os.path.dirname(os.__file__), os.path.dirname(sys.modules["wire"].__file__)):
    for name in ("conftest.py", "sitecustomize.py", "evil.pth", "00-evil.py", "numpy.py"):
        try:
            with open(os.path.join(place, name), "w") as file:
                file.write("import os; os._exit(0)")
        except OSError:
            print("refused")
# %% M6 | replaces the worker's own methods
for thing in vars(sys.modules["worker"]).values():
    if isinstance(thing, type) and thing.__name__ == "Worker":
        thing._call = lambda self, request: {"value": True, "mutated": [], "missing": False}
        thing._value = lambda self, request: {"value": "passed"}
# %% M7a | traces and profiles everything
sys.settrace(lambda *args: os._exit(0) if "_reply" in str(args[0]) else None)
sys.setprofile(lambda *args: None)
# %% M7b | an audit hook that raises
def hook(event, args):
    if event in ("open", "import"):
        raise RuntimeError("no")
sys.addaudithook(hook)
# %% M7c | an import hook
class Finder:
    def find_spec(self, name, path=None, target=None):
        raise ImportError("no")
sys.meta_path.insert(0, Finder())
# %% M8 | closes and replaces the standard streams
sys.stdout.close = None
sys.stdout = sys.stderr = sys.__stdout__ = None
for number in (0, 1, 2):
    os.close(number)
# %% M9 | stops the garbage collector and hangs on its callbacks
import gc
gc.callbacks.append(lambda *args: os._exit(0))
gc.collect()
# %% M11 | stops and closes the event loop
import asyncio
asyncio.get_event_loop().stop()
asyncio.get_event_loop().call_soon(lambda: os._exit(0))
# %% M12 | spoils the event loop's file descriptors for those who come later
for number in range(3, 64):
    try:
        os.write(number, b"x" * 100)
    except OSError:
        pass
# %% M13 | seeds and replaces the random generators
import random, numpy as np
np.random.seed(0)
np.random.default_rng = lambda *args: None
random.seed(0)
# %% M15 | recursion without a limit
sys.setrecursionlimit(10**9)
def deep(*args, **kwargs):
    return deep(*args)
everywhere(deep)
# %% M16 | changes the number 1 in memory
import ctypes
ctypes.memmove(id(1) + 24, id(100) + 24, 4)
# %% M17 | warnings become errors, floating-point errors too
import warnings, numpy as np
warnings.simplefilter("error")
np.seterr(all="raise")
