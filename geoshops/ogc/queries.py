"""Queries of OGC API Features; each is one statement, a filtered first page may be two."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

import psycopg2
from sqlalchemy import ColumnElement, Select, Text, bindparam, cast, func, null, select

from geoshops.database.pool import Database, Row
from geoshops.database.statements import Statement, compiled, limited
from geoshops.errors import ApiError, NotFound
from geoshops.ogc.collections import COLLECTIONS, EDGES, Collection
from geoshops.ogc.cql2 import Condition, Intersects, Logical
from geoshops.ogc.filters import compile_filter, intersect
from geoshops.ogc.wkt import rectangles

Box = tuple[float, float, float, float]

# matches are counted up to this number, because counting would take longer than the page
MOST_COUNTED = 10_000
# time limit of a filtered page and its count together
FILTER_MS = 250
LEAST_MS = 10
WORLD = (-180.0, -90.0, 180.0, 90.0)


@dataclass(frozen=True)
class ItemPage:
    """GeoJSON features, separated by commas; `last_id` is the key after which the next page starts."""

    features: str
    returned: int
    last_id: int | None
    more: bool
    matched: int | None


@dataclass(frozen=True)
class PageStatements:
    """Statements of the first page, with the number of all matches, and of later pages."""

    first: Statement
    later: Statement


@dataclass(frozen=True)
class Statements:
    """The statements of a collection without a filter."""

    everywhere: PageStatements
    boxed: PageStatements
    item: Statement


def _features(collection: Collection, keys: Select[Any]) -> Select[Any]:
    """Selects keys and GeoJSON features, ordered by key."""
    named = ((name, published.column) for name, published in collection.properties.items())
    properties = func.json_build_object(*chain.from_iterable(named))
    feature = func.json_build_object(
        *("type", "Feature", "id", collection.key),
        *("geometry", collection.geometry, "properties", properties),
    )
    return (
        collection.joined(select(collection.key, cast(feature, Text)))
        .where(collection.key == func.any(func.array(keys.scalar_subquery())))
        .order_by(collection.key)
    )


def _filtered(collection: Collection, condition: Condition, box: Box | None) -> Select[Any]:
    """Selects keys of features that pass the condition and are in the box, if any.

    The box is a condition on the same row: a join by keys would read the features again."""
    keys = collection.joined(collection.keys)
    if box:
        keys = keys.where(intersect(collection.shape, rectangles(*box)))
    return keys.where(compile_filter(condition, collection.queryables))


def _page(collection: Collection, keys: Select[Any], key: Any) -> Select[Any]:
    """A page of the features with these keys."""
    page_keys = keys.where(key > bindparam("after")).order_by(key).limit(bindparam("one_more"))
    return _features(collection, page_keys)


def _counted(keys: Select[Any]) -> Select[Any]:
    """Selects the number of keys, up to one more than the counting limit."""
    return select(func.count()).select_from(keys.limit(MOST_COUNTED + 1).subquery())


def _pages(collection: Collection, keys: Select[Any], key: Any) -> PageStatements:
    page = _page(collection, keys, key)
    return PageStatements(
        compiled(page.add_columns(_counted(keys).scalar_subquery())),
        compiled(page.add_columns(null())),
    )


def _statements(collection: Collection) -> Statements:
    in_box = collection.in_box.c.id
    one = collection.keys.where(collection.key == bindparam("key"))
    return Statements(
        everywhere=_pages(collection, collection.keys, collection.key),
        boxed=_pages(collection, select(in_box), in_box),
        item=compiled(_features(collection, one)),
    )


STATEMENTS = {collection.name: _statements(collection) for collection in COLLECTIONS}


def items(
    db: Database,
    collection: Collection,
    *,
    box: Box | None,
    filter: Condition | None,
    limit: int,
    after: int,
) -> ItemPage:
    """At most `limit` features with keys above `after`; counted only on the first page.

    Raises ApiError for a filter with an unknown property, that takes too long, or whose geometry PostGIS rejects."""
    values = {**dict(zip(EDGES, box or (), strict=False)), "after": after, "one_more": limit + 1}
    if filter:
        keys = _filtered(collection, filter, box)
        with _located(filter):
            rows, counted = _filtered_rows(db, collection, keys, values)
    else:
        prepared = STATEMENTS[collection.name]
        page = prepared.boxed if box else prepared.everywhere
        rows = db.rows(page.later if after else page.first, values)
        counted = rows[0][2] if rows else 0
    shown = rows[:limit]
    return ItemPage(
        features=",".join(row[1] for row in shown),
        returned=len(shown),
        last_id=shown[-1][0] if shown else None,
        more=len(rows) > limit,
        matched=None if after or counted is None or counted > MOST_COUNTED else counted,
    )


def _filtered_rows(
    db: Database, collection: Collection, keys: Select[Any], values: Mapping[str, Any]
) -> tuple[list[Row], int | None]:
    """Rows of a page; on the first page also the number of all matches, unless counting takes too long."""
    started = time.monotonic()
    page = compiled(_page(collection, keys, collection.key))
    try:
        rows = db.rows(limited(page, FILTER_MS), values)
    except psycopg2.errors.QueryCanceled:
        raise ApiError("filter_too_slow", name="filter", high=FILTER_MS) from None
    if values["after"] or len(rows) < values["one_more"]:
        return rows, len(rows)
    return rows, _count(db, keys, values, _left_ms(started))


def _left_ms(started: float) -> int:
    return FILTER_MS - round((time.monotonic() - started) * 1000)


def _count(
    db: Database, keys: Select[Any], values: Mapping[str, Any], within_ms: int
) -> int | None:
    """The number of keys; None if there is no time left to count them."""
    if within_ms < LEAST_MS:
        return None
    try:
        return int(db.row(limited(compiled(_counted(keys)), within_ms), values)[0])
    except psycopg2.errors.QueryCanceled:
        return None


@contextmanager
def _located(condition: Condition) -> Iterator[None]:
    """Converts PostGIS's error, and that of a number out of range, to an ApiError at the first geometry of the filter."""
    try:
        yield
    except (psycopg2.InternalError, psycopg2.DataError) as error:
        at = next(_places(condition), 1)
        rule = str(error.diag.message_primary)
        raise ApiError("bad_filter", name="filter", at=at, rule=rule) from None


