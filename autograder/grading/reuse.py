"""Do nothing twice: keep the record of a hand-in when nothing that it was made from has changed."""

import hashlib
from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path

from autograder.course import Assignment
from autograder.errors import AutograderError
from autograder.grading import seeds
from autograder.grading.batch import digest, grader_version, trusted_environment
from autograder.intake import HandIn, companions
from autograder.report import Record, read_record, record_path
from autograder.sandbox.levels import Isolation
from autograder.sandbox.workers import Limits

MISHAPS = ("engine_error", "given_up", "grader_error")  # not the hand-in's doing, so they are tried again


def with_inputs(
    assignment: Assignment, hand_ins: Sequence[HandIn], isolation: Isolation, limits: Limits
) -> list[HandIn]:
    """Return the hand-ins with a hash of all that their records depend on: files, graders, secret, machine, limits."""
    course = companions(assignment.release.parent)
    shared = repr((
        grader_version(assignment), sorted(trusted_environment().items()), isolation, astuple(limits),
        digest(assignment.release), _content(course),
    ))  # fmt: skip
    secret = seeds.course_secret(assignment.root)
    return [replace(hand_in, inputs=_inputs(shared, secret, hand_in)) for hand_in in hand_ins]


def kept_record(reports: Path, hand_in: HandIn) -> Record | None:
    """Return the record of an earlier run that was made from just the same, else None."""
    try:
        record = read_record(record_path(reports, hand_in.assignment, hand_in.student))
    except AutograderError:
        return None
    mishap = any(finding.code in MISHAPS for finding in record.findings)
    return record if record.inputs == hand_in.inputs and not mishap else None


def _inputs(shared: str, secret: bytes, hand_in: HandIn) -> str:
    own = companions(hand_in.path.parent) if hand_in.path else {}
    path = None if hand_in.path is None else (hand_in.path.name, digest(hand_in.path))
    seed = seeds.fingerprint(secret, hand_in.assignment, hand_in.student)
    parts = (shared, seed, hand_in.student, hand_in.submitted_at, hand_in.beside, path, _content(own))
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _content(files: dict[str, bytes]) -> list[tuple[str, str]]:
    return sorted((name, hashlib.sha256(data).hexdigest()) for name, data in files.items())
