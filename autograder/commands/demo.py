"""Grade the sample class."""

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from autograder.commands.common import CourseFolder, Jobs, app, find_course, isolation, say, sqlite
from autograder.commands.grade import Places, Seconds, grade_all
from autograder.errors import AutograderError


@app.command(short_help="Grade the sample class of 02-attend.")
def demo(course: CourseFolder = None, jobs: Jobs = None) -> None:
    """Grade the sample class of 02-attend into demo/, from an empty gradebook."""
    found = find_course(course)
    build = _sample_builder(found.root)
    folder = found.root / "demo"
    _clear(folder)
    submitted = build(found.root, folder / "submitted")
    places = Places(submitted, folder / "reports", sqlite(folder / "gradebook.db"))
    grade_all(found, "02-attend", places, Seconds(), None, jobs, isolation)
    say("Hand-ins that need a look are part of the demo: the sample class cheats, crashes and hangs on purpose.")


def _sample_builder(root: Path) -> Callable[[Path, Path], Path]:
    path = root / "tests" / "samples" / "build.py"
    spec = importlib.util.spec_from_file_location("autograder_samples", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise AutograderError(f"The sample class is missing: {path}.", "Run the demo in a clone of the project.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    build: Callable[[Path, Path], Path] = module.build_samples
    return build


def _clear(folder: Path) -> None:
    """Take away an earlier demo, and nothing else that may lie in the folder."""
    folder.mkdir(exist_ok=True)
    for name in ("submitted", "reports", "autograded"):
        if (folder / name).exists():
            shutil.rmtree(folder / name)
    (folder / "gradebook.db").unlink(missing_ok=True)
