"""The common interface of file formats: named columns, and rows of text in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

CHUNK_ROWS = 5_000
LONGEST_RECORD = 16 << 20


@dataclass(frozen=True)
class Rejected:
    """A rejected row: the line where it begins, the reason, and its values as in the file."""

    line: int
    reason: str
    row: Sequence[str]


@dataclass
class Chunk:
    """Some rows, each with a value for every column, and the rows that could not be parsed."""

    lines: list[int] = field(default_factory=list)
    rows: list[Sequence[str]] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    bytes_read: int = 0

    def __len__(self) -> int:
        return len(self.rows) + len(self.rejected)


class Table(Protocol):
    """A file as a table; each call of `chunks` reads the file from the start."""

    columns: list[str]

    def chunks(self) -> Iterator[Chunk]:
        """All rows, from the start of the file."""
