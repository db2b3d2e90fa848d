"""Take away from a fresh worker everything that student code does not need."""

import ctypes
import os
import resource
import signal
from typing import Any

import landlock

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID = 0x00020000, 0x04000000, 0x08000000, 0x20000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x4000, 1 << 18
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP = 1, 4, 8, 22
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
CAP_DAC_READ_SEARCH = 2

LIBC = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def check(result: int) -> int:
    """Raise OSError when a libc call failed."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def confine(settings: dict[str, Any], uid: int, home: str) -> None:
    """Give this process its own view of the machine, drop its rights, and lock the door (seccomp last).

    `settings["level"]` decides: full makes namespaces and mounts, kernel relies on Landlock and seccomp, practice
    leaves the resource limits only.
    """
    level = settings["level"]
    if level == "full":
        own_view(settings["disk"], uid)
    os.chdir(home)
    if level != "practice":
        check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        if settings["landlock"]:
            landlock.restrict(settings["roots"], (), [home, *settings["writable"]])
    limit_resources(settings)
    drop_rights(uid, settings["search"])
    check(LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
    check(LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if level != "practice":
        filter_system_calls(settings["seccomp"])


def own_view(disk: int, uid: int) -> None:
    """Enter own mount, ipc and host name namespaces, with an empty home of `disk` bytes and an empty /proc."""
    check(LIBC.unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS))
    check(LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    owner = f",uid={uid},gid={uid}" if uid else ""
    _tmpfs(b"/home", f"size={disk},nr_inodes=4096,mode=0700{owner}", 0)
    _tmpfs(b"/tmp", f"size=16m,nr_inodes=1024,mode=0700{owner}", 0)
    _tmpfs(b"/proc", "size=4k,mode=0555", MS_RDONLY)
    _tmpfs(b"/dev/shm", "size=4k,mode=0555", MS_RDONLY)


def _tmpfs(target: bytes, options: str, flags: int) -> None:
    flags |= MS_NOSUID | MS_NODEV | MS_NOEXEC
    check(LIBC.mount(b"tmpfs", target, b"tmpfs", flags, options.encode()))


def limit_resources(settings: dict[str, Any]) -> None:
    """Bound memory, processor time, files, threads and core dumps of this process."""
    for kind, value in (
        (resource.RLIMIT_AS, settings["base"] + settings["memory"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, settings["cpu"]),
        (resource.RLIMIT_FSIZE, settings["disk"]),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_NPROC, settings["threads"]),
    ):
        resource.setrlimit(kind, (value, value))


def drop_rights(uid: int, search: bool) -> None:
    """Become the user `uid` (0: stay) without any capability; `search` keeps the right to pass through folders."""
    if uid:
        check(LIBC.prctl(PR_SET_KEEPCAPS, int(search), 0, 0, 0))
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    else:
        for capability in range(64):
            LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    kept = 1 << CAP_DAC_READ_SEARCH if search and uid else 0
    header, data = _CapHeader(0x20080522, 0), (ctypes.c_uint32 * 6)(kept, kept)
    check(LIBC.capset(ctypes.byref(header), ctypes.byref(data)))


def filter_system_calls(program: bytes) -> None:
    """Load the BPF program that refuses system calls."""
    buffer = ctypes.create_string_buffer(program, len(program))
    filled = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    check(LIBC.prctl(PR_SET_SECCOMP, 2, ctypes.byref(filled), 0, 0))
