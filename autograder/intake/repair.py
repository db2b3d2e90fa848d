"""Put a hand-in's cells in order by the release: locked cells as released, answers found wherever they are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.course import Assignment, ReleasedCell
from autograder.intake.code import Definition, bound_names, definition, may_define, parse
from autograder.intake.notebook import Cell, Findings, Rival, listed
from autograder.intake.remarks import look_at_code


def repair(cells: Sequence[Cell], assignment: Assignment, findings: Findings) -> tuple[list[Cell], list[Rival]]:
    """Return the cells to run, and the definitions that could be meant as well as those that the run leaves."""
    released = assignment.released_cells()
    _look_for_work(cells, assignment.name, released, findings)
    cells = _recognised(cells, released, findings)
    _look_for_copies(cells, findings)
    answers = _answers(released)
    cells = _code_again(cells, released, answers, findings)
    cells = _without_nul(cells, answers, findings)
    look_at_code(_students_own(cells, released), findings)
    cells, rivals = _settle_answers(cells, answers, released, findings)
    cells = _with_locked(cells, [cell for cell in released if cell.locked], released, findings)
    _look_for_words(cells, released, findings)
    return cells, rivals


def same_text(left: str, right: str) -> bool:
    """Tell whether two texts differ only in blanks at the ends of lines, or before and after."""
    return left == right or _plain_lines(left) == _plain_lines(right)


def _plain_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _answers(released: Sequence[ReleasedCell]) -> dict[str, ReleasedCell]:
    """Return {name that students define: its answer cell}."""
    return {name: cell for cell in released if cell.role == "answer" for name in bound_names(cell.source)}


def _look_for_work(
    cells: Sequence[Cell], assignment: str, released: Sequence[ReleasedCell], findings: Findings
) -> None:
    """Remark on a notebook of something else, and on one that came back as it was released."""
    names = _answers(released)
    texts = {tuple(_plain_lines(cell.source)) for cell in released}
    own = [cell for cell in cells if tuple(_plain_lines(cell.source)) not in texts]
    words = {cell.grade_id for cell in released if cell.role == "words"}
    if not names or any(cell.grade_id in words or may_define(cell.source, name) for cell in own for name in names):
        return
    if not any(cell.grade_id == each.grade_id for cell in cells for each in released):
        sentence = f"The notebook holds no cell and no answer of {assignment}: is it another one?"
        findings.note("wrong_notebook", sentence, "Ask for the right file.", review=True)
    else:
        others = any(finding.code in ("other_notebooks", "several_notebooks") for finding in findings)
        where = " The work may be in another file of the folder." if others else ""
        findings.note("blank", f"No answer has been filled in.{where}", review=others)


def _recognised(cells: Sequence[Cell], released: Sequence[ReleasedCell], findings: Findings) -> list[Cell]:
    """Give cells that lost their marks the id of the locked cell that they are, or of the answer that they hold."""
    ids = {cell.grade_id for cell in released}
    elsewhere = any(finding.code == "wrong_notebook" for finding in findings)
    lost = bool(ids) and not elsewhere and all(cell.grade_id not in ids for cell in cells)
    if lost:
        sentence = "The notebook has lost the marks of its cells, as some tools do; answers were found by name."
        findings.note("metadata_lost", sentence)
    texts = {tuple(_plain_lines(cell.source)): cell.grade_id for cell in released if cell.locked}
    answers = {name: cell.grade_id for name, cell in _answers(released).items()} if lost else {}
    return [_with_id(cell, texts, answers) for cell in cells]


def _with_id(cell: Cell, texts: dict[tuple[str, ...], str], answers: dict[str, str]) -> Cell:
    if cell.grade_id is not None or cell.kind != "code":
        return cell
    grade_id = texts.get(tuple(_plain_lines(cell.source)))
    if grade_id is None and answers:
        grade_id = next((answers[name] for name in sorted(bound_names(cell.source) & answers.keys())), None)
    return replace(cell, grade_id=grade_id)


def _look_for_copies(cells: Sequence[Cell], findings: Findings) -> None:
    places: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.grade_id is not None:
            places.setdefault(cell.grade_id, []).append(cell)
    for grade_id, copies in places.items():
        if len(copies) > 1:
            where = ", ".join(str(copy.position) for copy in copies)
            texts = "the same text" if len({copy.source for copy in copies}) == 1 else "different texts"
            sentence = f"The cell {grade_id} is there {len(copies)} times (cells {where}), with {texts}."
            remedy = "The notebook was run from top to bottom, so the last copy counts."
            findings.note("duplicated_cell", sentence, remedy, cell=copies[-1].position)


def _code_again(
    cells: Sequence[Cell], released: Sequence[ReleasedCell], answers: dict[str, ReleasedCell], findings: Findings
) -> list[Cell]:
    """Treat an answer that became text as code: what bears its mark, or defines what no code cell does."""
    marked = {cell.grade_id: cell for cell in released if cell.role == "answer"}
    code = [cell.source for cell in cells if cell.kind == "code"]
    return [_code_if_answer(cell, marked.get(cell.grade_id or ""), code, answers, findings) for cell in cells]


def _code_if_answer(
    cell: Cell, released: ReleasedCell | None, code: Sequence[str], answers: dict[str, ReleasedCell], findings: Findings
) -> Cell:
    if cell.kind == "code" or (released is not None and same_text(cell.source, released.source)):
        return cell
    if released is not None:
        wanted = bool(bound_names(cell.source)) and released.code
    else:
        wanted = any(_only_here(name, cell, code) for name in answers if may_define(cell.source, name))
    if not wanted:
        return cell
    named = f" ({cell.grade_id})" if cell.grade_id else ""
    sentence = f"Cell {cell.position}{named} was turned into {cell.kind} text, but holds an answer in code."
    remedy = "It was graded as code. In Jupyter, press Y in the cell to turn it back."
    findings.note("cell_type_changed", sentence, remedy, cell=cell.position)
    return replace(cell, kind="code")


def _only_here(name: str, cell: Cell, code: Sequence[str]) -> bool:
    """Tell whether a text cell defines `name` and no code cell does more than promise it."""
    here = definition(cell.source, name)
    others = (definition(source, name) for source in code)
    return here is not None and not here.stub and all(other is None or other.stub for other in others)


def _without_nul(cells: Sequence[Cell], answers: dict[str, ReleasedCell], findings: Findings) -> list[Cell]:
    """Take NUL characters out of answers; any other cell that holds one stops, as it does in Jupyter."""
    return [_mended(cell, answers, findings) if "\0" in cell.source else cell for cell in cells]


def _mended(cell: Cell, answers: dict[str, ReleasedCell], findings: Findings) -> Cell:
    mended = cell.source.replace("\0", "")
    answer = any(definition(mended, name) for name in answers)
    end = "it was taken out" if answer else "so Python cannot run it"
    sentence = f"Cell {cell.position} holds a NUL character, {end}."
    findings.note("odd_characters", sentence, "Delete the character, or type the cell again.", cell=cell.position)
    return replace(cell, source=mended) if answer else cell


def _settle_answers(
    cells: list[Cell], answers: dict[str, ReleasedCell], released: Sequence[ReleasedCell], findings: Findings
) -> tuple[list[Cell], list[Rival]]:
    """Find each answer by name; leave out an empty stub that would undo one; list definitions that compete."""
    own = _students_own(cells, released)
    rivals: list[Rival] = []
    elsewhere: dict[int, list[str]] = {}
    for name, answer in answers.items():
        found = _definitions(name, answer, own)
        idle = _idle_ends(found, answer)
        cells = [replace(cell, kind="raw") if cell.position in idle else cell for cell in cells]
        found = [(cell, defined) for cell, defined in found if cell.position not in idle]
        if found and found[-1][0].grade_id != answer.grade_id:
            elsewhere.setdefault(found[-1][0].position, []).append(name)
        rivals += _rivals(name, answer, found)
    for position, names in elsewhere.items():
        called = listed(f"`{name}`" for name in names)
        was, home = ("were", "cells of their own") if len(names) > 1 else ("was", "a cell of its own")
        sentence = f"{called} {was} found in cell {position}, not in {home}, and graded there."
        findings.note("answer_elsewhere", sentence, cell=position)
    return cells, rivals


Found = list[tuple[Cell, Definition]]


def _definitions(name: str, answer: ReleasedCell, cells: Sequence[Cell]) -> Found:
    """List the cells that define `name`; the usual hand-in, with one in its own cell, needs no closer look."""
    likely = [cell for cell in cells if may_define(cell.source, name)]
    if [cell.grade_id for cell in likely] == [answer.grade_id]:
        return []
    found = [(cell, definition(cell.source, name)) for cell in likely]
    return [(cell, _stub_if_released(defined, cell, answer)) for cell, defined in found if defined is not None]


def _students_own(cells: Sequence[Cell], released: Sequence[ReleasedCell]) -> list[Cell]:
    """Return the code cells that are not a locked cell as released."""
    texts = {cell.grade_id: cell.source for cell in released if cell.locked}
    return [
        cell for cell in cells
        if cell.kind == "code" and not (cell.grade_id in texts and same_text(texts[cell.grade_id], cell.source))
    ]  # fmt: skip


def _stub_if_released(defined: Definition, cell: Cell, answer: ReleasedCell) -> Definition:
    return replace(defined, stub=defined.stub or same_text(cell.source, answer.source))


def _idle_ends(found: Found, answer: ReleasedCell) -> set[int]:
    """Return the places of stubs at the end that would undo an answer typed into an unmarked cell above them."""
    work = [cell for cell, defined in found if not defined.stub]
    if not work or any(cell.grade_id == answer.grade_id for cell in work):
        return set()
    after = found[found.index(next(pair for pair in reversed(found) if not pair[1].stub)) + 1 :]
    return {cell.position for cell, _ in after}


def _rivals(name: str, answer: ReleasedCell, found: Found) -> Iterator[Rival]:
    """Yield the definition that could be meant as well as the last one, if there is one."""
    if len(found) < 2:
        return
    last, kept = found[-1]
    own = last.grade_id == answer.grade_id
    for place in range(len(found) - 2, -1, -1):
        cell, defined = found[place]
        if defined.stub or defined.text == kept.text or (own and cell.grade_id != answer.grade_id):
            continue
        without = frozenset(each.position for each, _ in found[place + 1 :])
        for task in answer.tasks[:1]:
            yield Rival(task, name, cell.position, last.position, without, doubtful=kept.wraps)
        return


def _with_locked(
    cells: Sequence[Cell], locked: Sequence[ReleasedCell], released: Sequence[ReleasedCell], findings: Findings
) -> list[Cell]:
    """Give every locked cell the text of the release, and put back those that are missing.

    What a student wrote into a locked cell still runs, just before it: an answer may be in there.
    """
    texts = {cell.grade_id: cell for cell in locked}
    numbers = iter(range(0, -len(cells) - len(locked) - 1, -1))
    restored: list[Cell] = []
    missing: list[str] = []
    for cell in cells:
        original = texts.get(cell.grade_id or "")
        restored += [cell] if original is None else _restored(cell, original, numbers, findings)
    for original in locked:
        if all(cell.grade_id != original.grade_id for cell in restored):
            missing.append(original.grade_id)
            place = _place(restored, original, released)
            restored.insert(place, Cell(next(numbers), "code", original.source, original.grade_id))
    if missing:
        what = f"The locked cell{'s' if len(missing) > 1 else ''} {listed(missing)}"
        were = "were missing and have" if len(missing) > 1 else "was missing and has"
        findings.note("locked_cell_missing", f"{what} {were} been put back; the points are as always.")
    return restored


def _restored(cell: Cell, original: ReleasedCell, numbers: Iterator[int], findings: Findings) -> list[Cell]:
    if same_text(cell.source, original.source):
        if cell.kind != "code":
            sentence = f"Cell {cell.position} ({cell.grade_id}) was turned into {cell.kind} text; it was turned back."
            findings.note("cell_type_changed", sentence, cell=cell.position)
        return [replace(cell, kind="code", source=original.source)]
    sentence = f"Cell {cell.position} ({cell.grade_id}) is locked but was changed; the original was used."
    findings.note("locked_cell_changed", sentence, cell=cell.position)
    if cell.kind != "code" or parse(cell.source) is None:
        return [replace(cell, kind="code", source=original.source)]
    back = Cell(next(numbers), "code", original.source, cell.grade_id)
    return [replace(cell, grade_id=None), back]


def _place(cells: Sequence[Cell], missing: ReleasedCell, released: Sequence[ReleasedCell]) -> int:
    """Return the place after the nearest released cell before it or, without one, before the first code cell."""
    before = released[: [cell.grade_id for cell in released].index(missing.grade_id)]
    for earlier in reversed(before):
        places = [place for place, cell in enumerate(cells) if cell.grade_id == earlier.grade_id]
        if places:
            return places[-1] + 1
    kinds = [cell.kind for cell in cells]
    return kinds.index("code") if "code" in kinds else len(cells)


def _look_for_words(cells: Sequence[Cell], released: Sequence[ReleasedCell], findings: Findings) -> None:
    """Ask a person to look where an answer in words has no cell of its own any more."""
    ids = {cell.grade_id for cell in cells}
    for cell in released:
        if cell.role == "words" and cell.grade_id not in ids:
            sentence = f"The answer in words {cell.grade_id} has no cell of its own in the file."
            findings.note("words_missing", sentence, "Look for it in the notebook.", review=True)
