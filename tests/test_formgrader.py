"""Formgrader in a real Jupyter server: Autograde runs the engine, a mark and a comment reach the student's page."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from host_course import NAME, ROOT, SECRET, make_course

TOKEN = "formgrader-test"
STUDENT = "lea-blends-keys"


@dataclass
class Server:
    """Talk to a Jupyter server whose root is the course."""

    course: Path
    port: int
    process: subprocess.Popen[bytes]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, data=data)
        request.add_header("Authorization", f"token {TOKEN}")
        with urllib.request.urlopen(request, timeout=120) as reply:
            text = reply.read().decode()
            return json.loads(text) if "/api/" in path else text


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("formgrader")
    course, port = make_course(folder / "clone", [STUDENT, "uma-truncated"]), free_port()
    homes = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    places = {name: str(folder / name) for name in homes}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **places, "PATH": path, "PYTHONPATH": str(ROOT), "AUTOGRADER_SECRET": SECRET}
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", f"--port={port}",
               "--ip=127.0.0.1", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={course}"]  # fmt: skip
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(command, cwd=course, env=environment, stdout=log, stderr=log)
    started = Server(course, port, process)
    try:
        for _ in range(240):
            with contextlib.suppress(OSError):
                started.ask("GET", "/api/status")
                break
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.5)
        yield started
    finally:
        process.terminate()
        process.wait(30)


def submission(server: Server, student: str = STUDENT) -> Any:
    listed = server.ask("GET", f"/formgrader/api/submissions/{NAME}")
    return next(each for each in listed if each["student"] == student)


def test_a_fresh_clone_is_autograded_by_the_button(server: Server) -> None:
    assert "formgrader" in server.ask("GET", "/formgrader/manage_assignments")
    [assignment] = server.ask("GET", "/formgrader/api/assignments")
    assert (assignment["name"], assignment["num_submissions"]) == (NAME, 2)
    assert not submission(server)["autograded"]
    reply = server.ask("POST", f"/formgrader/api/submission/{NAME}/{STUDENT}/autograde")
    assert reply["success"], reply
    graded = submission(server)
    assert (graded["autograded"], graded["score"], graded["max_score"]) == (True, 89.0, 100.0)
    assert server.ask("GET", "/api/kernels") == []


def test_a_hand_in_that_cannot_be_read_is_said_and_shown(server: Server) -> None:
    reply = server.ask("POST", f"/formgrader/api/submission/{NAME}/uma-truncated/autograde")
    assert not reply["success"] and "breaks off" in reply["log"]
    shown = submission(server, "uma-truncated")
    assert shown["autograded"] and shown["needs_manual_grade"]


def test_a_mark_and_a_comment_reach_the_students_page(server: Server) -> None:
    if not submission(server)["autograded"]:
        server.ask("POST", f"/formgrader/api/submission/{NAME}/{STUDENT}/autograde")
    books = server.ask("GET", f"/formgrader/api/submitted_notebooks/{NAME}/{NAME}")
    book = next(each["id"] for each in books if each["student"] == STUDENT)
    page = server.ask("GET", f"/formgrader/submissions/{book}/")
    assert "The keys are blended instead of the values" in page and "5 of 16 points" in page
    grades = server.ask("GET", f"/formgrader/api/grades?submission_id={book}")
    grade = next(each for each in grades if each["name"] == "attend")
    server.ask("PUT", f"/formgrader/api/grade/{grade['id']}", {"manual_score": 6.25, "extra_credit": 0.5})
    comments = server.ask("GET", f"/formgrader/api/comments?submission_id={book}")
    comment = next(each for each in comments if each["name"] == "attend-answer")
    server.ask("PUT", f"/formgrader/api/comment/{comment['id']}", {"manual_comment": "Nearly: look at the labels."})
    reply = server.ask("POST", f"/formgrader/api/submission/{NAME}/{STUDENT}/autograde")
    assert reply["success"] and submission(server)["score"] == 89 - 5 + 6.75
    assert server.ask("POST", f"/formgrader/api/assignment/{NAME}/{STUDENT}/generate_feedback")["success"]
    feedback = (server.course / "feedback" / STUDENT / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "Nearly: look at the labels." in feedback and "6.75" in feedback
