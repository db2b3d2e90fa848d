"""Grade the same hand-ins with the engine and with stock `nbgrader autograde`; print times, ratio and memory.

Run from anywhere: `make bench`, or `.venv/bin/python tests/benchmarks/throughput.py --count 40 --jobs 2`. All hand-ins
are right, or with `--mix` two of three, as in a class; none hangs. `--nbgrader-count` gives nbgrader fewer of them: it
takes as long for each, and the ratio is that of hand-ins per second.

Both start cold, as commands, and end with a filled gradebook. The engine runs its hidden graders in its sandbox.
nbgrader runs the visible checks in a Jupyter kernel, with its default configuration, in a plain course of its own.
"""

import argparse
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
ASSIGNMENT = "02-attend"

sys.path.insert(0, str(ROOT / "tests" / "samples"))

import build  # noqa: E402  (the folder of samples is no package)


@dataclass(frozen=True)
class Measurement:
    """Hold one run: seconds, the largest resident size of one process, and of all processes at one time (MiB)."""

    what: str
    graded: int
    seconds: float
    largest_process: float
    all_processes: float


def main() -> int:
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="throughput-") as folder:
        work = Path(folder)
        fewer = arguments.nbgrader_count or arguments.count
        for name, count in (("submitted", arguments.count), ("fewer", fewer)):
            hand_in(work / name, count, arguments.mix)
        engine = _run_engine(work, work / "submitted", arguments.jobs)
        nbgrader = _run_nbgrader(work, work / "fewer")
    _print(engine, nbgrader, "mixed" if arguments.mix else "correct")
    complete = (engine.graded, nbgrader.graded) == (arguments.count, fewer)
    if not complete:
        print(f"Not all hand-ins were graded: {engine.graded} and {nbgrader.graded}", file=sys.stderr)
    return 0 if complete and ratio(engine, nbgrader) >= arguments.floor else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=40, help="how many hand-ins (default: %(default)s)")
    parser.add_argument("--nbgrader-count", type=int, help="how many of them for nbgrader (default: all)")
    parser.add_argument("--mix", action="store_true", help="right and wrong hand-ins, two to one")
    parser.add_argument("--floor", type=float, default=0.0, help="fail when the ratio is below")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="the engine's processes (default: one per core)"
    )
    return parser.parse_args()


def hand_in(submitted: Path, count: int, mix: bool = False) -> None:
    """Write `count` hand-ins under ids of their own, taken in turn from the right samples, or two right, one wrong."""
    everybody = build.samples(ASSIGNMENT)
    plain = [name for name, sample in everybody.items() if sample.file is None]
    right = [name for name in plain if everybody[name].expectation.about.startswith("Right:")]
    wrong = [name for name in plain if everybody[name].expectation.about.startswith("Wrong:")]
    for number in range(count):
        names = wrong if mix and number % 3 == 2 else right
        name = names[number % len(names)]
        build.write_hand_in(ROOT, submitted, ASSIGNMENT, everybody, name, f"student-{number:05d}")


def _run_engine(work: Path, submitted: Path, jobs: int) -> Measurement:
    database = work / "engine.db"
    command = [str(BIN / "autograder"), "grade", ASSIGNMENT, "--course", str(ROOT), "--submitted", str(submitted)]
    command += ["--reports", str(work / "reports"), "--db", f"sqlite:///{database}", "--jobs", str(jobs)]
    environment = {**os.environ, "AUTOGRADER_SECRET": "a secret for the benchmark alone"}
    return _measure(f"autograder grade --jobs {jobs}", command, work, environment, database)


def _run_nbgrader(work: Path, submitted: Path) -> Measurement:
    course = work / "course"
    (course / "source").mkdir(parents=True)
    shutil.copytree(ROOT / "source" / ASSIGNMENT, course / "source" / ASSIGNMENT)
    shutil.move(submitted, course / "submitted")
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    nbgrader = str(BIN / "nbgrader")
    prepare = [nbgrader, "generate_assignment", ASSIGNMENT, "--create"]
    subprocess.run(prepare, cwd=course, env=environment, check=True, capture_output=True)
    return _measure(
        "nbgrader autograde", [nbgrader, "autograde", ASSIGNMENT], course, environment, course / "gradebook.db"
    )


def _measure(
    what: str, command: Sequence[str], folder: Path, environment: dict[str, str], database: Path
) -> Measurement:
    sampler = _Sampler()
    before = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        sampler.watch(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - before
        sampler.stop()
        if process.returncode != 0:
            output.seek(0)
            sys.stderr.write(output.read().decode(errors="replace")[-3000:])
            print(f"{what} ended with exit code {process.returncode}", file=sys.stderr)
    own = usage.ru_maxrss / 1024
    return Measurement(what, _graded(database), seconds, max(own, sampler.largest), max(own, sampler.total))


def _graded(database: Path) -> int:
    """Count the submissions in a gradebook that have a score above 0."""
    if not database.is_file():
        return 0
    query = """
        select count(distinct submitted_notebook.assignment_id) from grade
        join submitted_notebook on submitted_notebook.id = grade.notebook_id where grade.auto_score > 0
    """
    connection = sqlite3.connect(database)
    try:
        return int(connection.execute(query).fetchone()[0])
    finally:
        connection.close()


class _Sampler:
    """Look at a process and all below it four times a second, and keep the largest resident sizes in MiB."""

    def __init__(self) -> None:
        self.largest = 0.0
        self.total = 0.0
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, pid: int) -> None:
        self._thread = threading.Thread(target=self._look, args=(pid,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _look(self, pid: int) -> None:
        while not self._ended.wait(0.25):
            sizes = [_resident(process) for process in _family(pid)]
            self.largest = max(self.largest, *sizes, 0.0)
            self.total = max(self.total, sum(sizes))


def _family(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def _resident(pid: int) -> float:
    """Return the proportional size of a process, in which shared pages are divided; else the resident size."""
    for name, field in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        try:
            for line in Path(f"/proc/{pid}/{name}").read_text().splitlines():
                if line.startswith(field):
                    return int(line.split()[1]) / 1024
        except OSError:
            continue
    return 0.0


def ratio(engine: Measurement, nbgrader: Measurement) -> float:
    """Return how many hand-ins the engine grades while nbgrader grades one."""
    return (engine.graded / engine.seconds) / (nbgrader.graded / nbgrader.seconds)


def _print(engine: Measurement, nbgrader: Measurement, kind: str) -> None:
    table = Table(title=f"{kind} hand-ins of {ASSIGNMENT}, {os.cpu_count()} cores")
    for column in ("", "graded", "seconds", "hand-ins per second", "peak of one process, MiB", "peak of all, MiB"):
        table.add_column(column, justify="right" if column else "left")
    for run in (engine, nbgrader):
        table.add_row(
            run.what,
            str(run.graded),
            f"{run.seconds:.2f}",
            f"{run.graded / run.seconds:.2f}",
            f"{run.largest_process:.0f}",
            f"{run.all_processes:.0f}",
        )
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"largest child of both runs: {children:.0f} MiB")
    print(f"ratio: {ratio(engine, nbgrader):.1f}")


if __name__ == "__main__":
    sys.exit(main())
