"""Copies the rows of a file into a temporary table, chunk by chunk; invalid rows go to the rejects."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from psycopg2 import sql

from geoshops.importing.fields import InvalidValue, Text, is_placeholder
from geoshops.importing.mapping import JOINT, Plan
from geoshops.importing.points import Positions, Reasons, ewkb_hex
from geoshops.importing.rejects import Rejects
from geoshops.importing.tables import Chunk, Rejected, Table

Value = str | None
Columns = dict[str, Sequence[Value]]
# bytes per read; with the driver's default of 8 KiB, each read would copy the rest of the block
AT_ONCE = 1 << 20
EMPTY: dict[str, Value] = {"date": None, "jsonb": "[]"}
# the first of these that is not empty is the address against which a position is checked
ADDRESSES = ("lot_address", "road_address", "address")


@dataclass(frozen=True)
class Field:
    """How a field is parsed and stored; a field without a type is only used to check others.

    An invalid value of an optional field is dropped, and the row is kept."""

    convert: Callable[[str], Value]
    sql_type: str | None = "text"
    optional: bool = True

    @property
    def empty(self) -> Value:
        """The value of an empty field."""
        return EMPTY.get(self.sql_type or "", "")


@dataclass(frozen=True)
class Dropped:
    """An invalid value of an optional field, in a row that was kept."""

    line: int
    field: str
    reason: str


@dataclass
class Staging:
    """Loads a table into the temporary table `incoming`."""

    table: Table
    plan: Plan
    fields: Mapping[str, Field]
    positions: Positions
    rejects: Rejects
    complete: Callable[[Columns, Reasons], None]
    progress: Callable[[int], object]
    read: int = 0
    rejected_keys: list[str] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def stored(self) -> list[str]:
        """The columns of `incoming` for which the file has values."""
        return ["line", "geog", *(n for n, f in self.fields.items() if f.sql_type)]

    def run(self, cursor: Any) -> None:
        """Creates and fills `incoming`."""
        types = {"line": "bigint", "geog": "geography(Point, 4326)"}
        types |= {n: f.sql_type for n, f in self.fields.items() if f.sql_type}
        columns = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(n), sql.SQL(t)) for n, t in types.items()
        )
        cursor.execute(sql.SQL("CREATE TEMP TABLE incoming ({}) ON COMMIT DROP").format(columns))
        names = sql.SQL(", ").join(map(sql.Identifier, self.stored()))
        copy_in(cursor, sql.SQL("COPY incoming ({}) FROM STDIN").format(names), self._blocks())
        analyze(cursor, "incoming", "source_id")

    def _blocks(self) -> Iterator[bytes]:
        for chunk in self.table.chunks():
            self.read += len(chunk)
            self.rejects.add(chunk.rejected)
            block = self._block(chunk) if chunk.rows else b""
            if block:  # an empty block would end the COPY
                yield block
            self.progress(chunk.bytes_read)

    def _block(self, chunk: Chunk) -> bytes:
        reasons: Reasons = {}
        # faster column by column than row by row
        given = [*zip(*chunk.rows, strict=True)]
        invalid: list[tuple[int, str, str]] = []
        columns = self._converted(given, reasons, invalid)
        self.complete(columns, reasons)
        lon, lat = self.positions.convert(
            self._texts(given, "longitude"),
            self._texts(given, "latitude"),
            _addresses(columns, len(chunk.rows)),
            reasons,
        )
        for i in reasons:
            lon[i] = lat[i] = 0
        columns |= {"line": [str(line) for line in chunk.lines], "geog": ewkb_hex(lon, lat)}
        self.dropped += [
            Dropped(chunk.lines[i], name, why) for i, name, why in invalid if i not in reasons
        ]
        bad = sorted(reasons)
        for name in ("source_id", "former_id"):
            keys = columns.get(name, [])
            self.rejected_keys += [key for key in (keys[i] for i in bad if keys) if key]
        self.rejects.add(Rejected(chunk.lines[i], reasons[i], chunk.rows[i]) for i in bad)
        rows = zip(*(_escaped(columns[name]) for name in self.stored()), strict=True)
        kept = (row for i, row in enumerate(rows) if i not in reasons) if reasons else rows
        lines = "\n".join(map("\t".join, kept))
        return f"{lines}\n".encode() if lines else b""

    def _converted(
        self, given: list[tuple[str, ...]], reasons: Reasons, invalid: list[tuple[int, str, str]]
    ) -> Columns:
        return {
            name: _convert(name, self._texts(given, name), kind, reasons, invalid)
            for name, kind in self.fields.items()
            if name in self.plan.places
        }

    def _texts(self, given: list[tuple[str, ...]], name: str) -> Sequence[str]:
        picked: list[Sequence[str]] = [given[place] for place in self.plan.places[name]]
        if len(picked) == 1:
            texts = picked[0]
        elif name == "source_id":
            texts = [*map(JOINT.join, zip(*picked, strict=True))]
        else:
            picked = [_without_placeholders(column) for column in picked]
            texts = [" ".join(filter(None, parts)) for parts in zip(*picked, strict=True)]
        words = self.plan.values.get(name)
        return [words.get(t.strip(), t) for t in texts] if words else texts


def analyze(cursor: Any, table: str, column: str) -> None:
    """Collects statistics of a temporary table from a sample of 3,000 rows, which is enough for the planner."""
    given = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
    cursor.execute(sql.SQL("ALTER TABLE {table} ALTER {column} SET STATISTICS 10").format(**given))
    cursor.execute(sql.SQL("ANALYZE {table} ({column})").format(**given))


def copy_in(cursor: Any, statement: sql.Composable | str, blocks: Iterator[bytes]) -> None:
    """Runs COPY FROM STDIN; an exception of the blocks' iterator is raised unchanged, not as a database error."""
    source = _Blocks(blocks)
    try:
        with _without_garbage_collection():
            cursor.copy_expert(statement, source, AT_ONCE)
    except Exception:
        if source.error is not None:
            raise source.error from None
        raise


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Disables the cyclic garbage collector, which would scan all rows repeatedly."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class _Blocks:
    """The blocks as a file object for the driver."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = b""
        self.error: BaseException | None = None

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, none at the end."""
        try:
            if not self._rest:
                self._rest = next(self._blocks, b"")
        except BaseException as error:
            self.error = error
            raise
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken


