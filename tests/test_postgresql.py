"""The gradebook on a real PostgreSQL server, started on loopback; skipped where the server is not installed."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from test_gradebook import assignment, record, template  # noqa: F401  (fixtures)

from autograder.course import Assignment
from autograder.errors import AutograderError
from autograder.host.gradebook import fill_gradebook, set_deadline

pytest.importorskip("psycopg")


def programs() -> Path | None:
    """Return where the server's programs lie: Debian keeps them off the path."""
    found = [*Path("/usr/lib/postgresql").glob("*/bin/initdb"), *filter(None, [shutil.which("initdb")])]
    return Path(found[0]).resolve().parent if found else None


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start a server in a folder of its own and return the URL of its database; it will not run as root."""
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip("PostgreSQL is not installed")
    root = os.geteuid() == 0
    folder = Path(tempfile.mkdtemp(prefix="postgresql-", dir="/tmp"))
    if root:
        shutil.chown(folder, "nobody")
    who: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if root else {}

    def call(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **who)

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = str(folder / "data")
    settings = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c timezone=Asia/Tokyo"
    try:
        call(str(bin_folder / "initdb"), "-D", data, "-U", "teacher", "--auth=trust", "-E", "UTF8", "--no-sync")
        call(str(bin_folder / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield f"postgresql+psycopg://teacher@127.0.0.1:{port}/postgres"
        finally:
            call(str(bin_folder / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_the_same_marks_times_and_manual_work_as_on_sqlite(server: str, assignment: Assignment) -> None:  # noqa: F811
    from nbgrader.api import Gradebook

    when = datetime(2026, 3, 2, 13, tzinfo=UTC)
    set_deadline(server, assignment, datetime(2026, 3, 2, 12, tzinfo=UTC))
    records = [record("ann", {"softmax": 0.1, "attend": 2.5}, submitted_at=when), record("cy", status="unreadable")]
    [late] = fill_gradebook(server, assignment, records)
    assert (late.student, late.seconds) == ("ann", 3600)
    with Gradebook(server, "qkv") as gradebook:
        assert gradebook.find_submission("week", "ann").timestamp == when.replace(tzinfo=None)
        gradebook.find_grade("words", "week", "week", "ann").manual_score = 1.5
        gradebook.find_comment("softmax-answer", "week", "week", "ann").manual_comment = "schön 🙂"
        gradebook.db.commit()
    fill_gradebook(server, assignment, [record("ann", {"softmax": 8, "attend": 2.5}, submitted_at=when)])
    with Gradebook(server, "qkv") as gradebook:
        assert gradebook.find_submission("week", "ann").score == 12
        assert gradebook.find_comment("softmax-answer", "week", "week", "ann").comment == "schön 🙂"
        grades = gradebook.find_submission("week", "cy").notebooks[0].grades
        assert [grade.auto_score for grade in grades] == [None, None, None]


def test_a_database_that_may_only_be_read_is_one_sentence(server: str, assignment: Assignment) -> None:  # noqa: F811
    fill_gradebook(server, assignment, [])
    read_only = f"{server}?options=-c%20default_transaction_read_only%3Don"
    with pytest.raises(AutograderError, match=r"cannot be filled: .*read-only.*same command again"):
        fill_gradebook(read_only, assignment, [record("bob", {"softmax": 1})])
