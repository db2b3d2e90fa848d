"""Say what is on the page of a class, and whose names are on it."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autograder.course import Assignment
from autograder.grading.bank import Model
from autograder.insight import items
from autograder.insight.clusters import Cluster, HandIns, bank_entry, find_clusters, without_remarks
from autograder.insight.html import render
from autograder.report import Record
from autograder.terminal import plain

BINS = 10
MOST_CLUSTERS = 40
SLOW_RANGES = 3.0  # interquartile ranges above the upper quartile


@dataclass(frozen=True)
class Held:
    """Name a misconception, or a belief, with the tasks it showed in and those who hold it."""

    sentence: str
    example: str
    tasks: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Unknown:
    """Show one cluster: its representative's code, and the text that would add it to the bank."""

    cluster: Cluster
    code: str
    entry: str


class Names:
    """Show students by their ids, or by pseudonyms in an order that only the course secret gives."""

    def __init__(self, records: Sequence[Record], anonymous: bool) -> None:
        self.anonymous = anonymous
        drawn = sorted(records, key=lambda record: (record.seed, record.submission_sha256))
        digits = len(str(len(drawn)))
        pseudonyms = {record.student: f"Student {place:0{digits}}" for place, record in enumerate(drawn, 1)}
        self._shown = pseudonyms if anonymous else {student: student for student in pseudonyms}

    def __call__(self, student: str) -> str:
        return plain(self._shown[student])

    def listed(self, students: Iterable[str]) -> str:
        """Return the names in their own order, which says nothing about the ids behind pseudonyms."""
        return ", ".join(sorted(map(self, students)))

    def sorted(self, records: Iterable[Record]) -> list[Record]:
        """Return the records in the order of the names that are shown."""
        return sorted(records, key=lambda record: self(record.student))

    def code(self, text: str) -> str:
        """Return code for the page: without remarks and without anybody's id when names are hidden."""
        return self._ids.sub("somebody", without_remarks(text)) if self.anonymous else text

    @cached_property
    def _ids(self) -> re.Pattern[str]:
        longest_first = sorted(map(re.escape, self._shown), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", re.IGNORECASE)


def class_page(
    assignment: Assignment, records: Sequence[Record], hand_ins: HandIns, models: Sequence[Model], anonymous: bool
) -> str:
    """Return the page of a class as HTML; all that a student wrote is escaped, and none of it is in a script."""
    groups, names = items.groups(records), Names(records, anonymous)
    records, alpha = names.sorted(records), items.alpha(records)
    filters: dict[str, Callable[..., Any]] = {
        "named": names.listed, "score_of": lambda task: (task.name, task.score),
        "bin_words": lambda each: f"{each[0]} to {each[1]} percent: {each[2]}",
    }  # fmt: skip
    return render(
        "report.html", script="report.js", filters=filters,
        assignment=assignment, names=names, anonymous=anonymous, records=records,
        graded=items.graded(records), versions=sorted({record.grader_version for record in records}),
        summary=summary(records), bins=bins(records), alpha=alpha, reliability=items.reliability_in_words(alpha),
        tasks=items.tasks(records), groups=groups, difficulty=items.difficulty_in_words,
        discrimination=items.discrimination_in_words,
        never=[item for item in groups if item.passed == 0],
        always=[item for item in groups if item.passed == item.judged],
        together=items.fail_together(records), held=held(records),
        unknown=unknown(assignment, records, hand_ins, models, names),
        left_out=max(0, len(find_clusters(records)) - MOST_CLUSTERS),
        look=[(record, list(reasons(record, anonymous))) for record in records if record.needs_a_look],
        slow=slow(records), seconds=_seconds(records),
    )  # fmt: skip


def summary(records: Sequence[Record]) -> dict[str, float]:
    """Return mean, median, standard deviation, least and most of the scores; empty where nothing was graded."""
    scores = np.array([record.score for record in items.graded(records)], dtype=float)
    if not len(scores):
        return {}
    spread = float(scores.std(ddof=1)) if len(scores) > 1 else 0.0
    return {"mean": float(scores.mean()), "median": float(np.median(scores)), "standard deviation": spread,
            "lowest": float(scores.min()), "highest": float(scores.max())}  # fmt: skip


def bins(records: Sequence[Record]) -> list[tuple[int, int, int]]:
    """Return (from percent, to percent, how many) for tenths of the points that can be had; full marks in the last."""
    graded = items.graded(records)
    shares = [(record.score or 0.0) / record.max_score if record.max_score else 0.0 for record in graded]
    counts = Counter(min(int(share * BINS + 1e-9), BINS - 1) for share in shares)
    return [(100 * place // BINS, 100 * (place + 1) // BINS, counts[place]) for place in range(BINS)]


def held(records: Iterable[Record]) -> list[Held]:
    """Return what was named as the cause of lost points, by the number of students; a belief may show in many tasks."""
    tasks, students = defaultdict[tuple[str, str], dict[str, None]](dict), defaultdict[tuple[str, str], set[str]](set)
    for record in records:
        for task in record.tasks:
            for found in task.diagnosis:
                tasks[found.sentence, found.example][task.name] = None
                students[found.sentence, found.example].add(record.student)
    all_held = [Held(*key, tuple(tasks[key]), tuple(sorted(students[key]))) for key in tasks]
    return sorted(all_held, key=lambda each: (-len(each.students), each.tasks, each.sentence))


def unknown(
    assignment: Assignment, records: Sequence[Record], hand_ins: HandIns, models: Sequence[Model], names: Names
) -> list[Unknown]:
    """Return the largest clusters of unknown behaviours, each with a representative."""
    found = []
    for cluster in find_clusters(records)[:MOST_CLUSTERS]:
        code = names.code(hand_ins.representative(cluster))
        found.append(Unknown(cluster, code, bank_entry(assignment, cluster, code, models).strip("\n")))
    return found


def reasons(record: Record, anonymous: bool) -> Iterable[str]:
    """Yield why a person must look; sentences may quote a file's name or an id, so hidden names leave the bare kind."""
    for finding in record.findings:
        if finding.review:
            yield finding.code.replace("_", " ") if anonymous else plain(finding.sentence)


def slow(records: Sequence[Record]) -> list[Record]:
    """Return the hand-ins that took far longer than the others, the slowest first."""
    seconds = _seconds(records)
    if len(seconds) < 4:
        return []
    low, high = np.quantile(seconds, (0.25, 0.75))
    limit = high + SLOW_RANGES * (high - low)
    return sorted(
        (record for record in records if record.seconds is not None and record.seconds > limit),
        key=lambda record: -(record.seconds or 0.0),
    )


def _seconds(records: Iterable[Record]) -> list[float]:
    return [record.seconds for record in records if record.seconds is not None]