def _without_placeholders(texts: Sequence[str]) -> Sequence[str]:
    placeholders = {*filter(is_placeholder, {*texts})} - {""}
    return ["" if text in placeholders else text for text in texts] if placeholders else texts


def _convert(
    name: str,
    texts: Sequence[str],
    kind: Field,
    reasons: Reasons,
    invalid: list[tuple[int, str, str]],
) -> list[Value]:
    convert = kind.convert
    try:
        if isinstance(convert, Text):
            return [*convert.column(texts)]
        return [convert(text) for text in texts]
    except InvalidValue:
        pass
    values: list[Value] = []
    for i, text in enumerate(texts):
        try:
            values.append(convert(text))
        except InvalidValue as error:
            values.append(kind.empty)
            if kind.optional:
                invalid.append((i, name, str(error)))
            else:
                reasons.setdefault(i, f"[{name}] {error}")
    return values


def _addresses(columns: Columns, count: int) -> list[str]:
    found = [""] * count
    for name in reversed(ADDRESSES):
        if name in columns:
            found = [text or other for text, other in zip(columns[name], found, strict=True)]
    return found


def _escaped(values: Sequence[Value]) -> Sequence[str]:
    if None not in values and "\\" not in "".join(values):  # type: ignore[arg-type]
        return values  # type: ignore[return-value]
    return ["\\N" if v is None else v.replace("\\", "\\\\") if "\\" in v else v for v in values]
