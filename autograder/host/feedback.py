"""Show a record in nbgrader's notebooks: the outputs of a graded cell, as text and as HTML.

Everything that a student may have written passes through `plain` and is escaped; nothing hidden is in a record's tasks
and findings.
"""

from collections.abc import Iterator
from html import escape
from typing import Any

from autograder.report import Finding, GroupResult, Record, TaskResult
from autograder.terminal import VERDICTS, explanations, number, plain

Output = dict[str, Any]

COLOURS = {"passed": "#1a7f37", "failed": "#cf222e", "not judged": "#9a6700"}
NO_TYPESETTING = "tex2jax_ignore mathjax_ignore"
NOT_JUDGED = "not judged; this is not a score of 0"


def outputs(task: TaskResult) -> list[Output]:
    """Return the outputs of a task's test cell: what a person reads, then the score that nbgrader reads.

    A task without a score ends in an error output, since nbgrader would take silence for full marks.
    """
    data = {"text/plain": _text(task), "text/html": _html(task)}
    return [{"output_type": "display_data", "metadata": {}, "data": data}, _score_output(task)]


def summary_cell(record: Record) -> str:
    """Return the Markdown (one block of HTML) that opens a graded notebook: the score and remarks on the file."""
    remarks = "".join(f"<li>{_escaped(_sentences(finding))}</li>" for finding in record.findings)
    listed = f"<ul>{remarks}</ul>" if remarks else ""
    return f'<div class="{NO_TYPESETTING}"><p><strong>{_escaped(_standing(record))}</strong></p>{listed}</div>'


def _standing(record: Record) -> str:
    if record.score is None:
        return f"No score yet ({record.status}; this is not a score of 0)"
    parts = [f"{number(record.score)} of {number(record.max_score)} points from the automatic checks"]
    pending = sum(task.points for task in record.pending)
    parts += [f"{number(pending)} points wait for a manual mark"] if pending else []
    parts += ["to be looked at by a person"] if record.status == "needs review" else []
    return ", ".join(parts)


def _sentences(finding: Finding) -> str:
    return " ".join(filter(None, (finding.sentence, finding.remedy)))


def _score_output(task: TaskResult) -> Output:
    if task.score is None:
        traceback = [f"NotJudged: {NOT_JUDGED}"]
        return {"output_type": "error", "ename": "NotJudged", "evalue": NOT_JUDGED, "traceback": traceback}
    data = {"text/plain": repr(float(task.score)), "text/html": f"<strong>{_points(task)}</strong>"}
    return {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}


def _points(task: TaskResult) -> str:
    score = "not judged:" if task.score is None else f"{number(task.score)} of"
    return f"{score} {number(task.points)} points"


def _text(task: TaskResult) -> str:
    lines = [f"{plain(task.name)}: {_points(task)}"]
    for group in task.groups:
        lines += [f"  {VERDICTS[group.verdict][0]} {plain(group.sentence)} ({_earned(group)})"]
        lines += [f"      {plain(line)}" for line in _said(group)]
    return "\n".join([*lines, *(f"  {plain(line)}" for line in explanations(task))])


def _html(task: TaskResult) -> str:
    groups = "".join(_group(group) for group in task.groups)
    listed = f'<ul style="list-style: none; padding-left: 0">{groups}</ul>' if groups else ""
    reasons = "".join(f"<p>{_escaped(line)}</p>" for line in explanations(task))
    head = f"<p><strong>{_escaped(task.name)}</strong>: {_points(task)}</p>"
    return f'<div class="{NO_TYPESETTING}">{head}{listed}{reasons}</div>'


def _group(group: GroupResult) -> str:
    mark = f'<span style="color: {COLOURS[group.verdict]}">{VERDICTS[group.verdict][0]} {group.verdict}</span>'
    said = "".join(f"<br>{_escaped(line)}" for line in _said(group))
    return f"<li>{mark}: {_escaped(group.sentence)} ({_earned(group)}){said}</li>"


def _earned(group: GroupResult) -> str:
    return f"{number(group.earned)} of {number(group.points)}"


def _said(group: GroupResult) -> Iterator[str]:
    yield from filter(None, [group.message])
    yield from (f"Note: {note}" for note in group.notes)


def _escaped(text: str) -> str:
    return escape(plain(text)).replace("\n", "<br>")
