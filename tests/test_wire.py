"""The wire carries plain data exactly, and nothing else at all."""

import contextlib
import socket
import struct
import threading
import time
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.sandbox.inside import wire


def keep(value: Any) -> wire.Handle:
    return wire.Handle(1, "object")


def round_trip(value: Any) -> Any:
    return wire.decode(*wire.encode(value, keep))


@pytest.mark.parametrize("value", [
    None, True, 3, 2**80, -(2**80), 1.5, "é\u202e", b"x", (1, [2, (3,)]), {"a": [1], 2: None}, 1 + 2j, [], (),
])  # fmt: skip
def test_plain_values_arrive_as_they_were(value: Any) -> None:
    back = round_trip(value)
    assert back == value and type(back) is type(value)


@pytest.mark.parametrize("dtype", sorted(wire.DTYPES))
def test_arrays_keep_shape_kind_and_values(dtype: str) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype)
    for given_array in (array, array.T, array[:, ::2], array[0:0], np.asfortranarray(array)):
        back = round_trip(given_array)
        assert back.dtype == given_array.dtype and np.array_equal(back, given_array)


def test_special_arrays_keep_their_kind() -> None:
    assert isinstance(round_trip(np.matrix([[1.0, 2.0]])), np.matrix)
    masked = round_trip(np.ma.MaskedArray([1.0, 2.0], mask=[True, False]))
    assert isinstance(masked, np.ma.MaskedArray) and masked.mask.tolist() == [True, False]
    assert isinstance(round_trip(np.float32(2)), np.float32)


@pytest.mark.parametrize("value", [object(), len, np.array([object()]), np.array(["a"]), (i for i in ())])
def test_what_is_not_data_becomes_a_handle(value: Any) -> None:
    assert round_trip(value) == wire.Handle(1, "object")


@pytest.mark.parametrize("code", sorted(wire.DTYPES))
def test_dtypes_and_their_classes_arrive_as_themselves(code: str) -> None:
    dtype = np.dtype(code)
    assert round_trip(dtype) == dtype and isinstance(round_trip(dtype), np.dtype)
    assert round_trip(dtype.type) is dtype.type
    assert round_trip([dtype.newbyteorder(">")]) == [dtype]


@pytest.mark.parametrize("value", [
    np.dtype("O"), np.dtype("U3"), np.dtype([("a", "<f8")]), np.dtype("M8[s]"), np.object_, np.floating, np.ndarray,
    float, type("float64", (np.float64,), {}),
])  # fmt: skip
def test_any_other_class_or_dtype_becomes_a_handle(value: Any) -> None:
    assert not wire.is_dtype(value)
    assert round_trip(value) == wire.Handle(1, "object")


def extension(kind: int, data: bytes) -> bytes:
    return bytes(msgpack.packb(msgpack.ExtType(kind, data)))


def array(code: str, shape: list[int], start: int, kind: int = wire.ARRAY) -> bytes:
    number = sorted(wire.DTYPES).index(code)
    return extension(kind, struct.pack(f"<BB{len(shape) + 1}Q", number, len(shape), start, *shape))


@pytest.mark.parametrize("data", [b"", b"\xff", bytes([len(wire.DTYPES)]), b"\0\0"])
@pytest.mark.parametrize("kind", [wire.DTYPE, wire.CLASS])
def test_forged_dtypes_are_refused(kind: int, data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(extension(kind, data), b"")


def test_extended_precision_arrives_as_double() -> None:
    assert round_trip(np.array([0.5], dtype=np.longdouble)).dtype == np.float64
    assert round_trip(np.array([0.5j], dtype=np.clongdouble)).dtype == np.complex128


def test_a_hostile_subclass_crosses_as_its_numbers() -> None:
    class Liar(np.ndarray):
        __array_ufunc__ = None

        def tobytes(self, order: Any = "C") -> bytes:
            return b"\0" * 16

        def __eq__(self, other: object) -> bool:  # type: ignore[override]
            return True

    assert round_trip(np.array([1.0, 2.0]).view(Liar)).tolist() == [1.0, 2.0]


MARK = extension(wire.MASKED, b"")
FLOATS, FLAGS = array("<f8", [2], 0), array("|b1", [2], 0)


@pytest.mark.parametrize("header", [
    b"", b"\xc1", b"\x91" * 200_000 + b"\xc0", b"\x91" * 100 + b"\xc0", b"\x81\xa1k" * 100 + b"\xc0",
    (b"\x92" + extension(wire.TUPLE, b"")) * 100 + b"\xc0",
    array("<f8", [1 << 40, 1 << 38], 0), array("<f8", [(1 << 64) - 1, (1 << 64) - 1], 0), array("<f8", [3], 0),
    array("<f8", [2], 8), array("<f8", [2], 1 << 60), array("<f8", [1] * 40, 0), b"\x92" + FLOATS + FLOATS,
    extension(wire.ARRAY, b""), extension(wire.ARRAY, b"\0"), extension(wire.ARRAY, b"\0\x04" + b"\0" * 8),
    extension(wire.ARRAY, b"\xff\0" + b"\0" * 8), extension(wire.INTEGER, b"9" * 4001),
    extension(wire.INTEGER, b"0x9"), extension(wire.COMPLEX, b"1"), extension(99, b"x"), extension(0, b""),
    extension(wire.HANDLE, struct.pack("<QB", 1, 99)), extension(wire.HANDLE, b"x"), extension(wire.CALLBACK, b"x"),
    MARK, extension(wire.TUPLE, b""), b"\x92\x01" + MARK, b"\x81\xa1k" + MARK, b"\x91" + MARK,
    b"\x93" + MARK + FLOATS[:-1] + b"\x01" + FLAGS, b"\x93" + MARK + array("<i4", [2], 0) + array("<i4", [2], 8),
    b"\x93" + MARK + b"\x01\x02", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xa1\xff",
])  # fmt: skip
def test_hostile_headers_are_refused(header: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(header, b"\0" * 16)


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=64))
def test_no_bytes_raise_anything_but_a_wire_error(header: bytes, blob: bytes) -> None:
    with contextlib.suppress(wire.WireError):
        wire.decode(header, blob)


def test_a_long_frame_is_refused_before_it_is_read() -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(b"\xff" * 8)
    with pytest.raises(wire.WireError):
        wire.receive(ours, time.monotonic() + 5)


def test_a_frame_in_pieces_is_put_together_and_a_second_one_at_once_is_refused() -> None:
    ours, theirs = socket.socketpair()
    message = wire.encode({"x": np.arange(50_000.0)}, lambda value: value)
    thread = threading.Thread(target=wire.send, args=(theirs, message))
    thread.start()
    assert wire.decode(*wire.receive(ours, time.monotonic() + 5))["x"].tolist() == list(range(50_000))
    thread.join()
    small = wire.encode([1], lambda value: value)
    theirs.sendall(2 * (len(small[0]).to_bytes(4, "little") + b"\0\0\0\0" + small[0]))
    with pytest.raises(wire.WireError):
        wire.receive(ours, time.monotonic() + 5)


def test_one_byte_at_a_time_does_not_extend_the_deadline() -> None:
    ours, theirs = socket.socketpair()

    def drip() -> None:
        for _ in range(20):
            try:
                theirs.send(b"\x08")
            except OSError:
                return
            time.sleep(0.05)

    thread = threading.Thread(target=drip)
    thread.start()
    start = time.monotonic()
    with pytest.raises(wire.WireTimeout):
        wire.receive(ours, start + 0.2)
    assert time.monotonic() - start < 0.5
    ours.close()
    thread.join()
