"""Carry plain data across the wall: a small msgpack header and one blob of raw array bytes.

A frame is two little-endian 32-bit lengths, a header of at most 1 MiB and a blob of at most 64 MiB. What msgpack does
not know itself is an extension of a few kinds (arrays point into the blob), or a list whose first item is a mark.
Nothing here can build an object of a class that a sender names.
"""

import math
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgpack
import numpy as np

MAX_HEADER = 1 << 20
MAX_BLOB = 64 << 20
MAX_DEPTH = 32
MAX_ITEMS = 200_000
DTYPES = frozenset(["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"])
ARRAY, MATRIX, SCALAR, INTEGER, COMPLEX, DTYPE, CLASS, HANDLE, CALLBACK, TUPLE, MASKED = range(1, 12)
_LENGTHS = struct.Struct("<II")
_CHUNK = 1 << 16
_LONGEST_INTEGER = 4000
_CODES = sorted(DTYPES)
_NUMBERS = {code: number for number, code in enumerate(_CODES)}
_KNOWN = [np.dtype(code) for code in _CODES]
_NATIVE = {dtype.num: number for number, dtype in enumerate(_KNOWN) if dtype.isnative}
_SHAPES = [struct.Struct(f"<BB{axes + 1}Q") for axes in range(MAX_DEPTH + 1)]  # dtype, axes, start, lengths
_CLASSES = [(dtype.type, code) for dtype, code in zip(_KNOWN, _CODES, strict=True)]
_COUNT, _HANDLE, _PAIR = struct.Struct("<Q"), struct.Struct("<QB"), struct.Struct("<dd")
_VALUES: Any = type({}.values())
_CONTAINERS = (list, tuple, _VALUES)
_OPENERS = bytes([*range(0x80, 0xA0), *range(0xDC, 0xE0)])  # bytes that can begin a list or a map


class WireError(Exception):
    """Report bytes that are no valid frame; the sender is not worth talking to any more."""


class WireTimeout(Exception):
    """Report that the absolute deadline passed before a whole frame had moved."""


class WireClosed(Exception):
    """Report that the other end is gone."""


@dataclass(frozen=True)
class Handle:
    """Stand for an object that stays in the worker; `kind` is one of a few plain words."""

    id: int
    kind: str


@dataclass(frozen=True)
class Callback:
    """Stand for a function of the trusted side, to be called by its id."""

    id: int


KINDS = ("function", "generator", "coroutine", "class", "text array", "object array", "object")


@dataclass(frozen=True)
class _Mark:
    """Stand first in a list that is something else."""

    kind: int


def encode(value: Any, keep: Callable[[Any], Any]) -> tuple[bytes, bytes]:
    """Turn data into (header, blob); `keep(obj)` gives the Handle or Callback for what is not data."""
    packing = _Packing(keep)
    try:
        header = msgpack.packb(value, default=packing.known, strict_types=True, unicode_errors="replace")
    except ValueError as error:
        raise WireError("the value is nested too deeply to send") from error
    if len(header) > MAX_HEADER:
        raise WireError("the value is too large to send")
    _refuse_excess(value, header)
    return header, bytes(packing.blob)


