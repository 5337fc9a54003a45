"""CSV with any delimiter as a table."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator
from typing import TextIO

from geoshops.importing.errors import ImportRejected
from geoshops.importing.opening import InputFile
from geoshops.importing.tables import CHUNK_ROWS, LONGEST_RECORD, Chunk, Rejected

DELIMITERS = ",\t;|"


class CsvTable:
    """A CSV file: the header names the columns; each later record with the same number of values is a row."""

    def __init__(self, file: InputFile, delimiter: str = "") -> None:
        self.file = file
        csv.field_size_limit(LONGEST_RECORD)
        with file.open() as stream:
            self.delimiter = delimiter or _likely_delimiter(stream)
            stream.seek(0)
            self.columns = [name.strip() for name in self._header(_Lines(stream, file))]
        if not any(self.columns):
            raise ImportRejected(f"{file.path} has no header line")

    def chunks(self) -> Iterator[Chunk]:
        """The rows after the header; blank lines are skipped."""
        with self.file.open() as stream:
            lines = _Lines(stream, self.file)
            self._header(lines)
            while block := lines.block():
                chunk = Chunk()
                rows = self._one_a_line(block)
                if rows is not None:
                    self._take(chunk, lines.number - len(block), rows)
                else:
                    end = lines.number
                    lines.put_back(block)
                    for line, row, error in self._one_by_one(lines, end):
                        self._take(chunk, line, [row], error)
                chunk.bytes_read = stream.buffer.tell()
                yield chunk

    def _header(self, lines: _Lines) -> list[str]:
        return next(self._one_by_one(lines, 2), (0, [""], ""))[1]

    def _one_a_line(self, block: list[str]) -> list[list[str]] | None:
        """Parses a block whose records are one line each in a single call, for speed; None if a record spans lines."""
        try:
            rows = [*csv.reader(block, delimiter=self.delimiter, strict=True)]
        except csv.Error:
            return None
        return rows if len(rows) == len(block) else None

    def _take(self, chunk: Chunk, first: int, rows: list[list[str]], error: str = "") -> None:
        width = len(self.columns)
        if not error and {*map(len, rows)} == {width}:
            chunk.lines += range(first, first + len(rows))
            chunk.rows += rows
            return
        for line, row in enumerate(rows, first):
            if error or (row and len(row) != width):
                reason = error or f"the row has {len(row)} values, the header {width}"
                chunk.rejected.append(Rejected(line, reason, row))
            elif row:
                chunk.lines.append(line)
                chunk.rows.append(row)

    def _one_by_one(self, lines: _Lines, end: int) -> Generator[tuple[int, list[str], str]]:
        """Parses records that begin before line `end` one by one: line, values, and an error, for which the text is the only value."""
        recent: list[str] = []
        reader = csv.reader(lines.of_a_record(recent), delimiter=self.delimiter, strict=True)
        while lines.number < end:
            line = lines.number
            recent.clear()
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, ["".join(recent)], f"invalid CSV: {error}"
            else:
                yield line, row, ""


class _Lines:
    """The lines of a file, in blocks or one by one; `number` is that of the next line."""

    def __init__(self, stream: TextIO, file: InputFile) -> None:
        self.number = 1
        self._stream = stream
        self._file = file
        self._before: list[str] = []

    def block(self) -> list[str]:
        """The next lines; empty at the end."""
        readline, taken, size = self._stream.readline, list[str](), 0
        try:
            while (
                len(taken) < CHUNK_ROWS
                and size < LONGEST_RECORD
                and (line := readline(LONGEST_RECORD + 1))
            ):
                taken.append(line)
                size += len(line)
        except UnicodeDecodeError as error:
            raise self._not_text(self.number + len(taken), error) from error
        _check_length(max(map(len, taken), default=0))
        self.number += len(taken)
        return taken

    def put_back(self, block: list[str]) -> None:
        """Returns lines to the front of the stream."""
        self._before = block[::-1]
        self.number -= len(block)

    def of_a_record(self, recent: list[str]) -> Iterator[str]:
        """Yields lines and appends them to `recent`, which the caller clears at the start of each record."""
        length = 0
        while line := self._next():
            length = length + len(line) if recent else len(line)
            _check_length(length)
            recent.append(line)
            yield line

    def _next(self) -> str:
        try:
            line = self._before.pop() if self._before else self._stream.readline(LONGEST_RECORD + 1)
        except UnicodeDecodeError as error:
            raise self._not_text(self.number, error) from error
        self.number += bool(line)
        return line

    def _not_text(self, number: int, error: UnicodeDecodeError) -> ImportRejected:
        return ImportRejected(
            f"{self._file.path}, line {number} or after: not {self._file.encoding} "
            f"({error.reason}); specify the encoding with --encoding"
        )


def _check_length(length: int) -> None:
    if length > LONGEST_RECORD:
        raise ImportRejected(
            f"a record is longer than {LONGEST_RECORD >> 20} MiB: is a quote missing, "
            "or is this not CSV?"
        )


def _likely_delimiter(stream: TextIO) -> str:
    """The delimiter most frequent in the header outside quotes; a comma if there is none."""
    try:
        header = stream.readline(LONGEST_RECORD)
    except UnicodeDecodeError as error:
        raise ImportRejected(f"the header is not {stream.encoding} ({error.reason})") from error
    outside = "".join(header.split('"')[::2])
    return max(DELIMITERS, key=outside.count)
