"""The wire carries plain data exactly, and nothing else at all."""

import contextlib
import socket
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


@pytest.mark.parametrize("tree", [
    ["y"], ["y", "class"], ["y", "class", "|O"], ["y", "class", "O"], ["y", "dtype", "<f8,<f8"], ["y", "eval", "<f8"],
    ["y", "dtype", ["<f8"]], ["y", ["dtype"], "<f8"], ["y", "dtype", {}],
])  # fmt: skip
def test_forged_dtypes_are_refused(tree: Any) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(msgpack.packb(tree), b"")


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


def nested(depth: int) -> bytes:
    return b"\x92\xa1l\x91" * depth + b"\xc0"


@pytest.mark.parametrize("header", [
    b"", b"\xc1", nested(200_000), nested(100), msgpack.packb(["a", "<f8", [1 << 40, 1 << 38], 0]),
    msgpack.packb(["a", "|O8", [1], 0]), msgpack.packb(["a", "<f8", [-1, -1], 0]), msgpack.packb(["a"]),
    msgpack.packb(["a", "<f8", [2], 1 << 70 >> 10]), msgpack.packb(["i", "9" * 4001]), msgpack.packb(["d", [[[1], 2]]]),
    msgpack.packb({"plain": "map"}), msgpack.packb(msgpack.ExtType(5, b"x")), msgpack.packb(["h", 1, "no such kind"]),
    msgpack.packb(["M", ["s", "<f8", [], 0], ["a", "|b1", [], 0]]),
    msgpack.packb(["M", ["a", "<f8", [2], 0], ["a", "|b1", [1], 0]]),
    msgpack.packb(["M", ["a", "<f8", [2], 0], ["a", "<f8", [2], 0]]), b"\xdd\xff\xff\xff\xff",
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
