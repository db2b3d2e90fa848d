"""Find the variant that a notebook showed its student, and the keys that lie beside a grader."""

import importlib.util
from collections.abc import Set
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

from autograder.grading.groups import Mismatch, review
from autograder.sandbox.student import Student


def shown_id(student: Student, reference: SimpleNamespace, identities: Set[str]) -> str:
    """Return the typed `student_id`, normalised, whose variant was shown.

    `identities` are the owner's; any other id is graded all the same and reported for review. Raises Mismatch when
    no id was typed.
    """
    typed = student.value("student_id")
    if isinstance(typed, int) and not isinstance(typed, bool):
        typed = str(typed)
    if not isinstance(typed, str) or not reference.normalise_id(typed):
        raise Mismatch("no student id was typed, so there were no questions to answer")
    typed = str(reference.normalise_id(typed[:200]))
    known = {reference.normalise_id(identity) for identity in identities}
    if typed not in known and typed.partition("@")[0] not in known:
        review(f"The typed student id, {typed[:60]!a}, is not the owner's: the questions that it draws were graded.")
    return typed


def beside(grader: str, name: str) -> ModuleType:
    """Import the module `name` that lies in the folder of the file `grader`, such as a key."""
    return _module(Path(grader).with_name(f"{name}.py"))


@cache
def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
