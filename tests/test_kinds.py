"""More kinds of hand-ins, made here: one notebook bent in many ways, graded in one batch through the sandbox."""

import copy
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Course
from autograder.grading.batch import grade_batch
from autograder.intake import find_hand_ins
from autograder.report import Record
from autograder.sandbox.levels import choose
from autograder.sandbox.workers import Limits

CASES = Path(__file__).parent / "cases"
NAME = "attention"
HONEST = json.loads((CASES / "honest.ipynb").read_text(encoding="utf-8"))
BLANK = json.loads((CASES / "course" / "assignments" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
SOFTMAX, ATTEND, CHECK = 3, 6, 7  # places of cells in the notebook
WRONG = "def attend(query, keys, values):\n    return 1, 2\n"

Notebook = dict[str, Any]


def source(notebook: Notebook, place: int) -> str:
    return "".join(notebook["cells"][place]["source"])


def code(text: str, **marks: Any) -> Notebook:
    metadata = {"nbgrader": marks} if marks else {}
    return {"cell_type": "code", "metadata": metadata, "source": text, "outputs": [], "execution_count": None}


def edited(*edits: Callable[[Notebook], object]) -> bytes:
    notebook = copy.deepcopy(HONEST)
    for edit in edits:
        edit(notebook)
    return json.dumps(notebook).encode()


def insert(place: int, *texts: str, **marks: Any) -> Callable[[Notebook], object]:
    def edit(notebook: Notebook) -> None:
        notebook["cells"][place:place] = [code(text, **marks) for text in texts]

    return edit


def write(place: int, text: str) -> Callable[[Notebook], object]:
    return lambda notebook: notebook["cells"][place].update(source=text)


def change(place: int, old: str, new: str) -> Callable[[Notebook], object]:
    def edit(notebook: Notebook) -> None:
        text = source(notebook, place)
        assert old in text
        notebook["cells"][place]["source"] = text.replace(old, new)

    return edit


def add(place: int, text: str) -> Callable[[Notebook], object]:
    return lambda notebook: notebook["cells"][place].update(source=source(notebook, place) + "\n" + text)


def drop(*places: int) -> Callable[[Notebook], object]:
    def edit(notebook: Notebook) -> None:
        notebook["cells"] = [cell for place, cell in enumerate(notebook["cells"]) if place not in places]

    return edit


def move(place: int, to: int) -> Callable[[Notebook], object]:
    return lambda notebook: notebook["cells"].insert(to, notebook["cells"].pop(place))


def each_cell(edit: Callable[[Notebook], object]) -> Callable[[Notebook], object]:
    return lambda notebook: [edit(cell) for cell in notebook["cells"]]


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


@dataclass(frozen=True)
class Kind:
    """Say what is handed in, and what must come of it."""

    data: bytes
    softmax: float | None = 2
    attend: float | None = 3
    codes: tuple[str, ...] = ()
    status: str = "graded"
    says: str = ""
    file: str = f"{NAME}.ipynb"
    beside: dict[str, bytes] | None = None


ANSWER = source(HONEST, ATTEND)
STUB = source(BLANK, ATTEND)
EXTRA = code("def attend(query, keys, values):\n    return None\n")
OTHER = ANSWER.replace("np.sqrt(keys.shape[-1])", "1.0")
MARKS = {"grade_id": "attend-answer", "solution": True, "grade": False, "locked": False}
HONEST_BYTES = json.dumps(HONEST).encode()

KINDS = {
    # The file
    "bom": Kind(b"\xef\xbb\xbf" + HONEST_BYTES),
    "utf-16": Kind(json.dumps(HONEST).encode("utf-16"), codes=("encoding",)),
    "latin-1": Kind(json.dumps(HONEST | {"x": "é"}, ensure_ascii=False).encode("latin-1"), codes=("encoding",)),
    "indented-crlf": Kind(json.dumps(HONEST, indent=1).replace("\n", "\r\n").encode()),
    "two-documents": Kind(HONEST_BYTES * 2, codes=("format_repaired",), status="needs review"),
    "nul-at-the-end": Kind(HONEST_BYTES + b"\0" * 4096),
    "conflict-in-outputs": Kind(
        json.dumps(HONEST, indent=1)
        .replace(' "nbformat": 4,', '<<<<<<< HEAD\n "x": 1,\n=======\n "x": 2,\n>>>>>>> other\n "nbformat": 4,')
        .encode(),
        codes=("merge_conflict",),
    ),
    "no-metadata-at-all": Kind(edited(lambda n: n.pop("metadata")), codes=()),
    "no-optional-keys": Kind(
        edited(each_cell(lambda c: [c.pop(k, None) for k in ("outputs", "execution_count", "id")]))
    ),
    "bad-outputs": Kind(edited(each_cell(lambda c: c.update(outputs=[None, 3, {"output_type": 5}, []])))),
    "old-format": Kind(
        json.dumps(
            {
                "nbformat": 3,
                "nbformat_minor": 0,
                "metadata": {"name": ""},
                "worksheets": [
                    {
                        "cells": [
                            {**cell, "input": cell["source"], "language": "python", "prompt_number": 1}
                            for cell in HONEST["cells"]
                        ]
                    }
                ],
            }
        ).encode(),
        codes=("format_older",),
    ),
    "no-cells": Kind(
        json.dumps({**HONEST, "cells": []}).encode(), 0, 0, ("locked_cell_missing", "words_missing"), "needs review"
    ),
    "blank": Kind(json.dumps(BLANK).encode(), 0, 0, ("blank",)),
    "blank-beside-the-work": Kind(
        json.dumps(BLANK).encode(),
        0,
        0,
        ("blank", "other_notebooks"),
        "needs review",
        "may be in another file",
        beside={"attention-Copy1.ipynb": HONEST_BYTES},
    ),
    "another-notebook": Kind(
        json.dumps({"nbformat": 4, "cells": [code("print('week 2')", grade_id="other", locked=True)]}).encode(),
        0,
        0,
        ("wrong_notebook",),
        "needs review",
        "is it another one?",
    ),
    "forty-megabytes": Kind(
        edited(
            lambda n: n["cells"][CHECK].update(
                outputs=[{"output_type": "display_data", "data": {"image/png": "A" * 1_000_000}}] * 40
            )
        )
    ),
    "a-folder-called-like-the-file": Kind(HONEST_BYTES, file="attention.ipynb/attention.ipynb"),
    "language-of-another-kernel": Kind(
        edited(lambda n: n.update(metadata={"language_info": {"name": "julia"}})),
        codes=("other_language",),
        status="needs review",
    ),
    "misspelt": Kind(
        edited(change(ATTEND, "def attend(", "def Attend_(")),
        attend=0,
        codes=("misspelt_name",),
        says="No cell defines `attend`, but cell 7 defines `Attend_`",
    ),
    "large-outputs": Kind(
        edited(
            lambda n: n["cells"][CHECK].update(
                outputs=[{"output_type": "stream", "name": "stdout", "text": "x" * 3_000_000}]
            )
        )
    ),
    "python-script": Kind(b"def softmax(x):\n    pass\n", None, None, ("not_a_notebook",), "unreadable"),
    "zip-called-ipynb": Kind(zipped(**{"attention.ipynb": HONEST_BYTES}), codes=("from_archive",)),
    # Names and places
    "zip-with-a-folder": Kind(
        zipped(**{"me/attention.ipynb": HONEST_BYTES, "__MACOSX/._attention.ipynb": b"x"}),
        codes=("from_archive",),
        file="me.zip",
    ),
    "zip-in-a-zip": Kind(
        zipped(**{"in.zip": zipped(**{"attention.ipynb": HONEST_BYTES})}), codes=("from_archive",), file="out.zip"
    ),
    "zip-of-nothing": Kind(
        zipped(**{"readme.txt": b"hi"}), None, None, ("not_a_notebook",), "unreadable", file="a.zip"
    ),
    "zip-damaged": Kind(
        zipped(**{"attention.ipynb": HONEST_BYTES})[:900], None, None, ("damaged_file",), "unreadable", file="a.zip"
    ),
    "upper-case": Kind(HONEST_BYTES, codes=("renamed",), file="ATTENTION.IPYNB"),
    "no-suffix": Kind(HONEST_BYTES, codes=("renamed",), file="attention"),
    "json-suffix": Kind(HONEST_BYTES, codes=("renamed",), file="attention.json"),
    "suffix-then-number": Kind(HONEST_BYTES, codes=("renamed",), file="attention.ipynb (1)"),
    "deep-folder": Kind(HONEST_BYTES, file="work/week 1/attention.ipynb"),
    "scratch-beside": Kind(
        HONEST_BYTES,
        codes=("several_notebooks",),
        status="needs review",
        file="attention (2).ipynb",
        beside={"aa scratch.ipynb": json.dumps({"cells": [EXTRA]}).encode()},
    ),
    "web-export": Kind(
        b"<html></html>", None, None, ("no_notebook",), "not graded", "attention.html", "attention.html"
    ),
    # Marks and other tools
    "marks-lost": Kind(
        edited(each_cell(lambda c: c.update(metadata={}))),
        codes=("metadata_lost", "words_missing"),
        status="needs review",
    ),
    "colab": Kind(
        edited(
            lambda n: n.update(
                metadata={"colab": {"provenance": []}, "kernelspec": {"name": "python3"}}, nbformat_minor=0
            ),
            each_cell(
                lambda c: c["metadata"].update(id="x", outputId="y", colab={"base_uri": "https://example.invalid"})
            ),
            insert(1, "from google.colab import drive\ndrive.mount('/content/drive')\n"),
        ),
        codes=("missing_package",),
    ),
    "kaggle": Kind(
        edited(
            each_cell(lambda c: c["metadata"].update(_uuid="x", _cell_guid="y", trusted=True, execution={"a": 1})),
            insert(1, "import os\nfor folder, _, files in os.walk('/kaggle/input'):\n    print(folder)\n"),
        )
    ),
    "conda-kernel": Kind(
        edited(lambda n: n["metadata"]["kernelspec"].update(name="conda-env-ml-py")), codes=("kernel_overridden",)
    ),
    "r-kernel": Kind(
        edited(lambda n: n["metadata"].update(kernelspec={"name": "ir", "language": "R"})),
        codes=("other_language",),
        status="needs review",
    ),
    # Answers
    "copy-stale-last": Kind(
        edited(insert(ATTEND + 1, STUB, **MARKS)),
        attend=0,
        codes=("duplicated_cell", "two_definitions"),
        status="needs review",
        says="would earn 3",
    ),
    "two-different": Kind(
        edited(insert(ATTEND + 1, OTHER, **MARKS)),
        attend=0,
        codes=("two_definitions",),
        status="needs review",
        says="0 of 3 points; the one before would earn 3",
    ),
    "redefined-below": Kind(
        edited(insert(9, WRONG)),
        attend=0,
        codes=("two_definitions", "answer_elsewhere"),
        status="needs review",
        says="in cell 7 and, differently, in cell 10",
    ),
    "tried-above": Kind(edited(insert(ATTEND, WRONG))),
    "name-overwritten": Kind(
        edited(insert(9, "attend = attend(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)))")),
        attend=0,
        codes=("two_definitions",),
        status="needs review",
        says="would earn 3",
    ),
    "wrapped": Kind(
        edited(insert(9, "def quiet(f):\n    return lambda *a: f(*a)\nattend = quiet(attend)\n")),
        codes=("answer_elsewhere",),
    ),
    "typed-above-the-stub": Kind(edited(write(ATTEND, STUB), insert(ATTEND, ANSWER)), codes=("answer_elsewhere",)),
    "answer-cell-deleted": Kind(edited(drop(ATTEND), insert(ATTEND, ANSWER)), codes=("answer_elsewhere",)),
    "in-the-check": Kind(
        edited(write(ATTEND, STUB), write(CHECK, ANSWER)), codes=("locked_cell_changed", "answer_elsewhere")
    ),
    "in-the-set-up": Kind(
        edited(write(ATTEND, STUB), add(1, ANSWER)), codes=("locked_cell_changed", "answer_elsewhere")
    ),
    "split-in-two": Kind(
        edited(
            write(ATTEND, "def _scores(q, k):\n    return q @ k.T / np.sqrt(k.shape[-1])\n"),
            insert(
                ATTEND + 1,
                "def attend(query, keys, values):\n    w = softmax(_scores(query, keys))\n    return w @ values, w\n",
            ),
        ),
        codes=("answer_elsewhere",),
    ),
    "all-in-one-cell": Kind(edited(drop(ATTEND, CHECK), add(SOFTMAX, ANSWER)), codes=("answer_elsewhere",)),
    "moved-to-the-end": Kind(edited(move(SOFTMAX, 9))),
    "set-up-deleted": Kind(edited(drop(1)), codes=("locked_cell_missing",)),
    "set-up-with-an-import": Kind(
        edited(add(1, "import math"), change(ATTEND, "np.sqrt", "math.sqrt")), codes=("locked_cell_changed",)
    ),
    "markdown-and-no-marks": Kind(
        edited(lambda n: n["cells"][ATTEND].update(cell_type="markdown", metadata={})),
        codes=("cell_type_changed", "answer_elsewhere"),
    ),
    "grade-id-changed": Kind(
        edited(lambda n: n["cells"][ATTEND]["metadata"]["nbgrader"].update(grade_id="x")), codes=("answer_elsewhere",)
    ),
    "points-changed": Kind(edited(lambda n: n["cells"][CHECK]["metadata"]["nbgrader"].update(points=99))),
    "timed": Kind(edited(lambda n: write(ATTEND, "%%time\n" + ANSWER)(n))),
    "nul-in-the-answer": Kind(edited(add(ATTEND, "# \0")), codes=("odd_characters",)),
    "tabs": Kind(edited(write(ATTEND, ANSWER.replace("    ", "\t")))),
    "class-instance": Kind(
        edited(
            write(
                ATTEND,
                "class A:\n"
                + "".join(
                    f"    {line}\n" for line in ANSWER.replace("attend(query", "__call__(self, query").splitlines()
                )
                + "attend = A()\n",
            )
        )
    ),
    # Running
    "exit": Kind(
        edited(add(SOFTMAX, "exit()"), insert(5, "import sys\nsys.exit(0)"), insert(6, "quit()")),
        codes=("cell_stopped",),
    ),
    "os-exit": Kind(edited(add(SOFTMAX, "import os\nos._exit(0)")), codes=("cell_stopped",), says="Cell 4 was stopped"),
    "hangs-under-the-answer": Kind(
        edited(add(ATTEND, "while True:\n    pass")), codes=("cell_stopped",), says="Cell 7 was stopped"
    ),
    "closes-everything": Kind(edited(insert(5, "import os\nos.closerange(3, 64)")), codes=("cell_stopped",)),
    "no-output": Kind(edited(insert(5, "import sys\nsys.stdout = sys.stderr = None"), insert(6, "print(1)"))),
    "memory": Kind(edited(insert(5, "x = np.ones((200_000, 200_000))")), codes=("cell_stopped",)),
    "recursion": Kind(edited(insert(5, "def f(n):\n    return f(n + 1)\nf(0)")), codes=("cell_stopped",)),
    "threads": Kind(
        edited(
            insert(
                5,
                "import threading, time\nfor _ in range(3):\n"
                "    threading.Thread(target=lambda: time.sleep(99)).start()",
            )
        )
    ),
    "reset": Kind(edited(insert(9, "%reset -f"))),
    "shell": Kind(
        edited(
            insert(5, "!pip install numpy\n%pip install tqdm\nfiles = !ls\nprint(files)"),
            insert(6, "%%bash\nrm -rf /\n"),
        ),
        codes=("skipped_command",),
        says="!pip install numpy",
    ),
    "plots-with-the-imports": Kind(
        edited(
            drop(1),
            insert(1, "import numpy as np, matplotlib.pyplot as plt\n%matplotlib inline\nfrom math import sqrt\n"),
            change(ATTEND, "np.sqrt", "sqrt"),
            insert(9, "plt.plot([1, 2])"),
        ),
        codes=("missing_package",),
        says="The package matplotlib is not installed here (cell 2)",
    ),
    "odd-magics": Kind(
        edited(
            insert(
                1,
                "%load_ext autoreload\n%autoreload 2\n%nonsense x\n"
                "%config InlineBackend.figure_format = 'retina'\nwidth = 4\n",
            ),
            insert(9, "width"),
        )
    ),
    "widgets": Kind(
        edited(
            insert(1, "from tqdm.notebook import tqdm\nimport ipywidgets\nfrom math import e\n"),
            insert(9, "for i in tqdm(range(3)):\n    pass"),
        ),
        codes=("missing_package",),
    ),
    "strict-modes": Kind(
        edited(
            write(
                SOFTMAX,
                "def softmax(x):\n    x = np.asarray(x, float)\n    e = np.exp(x - x.max(-1, keepdims=True))\n"
                "    return e / e.sum(-1, keepdims=True)\n",
            ),
            insert(9, "np.seterr(all='raise')\nimport warnings\nwarnings.simplefilter('error')\nnp.random.seed(0)"),
        )
    ),
    "other-order": Kind(
        edited(insert(2, "print(later)"), insert(9, "later = 3")),
        codes=("cell_stopped", "stale_state"),
        says="`later` is used in cell 3, but defined only in cell 10",
    ),
    "deleted-helper": Kind(
        edited(
            change(ATTEND, "softmax(scores)", "rows(scores)"), lambda n: n["cells"][CHECK].update(execution_count=9)
        ),
        attend=0,
        codes=("stale_state",),
        says="cell 8 once ran without an error",
    ),
    "hidden-sum": Kind(
        edited(
            change(SOFTMAX, "np.sum(e, axis=-1, keepdims=True)", "np.array([[sum(r)] for r in e])"),
            insert(9, "sum = 0\nnp = 3"),
        ),
        softmax=0,
        attend=0,
        codes=("hidden_name",),
        says="Cell 10 gives `np` and `sum` another meaning",
    ),
    "data-and-modules": Kind(
        edited(
            insert(
                2,
                "from tools import half\nassert half(4) == 2 and open('data/x.csv').read() == '1,2'\n"
                "import os\nos.chdir('/')\n",
            ),
        ),
        beside={"tools.py": b"def half(n):\n    return n // 2\n", "data/x.csv": b"1,2"},
    ),
    "own-numpy-file": Kind(HONEST_BYTES, beside={"numpy.py": b"raise SystemExit", "wire.py": b"x ="}),
}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    folder = tmp_path_factory.mktemp("kinds")
    for name, kind in KINDS.items():
        for file, data in {kind.file: kind.data, **(kind.beside or {})}.items():
            path = folder / "submitted" / name / NAME / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    assignment = Course.find(CASES / "course").assignment(NAME)
    hand_ins = find_hand_ins(folder / "submitted", NAME)
    limits = Limits(cell_seconds=3, call_seconds=2, submission_seconds=60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_SECRET", "kinds")
        graded = grade_batch(assignment, hand_ins, folder / "reports", limits, choose())
    return {record.student: record for record in graded}


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_of_hand_in(records: dict[str, Record], name: str) -> None:
    kind, record = KINDS[name], records[name]
    scores = {task.name: task.score for task in record.tasks}
    codes = {finding.code for finding in record.findings}
    said = " ".join(finding.sentence for finding in record.findings)
    got = (record.status, scores["softmax-test"], scores["attend-test"])
    assert got == (kind.status, kind.softmax, kind.attend), (said, record.output_tail)
    assert set(kind.codes) <= codes and (kind.codes or not codes), said
    assert kind.says in said
