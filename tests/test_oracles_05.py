"""The references of 05-lineage against vectors that other hands computed (see tests/oracles/README.md)."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograder.course import Course
from autograder.grading.reference import load_reference

ORACLES = Path(__file__).resolve().parent / "oracles"


@pytest.fixture(scope="module")
def reference() -> SimpleNamespace:
    return load_reference(Course.find(ORACLES).assignment("05-lineage"))


def _cases(stem: str, fits: Callable[[dict[str, Any]], bool]) -> list[Any]:
    cases = json.loads((ORACLES / f"{stem}.json").read_text())["cases"]
    found = [pytest.param(case, id=case["id"]) for case in cases if fits(case)]
    assert found, stem
    return found


def _operation(stem: str, *operations: str) -> list[Any]:
    return _cases(stem, lambda case: case["op"] in operations)


def _arrays(stem: str, case: dict[str, Any]) -> SimpleNamespace:
    with np.load(ORACLES / f"{stem}.npz", allow_pickle=False) as stored:
        return SimpleNamespace(
            **{name: stored[entry["key"]] for part in ("inputs", "outputs") for name, entry in case[part].items()}
        )


def _close(got: Any, wanted: np.ndarray) -> None:
    double = wanted.dtype == np.float64
    np.testing.assert_allclose(got, wanted, rtol=1e-9 if double else 1e-4, atol=1e-12 if double else 1e-6)


# ---------------------------------------------------------------------------------------------------- scaled


def _torch_fits(case: dict[str, Any]) -> bool:
    """Leave out the mask of floats, which is added to the scores."""
    mask = case["inputs"].get("attn_mask", {"dtype": "bool"})
    return case["op"] in ("sdpa", "causal", "masked", "causal_lower_right") and mask["dtype"] == "bool"


@pytest.mark.parametrize("case", _cases("torch_core", _torch_fits))
def test_torch(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("torch_core", case)
    mask = getattr(data, "attn_mask", None)
    queries = data.q * case["params"].get("scale", 1 / np.sqrt(data.q.shape[-1])) * np.sqrt(data.q.shape[-1])
    causal = case["op"] == "causal"
    out, weights = reference.scaled_dot_product_attention(queries, data.k, data.v, mask, causal)
    _close(out, data.y)
    _close(weights @ data.v, data.y)
    if case["op"] == "causal_lower_right":  # the mask spells out what `causal` means
        _close(reference.scaled_dot_product_attention(data.q, data.k, data.v, causal=True)[0], data.y)
        assert np.array_equal(weights > 0, np.broadcast_to(mask, weights.shape))


@pytest.mark.parametrize("case", _operation("torch_core", "causal_upper_left"))
def test_torchs_other_alignment_is_a_mask_here(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("torch_core", case)
    upper_left = np.tri(data.q.shape[-2], data.k.shape[-2], dtype=bool)
    _close(reference.scaled_dot_product_attention(data.q, data.k, data.v, upper_left)[0], data.y)
    assert not np.allclose(reference.scaled_dot_product_attention(data.q, data.k, data.v, causal=True)[0], data.y)


@pytest.mark.parametrize("case", _operation("torch_core", "decode"))
def test_torch_decoding_one_token_at_a_time(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("torch_core", case)
    keys, values = (np.repeat(part, case["params"]["h"] // case["params"]["g"], axis=1) for part in (data.k, data.v))
    for end in range(1, keys.shape[-2] + 1):
        last = (..., slice(end - 1, end), slice(None))
        known = (..., slice(end), slice(None))
        out, _ = reference.scaled_dot_product_attention(data.q[last], keys[known], values[known], causal=True)
        _close(out, data.y[last])


ONNX_NOT_HERE = {"softcap", "left_window_size", "q_num_heads", "softmax_precision"}


def _onnx_fits(case: dict[str, Any]) -> bool:
    """Leave out what the course does not have: soft caps, windows, packed heads, added masks, half precision."""
    parts = case["inputs"]
    if ONNX_NOT_HERE & case["params"].keys() or parts["Q"]["dtype"] == "float16":
        return False
    return "attn_mask" not in parts or parts["attn_mask"]["dtype"] == "bool"


def _onnx_seen(data: SimpleNamespace, causal: bool, past: int) -> np.ndarray:
    """Spell out who may see whom in ONNX: padding, the mask, and causal counted from the past that is there."""
    batch, _, queries, _ = data.Q.shape
    tokens = data.K.shape[-2]
    lengths = getattr(data, "nonpad_kv_seqlen", np.full(batch, tokens))
    seen = np.broadcast_to(np.arange(tokens) < lengths[:, None, None, None], (batch, 1, queries, tokens)).copy()
    if causal:
        offsets = lengths - queries if hasattr(data, "nonpad_kv_seqlen") else np.full(batch, past)
        last = np.arange(queries)[:, None] + offsets[:, None, None, None]
        seen &= np.arange(tokens) <= last
    if hasattr(data, "attn_mask"):
        mask = data.attn_mask
        widths = [(0, 0)] * (mask.ndim - 1) + [(0, tokens - mask.shape[-1])]
        seen = seen & np.pad(mask, widths)
    return seen


@pytest.mark.parametrize("case", _cases("onnx_attention", _onnx_fits))
def test_onnx(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("onnx_attention", case)
    past = data.past_key.shape[-2] if hasattr(data, "past_key") else 0
    if past:
        data.K = np.concatenate([data.past_key, data.K], axis=2)
        data.V = np.concatenate([data.past_value, data.V], axis=2)
    shared = data.Q.shape[1] // data.K.shape[1]
    keys, values = np.repeat(data.K, shared, axis=1), np.repeat(data.V, shared, axis=1)
    causal = bool(case["params"].get("is_causal"))
    scale = case["params"].get("scale")
    queries = data.Q if scale is None else data.Q * scale * np.sqrt(data.Q.shape[-1])
    out, weights = reference.scaled_dot_product_attention(queries, keys, values, _onnx_seen(data, causal, past))
    _close(out, data.Y)
    if case["params"].get("qk_matmul_output_mode") == 3:
        _close(weights, data.qk_matmul_output)
    plain = not hasattr(data, "attn_mask") and not hasattr(data, "nonpad_kv_seqlen")
    if causal and plain and past == keys.shape[-2] - queries.shape[-2]:  # then both count from the end
        _close(reference.scaled_dot_product_attention(queries, keys, values, causal=True)[0], data.Y)


@pytest.mark.parametrize("case", _operation("d2l_attn", "sdpa_validlens"))
def test_d2l(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    """Lengths become masks; where nothing may be seen, d2l weighs all keys equally and the course gives zeros."""
    data = _arrays("d2l_attn", case)
    lengths = data.valid_lens.reshape(len(data.q), -1, 1)
    mask = np.arange(data.k.shape[1]) < lengths
    out, weights = reference.scaled_dot_product_attention(data.q, data.k, data.v, mask)
    some = np.broadcast_to(lengths[..., 0] > 0, data.q.shape[:2])
    _close(weights[some], data.weights[some])
    _close(out[some], data.y[some])
    assert not weights[~some].any() and not out[~some].any()


@pytest.mark.parametrize("case", _cases("transformers_attn", lambda case: "weights" in case["outputs"]))
def test_transformers(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data, sizes = _arrays("transformers_attn", case), case["params"]

    def heads(matrix: np.ndarray, count: int) -> np.ndarray:
        return (data.X @ matrix).reshape(1, sizes["T"], count, -1).swapaxes(1, 2)

    keys, values = (np.repeat(heads(W, sizes["g"]), sizes["h"] // sizes["g"], axis=1) for W in (data.W_k, data.W_v))
    out, weights = reference.scaled_dot_product_attention(heads(data.W_q, sizes["h"]), keys, values, causal=True)
    np.testing.assert_allclose(weights, data.weights, rtol=1e-5, atol=1e-7)  # their softmax runs in float32
    joined = out.swapaxes(1, 2).reshape(1, sizes["T"], -1) @ data.W_o
    np.testing.assert_allclose(joined, data.y, rtol=1e-5, atol=1e-6)


# ------------------------------------------------------------------------------------------------- the others


@pytest.mark.parametrize("case", _operation("torch_core", "ntm_content"))
def test_content_addressing(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("torch_core", case)
    weights = reference.content_address(data.key, data.memory, case["params"]["beta"])
    _close(weights, data.weights)
    _close(weights @ data.memory, data.read)


@pytest.mark.parametrize("case", _operation("small_packages", "ntm_content_batched"))
def test_content_addressing_with_an_epsilon(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    """The differentiable neural computer adds 1e-6 to its divisor, which the course's tolerance of 1e-5 allows."""
    data = _arrays("small_packages", case)
    for batch, head in np.ndindex(data.strengths.shape):
        got = reference.content_address(data.keys[batch, head], data.memory[batch], data.strengths[batch, head])
        np.testing.assert_allclose(got, data.weights[batch, head], rtol=1e-5)


