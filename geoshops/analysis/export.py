"""Exports all shops or reviews to a file, reading them in batches through a server-side cursor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from psycopg2 import sql
from tqdm import tqdm

from geoshops.analysis import files, formats
from geoshops.analysis.runner import Column, Result
from geoshops.database.operator_connection import connected

Bbox = tuple[float, float, float, float]
FILE_FORMATS = ("parquet", *formats.DRIVERS)
FORMATS = ("csv", "geojson", "geojsonseq", *FILE_FORMATS)
SHOP_COLUMNS = (
    "s.id, s.place_name, s.brand, s.main_brand, s.status, s.opened_on, s.closed_on, s.road_address,"
    " s.lot_address, s.sido, s.sigungu, s.dong, s.review_cnt, s.star_rating_avg, s.favorite_cnt,"
    " s.purity_good, s.purity_bad, s.retouch_good, s.retouch_bad, s.item_good, s.item_bad,"
    " array_to_string(s.shop_titles, ',') AS shop_titles, s.source, s.source_id, s.verified_on,"
    " ST_X(s.geom) AS longitude, ST_Y(s.geom) AS latitude, s.geom"
)
REVIEW_COLUMNS = (
    "r.id, r.shop_id, s.place_name, s.brand, r.star_rating, r.purity, r.retouch, r.item,"
    " r.created_at, r.modified_at, r.reviewer_key, ST_X(s.geom) AS longitude,"
    " ST_Y(s.geom) AS latitude, s.geom"
)
SOURCES = {
    "shops": (SHOP_COLUMNS, "v_shop AS s", "s.id"),
    "reviews": (REVIEW_COLUMNS, "v_review AS r JOIN v_shop AS s ON s.id = r.shop_id", "r.id"),
}


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
        condition = _condition(cursor, bbox, brand, region)
        columns = _columns(cursor, what)
        counted = _Counted(_rows(connection, what, condition), _expected(cursor, what, condition))
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


def _condition(cursor: Any, bbox: Bbox | None, brand: str, region: str) -> sql.Composable:
    """Builds the WHERE clause; resolves names before, so that an unknown one fails at once."""
    parts: list[sql.Composable] = [sql.SQL("true")]
    if bbox:
        west, south, east, north = map(sql.Literal, bbox)
        across = sql.SQL("OR") if bbox[0] > bbox[2] else sql.SQL("AND")
        parts.append(
            sql.SQL(
                "ST_Y(s.geom) BETWEEN {} AND {} AND (ST_X(s.geom) >= {} {} ST_X(s.geom) <= {})"
            ).format(south, north, west, across, east)
        )
    if brand.strip():
        cursor.execute("SELECT find_brand(%s)", (brand,))
        parts.append(sql.SQL("s.brand_id = ANY ({})").format(sql.Literal(cursor.fetchone()[0])))
    if region.strip():
        cursor.execute("SELECT region_id FROM find_region(%s)", (region,))
        parts.append(
            sql.SQL("{} IN (s.sido_id, s.sigungu_id, s.dong_id)").format(
                sql.Literal(cursor.fetchone()[0])
            )
        )
    return sql.SQL(" AND ").join(parts)


def _columns(cursor: Any, what: str) -> list[Column]:
    """Returns the columns with PostgreSQL's type names."""
    columns, source, _ = SOURCES[what]
    cursor.execute(sql.SQL("SELECT {} FROM {} LIMIT 0").format(sql.SQL(columns), sql.SQL(source)))
    codes = [(c.name, c.type_code) for c in cursor.description]
    cursor.execute(
        "SELECT oid::bigint, format_type(oid, NULL) FROM pg_type WHERE oid = ANY (%s::oid[])",
        ([code for _, code in codes],),
    )
    names = dict(cursor.fetchall())
    return [
        Column(name, "geometry(Point,4326)" if name == "geom" else names[code])
        for name, code in codes
    ]


def _expected(cursor: Any, what: str, condition: sql.Composable) -> int:
    cursor.execute(
        sql.SQL("SELECT count(*) FROM {} WHERE {}").format(sql.SQL(SOURCES[what][1]), condition)
    )
    return int(cursor.fetchone()[0])


def _rows(connection: Any, what: str, condition: sql.Composable) -> Iterator[list[Any]]:
    columns, source, key = SOURCES[what]
    with connection.cursor(name="geoshops_export") as cursor:
        cursor.itersize = formats.BATCH_ROWS
        cursor.execute(
            sql.SQL("SELECT {} FROM {} WHERE {} ORDER BY {}").format(
                sql.SQL(columns), sql.SQL(source), condition, sql.SQL(key)
            )
        )
        for row in cursor:
            yield list(row)