class _Packing:
    """Turn what msgpack does not know into what it does; arrays go into the blob."""

    def __init__(self, keep: Callable[[Any], Any]) -> None:
        self.keep, self.blob = keep, bytearray()

    def known(self, value: Any) -> Any:
        kind = type(value)
        if kind is np.ndarray and value.dtype.num in _NATIVE and value.dtype.isnative:
            return self._bytes(ARRAY, _NATIVE[value.dtype.num], value)
        if kind is tuple:
            return [_TUPLE, *value]
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value)
        return self._number_or_text(value)

    def _number_or_text(self, value: Any) -> Any:
        if isinstance(value, int):
            small = -(1 << 63) <= value < 1 << 63
            return int(value) if small else msgpack.ExtType(INTEGER, str(value)[:5000].encode())
        if isinstance(value, float):
            return float(value)
        if isinstance(value, complex):
            return msgpack.ExtType(COMPLEX, _PAIR.pack(value.real, value.imag))
        if isinstance(value, str):
            return str(value)
        return self._container(value)

    def _container(self, value: Any) -> Any:
        if isinstance(value, (list, set, frozenset)):
            return list(value)
        if isinstance(value, tuple):
            return [_TUPLE, *value]
        if isinstance(value, dict):
            return dict(value)
        if is_dtype(value):
            kind = DTYPE if isinstance(value, np.dtype) else CLASS
            return msgpack.ExtType(kind, bytes([_NUMBERS[_code(value) or ""]]))
        return self._kept(self.keep(value))

    def _kept(self, kept: Any) -> Any:
        if isinstance(kept, Callback):
            return msgpack.ExtType(CALLBACK, _COUNT.pack(kept.id))
        return msgpack.ExtType(HANDLE, _HANDLE.pack(kept.id, KINDS.index(kept.kind)))

    def _array(self, value: Any) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            mask = np.broadcast_to(np.ma.getmaskarray(value), value.shape)
            return [_MASKED, np.ndarray.view(value, np.ndarray), np.ndarray.view(mask, np.ndarray)]
        kind = SCALAR if isinstance(value, np.generic) else MATRIX if isinstance(value, np.matrix) else ARRAY
        plain = np.asarray(value) if kind == SCALAR else np.ndarray.view(value, np.ndarray)
        if plain.dtype.kind in "fc" and plain.dtype.newbyteorder("<").str not in DTYPES:
            plain = plain.astype("<f8" if plain.dtype.kind == "f" else "<c16")  # longdouble differs by machine
        code = plain.dtype.newbyteorder("<").str
        if code not in DTYPES:
            return self._kept(self.keep(value))
        return self._bytes(kind, _NUMBERS[code], plain.astype(code, copy=False))

    def _bytes(self, kind: int, dtype: int, plain: Any) -> Any:
        start, axes = len(self.blob), plain.ndim
        if start + plain.nbytes > MAX_BLOB or axes > MAX_DEPTH:
            raise WireError("the value is too large to send")
        self.blob += plain.tobytes()
        return msgpack.ExtType(kind, _SHAPES[axes].pack(dtype, axes, start, *plain.shape))


_TUPLE, _MASKED = msgpack.ExtType(TUPLE, b""), msgpack.ExtType(MASKED, b"")


def is_dtype(value: Any) -> bool:
    """Say whether `value` is a plain numeric np.dtype or its scalar class, which is data although it is callable."""
    return isinstance(value, (np.dtype, type)) and _code(value) is not None


def _code(value: Any) -> str | None:
    if isinstance(value, np.dtype):
        code = value.newbyteorder("<").str
        return code if code in DTYPES else None
    return next((code for kind, code in _CLASSES if kind is value), None)


def decode(header: bytes, blob: bytes) -> Any:
    """Turn (header, blob) back into data; raise WireError for anything that `encode` would not have written."""
    unpacking = _Unpacking(blob)
    try:
        value = msgpack.unpackb(
            header, ext_hook=unpacking.leaf, list_hook=unpacking.list_or_marked, object_pairs_hook=_from_pairs,
            strict_map_key=False, timestamp=1, max_array_len=MAX_ITEMS, max_map_len=MAX_ITEMS,
        )  # fmt: skip
    except WireError:
        raise
    except Exception as error:
        raise WireError("not msgpack of the allowed kinds") from error
    if unpacking.marks:
        raise WireError("a mark of nothing")
    _refuse_excess(value, header)
    return value


def _refuse_excess(value: Any, header: bytes) -> None:
    """Refuse more items than allowed, and lists in lists in lists; a short header cannot hold either."""
    openers = len(header) - len(header.translate(None, _OPENERS))
    if openers <= MAX_DEPTH and len(header) <= MAX_ITEMS:
        return
    items, waiting = 0, [([value], 0)]  # type: tuple[int, list[tuple[Any, int]]]
    while waiting:
        node, depth = waiting.pop()
        items += len(node)
        if depth > MAX_DEPTH or items > MAX_ITEMS:
            raise WireError("more items, or deeper ones, than allowed")
        inner = [item.values() if isinstance(item, dict) else item for item in node]
        waiting += [(item, depth + 1) for item in inner if isinstance(item, _CONTAINERS)]


def _from_pairs(pairs: list[tuple[Any, Any]]) -> dict[str | int, Any]:
    return {key: value for key, value in pairs if type(key) in (str, int)}


