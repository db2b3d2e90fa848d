"""Take the notebook out of a zip archive, in memory: nothing is unpacked, so nothing can land anywhere."""

import io
import re
import stat
import zipfile
import zlib
from pathlib import PurePosixPath

from autograder.intake.files import MAX_BYTES, MAX_FOLDER_ENTRIES, SKIPPED_FOLDERS, SUFFIXES, Unreadable, too_large
from autograder.intake.notebook import Findings

REMEDY = "Hand in the notebook itself."


def notebook_in_archive(
    data: bytes, name: str, assignment: str, findings: Findings, depth: int = 0
) -> tuple[str, bytes]:
    """Return (name, content) of the notebook in a zip archive, or raise Unreadable with the reason."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _refuse_unsafe(members, name)
            member = _pick(members, name, assignment, findings)
            content = _content(archive, member)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, ValueError, EOFError) as error:
        raise Unreadable(f"{name} is a zip archive that cannot be opened: {error}.", REMEDY) from None
    if member.filename.lower().endswith(".zip"):
        if depth:
            raise Unreadable(f"{name} holds archives in archives in archives.", REMEDY)
        return notebook_in_archive(content, _last(member), assignment, findings, depth + 1)
    findings.note("from_archive", f"The notebook {_last(member)} was taken out of the archive {name}.")
    return _last(member), content


def _refuse_unsafe(members: list[zipfile.ZipInfo], name: str) -> None:
    if len(members) > MAX_FOLDER_ENTRIES:
        raise Unreadable(f"{name} holds {len(members)} files, too many for a hand-in.", REMEDY, code="unsafe_archive")
    unsafe = [member.filename for member in members if _leads_out(member) or stat.S_ISLNK(member.external_attr >> 16)]
    if unsafe:
        what = f"{name} holds files that point outside its folder, or links: {', '.join(unsafe)[:500]}."
        raise Unreadable(f"{what} It was not opened.", REMEDY, code="unsafe_archive")


def _leads_out(member: zipfile.ZipInfo) -> bool:
    written = member.orig_filename.replace("\\", "/")
    return written.startswith("/") or bool(re.match(r"[A-Za-z]:", written)) or ".." in written.split("/")


def _pick(members: list[zipfile.ZipInfo], name: str, assignment: str, findings: Findings) -> zipfile.ZipInfo:
    seen = [member for member in members if not member.is_dir() and not _hidden(member)]
    notebooks = [member for member in seen if _last(member).lower().endswith(SUFFIXES)]
    if not notebooks:
        archives = [member for member in seen if member.filename.lower().endswith(".zip")]
        if len(archives) == 1:
            return archives[0]
        raise Unreadable(f"{name} is a zip archive without a notebook.", REMEDY, code="not_a_notebook")
    exact = [member for member in notebooks if _last(member).casefold() == f"{assignment}.ipynb".casefold()]
    chosen = (exact or notebooks)[0]
    if len(exact or notebooks) > 1:
        others = ", ".join(member.filename for member in notebooks if member is not chosen)
        sentence = f"The archive {name} holds several notebooks; {chosen.filename} was graded, not {others}."
        findings.note("several_notebooks", sentence, "Hand in the right one by itself.", review=True)
    return chosen


def _hidden(member: zipfile.ZipInfo) -> bool:
    return any(part[0] == "." or part in SKIPPED_FOLDERS for part in PurePosixPath(member.filename).parts)


def _last(member: zipfile.ZipInfo) -> str:
    return PurePosixPath(member.filename).name


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise too_large(_last(member), max(member.file_size, len(content)), MAX_BYTES)
    return content
