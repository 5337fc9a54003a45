"""Benchmark databases: N generated shops at constant local density, independent of N and machine."""

from __future__ import annotations

import io
import os
import random
import sys
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2
from psycopg2 import sql
from tqdm import tqdm

from geoshops.database import migrations, sql_files
from geoshops.operations.connection import COUNT_BRANDS

COUNTRY = 10_000
SEED = 20261120
STEP_LON, STEP_LAT = 3.6, -12.0
ROW = 100  # copies of the country per row; the next row is further south
PREFIX = "geoshops_bench_"
# tables for the radius search have no keyword indexes, which would double the time to fill them
LARGEST_FOR_KEYWORDS = 1_000_000
OF_KEYWORDS = ("search_words", " spot ")
MAIN_BRANDS = ("인생네컷", "하루필름", "포토이즘", "포토그레이")
BRANDS = (*MAIN_BRANDS, *(f"부스{n:02}" for n in range(20)))
# longitude, latitude, weight of the centres of density
CENTERS = [
    (127.0276, 37.4979, 9), (126.9236, 37.5563, 9), (127.1001, 37.5133, 6), (126.9780, 37.5665, 6),
    (127.0557, 37.5446, 5), (126.9784, 37.6554, 3), (126.8226, 37.5614, 2), (127.0089, 37.2636, 5),
    (127.1086, 37.3595, 4), (126.7052, 37.4563, 4), (126.7660, 37.6584, 3), (129.0596, 35.1577, 7),
    (129.1603, 35.1587, 4), (128.5931, 35.8690, 7), (127.3845, 36.3504, 6), (126.8526, 35.1595, 5),
    (129.3114, 35.5384, 4), (128.6811, 35.2281, 3), (127.4890, 36.6424, 4), (127.1480, 35.8242, 4),
    (127.1522, 36.8151, 4), (128.8961, 37.7519, 2), (127.7300, 37.8813, 3), (127.9200, 37.3422, 2),
    (126.5312, 33.4996, 3), (126.5600, 33.2541, 1), (129.3650, 36.0190, 3), (128.1076, 35.1800, 2),
    (126.3922, 34.8118, 2), (127.6622, 34.7604, 2),
]  # fmt: skip


@dataclass
class Bench:
    """The options of a benchmark, and its databases."""

    quick: bool
    shops: int | None
    rounds: int | None
    peers: bool = False
    hostile: bool = False
    languages: bool = False

    def size(self) -> int:
        """The number of shops."""
        return self.shops or (100_000 if self.quick else 1_000_000)

    def database(self, shops: int) -> str:
        """Returns the URL of a database with that many shops, created on first use."""
        return database(shops)

    def dense(self, shops: int) -> str:
        """Returns the URL of a database with all shops in one country, whose density grows with their number."""
        return database(shops, dense=True)


def server_url(name: str) -> str:
    """Returns the superuser URL of a database on the benchmark's server."""
    return urlunsplit(urlsplit(os.environ["GEOSHOPS_BENCH_SERVER"])._replace(path=f"/{name}"))


def cursor_of(url: str) -> Any:
    """Opens an autocommit connection; returns a cursor, which keeps it open."""
    connection = psycopg2.connect(url)
    connection.autocommit = True
    return connection.cursor()


def service_cursor_of(url: str) -> Any:
    """Opens a connection that plans as those of the service's role (scripts/setup.d/roles.sql); returns a cursor."""
    cursor = cursor_of(url)
    cursor.execute("SET jit = off; SET max_parallel_workers_per_gather = 0")
    return cursor


def server_cursor() -> Any:
    """Returns a cursor outside the benchmark databases."""
    return cursor_of(server_url("postgres"))


def drop_databases() -> None:
    """Drops every benchmark database."""
    cursor = server_cursor()
    cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", (f"{PREFIX}%",))
    for (name,) in cursor.fetchall():
        cursor.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        print(f"dropped {name}", file=sys.stderr)


def database(shops: int, *, dense: bool = False) -> str:
    """Returns the URL of the database with that many shops; recreates it if the schema has changed."""
    name = f"{PREFIX}{'dense_' if dense else ''}{shops}"
    if row_of(name, "SELECT count(*) FROM shops") != (shops,):
        recreate(name)
        _fill(name, shops, dense)
    return server_url(name)


def copy_of(shops: int, name: str) -> Any:
    """Returns a cursor on a temporary copy of the database, for changes that must not be kept."""
    database(shops)
    cursor = server_cursor()
    copy, original = sql.Identifier(f"{PREFIX}{name}"), sql.Identifier(f"{PREFIX}{shops}")
    cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(copy))
    cursor.execute(
        sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(copy, original)
    )
    return cursor_of(server_url(f"{PREFIX}{name}"))


def row_of(name: str, query: str) -> tuple[Any, ...] | None:
    """Upgrades the schema of a database and returns a row; None where the database cannot give it."""
    try:
        migrations.upgrade(server_url(name), lambda _: None)
        cursor = cursor_of(server_url(name))
        cursor.execute(query)
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row
    except (psycopg2.Error, sql_files.MigrationError):
        return None


