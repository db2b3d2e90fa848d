"""What graders use: groups, comparison, the bank's types, and the student's ways to fail."""

from autograder.grading.bank import Fault, Model
from autograder.grading.compare import agree, array, exact_int, is_single, unpack
from autograder.grading.groups import Group, Mismatch, believe, group, note, review
from autograder.grading.variants import beside, shown_id
from autograder.sandbox.student import Handle, StudentError, StudentMissing, StudentTimeout

__all__ = [
    "Fault",
    "Group",
    "Handle",
    "Mismatch",
    "Model",
    "StudentError",
    "StudentMissing",
    "StudentTimeout",
    "agree",
    "array",
    "believe",
    "beside",
    "exact_int",
    "group",
    "is_single",
    "note",
    "review",
    "shown_id",
    "unpack",
]
