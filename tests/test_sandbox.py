"""Real workers behind the real wall: what they can do, what they cannot, and how they end."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autograder.sandbox.student import Handle, Notebook, Student, StudentError, StudentMissing, StudentTimeout
from autograder.sandbox.workers import Budget, Limits, Zygote

LIMITS = Limits(cell_seconds=1.5, call_seconds=1.0, submission_seconds=30.0)


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote(LIMITS) as started:
        yield started


@pytest.fixture
def run(zygote: Zygote) -> Iterator[object]:
    opened: list[Notebook] = []

    def start(*cells: str, **supplied: object) -> Student:
        numbered = list(enumerate(cells, start=1))
        notebook = Notebook(zygote, numbered, LIMITS, Budget(LIMITS.submission_seconds), supplied=supplied)  # type: ignore[arg-type]
        opened.append(notebook)
        return Student(notebook, [])

    yield start
    for notebook in opened:
        notebook.close()


def test_a_function_is_called_with_arrays_and_gives_arrays(run) -> None:
    student = run("import numpy as np\ndef twice(x, *, by=2):\n    return np.asarray(x) * by, 'ok'")
    values, word = student.twice(np.arange(3.0), by=3)
    assert values.tolist() == [0.0, 3.0, 6.0] and word == "ok"


def test_each_case_is_answered_as_it_was_when_it_returned(run) -> None:
    student = run(
        "import numpy as np\nout = np.zeros(2)",
        "def fill(x):\n    out[:] = x\n    return out",
        "def spoil(x):\n    x[0] = 9\n    return [out, x.sum()]",
    )
    assert [part.tolist() for part in student.fill.each([(1.0,), (2.0,)])] == [[1.0, 1.0], [2.0, 2.0]]
    assert [part[1] for part in student.spoil.each([(np.ones(2),), (np.zeros(3),)])] == [10.0, 9.0]
    assert student.mutated == (0,)
    assert [call.value.tolist() for call in student._calls[:2]] == [[1.0, 1.0], [2.0, 2.0]]
    assert [call.mutated for call in student._calls] == [(), (), (0,), (0,)]


def test_the_first_case_that_stops_is_the_last(run) -> None:
    student = run("seen = []\ndef f(x):\n    seen.append(x)\n    return 1 // x")
    with pytest.raises(StudentError) as caught:
        student.f.each([(1,), (0,), (2,)])
    assert caught.value.kind == "ZeroDivisionError"
    assert student.value("seen") == [1, 0]
    assert [call.error for call in student._calls] == [None, "ZeroDivisionError"]
    with pytest.raises(StudentMissing):
        student.g.each([(1,)])


def test_a_result_that_holds_itself_is_a_failed_case_and_no_crash(run) -> None:
    student = run("def f(x):\n    x = [x]\n    x.append(x)\n    return x", "count = 0")
    student._notebook.start()
    first = student._notebook.worker
    with pytest.raises(StudentError) as caught:
        student.f.each([(1,)])
    assert caught.value.kind == "RecursionError"
    assert student._notebook.worker is first and student.value("count") == 0


def test_cases_call_back_and_share_the_time_of_one_call(run) -> None:
    slow = "import time\ndef slow(x):\n    time.sleep(0.4)\n    return x"
    student = run(slow, "def use(f, x):\n    return f(x) + 1")
    assert student.use.each([(lambda x: x * 2, 1), (lambda x: x * 3, 2)]) == [3, 7]
    with pytest.raises(StudentTimeout):
        student.slow.each([(1,)] * 4)


def test_a_fresh_worker_is_made_only_when_one_was_asked(run) -> None:
    student = run("count = 0", "def f():\n    global count\n    count += 1\n    return count")
    student._notebook.restart()
    assert (student.f(), student.f()) == (1, 2)
    student._notebook.restart()
    assert student.f() == 1


def test_cells_run_as_in_ipython(run) -> None:
    student = run("6 * 7", "answer = _", "import asyncio\nawait asyncio.sleep(0)\nlater = 1", "%time x = 3",
                  "!echo hello", "%%bash\nls", "%pip install torch", "exit", "after = 2")  # fmt: skip
    assert [student.value(n) for n in ("answer", "later", "x", "after")] == [42, 1, 3, 2]


def test_a_failing_cell_is_recorded_and_the_next_one_runs(run) -> None:
    student = run("a = 1\nraise KeyError('k')", "def f(:", "input()", "b = 2")
    assert student.value("b") == 2
    outcomes = student._notebook.outcomes
    assert [outcomes[i].error for i in (1, 2, 3)] == ["KeyError", "SyntaxError", "EOFError"]
    assert outcomes[1].line == 2


def test_a_cell_that_hangs_is_skipped_in_later_forks(run) -> None:
    student = run("a = 1", "while True: pass", "b = 2")
    start = time.monotonic()
    assert student.value("b") == 2
    student._notebook.restart()
    assert student.value("a") == 1
    assert time.monotonic() - start < 2 * LIMITS.cell_seconds


def test_a_function_that_timed_out_is_not_called_again(run) -> None:
    student = run("def slow():\n    while True: pass", "def quick(): return 1")
    with pytest.raises(StudentTimeout):
        student.slow()
    start = time.monotonic()
    with pytest.raises(StudentTimeout, match="earlier"):
        student.slow()
    assert time.monotonic() - start < 0.2
    assert student.quick() == 1


def test_a_name_that_no_cell_defines_is_missing(run) -> None:
    student = run("x = 1")
    with pytest.raises(StudentMissing):
        student.nothing()


@pytest.mark.parametrize(("body", "kind"), [
    ("raise ValueError('no')", "ValueError"), ("raise SystemExit", "SystemExit"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("import os; os._exit(0)", "SystemExit"), ("import ctypes; ctypes.string_at(1)", "SystemExit"),
    ("return np.ones(5 * 10**9)", "MemoryError"), ("return np.ones(2**23 + 1)", "WireError"),
    ("class Mine(LookupError): pass\n    raise Mine('secret')", "LookupError"),
])  # fmt: skip
def test_trouble_in_a_call_is_a_failed_call(run, body: str, kind: str) -> None:
    student = run(f"import numpy as np\ndef f():\n    {body}", "def g(): return 5")
    with pytest.raises(StudentError) as caught:
        student.f()
    assert caught.value.kind == (kind if kind != "WireError" else "Exception")
    assert "secret" not in str(caught.value)
    assert student.g() == 5


@pytest.mark.parametrize("code", [
    "import os; os.fork()", "import subprocess; subprocess.run(['/bin/ls'])", "import socket; socket.socket()",
    "import socket; socket.socket(socket.AF_UNIX)", "import os; os.kill(1, 9)", "import os; os.kill(-1, 9)",
    "import os; os.execv('/bin/true', ['true'])", "import os; open('/inside/x', 'w')", "open('/x', 'w')",
    "open('/usr/x', 'w')", "import multiprocessing; multiprocessing.Process(target=print).start()",
    "import os; os.setuid(0)", "import os; os.listdir('/root')", "import os; os.listdir('/proc/1')",
    "import torch", "import scipy", "import pytest", "import autograder",
    "import ctypes, os\nif ctypes.CDLL(None).unshare(0x10000000): raise OSError",
    "import ctypes\nif ctypes.CDLL(None).ptrace(0, 0, 0, 0): raise OSError",
])  # fmt: skip
def test_what_a_worker_cannot_do(run, code: str) -> None:
    body = "\n".join(f"    {line}" for line in code.splitlines())
    student = run(f"def attempt():\n{body}")
    with pytest.raises(StudentError):
        student.attempt()


def test_a_worker_sees_no_environment_no_repository_and_nobody_else(run, monkeypatch) -> None:
    monkeypatch.setenv("AUTOGRADER_SECRET", "do not tell")
    student = run(
        "import os\n"
        "def look():\n"
        "    found = [f for top in ('/', '/home', '/tmp', '/proc') for f in os.listdir(top)]\n"
        "    files = [f for _, _, names in os.walk('/') for f in names]\n"
        "    walked = [f for f in files if 'misconception' in f or 'test_softmax' in f]\n"
        "    return dict(os.environ), found, walked, os.getpid(), len(os.listdir('/proc'))"
    )
    environment, found, walked, pid, processes = student.look()
    assert "do not tell" not in str(environment)
    assert not walked and pid == 1 and processes == 0
    assert Path(__file__).parts[1] not in found or Path(__file__).parts[1] in ("usr", "home", "tmp")


def test_files_of_one_worker_are_gone_for_the_next(run) -> None:
    write = "import os\nfor place in ('/home/a', '/tmp/a'):\n    open(place, 'w').write('left')"
    write += "\nhere = os.listdir('/home')"
    assert run(write).value("here") == ["a"]
    assert run("import os\nseen = os.listdir('/home') + os.listdir('/tmp')").value("seen") == []


def test_changed_arguments_are_told(run) -> None:
    student = run("def f(a, b):\n    b[0] = 9\n    return a")
    given = np.zeros(3)
    student.f(np.zeros(2), given)
    assert student.mutated == (1,) and given[0] == 0


CACHE = """
import numpy as np
class Cache(list):
    limit = 3
    def append(self, x, y=None): self.kept = np.asarray(x); list.append(self, 1)
    def total(self): return float(self.kept.sum())
    def fork(self): return Cache(self)
    @property
    def nbytes(self): return self.kept.nbytes
    @property
    def broken(self): raise ValueError
