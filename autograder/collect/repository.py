"""Ask a student's repository when its last commit was made, without letting its settings run anything."""

import os
import re
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def committed_at(folder: Path) -> datetime | None:
    """Return the time of the commit that is checked out, None when it cannot be told.

    Git runs on an empty repository of ours that borrows the student's objects: a repository's own settings can
    name programs to run.
    """
    head = _head(folder / ".git")
    objects = folder / ".git" / "objects"
    if head is None or not objects.is_dir():
        return None
    with tempfile.TemporaryDirectory() as scratch:
        empty = Path(scratch)
        (empty / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        (empty / "refs").mkdir()
        (empty / "objects").mkdir()
        environment = {"PATH": os.environ.get("PATH", os.defpath), "GIT_DIR": scratch, "GIT_CONFIG_NOSYSTEM": "1",
                       "GIT_CONFIG_GLOBAL": os.devnull, "GIT_OBJECT_DIRECTORY": str(objects.resolve())}  # fmt: skip
        command = ["git", "log", "-1", "--format=%cI", head]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=True)
            return datetime.fromisoformat(done.stdout.strip()).astimezone(UTC)
        except (OSError, ValueError, subprocess.SubprocessError):
            return None


def _head(git: Path) -> str | None:
    """Return the id of the commit that HEAD names."""
    text = _line(git / "HEAD")
    if text.startswith("ref: refs/") and ".." not in text:
        name = text.removeprefix("ref: ")
        text = _line(git / name) or _packed(git / "packed-refs", name)
    return text if COMMIT.fullmatch(text) else None


def _packed(path: Path, name: str) -> str:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {name}")), "")


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:1000].strip()
    except OSError:
        return ""
