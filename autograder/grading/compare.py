"""Compare results by the course's conventions, in sentences that give away no hidden number.

Results arrive decoded from the wire as plain data, so nothing here runs a student's method.
"""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from autograder.grading.groups import Mismatch, note

Array = NDArray[np.float64]

DOUBLE = (1e-6, 1e-8)
SINGLE = (1e-4, 1e-5)
MAX_DEPTH = 16
PAIRS = {2: "two results", 3: "three results"}


def array(value: Any, shape: tuple[int, ...] | None = None, finite: bool = True) -> Array:
    """Return `value` as a float64 array of `shape`, or raise Mismatch with a sentence.

    Lists, tuples and np.matrix are accepted with a note, a float32 array and a plain number without comment here.
    """
    result = np.array(_numbers(value), dtype=np.float64)
    if shape is not None and result.shape != tuple(shape):
        raise Mismatch(_shape_sentence(result.shape, tuple(shape)))
    if finite and np.isnan(result).any():
        raise Mismatch("the result holds nan (not a number)")
    if finite and np.isinf(result).any():
        raise Mismatch("the result holds an infinity")
    return result


def agree(got: Any, want: Any, like: Any = None, rtol: float = DOUBLE[0]) -> None:
    """Pass when `got` is `want` within rtol (1e-6) and atol 1e-8, or within 1e-4 when it was computed in float32.

    A tuple is compared entry by entry. `like` is the raw result that `got` was worked out from, when its precision
    has to count. Shapes must be equal: nothing broadcasts.
    """
    rough = is_single(got) or is_single(like)
    tolerance = SINGLE if rough else (rtol, DOUBLE[1])
    if isinstance(want, tuple):
        entries = unpack(got, len(want))
        for entry, wanted in zip(entries, want, strict=True):
            _agree_array(entry, wanted, tolerance)
    else:
        _agree_array(got, want, tolerance)


def unpack(value: Any, n: int) -> tuple[Any, ...]:
    """Return the `n` results of a function that has to return so many."""
    wanted = PAIRS.get(n, f"{n} results")
    if value is None:
        raise Mismatch("returned nothing: is a `return` missing?")
    if not isinstance(value, list | tuple):
        raise Mismatch(f"returned {_kind(value)} where {wanted} were expected")
    if len(value) != n:
        raise Mismatch(f"returned {len(value)} results where {wanted} were expected")
    return tuple(value)


def exact_int(value: Any) -> int:
    """Return `value` as an exact integer; a float that is one (4.0) is accepted with a note."""
    if isinstance(value, np.ndarray) and value.shape == () and not isinstance(value, np.ma.MaskedArray):
        value = value[()]
    if isinstance(value, bool | np.bool_):
        raise Mismatch("returned True or False where a whole number was expected")
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating) and np.isfinite(value) and float(value).is_integer():
        note("A whole number was returned as a float: accepted, though an int stays exact at any size.")
        return int(value)
    if value is None:
        raise Mismatch("returned nothing: is a `return` missing?")
    raise Mismatch(f"returned {_kind(value)} where a whole number was expected")


def is_single(value: Any) -> bool:
    """Tell whether a result, or any part of it, is in float32 or float16."""
    if isinstance(value, np.ndarray | np.generic):
        return bool(value.dtype.kind == "f" and value.dtype.itemsize < 8)
    if isinstance(value, list | tuple):
        return any(is_single(entry) for entry in value[:10_000])
    return False


def _agree_array(got: Any, want: Any, tolerance: tuple[float, float]) -> None:
    wanted = np.asarray(want, dtype=np.float64)
    if tolerance != SINGLE and _equals(got, wanted, tolerance):
        return
    result = array(got, shape=wanted.shape, finite=False)
    if np.isnan(result).any():
        raise Mismatch("the result holds nan (not a number)")
    endless = np.isinf(wanted)
    if np.any(np.isinf(result) != endless):
        raise Mismatch("the result holds an infinity where a number belongs, or the other way round")
    if np.any(result[endless] != wanted[endless]):
        raise Mismatch("an infinity of the result has the wrong sign")
    rtol, atol = tolerance
    gap = np.abs(result[~endless] - wanted[~endless])
    if np.any(gap > atol + rtol * np.abs(wanted[~endless])):
        raise Mismatch(_values_sentence(got))
    if tolerance == SINGLE:
        note("The result is in float32: accepted within 1e-4, though the course works in float64.")


