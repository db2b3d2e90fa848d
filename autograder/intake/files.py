"""Open what a student handed in: bounded before it is read, no links followed, nothing waited for."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from autograder.errors import AutograderError

MAX_BYTES = 50 * 1024 * 1024  # plots left in a notebook take tens of megabytes
MAX_FOLDER_ENTRIES = 5_000
MAX_COMPANIONS = 100
MAX_COMPANION_BYTES = 8 * 1024 * 1024
SUFFIXES = (".ipynb", ".ipynb.json", ".ipynb.txt")
TIMESTAMP = "timestamp.txt"
SKIPPED_FOLDERS = ("__MACOSX", "__pycache__")
SAVE_AGAIN = "Save the notebook again and hand it in once more."


class Unreadable(AutograderError):
    """Say why a file cannot be graded at all; the class goes on. `code` is that of the finding."""

    def __init__(self, message: str, remedy: str = SAVE_AGAIN, code: str = "damaged_file") -> None:
        super().__init__(message, remedy)
        self.code = code


def read_bounded(path: Path, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes, without following a link or waiting for a pipe."""
    name = path.name
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        why = "is a link, and links are not followed" if path.is_symlink() else f"cannot be opened: {error.strerror}"
        raise Unreadable(f"{name} {why}.") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{name} is not a regular file.")
        if status.st_size > limit:
            raise too_large(name, status.st_size, limit)
        with open(handle, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from None
    finally:
        os.close(handle)


def too_large(name: str, size: int, limit: int) -> Unreadable:
    """Return the refusal of a file of `size` bytes."""
    what = f"{name} is too large: {size / 2**20:.1f} MB, and {limit / 2**20:.0f} MB is the limit."
    return Unreadable(what, "Clear all outputs, save, and hand it in once more.")


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and the folders below it, hidden ones left out, the first few thousand."""
    seen = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            seen += 1
            if seen > MAX_FOLDER_ENTRIES:
                return
            yield Path(parent, name)


def looks_like_notebook(path: Path) -> bool:
    """Tell by its name whether a file is meant as a notebook."""
    name = path.name.lower()
    return name.endswith(SUFFIXES) and not name.startswith(".") and not path.is_dir()


def companions(folder: Path) -> dict[str, bytes]:
    """Read what lies beside a notebook, data and modules, as {name in the folder: content}.

    What is hidden, a link, a notebook, or beyond 8 MB and a hundred files in all is left out.
    """
    files: dict[str, bytes] = {}
    left = MAX_COMPANION_BYTES
    for path in files_below(folder):
        if path.name[0] == "." or path.name == TIMESTAMP or looks_like_notebook(path):
            continue
        try:
            data = read_bounded(path, left)
        except Unreadable:
            continue
        left -= len(data)
        files[os.fsencode(path.relative_to(folder)).decode("utf-8", "replace")] = data
        if len(files) == MAX_COMPANIONS:
            break
    return files
