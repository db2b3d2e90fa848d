"""Every attack earns nothing, shows nothing, ends in time, and leaves the next hand-in its marks.

A quick selection runs always, at levels full and kernel, as whoever runs the tests. All of it, as root as well as an
ordinary user where it is run by root: `pytest -m attack_all tests/attacks`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import drive
import files
from attacks import Attack, cell_attacks

ATTACKS = [*cell_attacks(), *files.ATTACKS]
QUICK = [attack for attack in ATTACKS if attack.quick]
LEVELS = ("full", "kernel")
SLACK = 6.0  # seconds beyond the budget: a busy machine, and the graders' own time
NOBODY = {"full": 64_321, "kernel": 64_322}  # two, since the kernel counts a user's threads over all processes


@dataclass(frozen=True)
class Run:
    """Name one run of the driver: at which level, as whom, and whether it is the quick selection."""

    level: str
    ordinary: bool
    quick: bool

    def __str__(self) -> str:
        who = "user" if self.ordinary else "self"
        return f"{self.level}-{who}-{'quick' if self.quick else 'all'}"


RUNS = [Run(level, ordinary, quick) for quick in (True, False) for level in LEVELS for ordinary in (False, True)]
RUNS = [run for run in RUNS if not (run.quick and run.ordinary)]


def marks(run: Run) -> list[pytest.MarkDecorator]:
    """Leave the long runs out unless they are asked for."""
    return [] if run.quick else [pytest.mark.attack_all]


def cases() -> list[Any]:
    return [
        pytest.param(run, attack, id=f"{run}-{attack.id}", marks=marks(run))
        for run in RUNS for attack in (QUICK if run.quick else ATTACKS)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def outcome() -> Callable[[Run], dict[str, Any]]:
    done: dict[Run, dict[str, Any]] = {}

    def get(run: Run) -> dict[str, Any]:
        if run not in done:
            with tempfile.TemporaryDirectory(prefix="attacks-") as folder:  # pytest's own is closed to other users
                done[run] = _drive(run, Path(folder))
        return done[run]

    return get


def _drive(run: Run, folder: Path) -> dict[str, Any]:
    out = folder / "results.json"
    command, environment = [sys.executable], dict(os.environ)
    if run.ordinary:
        command, environment = as_ordinary_user(folder, NOBODY[run.level])
    arguments = ["-B", str(drive.HERE / "drive.py"), "--level", run.level, "--out", str(out)]
    arguments += ["--only", "quick"] if run.quick else []
    subprocess.run([*command, *arguments], env=environment, cwd="/", check=True)
    results: dict[str, Any] = json.loads(out.read_text())
    return results


def as_ordinary_user(folder: Path, user: int) -> tuple[list[str], dict[str, str]]:
    """Return a command and environment that run Python as nobody in particular; skip where that cannot be."""
    if os.getuid() != 0:
        pytest.skip("already run as an ordinary user")
    setpriv = shutil.which("setpriv")
    python = next((p for p in _interpreters() if p and _open_to_all(Path(p))), None)
    if setpriv is None or python is None or not _open_to_all(drive.HERE / "drive.py"):
        pytest.skip("no setpriv, or an ordinary user cannot read Python or the project")
    folder.chmod(0o777)
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": packages}
    become = [setpriv, f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return [*become, python], environment


def _interpreters() -> list[str | None]:
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return [os.path.realpath(sys.executable), f"/usr/bin/{name}", f"/usr/local/bin/{name}"]


def _open_to_all(path: Path) -> bool:
    return path.exists() and all(part.stat().st_mode & 0o005 == 0o005 for part in path.resolve().parents)


@pytest.mark.parametrize(("run", "attack"), cases())
def test_an_attack_gains_nothing(outcome: Callable[[Run], dict[str, Any]], run: Run, attack: Attack) -> None:
    result = outcome(run)["results"][attack.id]
    record, everything = result["record"], json.dumps(result)
    assert attack.least <= (result["score"] or 0.0) <= attack.most, "marks"
    assert record["isolation"] == run.level
    assert "BREACH" not in everything, record["output_tail"]
    assert attack.says in record["output_tail"], "it did not run to its end"
    assert drive.SECRET not in everything and drive.PLANTED not in everything, "a leak"
    assert "CARRIED" not in result["page"], "hidden inputs on a student's page"
    assert not set(result["page"]) & set("\x1b\x07\r\u202e"), "something for the terminal to act upon"
    assert not any(line.lstrip().startswith("::") for line in result["page"].splitlines()), "a workflow command"
    assert result["seconds"] <= drive.LIMITS.submission_seconds + SLACK, "time"
    assert (result["honest"], result["honest_status"]) == (100.0, "graded"), "the next hand-in"


@pytest.mark.parametrize("run", [pytest.param(run, id=str(run), marks=marks(run)) for run in RUNS])
def test_after_all_attacks_nothing_is_changed_and_no_worker_is_left(
    outcome: Callable[[Run], dict[str, Any]], run: Run
) -> None:
    afterwards = outcome(run)
    assert afterwards["unchanged"] and afterwards["mail"] == ""
    assert afterwards["processes"] <= (3 if run.level == "full" else 1)  # the zygote, and bubblewrap twice round it


def test_there_are_enough_attacks_of_every_family() -> None:
    assert len(ATTACKS) >= 90 and len({attack.id for attack in ATTACKS}) == len(ATTACKS)
    assert {attack.id[0] for attack in ATTACKS} == set("FLMREPHN")
