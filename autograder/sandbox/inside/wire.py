"""Carry plain data across the wall: a small msgpack header and one blob of raw array bytes.

A frame is two little-endian 32-bit lengths, a header of at most 1 MiB and a blob of at most 64 MiB. Containers are
tagged lists in the header, arrays point into the blob. Nothing here can build an object of a class that a sender names.
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
_LENGTHS = struct.Struct("<II")
_CHUNK = 1 << 16
_INT_END = 1 << 63
_PLAIN = frozenset([type(None), bool, float, str, bytes])
_CLASSES = [(np.dtype(code).type, code) for code in sorted(DTYPES)]


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


KINDS = frozenset(["function", "generator", "coroutine", "class", "text array", "object array", "object"])


def encode(value: Any, keep: Callable[[Any], Any]) -> tuple[bytes, bytes]:
    """Turn data into (header, blob); `keep(obj)` gives the Handle or Callback for what is not data."""
    blob = bytearray()
    tree = _to_tree(value, keep, blob, 0)
    header = msgpack.packb(tree, use_bin_type=True, unicode_errors="replace")
    if len(header) > MAX_HEADER or len(blob) > MAX_BLOB:
        raise WireError("the value is too large to send")
    return header, bytes(blob)


def _to_tree(value: Any, keep: Callable[[Any], Any], blob: bytearray, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise WireError("the value is nested too deeply to send")
    kind = type(value)
    if kind in _PLAIN or (kind is int and -_INT_END <= value < _INT_END):
        return value
    if kind is list or kind is tuple:
        return ["l" if kind is list else "t", [_to_tree(item, keep, blob, depth + 1) for item in value]]
    if kind is np.ndarray and value.dtype.str in DTYPES:
        return _bytes_tree("a", value.dtype.str, value, blob)
    return _unusual_tree(value, keep, blob, depth)


def _unusual_tree(value: Any, keep: Callable[[Any], Any], blob: bytearray, depth: int) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return _array_tree(value, keep, blob)
    if isinstance(value, int):
        return int(value) if -_INT_END <= value < _INT_END else ["i", str(value)[:5000]]
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return ["z", value.real, value.imag]
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        tag = "l" if isinstance(value, list) else "t" if isinstance(value, tuple) else "S"
        return [tag, [_to_tree(item, keep, blob, depth + 1) for item in value]]
    if isinstance(value, dict):
        pairs = [(k, v) for k, v in value.items() if isinstance(k, (str, int))]
        return ["d", [[k, _to_tree(v, keep, blob, depth + 1)] for k, v in pairs]]
    if is_dtype(value):
        return ["y", "dtype" if isinstance(value, np.dtype) else "class", _code(value)]
    return _kept_tree(keep(value))


def is_dtype(value: Any) -> bool:
    """Say whether `value` is a plain numeric np.dtype or its scalar class, which is data although it is callable."""
    return isinstance(value, (np.dtype, type)) and _code(value) is not None


def _code(value: Any) -> str | None:
    if isinstance(value, np.dtype):
        code = value.newbyteorder("<").str
        return code if code in DTYPES else None
    return next((code for kind, code in _CLASSES if kind is value), None)


def _kept_tree(kept: Any) -> Any:
    return ["c", kept.id] if isinstance(kept, Callback) else ["h", kept.id, kept.kind]


def _array_tree(value: Any, keep: Callable[[Any], Any], blob: bytearray) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        mask = np.broadcast_to(np.ma.getmaskarray(value), value.shape)
        return ["M", _array_tree(np.ndarray.view(value, np.ndarray), keep, blob), _array_tree(mask, keep, blob)]
    tag = "s" if isinstance(value, np.generic) else "m" if isinstance(value, np.matrix) else "a"
    plain = np.asarray(value) if tag == "s" else np.ndarray.view(value, np.ndarray)
    if plain.dtype.kind in "fc" and plain.dtype.newbyteorder("<").str not in DTYPES:
        plain = plain.astype("<f8" if plain.dtype.kind == "f" else "<c16")  # longdouble: its layout differs by machine
    code = plain.dtype.newbyteorder("<").str
    if code not in DTYPES:
        return _kept_tree(keep(value))
    return _bytes_tree(tag, code, plain.astype(code, copy=False), blob)


def _bytes_tree(tag: str, code: str, plain: Any, blob: bytearray) -> Any:
    start = len(blob)
    if start + plain.nbytes > MAX_BLOB:
        raise WireError("the value is too large to send")
    blob += plain.tobytes()
    return [tag, code, plain.shape, start]


def decode(header: bytes, blob: bytes) -> Any:
    """Turn (header, blob) back into data; raise WireError for anything that `encode` would not have written."""
    try:
        tree = msgpack.unpackb(header, raw=False, strict_map_key=True, max_map_len=0, max_ext_len=0)
    except Exception as error:
        raise WireError("not msgpack of the allowed kinds") from error
    if len(header) > MAX_ITEMS or len(header) * len(blob) > MAX_BLOB:
        _refuse_excess(tree, len(blob))
    try:
        return _from_tree(tree, blob, 0)
    except (TypeError, ValueError, IndexError, OverflowError, MemoryError) as error:
        raise WireError("a malformed value") from error


def _refuse_excess(tree: Any, available: int) -> None:
    """Refuse more items than allowed, and arrays that promise more bytes together than there are."""
    items, promised, waiting = 0, 0, [tree]
    while waiting:
        node = waiting.pop()
        items += 1
        if type(node) is not list:
            continue
        waiting += node
        if len(node) == 4 and node[0] in ("a", "m", "s") and node[1] in DTYPES and type(node[2]) is list:
            lengths = [length for length in node[2] if type(length) is int]
            promised += math.prod(lengths) * np.dtype(node[1]).itemsize
        if promised > available or items + len(waiting) > MAX_ITEMS:
            raise WireError("more items or more bytes than allowed")


def _from_tree(tree: Any, blob: bytes, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise WireError("nested too deeply")
    if type(tree) is not list:
        return tree
    tag, *rest = tree
    if tag == "d":
        return {_key(k): _from_tree(v, blob, depth + 1) for k, v in rest[0]}
    if tag in ("l", "t", "S"):
        items = [_from_tree(item, blob, depth + 1) for item in rest[0]]
        return tuple(items) if tag == "t" else items
    if tag in ("a", "m", "s", "M"):
        return _array_from(tree, blob)
    if tag == "i":
        return int(_text(rest[0]))
    if tag == "z":
        return complex(float(rest[0]), float(rest[1]))
    if tag == "y" and rest[1] in DTYPES and rest[0] in ("dtype", "class"):
        return np.dtype(rest[1]) if rest[0] == "dtype" else np.dtype(rest[1]).type
    if tag == "h" and rest[1] in KINDS:
        return Handle(_count(rest[0]), rest[1])
    if tag == "c":
        return Callback(_count(rest[0]))
    raise WireError("an unknown kind of value")


def _array_from(tree: list[Any], blob: bytes) -> Any:
    if tree[0] == "M":
        if tree[1][0] != "a" or tree[2][0] != "a":
            raise WireError("a malformed masked array")
        data, mask = _array_from(tree[1], blob), _array_from(tree[2], blob)
        if mask.dtype != np.bool_ or mask.shape != data.shape:
            raise WireError("a malformed masked array")
        return np.ma.MaskedArray(data, mask=mask)
    tag, code, shape, start = tree
    if code not in DTYPES or len(shape) > MAX_DEPTH:
        raise WireError("a kind of array that is not allowed")
    dtype, size = np.dtype(code), 1
    for length in shape:
        size *= _count(length)
        if size > MAX_BLOB:
            raise WireError("an array larger than its bytes")
    end = _count(start) + size * dtype.itemsize
    if end > len(blob):
        raise WireError("an array larger than its bytes")
    array = np.frombuffer(blob, dtype, size, start).reshape(shape).copy()
    if tag == "s":
        return array[()]
    return array.view(np.matrix) if tag == "m" and array.ndim == 2 else array


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise WireError("a count that is none")
    return value


def _text(value: Any) -> str:
    if type(value) is not str or len(value) > 4000:
        raise WireError("a text that is none")
    return value


def _key(value: Any) -> str | int:
    if type(value) not in (str, int):
        raise WireError("a key that is none")
    return value  # type: ignore[no-any-return]


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
