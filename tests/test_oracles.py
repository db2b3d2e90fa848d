"""The references of 02-attend against vectors that other hands computed (see tests/oracles/README.md)."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograder.course import Course

ORACLES = Path(__file__).resolve().parent / "oracles"
CASES = [
    (stem, case)
    for stem in ("onnx_softmax", "torch_core")
    for case in json.loads((ORACLES / f"{stem}.json").read_text())["cases"]
]
LATER = {"causal", "causal_upper_left", "causal_lower_right", "masked", "gqa", "decode", "ntm_content"}
NOT_GRADED = {"softmax_all_neginf_row"}  # the course does not say what a row of nothing but -inf gives


@pytest.fixture(scope="module")
def reference() -> SimpleNamespace:
    names: dict[str, Any] = {}
    for source in Course.find(ORACLES).assignment("02-attend").reference_cells():
        exec(source, names)
    return SimpleNamespace(**{name: value for name, value in names.items() if not name.startswith("__")})


def _fits(case: dict[str, Any], *operations: str) -> bool:
    return case["op"] in operations and case["id"] not in NOT_GRADED


def _cases(*operations: str, **wanted: Any) -> list[Any]:
    return [
        pytest.param(stem, case, id=f"{stem}:{case['id']}")
        for stem, case in CASES
        if _fits(case, *operations) and all(case["params"].get(name) == value for name, value in wanted.items())
    ]


def _arrays(stem: str, case: dict[str, Any]) -> SimpleNamespace:
    with np.load(ORACLES / f"{stem}.npz", allow_pickle=False) as stored:
        return SimpleNamespace(
            **{name: stored[entry["key"]] for part in ("inputs", "outputs") for name, entry in case[part].items()}
        )


def _close(got: Any, wanted: np.ndarray) -> None:
    exact = wanted.dtype == np.float64
    np.testing.assert_allclose(got, wanted, rtol=1e-9 if exact else 1e-4, atol=1e-12 if exact else 1e-6)


def _unscaled(queries: np.ndarray, case: dict[str, Any], width: int) -> np.ndarray:
    """Carry the factor of a scaled case into its queries, for the unscaled functions of the course."""
    return queries * case["params"].get("scale", 1 / np.sqrt(width))


def test_every_case_is_used_or_named_as_not_fitting() -> None:
    known = {"Softmax", "softmax", "sdpa", "mha"} | LATER
    assert {case["op"] for _, case in CASES} == known
    assert {case["id"] for _, case in CASES} >= NOT_GRADED


@pytest.mark.filterwarnings("ignore:overflow encountered in subtract")  # a gap of 2e308 is -inf, and its share 0
@pytest.mark.parametrize("stem, case", _cases("Softmax", "softmax"))
def test_softmax(reference: SimpleNamespace, stem: str, case: dict[str, Any]) -> None:
    data = _arrays(stem, case)
    axis = case["params"].get("axis", -1)
    _close(reference.softmax(data.x, axis), data.y)
    _close(reference.softmax(data.x.tolist(), axis=axis), data.y)


@pytest.mark.parametrize("stem, case", _cases("sdpa"))
def test_attention(reference: SimpleNamespace, stem: str, case: dict[str, Any]) -> None:
    data = _arrays(stem, case)
    for place in np.ndindex(data.q.shape[:-2]):
        queries = _unscaled(data.q[place], case, data.q.shape[-1])
        keys, values = data.k[place], data.v[place]
        out, weights = reference.attend_all(queries, keys, values)
        _close(out, data.y[place])
        _close(weights @ values, data.y[place])
        for query, wanted in zip(queries, data.y[place], strict=True):
            blend, recipe = reference.attend(query, keys, values)
            _close(blend, wanted)
            _close(reference.weights_by_identity(query, keys), recipe)


def _heads(case: dict[str, Any]) -> list[slice]:
    width = case["params"]["embed_dim"] // case["params"]["h"]
    return [slice(head * width, (head + 1) * width) for head in range(case["params"]["h"])]


@pytest.mark.parametrize("stem, case", _cases("mha", bias=False, causal=False))
def test_heads_of_a_multi_head_layer(reference: SimpleNamespace, stem: str, case: dict[str, Any]) -> None:
    """Build the layer out of single heads: `cross_attend`, or `attend_all` where keys and values differ in origin."""
    data = _arrays(stem, case)
    for batch in range(len(data.xq)):
        parts = []
        for head, columns in enumerate(_heads(case)):
            W_q = _unscaled(data.W_q[:, columns], case, columns.stop - columns.start)
            W_k, W_v = data.W_k[:, columns], data.W_v[:, columns]
            xq, xk, xv = data.xq[batch], data.xk[batch], data.xv[batch]
            if np.array_equal(xk, xv):
                out, weights = reference.cross_attend(xq, xk, W_q, W_k, W_v)
            else:
                out, weights = reference.attend_all(xq @ W_q, xk @ W_k, xv @ W_v)
            _close(weights, data.weights[batch, head])
            parts.append(out)
        _close(np.concatenate(parts, axis=1) @ data.W_o, data.y[batch])


@pytest.mark.parametrize("stem, case", _cases("mha", bias=False, causal=False, kdim=None))
def test_projections_of_self_attention(reference: SimpleNamespace, stem: str, case: dict[str, Any]) -> None:
    data = _arrays(stem, case)
    assert np.array_equal(data.xq, data.xk) and np.array_equal(data.xk, data.xv)
    for batch in range(len(data.xq)):
        parts = []
        for columns in _heads(case):
            Q, K, V = reference.project(data.xq[batch], *(W[:, columns] for W in (data.W_q, data.W_k, data.W_v)))
            parts.append(reference.attend_all(_unscaled(Q, case, Q.shape[1]), K, V)[0])
        _close(np.concatenate(parts, axis=1) @ data.W_o, data.y[batch])
