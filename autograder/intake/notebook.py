"""Say what a hand-in is once it has been read: cells, without outputs, and what was noticed on the way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from autograder.report import Finding

Kind = Literal["code", "markdown", "raw"]


@dataclass(frozen=True)
class Cell:
    """Hold one cell; `position` counts from 1 in the file, and is below 1 for a cell put back from the release.

    `ran` tells that the file holds a sign of the cell having run without an error; nobody vouches for it.
    """

    position: int
    kind: Kind
    source: str
    grade_id: str | None
    attachments: Mapping[str, Any] = field(default_factory=dict)  # pictures pasted into text
    ran: bool = False


@dataclass(frozen=True)
class Rival:
    """Name an earlier definition that could be meant as well as the last one, which the run leaves.

    `without` are the positions of the cells to leave out for the earlier one to count. A `doubtful` one matters only
    when it earns more: the later cell uses the earlier definition, as a decorator does, or a slip of the pen.
    """

    task: str
    name: str
    earlier: int
    last: int
    without: frozenset[int]
    doubtful: bool = False


@dataclass(frozen=True)
class Notebook:
    """Hold the cells of a hand-in in the order in which they run, and what was noticed about the file."""

    cells: tuple[Cell, ...]
    sha256: str
    findings: tuple[Finding, ...]
    rivals: tuple[Rival, ...] = ()


class Findings(list[Finding]):
    """Collect findings."""

    def note(
        self, code: str, sentence: str, remedy: str = "", *, cell: int | None = None, review: bool = False
    ) -> None:
        """Add one finding; `review` asks for a person."""
        self.append(Finding(code=code, sentence=sentence, remedy=remedy, cell=cell, review=review))


def listed(items: Iterable[object]) -> str:
    """Return words in a row with an `and` before the last: 3, 5 and 8."""
    words = [str(item) for item in items]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