def plain(): return [1]
"""


def test_an_object_stays_and_its_methods_and_attributes_are_asked_by_handle(run) -> None:
    student = run(CACHE)
    cache = student.Cache()
    assert isinstance(cache, Handle) and student.plain() == [1]
    student.method(cache, "append", np.ones(3))
    fork = student.method(cache, "fork")
    assert isinstance(fork, Handle) and fork != cache
    student.method(fork, "append", np.ones(4))
    assert student.method(cache, "__len__") == 1 and student.method(fork, "__len__") == 2
    assert (student.method(cache, "nbytes"), student.method(fork, "nbytes")) == (24, 32)
    assert student.method(cache, "limit") == 3
    for lacking in (lambda: student.method(cache, "nothing"), lambda: student.method(Handle(99, "object"), "plain")):
        with pytest.raises(StudentMissing, match="the object has no"):
            lacking()
    with pytest.raises(StudentError) as caught:
        student.method(cache, "broken")
    assert caught.value.kind == "ValueError"
    assert [call.owner for call in student._calls[:3]] == [None, None, cache]


def test_lent_arrays_are_overwritten_once_the_call_is_done(run) -> None:
    student = run(CACHE)
    cache, given = student.Cache(), np.ones(3)
    student.method(cache, "append", given)
    assert student.method(cache, "total") == 3
    student.lend(cache, "append", given, [1.0])
    assert student.method(cache, "total") == 0 and student.mutated == () and given.all()
    assert [call.overwritten for call in student._calls[1:4]] == [False, False, True]


def test_functions_cross_as_callbacks_for_one_call_only(run) -> None:
    student = run("kept = []\ndef ask(f):\n    kept.append(f)\n    return f(3)\ndef again():\n    return kept[0](3)")
    assert student.ask(lambda x: x + 1) == 4
    with pytest.raises(StudentError):
        student.again()


@pytest.mark.parametrize("dtype", ["float16", np.float16, np.dtype("float16")])
def test_a_dtype_crosses_as_itself_in_any_form(run, dtype) -> None:
    cell = "def f(dtype):\n    return str(type(dtype)), np.zeros(2, dtype=dtype), np.dtype(dtype).type"
    student = run("import numpy as np", cell)
    kind, zeros, scalar = student.f(dtype)
    assert kind == str(type(dtype)) and zeros.dtype == np.float16 and scalar is np.float16


def test_supplied_names_replace_the_student_s(run) -> None:
    student = run("def base(x): return -1\ndef built(x): return base(x) + 1", base=lambda x: x * 10)
    assert student.built(2) == 21


def test_a_call_back_computes_on_little_only(run) -> None:
    calls = []
    student = run("import numpy as np\ndef built(n): return base(np.ones(n))", base=lambda x: calls.append(x.size) or 1)
    assert student.built(1000) == 1
    with pytest.raises(StudentError):
        student.built(100_000)
    student.go_large()
    assert student.built(100_000) == 1
    with pytest.raises(StudentError):
        student.built(600_000)
    assert calls == [1000, 100_000]


@pytest.mark.parametrize("frame", [
    "{'callback': []}", "{'callback': 7, 'args': [], 'kwargs': {}}", "[1]", "{'id': 99}", "{}",
])  # fmt: skip
def test_a_forged_frame_ends_the_worker_and_fails_the_call(run, frame: str) -> None:
    student = run(
        "import gc, sys\n"
        "wire = sys.modules['wire']\n"
        "worker = next(o for o in gc.get_objects() if type(o).__name__ == 'Worker' and hasattr(o, 'sock'))\n"
        f"def f():\n    wire.send(worker.sock, wire.encode({frame}, None))\n    return 1\n"
        "def g(): return 2"
    )
    with pytest.raises(StudentError):
        student.f()
    assert student.g() == 2


def test_output_is_kept_short(run) -> None:
    student = run("print('x' * 50_000_000)", "def f():\n    print('y' * 10_000_000)\n    return 1")
    assert student.f() == 1
    assert len(student._notebook.output) <= 4000


def test_nothing_is_left_running(zygote) -> None:
    with Zygote(LIMITS) as other:
        notebook = Notebook(other, [(1, "x = 1")], LIMITS, Budget(10))
        Student(notebook, []).value("x")
        process = other.process
    assert process.poll() is not None
