"""Attacks that are files: each function writes what is handed in to a student's folder, given the released notebook."""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attacks import Attack

NAME = "02-attend.ipynb"
Notebook = dict[str, Any]
WRITERS: dict[str, Callable[[Path, Notebook], None]] = {}
ATTACKS: list[Attack] = []


def attack(name: str, about: str, quick: bool = False) -> Callable[..., Callable[[Path, Notebook], None]]:
    def keep(writer: Callable[[Path, Notebook], None]) -> Callable[[Path, Notebook], None]:
        WRITERS[name] = writer
        ATTACKS.append(Attack(name, about, None, quick=quick))
        return writer

    return keep


def code(source: Any) -> Notebook:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def write(folder: Path, notebook: Any) -> None:
    (folder / NAME).write_text(json.dumps(notebook))


for number, content in enumerate([b"", b"not json", b"{", b"\x80\x04\x95", b"[" * 1000, b"null"]):

    @attack(f"N1-{number}", f"no notebook: {content[:10]!r}", quick=number == 2)
    def no_notebook(folder: Path, notebook: Notebook, content: bytes = content) -> None:
        (folder / NAME).write_bytes(content)


@attack("N1t", "a notebook that breaks off")
def truncated(folder: Path, notebook: Notebook) -> None:
    text = json.dumps(notebook)
    (folder / NAME).write_text(text[: len(text) // 2])


@attack("N2", "200 MB of stored outputs")
def large(folder: Path, notebook: Notebook) -> None:
    with open(folder / NAME, "wb") as file:
        file.write(b'{"cells": [], "x": "')
        file.truncate(200 << 20)


@attack("N2b", "stored outputs that show full marks")
def stored(folder: Path, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            data = {"text/plain": "14.0", "text/html": "<script>alert(1)</script>"}
            cell["outputs"] = [{"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}]
    write(folder, notebook)


@attack("N3", "nesting 100,000 deep", quick=True)
def nested(folder: Path, notebook: Notebook) -> None:
    (folder / NAME).write_text('{"cells": ' + "[" * 100_000 + "]" * 100_000 + "}")


@attack("N3b", "many values: a million empty lists")
def wide(folder: Path, notebook: Notebook) -> None:
    (folder / NAME).write_text('{"cells": [], "metadata": [' + "[]," * 3_000_000 + "0]}")


@attack("N5", "duplicate and missing ids")
def doubled(folder: Path, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["id"] = "same"
    notebook["cells"] += copy.deepcopy(notebook["cells"][::2])
    del notebook["cells"][3]["id"]
    write(folder, notebook)


@attack("N6", "100,000 cells")
def many(folder: Path, notebook: Notebook) -> None:
    write(folder, {**notebook, "cells": [code("1")] * 100_000})


@attack("N7a", "source as a list of numbers", quick=True)
def numbers(folder: Path, notebook: Notebook) -> None:
    notebook["cells"].append(code([1, 2, 3]))
    write(folder, notebook)


@attack("N7b", "cells as strings and a list at top level")
def strings(folder: Path, notebook: Notebook) -> None:
    write(folder, ["cells", *notebook["cells"]])


@attack("N7c", "cells of every wrong kind")
def wrong(folder: Path, notebook: Notebook) -> None:
    notebook["cells"] = [None, "x", 1, [], {}, {"cell_type": 7, "source": {}}, *notebook["cells"]]
    notebook["cells"][-1]["metadata"] = "none"
    write(folder, notebook)


@attack("N8", "marks raised and tests unlocked in the metadata")
def marks(folder: Path, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        for key in ("points", "grade", "locked", "solution"):
            if "nbgrader" in cell["metadata"]:
                cell["metadata"]["nbgrader"][key] = 1000
    notebook["cells"][1]["metadata"]["nbgrader"]["grade_id"] = "../../../etc/passwd"
    write(folder, notebook)


@attack("N9", "visible checks and set-up replaced by what always passes", quick=True)
def replaced(folder: Path, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = "def visible(f): return 14.0\ncall = numbers = near = need = bars = lambda *a, **k: True"
    write(folder, notebook)


@attack("N18a", "a link in place of the notebook", quick=True)
def link(folder: Path, notebook: Notebook) -> None:
    (folder / NAME).symlink_to("/etc/passwd")


@attack("N18b", "a pipe in place of the notebook")
def pipe(folder: Path, notebook: Notebook) -> None:
    os.mkfifo(folder / NAME)


@attack("N18c", "names with newlines, brackets and escapes")
def names(folder: Path, notebook: Notebook) -> None:
    for name in ("a\n[bold]::error::x.ipynb", "\x1b[2J.ipynb", "[red]x.ipynb"):
        (folder / name).write_text(json.dumps(notebook))


@attack("N18d", "a folder in place of the notebook")
def directory(folder: Path, notebook: Notebook) -> None:
    (folder / NAME).mkdir()


@attack("N18e", "files beside the notebook that pytest or Python would load")
def beside(folder: Path, notebook: Notebook) -> None:
    for name in ("conftest.py", "sitecustomize.py", "numpy.py", "test_softmax.py", "pytest.ini"):
        (folder / name).write_text("import os; os._exit(0)")
    write(folder, notebook)


@attack("R15", "many cells, each just within its limit")
def patient(folder: Path, notebook: Notebook) -> None:
    notebook["cells"] += [code("import time; time.sleep(1.5)")] * 100
    write(folder, notebook)


@attack("R15b", "many cells that each hang")
def hanging(folder: Path, notebook: Notebook) -> None:
    notebook["cells"] += [code("while True: pass")] * 100
    write(folder, notebook)