class _Unpacking:
    """Turn extensions into values; all arrays together may not promise more bytes than the blob has."""

    def __init__(self, blob: bytes) -> None:
        self.blob, self.left, self.marks = blob, len(blob), 0

    def list_or_marked(self, items: list[Any]) -> Any:
        if not items or type(items[0]) is not _Mark:
            return items
        self.marks -= 1
        if items[0].kind == TUPLE:
            return tuple(items[1:])
        _, data, mask = items
        if type(data) is not np.ndarray or type(mask) is not np.ndarray:
            raise WireError("a malformed masked array")
        if mask.dtype != np.bool_ or mask.shape != data.shape:
            raise WireError("a malformed masked array")
        return np.ma.MaskedArray(data, mask=mask)

    def leaf(self, kind: int, data: bytes) -> Any:
        if kind in (ARRAY, MATRIX, SCALAR):
            return self._array(kind, data)
        if kind in (TUPLE, MASKED):
            self.marks += 1
            return _Mark(kind)
        if kind == INTEGER and len(data) <= _LONGEST_INTEGER:
            return int(data)
        if kind == COMPLEX:
            return complex(*_PAIR.unpack(data))
        if kind in (DTYPE, CLASS):
            (number,) = data
            return _KNOWN[number] if kind == DTYPE else _KNOWN[number].type
        if kind == HANDLE:
            number, word = _HANDLE.unpack(data)
            return Handle(number, KINDS[word])
        if kind == CALLBACK:
            return Callback(*_COUNT.unpack(data))
        raise WireError("an unknown kind of value")

    def _array(self, kind: int, data: bytes) -> Any:
        number, _, start, *shape = _SHAPES[data[1]].unpack(data)
        dtype = _KNOWN[number]
        size = math.prod(shape) * dtype.itemsize
        self.left -= size
        if self.left < 0 or start + size > len(self.blob):
            raise WireError("an array larger than its bytes")
        array = np.ndarray(shape, dtype, self.blob, start).copy()
        if kind == SCALAR:
            return array[()]
        return array.view(np.matrix) if kind == MATRIX and array.ndim == 2 else array


def send(sock: socket.socket, message: tuple[bytes, bytes], deadline: float | None = None) -> None:
    """Write one frame, all of it before the monotonic `deadline`."""
    header, blob = message
    view = memoryview(_LENGTHS.pack(len(header), len(blob)) + header + blob)
    while view:
        _arm(sock, deadline)
        try:
            view = view[sock.send(view) :]
        except TimeoutError as error:
            raise WireTimeout from error
        except OSError as error:
            raise WireClosed from error


def receive(sock: socket.socket, deadline: float | None = None) -> tuple[bytes, bytes]:
    """Read one frame as (header, blob), all of it before the monotonic `deadline`; nothing may follow it."""
    data = _read(sock, deadline)
    while len(data) < _LENGTHS.size:
        data += _read(sock, deadline)
    header_size, blob_size = _LENGTHS.unpack_from(data)
    if header_size > MAX_HEADER or blob_size > MAX_BLOB:
        raise WireError("a frame longer than allowed")
    body, end = _LENGTHS.size, _LENGTHS.size + header_size + blob_size
    if len(data) < end:
        data = _read_rest(sock, data, end, deadline)
    if len(data) > end:
        raise WireError("more than one frame at a time")
    return data[body : body + header_size], data[body + header_size :]


def _read_rest(sock: socket.socket, data: bytes, size: int, deadline: float | None) -> bytes:
    parts, have = [data], len(data)
    while have < size:
        parts.append(_read(sock, deadline))
        have += len(parts[-1])
    return b"".join(parts)


def _read(sock: socket.socket, deadline: float | None) -> bytes:
    _arm(sock, deadline)
    try:
        part = sock.recv(_CHUNK)
    except TimeoutError as error:
        raise WireTimeout from error
    except OSError as error:
        raise WireClosed from error
    if not part:
        raise WireClosed
    return part


def _arm(sock: socket.socket, deadline: float | None) -> None:
    if deadline is None:
        sock.settimeout(None)
        return
    left = deadline - time.monotonic()
    if left <= 0:
        raise WireTimeout
    sock.settimeout(left)
