"""The files of sql/ in the order in which they are applied."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
# in the package if it is installed, else beside it
SQL = PACKAGE / "sql" if (PACKAGE / "sql").is_dir() else PACKAGE.parent / "sql"
VERSIONED = ("schema", "changes")
REPEATABLE = ("functions", "views")
# extensions that a superuser creates (scripts/setup.d/extensions.sql)
EXTENSIONS = ("postgis", "pg_trgm", "btree_gist", "intarray")
# comments beginning with --, and COMMENT statements
COMMENTS = re.compile(r"^\s*--.*\n|\s+-- .*$|^COMMENT ON [^']*'(?:[^']|'')*';\n?", re.MULTILINE)
DEFINED = re.compile(r"^CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW) (?:public\.)?(\w+)", re.MULTILINE)


class MigrationError(Exception):
    """The database and sql/ do not match; the message states the remedy."""


@dataclass(frozen=True)
class SqlFile:
    """One file of sql/."""

    name: str
    kind: str
    text: str

    @property
    def sha256(self) -> str:
        """Checksum of the text; of a versioned file without comments, which may be reworded when it has been applied."""
        text = self.text if self.kind == "repeatable" else COMMENTS.sub("", self.text).strip()
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def defined(self) -> set[str]:
        """Names of the functions and views that it defines."""
        return set(DEFINED.findall(self.text))


def sql_files() -> Iterator[SqlFile]:
    """All files, in the order in which they are applied."""
    for folder in (*VERSIONED, *REPEATABLE):
        kind = "versioned" if folder in VERSIONED else "repeatable"
        for path in sorted((SQL / folder).glob("*.sql")):
            yield SqlFile(f"{folder}/{path.name}", kind, path.read_text(encoding="utf-8"))


def grants() -> Iterator[str]:
    """The text of each file of sql/grants."""
    for path in sorted((SQL / "grants").glob("*.sql")):
        yield path.read_text(encoding="utf-8")
