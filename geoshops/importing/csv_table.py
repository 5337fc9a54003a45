"""CSV with any delimiter as a table."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator
from typing import TextIO

from geoshops.importing.opening import InputFile
from geoshops.importing.refusal import ImportRefused
from geoshops.importing.tables import CHUNK_ROWS, LONGEST_RECORD, Chunk, Rejected

DELIMITERS = ",\t;|"


class CsvTable:
    """The header gives the columns; every later record with as many values is a row."""

    def __init__(self, file: InputFile, delimiter: str | None = None) -> None:
        self.file = file
        self._position = 0
        csv.field_size_limit(LONGEST_RECORD)
        with file.open() as stream:
            self.delimiter = delimiter or _likely_delimiter(stream)
        records = self._records()
        self.columns = [name.strip() for name in next(records, (0, [], ""))[1]]
        records.close()
        if not any(self.columns):
            raise ImportRefused(f"{file.path} has no header line")

    def chunks(self) -> Iterator[Chunk]:
        """Rows from the line after the header on; blank lines are no rows."""
        chunk, width = Chunk(), len(self.columns)
        records = self._records()
        next(records)
        for line, row, error in records:
            if error:
                chunk.rejected.append(Rejected(line, error, row))
            elif len(row) == width:
                chunk.lines.append(line)
                chunk.rows.append(row)
            elif row:
                reason = f"the row has {len(row)} values, the header {width}"
                chunk.rejected.append(Rejected(line, reason, row))
            if len(chunk) >= CHUNK_ROWS:
                chunk.bytes_read = self._position
                yield chunk
                chunk = Chunk()
        chunk.bytes_read = self.file.size_bytes
        yield chunk

    def _records(self) -> Generator[tuple[int, list[str], str]]:
        """Line of the beginning, values, and what is wrong with the quoting (then the text as one value)."""
        with self.file.open() as stream:
            recent: list[str] = []
            reader = csv.reader(_lines(stream, recent), delimiter=self.delimiter, strict=True)
            while True:
                line = reader.line_num + 1
                recent.clear()
                try:
                    row = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield line, ["".join(recent)], f"not readable as CSV: {error}"
                except UnicodeDecodeError as error:
                    raise ImportRefused(
                        f"{self.file.path}, line {line} or after: not {self.file.encoding} "
                        f"({error.reason}); name the encoding by --encoding"
                    ) from error
                else:
                    yield line, row, ""
                if not line % CHUNK_ROWS:
                    self._position = stream.buffer.tell()


def _lines(stream: TextIO, recent: list[str]) -> Iterator[str]:
    length = 0
    while line := stream.readline(LONGEST_RECORD + 1):
        length = length + len(line) if recent else len(line)
        if length > LONGEST_RECORD:
            raise ImportRefused(
                f"a record is longer than {LONGEST_RECORD >> 20} MiB: is a quote missing, "
                "or is this not CSV?"
            )
        recent.append(line)
        yield line


def _likely_delimiter(stream: TextIO) -> str:
    """The one that the header holds most often outside quotes; a comma when it holds none."""
    try:
        header = stream.readline(LONGEST_RECORD)
    except UnicodeDecodeError as error:
        raise ImportRefused(f"the header is not {stream.encoding} ({error.reason})") from error
    outside = "".join(header.split('"')[::2])
    return max(DELIMITERS, key=outside.count)
