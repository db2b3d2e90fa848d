"""Show records in a terminal: the table of a class, and what one student reads.

Whatever a student may have written passes through `plain`, and is printed as text, never as markup.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.report import Finding, GroupResult, Record, TaskResult

if TYPE_CHECKING:
    from autograder.collect import Row

STATUS_STYLES = {"graded": "green", "needs review": "yellow", "unreadable": "red", "not graded": "red"}
VERDICTS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "not judged": ("–", "yellow")}
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"  # control characters, C1 too; halves of characters
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # what turns the direction of the text round
)
WORKFLOW_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
LONGEST_CELL = 130


def plain(text: str) -> str:
    """Return the text without anything that a terminal or a continuous-integration log would act upon."""
    text = text.replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    text = UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
    return WORKFLOW_COMMAND.sub(r"\1: ", text).replace("##[", "## [")


def number(value: float) -> str:
    """Return a score without needless zeros."""
    return f"{round(value, 2):g}"


def class_table(records: Sequence[Record]) -> Table:
    """Return one row for each hand-in: who, status, score, and what to look at first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Student", overflow="fold", max_width=32)
    table.add_column("Status", no_wrap=True)
    table.add_column("Score", justify="right", no_wrap=True)
    table.add_column("What to look at")
    for record in records:
        status = Text(record.status, style=STATUS_STYLES[record.status])
        table.add_row(_one_line(record.student), status, _score(record), _one_line(what_to_look_at(record)))
    return table


def collect_table(rows: "Sequence[Row]", zone: tzinfo | None = None) -> Table:
    """Return one row for each hand-in that was collected: who, what, when (in `zone`), and what was odd."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Student", "Name", "Assignment", "Handed in", "Result", "File", "Odd"):
        table.add_column(title, overflow="fold")
    for row in rows:
        when = f"{row.submitted_at.astimezone(zone):%Y-%m-%d %H:%M:%S %z}" if row.submitted_at else "–"
        odd = "; ".join(row.odd)
        style = "yellow" if row.look else ""
        cells = (row.student, row.name, row.assignment, when, row.what, row.file, odd)
        table.add_row(*map(_one_line, cells), style=style)
    return table


def what_to_look_at(record: Record) -> str:
    """Return one sentence: what needs a person, else what explains lost points, else a remark on the file."""
    return next(_remarks(record), "")


def summary(records: Sequence[Record]) -> str:
    """Return one sentence: how many hand-ins, how many need a look, how many manual marks are pending."""
    look = sum(record.needs_a_look for record in records)
    pending = sum(len(record.pending) for record in records)
    graded = sum(record.score is not None for record in records)
    parts = [f"{graded} of {len(records)} graded"]
    parts += [f"{look} need{'s' if look == 1 else ''} a look"] if look else []
    parts += [f"{pending} manual mark{'' if pending == 1 else 's'} pending"] if pending else []
    return f"{', '.join(parts)}."


def student_page(record: Record) -> RenderableType:
    """Return what the student reads; output and hidden inputs are not part of it."""
    parts: list[RenderableType] = [_heading(record)]
    parts += [_finding(finding) for finding in record.findings]
    parts += [_task(task) for task in record.tasks]
    return Group(*parts)


def print_safely(console: Console, what: RenderableType) -> None:
    """Print without markup, emoji codes or highlighting."""
    console.print(what, markup=False, emoji=False, highlight=False, soft_wrap=isinstance(what, str))


def _remarks(record: Record) -> Iterator[str]:
    yield from (finding.sentence for finding in record.findings if finding.review)
    for task in record.tasks:
        yield from (f"{task.name}: {found.sentence}" for found in task.diagnosis)
    for task in record.tasks:
        if task.error is not None:
            where = f"cell {task.error.cell}: " if task.error.cell else ""
            yield f"{task.name}: {where}{task.error.kind}: {task.error.message}"
    yield from (finding.sentence for finding in record.findings)
    for task in record.tasks:
        yield from (f"{task.name}: not met: {group.sentence}" for group in task.groups if group.verdict != "passed")


def _one_line(text: str) -> Text:
    line = " ".join(plain(text).split())
    return Text(line if len(line) <= LONGEST_CELL else f"{line[: LONGEST_CELL - 1]}…")


def _score(record: Record) -> str:
    score = "–" if record.score is None else number(record.score)
    return f"{score} / {number(record.max_score)}"


def _heading(record: Record) -> Text:
    text = Text(f"{plain(record.assignment)} · {plain(record.student)}\n", style="bold")
    if record.score is None:
        text.append("No score yet", style="yellow")
        text.append(f" ({record.status}; this is not a score of 0)", style="not bold")
    else:
        text.append(f"{number(record.score)} of {number(record.max_score)} points")
    pending = sum(task.points for task in record.pending)
    if pending:
        text.append(f", {number(pending)} of them wait for a manual mark", style="not bold")
    if record.status == "needs review" and record.score is not None:
        text.append(", to be looked at by a person", style="not bold yellow")
    text.append(f"\nGraded {record.graded_at:%Y-%m-%d %H:%M} UTC", style="not bold dim")
    if record.submitted_at is not None:
        text.append(f", handed in {record.submitted_at:%Y-%m-%d %H:%M} UTC", style="not bold dim")
    return text


def _finding(finding: Finding) -> RenderableType:
    text = Text("! ", style="yellow")
    text.append(plain(" ".join(filter(None, (finding.sentence, finding.remedy)))), style="default")
    return text


def _task(task: TaskResult) -> RenderableType:
    if task.score is not None:
        score = f"{number(task.score)} / {number(task.points)}"
    else:
        score = f"{'waits for a manual mark' if task.manual else 'not judged'} / {number(task.points)}"
    lines: list[RenderableType] = [Text(f"\n{plain(task.name)}  {score}", style="bold")]
    lines += [Padding(_group(group), (0, 0, 0, 2), expand=False) for group in task.groups]
    lines += [Padding(Text(plain(line)), (0, 0, 0, 2), expand=False) for line in explanations(task)]
    return Group(*lines)


def _group(group: GroupResult) -> RenderableType:
    mark, style = VERDICTS[group.verdict]
    text = Text(f"{mark} ", style=style)
    text.append(f"{plain(group.sentence)}  ({number(group.earned)} of {number(group.points)})", style="default")
    for line in (group.message, *(f"Note: {note}" for note in group.notes)):
        if line:
            text.append(f"\n    {plain(line)}", style="default")
    return text


def explanations(task: TaskResult) -> Iterator[str]:
    """Yield the sentences that explain a task's result: likely causes, an error, follow-through."""
    for found in task.diagnosis:
        yield f"Likely cause: {found.sentence}"
        if found.example:
            yield f"  For example: {found.example}"
    if task.error is not None:
        line = f", line {task.error.line}" if task.error.line is not None else ""
        where = f"Cell {task.error.cell}{line}" if task.error.cell else "A set-up cell"
        yield f"{where}: {task.error.kind}: {task.error.message}"
    if task.followed_through:
        yield "Graded with a right version of what it builds on, so that one mistake costs its points once."
