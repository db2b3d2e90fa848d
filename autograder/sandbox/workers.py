"""Start zygotes, fork workers, and ask them things under absolute deadlines."""

import atexit
import contextlib
import copy
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self

import msgpack

from autograder.errors import SandboxError
from autograder.sandbox.bare import Bare
from autograder.sandbox.inside import landlock, wire
from autograder.sandbox.wall import Wall

MAX_CALLBACKS = 20_000
WORKERS_OF_A_TWIN = 10_000_000
WORKER_UID, UIDS_PER_ZYGOTE = 720_000, 100  # unused by any distribution; workers that live at a time differ
Level = Literal["full", "kernel", "practice"]


@dataclass(frozen=True)
class Limits:
    """Bound what one submission may use: seconds for a cell, a call and in all, bytes of memory and disk."""

    cell_seconds: float = 10.0
    call_seconds: float = 5.0
    submission_seconds: float = 120.0
    memory: int = 1 << 30
    disk: int = 32 << 20

    def of_a_worker(self) -> dict[str, int]:
        """Return what the kernel holds one worker to: bytes of memory and disk, seconds of processor time."""
        return {"memory": self.memory, "disk": self.disk, "cpu": int(self.submission_seconds) + 5}


class WorkerGone(Exception):
    """Report that a worker died, broke the protocol (`reason`), or had to be ended."""

    def __init__(self, reason: str, timeout: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.timeout = reason, timeout


class Zygote:
    """Own one warm process at a level of isolation; use as a context manager."""

    def __init__(self, limits: Limits, level: Level = "full") -> None:
        self.room = Wall() if level == "full" else Bare(level)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control = ours
        self.count = 0
        self.process: subprocess.Popen[bytes] | None = subprocess.Popen(
            self.room.command(theirs.fileno()), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.room.environment, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        settings = {**self.room.settings(landlock.version() > 0), **limits.of_a_worker()}
        self.versions: dict[str, str] = self._ask(msgpack.packb(settings), 60.0)["versions"]

    def _ask(self, data: bytes, seconds: float, fds: Sequence[int] = ()) -> dict[str, Any]:
        self.control.settimeout(seconds)
        try:
            socket.send_fds(self.control, [data], list(fds))
            reply = self.control.recv(1 << 16)
        except OSError:
            reply = b""
        if not reply:
            self.close()
            pipe = self.process.stderr if self.process else None
            said = pipe.read().decode(errors="replace").strip() if pipe else ""
            raise SandboxError(
                f"The sandbox did not start: {said.splitlines()[-1] if said else 'no answer'}.",
                "Run `autograder doctor` to see what this machine lacks.",
            )
        message: dict[str, Any] = msgpack.unpackb(reply)
        return message

    def twin(self, limits: Limits, number: int, cores: Sequence[int]) -> Self:
        """Fork the warm process itself, for a process of ours that will have it on `cores` and its workers to itself.

        Twins live in one room: `number`, different for each, keeps the homes of their workers apart.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            message = {"op": "twin", "id": 0, "cores": list(cores), "limits": limits.of_a_worker()}
            self._ask(msgpack.packb(message), 10.0, [theirs.fileno()])
        twin = copy.copy(self)
        twin.control, twin.process, twin.count = ours, None, number * WORKERS_OF_A_TWIN
        return twin

    def let_go(self) -> None:
        """Close this process's end, after a fork that left it with another process of ours."""
        self.control.close()

    def fork(self) -> tuple[int, socket.socket]:
        """Fork one worker and wait until it is confined; return its number and our end of its socket."""
        self.count += 1
        ours, theirs = socket.socketpair()
        with theirs:
            message = {"op": "fork", "id": self.count, **self.room.lodge(self.count, self._uid())}
            self._ask(msgpack.packb(message), 10.0, [theirs.fileno()])
        ours.settimeout(10.0)
        try:
            said = ours.recv(500)
        except OSError:
            said = b""
        if said != b"+":
            ours.close()
            self.end(self.count)
            why = said.decode(errors="replace") or "it ended"
            raise SandboxError(f"A worker could not be confined: {why}.", "Run `autograder doctor` to see why.")
        return self.count, ours

    def _uid(self) -> int:
        """Return the unused user that the next worker becomes, 0 where only root could change the user."""
        if os.getuid() != 0:
            return 0
        return WORKER_UID + os.getpid() % 100 * UIDS_PER_ZYGOTE + self.count % UIDS_PER_ZYGOTE

    def end(self, number: int) -> None:
        """Kill a worker and all that it started, and take its files away."""
        self._ask(msgpack.packb({"op": "end", "id": number}), 10.0)
        self.room.clear(number)

    def close(self) -> None:
        """End the zygote and every worker in it, its twins included; a twin ends alone."""
        self.control.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.room.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


_WARM: dict[tuple[int, Level, Limits], Zygote] = {}  # by thread: two threads must not talk to one at a time


def warm(level: Level, limits: Limits | None = None) -> Zygote:
    """Return this thread's own zygote, started when it is first asked for."""
    key = threading.get_ident(), level, limits or Limits()
    known = _WARM.get(key)
    if known is None or (known.process is not None and known.process.poll() is not None):
        _WARM[key] = Zygote(key[2], level)
    return _WARM[key]


def adopt(twin: Zygote, level: Level, limits: Limits) -> None:
    """Have `warm` return this twin in a process that was just forked, and leave the others to its parent."""
    for zygote in _WARM.values():
        zygote.let_go()
    _WARM.clear()
    _WARM[threading.get_ident(), level, limits] = twin


def cool() -> None:
    """End every zygote that `warm` has started in this thread."""
    for key in [key for key in _WARM if key[0] == threading.get_ident()]:
        _WARM.pop(key).close()


@atexit.register
def _cool_all() -> None:
    while _WARM:
        _WARM.popitem()[1].close()


@dataclass
class Budget:
    """Count down the seconds that a submission has in all, over every fork, from the first question on."""

    seconds: float
    started: float | None = None

    def deadline(self, seconds: float) -> float:
        """Return the earlier of now + seconds and the end of the budget, on the monotonic clock."""
        now = time.monotonic()
        if self.started is None:
            self.started = now
        return min(now + seconds, self.started + self.seconds)

    @property
    def spent(self) -> bool:
        """Say whether nothing is left."""
        return self.started is not None and time.monotonic() >= self.started + self.seconds


class Worker:
    """Talk to one forked worker; any breach of the protocol ends it."""

    def __init__(self, zygote: Zygote) -> None:
        self.zygote = zygote
        self.number, self.sock = zygote.fork()
        self.alive, self.requests = True, 0

    def ask(
        self, op: str, deadline: float, callbacks: Mapping[int, Callable[..., Any]] | None = None, **content: Any
    ) -> dict[str, Any]:
        """Send one request and return its reply; serve `callbacks` meanwhile; raise WorkerGone."""
        if not self.alive:
            raise WorkerGone("the worker has ended")
        self.requests += 1
        try:
            message = wire.encode({"op": op, "id": self.requests, **content}, _only_stand_ins)
            wire.send(self.sock, message, deadline)
            return self._await_reply(deadline, callbacks or {})
        except wire.WireTimeout:
            reason, timeout = "it took too long", True
        except wire.WireClosed:
            reason, timeout = "the Python process ended", False
        except wire.WireError as error:
            reason, timeout = f"it sent {error}", False
        self.end()
        raise WorkerGone(reason, timeout)

    def _await_reply(self, deadline: float, callbacks: Mapping[int, Callable[..., Any]]) -> dict[str, Any]:
        for _ in range(MAX_CALLBACKS):
            reply = wire.decode(*wire.receive(self.sock, deadline))
            if not isinstance(reply, dict):
                raise wire.WireError("a reply that is none")
            if "callback" not in reply:
                if reply.get("id") != self.requests:
                    raise wire.WireError("a reply to no request")
                return reply
            answer = _call_back(reply, callbacks)
            wire.send(self.sock, wire.encode(answer, _only_stand_ins), deadline)
        raise wire.WireError("too many calls back")

    def end(self) -> None:
        """Kill the worker; safe to call twice."""
        if self.alive:
            self.alive = False
            self.sock.close()
            self.zygote.end(self.number)


def _only_stand_ins(value: Any) -> Any:
    if isinstance(value, (wire.Handle, wire.Callback)):
        return value
    raise wire.WireError("a value that is not data")


def _call_back(reply: dict[str, Any], callbacks: Mapping[int, Callable[..., Any]]) -> dict[str, Any]:
    number, args, kwargs = reply["callback"], reply.get("args"), reply.get("kwargs")
    known = type(number) is int and number in callbacks
    if not known or not isinstance(args, list) or not isinstance(kwargs, dict):
        raise wire.WireError("a call back to nothing it was given")
    with contextlib.suppress(Exception):
        return {"value": callbacks[number](*args, **kwargs)}
    return {"error": "ValueError"}
