"""Say whose each file is: the layouts of Canvas, Moodle, Gradescope, nbgrader, student repositories, loose files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.collect.repository import committed_at
from autograder.collect.tree import Item, Tree
from autograder.intake import SUFFIXES, TIMESTAMP, parse_timestamp

CANVAS = re.compile(r"(?P<name>[^_/]+)_(?P<late>LATE_)?(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)")
CANVAS_VERSION = re.compile(r"-(\d+)(?=\.[^.]+$)")
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)")
GRADESCOPE = re.compile(r"submission_(?P<id>\d+)")
EXCHANGE = re.compile(r"(?P<student>[^+/]+)\+(?P<assignment>[^+/]+)\+(?P<time>[^+/]+ [^+/]+ [^+/ ]+)(?:\+.*)?")
ENDINGS = (*SUFFIXES, ".json", ".txt")
METADATA = "submission_metadata.yml"
COPY_NUMBER = re.compile(r"\s*\(\d+\)$|\s*-\s*copy\d*$", re.IGNORECASE)


@dataclass(frozen=True)
class Claim:
    """Hold the files that one student handed in; of files `in_order` the last is the latest."""

    student: str
    platform: str
    name: str = ""
    platform_id: str = ""
    assignment: str | None = None
    submitted_at: datetime | None = None
    timestamp: bytes | None = None  # an nbgrader timestamp.txt, kept to the letter
    odd: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    in_order: bool = False


def claims(tree: Tree, assignments: Sequence[str]) -> tuple[list[Claim], list[Item]]:
    """Return the claims, and the files that belong to nobody; the layout is the first that fits any file."""
    layouts = (_gradescope, _moodle, _canvas, _exchange, _repositories, _nbgrader, _one_repository)
    found = next((found for layout in layouts if (found := layout(tree, assignments))), None)
    if found is None:
        return _loose(tree, assignments), []
    taken = {item.origin for claim in found for item in claim.items}
    return found, [item for item in tree.items if item.origin not in taken and item.name != METADATA]


def _gathered(pairs: Iterable[tuple[Any, Item]]) -> dict[Any, list[Item]]:
    groups: dict[Any, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups


def _part(item: Item, pattern: re.Pattern[str]) -> tuple[re.Match[str], PurePosixPath] | None:
    """Return the first folder or file name that fits, and the path of the file below it."""
    for number, part in enumerate(item.path.parts):
        match = pattern.fullmatch(part)
        if match:
            return match, PurePosixPath(*item.path.parts[number + 1 :])
    return None


def _renamed(item: Item, match: re.Match[str], below: PurePosixPath) -> Item:
    """Return the item under the name that the student gave the file."""
    return replace(item, path=PurePosixPath(match["file"] or "", below))


def _canvas(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    groups: dict[tuple[str, str], list[tuple[re.Match[str], Item]]] = {}
    for item in tree.items:
        if place := _part(item, CANVAS):
            match, below = place
            groups.setdefault((match["id"], match["name"]), []).append((match, _renamed(item, match, below)))
    return [_canvas_claim(student, name, files) for (student, name), files in groups.items()]


def _canvas_claim(student: str, name: str, files: list[tuple[re.Match[str], Item]]) -> Claim:
    files = sorted(files, key=lambda pair: (int(pair[0]["submission"]), _version(pair[0]["file"])))
    odd = ("marked late by Canvas",) if any(match["late"] for match, _ in files) else ()
    return Claim(student, "Canvas", name, student, odd=odd, items=tuple(item for _, item in files), in_order=True)


def _version(name: str) -> int:
    found = CANVAS_VERSION.search(name)
    return int(found[1]) if found else 0


def _moodle(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    found = [(*place, item) for item in tree.items if (place := _part(item, MOODLE))]
    groups = _gathered(((match["name"], match["id"]), _renamed(item, match, below)) for match, below, item in found)
    shared = Counter(name for name, _ in groups)
    return [
        Claim(
            student=name if shared[name] == 1 else f"{name} {number}", platform="Moodle", name=name,
            platform_id=f"Participant {number}", items=tuple(items),
            submitted_at=max((item.moment for item in items if item.moment), default=None),
        )
        for (name, number), items in groups.items()
    ]  # fmt: skip


def _gradescope(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    groups = _gathered((place[0][0], item) for item in tree.items if (place := _part(item, GRADESCOPE)))
    if not groups:
        return []
    metadata = _gradescope_metadata(tree)
    return [claim for folder, items in groups.items() for claim in _gradescope_claims(folder, items, metadata)]


def _gradescope_metadata(tree: Tree) -> dict[str, Any]:
    import yaml

    found: dict[str, Any] = {}
    for item in tree.items:
        if item.name == METADATA:
            try:
                read = yaml.load((item.content() or b"").decode("utf-8", "replace"), yaml.BaseLoader)
            except (yaml.YAMLError, RecursionError):
                continue
            found |= read if isinstance(read, dict) else {}
    return found


def _gradescope_claims(folder: str, items: list[Item], metadata: dict[str, Any]) -> Iterator[Claim]:
    about = metadata.get(folder)
    about = about if isinstance(about, dict) else {}
    people = about.get(":submitters")
    people = [person for person in people if isinstance(person, dict)] if isinstance(people, list) else []
    moment = parse_timestamp(str(about.get(":created_at", "")))
    for person in people:
        name, sid, email = (str(person.get(key) or "") for key in (":name", ":sid", ":email"))
        yield Claim(sid or email or name, "Gradescope", name, folder, submitted_at=moment, items=tuple(items))
    if not people:
        odd = (f"{METADATA} names nobody for {folder}",)
        yield Claim(folder, "Gradescope", platform_id=folder, odd=odd, submitted_at=moment, items=tuple(items))


def _exchange(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    groups = _gathered((place[0], item) for item in tree.items if (place := _part(item, EXCHANGE)))
    by_name: dict[str, tuple[re.Match[str], list[Item]]] = {match[0]: (match, []) for match in groups}
    for match, items in groups.items():
        by_name[match[0]][1].extend(items)
    return [
        Claim(match["student"], "nbgrader", assignment=match["assignment"], items=tuple(items),
              submitted_at=parse_timestamp(match["time"]))
        for match, items in by_name.values()
    ]  # fmt: skip


def _nbgrader(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    found = []
    for item in tree.items:
        parents = item.path.parts[:-1]
        places = [number for number, part in enumerate(parents) if part in assignments and number > 0]
        if places:
            below = PurePosixPath(*item.path.parts[places[0] + 1 :])
            found.append(((parents[places[0] - 1], parents[places[0]]), replace(item, path=below)))
    if not any(item.name in (TIMESTAMP, f"{assignment}.ipynb") for (_, assignment), item in found):
        return []
    return [_nbgrader_claim(student, assignment, items) for (student, assignment), items in _gathered(found).items()]


def _nbgrader_claim(student: str, assignment: str, items: list[Item]) -> Claim:
    stamp = next((item.content() for item in items if item.name == TIMESTAMP and item.size < 200), None)
    moment = parse_timestamp(stamp.decode("utf-8", "replace")) if stamp is not None else None
    return Claim(student, "nbgrader", assignment=assignment, items=tuple(items), submitted_at=moment, timestamp=stamp)


def _repositories(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    return [
        _repository(tree, place, folder, assignments) for place, folder in tree.repositories.items() if place.parts
    ]


def _one_repository(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    return [_repository(tree, place, folder, assignments) for place, folder in tree.repositories.items()]


def _repository(tree: Tree, place: PurePosixPath, folder: Path, assignments: Sequence[str]) -> Claim:
    items = tuple(item for item in tree.items if item.path.is_relative_to(place))
    moment = committed_at(folder)
    odd = ("the time is that of the last commit, by the student's clock",) if moment else ()
    name = _without(folder.resolve().name, assignments)
    return Claim(name, "repository", submitted_at=moment, odd=odd, items=items)


def _loose(tree: Tree, assignments: Sequence[str]) -> list[Claim]:
    """Take each top folder as a student, and each notebook that lies beside them as a student's own."""
    items = tree.items
    while _in_one_folder(items, assignments):
        items = [replace(item, path=PurePosixPath(*item.path.parts[1:])) for item in items]
    groups = _gathered((_without(_first_name(item), assignments), item) for item in items)
    return [Claim(student, "loose files", items=tuple(files)) for student, files in groups.items()]


def _in_one_folder(items: Sequence[Item], assignments: Sequence[str]) -> bool:
    """Tell whether everything lies in one folder that is no student's: it holds folders, or several notebooks."""
    if len({item.path.parts[0] for item in items}) != 1 or any(len(item.path.parts) == 1 for item in items):
        return False
    second = [item.path.parts[1] for item in items]
    notebooks = [item for item in items if len(item.path.parts) == 2 and item.name.endswith(".ipynb")]
    return len(notebooks) > 1 or (not notebooks and len(set(second)) > 1 and not set(second) & set(assignments))


def _first_name(item: Item) -> str:
    first = item.path.parts[0]
    if len(item.path.parts) > 1:
        return first
    return next((first[: -len(suffix)] for suffix in ENDINGS if first.lower().endswith(suffix)), first)


def _without(name: str, assignments: Sequence[str]) -> str:
    """Return the name without an assignment's name, copy numbers, and the marks that joined them."""
    plain = COPY_NUMBER.sub("", name.removesuffix(".zip"))
    for assignment in assignments:
        plain = re.sub(rf"(?i){re.escape(assignment)}", "", plain)
    return COPY_NUMBER.sub("", plain).strip(" _-.") or name
