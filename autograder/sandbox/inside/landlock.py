"""Restrict this process's files, network and signals with Landlock, as far as the kernel's version of it goes."""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from typing import Any

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture that Python runs on
VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_DIR, MAKE_REGULAR, REFER, TRUNCATE, IOCTL_DEVICE = 1 << 7, 1 << 8, 1 << 13, 1 << 14, 1 << 15
READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REGULAR | REFER
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # from this version on, so many kinds of access to files are handled
TCP = 0b11  # bind and connect, from version 4 on
SCOPES = 0b11  # abstract Unix sockets and signals, from version 6 on

LIBC: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def version() -> int:
    """Return the version of Landlock that this kernel offers, 0 for none."""
    return 0 if LIBC is None else max(int(LIBC.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)), 0)


def restrict(readable: Iterable[str], listable: Iterable[str], writable: Iterable[str]) -> None:
    """Leave this process only these files and folders, no TCP, and no signals to processes outside; for good.

    Needs no_new_privs. What does not exist is left out; a kernel without Landlock raises OSError.
    """
    abi = version()
    handled = (1 << max(bits for since, bits in FILE_RIGHTS.items() if since <= max(abi, 1))) - 1
    attributes = struct.pack("QQQ", handled, TCP, SCOPES)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]
    ruleset = _call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for paths, rights in ((listable, READ_DIR), (readable, READ), (writable, WRITE)):
            for path in paths:
                _allow(ruleset, path, rights & handled)
        _call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= OF_A_FILE
        _call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)


def _call(number: int, *arguments: object) -> int:
    result = int(LIBC.syscall(number, *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
