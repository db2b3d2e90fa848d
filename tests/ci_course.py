"""What the tests of bundles and continuous integration share: the command, a bundle, hand-ins of the sample class."""

import os
import subprocess
import sys
from pathlib import Path

from samples.build import build_samples

ROOT = Path(__file__).resolve().parent.parent


def autograder(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as outside of any CI service."""
    foreign = ("GITHUB_", "GITLAB_", "CI", "AUTOGRADER_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, arguments)],
        cwd=cwd, capture_output=True, encoding="utf-8", env={**clean, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip


def make_bundle(folder: Path, secret: str = "tests") -> Path:
    """Write the bundle of 02-attend into a folder."""
    path = folder / "02-attend.bundle"
    done = autograder("bundle", "02-attend", "-o", path, cwd=ROOT, AUTOGRADER_SECRET=secret)
    assert done.returncode == 0, done.stderr
    assert "never belongs in a student's repository" in done.stderr
    return path


def build_class(folder: Path) -> Path:
    """Build the sample class of 02-attend."""
    return build_samples(ROOT, folder, "02-attend")
