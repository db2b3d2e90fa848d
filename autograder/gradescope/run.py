"""Grade the one hand-in of a Gradescope container: `python -m autograder.gradescope.run ROOT`."""

import json
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.bundle import open_bundle
from autograder.collect.place import folder_name, read_roster, roster_id
from autograder.course import Assignment
from autograder.exports import gradescope
from autograder.exports.marks import mark_of
from autograder.gradescope.build import BUNDLE, ROSTER
from autograder.grading.run import Limits, check_ready, grade_class, local_pool
from autograder.intake import TIMESTAMP, find_hand_ins
from autograder.report import Record
from autograder.sandbox.levels import Isolation, choose
from autograder.terminal import plain


@dataclass(frozen=True)
class Metadata:
    """Hold what Gradescope says about the hand-in: whose it is, when it came, when it was due."""

    people: tuple[str, ...]
    created_at: datetime | None
    due: datetime | None

    @property
    def late_by(self) -> float:
        """Return by how many seconds the hand-in was late, 0 when it was not or when that is not known."""
        known = self.created_at is not None and self.due is not None
        return max(0.0, (self.created_at - self.due).total_seconds()) if known else 0.0  # type: ignore[operator]


def read_metadata(path: Path) -> Metadata:
    """Read submission_metadata.json; whatever is missing or damaged is not known."""
    try:
        about = _mapping(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        about = {}
    users = about.get("users")
    user = _mapping(users[0]) if isinstance(users, list) and users else {}
    people = [str(user[key]) for key in ("sid", "email", "name", "id") if user.get(key)]
    own, shared = _mapping(user.get("assignment")), _mapping(about.get("assignment"))
    due = _moment(own.get("due_date")) or _moment(shared.get("due_date"))
    return Metadata(tuple(people), _moment(about.get("created_at")), due)


def grade(root: Path) -> Record:
    """Grade what lies in `root`/submission and write `root`/results/results.json; graders never leave source/."""
    about = read_metadata(root / "submission_metadata.json")
    student = _student(about, root / "source" / ROSTER)
    isolation = choose()
    print(f"Isolation: {isolation}")
    with open_bundle(root / "source" / BUNDLE) as (course, manifest), tempfile.TemporaryDirectory() as folder:
        assignment = course.assignment(manifest.assignment)
        check_ready(assignment)
        _place(root / "submission", Path(folder) / "submitted" / student / assignment.name, about.created_at)
        record = _grade_one(assignment, Path(folder), isolation)
    data = gradescope.export(record, mark_of(record), list(_remarks(about)))
    part = root / "results" / "results.json.part"
    part.write_bytes(data)
    part.replace(root / "results" / "results.json")
    return record


def _grade_one(assignment: Assignment, folder: Path, isolation: Isolation) -> Record:
    hand_ins, limits = find_hand_ins(folder / "submitted", assignment.name), Limits()
    with local_pool(1, isolation, limits) as pool:
        (record,) = grade_class(
            assignment, hand_ins, reports=folder / "reports", pool=pool, jobs=1, limits=limits,
            isolation=isolation, on_record=_say,
        )  # fmt: skip
    return record


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _moment(text: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _student(about: Metadata, roster: Path) -> str:
    """Return the course's id of the student: the roster's where it names one, else what Gradescope gives first."""
    found = roster_id(about.people, read_roster(roster if roster.is_file() else None))
    return found or folder_name(about.people[0] if about.people else "student")


def _place(submission: Path, folder: Path, created_at: datetime | None) -> None:
    """Copy the hand-in to nbgrader's layout, links left out; the time is Gradescope's, never the student's."""
    folder.mkdir(parents=True)
    for path in sorted(submission.rglob("*")) if submission.is_dir() else ():
        inside = path.relative_to(submission)
        if path.is_file() and not path.is_symlink() and path.name != TIMESTAMP:
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / inside)
    if created_at is not None:
        (folder / TIMESTAMP).write_text(f"{created_at:%Y-%m-%d %H:%M:%S} UTC\n", encoding="utf-8")


def _say(record: Record) -> None:
    score = "no score" if record.score is None else f"{record.score:g} of {record.max_score:g}"
    print(f"{plain(record.student)}: {record.status}, {score}")
    for finding in record.findings:
        print(plain(f"{finding.code}: {finding.sentence}"))


def _remarks(about: Metadata) -> Iterator[str]:
    if about.late_by:
        hours = about.late_by / 3600
        yield f"Handed in {hours:.1f} hours after the due date. Points for that are taken off by Gradescope, not here."


def main() -> None:
    """Grade; an error is printed for the instructor, and the results.json that was there before stays."""
    try:
        grade(Path(sys.argv[1]))
    except Exception as error:
        traceback.print_exc()
        print(f"Not graded: {getattr(error, 'message', error)} {getattr(error, 'remedy', '')}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
