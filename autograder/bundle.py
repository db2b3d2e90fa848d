"""Put what grades one assignment into one file, for machines that grade without the course's repository."""

import hashlib
import io
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from autograder import __version__
from autograder.course import CONFIG, Assignment, Course
from autograder.errors import AutograderError

MANIFEST = "bundle.json"
SECRET_FILE = ".autograder-secret"
MAX_BYTES = 64 * 2**20  # all files of a bundle
MAX_FILES = 1_000
PUBLISHED = ("assignments", "source", "feedback", "exchange")  # what lies in these reaches students
LONG_AGO = (1980, 1, 1, 0, 0, 0)
MAKE_ANEW = "Make it anew where the course lies: autograder bundle ASSIGNMENT"


def _inside(name: str) -> str:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or any(character in name for character in "\\:\0"):
        raise ValueError(f"the name {name!r} points outside the bundle")
    return name


class Manifest(BaseModel):
    """Say what a bundle holds and what made it; `files` gives the SHA-256 of each file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    assignment: str
    package_version: str
    grader_version: str
    environment: dict[str, str]
    files: dict[Annotated[str, AfterValidator(_inside)], str]


def write_bundle(course: Course, assignment: Assignment, path: Path) -> str:
    """Write the assignment's bundle for the owner alone, and return its SHA-256.

    Equal material gives equal bytes. An AutograderError refuses a place from which it could reach students.
    """
    path = path.resolve()
    _refuse_public_place(course.root, path)
    data = _archive(assignment)
    handle, name = tempfile.mkstemp(prefix=".bundle-", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    return hashlib.sha256(data).hexdigest()


@contextmanager
def open_bundle(path: Path, sha256: str | None = None) -> Iterator[tuple[Course, Manifest]]:
    """Unpack a bundle into a private folder and give it as a course; the folder is gone afterwards.

    An AutograderError says when the bundle is damaged, not the one of that `sha256`, or of another version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AutograderError(f"The bundle {path} cannot be read: {error.strerror}.", MAKE_ANEW) from None
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256.strip().lower():
        raise AutograderError(f"The bundle {path} is not the one of the SHA-256 that was given.", MAKE_ANEW)
    manifest, files = _read(path, data)
    with tempfile.TemporaryDirectory(prefix="autograder-bundle-") as folder:
        root = Path(folder).resolve()
        for name, content in {**files, MANIFEST: manifest.model_dump_json().encode()}.items():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield Course(root), manifest


def _archive(assignment: Assignment) -> bytes:
    from autograder.grading.batch import grader_version, trusted_environment

    files = _files(assignment)
    manifest = Manifest(
        assignment=assignment.name,
        package_version=__version__,
        grader_version=grader_version(assignment),
        environment=trusted_environment(),
        files={name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in [(MANIFEST, manifest.model_dump_json(indent=1).encode()), *sorted(files.items())]:
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.create_system, entry.external_attr = 3, 0o100600 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def _files(assignment: Assignment) -> dict[str, bytes]:
    """Return what grading reads, by its place in the course."""
    from autograder.grading.batch import ANSWERS
    from autograder.grading.seeds import course_secret
    from autograder.intake import companions

    root, release = assignment.root, assignment.release
    graders = [path for path in assignment.graders.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    paths = [root / CONFIG, assignment.source, release, *(path for path in graders if path.name != ANSWERS)]
    beside = release.parent.relative_to(root)
    return {
        **{str(PurePosixPath(path.relative_to(root))): path.read_bytes() for path in paths},
        **{f"{PurePosixPath(beside)}/{name}": content for name, content in companions(release.parent).items()},
        SECRET_FILE: course_secret(root),
    }


def _read(path: Path, data: bytes) -> tuple[Manifest, dict[str, bytes]]:
    """Return the manifest and the files, each checked against it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_FILES or sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise AutograderError(f"The bundle {path} is larger than a bundle can be.", MAKE_ANEW)
            files = {entry.filename: archive.read(entry) for entry in entries}
        manifest = _manifest(path, files.pop(MANIFEST))
    except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
        raise AutograderError(f"{path} is no bundle, or a damaged one ({error}).", MAKE_ANEW) from None
    wrong = [name for name in {*files, *manifest.files} if manifest.files.get(name) != _hash(files.get(name))]
    if wrong or len(files) + 1 != len(entries):
        named = ", ".join(sorted(wrong)[:3]) or "a name that it holds twice"
        raise AutograderError(f"The bundle {path} is damaged or was changed: {named}.", MAKE_ANEW)
    return manifest, files


def _hash(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def _manifest(path: Path, text: bytes) -> Manifest:
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise AutograderError(
            f"The bundle {path} is damaged or of another version ({where}: {first['msg']}).", MAKE_ANEW
        ) from None
    if manifest.package_version.split(".")[0] != __version__.split(".")[0]:
        raise AutograderError(
            f"The bundle {path} was made by version {manifest.package_version}, and this is {__version__}.",
            f"Install qkv-autograder {manifest.package_version}, or make the bundle anew with this version.",
        )
    return manifest


def _refuse_public_place(root: Path, path: Path) -> None:
    """Refuse a repository that is not the course's own or does not ignore the file, and folders that are published."""
    remedy = "Name a file outside every repository with -o, or one that the course's own .gitignore lists."
    for published in (root / name for name in PUBLISHED):
        if path.is_relative_to(published):
            raise AutograderError(f"{path} would reach students: {published} is for them to see.", remedy)
    for folder in path.parents:
        if (folder / "assignments").is_dir() and not (folder / "source").is_dir():
            raise AutograderError(f"{folder} is a folder of students: it has assignments/ and no source/.", remedy)
        if (folder / ".git").exists():
            if root.is_relative_to(folder) and _is_ignored(folder, path):
                return
            raise AutograderError(
                f"{path} lies in the repository {folder}: a bundle holds answers, graders and the seed key.", remedy
            )


def _is_ignored(repository: Path, path: Path) -> bool:
    """Ask git, in the course's own repository, whether it leaves the file out."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(repository), "check-ignore", "-q", str(path)]
    try:
        return subprocess.run(command, env=environment, capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False
