"""A notebook that is watched is graded again at each save, and nothing is written."""

import json
import shutil
import threading
from pathlib import Path

import pytest
from host_course import make_course

from autograder.course import Course
from autograder.grading.watch import watch
from autograder.report import Record
from autograder.sandbox.levels import Isolation
from autograder.sandbox.workers import Limits

NAME = "02-attend"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return make_course(tmp_path / "course", ("ada-vectorised", "lea-blends-keys"))


def test_each_save_is_graded_and_broken_files_are_waited_out(course: Path, tmp_path: Path) -> None:
    handed_in = course / "submitted"
    right, wrong = (handed_in / who / NAME / f"{NAME}.ipynb" for who in ("ada-vectorised", "lea-blends-keys"))
    watched = tmp_path / "mine.ipynb"
    shutil.copy(right, watched)
    seen: list[Record] = []
    done = threading.Event()

    def on_record(record: Record, seconds: float) -> None:
        assert seconds > 0
        seen.append(record)
        if len(seen) == 1:
            watched.write_text("{ half a notebook")
        elif len(seen) == 2:
            watched.write_bytes(wrong.read_bytes())
        elif len(seen) == 3:
            notebook = json.loads(right.read_text())
            notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "now it is right"})
            watched.write_text(json.dumps(notebook))
        else:
            done.set()

    watch(Course.find(course).assignment(NAME), watched, "ada", Isolation("full"), Limits(), on_record, done.is_set)
    assert [record.status for record in seen][1] == "unreadable" and seen[1].score is None
    assert seen[2].score is not None and seen[2].score < 100 == seen[0].score == seen[3].score
    assert not (course / "reports").exists() and not (course / "gradebook.db").exists()
