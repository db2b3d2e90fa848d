"""Gradescope's zip, run as their documentation describes: in a folder laid out like /autograder."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder.gradescope.run import read_metadata

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "samples"))

import build  # noqa: E402

NAME = "02-attend"
STUDENT = "ada-vectorised"
METADATA = {
    "id": 123456,
    "created_at": "2026-01-15T14:00:00.365935-08:00",
    "assignment": {"due_date": "2026-01-15T20:00:00.000000-08:00", "title": "Attend", "total_points": "100.0"},
    "users": [{"email": "ada@example.org", "id": 1234, "name": "Ada Vectorised"}],
    "previous_submissions": [],
}


@pytest.fixture(scope="session")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the zip by the command, and unpack it as Gradescope does."""
    folder = tmp_path_factory.mktemp("gradescope")
    roster = folder / "roster.csv"
    roster.write_text(f"student_id,email\n{STUDENT},ada@example.org\n", encoding="utf-8")
    packed = folder / "autograder.zip"
    command = [sys.executable, "-m", "autograder", "gradescope", NAME, "-o", packed, "--roster", roster]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AUTOGRADER_SECRET": "tests"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "give it to nobody" in done.stdout
    with zipfile.ZipFile(packed) as archive:
        assert {"setup.sh", "run_autograder", "requirements.txt", "constraints.txt"} <= set(archive.namelist())
        archive.extractall(folder / "autograder" / "source")
    return folder / "autograder"


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build.build_samples(ROOT, tmp_path_factory.mktemp("hand-ins"), NAME)


def container(layout: Path, folder: Path, metadata: Any = METADATA) -> Path:
    root = folder / "autograder"
    shutil.copytree(layout / "source", root / "source")
    shutil.copy(root / "source" / "run_autograder", root)
    for name in ("submission", "results"):
        (root / name).mkdir()
    (root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    return root


def run(root: Path, python: str = sys.executable) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "AUTOGRADER_PYTHON": python}
    done = subprocess.run(
        ["bash", root / "run_autograder"], env=environment, capture_output=True, text=True, check=False
    )
    result = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    assert done.returncode == 0
    return result, done


def test_a_right_hand_in_earns_everything(layout: Path, samples: Path, tmp_path: Path) -> None:
    root = container(layout, tmp_path)
    shutil.copy(samples / STUDENT / NAME / f"{NAME}.ipynb", root / "submission" / "my work (2).ipynb")
    result, done = run(root)
    assert result["score"] == 100, done.stdout + done.stderr
    assert all(test["visibility"] == "visible" for test in result["tests"])
    assert sum(test["max_score"] for test in result["tests"]) == 100
    assert "Isolation:" in done.stdout and "after the due date" not in result["output"]
    assert result["extra_data"]["status"] == "graded", "the roster's id is the one that the notebook was made for"


def test_a_wrong_and_late_hand_in_loses_points_and_says_why(layout: Path, samples: Path, tmp_path: Path) -> None:
    late = {**METADATA, "created_at": "2026-01-15T23:00:00.000000-08:00"}
    root = container(layout, tmp_path, late)
    shutil.copy(samples / "lea-blends-keys" / NAME / f"{NAME}.ipynb", root / "submission")
    result, _ = run(root)
    assert 0 < result["score"] < 100
    assert "3.0 hours after the due date" in result["output"]
    assert any("keys are blended" in test["output"] for test in result["tests"])


def test_where_only_the_kernel_isolates_the_instructor_reads_what_is_missing(
    layout: Path, samples: Path, tmp_path: Path
) -> None:
    root = container(layout, tmp_path)
    shutil.copy(samples / STUDENT / NAME / f"{NAME}.ipynb", root / "submission")
    code = (
        "import sys, pathlib; from autograder.gradescope import run; from autograder.sandbox.levels import probe\n"
        "run.choose = lambda: probe('kernel')\nrun.grade(pathlib.Path(sys.argv[1]))"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(root)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    assert result["score"] == 100 and result["extra_data"]["isolation"] == "kernel"
    assert result["extra_data"]["isolation_missing"]
    assert all(sentence in done.stdout for sentence in result["extra_data"]["isolation_missing"])
    assert "kernel" not in result["output"]


@pytest.mark.parametrize("content", [None, b"", b'{"cells": [', b"<html>not a notebook</html>"])
def test_an_empty_or_broken_hand_in_has_a_result_and_no_score(
    layout: Path, tmp_path: Path, content: bytes | None
) -> None:
    root = container(layout, tmp_path)
    if content is not None:
        (root / "submission" / f"{NAME}.ipynb").write_bytes(content)
    result, done = run(root)
    assert "score" not in result, done.stdout
    assert not any("score" in test for test in result["tests"])
    assert "not a score of 0" in result["output"] and "Not graded" in result["output"]


def test_without_an_engine_there_is_still_a_result(layout: Path, tmp_path: Path) -> None:
    result, done = run(container(layout, tmp_path), python=str(tmp_path / "no-such-python"))
    assert "score" not in result and "not a score of 0" in result["output"]
    assert "setup.sh failed" in done.stderr


def test_damaged_course_material_gives_a_result_and_tells_the_instructor_why(layout: Path, tmp_path: Path) -> None:
    root = container(layout, tmp_path)
    (root / "source" / "bundle.zip").write_bytes(b"PK damaged")
    result, done = run(root)
    assert "score" not in result and "not a score of 0" in result["output"]
    assert "is no bundle" in done.stderr


@pytest.mark.parametrize("text", ["", "[]", '{"users": [], "created_at": 3}', '{"users": {"a": 1}, "assignment": []}'])
def test_damaged_metadata_is_unknown_and_no_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text, encoding="utf-8")
    about = read_metadata(tmp_path / "m.json")
    assert (about.people, about.created_at, about.late_by) == ((), None, 0.0)


def test_the_package_in_the_zip_holds_no_graders(layout: Path) -> None:
    (wheel,) = (layout / "source").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "autograder/gradescope/setup.sh" in names and not any("graders" in name for name in names)
    assert not any("answers" in name for name in zipfile.ZipFile(layout / "source" / "bundle.zip").namelist())
