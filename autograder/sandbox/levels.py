"""Find out how strongly this machine can isolate student code, by trying it in a throw-away worker."""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from autograder.errors import SandboxError
from autograder.sandbox.inside import landlock
from autograder.sandbox.workers import Budget, Level, Worker, WorkerGone, Zygote, cool, warm

LEVELS: tuple[Level, ...] = get_args(Level)
OLDEST_LANDLOCK = 3  # the first that guards a file's length
SCOPES = 6  # the first that stops signals
NOT_RECORDED = "Marks given at level practice are no marks of record: student code can read and change everything."

# Tries what no worker may do, and lists what it could.
TRY_DOORS = """
import ctypes, os, socket
def tried(what):
    try:
        return what() is not None
    except OSError:
        return False
open_doors = [name for name, what in {
    "start a process": lambda: os.fork() or os._exit(0),
    "open a socket": socket.socket, "read a file of yours": lambda: open(CANARY),
    "send a signal": lambda: os.kill(os.getpid(), 0) or 1,
    "make namespaces": lambda: ctypes.CDLL(None).unshare(0x10000000) == 0 or None,
}.items() if tried(what)]
tried(lambda: open(CANARY + "-written", "w").close())
"""


@dataclass(frozen=True)
class Isolation:
    """Say at which level student code runs, and in sentences what this machine does not give."""

    level: Level
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((f"{self.level}.", *self.missing))


def choose(wanted: Level | None = None, practice: bool = False) -> Isolation:
    """Return the strongest level that works here, or the `wanted` one; level practice only if it is allowed.

    A SandboxError says why there is none.
    """
    if wanted == "practice" and not practice:
        raise SandboxError("Level practice isolates nothing.", "Give --practice if you want just that.")
    if wanted is not None:
        return probe(wanted)
    reasons = []
    for level in LEVELS if practice else LEVELS[:-1]:
        try:
            return probe(level)
        except SandboxError as error:
            reasons.append(f"{level}: {error.message}")
    raise SandboxError(
        f"Student code cannot be isolated on this machine ({' '.join(reasons)})",
        "`autograder doctor` says what mends it. If the marks do not matter, give --practice.",
    )


def probe(level: Level) -> Isolation:
    """Go through the whole sequence of a level with one throw-away worker that tries every door; raise SandboxError."""
    if sys.platform != "linux":
        raise SandboxError("Student code is run on Linux only.", "Grade in WSL 2, a container or a virtual machine.")
    if level == "kernel" and landlock.version() < OLDEST_LANDLOCK:
        raise SandboxError(f"Landlock version {OLDEST_LANDLOCK} is needed, this kernel has {landlock.version()}.")
    with tempfile.NamedTemporaryFile(prefix="autograder-probe-") as canary:
        zygote = warm(level)
        try:
            if level != "practice":
                _refuse_open_doors(zygote, canary.name)
        except SandboxError:
            cool()
            raise
        return Isolation(level, tuple(_missing(level, zygote)))


def _refuse_open_doors(zygote: Zygote, canary: str) -> None:
    worker = Worker(zygote)
    budget = Budget(20.0)
    try:
        worker.ask("cell", budget.deadline(10.0), source=f"CANARY = {canary!r}\n{TRY_DOORS}")
        doors = worker.ask("value", budget.deadline(10.0), name="open_doors").get("value")
    except WorkerGone as gone:
        raise SandboxError(f"A worker does not answer: {gone.reason}.") from None
    finally:
        worker.end()
    written = Path(f"{canary}-written")
    if written.exists():
        written.unlink()
        doors = [*(doors or ()), "write a file beside yours"]
    if doors != []:
        raise SandboxError(f"A worker could still {', '.join(doors) if doors else 'not be asked what it can do'}.")


def _missing(level: Level, zygote: Zygote) -> Iterator[str]:
    version = landlock.version()
    if level == "practice":
        yield NOT_RECORDED
        return
    if version == 0:
        yield "This kernel has no Landlock: the wall alone guards the files."
    elif version < SCOPES:
        yield f"Landlock is version {version}: seccomp alone stops signals ({SCOPES} would too)."
    if level == "kernel":
        yield "No namespaces: student code can see which processes there are, and whether a file it can name exists."
        if zygote.room.settings(True)["search"]:
            yield "Python lies in a folder of root's own: workers keep the right to pass through folders."
