"""Show an audit in a terminal: one row a task, then what broke, what survived, and what is worth a look."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.audit.promises import Tally, TaskAudit
from autograder.terminal import plain

COLUMNS = {
    "Reference": "reference", "Stub 0": "stub", "Blank 0": "blank", "Right": "right", "Wrong": "wrong",
    "Faults named": "faults", "Pairs named": "pairs", "Mutants rejected": "mutants",
}  # fmt: skip
LONGEST_LINE = 230


def table(assignment: str, results: Sequence[TaskAudit]) -> Table:
    """Return one row a task: how many of what was tried went as promised."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=assignment, title_justify="left")
    shown.add_column("Task", no_wrap=True)
    for column in (*COLUMNS, "Equivalent", "Broken"):
        shown.add_column(column, justify="right")
    for result in results:
        tallies = [_tally(getattr(result, name)) for name in COLUMNS.values()]
        broken = Text(str(len(result.broken)), style="red" if result.broken else "green")
        shown.add_row(result.task, *tallies, str(len(result.equivalent)), broken)
    return shown


def details(results: Sequence[TaskAudit]) -> RenderableType:
    """Return what the table only counts, task by task."""
    return Group(*(part for result in results for part in _details(result)))


def _tally(tally: Tally) -> Text:
    if not tally.tried:
        return Text("–", style="dim")
    return Text(f"{tally.kept}/{tally.tried}", style="green" if tally.kept == tally.tried else "red")


def _details(result: TaskAudit) -> Iterator[RenderableType]:
    parts = (
        ("broken", "red", result.broken),
        ("survives", "red", result.survivors),
        ("note", "yellow", result.remarks),
        ("equivalent", "dim", result.equivalent),
    )
    if any(lines for _, _, lines in parts):
        yield Text(result.task, style="bold")
    for label, style, lines in parts:
        for line in lines:
            line = line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"
            yield Padding(Text.assemble((f"{label}: ", style), plain(line)), (0, 0, 0, 2), expand=False)
