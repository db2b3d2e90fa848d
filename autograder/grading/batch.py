"""Grade a batch of hand-ins in this process: one zygote, one pytest session, one record each."""

import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
import sysconfig
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

from autograder import __version__
from autograder.course import Assignment, load_grader
from autograder.errors import CourseError
from autograder.grading import seeds
from autograder.grading.bank import Model
from autograder.grading.fingerprint import Probe
from autograder.grading.plugin import ARGUMENTS, GradingPlugin
from autograder.grading.reference import load_reference
from autograder.grading.submission import Bench, Submission
from autograder.intake import HandIn, Unreadable, companions, read_notebook
from autograder.report import Finding, Record, TaskResult, record_path, write_record
from autograder.sandbox.levels import Isolation
from autograder.sandbox.workers import Limits, warm

ANSWERS = "answers.py"  # known answers beside the graders, for the audit


def grade_batch(
    assignment: Assignment, hand_ins: Sequence[HandIn], reports: Path, limits: Limits, isolation: Isolation
) -> list[Record]:
    """Grade the hand-ins, write each record as soon as it is whole, and return them in the same order."""
    bench = make_bench(assignment, limits, isolation)
    records: dict[str, Record] = {}

    def keep(record: Record) -> None:
        write_record(record_path(reports, assignment.name, record.student), record)
        records[record.student] = record

    def end(submission: Submission) -> None:
        try:
            record = submission.fingerprinted(submission.record())
        finally:
            submission.close()
        keep(record)

    def fail(submission: Submission, error: Exception) -> None:
        submission.close()
        where = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__} in {Path(where.filename).name}, line {where.lineno}"
        keep(ungraded(assignment, bench.isolation, submission.hand_in, "not graded", Finding(
            code="engine_error", sentence=f"The grading engine itself stopped at this notebook: {reason}.",
            remedy="Look at the notebook by hand, and report this.", review=True)))  # fmt: skip

    submissions = []
    for hand_in in hand_ins:
        read = read_submission(bench, hand_in)
        if isinstance(read, Record):
            keep(read)
        else:
            submissions.append(read)
    if submissions:
        run_graders(assignment, GradingPlugin(submissions, end, fail))
    return [records[hand_in.student] for hand_in in hand_ins]


def make_bench(assignment: Assignment, limits: Limits, isolation: Isolation) -> Bench:
    """Gather what all submissions of a batch share."""
    zygote = warm(isolation.level, limits)
    return Bench(
        assignment=assignment, reference=load_reference(assignment), models=load_models(assignment),
        probes=load_probes(assignment), checks=assignment.check_cells(), files=companions(assignment.release.parent),
        zygote=zygote, isolation=isolation, limits=limits, secret=seeds.course_secret(assignment.root),
        grader_version=grader_version(assignment),
        environment={**trusted_environment(), **zygote.versions},
    )  # fmt: skip


def read_submission(bench: Bench, hand_in: HandIn) -> Submission | Record:
    """Return the submission that is to be graded, or its record where there is nothing to grade."""
    if hand_in.path is None:
        beside = f" It holds {', '.join(hand_in.beside)}." if hand_in.beside else ""
        return ungraded(bench.assignment, bench.isolation, hand_in, "not graded", Finding(
            code="no_notebook", sentence=f"The folder holds no notebook of this assignment.{beside}",
            remedy="Ask for the .ipynb file, or put it in place and grade again.", review=True))  # fmt: skip
    try:
        return Submission(bench, hand_in, read_notebook(hand_in.path, bench.assignment))
    except Unreadable as error:
        finding = Finding(code=error.code, sentence=error.message, remedy=error.remedy, review=True)
        return ungraded(bench.assignment, bench.isolation, hand_in, "unreadable", finding)


def ungraded(
    assignment: Assignment, isolation: Isolation, hand_in: HandIn, status: Literal["unreadable", "not graded"],
    finding: Finding,
) -> Record:
    """Make the record of a hand-in that could not be graded: no scores, and the reason."""
    tasks = [
        TaskResult(name=t.name, points=t.points, score=None, manual=t.manual, groups=[], diagnosis=[], error=None)
        for t in assignment.tasks
    ]
    secret = seeds.course_secret(assignment.root)
    return Record(
        student=hand_in.student, assignment=assignment.name, status=status, graded_at=datetime.now(UTC),
        submitted_at=hand_in.submitted_at, submission_sha256=digest(hand_in.path),
        grader_version=grader_version(assignment), environment=trusted_environment(),
        isolation=isolation.level, isolation_missing=list(isolation.missing),
        seed=seeds.fingerprint(secret, assignment.name, hand_in.student), inputs=hand_in.inputs, findings=[finding],
        tasks=tasks,
    )  # fmt: skip


def digest(path: Path | None) -> str:
    """Return the hash of a hand-in's file, empty where there is none that can be read."""
    if path is None or path.is_symlink() or not path.is_file() or path.stat().st_size > 64 << 20:
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_graders(assignment: Assignment, plugin: GradingPlugin) -> None:
    """Collect the assignment's groups in one pytest session, and let the plugin run them."""
    with _quiet_pytest(assignment):
        folder = str(assignment.graders)  # nothing above it is looked at: no settings, no conftest.py
        arguments = [*ARGUMENTS, "-c", os.devnull, "--rootdir", folder, "--confcutdir", folder, folder]
        code = pytest.main(arguments, plugins=[plugin])
    if plugin.failure is not None:
        raise plugin.failure
    if code != pytest.ExitCode.OK:
        raise CourseError(
            f"The graders in {assignment.graders} could not be run (pytest ended with {code}).",
            f"Run `python -m pytest --collect-only {assignment.graders}` to see why.",
        )


@contextmanager
def _quiet_pytest(assignment: Assignment) -> Iterator[None]:
    """Keep the instructor's own pytest settings and plugins out of grading."""
    kept = {name: os.environ.pop(name) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS") if name in os.environ}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update(kept)


@cache
def load_models(assignment: Assignment) -> tuple[Model, ...]:
    """Return the assignment's bank of misconceptions, empty where it has none."""
    path = assignment.graders / "misconceptions.py"
    if not path.exists():
        return ()
    spec = importlib.util.spec_from_file_location(f"misconceptions_{assignment.name.replace('-', '_')}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    models: tuple[Model, ...] = module.MODELS
    return models


@cache
def load_probes(assignment: Assignment) -> dict[str, Probe]:
    """Return what is asked of answers that nobody has named, by task; empty where the assignment has no probes."""
    path = assignment.graders / "probes.py"
    probes: dict[str, Probe] = load_grader(assignment, path).PROBES if path.exists() else {}
    return probes


@cache
def grader_version(assignment: Assignment) -> str:
    """Return a hash over the engine, the graders and the source notebook; what only proves graders is left out."""
    package = Path(__file__).parents[1]
    apart = (package / "graders", package / "audit")
    engine = [path for path in package.rglob("*.py") if not any(folder in path.parents for folder in apart)]
    graders = [path for path in assignment.graders.rglob("*.py") if path.name != ANSWERS]
    digest = hashlib.sha256()
    for path in (*sorted(engine), *sorted(graders), assignment.source):  # in this order wherever the course lies
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def trusted_environment() -> dict[str, str]:
    """Return the versions of what grades, and the platform."""
    names = ("ipython", "msgpack", "nbformat", "nbgrader", "numpy", "pytest")
    versions = {name: importlib.metadata.version(name) for name in names}
    return {**versions, "python": platform.python_version(), "autograder": __version__,
            "platform": sysconfig.get_platform()}  # fmt: skip
