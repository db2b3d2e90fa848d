"""Write docs/coverage.md: which task and which groups grade each claim of the lesson.

Run as `python -m autograder.audit.coverage` in the course.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, Course, Task, load_grader
from autograder.errors import CourseError
from autograder.grading.groups import Group

CLAIMS, COVERAGE = Path("docs/claims.toml"), Path("docs/coverage.md")
HEADING = """# Coverage

What the lesson claims, and what grades it. This file is made from [claims.toml](claims.toml) and the graders' own
sentences by `python -m autograder.audit.coverage`; the tests fail when it is out of date.
"""
BY_HAND = "a person, by the mark scheme"


@dataclass(frozen=True)
class Claim:
    """Hold one claim of the lesson: where it is graded, or why it is only told."""

    depth: str
    claim: str
    graded: tuple[str, ...] = ()
    told: str = ""
    system: str = ""


def read_claims(path: Path) -> list[Claim]:
    """Read the claims, each one either graded or told."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["claim"]
    claims = [Claim(**{**entry, "graded": tuple(entry.get("graded", ()))}) for entry in entries]
    for claim in claims:
        if bool(claim.graded) == bool(claim.told):
            raise CourseError(f"{path}: {claim.claim!r}", "Say either where it is graded or why it is only told.")
    return claims


def coverage(course: Course, claims: Sequence[Claim]) -> str:
    """Return the text of the coverage table; a place that does not exist and a task without a claim are errors."""
    sentences = _sentences(course)
    for claim in claims:
        for place in claim.graded:
            if place not in sentences:
                raise CourseError(f"{CLAIMS} grades {claim.claim!r} by {place}, which does not exist.", "Correct it.")
    _refuse_unclaimed(course, claims)
    parts = [HEADING, *_tables(claims, sentences), *_systems(claims)]
    return "\n".join(parts).rstrip() + "\n"


def write_coverage(course: Course) -> Path:
    """Write the course's docs/coverage.md and return its path."""
    path = course.root / COVERAGE
    path.write_text(coverage(course, read_claims(course.root / CLAIMS)), encoding="utf-8")
    return path


def _sentences(course: Course) -> dict[str, list[str]]:
    """Return {place: sentences of its groups} for every task and every group of the course."""
    found: dict[str, list[str]] = {}
    for assignment in course.assignments():
        for task in assignment.tasks:
            groups = {} if task.manual else _groups(assignment, task)
            place = f"{assignment.name}/{task.name}"
            found[place] = [group.sentence for group in groups.values()] or [BY_HAND]
            found |= {f"{place}/{name}": [group.sentence] for name, group in groups.items()}
    return found


def _groups(assignment: Assignment, task: Task) -> Mapping[str, Group]:
    module = load_grader(assignment, assignment.grader_module(task))
    marked = ((name, getattr(value, "group", None)) for name, value in vars(module).items())
    return {name: group for name, group in marked if isinstance(group, Group)}


def _refuse_unclaimed(course: Course, claims: Sequence[Claim]) -> None:
    used = {"/".join(place.split("/")[:2]) for claim in claims for place in claim.graded}
    for assignment in course.assignments():
        for task in assignment.tasks:
            if f"{assignment.name}/{task.name}" not in used:
                raise CourseError(f"No claim of {CLAIMS} is graded by {assignment.name}/{task.name}.", "Add one.")


def _tables(claims: Sequence[Claim], sentences: Mapping[str, list[str]]) -> Iterator[str]:
    for depth in dict.fromkeys(claim.depth for claim in claims):
        yield f"## {depth}\n\n| claim | graded by | groups |\n|---|---|---|"
        yield from (_row(claim, sentences) for claim in claims if claim.depth == depth)
        yield ""


def _row(claim: Claim, sentences: Mapping[str, list[str]]) -> str:
    if claim.told:
        return f"| {claim.claim} | told, not graded | {claim.told} |"
    tasks = dict.fromkeys("/".join(place.split("/")[:2]) for place in claim.graded)
    groups = dict.fromkeys(sentence for place in claim.graded for sentence in sentences[place])
    return f"| {claim.claim} | {'<br>'.join(tasks)} | {'<br>'.join(groups)} |"


def _systems(claims: Sequence[Claim]) -> Iterator[str]:
    yield "## Systems that the lesson names\n\n| system | graded by |\n|---|---|"
    systems: dict[str, dict[str, None]] = {}
    for claim in claims:
        if claim.system:
            systems.setdefault(claim.system, {}).update(dict.fromkeys(claim.graded))
    yield from (f"| {system} | {', '.join(places)} |" for system, places in systems.items())


if __name__ == "__main__":
    print(write_coverage(Course.find(Path.cwd())))