def _equals(got: Any, wanted: Array, tolerance: tuple[float, float]) -> bool:
    """Say whether the usual right result, a finite float64 array, is right; whatever else it is takes a closer look."""
    if type(got) is not np.ndarray or got.dtype != np.float64 or got.shape != wanted.shape:
        return False
    rtol, atol = tolerance
    with np.errstate(invalid="ignore"):
        return bool((np.abs(got - wanted) <= atol + rtol * np.abs(wanted)).all() and np.isfinite(wanted).all())


def _values_sentence(got: Any) -> str:
    if isinstance(got, np.ndarray) and got.dtype.kind in "iu":
        return "the values differ, and the result is an array of whole numbers (dtype int)"
    return "the values differ from what they should be"


def _shape_sentence(got: tuple[int, ...], want: tuple[int, ...]) -> str:
    if got == ():
        return f"is one number where an array of shape {want} was expected"
    return f"has shape {got} where {want or 'one number'} was expected"


def _numbers(value: Any) -> Any:
    """Return an array of real numbers, free of masks and subclasses, or refuse."""
    if value is None:
        raise Mismatch("returned nothing: is a `return` missing?")
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise Mismatch("returned a masked array: masked entries are no numbers")
        note("A masked array was returned: accepted, as nothing in it is masked.")
        return _real(np.asarray(value.data))
    if isinstance(value, np.matrix):
        note("An np.matrix was returned: accepted, though its `*` and its shapes differ from an array's.")
        return _real(np.asarray(value))
    if isinstance(value, np.ndarray | np.generic):
        return _real(np.asarray(value))
    if isinstance(value, list | tuple):
        return _nested(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Mismatch(f"returned {_kind(value)} where an array was expected")
    return _float(value)


def _real(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "c":
        raise Mismatch("returned complex numbers where real ones were expected")
    if values.dtype.kind == "b":
        raise Mismatch("returned True and False where numbers were expected")
    if values.dtype.kind not in "fiu":
        raise Mismatch("returned an array of something that is not a number")
    return values


def _nested(value: Any) -> NDArray[Any]:
    _check_entries(value, MAX_DEPTH)
    note("A list or tuple was returned where an array was expected: accepted.")
    try:
        return np.array(value, dtype=np.float64)  # whole numbers beyond 64 bits, too
    except (ValueError, OverflowError) as error:
        raise Mismatch("returned a list whose rows do not have the same length") from error


def _check_entries(entries: Any, depth: int) -> None:
    if depth == 0:
        raise Mismatch("returned lists nested too deeply")
    for entry in entries:
        if isinstance(entry, list | tuple):
            _check_entries(entry, depth - 1)
        elif isinstance(entry, np.ma.MaskedArray | np.ndarray | np.generic):
            _numbers(entry)
        elif entry is None or isinstance(entry, bool) or not isinstance(entry, int | float):
            raise Mismatch(f"returned a list that holds {_kind(entry)} where a number was expected")
        else:
            _float(entry)


def _float(value: float | SupportsIndex) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise Mismatch("returned a whole number that is too large") from error


def _kind(value: Any) -> str:
    """Name a kind of result in words."""
    if value is None:
        return "nothing (None)"
    if isinstance(value, bool | np.bool_):
        return "True or False"
    if isinstance(value, str | bytes):
        return "text"
    if isinstance(value, complex | np.complexfloating):
        return "a complex number"
    if isinstance(value, int | float | np.number):
        return "one number"
    if isinstance(value, np.ndarray):
        return "one array"
    if isinstance(value, dict):
        return "a dict"
    if isinstance(value, list | tuple):
        return "a list"
    return "something that is not an array"
