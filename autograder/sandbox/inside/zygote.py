"""Stay warm inside the wall and fork one worker for each request. Holds no secret, runs no student code itself."""

import asyncio
import ctypes
import gc
import os
import signal
import socket
import sys
from typing import Any

sys.path[:0] = ["/inside", "/packages"]

import confine  # noqa: E402
import msgpack  # noqa: E402
import numpy  # noqa: E402
import worker  # noqa: E402


def main() -> None:
    """Serve the control socket given as the first argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = msgpack.unpackb(control.recv(1 << 20))
    own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    shell = worker.make_shell()
    worker.warm(shell, loop)
    settings["base"] = _virtual_bytes()
    gc.collect()
    gc.freeze()
    control.send(msgpack.packb({"ready": True, "versions": _versions()}))
    children: dict[int, int] = {}
    while True:
        data, fds, _, _ = socket.recv_fds(control, 1 << 16, 1)
        if not data:
            return
        message = msgpack.unpackb(data)
        if message["op"] == "fork":
            children[message["id"]] = _fork(fds[0], control, own_pids, settings, shell, loop, message["id"])
            os.close(fds[0])
        else:
            _end(children.pop(message["id"]))
        control.send(msgpack.packb({"id": message["id"]}))


def _fork(fd: int, control: socket.socket, own_pids: int, settings: dict[str, Any], *rest: Any) -> int:
    shell, loop, number = rest
    confine.check(confine.LIBC.unshare(confine.CLONE_NEWPID))
    pid = os.fork()
    if pid == 0:
        try:
            control.close()
            os.close(own_pids)
            sock = socket.socket(fileno=fd)
            uid = settings["uid"] + number % 10000 if settings["uid"] else 0
            confine.confine({**settings, "uid": uid})
            worker.Worker(sock, shell, loop).serve()
        except BaseException as error:
            if os.environ.get("ZYGOTE_DEBUG"):
                os.write(2, f"worker: {error!r}\n".encode())
        finally:
            os._exit(0)
    confine.check(confine.LIBC.setns(ctypes.c_int(own_pids), confine.CLONE_NEWPID))
    return pid


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _virtual_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _versions() -> dict[str, str]:
    import IPython

    return {"python": sys.version.split()[0], "numpy": numpy.__version__, "ipython": IPython.__version__}


main()
