"""Exports all shops or reviews to a file, reading them in batches through a server-side cursor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    and_,
    cast,
    column,
    func,
    literal,
    null,
    or_,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import OID
from tqdm import tqdm

from geoshops.analysis import files, formats
from geoshops.analysis.runner import Column, Result
from geoshops.database.operator_connection import connected
from geoshops.database.statements import execute

Bbox = tuple[float, float, float, float]
FILE_FORMATS = ("parquet", *formats.DRIVERS)
FORMATS = ("csv", "geojson", "geojsonseq", *FILE_FORMATS)
# the columns of v_shop and v_review, as they are exported
SHOP_COLUMNS = (
    "id", "place_name", "brand", "main_brand", "status", "opened_on", "closed_on", "road_address",
    "lot_address", "sido", "sigungu", "dong", "review_cnt", "star_rating_avg", "favorite_cnt",
    "purity_good", "purity_bad", "retouch_good", "retouch_bad", "item_good", "item_bad",
    "shop_titles", "source", "source_id", "verified_on",
)  # fmt: skip
REVIEW_COLUMNS = (
    "id", "shop_id", "star_rating", "purity", "retouch", "item", "created_at", "modified_at", "reviewer_key",
)  # fmt: skip
OF_FILTERS = ("brand_id", "sido_id", "sigungu_id", "dong_id", "geom")
SHOPS = table("v_shop", *map(column, (*SHOP_COLUMNS, *OF_FILTERS))).alias("s")
REVIEWS = table("v_review", *map(column, REVIEW_COLUMNS)).alias("r")
LONGITUDE, LATITUDE = func.ST_X(SHOPS.c.geom), func.ST_Y(SHOPS.c.geom)
PLACE = (LONGITUDE.label("longitude"), LATITUDE.label("latitude"), SHOPS.c.geom)
TITLES = func.array_to_string(SHOPS.c.shop_titles, ",").label("shop_titles")
QUERIES: dict[str, Select[Any]] = {
    "shops": select(
        *(TITLES if name == "shop_titles" else SHOPS.c[name] for name in SHOP_COLUMNS), *PLACE
    ).order_by(SHOPS.c.id),
    "reviews": select(
        *(REVIEWS.c.id, REVIEWS.c.shop_id, SHOPS.c.place_name, SHOPS.c.brand),
        *(REVIEWS.c[name] for name in REVIEW_COLUMNS[2:]),
        *PLACE,
    )
    .join_from(REVIEWS, SHOPS, SHOPS.c.id == REVIEWS.c.shop_id)
    .order_by(REVIEWS.c.id),
}
PG_TYPE = table("pg_type", column("oid", OID))


def export(
    url: str,
    what: str,
    kind: str,
    output: str,
    *,
    bbox: Bbox | None = None,
    brand: str = "",
    region: str = "",
) -> int:
    """Writes the rows and returns their number."""
    with connected(url, "export") as connection:
        connection.set_session(readonly=True)
        cursor = connection.cursor()
        query = QUERIES[what].where(*_conditions(cursor, bbox, brand, region))
        columns = _columns(cursor, query)
        counted = _Counted(_rows(connection, query), _expected(cursor, query))
        _write(Result(columns, iter(counted), []), kind, output)
        return counted.count


def _write(result: Result, kind: str, output: str) -> None:
    if kind in FILE_FORMATS:
        if output == files.STDOUT:
            raise click.UsageError(f"{kind} needs a file: -o FILE.{kind}")
        with files.new_file(output) as path:
            formats.write_file(result, kind, path)
        return
    with files.text_output(output) as stream:
        formats.TEXT_FORMATS[kind](result, stream)


class _Counted:
    """Counts rows and shows a progress bar on a terminal."""

    def __init__(self, rows: Iterator[list[Any]], expected: int) -> None:
        self.rows = rows
        self.expected = expected
        self.count = 0

    def __iter__(self) -> Iterator[list[Any]]:
        for row in tqdm(self.rows, total=self.expected, unit=" rows", disable=None):
            self.count += 1
            yield row


def _conditions(
    cursor: Any, bbox: Bbox | None, brand: str, region: str
) -> Iterator[ColumnElement[bool]]:
    """The conditions of the filters; resolves names before, so that an unknown one fails at once."""
    if bbox:
        west, south, east, north = bbox
        lon, lat = LONGITUDE, LATITUDE
        across = or_ if west > east else and_
        yield lat.between(south, north)
        yield across(lon >= west, lon <= east)
    if brand.strip():
        (ids,) = execute(cursor, select(func.find_brand(brand))).fetchone()
        yield SHOPS.c.brand_id == func.any(literal(ids, ARRAY(BigInteger)))
    if region.strip():
        found = func.find_region(region).table_valued("region_id")
        (region_id,) = execute(cursor, select(found.c.region_id)).fetchone()
        yield literal(region_id).in_((SHOPS.c.sido_id, SHOPS.c.sigungu_id, SHOPS.c.dong_id))


def _columns(cursor: Any, query: Select[Any]) -> list[Column]:
    """Returns the columns with PostgreSQL's type names."""
    execute(cursor, query.limit(0))
    codes = [(c.name, c.type_code) for c in cursor.description]
    types = select(cast(PG_TYPE.c.oid, BigInteger), func.format_type(PG_TYPE.c.oid, null()))
    ids = literal([code for _, code in codes], ARRAY(BigInteger))
    names = dict(
        execute(cursor, types.where(PG_TYPE.c.oid == func.any(cast(ids, ARRAY(OID))))).fetchall()
    )
    return [
        Column(name, "geometry(Point,4326)" if name == "geom" else names[code])
        for name, code in codes
    ]


def _expected(cursor: Any, query: Select[Any]) -> int:
    rows = query.with_only_columns(func.count(), maintain_column_froms=True).order_by(None)
    return int(execute(cursor, rows).fetchone()[0])


def _rows(connection: Any, query: Select[Any]) -> Iterator[list[Any]]:
    with connection.cursor(name="geoshops_export") as cursor:
        cursor.itersize = formats.BATCH_ROWS
        for row in execute(cursor, query):
            yield list(row)
