"""The record: one typed, versioned result per submission, from which everything else is made."""

import json
import math
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from autograder.errors import AutograderError

TOLERANCE = 1e-9
_SAFE_NAME = re.compile(r"[^/\\\x00]+")

Verdict = Literal["passed", "failed", "not judged"]
Status = Literal["graded", "needs review", "unreadable", "not graded"]


def clean_text(text: str) -> str:
    """Replace lone surrogates, so that student text can be written as UTF-8 anywhere."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _to_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


Text = Annotated[str, Field(strict=True), AfterValidator(lambda text: text)]
Utc = Annotated[AwareDatetime, AfterValidator(_to_utc)]
