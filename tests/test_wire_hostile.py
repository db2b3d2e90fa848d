"""Whatever bytes arrive, the decoder raises its own error or returns data, and stays within its memory."""

import contextlib
import tracemalloc
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.sandbox.inside import wire

TAGS = ["l", "t", "S", "d", "a", "m", "s", "M", "i", "z", "h", "c", "?"]
NUMBERS = st.integers(-(2**63), 2**64 - 1)
LEAVES = st.none() | st.booleans() | NUMBERS | st.floats() | st.text(max_size=8) | st.binary(max_size=8)
CODES = st.sampled_from([*sorted(wire.DTYPES), "|O8", "<U4", "V1048576", ">f8", ""])
SHAPES = st.lists(st.integers(-2, 2**40) | st.integers(0, 4) | LEAVES, max_size=40)
ARRAYS = st.tuples(st.sampled_from("amsM"), CODES | LEAVES, SHAPES | LEAVES, st.integers(-9, 80) | LEAVES).map(list)


def _nodes(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    anything = st.lists(inner, max_size=4)
    return st.tuples(st.sampled_from(TAGS), anything | inner).map(list) | anything | ARRAYS


TREES = st.recursive(LEAVES | ARRAYS, _nodes, max_leaves=30)


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


MANY = (1 << 18) - 100
OVERLAPPING = msgpack.packb(["l", [["a", "<f8", [1 << 20], 0]] * 500])
HEAPS = {
    "empty lists": (b"\xdd" + (wire.MAX_HEADER - 5).to_bytes(4, "big") + b"\x90" * (wire.MAX_HEADER - 5), b""),
    "nothing, often": (msgpack.packb(["l", [None] * (wire.MAX_HEADER - 20)]), b""),
    "small lists": (msgpack.packb(["l", [["l", []]] * MANY]), b""),
    "arrays that share their bytes": (OVERLAPPING, bytes(8 << 20)),
    "long numbers": (msgpack.packb(["l", [["i", "9" * 4000]] * 260]), b""),
}


@pytest.mark.parametrize("kind", HEAPS)
def test_a_heap_of_items_stays_below_the_cap(kind: str) -> None:
    header, blob = HEAPS[kind]
    assert len(header) <= wire.MAX_HEADER
    assert peak(header, blob) < 2 * wire.MAX_BLOB


@pytest.mark.parametrize("kind", ["empty lists", "nothing, often", "small lists", "arrays that share their bytes"])
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