@pytest.mark.parametrize("case", _operation("d2l_attn", "bahdanau_full"))
def test_additive_scores(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    """The vectors hold weights, after a softmax over the keys that are no padding."""
    data = _arrays("d2l_attn", case)
    lengths = getattr(data, "valid_lens", np.full(len(data.k), data.k.shape[1]))
    for batch, query in np.ndindex(data.q.shape[:2]):
        keys = data.k[batch, : lengths[batch]]
        scores = reference.additive_scores(data.q[batch, query], keys, data.W_q, data.W_k, data.w_v)
        weights = np.exp(scores - scores.max())
        _close(weights / weights.sum(), data.weights[batch, query, : lengths[batch]])


@pytest.mark.parametrize("case", _operation("small_packages", "luong_full"))
def test_luong(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    """The vectors go one layer further: tanh([context, query] @ W_out)."""
    data = _arrays("small_packages", case)
    for batch, place in np.ndindex(data.query.shape[:2]):
        state, words = data.query[batch, place], data.context[batch]
        W = data.W_a if case["params"]["type"] == "general" else None
        context, weights = reference.luong_attend(state, words, W)
        _close(weights, data.weights[batch, place])
        asked = state if W is None else state @ W
        _close(np.tanh(np.concatenate([context, asked]) @ data.W_out), data.attn_vector[batch, place])
