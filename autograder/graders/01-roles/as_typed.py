"""Read what a student typed, in every form that the notebook's own check accepts."""

from typing import Any

from autograder.grading import Mismatch, shown_id


def typed(student: Any, reference: Any, identities: Any, name: str, item: str | None = None) -> tuple[Any, Any]:
    """Return the answer that was typed under `name`, in one fixed form, and the student's own question for `item`.

    The question is None where nothing is drawn.
    """
    item, shown = item or name, None
    if item in reference.VARIANTS:
        shown = reference.variant(shown_id(student, reference, identities), item)
    try:
        return reference.read(name, student.value(name), shown), shown
    except reference.Unmet as unmet:
        raise Mismatch(str(unmet)) from None
