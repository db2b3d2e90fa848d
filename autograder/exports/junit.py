"""JUnit XML in pytest's dialect (xunit2): a suite for each hand-in, a case for each group."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

from autograder.exports.marks import Mark, by_person
from autograder.exports.words import BY_PERSON, NOT_JUDGED, WAITS, group_text, heading, task_text
from autograder.report import Record, TaskResult

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class _Case:
    classname: str
    name: str
    points: float | None = None
    most: float | None = None
    outcome: str = "passed"  # or the tag of a child: failure, error, skipped
    text: str = ""


def export(records: Iterable[Record], marks: Mapping[str, Mark]) -> bytes:
    """Return the report of a class; what nobody judged is skipped, what could not be graded is an error."""
    root = ElementTree.Element("testsuites", name="autograder")
    for record in records:
        _add_suite(root, record, marks[record.student])
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_suite(root: ElementTree.Element, record: Record, mark: Mark) -> None:
    cases = list(_cases(record, mark))
    count = {tag: str(sum(case.outcome == tag for case in cases)) for tag in ("error", "failure", "skipped")}
    suite = ElementTree.SubElement(
        root, "testsuite", name=_clean(record.student), errors=count["error"], failures=count["failure"],
        skipped=count["skipped"], tests=str(len(cases)), time="0.000",
        timestamp=record.graded_at.isoformat(timespec="seconds"), hostname="autograder",
    )  # fmt: skip
    for case in cases:
        element = ElementTree.SubElement(
            suite, "testcase", classname=_clean(case.classname), name=_clean(case.name), time="0.000"
        )
        _add_points(element, case)
        if case.outcome != "passed":
            first = case.text.split("\n", 1)[0]
            ElementTree.SubElement(element, case.outcome, message=_clean(first)).text = _clean(case.text)


def _add_points(element: ElementTree.Element, case: _Case) -> None:
    values = {"points": case.points, "max_points": case.most}
    known = {name: f"{value:.10g}" for name, value in values.items() if value is not None}
    if known:
        properties = ElementTree.SubElement(element, "properties")
        for name, value in known.items():
            ElementTree.SubElement(properties, "property", name=name, value=value)


def _cases(record: Record, mark: Mark) -> Iterator[_Case]:
    if mark.score is None:
        text = heading(record, None, [])
        yield _Case(record.assignment, "hand-in", None, record.max_score, "error", text)
        return
    for task in record.tasks:
        yield from _task_cases(f"{record.assignment}.{task.name}", task, mark)


def _task_cases(classname: str, task: TaskResult, mark: Mark) -> Iterator[_Case]:
    final = mark.tasks.get(task.name, task.score)
    if final is None:
        yield _Case(classname, task.name, None, task.points, "skipped", WAITS if task.manual else NOT_JUDGED)
    elif by_person(task, mark) or not task.groups:
        outcome = "passed" if final >= task.points else "failure"
        text = BY_PERSON if by_person(task, mark) else task_text(task)
        yield _Case(classname, task.name, final, task.points, outcome, text)
    else:
        for group in task.groups:
            outcome = {"passed": "passed", "failed": "failure"}.get(group.verdict, "skipped")
            text = "\n".join(filter(None, (group_text(group) or group.sentence, task_text(task))))
            yield _Case(classname, group.sentence, group.earned, group.points, outcome, text)


def _clean(text: str) -> str:
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
