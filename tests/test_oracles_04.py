"""The references of 04-kv-cache against vectors that other hands computed (see tests/oracles/README.md)."""

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
    return load_reference(Course.find(ORACLES).assignment("04-kv-cache"))


def _cases(stem: str, fits: Callable[[dict[str, Any]], bool]) -> list[Any]:
    cases = json.loads((ORACLES / f"{stem}.json").read_text())["cases"]
    found = [pytest.param(case, id=case["id"]) for case in cases if fits(case)]
    assert found, stem
    return found


def _arrays(stem: str, case: dict[str, Any]) -> SimpleNamespace:
    with np.load(ORACLES / f"{stem}.npz", allow_pickle=False) as stored:
        return SimpleNamespace(
            **{name: stored[entry["key"]] for part in ("inputs", "outputs") for name, entry in case[part].items()}
        )


def _close(got: Any, wanted: np.ndarray, double: bool = True) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-9 if double else 1e-4, atol=1e-11 if double else 1e-5)


def _stream(reference: SimpleNamespace, q: np.ndarray, k: np.ndarray, v: np.ndarray, chunks: list[int]) -> Any:
    """Feed the tokens through a cache in these chunks; return the cache and all that it answered."""
    cache, outs, start = reference.GQACache(len(k), k.shape[2], v.shape[2]), [], 0
    for n in chunks:
        part, start = slice(start, start + n), start + n
        cache.append(k[:, part], v[:, part])
        outs.append(cache.attend(q[:, part]))
    return cache, np.concatenate(outs, axis=1)


# --------------------------------------------------------------------------------------- PyTorch: heads come first


