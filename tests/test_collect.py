"""Collecting: each platform's download, by content, with times and originals kept and unsafe entries refused."""

import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from autograder.collect import Row, collect, tree
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.intake import find_hand_ins, read_notebook

ROOT = Path(__file__).resolve().parents[1]
NAME = "02-attend"
RELEASE = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
BERLIN = ZoneInfo("Europe/Berlin")


def notebook(mark: str = "") -> bytes:
    """Return a hand-in that no other one equals."""
    read = json.loads(RELEASE)
    read["cells"][0]["source"] = f"handed in {mark}"
    return json.dumps(read).encode()


@pytest.fixture
def course(tmp_path: Path) -> Course:
    folder = tmp_path / "course"
    for part in ("source", "assignments"):
        shutil.copytree(ROOT / part / NAME, folder / part / NAME)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return Course(folder)


def zipped(path: Path, entries: Iterable[tuple[str | zipfile.ZipInfo, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def submitted(course: Course) -> dict[str, bytes]:
    folder = course.root / "submitted"
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def by_student(rows: list[Row]) -> dict[str, Row]:
    return {row.student: row for row in rows if row.student}


def test_canvas(course: Course, tmp_path: Path) -> None:
    download = zipped(tmp_path / "submissions.zip", [
        ("lovelaceada_101_9001_02-attend.ipynb", notebook("ada, first")),
        ("lovelaceada_101_9005_02-attend-1.ipynb", notebook("ada, second")),
        ("nunezzoe_LATE_102_9002_my homework.ipynb", notebook("zoë")),
        ("nunezzoe_LATE_102_9003_data.csv", b"1,2\n"),
        ("smithbob_103_9004_essay.pdf", b"%PDF"),
    ])  # fmt: skip
    rows = by_student(collect(course, download))
    assert {name: row.what for name, row in rows.items()} == {"101": "new", "102": "new", "103": "no notebook"}
    assert rows["101"].name == "lovelaceada" and "chosen from 2 notebooks" in rows["101"].odd
    assert {"marked late by Canvas", "was called my homework.ipynb", "no time known"} <= set(rows["102"].odd)
    assert rows["103"].look and not rows["101"].look
    files = submitted(course)
    assert files[f"101/{NAME}/{NAME}.ipynb"] == notebook("ada, second")
    assert files[f"102/{NAME}/data.csv"] == b"1,2\n"
    assert not any(name.endswith("timestamp.txt") for name in files)


def test_a_roster_turns_platform_ids_into_the_courses(course: Course, tmp_path: Path) -> None:
    download = zipped(tmp_path / "s.zip", [
        ("lovelaceada_101_9001_02-attend.ipynb", notebook("ada")), ("x_999_9002_02-attend.ipynb", notebook("x")),
    ])  # fmt: skip
    roster = tmp_path / "canvas.csv"
    roster.write_text('\ufeffStudent,ID,SIS Login ID,Section\n"Lovelace, Ada",101,ada@school.example,1\n', "utf-8")
    rows = by_student(collect(course, download, roster=roster))
    assert set(rows) == {"ada@school.example", "999"}
    assert "not in the roster" in rows["999"].odd
    roster.write_text("Student,Section\nAda,1\n", "utf-8")
    with pytest.raises(AutograderError, match="no column of ids"):
        collect(course, download, roster=roster)


def moodle_entry(name: str, *when: int) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, when)  # type: ignore[arg-type]


def test_moodle_as_folders_and_flattened(course: Course, tmp_path: Path) -> None:
    summer = (2026, 7, 1, 12, 0, 0)
    download = zipped(tmp_path / "moodle.zip", [
        (moodle_entry(f"Ada Lovelace_11_assignsubmission_file_/{NAME}.ipynb", *summer), notebook("ada")),
        (moodle_entry("Zoë Núñez_12_assignsubmission_file_übung 2.ipynb", *summer), notebook("zoë")),
        (moodle_entry("Ann Smith_13_assignsubmission_file_/a.ipynb", *summer), notebook("ann 13")),
        (moodle_entry("Ann Smith_14_assignsubmission_file_/a.ipynb", *summer), notebook("ann 14")),
        (moodle_entry("Ann Smith_14_assignsubmission_onlinetext_/onlinetext.html", *summer), b"<p>Hello</p>"),
    ])  # fmt: skip
    rows = by_student(collect(course, download, zone=BERLIN))
    assert set(rows) == {"Ada Lovelace", "Zoë Núñez", "Ann Smith 13", "Ann Smith 14"}
    assert rows["Ada Lovelace"].submitted_at == datetime(2026, 7, 1, 10, tzinfo=UTC)
    files = submitted(course)
    assert files[f"Ada Lovelace/{NAME}/timestamp.txt"] == b"2026-07-01 10:00:00.000000 UTC"
    assert files[f"Ann Smith 14/{NAME}/{NAME}.ipynb"] == notebook("ann 14")
    [hand_in] = find_hand_ins(course.root / "submitted", NAME, "Zoë Núñez")
    assert hand_in.submitted_at == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert read_notebook(hand_in.path, course.assignment(NAME)).findings == ()


def test_names_that_do_not_declare_utf_8_are_read_as_utf_8_when_they_are(course: Course, tmp_path: Path) -> None:
    name = f"Zoë_12_assignsubmission_file_/{NAME}.ipynb"
    path = zipped(tmp_path / "old.zip", [(name.replace("ë", "ZZ"), notebook())])
    path.write_bytes(path.read_bytes().replace(b"ZoZZ_12", "Zoë_12".encode()))
    assert set(by_student(collect(course, path))) == {"Zoë"}


def test_gradescope_with_a_group(course: Course, tmp_path: Path) -> None:
    metadata = """---
submission_71:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0042'
    :email: ada@school.example
  - :name: Bob
    :sid: ''
    :email: bob@school.example
  :created_at: 2026-03-29 01:59:59.5 -05:00
"""
    folder = "assignment_5_export"
    download = zipped(tmp_path / "gs.zip", [
        (f"{folder}/submission_metadata.yml", metadata.encode()),
        (f"{folder}/submission_71/work.ipynb", notebook("both")),
        (f"{folder}/submission_72/{NAME}.ipynb", notebook("unknown")),
    ])  # fmt: skip
    rows = by_student(collect(course, download))
    assert set(rows) == {"0042", "bob@school.example", "submission_72"}
    assert rows["0042"].submitted_at == rows["bob@school.example"].submitted_at == datetime(
        2026, 3, 29, 6, 59, 59, 500000, UTC)  # fmt: skip
    assert any("names nobody" in odd for odd in rows["submission_72"].odd)


def test_nbgraders_own_layouts_keep_their_timestamps_to_the_letter(course: Course, tmp_path: Path) -> None:
    stamp = b"2026-10-25 02:30:00 Europe/Berlin\n"
    folder = tmp_path / "class" / "submitted" / "ann" / NAME
    folder.mkdir(parents=True)
    (folder / f"{NAME}.ipynb").write_bytes(notebook("ann"))
    (folder / "timestamp.txt").write_bytes(stamp)
    assert by_student(collect(course, tmp_path / "class"))["ann"].what == "new"
    assert submitted(course)[f"ann/{NAME}/timestamp.txt"] == stamp
    exchange = tmp_path / "inbound" / f"bob+{NAME}+2026-02-02 15:58:23.948203 UTC+abc"
    exchange.mkdir(parents=True)
    (exchange / f"{NAME}.ipynb").write_bytes(notebook("bob"))
    row = by_student(collect(course, tmp_path / "inbound"))["bob"]
    assert row.submitted_at == datetime(2026, 2, 2, 15, 58, 23, 948203, UTC)


def git(folder: Path, *arguments: str) -> None:
    who = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    when = {"GIT_AUTHOR_DATE": "2026-03-01T10:00:00+02:00", "GIT_COMMITTER_DATE": "2026-03-01T10:00:00+02:00"}
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env={**os.environ, **who, **when})


def test_a_folder_of_repositories_and_what_their_settings_would_run(course: Course, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    for student in ("ann", "bob"):
        repository = tmp_path / "repos" / f"{NAME}-{student}"
        (repository / "assignments" / NAME).mkdir(parents=True)
        (repository / "assignments" / NAME / f"{NAME}.ipynb").write_bytes(notebook(student))
        git(repository, "init", "-q")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "done")
        for setting, value in (("log.showSignature", "true"), ("gpg.program", f"touch {trap};"),
                               ("core.pager", f"touch {trap}"), ("core.fsmonitor", f"touch {trap}")):  # fmt: skip
            git(repository, "config", setting, value)
    rows = by_student(collect(course, tmp_path / "repos"))
    assert {name: row.submitted_at for name, row in rows.items()} == dict.fromkeys(
        ("ann", "bob"), datetime(2026, 3, 1, 8, tzinfo=UTC))  # fmt: skip
    assert submitted(course)[f"bob/{NAME}/{NAME}.ipynb"] == notebook("bob")
    assert not trap.exists()


def test_loose_notebooks_by_content_whatever_they_are_called(course: Course, tmp_path: Path) -> None:
    folder = tmp_path / "loose"
    folder.mkdir()
    bare = json.loads(notebook("no metadata"))
    for cell in bare["cells"]:
        cell["metadata"] = {}
    (folder / f"ann_{NAME} (1).ipynb").write_bytes(notebook("ann"))
    (folder / "bob.ipynb.json").write_bytes(notebook("bob"))
    (folder / "cleo.txt").write_bytes(notebook("cleo"))
    (folder / "dan.ipynb").write_text(json.dumps(bare), encoding="utf-8")
    (folder / "eve.ipynb").write_bytes(notebook("eve")[:15_000])
    (folder / "fay.ipynb").write_bytes(b"<html>not found</html>")
    (folder / "notes.txt").write_text("to do")
    rows = by_student(collect(course, folder))
    placed = {name for name, row in rows.items() if row.what == "new"}
    assert placed == {"ann", "bob", "cleo", "dan", "eve", "fay"}
    assert rows["fay"].look and "not recognised by its content" in rows["fay"].odd
    assert all("no time known" in row.odd for row in rows.values() if row.what == "new")


def test_a_second_download_keeps_what_was_there(course: Course, tmp_path: Path) -> None:
    def take(mark: str, day: int) -> Row:
        stamped = tmp_path / f"{mark}{day}" / "ann" / NAME
        stamped.mkdir(parents=True)
        (stamped / f"{NAME}.ipynb").write_bytes(notebook(mark))
        (stamped / "timestamp.txt").write_text(f"2026-03-{day:02} 12:00:00 UTC")
        return by_student(collect(course, tmp_path / f"{mark}{day}"))["ann"]

    assert take("first", 5).what == "new"
    again = take("first", 7)
    assert again.what == "unchanged" and again.submitted_at == datetime(2026, 3, 5, 12, tzinfo=UTC)
    assert "the first time counts" in " ".join(again.odd)
    assert take("earlier", 4).what == "older, left alone"
    assert take("second", 9).what == "replaced"
    files = submitted(course)
    assert files[f"ann/{NAME}/{NAME}.ipynb"] == notebook("second")
    assert files[f".earlier/ann/{NAME}/1/{NAME}.ipynb"] == notebook("first")
    assert [hand_in.student for hand_in in find_hand_ins(course.root / "submitted", NAME)] == ["ann"]


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def test_unsafe_entries_are_refused_one_by_one(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_BYTES", 2**20)
    inner = zipped(tmp_path / "inner.zip", [("../out.txt", b"x"), (f"{NAME}.ipynb", notebook("inner"))])
    download = zipped(tmp_path / "d.zip", [
        (f"ann/{NAME}.ipynb", notebook("ann")), ("../escaped.txt", b"x"), ("/absolute.txt", b"x"),
        ("..\\backslash.txt", b"x"), ("../d-evil/x.txt", b"x"), (link("ann/tests"), b"../../source"),
        ("ann/zeros.bin", b"\0" * 2**21), ("C:/windows.txt", b"x"), ("bob/work.zip", inner.read_bytes()),
    ])  # fmt: skip
    before = sorted(path for path in tmp_path.rglob("*") if course.root not in path.parents)
    rows = collect(course, download)
    refused = {row.file: row.odd[0] for row in rows if row.what == "refused"}
    assert set(refused) == {
        "../escaped.txt", "/absolute.txt", "..\\backslash.txt", "../d-evil/x.txt", "ann/tests", "ann/zeros.bin",
        "C:/windows.txt", "bob/work.zip/../out.txt",
    }  # fmt: skip
    assert "link" in refused["ann/tests"] and "large" in refused["ann/zeros.bin"]
    assert set(submitted(course)) == {f"ann/{NAME}/{NAME}.ipynb", f"bob/{NAME}/{NAME}.ipynb"}
    assert sorted(path for path in tmp_path.rglob("*") if course.root not in path.parents) == before


def test_an_entry_that_lies_about_its_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "bomb.zip", [("ann/a.ipynb", b"\0" * 2**21), ("bob/b.ipynb", notebook())])
    data = path.read_bytes()
    path.write_bytes(data.replace((2**21).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    monkeypatch.setattr(tree, "MAX_BYTES", 2**20)
    read = tree.read_tree(path)
    lies = next(item for item in read.items if item.name == "a.ipynb")
    with contextlib.suppress(tree.Refused):
        assert len(lies.read()) <= 10
    assert next(item for item in read.items if item.name == "b.ipynb").read() == notebook()


def test_a_damaged_entry_is_passed_over_and_the_rest_taken_in(course: Course, tmp_path: Path) -> None:
    path = zipped(tmp_path / "d.zip", [
        (f"ann/{NAME}/timestamp.txt", b"2026-03-01 12:00:00 UTC" * 4), (f"ann/{NAME}/{NAME}.ipynb", notebook("ann")),
        (f"bob/{NAME}/{NAME}.ipynb", notebook("bob")),
    ])  # fmt: skip
    data = bytearray(path.read_bytes())
    data[30 + len(f"ann/{NAME}/timestamp.txt") + 3] ^= 0xFF  # in the first entry's compressed bytes
    path.write_bytes(data)
    rows = by_student(collect(course, path))
    assert {name: row.what for name, row in rows.items()} == {"ann": "new", "bob": "new"}
    assert f"ann/{NAME}/timestamp.txt" not in submitted(course) and rows["ann"].submitted_at is None


def test_links_in_folders_are_not_followed(course: Course, tmp_path: Path) -> None:
    folder = tmp_path / "loose"
    (folder / "ann").mkdir(parents=True)
    (folder / "ann" / f"{NAME}.ipynb").symlink_to(ROOT / "source" / NAME / f"{NAME}.ipynb")
    (folder / "up").symlink_to(ROOT)
    rows = collect(course, folder)
    assert {row.what for row in rows} == {"refused"} and len(rows) == 2
    assert not (course.root / "submitted").exists()


def test_ids_cannot_leave_the_folder(course: Course, tmp_path: Path) -> None:
    metadata = ("submission_1:\n  :submitters:\n  - :name: x\n    :sid: ../../../evil\n"
                "submission_2:\n  :submitters:\n  - :name: y\n    :sid: ..\n")  # fmt: skip
    download = zipped(tmp_path / "gs.zip", [
        ("e/submission_metadata.yml", metadata.encode()), ("e/submission_1/a.ipynb", notebook()),
        ("e/submission_2/a.ipynb", notebook("2")),
    ])  # fmt: skip
    collect(course, download)
    assert sorted(path.name for path in (course.root / "submitted").iterdir()) == ["_.._.._evil", "nameless"]


def test_the_command_prints_a_table_and_says_what_to_look_at(course: Course, tmp_path: Path) -> None:
    download = zipped(tmp_path / "m.zip", [
        (moodle_entry(f"[red]Ann[/red]_1_assignsubmission_file_/{NAME}.ipynb", 2026, 3, 1, 12, 0, 0), notebook()),
        ("../x.txt", b"x"),
    ])  # fmt: skip
    command = [sys.executable, "-m", "autograder", "collect", str(download), "--zone", "America/New_York"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "220"}
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1, done.stderr
    assert "2026-03-01 12:00:00 -0500" in done.stdout and "[red]Ann[/red]" in done.stdout
    assert "1 taken in, 1 to look at." in done.stdout
    command[4] = "nothing.zip"
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
