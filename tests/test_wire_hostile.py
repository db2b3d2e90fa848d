"""Whatever bytes arrive, the decoder raises its own error or returns data, and stays within its memory."""

import contextlib
import struct
import tracemalloc
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.sandbox.inside import wire

NUMBERS = st.integers(-(2**63), 2**64 - 1)
LEAVES = st.none() | st.booleans() | NUMBERS | st.floats() | st.text(max_size=8) | st.binary(max_size=8)
SMALL = st.integers(0, 4) | st.integers(0, 2**64 - 1)


@st.composite
def arrays(draw: st.DrawFn) -> msgpack.ExtType:
    """Draw what claims to be an array, a matrix or a scalar: any dtype, any shape, from anywhere in the blob."""
    shape = draw(st.lists(SMALL, max_size=40))
    axes = draw(st.just(len(shape)) | st.integers(0, 255))
    code = draw(st.integers(0, len(wire.DTYPES) + 1))
    data = struct.pack(f"<BB{len(shape) + 1}Q", code, axes, draw(SMALL), *shape)
    return msgpack.ExtType(draw(st.sampled_from([wire.ARRAY, wire.MATRIX, wire.SCALAR])), data)


EXTENSIONS = st.builds(msgpack.ExtType, st.integers(0, 127) | st.integers(0, 12), st.binary(max_size=20))
MARKS = st.sampled_from([msgpack.ExtType(kind, b"") for kind in (wire.TUPLE, wire.MASKED)])


def _nodes(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    marked = st.tuples(MARKS, st.lists(inner, max_size=3)).map(lambda pair: [pair[0], *pair[1]])
    keys = st.text(max_size=3) | NUMBERS | st.binary(max_size=3) | st.none()
    return st.lists(inner, max_size=4) | marked | st.dictionaries(keys, inner, max_size=3)


TREES = st.recursive(LEAVES | arrays() | EXTENSIONS | MARKS, _nodes, max_leaves=30)


def decode_or_refuse(header: bytes, blob: bytes) -> Any:
    with contextlib.suppress(wire.WireError):
        return wire.decode(header, blob)


def peak(header: bytes, blob: bytes) -> int:
    tracemalloc.start()
    try:
        decode_or_refuse(header, blob)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@settings(max_examples=400, deadline=None)
@given(TREES, st.binary(max_size=80))
def test_no_tree_raises_anything_but_a_wire_error(tree: Any, blob: bytes) -> None:
    decode_or_refuse(msgpack.packb(tree), blob)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_changed_byte_raises_anything_but_a_wire_error(data: st.DataObject) -> None:
    value = {"id": 1, "value": [np.arange(6.0).reshape(2, 3), (1 + 2j, 2**80), "text"], "mutated": [0]}
    header, blob = wire.encode(value, lambda kept: wire.Handle(1, "object"))
    changed = bytearray(header)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(header) - 1))] = data.draw(st.integers(0, 255))
    decode_or_refuse(bytes(changed), blob[: data.draw(st.integers(0, len(blob)))])


@settings(max_examples=60, deadline=None)
@given(TREES | st.binary(max_size=4000).map(lambda junk: ["junk", junk]), st.binary(max_size=4000))
def test_memory_follows_the_size_of_what_arrived(tree: Any, blob: bytes) -> None:
    header = msgpack.packb(tree)
    assert peak(header, blob) < 300 * len(header) + 40 * len(blob) + 200_000


def heap(item: Any) -> bytes:
    """Repeat an item in one list until the header is full."""
    packed = msgpack.packb(item)
    count = (wire.MAX_HEADER - 5) // len(packed)
    return b"\xdd" + count.to_bytes(4, "big") + bytes(packed) * count


LARGE = msgpack.ExtType(wire.ARRAY, struct.pack("<BBQQ", sorted(wire.DTYPES).index("<f8"), 1, 0, 1 << 20))
HEAPS = {
    "empty lists": (heap([]), b""),
    "nothing, often": (heap(None), b""),
    "small lists": (heap([[]]), b""),
    "lists within the number of items": (msgpack.packb([[[]] * 1000] * 300), b""),
    "pairs": (heap({"a": {}}), b""),
    "arrays that share their bytes": (heap(LARGE), bytes(8 << 20)),
    "long numbers": (heap(msgpack.ExtType(wire.INTEGER, b"9" * 4000)), b""),
}


@pytest.mark.parametrize("kind", HEAPS)
def test_a_heap_of_items_stays_below_the_cap(kind: str) -> None:
    header, blob = HEAPS[kind]
    assert len(header) <= wire.MAX_HEADER
    assert peak(header, blob) < 2 * wire.MAX_BLOB


@pytest.mark.parametrize("kind", [kind for kind in HEAPS if kind != "long numbers"])
def test_too_many_items_or_bytes_are_refused(kind: str) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(*HEAPS[kind])


def test_large_honest_values_pass() -> None:
    def keep(value: Any) -> wire.Handle:
        return wire.Handle(1, "object")

    table = [[float(i) for i in range(300)] for _ in range(300)]
    assert wire.decode(*wire.encode(table, keep)) == table
    arrays = [np.full((500, 500), float(i)) for i in range(30)]
    back = wire.decode(*wire.encode(arrays, keep))
    assert all(np.array_equal(a, b) for a, b in zip(arrays, back, strict=True))
