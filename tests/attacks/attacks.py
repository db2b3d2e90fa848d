"""Read the attacks: `cells/<family>.py` holds one notebook cell each, `files.py` what is wrong with a file itself.

A cell starts with `# %% ID words | what it does`, and is handed in as the answer to `softmax`, with all other tasks
blank. The words: `quick` (part of every test run), `last` (it comes last in the notebook, so that what it prints is
kept: BREACH where it got through), `says=WORD` (the same, and it must have printed that, so it ran), `hidden` (what
it carries out is marked CARRIED), `page` (its text must come out harmless), `cellmagic` (nothing may stand before it),
`rest=SAMPLE` (the other tasks are answered as there), `least=N` and `most=N` (what it may earn: 0 where nothing is
said).
"""

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORDS = {"quick", "hidden", "page", "cellmagic", "last", "says", "rest", "least", "most"}
_MARK = re.compile(r"^# %% (.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """Hold one attack; `source` is None where the file is the attack."""

    id: str
    about: str
    source: str | None
    quick: bool = False
    bare: bool = False
    last: bool = False
    says: str = ""
    rest: str | None = None
    least: float = 0.0
    most: float = 0.0


def cell_attacks() -> list[Attack]:
    """Return the attacks that are cells, family by family."""
    found = []
    for path in sorted((HERE / "cells").glob("*.py")):
        _, *pieces = _MARK.split(path.read_text())
        for head, source in zip(pieces[::2], pieces[1::2], strict=True):
            words, _, about = head.partition(" | ")
            found.append(_attack(words.split(), about, source.rstrip("\n")))
    return found


def _attack(words: list[str], about: str, source: str) -> Attack:
    name, *flags = words
    values = dict(flag.split("=", 1) for flag in flags if "=" in flag)
    unknown = {flag.partition("=")[0] for flag in flags} - WORDS
    if unknown:
        raise ValueError(f"attack {name}: {unknown}")
    return Attack(
        name, about, source, quick="quick" in flags, bare="cellmagic" in flags,
        last="last" in flags or "says" in values, says=values.get("says", ""), rest=values.get("rest"),
        least=float(values.get("least", 0)), most=float(values.get("most", 0)),
    )  # fmt: skip


PRELUDE = '''
import os, sys
CANARY, COURSE, REPORTS, GRADER = {known!r}
TASKS = ("softmax", "attend", "project", "add_plural_slot", "weights_by_identity", "attend_all", "cross_attend",
         "check_attend")

def attempt(what):
    try:
        got = what()
    except BaseException as error:
        print("refused", type(error).__name__)
    else:
        print("refused") if got is None else print("BREACH", got)

def everywhere(function):
    globals().update(dict.fromkeys(TASKS, function))

def the_channel():
    import gc
    return next(o.sock for o in gc.get_objects() if type(o).__name__ == "Worker" and hasattr(o, "sock"))

def pack(tree):
    import msgpack
    return msgpack.packb(tree)

def raw_reply(header, blob=b""):
    import struct
    return lambda *args, **kwargs: the_channel().sendall(struct.pack("<II", len(header), len(blob)) + header + blob)
'''
