"""Grade every attack at one level, each followed by an honest hand-in in the same run; write what happened as JSON.

Run by the tests in a process of its own, as root or as somebody else:
`drive.py --level LEVEL --out FILE [--only quick]`.
"""

import argparse
import hashlib
import io
import json
import os
import socket
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "samples"), str(HERE)]

import build  # noqa: E402
from autograder.course import Assignment, Course  # noqa: E402
from autograder.grading.batch import grade_batch  # noqa: E402
from autograder.intake import find_hand_ins  # noqa: E402
from autograder.report import Record  # noqa: E402
from autograder.sandbox.levels import Isolation  # noqa: E402
from autograder.sandbox.workers import Level, Limits  # noqa: E402
from autograder.terminal import class_table, print_safely, student_page  # noqa: E402
from rich.console import Console  # noqa: E402

import files  # noqa: E402
from attacks import PRELUDE, Attack, cell_attacks  # noqa: E402

NAME, HONEST = "02-attend", "ada-vectorised"
SECRET = "canary-of-the-course-secret"
PLANTED = "canary-that-lies-beside-the-records"
TOGETHER = 4  # attacks before each honest hand-in
LIMITS = Limits(cell_seconds=2.0, call_seconds=1.0, submission_seconds=8.0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--level", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[], help="ids, or the word quick")
    arguments = parser.parse_args()
    os.environ["AUTOGRADER_SECRET"] = SECRET
    chosen = [a for a in (*cell_attacks(), *files.ATTACKS) if _wanted(a, arguments.only)]
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        run(Path(folder), arguments.level, chosen, arguments.out)


def _wanted(attack: Attack, only: list[str]) -> bool:
    return not only or attack.id in only or (attack.quick and "quick" in only)


def run(folder: Path, level: Level, attacks: list[Attack], out: Path) -> None:
    """Grade the attacks, a few at a time, and write down after each time what has come of all so far."""
    canary = folder / "canary"
    canary.write_text(PLANTED)
    mailbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    mailbox.bind(str(folder / "mailbox"))
    mailbox.setblocking(False)
    (folder / "mailbox").chmod(0o666)
    folder.chmod(0o711)
    assignment = Course.find(ROOT).assignment(NAME)
    before = _digest(canary)
    results: dict[str, object] = {}
    mail = ""
    for start in range(0, len(attacks), TOGETHER):
        results |= _grade(folder, assignment, level, attacks[start : start + TOGETHER])
        unchanged = _digest(canary) == before
        mail += _mail(mailbox)
        said = {"results": results, "unchanged": unchanged, "processes": _children(), "mail": mail}
        out.write_text(json.dumps(said))


def _mail(mailbox: socket.socket) -> str:
    try:
        return mailbox.recv(100).decode(errors="replace")
    except BlockingIOError:
        return ""


def _grade(folder: Path, assignment: Assignment, level: Level, attacks: list[Attack]) -> dict[str, object]:
    """Grade a few attacks and an honest hand-in after them, in one run."""
    place = folder / attacks[0].id
    known = (str(folder / "canary"), str(ROOT), str(folder / "reports"), os.getpid())
    for number, attack in enumerate(attacks):
        _hand_in(place / f"attack-{number}" / NAME, attack, known)
    build.write_hand_in(ROOT, place, NAME, build.samples(NAME), HONEST, "honest")
    start = datetime.now(UTC)
    records = grade_batch(assignment, find_hand_ins(place, NAME), folder / "reports", LIMITS, Isolation(level))
    honest = records.pop()
    results: dict[str, object] = {}
    for attack, record in zip(attacks, records, strict=True):
        earlier = [r.graded_at for r in records if r.graded_at < record.graded_at]
        results[attack.id] = {
            "seconds": (record.graded_at - max(earlier, default=start)).total_seconds(), "score": record.score,
            "record": record.model_dump(mode="json"), "page": _page(record), "honest": honest.score,
            "honest_status": honest.status,
        }  # fmt: skip
    return results


def _page(record: Record) -> str:
    screen = Console(file=io.StringIO(), width=200, force_terminal=False)
    print_safely(screen, class_table([record]))
    print_safely(screen, student_page(record))
    return str(screen.file.getvalue())


def _hand_in(folder: Path, attack: Attack, known: tuple[object, ...]) -> None:
    folder.mkdir(parents=True)
    if attack.source is None:
        released = json.loads((ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_text())
        files.WRITERS[attack.id](folder, released)
        return
    source = attack.source if attack.bare else f"{PRELUDE.format(known=known)}\n{attack.source}"
    cell = ("extra" if attack.last else "softmax-answer", source)
    sample = build.Sample("attacker", None, attack.rest, None, (cell,))
    (folder / f"{NAME}.ipynb").write_text(build.compose(ROOT, NAME, build.samples(NAME), sample, folder.parent.name))


def _digest(canary: Path) -> str:
    """Return a hash over the canary and all that the engine consists of: names, contents, rights and times."""
    digest = hashlib.sha256()
    folders = [ROOT / name for name in ("autograder", "source", "assignments", "tests")]
    paths = [p for f in folders for p in f.rglob("*") if "__pycache__" not in p.parts and p.is_file()]
    for path in sorted([canary, *paths]):
        status = path.stat()
        digest.update(f"{path} {status.st_mode} {status.st_mtime_ns} {status.st_uid}".encode() + path.read_bytes())
    return digest.hexdigest()


def _children() -> int:
    """Count the processes below this one that still run: the zygote (behind bubblewrap or not) and no worker."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state != "Z":
            parents.setdefault(int(parent), []).append(int(entry.name))
    found, waiting = 0, [os.getpid()]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += len(below)
        waiting += below
    return found


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
