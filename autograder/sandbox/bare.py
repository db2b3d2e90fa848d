"""Start the zygote without a wall: level kernel (Landlock and seccomp guard it), level practice (nothing does)."""

import contextlib
import itertools
import os
import tempfile
from pathlib import Path
from typing import Any, Literal

from autograder.errors import SandboxError
from autograder.sandbox import python, seccomp

THREADS = 64
PREFIX = "autograder-room-"
READABLE = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/etc/ld.so.cache", "/etc/localtime",
            "/etc/mime.types", "/usr/share/zoneinfo")  # fmt: skip


class Bare:
    """Hold a zygote on the machine as it is, with a temporary folder for links to packages and for workers' homes."""

    def __init__(self, level: Literal["kernel", "practice"]) -> None:
        self.level = level
        _remove_abandoned()
        self.folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")))
        self.homes, self.packages = self.folder / "homes", self.folder / "packages"
        self.folder.chmod(0o711)
        self.homes.mkdir(mode=0o711)
        self.packages.mkdir(mode=0o755)
        for path in python.package_paths():
            (self.packages / path.name).symlink_to(os.path.realpath(path))
        library = str(python.prefix() / "lib") if python.own_libraries() else None
        self.environment: dict[str, str] | None = python.environment(str(self.folder), library)

    def command(self, control_fd: int) -> list[str]:
        """Return the command that starts the zygote, with `control_fd` open in it."""
        inside = str(python.INSIDE)
        return [str(python.interpreter()), "-I", "-S", "-B", f"{inside}/zygote.py", str(control_fd), inside,
                str(self.packages)]  # fmt: skip

    def settings(self, landlock: bool) -> dict[str, Any]:
        """Return what the zygote is told about the room that it is in.

        `readable` is exact and binds the zygote and all workers; `roots` are the few folders above it, and bind each
        worker in addition: they leave out the homes of the others.
        """
        standard = python.standard_library()
        modules = [path for path in standard.iterdir() if path.name not in ("site-packages", "dist-packages")]
        packages = [Path(os.path.realpath(path)) for path in python.package_paths()]
        libraries = [*python.shared_libraries(), *Path("/lib").resolve().glob("*-linux-gnu*")]
        libraries += python.own_libraries()
        common = [python.INSIDE, self.packages, *libraries, *map(Path, READABLE)]
        return {
            "level": self.level, "landlock": landlock, "writable": ["/dev/null"], "homes": str(self.homes),
            "readable": _texts([*common, *modules, *packages]), "listable": [str(standard)],
            "roots": _texts([*common, standard, *{path.parent for path in packages}]),
            "threads": THREADS + (0 if os.getuid() == 0 else _own_threads()), "search": self.searches,
            "seccomp": seccomp.program(shared_files=True) if self.level == "kernel" else b"",
        }  # fmt: skip

    @property
    def searches(self) -> bool:
        """Tell whether Python lies in a folder that only root may enter, so that workers must keep that right."""
        paths = [python.prefix(), python.INSIDE, *python.package_paths()]
        return os.getuid() == 0 and not all(map(_open_to_all, paths))

    def lodge(self, number: int, uid: int) -> dict[str, Any]:
        """Make an empty folder for a worker and return where it lives; at level practice nobody changes the user."""
        uid = uid if self.level == "kernel" else 0
        home = self.homes / str(number)
        home.mkdir(mode=0o700)
        if uid:
            _give(home, uid)
        return {"uid": uid, "home": str(home), "temporary": str(home)}

    def clear(self, number: int) -> None:
        """Take a dead worker's folder away."""
        remove(self.homes / str(number))

    def close(self) -> None:
        """Take everything away."""
        remove(self.folder)


def remove(folder: Path) -> None:
    """Delete a folder that a student may have filled: nested deeper than a path may be long, or without rights."""
    number, waiting = itertools.count(), [folder] if folder.exists() else []
    while waiting:
        place = waiting.pop()
        for entry in list(os.scandir(place)):
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)
                waiting.append(folder.with_name(f"{folder.name}-{next(number)}"))
                os.rename(entry.path, waiting[-1])
            else:
                os.unlink(entry.path)
        place.rmdir()


def _remove_abandoned() -> None:
    """Take away the folders of processes that were killed before they could do it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        process = folder.name.removeprefix(PREFIX).split("-")[0]
        with contextlib.suppress(OSError):  # somebody else may be at it
            if not Path("/proc", process).exists() and folder.lstat().st_uid == os.getuid():
                remove(folder)


def _texts(paths: list[Path]) -> list[str]:
    return sorted({str(path) for path in paths})


def _give(home: Path, uid: int) -> None:
    try:
        os.chown(home, uid, uid)
    except OSError as error:
        why = f"Root may not give a folder to user {uid} here ({error.strerror})."
        raise SandboxError(why, "Grade as an ordinary user, or in a container that maps all users.") from error


def _open_to_all(path: Path) -> bool:
    """Tell whether anybody may read this path and enter every folder on the way to it."""
    path = path.resolve()
    return bool(path.stat().st_mode & 0o004) and all(parent.stat().st_mode & 0o001 for parent in path.parents)


def _own_threads() -> int:
    """Count this user's threads: the kernel's limit is on all of them together."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == os.getuid():
                total += len(os.listdir(process / "task"))
        except OSError:
            continue
    return total
