"""The bundle: made, refused where students look, checked, and grading as the course does."""

import hashlib
import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from ci_course import ROOT, autograder, build_class, make_bundle

STUDENTS = ("cleo-einsum", "lea-blends-keys", "vito-html")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    everybody = build_class(tmp_path_factory.mktemp("class"))
    few = tmp_path_factory.mktemp("few")
    for student in STUDENTS:
        shutil.copytree(everybody / student, few / student)
    return few


def records(folder: Path) -> dict[str, object]:
    found = {}
    for path in (folder / "reports/02-attend/records").glob("*.json"):
        record = json.loads(path.read_text())
        del record["graded_at"], record["seconds"]
        found[record["student"]] = record
    return found


def test_a_bundle_gives_the_record_that_the_course_gives(bundle: Path, submitted: Path, tmp_path: Path) -> None:
    at_course, alone = tmp_path / "course", tmp_path / "alone"
    alone.mkdir()
    by_course = autograder(
        "grade", "02-attend", "--submitted", submitted, "--reports", at_course / "reports",
        "--db", f"sqlite:///{tmp_path}/course.db", cwd=ROOT, AUTOGRADER_SECRET="tests",
    )  # fmt: skip
    # another secret in the environment must not count: the bundle brings the course's own
    by_bundle = autograder("grade", "--submitted", submitted, cwd=alone, AUTOGRADER_SECRET="another",
                           AUTOGRADER_BUNDLE=str(bundle))  # fmt: skip
    assert by_course.returncode == by_bundle.returncode == 1, by_course.stderr + by_bundle.stderr
    assert by_bundle.stderr.strip() == ""
    assert set(records(alone)) == set(STUDENTS)
    assert records(alone) == records(at_course)
    assert (alone / "gradebook.db").is_file()


def test_equal_material_gives_equal_bytes_for_the_owner_alone(bundle: Path, tmp_path: Path) -> None:
    again = make_bundle(tmp_path)
    assert again.read_bytes() == bundle.read_bytes()
    assert again.stat().st_mode & 0o077 == 0


def test_a_bundle_holds_what_grades_and_says_so(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("bundle.json"))
        held = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
        assert archive.read(".autograder-secret") == b"tests"
    del held["bundle.json"]
    assert manifest["files"] == held
    assert {"source/02-attend/02-attend.ipynb", "assignments/02-attend/02-attend.ipynb",
            "autograder/graders/02-attend/misconceptions.py"} <= set(held)  # fmt: skip
    assert not any(name.endswith("answers.py") for name in held)
    assert manifest["grader_version"] and manifest["environment"]["numpy"]


def changed(bundle: Path, to: Path, name: str, content: bytes) -> Path:
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(to, "w") as new:
        for entry in old.namelist():
            new.writestr(entry, content if entry == name else old.read(entry))
        if name not in old.namelist():
            new.writestr(name, content)
    return to


def manifest_with(bundle: Path, **fields: object) -> bytes:
    with zipfile.ZipFile(bundle) as archive:
        return json.dumps({**json.loads(archive.read("bundle.json")), **fields}).encode()


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("autograder/graders/02-attend/test_softmax.py", None, "test_softmax.py"),
        ("extra.py", None, "extra.py"),
        ("../outside.py", None, "outside.py"),
        ("bundle.json", {"schema_version": 2}, "version"),
        ("bundle.json", {"package_version": "99.0.0"}, "99.0.0"),
        ("bundle.json", {"files": {"../../outside.py": "0"}}, "points outside"),
    ],
)
def test_a_changed_bundle_or_another_version_is_refused(
    bundle: Path, submitted: Path, tmp_path: Path, name: str, fields: dict[str, object] | None, said: str
) -> None:
    content = b"pass\n" if fields is None else manifest_with(bundle, **fields)
    bad = changed(bundle, tmp_path / "bad.bundle", name, content)
    done = autograder("grade", "--bundle", bad, "--submitted", submitted, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "reports").exists()


def test_a_bundle_that_is_not_the_expected_one_is_refused(bundle: Path, tmp_path: Path) -> None:
    done = autograder("grade", "--bundle", bundle, cwd=tmp_path, AUTOGRADER_BUNDLE_SHA256="0" * 64)
    assert done.returncode == 2 and "SHA-256" in done.stderr


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that is a repository of its own."""
    folder = tmp_path_factory.mktemp("course")
    for part in ("source", "assignments", "autograder/graders"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    (folder / ".gitignore").write_text("*.bundle\n")
    git(folder, "init")
    return folder


@pytest.mark.parametrize("place", ["student/a.bundle", "student/deep/a.bundle", "released/a.bundle",
                                   "released/assignments/a.bundle"])  # fmt: skip
def test_a_bundle_is_refused_where_a_student_would_have_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "student/deep").mkdir(parents=True)
    git(tmp_path / "student", "init")
    (tmp_path / "student/.gitignore").write_text("*.bundle\n")  # not the course's own repository: no help
    (tmp_path / "released/assignments").mkdir(parents=True)
    done = autograder("bundle", "02-attend", "-o", tmp_path / place, cwd=ROOT)
    assert done.returncode == 2 and "-o" in done.stderr
    assert not (tmp_path / place).exists()


@pytest.mark.parametrize(("place", "code"), [("02.bundle", 0), ("02.zip", 2), ("assignments/02.bundle", 2),
                                             ("source/02-attend/02.bundle", 2)])  # fmt: skip
def test_in_the_course_a_bundle_lies_where_git_ignores_it(course: Path, place: str, code: int) -> None:
    done = autograder("bundle", "02-attend", "-o", course / place, cwd=course)
    assert (done.returncode, (course / place).exists()) == (code, code == 0), done.stderr
