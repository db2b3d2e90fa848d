"""Say what the sandbox's Python is: its folders, its environment, and the allow-list of packages."""

import importlib.metadata
import os
import re
import sys
from pathlib import Path

PACKAGES = ("numpy", "ipython", "msgpack")
INSIDE = Path(__file__).parent / "inside"
VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"


def environment(home: str, library: str | None) -> dict[str, str]:
    """Return all that the sandbox's environment holds; `library` is where a libpython of its own lies."""
    fixed = {"HOME": home, "LANG": "C.UTF-8", "PATH": "/usr/bin", "TZ": "UTC", "MPLBACKEND": "Agg"}
    one = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB")}
    tuning = {name: os.environ[name] for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ}
    own = {"LD_LIBRARY_PATH": library} if library else {}
    return {**fixed, **one, **tuning, **own, "IPYTHONDIR": f"{home}/.ipython"}


def interpreter() -> Path:
    """Return the real path of the running interpreter, links and virtual environments resolved."""
    return Path(os.path.realpath(sys.executable))


def prefix() -> Path:
    """Return the folder that the interpreter was installed under."""
    return Path(os.path.realpath(sys.base_prefix))


def standard_library() -> Path:
    """Return the folder of the standard library."""
    return prefix() / "lib" / VERSION


def own_libraries() -> list[Path]:
    """Return the shared libraries that the interpreter brings; empty where the system's folders hold them."""
    return [] if str(prefix()) == "/usr" else sorted((prefix() / "lib").glob("*.so*"))


def shared_libraries() -> list[Path]:
    """Return the system's folders of shared libraries, as far as they are there."""
    folders = [*Path("/usr/lib").glob("*-linux-gnu*"), Path("/usr/lib64"), Path("/etc/ld.so.cache")]
    return [path for path in folders if path.exists()]


def package_paths() -> list[Path]:
    """Return the files and folders of the allowed packages and of what they need, sorted."""
    paths: set[Path] = set()
    for name in _closure(PACKAGES):
        distribution = importlib.metadata.distribution(name)
        tops = {str(file).split("/", 1)[0] for file in distribution.files or []}
        paths |= {Path(str(distribution.locate_file(top))) for top in tops - {"..", "__pycache__"}}
    return sorted(path for path in paths if path.exists())


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
