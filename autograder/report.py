"""The record: one typed, versioned result per submission, from which everything else is made."""

import hashlib
import math
import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from autograder.errors import AutograderError

TOLERANCE = 1e-9
LONGEST_NAME = 200

Verdict = Literal["passed", "failed", "not judged"]
Status = Literal["graded", "needs review", "unreadable", "not graded"]


def _without_surrogates(value: object) -> object:
    """Replace lone surrogates, which no UTF-8 file can hold."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _within(score: float, points: float, what: str) -> float:
    """Return the score clamped to [0, points]; more than a rounding error outside is an error."""
    if not -TOLERANCE <= score <= points + TOLERANCE:
        raise ValueError(f"{what} {score} is not between 0 and {points}")
    return min(max(score, 0.0), points)


Text = Annotated[str, BeforeValidator(_without_surrogates)]
Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
Points = Annotated[float, Field(ge=0)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class GroupResult(_Model):
    """Say how one group of a task went, in the student's words."""

    name: Text
    sentence: Text
    points: Points
    earned: Points
    verdict: Verdict
    message: Text = ""
    notes: list[Text] = []

    @field_validator("earned")
    @classmethod
    def _earned_within_points(cls, earned: float, info: ValidationInfo) -> float:
        return _within(earned, info.data.get("points", math.inf), "earned")


class Diagnosis(_Model):
    """Name one misconception that explains the whole behaviour that was recorded."""

    id: Text
    sentence: Text
    example: Text


class CellError(_Model):
    """Name the cell that failed: 1-based in the hand-in, 0 for a cell that the release put back."""

    cell: Annotated[int, Field(ge=0)]
    task: Text | None
    kind: Text
    message: Text
    line: int | None


class TaskResult(_Model):
    """Hold the result of one task; a score of None is a pending manual mark or a task that was not judged."""

    name: Text
    points: Points
    score: Points | None
    manual: bool = False
    groups: list[GroupResult]
    diagnosis: list[Diagnosis]
    error: CellError | None
    followed_through: bool = False
    fingerprint: Annotated[
        Text | None, Field(description="Equal for equal behaviour that lost points and that nobody has named.")
    ] = None

    @field_validator("score")
    @classmethod
    def _score_within_points(cls, score: float | None, info: ValidationInfo) -> float | None:
        return None if score is None else _within(score, info.data.get("points", math.inf), "score")


class Finding(_Model):
    """Remark on the file that was handed in; `review` asks for a person."""

    code: Text
    sentence: Text
    remedy: Text = ""
    cell: Annotated[int, Field(ge=0)] | None = None
    review: bool = False


class Record(_Model):
    """Hold all that is known about one graded submission."""

    schema_version: Literal[1] = 1
    student: Text
    assignment: Text
    status: Status
    graded_at: Moment
    submitted_at: Moment | None
    submission_sha256: Text
    grader_version: Text
    environment: dict[Text, Text]
    seed: Text
    isolation: Text
    isolation_missing: list[Text] = []
    inputs: Annotated[Text, Field(description="A hash of all that the record was made from.")] = ""
    findings: list[Finding]
    tasks: list[TaskResult]
    seconds: Annotated[
        float | None, Field(ge=0, description="How long it was graded, measured outside the sandbox.")
    ] = None
    output_tail: Annotated[Text, Field(description="For the instructor only; never shown to a student.")] = ""

    @model_validator(mode="after")
    def _only_judged_work_has_a_score(self) -> "Record":
        if self.status in ("unreadable", "not graded") and any(task.score is not None for task in self.tasks):
            raise ValueError(f"a record that is {self.status} has no scores")
        return self

    @property
    def score(self) -> float | None:
        """Return the sum of the task scores, None where nothing was graded (which is not 0)."""
        scores = [task.score for task in self.tasks if task.score is not None]
        return round(math.fsum(scores), 9) if scores else None

    @property
    def max_score(self) -> float:
        """Return the points of all tasks, pending ones included."""
        return round(math.fsum(task.points for task in self.tasks), 9)

    @property
    def pending(self) -> list[TaskResult]:
        """Return the tasks that still wait for a manual mark."""
        return [task for task in self.tasks if task.manual and task.score is None]

    @property
    def needs_a_look(self) -> bool:
        """Tell whether a person must look: the status, or a finding that asks for it."""
        return self.status != "graded" or any(finding.review for finding in self.findings)


def record_path(reports: Path, assignment: str, student: str) -> Path:
    """Return where the record of a student's submission lies: reports/<assignment>/records/<student>.json."""
    for name in (assignment, student):
        if name in ("", ".", "..") or any(character in name for character in {"/", os.sep, "\0"}):
            raise AutograderError(f"{name!r} cannot be the name of a student or an assignment.")
    encoded = student.encode("utf-8", "surrogateescape")
    if len(encoded) > LONGEST_NAME:
        student = f"{encoded[:100].decode('utf-8', 'ignore')}-{hashlib.sha256(encoded).hexdigest()[:16]}"
    return reports / assignment / "records" / f"{student}.json"


def write_record(path: Path, record: Record) -> None:
    """Write the record so that a reader sees the old file or the new one, whole, and never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".record-", suffix=".tmp", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(record.model_dump_json(indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def read_record(path: Path) -> Record:
    """Read a record; an AutograderError says when there is none or when it is damaged."""
    try:
        return Record.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        remedy = f"Grade it first: autograder grade {path.parent.parent.name} --student {path.stem}"
        raise AutograderError(f"There is no record {path}.", remedy) from None
    except OSError as error:
        raise AutograderError(f"The record {path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        message = f"The record {path} is damaged or from another version ({where}: {first['msg']})."
        raise AutograderError(message, "Delete it and grade the submission again.") from None


def read_records(reports: Path, assignment: str) -> list[Record]:
    """Read the records of a class, sorted by student; an AutograderError says when there are none."""
    folder = record_path(reports, assignment, "student").parent
    records = [read_record(path) for path in sorted(folder.glob("[!.]*.json"))]
    if not records:
        raise AutograderError(f"There are no records in {folder}.", f"Grade first: autograder grade {assignment}")
    return sorted(records, key=lambda record: record.student)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the record, published as docs/record.schema.json."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Record.model_json_schema(mode="serialization"),
    }