def _places(condition: Condition) -> Iterator[int]:
    if isinstance(condition, Intersects):
        yield condition.at
    elif isinstance(condition, Logical):
        for part in condition.conditions:
            yield from _places(part)


def item(db: Database, collection: Collection, key: int) -> str:
    """One GeoJSON feature; raises NotFound if it does not exist or is a closed shop."""
    row = db.first(STATEMENTS[collection.name].item, {"key": key})
    if row is None:
        raise NotFound(collection.singular, key)
    return str(row[1])


def _edge(shapes: Select[Any], line: str, coordinate: Callable[[Any], Any]) -> ColumnElement[Any]:
    """A coordinate of the shape nearest to an edge of the world, found by an index on the shapes if there is one."""
    edge = func.ST_GeomFromText(f"LINESTRING({line})", 4326)
    shape = shapes.selected_columns.shape
    nearest = shapes.order_by(shape.op("<->")(edge)).limit(1).subquery()
    return select(coordinate(nearest.c.shape)).scalar_subquery()


def _extent(collection: Collection) -> tuple[ColumnElement[Any], ...]:
    return (
        _edge(collection.shapes, "-180 -90, -180 90", func.ST_XMin),
        _edge(collection.shapes, "-180 -90, 180 -90", func.ST_YMin),
        _edge(collection.shapes, "180 -90, 180 90", func.ST_XMax),
        _edge(collection.shapes, "-180 90, 180 90", func.ST_YMax),
    )


EXTENTS = {collection.name: compiled(select(*_extent(collection))) for collection in COLLECTIONS}
ALL_EXTENTS = compiled(select(*chain.from_iterable(map(_extent, COLLECTIONS))))


def extent(db: Database, collection: Collection) -> list[float]:
    """West, south, east and north of all features; the whole world if there are none."""
    return _or_world(db.row(EXTENTS[collection.name]))


def extents(db: Database) -> list[list[float]]:
    """The extent of each collection."""
    edges = db.row(ALL_EXTENTS)
    return [_or_world(edges[at : at + 4]) for at in range(0, len(edges), 4)]


def _or_world(edges: tuple[Any, ...]) -> list[float]:
    return list(WORLD if None in edges else edges)
