"""Stay warm and fork one worker for each request. Holds no secret, runs no student code itself.

Arguments: the control socket's number, then the folders to import from.
"""

import sys

sys.path[:0] = sys.argv[2:]

import asyncio  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import os  # noqa: E402
import select  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
from typing import Any  # noqa: E402

import confine  # noqa: E402
import landlock  # noqa: E402
import msgpack  # noqa: E402
import numpy  # noqa: E402
import worker  # noqa: E402

SECONDS_BETWEEN_LOOKS = 0.1
MAX_FILES = 4096


def main() -> None:
    """Serve the control socket until the trusted side is gone; then end every worker."""
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = msgpack.unpackb(control.recv(1 << 20))
    own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY) if settings["level"] == "full" else -1
    shell = _warm_shell()
    settings["base"] = _virtual_bytes()
    if settings["level"] == "kernel":
        confine.check(confine.LIBC.prctl(confine.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        writable = [settings["homes"], *settings["writable"]]
        landlock.restrict(settings["readable"], settings["listable"], writable)
    gc.collect()
    gc.freeze()
    control.send(msgpack.packb({"ready": True, "versions": _versions()}))
    _look_after(control, own_pids, settings, shell)


def _look_after(control: socket.socket, own_pids: int, settings: dict[str, Any], shell: Any) -> None:
    """Serve one control socket until the trusted side is gone; then end its workers."""
    children: dict[int, tuple[int, str]] = {}
    try:
        while _serve(control, own_pids, settings, shell, children):
            pass
    finally:
        for pid, _ in children.values():
            _end(pid)


def _serve(
    control: socket.socket, own_pids: int, settings: dict[str, Any], shell: Any, children: dict[int, tuple[int, str]]
) -> bool:
    """Answer one request, or look whether a worker fills the disk; say whether the trusted side is still there."""
    shared_disk = settings["level"] != "full" and children
    if shared_disk and not select.select([control], [], [], SECONDS_BETWEEN_LOOKS)[0]:
        for pid, home in children.values():
            if _size(home) > settings["disk"]:
                os.kill(pid, signal.SIGKILL)
        return True
    data, fds, _, _ = socket.recv_fds(control, 1 << 16, 1)
    if not data:
        return False
    message = msgpack.unpackb(data)
    if message["op"] == "twin":
        _twin(fds[0], control, own_pids, {**settings, **message["limits"]}, shell, message["cores"])
        os.close(fds[0])
    elif message["op"] == "fork":
        pid = _fork(fds[0], control, own_pids, settings, shell, message)
        children[message["id"]] = pid, message["home"]
        os.close(fds[0])
    else:
        _end(children.pop(message["id"])[0])
    control.send(msgpack.packb({"id": message["id"]}))
    return True


def _twin(
    fd: int, control: socket.socket, own_pids: int, settings: dict[str, Any], shell: Any, cores: list[int]
) -> None:
    """Fork this warm process for another process of the trusted side, which holds the other end of `fd`."""
    if os.fork() == 0:
        try:
            control.close()
            os.sched_setaffinity(0, cores)
            _look_after(socket.socket(fileno=fd), own_pids, settings, shell)
        finally:
            os._exit(0)


def _fork(
    fd: int, control: socket.socket, own_pids: int, settings: dict[str, Any], shell: Any, message: dict[str, Any]
) -> int:
    if own_pids >= 0:
        confine.check(confine.LIBC.unshare(confine.CLONE_NEWPID))
    pid = os.fork()
    if pid == 0:
        try:
            control.detach()
            _let_go_of_files(fd)
            _become_worker(socket.socket(fileno=3), settings, shell, message)
        finally:
            os._exit(0)
    if own_pids >= 0:
        confine.check(confine.LIBC.setns(ctypes.c_int(own_pids), confine.CLONE_NEWPID))
    return pid


def _become_worker(sock: socket.socket, settings: dict[str, Any], shell: Any, message: dict[str, Any]) -> None:
    """Confine this process, say so (or what stood in the way), and serve."""
    loop = asyncio.new_event_loop()  # its own: one made before the fork would share its file descriptors
    asyncio.set_event_loop(loop)
    os.environ.update(HOME=message["home"], TMPDIR=message["temporary"])
    try:
        confine.confine(settings, message["uid"], message["home"])
    except OSError as error:
        sock.sendall(str(error).encode())
        return
    sock.sendall(b"+")
    worker.Worker(sock, shell, loop).serve()


def _let_go_of_files(fd: int) -> None:
    """Keep the worker's socket, as number 3, and nothing else that was open."""
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    if fd != 3:
        os.dup2(fd, 3, inheritable=False)
    os.closerange(4, 1024)


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _size(folder: str) -> float:
    """Return the bytes that lie in a worker's folder; what holds too many files or cannot be read is infinite."""
    total, seen, waiting = 0, 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MAX_FILES:
                        return float("inf")
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += 512 * entry.stat(follow_symlinks=False).st_blocks
        except FileNotFoundError:
            continue
        except OSError:
            return float("inf")
    return total


def _warm_shell() -> Any:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    shell = worker.make_shell()
    worker.warm(shell, loop)
    loop.close()
    return shell


def _virtual_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _versions() -> dict[str, str]:
    import IPython

    return {"python": sys.version.split()[0], "numpy": numpy.__version__, "ipython": IPython.__version__}


main()
