"""Imports brands from CSV: one row per alias, with its language and the brand's attributes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, exists, func, insert, select, update
from sqlalchemy.orm import aliased

from geoshops.database import models
from geoshops.database.statements import execute
from geoshops.importing import fields
from geoshops.importing.csv_table import CsvTable
from geoshops.importing.errors import ImportRejected
from geoshops.importing.fields import InvalidValue
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.mapping import Plan, plan_columns
from geoshops.importing.opening import open_input
from geoshops.importing.rejects import Rejects, rejects_path
from geoshops.importing.request import Progress, Request
from geoshops.importing.tables import Rejected
from geoshops.importing.transaction import importing_into
from geoshops.operations.audit import write_audit
from geoshops.operations.connection import COUNT_BRANDS, ONE_AT_A_TIME

COLUMNS = ("name", "alias", "lang", "is_representative", "parent", "badge_color")
NAME = fields.Text(100, needed=True, encoded=True)
TRUE, FALSE = ("true", "t", "yes", "y", "1", "예"), ("false", "f", "no", "n", "0", "아니오")
LANG = re.compile(r"([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}))?", re.IGNORECASE)
COLOR = re.compile(r"#[0-9a-f]{6}")

BRAND, ALIAS, SUB_BRAND = models.Brand, models.BrandAlias, aliased(models.Brand)
IS_PARENT = exists().where(SUB_BRAND.parent_id == BRAND.id)
NAMED = select(
    BRAND.id, BRAND.name, BRAND.parent_id, BRAND.is_representative, BRAND.badge_color, IS_PARENT
).where(BRAND.id == func.brand_named(bindparam("name")))


@dataclass(frozen=True)
class BrandRow:
    """A row of the file; None and empty strings leave the brand's values unchanged."""

    line: int
    values: tuple[str, ...]
    name: str
    alias: str
    lang: str
    representative: bool | None
    parent: str
    color: str


@dataclass(frozen=True)
class Brand:
    """A brand in the database."""

    id: int
    name: str
    parent_id: int | None
    is_representative: bool
    badge_color: str
    is_parent: bool


