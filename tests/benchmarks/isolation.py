"""Measure what isolation costs: first result of a fresh worker, its private memory at rest, and each layer by itself.

Run from anywhere: `.venv/bin/python tests/benchmarks/isolation.py --count 50`.
"""

import argparse
import ctypes
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.sandbox import seccomp
from autograder.sandbox.bare import Bare
from autograder.sandbox.levels import LEVELS
from autograder.sandbox.wall import Wall
from autograder.sandbox.workers import WORKER_UID, Budget, Level, Limits, Worker, Zygote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "autograder" / "sandbox" / "inside"))

import confine
import landlock

TARGET_MS, TARGET_MIB = 25.0, 10.0
CELL = "import numpy as np\nresult = float(np.linalg.inv(np.eye(3) + 1.0).sum())"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    count = parser.parse_args().count
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # as in grading: a process and its workers share a core
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(_levels(count))
    console.print(_layers(count))


def _levels(count: int) -> Table:
    table = Table(title=f"{count} fresh workers, from the request to fork to their first NumPy result")
    for column in ("level", "median ms", "90 % ms", "private memory at rest, MiB", f"within {TARGET_MS:g} ms"):
        table.add_column(column, justify="left" if column == "level" else "right")
    for level in LEVELS:
        times, memory = _first_results(level, count)
        median = statistics.median(times)
        rest = "not readable" if memory is None else f"{memory:.1f}"
        within = "yes" if median <= TARGET_MS else "no"
        table.add_row(level, f"{median:.1f}", f"{sorted(times)[int(0.9 * count)]:.1f}", rest, within)
    return table


def _first_results(level: Level, count: int) -> tuple[list[float], float | None]:
    times, sizes = [], []
    with Zygote(Limits(), level) as zygote:
        for _ in range(count):
            before, known = time.perf_counter(), _below(os.getpid())
            worker, budget = Worker(zygote), Budget(60.0)
            worker.ask("cell", budget.deadline(10.0), source=CELL)
            assert worker.ask("value", budget.deadline(10.0), name="result")["value"] > 0
            times.append(1000 * (time.perf_counter() - before))
            sizes += [_private(pid) for pid in _below(os.getpid()) - known]
            worker.end()
    readable = [size for size in sizes if size is not None]
    return times, statistics.median(readable) if readable else None


def _below(pid: int) -> set[int]:
    found, waiting = set(), [pid]
    while waiting:
        try:
            new = set(map(int, Path(f"/proc/{waiting[0]}/task/{waiting.pop(0)}/children").read_text().split()))
        except OSError:
            continue
        found |= new
        waiting += new
    return found


def _private(pid: int) -> float | None:
    """Return the MiB of memory that a process shares with nobody; None where only root may know."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def _layers(count: int) -> Table:
    table = Table(title="Each layer by itself, in a fresh process")
    table.add_column("layer")
    table.add_column("median ms", justify="right")
    for name, layer in _each_layer():
        taken = [_in_a_child(layer) for _ in range(count)]
        known = [one for one in taken if one is not None]
        table.add_row(name, f"{statistics.median(known):.2f}" if known else "not allowed here")
    return table


def _each_layer() -> Iterator[tuple[str, Callable[[], object]]]:
    uid = WORKER_UID if os.getuid() == 0 else 0
    room = Bare("kernel")
    settings = {**Wall().settings(True), "base": 1 << 33, "memory": 1 << 30, "disk": 32 << 20, "cpu": 120}
    roots = room.settings(True)["roots"]
    room.close()
    yield "nothing", lambda: None
    yield "a fork of this process", _fork
    yield "a pid namespace and a fork in it", _pid_namespace
    yield "mount, ipc and host name namespaces, four mounts", lambda: confine.own_view(32 << 20, uid)
    yield "Landlock, as at level full", lambda: _landlock(["/"])
    yield f"Landlock, as at level kernel ({len(roots)} folders)", lambda: _landlock(roots)
    yield "resource limits", lambda: confine.limit_resources(settings)
    yield "another user, no capabilities", lambda: confine.drop_rights(uid, False)
    yield "seccomp", _seccomp


def _pid_namespace() -> None:
    confine.check(confine.LIBC.unshare(confine.CLONE_NEWPID))
    _fork()


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _landlock(roots: list[str]) -> None:
    confine.check(confine.LIBC.prctl(confine.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    landlock.restrict(roots, (), ["/tmp", "/dev/null"])


def _seccomp() -> None:
    confine.check(confine.LIBC.prctl(confine.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    confine.filter_system_calls(seccomp.program(shared_files=False))


def _in_a_child(layer: Callable[[], object]) -> float | None:
    """Return the milliseconds that a layer takes in a fork of this process; None where it is not allowed."""
    seccomp.program(shared_files=False)  # made once, before
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            before = time.perf_counter()
            layer()
            os.write(writer, bytes(ctypes.c_double(1000 * (time.perf_counter() - before))))
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    data = os.read(reader, 8)
    os.close(reader)
    return ctypes.c_double.from_buffer_copy(data).value if len(data) == 8 else None


if __name__ == "__main__":
    main()
