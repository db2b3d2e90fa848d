"""List the files of a folder or an archive, the unsafe ones refused one by one; nothing is unpacked to disk."""

import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path, PurePosixPath

from autograder.errors import AutograderError

MAX_FILES = 50_000
MAX_BYTES = 50 * 2**20  # one file, unpacked
MAX_TOTAL = 4 * 2**30  # all files that were read out of archives
MAX_DEPTH = 3  # archives in archives
MAX_NAME = 200
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)
UTF8_NAME = 0x800
ENCRYPTED = 0x1
ZIP = ".zip"
SKIPPED = ("__MACOSX", "__pycache__", ".ipynb_checkpoints", "node_modules", ".git")
ODD_CHARACTERS = re.compile(r"[\x00-\x1f\x7f\\]")


class Refused(Exception):
    """Say why one entry is not taken in."""


@dataclass(frozen=True)
class Item:
    """Name one file of a download: where it lay, and the path that a layout makes of that.

    `read` returns its bytes, and `moment` is a time that its archive gives.
    """

    origin: PurePosixPath
    path: PurePosixPath
    size: int
    moment: datetime | None
    read: Callable[[], bytes]

    @property
    def name(self) -> str:
        """Return the file's name."""
        return self.path.name

    def content(self) -> bytes | None:
        """Return the file's bytes, None when they are refused or cannot be read."""
        try:
            return self.read()
        except (Refused, OSError):
            return None


@dataclass
class Tree:
    """Hold the files of a download, and one sentence for each entry that was refused."""

    items: list[Item] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    repositories: dict[PurePosixPath, Path] = field(default_factory=dict)  # on disk, by place in the tree
    budget: int = MAX_TOTAL


def read_tree(source: Path, zone: tzinfo | None = None) -> Tree:
    """List a folder, a zip archive or a single file; times in archives without a zone are read in `zone`."""
    tree = Tree()
    if source.is_dir():
        _add_folder(tree, source, zone)
    elif zipfile.is_zipfile(source):
        _take(tree, source.name, partial(_add_archive, tree, PurePosixPath(), source, zone, 1))
    elif source.is_file():
        tree.items.append(_on_disk(source, PurePosixPath(source.name)))
    else:
        raise AutograderError(f"There is no file or folder {source}.", "Name a download, a folder or a notebook.")
    tree.items.sort(key=lambda item: item.path)
    return tree


def _add_folder(tree: Tree, root: Path, zone: tzinfo | None) -> None:
    for parent, folders, names in os.walk(root):
        here = PurePosixPath(Path(parent).relative_to(root).as_posix())
        if ".git" in folders:
            tree.repositories[here] = Path(parent)
        for name in [name for name in folders if Path(parent, name).is_symlink()]:
            tree.refused.append((str(here / name), "a link, and links are not followed"))
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not Path(parent, name).is_symlink())
        for name in sorted(names):
            _take(tree, str(here / name), partial(_add_file, tree, Path(parent, name), here / name, zone))


def _add_file(tree: Tree, path: Path, at: PurePosixPath, zone: tzinfo | None) -> None:
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Refused("a link, and links are not followed" if path.is_symlink() else "not a regular file")
    _check_room(tree, path.lstat().st_size)
    if path.suffix.lower() == ZIP and zipfile.is_zipfile(path):
        _add_archive(tree, at, io.BytesIO(path.read_bytes()), zone, 1)
    else:
        tree.items.append(_on_disk(path, at))


def _on_disk(path: Path, at: PurePosixPath) -> Item:
    return Item(at, at, path.stat().st_size, None, path.read_bytes)


def _add_archive(tree: Tree, at: PurePosixPath, data: io.BytesIO | Path, zone: tzinfo | None, depth: int) -> None:
    try:
        archive = zipfile.ZipFile(data)
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise Refused(f"a damaged archive ({error})") from None
    seen: set[PurePosixPath] = set()
    for info in archive.infolist():
        if not info.is_dir():
            name = str(at / info.filename) if not info.filename.startswith("/") else info.filename
            _take(tree, name, partial(_add_entry, tree, at, archive, info, seen, zone, depth))


def _take(tree: Tree, name: str, add: Callable[[], None]) -> None:
    try:
        add()
    except Refused as why:
        tree.refused.append((name, str(why)))
    except OSError as error:
        tree.refused.append((name, f"it cannot be read: {error.strerror or error}"))


def _add_entry(
    tree: Tree, at: PurePosixPath, archive: zipfile.ZipFile, info: zipfile.ZipInfo, seen: set[PurePosixPath],
    zone: tzinfo | None, depth: int,
) -> None:  # fmt: skip
    path = _safe_path(_name(info))
    if any(part in SKIPPED for part in path.parts):
        return
    if stat.S_ISLNK(info.external_attr >> 16):
        raise Refused("a link, and links are not followed")
    if info.flag_bits & ENCRYPTED:
        raise Refused("encrypted")
    if path in seen:
        raise Refused("a second entry of the same name")
    _check_room(tree, info.file_size)
    seen.add(path)
    if path.suffix.lower() == ZIP and depth < MAX_DEPTH:
        inner = io.BytesIO(_unpack(tree, archive, info))
        if zipfile.is_zipfile(inner):
            _add_archive(tree, at / path, inner, zone, depth + 1)
            return
    place = at / path
    tree.items.append(Item(place, place, info.file_size, _moment(info, zone), lambda: _unpack(tree, archive, info)))


def _check_room(tree: Tree, size: int) -> None:
    if size > MAX_BYTES:
        raise Refused(f"too large ({size / 2**20:.0f} MB, and {MAX_BYTES / 2**20:.0f} MB is the limit)")
    if len(tree.items) >= MAX_FILES:
        raise Refused(f"one file too many ({MAX_FILES} is the limit)")


def _name(info: zipfile.ZipInfo) -> str:
    """Return the entry's name; archives that do not declare UTF-8 often hold it all the same."""
    name = info.orig_filename
    if info.flag_bits & UTF8_NAME:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _safe_path(name: str) -> PurePosixPath:
    parts = name.split("/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise Refused("an absolute name")
    if ".." in parts:
        raise Refused("its name points outside the folder")
    if ODD_CHARACTERS.search(name):
        raise Refused("its name holds a backslash or a control character")
    if any(len(part.encode("utf-8", "replace")) > MAX_NAME for part in parts):
        raise Refused("its name is too long")
    return PurePosixPath(*[part for part in parts if part not in ("", ".")])


def _unpack(tree: Tree, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return an entry's bytes, never more than it declares nor than the limits allow."""
    try:
        with archive.open(info) as file:
            data = file.read(MAX_BYTES + 1)
    except (*DAMAGED, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise Refused(f"damaged ({error})") from None
    tree.budget -= len(data)
    if len(data) > MAX_BYTES or tree.budget < 0:
        raise Refused("it unpacks to more than the limit")
    return data


def _moment(info: zipfile.ZipInfo, zone: tzinfo | None) -> datetime | None:
    """Return the entry's time: the extended one is UTC, the plain one is the clock of a server in `zone`."""
    for kind, field_data in _extra_fields(info.extra):
        if kind == 0x5455 and len(field_data) >= 5 and field_data[0] & 1:
            return datetime.fromtimestamp(int.from_bytes(field_data[1:5], "little"), UTC)
    try:
        moment = datetime(*info.date_time)
    except ValueError:
        return None
    return None if moment.year <= 1980 else moment.replace(tzinfo=zone).astimezone(UTC)


def _extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    while len(extra) >= 4:
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        yield kind, extra[4 : 4 + size]
        extra = extra[4 + size :]
