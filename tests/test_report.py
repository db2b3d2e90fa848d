"""The record: what it refuses, that it reads back, and that it is published."""

import json
import math
import os
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from autograder.errors import AutograderError
from autograder.report import (
    CellError,
    Diagnosis,
    Finding,
    GroupResult,
    Record,
    TaskResult,
    read_record,
    record_path,
    schema,
    write_record,
)

PUBLISHED = Path(__file__).parent.parent / "docs" / "record.schema.json"


def task(name: str = "softmax", points: float = 8, score: float | None = 5.5, **more: Any) -> TaskResult:
    group = GroupResult(name="huge", sentence="stays finite", points=3, earned=0, verdict="failed")
    found = Diagnosis(id="no_max", sentence="The maximum is not subtracted.", example="softmax([1000.0])")
    error = CellError(cell=4, task=name, kind="NameError", message="name 'nq' is not defined", line=2)
    fields: dict[str, Any] = {"groups": [group], "diagnosis": [found], "error": error, **more}
    return TaskResult(name=name, points=points, score=score, **fields)


def record(**more: Any) -> Record:
    fields: dict[str, Any] = {
        "student": "zoë",
        "assignment": "02-attend",
        "status": "graded",
        "graded_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
        "submitted_at": None,
        "submission_sha256": "0" * 64,
        "grader_version": "1",
        "environment": {"numpy": "2.0"},
        "seed": "abc",
        "isolation": "full",
        "findings": [Finding(code="renamed", sentence="The notebook is called x.ipynb.")],
        "tasks": [task(), task("words", 4, None, manual=True)],
    }
    return Record(**(fields | more))


def test_a_record_reads_back_the_same(tmp_path: Path) -> None:
    path = record_path(tmp_path, "02-attend", "zoë")
    write_record(path, record())
    assert path == tmp_path / "02-attend" / "records" / "zoë.json"
    assert read_record(path) == record()


def test_the_score_adds_up_what_was_judged_and_nothing_judged_is_not_zero() -> None:
    assert (record().score, record().max_score) == (5.5, 12)
    assert [pending.name for pending in record().pending] == ["words"]
    assert record(tasks=[task(score=0.0)]).score == 0.0
    assert record(tasks=[task(score=None)]).score is None
    assert record(tasks=[]).score is None
    assert record(tasks=[task(score=0.1), task(score=0.2)]).score == 0.3


@pytest.mark.parametrize("score", [-0.5, 8.5, math.nan, math.inf])
def test_a_score_outside_its_points_is_refused(score: float) -> None:
    with pytest.raises(ValidationError):
        task(score=score)


def test_a_rounding_error_above_the_points_is_clamped() -> None:
    assert task(points=0.3, score=0.1 + 0.2).score == 0.3


def test_earned_points_stay_within_the_group() -> None:
    with pytest.raises(ValidationError):
        GroupResult(name="a", sentence="b", points=1, earned=2, verdict="passed")


@pytest.mark.parametrize("status", ["unreadable", "not graded"])
def test_what_was_not_graded_cannot_carry_a_score(status: str) -> None:
    with pytest.raises(ValidationError, match="has no scores"):
        record(status=status)
    assert record(status=status, tasks=[task(score=None)]).score is None


def test_an_unknown_field_or_version_is_refused() -> None:
    with pytest.raises(ValidationError):
        record(colour="green")
    with pytest.raises(ValidationError):
        record(schema_version=2)


def test_times_are_kept_in_utc_and_need_a_zone() -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert record(graded_at=noon).model_dump_json().count("2026-03-01T10:00:00Z") == 1
    with pytest.raises(ValidationError):
        record(graded_at=datetime(2026, 3, 1, 12))


def test_odd_text_survives_and_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    text = "\x1b[31m\u202e <b>\U0001f600"
    write_record(tmp_path / "r.json", record(output_tail=f"{text}\ud800", student="a\udcff"))
    assert read_record(tmp_path / "r.json").output_tail == f"{text}?"


def test_needing_a_look_is_a_status_or_a_finding() -> None:
    assert not record().needs_a_look
    assert record(status="needs review").needs_a_look
    assert record(findings=[Finding(code="c", sentence="s", review=True)]).needs_a_look


def test_a_write_that_fails_leaves_the_old_record_and_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.json"
    write_record(path, record())

    def full_disk(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError):
        write_record(path, record(seed="other"))
    assert read_record(path).seed == "abc"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.json"]


def test_a_record_is_for_its_owner_only(tmp_path: Path) -> None:
    write_record(tmp_path / "r.json", record())
    assert stat.S_IMODE((tmp_path / "r.json").stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("name", ["", "..", "a/b", "/a", "a\0b"])
def test_a_name_that_leaves_the_folder_is_refused(name: str) -> None:
    with pytest.raises(AutograderError):
        record_path(Path("reports"), "02-attend", name)


def test_a_long_name_gets_a_file_of_its_own(tmp_path: Path) -> None:
    paths = {record_path(tmp_path, "a", "é" * 120 + end) for end in "xy"}
    assert len(paths) == 2
    for path in paths:
        write_record(path, record())


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema_version": 9}', "\x00"])
def test_a_damaged_record_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(AutograderError, match=r"r\.json is damaged"):
        read_record(path)


def test_a_missing_record_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(AutograderError, match="autograder grade 02-attend --student ann"):
        read_record(record_path(tmp_path, "02-attend", "ann"))


def test_the_published_schema_is_current_and_accepts_a_record() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == schema(), (
        "write it anew: python -c 'import json; from autograder.report import schema; "
        "print(json.dumps(schema(), indent=2))' > docs/record.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(record().model_dump_json()), schema())
