"""nbgrader's two converters as this course runs them: `autograde` by our engine, `generate_assignment` without loss."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode, from_dict
from nbgrader import converters
from nbgrader.apps import api, autogradeapp, generateassignmentapp
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.course import Assignment, Course
from autograder.errors import AutograderError
from autograder.grading.batch import digest
from autograder.grading.reuse import with_inputs
from autograder.grading.run import Limits, check_ready, grade_class, local_pool
from autograder.host.autograded import graded_notebook, unanswered, write_files
from autograder.host.gradebook import fill_gradebook
from autograder.host.release import refuse_leaks
from autograder.intake import TIMESTAMP, HandIn, find_hand_ins, read_timestamp
from autograder.report import Record, read_record, record_path
from autograder.sandbox.levels import choose
from autograder.terminal import what_to_look_at

NOT_GRADED = ("unreadable", "not graded")


def install() -> None:
    """Let the nbgrader commands and formgrader of this process use the converters below."""
    autogradeapp.Autograde = api.Autograde = Autograde
    generateassignmentapp.GenerateAssignment = api.GenerateAssignment = GenerateAssignment
    CourseDirectory.get_existing_timestamp = lambda self, folder: _time_of(folder)
    api.NbGraderAPI.get_submitted_timestamp = _submitted_timestamp


def _submitted_timestamp(host: api.NbGraderAPI, assignment_id: str, student_id: str) -> datetime | None:
    directory = host.coursedir
    return _time_of(directory.format_path(directory.submitted_directory, student_id, assignment_id))


def _time_of(folder: str) -> datetime | None:
    """Return a hand-in's time as UTC without a zone; nbgrader's own readers stop when the file is damaged."""
    moment = read_timestamp(Path(folder) / TIMESTAMP)
    return None if moment is None else moment.replace(tzinfo=None)


@contextmanager
def _told(converter: Any) -> Iterator[None]:
    """Say an error that a person can act on in nbgrader's log, and stop as nbgrader does."""
    try:
        yield
    except AutograderError as error:
        converter.log.error(str(error))
        raise NbGraderException(str(error)) from error