def import_brands(url: str, request: Request, progress: Progress) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed."""
    started = time.perf_counter()
    file = open_input(request.path, request.encoding)
    table = CsvTable(file, request.delimiter)
    plan = plan_columns(table.columns, COLUMNS, ("name",), None, request.given)
    rejects = Rejects(rejects_path(request.path, request.rejects), table.columns)
    with rejects, importing_into(url) as connection, connection.cursor() as cursor:
        load = _Load(cursor, rejects, f"import of {request.path.name}")
        rows = list(load.read(table, plan, progress))
        cursor.execute(ONE_AT_A_TIME)
        load.write(rows)
        counts = load.counts()
        late = finish(connection, file, rejects, request.dry_run)
    counts["columns_not_used"] = plan.unused
    report = summary(request, read=load.rows, counts=counts, rejects=rejects, late=late)
    return timed(report, started)


class _Load:
    """Reads rows and writes brands, one row at a time."""

    def __init__(self, cursor: Any, rejects: Rejects, reason: str) -> None:
        self.cursor, self.rejects, self.reason = cursor, rejects, reason
        self.rows = 0
        # outcome of each row: inserted, updated or unchanged
        self.outcomes: dict[int, str] = {}
        # new brands of this file, and the accepted rows of each
        self.created: dict[int, list[int]] = {}
        self.stated: dict[tuple[int, str], object] = {}

    def read(self, table: CsvTable, plan: Plan, progress: Progress) -> Iterator[BrandRow]:
        """Yields valid rows and rejects the others."""
        for chunk in table.chunks():
            self.rows += len(chunk)
            self.rejects.add(chunk.rejected)
            for line, values in zip(chunk.lines, chunk.rows, strict=True):
                texts = {
                    name: " ".join(values[p] for p in plan.places.get(name, ())) for name in COLUMNS
                }
                try:
                    yield _row(line, tuple(values), texts)
                except InvalidValue as error:
                    self.rejects.add([Rejected(line, str(error), values)])
            progress(chunk.bytes_read)

    def write(self, rows: list[BrandRow]) -> None:
        """Writes the brands first, then the rows that refer to them, so the order of rows does not matter."""
        for row in rows:
            self.outcomes[row.line] = "unchanged"
            if self._brand(row.name) is None:
                added = insert(BRAND).values(name=row.name).returning(BRAND.id)
                self.created[execute(self.cursor, added).fetchone()[0]] = []
        for row in rows:
            try:
                self.cursor.execute("SAVEPOINT of_row")
                self._apply(row)
            except InvalidValue as error:
                self.cursor.execute("ROLLBACK TO of_row")
                self.rejects.add([Rejected(row.line, str(error), row.values)])
                del self.outcomes[row.line]
        for brand_id, accepted in self.created.items():
            self._settle(brand_id, accepted)
        if not self.outcomes:
            raise self._nothing_taken()

    def _nothing_taken(self) -> ImportRejected:
        why = "; ".join(self.rejects.by_reason()) or "the file has a header but no rows"
        return ImportRejected(f"none of the {self.rows} rows can be imported: {why}")

    def _settle(self, brand_id: int, accepted: list[int]) -> None:
        """Deletes a new brand whose rows were all rejected, unless it has become a parent."""
        if not accepted:
            execute(self.cursor, delete(BRAND).where(BRAND.id == brand_id, ~IS_PARENT))

    def counts(self) -> dict[str, Any]:
        """Counts rows by outcome, and shops that got a brand."""
        (shops,) = execute(self.cursor, select(func.refresh_shop_brands())).fetchone()
        self.cursor.execute(COUNT_BRANDS)
        ended = list(self.outcomes.values())
        return {
            **{name: ended.count(name) for name in ("inserted", "updated", "unchanged")},
            "shops_changed": shops,
        }

    def _brand(self, name: str) -> Brand | None:
        row = execute(self.cursor, NAMED, {"name": name}).fetchone()
        return Brand(*row) if row else None

    def _apply(self, row: BrandRow) -> None:
        brand = self._brand(row.name)
        assert brand is not None  # inserted earlier in this transaction
        changes: dict[str, object] = {}
        if row.representative is not None:
            self._state(brand, "is_representative", row.representative)
            changes["is_representative"] = row.representative
        if row.color:
            self._state(brand, "badge_color", row.color)
            changes["badge_color"] = row.color
        if row.parent:
            changes["parent_id"] = self._parent(brand, row.parent)
            self._state(brand, "parent", changes["parent_id"])
        changes = {name: new for name, new in changes.items() if new != getattr(brand, name)}
        if changes:
            execute(self.cursor, update(BRAND).where(BRAND.id == brand.id).values(changes))
        if row.alias:
            changes |= self._alias(brand, row)
        is_new = self.created.get(brand.id) == []
        if is_new:
            changes = {"name": brand.name, **changes}
        if brand.id in self.created:
            self.created[brand.id].append(row.line)
        if changes:
            write_audit(
                self.cursor, action="import", subject="brand", subject_id=brand.id,
                reason=self.reason, detail=changes,
            )  # fmt: skip
            self.outcomes[row.line] = "inserted" if is_new or "alias" in changes else "updated"

    def _state(self, brand: Brand, field: str, value: object) -> None:
        """Records a value, and rejects a row that contradicts an earlier one."""
        before = self.stated.setdefault((brand.id, field), value)
        if before != value:
            raise InvalidValue(f"[{field}] contradicts an earlier row of {brand.name}")

    def _parent(self, brand: Brand, name: str) -> int:
        parent = self._brand(name)
        if parent is None:
            raise InvalidValue(f"[parent] unknown brand {name}; add a row for it")
        if parent.id == brand.id:
            raise InvalidValue(f"[parent] {name} is the brand itself")
        if parent.parent_id is not None:
            raise InvalidValue(f"[parent] {name} is itself a sub-brand")
        if brand.is_parent:
            raise InvalidValue(f"[parent] {brand.name} has sub-brands, so it cannot be a sub-brand")
        return parent.id

    def _alias(self, brand: Brand, row: BrandRow) -> dict[str, object]:
        """Adds the alias or sets its language; returns what changed."""
        meant = self._brand(row.alias)
        if meant is not None and meant.id != brand.id:
            raise InvalidValue(f"[alias] {row.alias} is already an alias of {meant.name}")
        is_named = ALIAS.alias_key == func.name_key(row.alias)
        known = execute(self.cursor, select(ALIAS.lang).where(is_named)).fetchone()
        if known is None and meant is not None:
            return {}  # the brand's own name
        if known is None:
            added: dict[str, object] = {"alias": row.alias, "lang": row.lang}
            execute(self.cursor, insert(ALIAS).values(brand_id=brand.id, **added))
            return added
        if not row.lang or row.lang == known[0]:
            return {}
        execute(self.cursor, update(ALIAS).where(is_named).values(lang=row.lang))
        return {"lang": row.lang}


def _row(line: int, values: tuple[str, ...], texts: dict[str, str]) -> BrandRow:
    alias, lang = _fit("alias", texts, fields.words(100)), _fit("lang", texts, language)
    if lang and not alias:
        raise InvalidValue("[lang] is the language of an alias, but the row has no alias")
    return BrandRow(
        line,
        values,
        name=_fit("name", texts, NAME),
        alias=alias,
        lang=lang,
        representative=_fit("is_representative", texts, _flag),
        parent=_fit("parent", texts, fields.words(100)),
        color=_fit("badge_color", texts, _color),
    )


def _fit(name: str, texts: dict[str, str], convert: Any) -> Any:
    try:
        return convert(texts[name])
    except InvalidValue as error:
        raise InvalidValue(f"[{name}] {error}") from error


def language(value: str) -> str:
    """A BCP 47 tag of language, script and region in its usual case (zh-Hans); empty if blank."""
    value = fields.text(20)(value).replace("_", "-")
    match = LANG.fullmatch(value)
    if value and not match:
        raise InvalidValue(f"{value!r} must be a language tag such as ko, en, ja or zh-Hans")
    if not match:
        return ""
    parts = (match[1].lower(), (match[2] or "").title(), (match[3] or "").upper())
    return "-".join(filter(None, parts))


def _flag(value: str) -> bool | None:
    word = fields.text(20)(value).casefold()
    if word and word not in TRUE + FALSE:
        raise InvalidValue(f"{word!r} must be true or false")
    return word in TRUE if word else None


def _color(value: str) -> str:
    value = fields.text(20)(value).lower()
    if value and not COLOR.fullmatch(value):
        raise InvalidValue(f"{value!r} must be a colour such as #52606d")
    return value
