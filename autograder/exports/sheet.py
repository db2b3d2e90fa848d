"""Fill single cells of a CSV file that somebody else made; all other bytes stay as they are."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.errors import AutograderError

DELIMITERS = ",;\t"
WITH_COMMA = re.compile(r"\s*-?\d+,\d+\s*")
WITH_POINT = re.compile(r"\s*-?\d+\.\d+\s*")


@dataclass(frozen=True)
class Field:
    """Hold one cell: its value, and where its text with any quotes lies in the file."""

    value: str
    start: int
    end: int
    quoted: bool


@dataclass
class Sheet:
    """Hold a CSV file as it came, and what is to be put into it."""

    text: str
    delimiter: str
    rows: list[list[Field]]
    mark: bytes = b""
    _new: dict[int, tuple[int, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, data: bytes) -> "Sheet":
        """Read UTF-8 with or without a byte order mark; the first line says what separates cells."""
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        try:
            text = data[len(mark) :].decode("utf-8")
        except UnicodeDecodeError:
            raise AutograderError("The downloaded file is not UTF-8.", "Take it as it was downloaded.") from None
        first = re.sub(r'"[^"]*"', "", re.split(r"[\r\n]", text, maxsplit=1)[0])
        delimiter = max(DELIMITERS, key=first.count)
        rows = list(_rows(text, delimiter))
        if not rows:
            raise AutograderError("The downloaded file is empty.", "Download it again.")
        return cls(text, delimiter, rows, mark)

    @property
    def header(self) -> list[str]:
        """Return the names of the columns."""
        return [cell.value.strip() for cell in self.rows[0]]

    def column(self, *names: str) -> int | None:
        """Return the place of the first of these columns that is there, whatever its capitals."""
        have = [name.casefold() for name in self.header]
        return next((have.index(name.casefold()) for name in names if name.casefold() in have), None)

    def value(self, row: int, column: int | None) -> str:
        """Return a cell's text, nothing where the row is too short."""
        there = column is not None and column < len(self.rows[row])
        return self.rows[row][column].value.strip() if there and column is not None else ""

    def put(self, row: int, column: int, value: str) -> None:
        """Put a value into a cell, quoted as the cell was, or where it has to be."""
        cell = self.rows[row][column]
        if cell.value.strip() != value:
            must = any(character in value for character in f'{self.delimiter}"\r\n')
            text = f'"{value.replace(chr(34), chr(34) * 2)}"' if cell.quoted or must else value
            self._new[cell.start] = (cell.end, text)

    def number(self, points: float) -> str:
        """Return the points with the file's own decimal mark, five places at most."""
        text = f"{points:.5f}".rstrip("0").rstrip(".")
        return text.replace(".", ",") if self._decimal_comma() else text

    def bytes(self) -> bytes:
        """Return the filled file."""
        parts, position = [], 0
        for start, (end, text) in sorted(self._new.items()):
            parts += [self.text[position:start], text]
            position = end
        return self.mark + "".join([*parts, self.text[position:]]).encode("utf-8", "replace")

    def _decimal_comma(self) -> bool:
        values = [cell.value for row in self.rows[1:] for cell in row]
        if any(WITH_COMMA.fullmatch(value) for value in values):
            return not any(WITH_POINT.fullmatch(value) for value in values)
        return self.delimiter == ";" and not any(WITH_POINT.fullmatch(value) for value in values)


def parse_number(text: str) -> float | None:
    """Return a number written with either decimal mark, None where there is none."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _rows(text: str, delimiter: str) -> Iterator[list[Field]]:
    """Yield the rows; blank lines are none."""
    position = 0
    while position < len(text):
        row, position = _row(text, position, delimiter)
        if len(row) > 1 or row[0].value:
            yield row


def _row(text: str, position: int, delimiter: str) -> tuple[list[Field], int]:
    """Return the row at `position`, and where the next one starts."""
    row = []
    while True:
        row.append(_field(text, position, delimiter))
        position = row[-1].end
        if position >= len(text):
            return row, position
        if text[position] != delimiter:
            return row, position + (2 if text.startswith("\r\n", position) else 1)
        position += 1


def _field(text: str, start: int, delimiter: str) -> Field:
    ends = re.compile(rf"[{re.escape(delimiter)}\r\n]|\Z")
    if not text.startswith('"', start):
        found = ends.search(text, start)
        end = found.start() if found else len(text)
        return Field(text[start:end], start, end, False)
    close = re.compile(r'"((?:[^"]|"")*)"').match(text, start)
    if close is None:
        line = text.count("\n", 0, start) + 1
        raise AutograderError(
            f"Line {line} of the downloaded file has a quote that does not end.", "Download it again."
        )
    found = ends.search(text, close.end())
    end = found.start() if found else len(text)
    return Field(close[1].replace('""', '"') + text[close.end() : end], start, end, True)