@contextmanager
def _bare_main() -> Iterator[None]:
    """Hide the main script, which processes that are spawned import again: nbgrader's costs each of them seconds."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class Autograde(converters.Autograde):  # type: ignore[misc]
    """Grade hand-ins with the engine and show the records in autograded notebooks; no kernel is started.

    The whole selection is graded first, so that an engine that cannot run leaves earlier results alone. Then
    nbgrader's own loop writes each notebook, through the preprocessors of the configuration.
    """

    def init_notebooks(self) -> None:
        """List the hand-ins as intake finds them, renamed and damaged ones too, under the name of the release."""
        course = Course(Path(self.coursedir.root))
        submitted = course.root / self.coursedir.submitted_directory
        with _told(self):
            self._assignment = course.assignment(self.coursedir.assignment_id)
            hand_ins = find_hand_ins(submitted, self._assignment.name)
        wanted = [each for each in hand_ins if fnmatchcase(each.student, self.coursedir.student_id)]
        if not wanted:
            message = f"There is no submission of {self._assignment.name} by {self.coursedir.student_id}."
            self.log.error(message)
            raise NbGraderException(message)
        self._hand_ins = {self._folder(each): each for each in wanted}

    def _folder(self, hand_in: HandIn) -> str:
        return str(self._format_source(hand_in.assignment, hand_in.student))

    def convert_notebooks(self) -> None:
        """Grade what is due, then write notebooks and gradebook; what could not be graded is said at the end."""
        due = {folder: hand_in for folder, hand_in in self._hand_ins.items() if self._is_due(hand_in)}
        with _told(self):
            self._records = self._grade(list(due.values()))
        self.assignments = {folder: [os.path.join(folder, f"{self._assignment.name}.ipynb")] for folder in due}
        super().convert_notebooks()
        self._report()

    def _is_due(self, hand_in: HandIn) -> bool:
        """Tell whether there is something to do: by nbgrader's rule, or because the file is another one."""
        if hand_in.student in self.coursedir.student_id_exclude.split(","):
            return False
        folder = Path(self._format_dest(hand_in.assignment, hand_in.student))
        new, old = hand_in.submitted_at, read_timestamp(folder / TIMESTAMP)
        newer = new is not None and old is not None and new > old
        due = self.force or newer or not folder.exists() or self._is_another(hand_in)
        if not due:
            self.log.info("Skipping existing assignment: %s", folder)
        return due

    def _is_another(self, hand_in: HandIn) -> bool:
        """Tell whether the file is not the one that was graded; many platforms give no times to tell by."""
        try:
            path = record_path(self._assignment.root / "reports", hand_in.assignment, hand_in.student)
            return read_record(path).submission_sha256 != digest(hand_in.path)
        except AutograderError:
            return False

    def _grade(self, hand_ins: list[HandIn]) -> dict[str, Record]:
        check_ready(self._assignment)
        fill_gradebook(self.coursedir.db_url, self._assignment, [], course_id=self.coursedir.course_id)
        jobs, isolation = max(1, min(len(hand_ins), len(os.sched_getaffinity(0)))), choose()
        with _bare_main(), local_pool(jobs, isolation, Limits()) as pool:
            records = grade_class(
                self._assignment,
                with_inputs(self._assignment, hand_ins, isolation, Limits()),
                reports=self._assignment.root / "reports",
                pool=pool,
                jobs=jobs,
                limits=Limits(),
                isolation=isolation,
                on_record=lambda record: self.log.info("Graded %s: %s", record.student, record.status),
            )
        return {record.student: record for record in records}

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Clear the folder; what comes here is due."""
        folder = Path(self._format_dest(assignment_id, student_id))
        if folder.exists():
            shutil.rmtree(folder)
        return True

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Put the other files beside the notebook; students and submissions come with the record."""
        folder = self._format_source(assignment_id, student_id)
        write_files(Path(self._format_dest(assignment_id, student_id)), self._assignment, self._hand_ins[folder])

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Write one graded notebook, and its record into the gradebook."""
        hand_in = self._hand_ins[os.path.dirname(notebook_filename)]
        resources = self.init_single_notebook_resources(notebook_filename)
        resources["autograder"] = Graded(self._assignment, self._records[hand_in.student], self.coursedir.course_id)
        notebook = from_dict(graded_notebook(self._assignment, hand_in, self._records[hand_in.student]))
        for self._sanitizing in (True, False):
            self._init_preprocessors()
            text, resources = self.exporter.from_notebook_node(notebook, resources=resources)
            notebook = from_dict(json.loads(text))
        self.write_single_notebook(text, resources)
        self._sanitizing = True

    def _report(self) -> None:
        """Warn of what needs a look; what could not be graded ends the command as nbgrader's failures do."""
        for record in self._records.values():
            if record.needs_a_look:
                self.log.warning("%s (%s): %s", record.student, record.status, what_to_look_at(record))
        ungraded = [record.student for record in self._records.values() if record.status in NOT_GRADED]
        if ungraded:
            message = f"Could not be graded, and have no score yet: {', '.join(ungraded)}."
            self.log.error(message)
            raise NbGraderException(message)


@dataclass(frozen=True)
class Graded:
    """Hand a record down to the preprocessors, as resources["autograder"]."""

    assignment: Assignment
    record: Record
    course_id: str


class SaveRecord(NbGraderPreprocessor):  # type: ignore[misc]
    """Write the record to the gradebook, in the place of nbgrader's SaveAutoGrades and AssignLatePenalties.

    Unlike those it tells "not graded" from 0, and it is what `autograder grade` does.
    """

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Fill the gradebook and return the notebook as it came."""
        graded: Graded = resources["autograder"]
        fill_gradebook(
            resources["nbgrader"]["db_url"],
            graded.assignment,
            [graded.record],
            unanswered={graded.record.student: unanswered(graded.assignment, nb)},
            course_id=graded.course_id,
        )
        return nb, resources


class GenerateAssignment(converters.GenerateAssignment):  # type: ignore[misc]
    """Release an assignment; the old release stays when the new one fails or would give a solution away."""

    def convert_notebooks(self) -> None:
        """Convert, look for leaks, and add the gradebook's rows where the release was there before the gradebook."""
        name = self.coursedir.assignment_id
        with self._kept(Path(self._format_dest(name, "."))), _told(self):
            super().convert_notebooks()
            assignment = Course(Path(self.coursedir.root)).assignment(name)
            refuse_leaks(assignment, assignment.release.parent)
            if not self.no_database:
                fill_gradebook(self.coursedir.db_url, assignment, [], course_id=self.coursedir.course_id)

    @contextmanager
    def _kept(self, release: Path) -> Iterator[None]:
        with tempfile.TemporaryDirectory(prefix="release-") as scratch:
            aside = Path(scratch) / "old"
            if release.exists():
                shutil.copytree(release, aside)
            try:
                yield
            except BaseException:
                shutil.rmtree(release, ignore_errors=True)
                if aside.exists():
                    shutil.copytree(aside, release)
                raise