@pytest.mark.parametrize("case", _cases("torch_core", lambda case: case["op"] == "gqa"))
def test_torch_shares_heads(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("torch_core", case)
    for q, k, v, wanted in zip(data.q, data.k, data.v, data.y, strict=True):
        _close(reference.grouped_query_attention(q, k, v, case["params"]["is_causal"]), wanted)


@pytest.mark.parametrize("case", _cases("torch_core", lambda case: case["op"] == "causal_lower_right"))
def test_torch_aligns_to_the_last_key(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("torch_core", case)
    q, k, v, wanted = (part.reshape(-1, *part.shape[-2:]) for part in (data.q, data.k, data.v, data.y))
    _close(reference.grouped_query_attention(q, k, v, causal=True), wanted)


@pytest.mark.parametrize("case", _cases("torch_core", lambda case: case["op"] == "decode"))
def test_torch_decodes(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("torch_core", case)
    for chunks in (case["params"]["chunks"], [1] * data.q.shape[2], [data.q.shape[2]]):
        _close(_stream(reference, data.q[0], data.k[0], data.v[0], chunks)[1], data.y[0])


# ------------------------------------------------------------------------------- ONNX: float32, heads side by side


def _onnx_fits(case: dict[str, Any]) -> bool:
    """Take attention without masks of its own; ONNX's causal mask starts at the first key, so only equal lengths."""
    names, square = set(case["inputs"]), case["inputs"]["Q"]["shape"][-2] == case["inputs"]["K"]["shape"][-2]
    plain = set(case["params"]) <= {"kv_num_heads", "q_num_heads", "is_causal"} and names == {"Q", "K", "V"}
    single = case["inputs"]["Q"]["dtype"] == "float32" and set(case["outputs"]) == {"Y"}
    return plain and single and (square or not case["params"].get("is_causal"))


@pytest.mark.parametrize("case", _cases("onnx_attention", _onnx_fits))
def test_onnx(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data, params = _arrays("onnx_attention", case), case["params"]
    for q, k, v, wanted in zip(data.Q, data.K, data.V, data.Y, strict=True):
        joined = q.ndim == 2
        if joined:
            q = reference.split_heads(q, params["q_num_heads"])
            k, v = (reference.split_heads(part, params["kv_num_heads"]) for part in (k, v))
        out = reference.grouped_query_attention(q, k, v, bool(params.get("is_causal")))
        _close(np.hstack(list(out)) if joined else out, wanted, double=False)


# ---------------------------------------------------------------- transformers: whole layers, their caches and sizes


def _without_rope(operation: str) -> Callable[[dict[str, Any]], bool]:
    return lambda case: case["op"] == operation and not case["params"]["rope"]


@pytest.mark.parametrize("case", _cases("transformers_attn", _without_rope("gqa_layer")))
def test_llama_layer(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data, params = _arrays("transformers_attn", case), case["params"]
    x = data.X[0]
    q = reference.split_heads(x @ data.W_q, params["h"])
    k, v = (reference.split_heads(x @ W, params["g"]) for W in (data.W_k, data.W_v))
    cache, out = _stream(reference, q, k, v, params["chunks"])
    exact = params["attn_implementation"] == "sdpa"  # the other one takes its softmax in float32
    _close(np.hstack(list(out)) @ data.W_o, data.y_cached[0], exact)
    _close(cache.keys, data.cache_k[0])
    _close(cache.values, data.cache_v[0])
    size = reference.cache_bytes("gqa", 1, params["T"], params["h"], params["g"], params["head_dim"], 8)
    assert cache.nbytes == size == int(data.cache_nbytes)


@pytest.mark.parametrize("case", _cases("transformers_attn", _without_rope("mla_layer")))
def test_deepseek_layer(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    """Take latent and shared key together as one latent: W_uk passes the key on to every head, W_uv drops it.

    The layer is causal, so each token asks the tokens up to itself.
    """
    data, params = _arrays("transformers_attn", case), case["params"]
    h, nope, rope, rank = params["h"], params["qk_nope"], params["qk_rope"], params["kv_lora_rank"]
    cached = np.hstack([data.cache_latent[0, 0], data.cache_rope_key[0, 0]])
    up = data.W_kv_b.reshape(rank, h, -1)
    to_keys, to_values = np.zeros((rank + rope, h, nope + rope)), np.zeros((rank + rope, h, params["v_head_dim"]))
    to_keys[:rank, :, :nope], to_values[:rank] = up[..., :nope], up[..., nope:]
    to_keys[rank:, :, nope:] = np.eye(rope)[:, None]
    to_keys, to_values = to_keys.reshape(rank + rope, -1), to_values.reshape(rank + rope, -1)
    q = reference.split_heads(data.X[0] @ data.W_q, h)
    for token in range(params["T"]):
        asking, seen = q[:, token : token + 1], cached[: token + 1]
        out, latent = reference.latent_attention(asking, seen, np.eye(rank + rope), to_keys, to_values)
        _close(latent, seen)
        _close(np.hstack(list(out))[0] @ data.W_o, data.y[0, token], double=False)  # its norm is taken in float32
        _close(reference.absorbed_attention(asking, seen, to_keys, to_values), out)
    assert cached.shape[1] == params["mla_floats_per_token"]
    sizes = {"n_layers": 1, "T": params["T"], "n_heads": h, "n_kv_heads": h, "d_head": nope, "bytes_per": 8}
    assert reference.cache_bytes("mla", **sizes, d_latent=rank, d_rope=rope) == int(data.cache_nbytes)


def test_repeat_kv(reference: SimpleNamespace) -> None:
    """Let each query head read off its kv head's values."""
    [(case,)] = [param.values for param in _cases("transformers_attn", lambda case: case["op"] == "repeat_kv")]
    data = _arrays("transformers_attn", case)
    x, wanted = data.x[0], data.y[0]
    nothing = np.zeros((len(wanted), x.shape[1], 2))
    out = reference.grouped_query_attention(nothing, np.zeros((len(x), x.shape[1], 2)), x, causal=True)
    _close(out[:, 0], wanted[:, 0])


def test_sizes_that_are_printed(reference: SimpleNamespace) -> None:
    assert reference.cache_bytes("gqa", 32, 8192, 32, 8, 128, 2) == 2**30
    assert reference.cache_bytes("mla", 1, 1, 128, 128, 128, 1, 512, 64) == 576
    assert reference.cache_bytes("mha", 1, 1, 128, 128, 128, 1) == 32_768