def recreate(name: str) -> None:
    """Creates an empty database with the schema, in place of one that may exist."""
    cursor = server_cursor()
    identifier = sql.Identifier(name)
    cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(identifier))
    cursor.execute(sql.SQL("CREATE DATABASE {}").format(identifier))
    migrations.upgrade(server_url(name), lambda _: None)


def _fill(name: str, shops: int, dense: bool) -> None:
    cursor = cursor_of(server_url(name))
    cursor.execute(
        "INSERT INTO brands (id, name, is_representative) SELECT n, b, n <= 4 FROM unnest(%s) WITH ORDINALITY AS t (b, n)",
        (list(BRANDS),),
    )
    definitions = _drop_plain_indexes(cursor)
    for copy in tqdm(range(-(-shops // COUNTRY)), desc=name, file=sys.stderr, disable=None):
        if copy == 0 or dense:
            _load_country(cursor, copy)
        column, row = (0, 0) if dense else (copy % ROW, copy // ROW)
        cursor.execute(COPY_OF_COUNTRY, (STEP_LON, column, STEP_LAT, row, shops - copy * COUNTRY))
    if dense or shops > LARGEST_FOR_KEYWORDS:
        definitions = [d for d in definitions if not any(word in d for word in OF_KEYWORDS)]
    for definition in tqdm(definitions, desc="indexes", file=sys.stderr, disable=None):
        cursor.execute(definition)
    cursor.execute("DROP TABLE country")
    cursor.execute(COUNT_BRANDS)
    cursor.execute("VACUUM (ANALYZE) shops")
    cursor.execute("ANALYZE brands")


def _load_country(cursor: Any, number: int) -> None:
    """Creates a table with the shops of one country, whose number is the random seed."""
    cursor.execute(
        "DROP TABLE IF EXISTS country; CREATE UNLOGGED TABLE country"
        " (n int, brand_id bigint, place_name text, lon float8, lat float8, address text)"
    )
    rows = country(SEED + number)
    lines = "\n".join(f"{i}\t{b}\t{n}\t{x}\t{y}\t{a}" for i, b, n, x, y, a in rows)
    cursor.copy_expert("COPY country FROM STDIN", io.StringIO(lines))


def _drop_plain_indexes(cursor: Any) -> list[str]:
    """Drops indexes without constraints for a faster load; returns the statements to recreate them."""
    cursor.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index i"
        " WHERE indrelid = 'shops'::regclass AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)"
    )
    indexes = cursor.fetchall()
    for name, _ in indexes:
        cursor.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
    return [definition for _, definition in indexes]


COPY_OF_COUNTRY = """
INSERT INTO shops (brand_id, place_name, geog, road_address, review_cnt, star_rating_sum, favorite_cnt, source)
SELECT brand_id, place_name, point_at(mod((lon + %s * %s + 180)::numeric, 360)::float8 - 180, lat + %s * %s),
  address, n %% 40, (n %% 40) * 3 + (n %% 40) / 2, n %% 25, 'benchmark'
FROM country WHERE n < %s ORDER BY ST_SetSRID(ST_MakePoint(lon, lat), 4326)  -- the order of an import"""


def country(seed: int) -> list[tuple[int, int, str, float, float, str]]:
    """Returns 10,000 shops in Gaussian clusters: number, brand id, name, longitude, latitude, address."""
    rng = random.Random(seed)
    weights = [weight for _, _, weight in CENTERS]
    rows = []
    for number in range(COUNTRY):
        place = rng.choices(range(len(CENTERS)), weights)[0]
        lon, lat, _ = CENTERS[place]
        brand = rng.randrange(4) if rng.random() < 0.7 else rng.randrange(4, len(BRANDS))
        spread = rng.choice((0.022, 0.048, 0.11))
        point = round(rng.gauss(lon, spread), 7), round(rng.gauss(lat, spread * 0.8), 7)
        name = f"{BRANDS[brand]} {place:02}지구 {rng.randrange(1, 400)}호점"
        address = f"서울특별시 {place:02}구 {rng.randrange(1, 90)}대로 {rng.randrange(1, 500)} {rng.randrange(1, 5)}층"
        rows.append((number, brand + 1, name, *point, address))
    return rows


def downtown_points(count: int = 100) -> list[tuple[float, float]]:
    """Returns map centres within about a kilometre of the clusters' centres."""
    rng = random.Random(7)
    weights = [weight for _, _, weight in CENTERS]
    chosen = [CENTERS[rng.choices(range(len(CENTERS)), weights)[0]] for _ in range(count)]
    return [(round(rng.gauss(x, 0.01), 6), round(rng.gauss(y, 0.008), 6)) for x, y, _ in chosen]


def moved(at: tuple[float, float], rng: random.Random) -> tuple[float, float]:
    """Returns a place within about a kilometre."""
    return at[0] + rng.uniform(-0.01, 0.01), at[1] + rng.uniform(-0.01, 0.01)
