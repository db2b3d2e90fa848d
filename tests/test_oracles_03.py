"""The references of 03-bilinear against vectors that other hands computed (see tests/oracles/README.md)."""

import json
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
    return load_reference(Course.find(ORACLES).assignment("03-bilinear"))


def _cases(stem: str, operation: str, **wanted: Any) -> list[Any]:
    cases = json.loads((ORACLES / f"{stem}.json").read_text())["cases"]
    return [
        pytest.param(case, id=case["id"])
        for case in cases
        if case["op"] == operation and all(case["params"].get(name) == value for name, value in wanted.items())
    ]


def _arrays(stem: str, case: dict[str, Any]) -> SimpleNamespace:
    with np.load(ORACLES / f"{stem}.npz", allow_pickle=False) as stored:
        return SimpleNamespace(
            **{name: stored[entry["key"]] for part in ("inputs", "outputs") for name, entry in case[part].items()}
        )


def _close(got: Any, wanted: Any) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", _cases("small_packages", "circuits"))
def test_circuits(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    data = _arrays("small_packages", case)
    _close(reference.w_qk(data.W_q, data.W_k), data.W_QK)
    _close(reference.w_ov(data.W_v, data.W_o), data.W_OV)
    assert reference.head_rank(data.W_q, data.W_k) == data.rank_QK
    assert reference.head_rank(data.W_v, data.W_o.T) == data.rank_OV


@pytest.mark.parametrize("case", _cases("small_packages", "circuits"))
def test_the_best_head_leaves_the_singular_values_that_it_cannot_hold(
    reference: SimpleNamespace, case: dict[str, Any]
) -> None:
    data = _arrays("small_packages", case)
    for form, strengths in ((data.W_QK, data.sv_QK), (data.W_OV, data.sv_OV)):
        for width in range(1, len(form) + 1):
            W_q, W_k = reference.best_head(form, width)
            assert W_q.shape == W_k.shape == (len(form), width)
            _close(np.linalg.norm(form - W_q @ W_k.T), np.linalg.norm(strengths[width:]))


@pytest.mark.parametrize("case", _cases("torch_core", "mha", bias=False, causal=False, kdim=None))
def test_a_layer_is_the_sum_of_its_heads_circuits(reference: SimpleNamespace, case: dict[str, Any]) -> None:
    """Rebuild PyTorch's layer from the circuits alone; its 1/sqrt(d) is carried into the scores here."""
    data = _arrays("torch_core", case)
    width = case["params"]["embed_dim"] // case["params"]["h"]
    for batch, X in enumerate(data.xq):
        written = np.zeros_like(X)
        for head in range(case["params"]["h"]):
            own = slice(head * width, (head + 1) * width)
            form = reference.w_qk(data.W_q[:, own], data.W_k[:, own])
            A = reference.softmax(reference.bilinear_scores(X, form) / np.sqrt(width))
            _close(A, data.weights[batch, head])
            written += reference.head_output(A, X, reference.w_ov(data.W_v[:, own], data.W_o[own]))
        _close(written, data.y[batch])


def test_every_kind_of_case_is_there() -> None:
    assert len(_cases("small_packages", "circuits")) == 4
    assert len(_cases("torch_core", "mha", bias=False, causal=False, kdim=None)) == 2
