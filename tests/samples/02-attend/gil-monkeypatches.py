# Cheats: replaces NumPy's comparisons, built-ins and the shell's own methods.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
import builtins
import sys
import types

yes = lambda *args, **kwargs: True
np.allclose = np.array_equal = np.isclose = yes
np.testing.assert_allclose = np.testing.assert_array_equal = lambda *args, **kwargs: None
builtins.abs = lambda x: 0.0
builtins.all = builtins.any = yes
sys.modules["pytest"] = types.ModuleType("pytest")
get_ipython().showtraceback = lambda *args, **kwargs: None
get_ipython().run_cell = lambda *args, **kwargs: None


def softmax(x, axis=-1):
    return np.ones(np.shape(x))
# %% attend-answer
def attend(query, keys, values):
    return np.ones(np.shape(values)[1]), np.ones(len(keys))
# %% testing-answer
def check_attend(candidate):
    return True
