"""Run one notebook's cells and answer calls to what they defined. Everything here shares a process with the student."""

import ast
import asyncio
import builtins
import contextlib
import os
import socket
import sys
import threading
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import wire
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

OUTPUT_CHARS = 8000
DISPLAY_MAGICS = ("matplotlib", "pylab", "config", "load_ext", "reload_ext")
ERRORS = np.geterr()
QUIET = [("ignore", None, Warning, None, 0)]  # what `simplefilter("ignore")` leaves in `warnings.filters`
SKIPPED_MAGICS = (
    "bash", "sh", "script", "system", "sx", "pip", "conda", "mamba", "uv", "perl", "ruby", "cmd", "!", "reset",
    "reset_selective",
)


class Tail:
    """Keep the last characters that were printed, never more than a fixed number."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        """Add text."""
        self.text = (self.text + str(text)[-OUTPUT_CHARS:])[-OUTPUT_CHARS:]
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Add each line."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Do nothing: there is nothing behind."""

    def isatty(self) -> bool:
        """Say that this is no terminal."""
        return False

    def take(self) -> str:
        """Return what was kept and start afresh."""
        text, self.text = self.text, ""
        return text


def make_shell() -> Any:
    """Make the one IPython shell, with no history, no colours, no shell commands."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.autoindent = False
    shell: Any = InteractiveShell.instance(config=config)  # its methods are replaced below
    shell.system = shell.system_raw = shell.system_piped = _skip_command
    shell.getoutput = _skip_command
    shell.ask_exit = lambda: None
    for name in SKIPPED_MAGICS:
        shell.register_magic_function(lambda line="", cell=None: _skip_command(line), "line_cell", name)
    shell.run_line_magic = _forgiving(shell.run_line_magic)
    builtins.input = _no_input
    return shell


def _forgiving(run: Callable[..., Any]) -> Callable[..., Any]:
    """Pass over a magic that is unknown here or lacks its package; the cell goes on."""

    def run_line_magic(name: str, line: str, _stack_depth: int = 1) -> Any:
        try:
            return run(name, line, _stack_depth + 1)
        except (ImportError, UsageError) as error:
            if isinstance(error, ImportError) and name not in DISPLAY_MAGICS:
                raise
            print(f"(%{name} was skipped: {error})")

    return run_line_magic


def _skip_command(command: Any = "", *_: Any, **__: Any) -> list[str]:
    print("(commands are not run when a notebook is graded; this line was skipped)")
    return []


def _no_input(*_: Any) -> str:
    raise EOFError("input() has nobody to ask when a notebook is graded")


class Worker:
    """Serve requests from the trusted side over one socket."""

    def __init__(self, sock: socket.socket, shell: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.sock, self.shell, self.loop = sock, shell, loop
        self.output = Tail()
        self.kept: dict[int, Any] = {}
        self.lock = threading.RLock()
        self.error: BaseException | None = None

    def serve(self) -> None:
        """Answer requests until the trusted side is gone."""
        sys.stdout = sys.stderr = self.output
        self.shell.showtraceback = self._remember_error
        self.shell.showsyntaxerror = self._remember_error
        sys.path.insert(0, "")
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "cell": self._cell, "call": self._call, "calls": self._calls, "value": self._value, "supply": self._supply,
            "files": self._files,
        }
        while True:
            request = wire.decode(*wire.receive(self.sock))
            reply = answers[request["op"]](request)
            reply["output"] = self.output.take()
            self._reply(request["id"], reply)

    def _reply(self, request: int, reply: dict[str, Any]) -> None:
        try:
            message = wire.encode({"id": request, **reply}, self._keep)
        except (wire.WireError, MemoryError, RecursionError) as error:
            message = wire.encode({"id": request, "error": _describe(error), "output": ""}, self._keep)
        wire.send(self.sock, message)

    def _keep(self, value: Any) -> wire.Handle:
        if isinstance(value, wire.Handle):
            return value
        handle = wire.Handle(len(self.kept) + 1, _kind(value))
        self.kept[handle.id] = value
        return handle

    def _remember_error(self, *_: Any, **__: Any) -> None:
        self.error = sys.exc_info()[1]

    def _cell(self, request: dict[str, Any]) -> dict[str, Any]:
        source: str | None = request["source"]
        first: dict[str, Any] | None = None
        while source is not None:
            self.error = None
            try:
                self.loop.run_until_complete(self._run_cell(source))
            except BaseException as error:
                self.error = error
            if self.error is not None:
                told = _describe(self.error, self.shell.user_ns)
                first = {**first, "message": f"{first['message']}; {told['message']}"[:500]} if first else told
            source = self._after_missing_package(source)
        return {} if first is None else {"error": first}

    def _after_missing_package(self, source: str) -> str | None:
        """Return what is left of a cell when an import of its own failed for want of a package, else None."""
        if not isinstance(self.error, ModuleNotFoundError):
            return None
        line = _describe(self.error, self.shell.user_ns)["line"]
        source = self._transform(source)
        for statement in ast.parse(source).body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)) and statement.lineno == line:
                return _rest(source, statement, self.error.name or "")
        return None

    async def _run_cell(self, source: str) -> None:
        result = await self.shell.run_cell_async(source, store_history=True, transformed_cell=self._transform(source))
        self.error = result.error_before_exec or result.error_in_exec or self.error

    def _transform(self, source: str) -> str:
        """Turn IPython's own syntax into Python; plain Python, the usual case, needs none of its slow tokenizing."""
        try:
            ast.parse(source)
            return source
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        try:
            return str(self.shell.transform_cell(source))
        except Exception:
            return source

    def _files(self, request: dict[str, Any]) -> dict[str, Any]:
        """Put files beside the notebook, as they lie beside it in JupyterLab."""
        for name, data in request["files"].items():
            with contextlib.suppress(OSError, ValueError):
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                with open(name, "wb") as file:
                    file.write(data.tobytes())
        return {}

    def _value(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["name"] not in self.shell.user_ns:
            return {"missing": True}
        return {"value": self.shell.user_ns[request["name"]]}

    def _supply(self, request: dict[str, Any]) -> dict[str, Any]:
        for name, callback in request["names"].items():
            self.shell.user_ns[name] = self._bind(callback)
        return {}

    def _call(self, request: dict[str, Any]) -> dict[str, Any]:
        name, handle = request["name"], request["owner"]
        try:
            owner = None if handle is None else self.kept[handle.id]
            target = self.shell.user_ns[name] if handle is None else getattr(owner, name)
        except (KeyError, AttributeError):
            return {"missing": True}
        except BaseException as error:  # out of a property
            return {"error": _describe(error, self.shell.user_ns)}
        args, kwargs = self._bind(request["args"]), self._bind(request["kwargs"])
        if handle is not None and not args and not callable(target):
            return {"value": target}
        reply = self._answer(target, args, kwargs, owner)
        if request["overwrite"]:
            _overwrite(args)
        return reply

    def _calls(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call one function for each case; the first that raises is the last."""
        if request["name"] not in self.shell.user_ns:
            return {"missing": True}
        target, replies = self.shell.user_ns[request["name"]], []
        for args in request["cases"]:
            replies.append(self._answer(lambda *given: _as_it_is_now(target(*given)), self._bind(args), {}))
            if "error" in replies[-1]:
                break
        return {"replies": replies}

    def _answer(
        self, target: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], owner: Any = None
    ) -> dict[str, Any]:
        _calm()
        before = [_snapshot(arg) for arg in args]
        try:
            reply: dict[str, Any] = {"value": self._own(target(*args, **kwargs), target, owner)}
        except BaseException as error:
            reply = {"error": _describe(error, self.shell.user_ns)}
        pairs = enumerate(zip(args, before, strict=True))
        reply["mutated"] = [i for i, (arg, old) in pairs if old is not None and _snapshot(arg) != old]
        return reply

    def _own(self, value: Any, target: Any, owner: Any) -> Any:
        """Keep here what a class of the notebook makes, or one of its methods: even if it is a kind of list, say."""
        maker = target if isinstance(target, type) else type(owner)
        return self._keep(value) if type(value) is maker and maker.__module__ == "__main__" else value

    def _bind(self, value: Any) -> Any:
        if isinstance(value, wire.Callback):
            return lambda *args, **kwargs: self._call_back(value.id, args, kwargs)
        if isinstance(value, wire.Handle):
            return self.kept[value.id]
        if isinstance(value, (list, tuple)):
            return type(value)(self._bind(item) for item in value)
        if isinstance(value, dict):
            return {key: self._bind(item) for key, item in value.items()}
        return value

    def _call_back(self, callback: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self.lock:
            request = {"callback": callback, "args": list(args), "kwargs": kwargs}
            wire.send(self.sock, wire.encode(request, self._keep))
            reply = wire.decode(*wire.receive(self.sock))
        if "error" in reply:
            raise getattr(builtins, reply["error"])("the function that was passed in failed")
        return self._bind(reply["value"])


def _calm() -> None:
    """Put NumPy's error modes and the warnings back, which a notebook may have changed for the whole process."""
    if np.geterr() != ERRORS:
        np.seterr(**ERRORS)
    if warnings.filters != QUIET:
        warnings.resetwarnings()
        warnings.simplefilter("ignore")


def _rest(source: str, failed: ast.Import | ast.ImportFrom, package: str) -> str:
    """Return the cell from behind a failed import on, the other packages of the same line included."""
    last = failed.end_lineno or failed.lineno
    names = [alias for alias in failed.names if alias.name.split(".")[0] != package.split(".")[0]]
    others = [ast.unparse(ast.Import([alias])) for alias in names] if isinstance(failed, ast.Import) else []
    return "\n".join(["; ".join(others), *[""] * (last - 1), *source.split("\n")[last:]])


def _snapshot(value: Any) -> Any:
    """Return what tells whether a call changed this argument; None for what cannot change."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, (list, dict)):
        return repr(value)[:1_000_000]
    return None


def _as_it_is_now(value: Any) -> Any:
    """Copy arrays and what holds them: the next call may write into the same memory."""
    if isinstance(value, np.ndarray):
        return np.array(value, subok=True)
    if type(value) in (list, tuple):
        return type(value)(_as_it_is_now(item) for item in value)
    return value


def _overwrite(args: list[Any]) -> None:
    for arg in args:
        if isinstance(arg, np.ndarray) and arg.flags.writeable:
            arg.fill(0)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "text array" if value.dtype.kind in "US" else "object array"
    for kind, types_ in (
        ("function", (types.FunctionType, types.BuiltinFunctionType, types.MethodType)),
        ("generator", (types.GeneratorType, map, filter, zip)),
        ("coroutine", (types.CoroutineType,)),
        ("class", (type,)),
    ):
        if isinstance(value, types_):
            return kind
    return "object"


def _describe(error: BaseException, namespace: dict[str, Any] | None = None) -> dict[str, Any]:
    """Say which built-in kind of error this is, its text, and the line of the student's cell."""
    kind = next((k.__name__ for k in type(error).__mro__ if getattr(builtins, k.__name__, None) is k), "Exception")
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)[:500]  # without a made-up file name
    except BaseException:
        message = ""
    line = error.lineno if isinstance(error, SyntaxError) else None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_globals is namespace:
            line = number
    return {"kind": kind, "message": message, "line": line}


def warm(shell: Any, loop: asyncio.AbstractEventLoop) -> None:
    """Run once what every notebook runs, so that each fork starts with it loaded."""
    worker = Worker(socket.socket(socket.AF_UNIX), shell, loop)
    stdout, sys.stdout = sys.stdout, worker.output
    shell.showtraceback = worker._remember_error
    for source in ("1 + 1", "1 / 0", "import asyncio\nawait asyncio.sleep(0)", "def f(:", "%time 1", "print('x')"):
        worker._cell({"source": source})
    sys.stdout = stdout
    shell.reset(new_session=True)
    shell.execution_count = 1
    shell.user_ns.update({"_": "", "__": "", "___": ""})
    np.linalg.inv(np.eye(3) + 1.0)
    np.random.default_rng(0).normal(size=(4, 4)) @ np.ones((4, 4))
    np.einsum("ij,jk->ik", np.eye(2), np.eye(2))
    np.testing.assert_allclose(np.ma.getdata(np.ones(2)), 1.0)
