"""The list of rejected rows: a CSV file with line, reason and the row itself."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TextIO

from geoshops.importing.errors import ImportRejected, WrongUsage
from geoshops.importing.tables import Rejected

HEAD = ("line", "reason")
SHOWN_KINDS = 20
PARTICULARS = re.compile(r"'[^']*'|U\+[0-9A-F]+|-?\d+(\.\d+)?([eE][+-]?\d+)?")


def rejects_path(file: Path, named: Path | None) -> Path:
    """The path of the list: beside the file, unless another path is given."""
    path = named or file.with_name(f"{file.name}.rejected.csv")
    if path.is_dir():
        raise WrongUsage(f"--rejects {path} is a directory; name a file")
    if path.resolve() == file.resolve():
        raise WrongUsage("--rejects names the file itself")
    return path


def generalised(reason: str) -> str:
    """The reason without row-specific values."""
    return PARTICULARS.sub("…", reason)


class Rejects:
    """Collects rejected rows in a temporary file and moves it to its path after the commit.

    On an error, the context manager deletes the temporary file."""

    def __init__(self, path: Path, columns: list[str]) -> None:
        self.path = path
        self.columns = columns
        self.count = 0
        self._kinds: Counter[str] = Counter()
        self._part = path.with_name(path.name + ".part")
        self._stream: TextIO | None = None
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._discard()

    def add(self, rejected: Iterable[Rejected]) -> None:
        """Writes rows; the first one creates the file."""
        for item in rejected:
            if self._stream is None:
                self._open()
            self._writer.writerow([item.line, item.reason, *item.row])
            self.count += 1
            self._kinds[generalised(item.reason)] += 1

    def finish(self) -> Path | None:
        """Moves the list to its path, or removes an older list if no row was rejected."""
        if self._stream is not None:
            self._stream.close()
            self._part.replace(self.path)
            return self.path
        if self._is_ours():
            self.path.unlink()
        return None

    def flush(self) -> None:
        """Flushes the list before the commit, so that a full disk rolls the import back."""
        if self._stream is not None:
            self._stream.flush()

    def by_reason(self) -> dict[str, int]:
        """The most frequent reasons, without row-specific values, and their numbers of rows."""
        return dict(self._kinds.most_common(SHOWN_KINDS))

    def _discard(self) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            self._part.unlink(missing_ok=True)

    def _open(self) -> None:
        try:
            self._stream = self._part.open(
                "w", encoding="utf-8", errors="backslashreplace", newline=""
            )
        except OSError as error:
            raise ImportRejected(
                f"the list of rejected rows cannot be written to {self.path} ({error.strerror}); "
                "specify another path with --rejects"
            ) from error
        self._writer = csv.writer(self._stream)
        self._writer.writerow([*HEAD, *self.columns])

    def _is_ours(self) -> bool:
        try:
            with self.path.open("rb") as stream:
                return stream.read(64).startswith(",".join(HEAD).encode())
        except OSError:
            return False
