"""What every format is read as: named columns, and rows of text in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

CHUNK_ROWS = 5_000
LONGEST_RECORD = 16 << 20


@dataclass(frozen=True)
class Rejected:
    """A row that is not taken: where it begins, why, and its values as they stand in the file."""

    line: int
    reason: str
    row: Sequence[str]


@dataclass
class Chunk:
    """Some rows, each with a value for every column, and the rows that could not be read as such."""

    lines: list[int] = field(default_factory=list)
    rows: list[Sequence[str]] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    bytes_read: int = 0

    def __len__(self) -> int:
        return len(self.rows) + len(self.rejected)


class Table(Protocol):
    """A file as a table. Chunks can be asked for again: a second pass reads the file anew."""

    columns: list[str]

    def chunks(self) -> Iterator[Chunk]:
        """All rows from the first one on."""
