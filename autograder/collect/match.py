"""Tell by its content which assignment a notebook belongs to."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.course import Assignment, nbgrader_metadata, read_cells, source_text
from autograder.intake import MAX_BYTES, SUFFIXES

GRADE_ID = re.compile(rb'"grade_id"\s*:\s*"([^"\\]{1,200})"')
PERHAPS = (".json", ".txt")
ENOUGH = 0.3  # of an assignment's cells


@dataclass(frozen=True)
class Fingerprint:
    """Hold what a released assignment is known by: the ids of its cells, and first lines of its locked ones."""

    name: str
    ids: frozenset[bytes]
    texts: frozenset[bytes]

    def likeness(self, data: bytes) -> float:
        """Return the share of the assignment's cells that the file holds, by id or by text; it need not be whole."""
        ids = len(self.ids.intersection(GRADE_ID.findall(data))) / max(1, len(self.ids))
        texts = sum(text in data for text in self.texts) / max(1, len(self.texts))
        return max(ids, texts)


def fingerprint(assignment: Assignment) -> Fingerprint:
    """Read the fingerprint from the release."""
    cells = read_cells(assignment.release, f"Run: autograder release {assignment.name}")
    marked = [cell for cell in cells if nbgrader_metadata(cell).get("grade_id")]
    locked = [source_text(cell) for cell in marked if not nbgrader_metadata(cell).get("solution")]
    lines = [max(text.splitlines(), key=len) for text in locked if text.strip()]
    return Fingerprint(
        name=assignment.name,
        ids=frozenset(nbgrader_metadata(cell)["grade_id"].encode() for cell in marked),
        texts=frozenset(json.dumps(line, ensure_ascii=False)[1:-1].encode() for line in lines if len(line) > 20),
    )


def could_be_notebook(name: str, size: int) -> bool:
    """Tell by name and size whether the file is worth a look."""
    lower = name.lower()
    return size <= MAX_BYTES and (lower.endswith((*SUFFIXES, *PERHAPS)) or "." not in lower)


def is_named_notebook(name: str) -> bool:
    """Tell whether the file calls itself a notebook; what it holds may be something else."""
    return name.lower().endswith(SUFFIXES)


def recognise(data: bytes, known: Sequence[Fingerprint]) -> str | None:
    """Return the assignment that the file is most like, None when it is like none of them."""
    scored = [(one.likeness(data), one.name) for one in known]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= ENOUGH else None
