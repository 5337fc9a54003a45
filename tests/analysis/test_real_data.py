"""Tests every analysis script on imported real files: boundaries, stations, booths and 9,736 animal hospitals."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg2
import pytest
from click.testing import CliRunner
from pyproj import Geod

from geoshops.analysis import runner, scripts
from geoshops.cli import main
from tests.conftest import copied, execute

GEOD = Geod(ellps="WGS84")
COUNTERS = "SELECT id, review_cnt, star_rating_sum FROM v_shop_open"
NAMES = [s.name for s in scripts.catalogue()]
# On Jeju, no hospitals are clustered or off the island, and none with equal names are close together.
NOT_ON_JEJU = {"02", "03", "08", "22", "23"}
IMPORTS = [
    ("regions", "boundaries_kr_2018/skorea-provinces-2018-simple.geojson", "kostat"),
    ("regions", "boundaries_kr_2018/skorea-municipalities-2018-simple.geojson", "kostat"),
    ("stations", "subway_stations_kr_standard_202202_cp949.csv", "stations"),
    ("shops", "localdata_animal_hospital_202307_cp949_epsg5174.csv", "localdata"),
    ("shops", "photobooths_kr_chalkak/photoheim_geocoded.csv", "booths"),
    ("shops", "photobooths_kr_chalkak/dontlxxkup_geocoded.csv", "booths"),
]
# The files have no brands and reviews: common hospital names serve as brands, and reviews are derived from the shop
# numbers.
OPINIONS = (
    "INSERT INTO brands (name) SELECT n FROM unnest(ARRAY['우리', '사랑', '하나', '행복', '24시']) AS n",
    "UPDATE shops SET brand_id = b.id FROM brands AS b WHERE source = 'localdata' AND starts_with(place_name, b.name)",
    "INSERT INTO members (nickname, nickname_key) VALUES ('심사위원', '심사위원')",
    """INSERT INTO reviews (shop_id, member_id, star_rating, content, purity, retouch, item, created_at, modified_at)
SELECT s.id, m.id, 1 + (s.sigungu_id * 7 + s.id + n * 3) % 5, '글', v[1 + (s.id + n) % 3], v[1 + (s.id + 2 * n) % 3], v[1 + n % 3], t, t
FROM shops AS s
CROSS JOIN members AS m
CROSS JOIN LATERAL generate_series(1, s.id % 9) AS n
CROSS JOIN LATERAL (SELECT timestamptz '2026-01-01' + (s.id * 37 + n * 911) % 400000 * interval '1 minute') AS x (t)
CROSS JOIN (SELECT ARRAY['GOOD', 'BAD', 'UNSELECTED']) AS y (v)""",
    "SELECT repair_counters(shop_id) FROM counter_differences",
)


@pytest.fixture(scope="module")
def korea(
    server_url: str, template_name: str, shared_data: Path, tmp_path_factory: Any
) -> Iterator[str]:
    """A database with the files in it."""
    rejected = tmp_path_factory.mktemp("rejects") / "rejected.csv"
    with copied(server_url, template_name, "korea") as url:
        environment = {"DATABASE_URL": url, "GEOSHOPS_OWNER_DATABASE_URL": url}
        for kind, file, mapping in IMPORTS:
            arguments = ["import", kind, str(shared_data / file), "--mapping", mapping]
            arguments += ["--rejects", str(rejected)]
            if mapping == "booths":
                arguments += ["--source", Path(file).stem]
            result = CliRunner().invoke(main, arguments, env=environment)
            # 1 means that rows were rejected, which these files have
            assert result.exit_code in (0, 1), result.output
        execute(url, *OPINIONS, "ANALYZE")
        yield url


@pytest.fixture
def run_script(korea: str) -> Callable[..., list[dict[str, Any]]]:
    """Runs the script with a number and returns its rows as dicts."""

    def run(number: str, **values: str) -> list[dict[str, Any]]:
        with runner.run(korea, scripts.find(number), values) as response:
            names = [c.name for c in response.columns]
            return [dict(zip(names, row, strict=True)) for row in response.rows]

    return run


@pytest.mark.parametrize("name", NAMES)
def test_every_script_returns_rows(run_script: Any, name: str) -> None:
    assert run_script(name)
    assert run_script(name, region="제주특별자치도") or name[:2] in NOT_ON_JEJU


def test_the_hospitals_of_the_register_are_there(run_script: Any) -> None:
    assert 4500 < sum(row["shops"] for row in run_script("07", edge_m="20000")) < 5400


def test_territories_add_up_to_every_province(run_script: Any, korea: str) -> None:
    area_by_region: dict[str, float] = {}
    for row in run_script("10"):
        area_by_region[row["region_code"]] = (
            area_by_region.get(row["region_code"], 0) + row["area_km2"]
        )
    connection = psycopg2.connect(korea)
    cursor = connection.cursor()
    cursor.execute("SELECT code, area_km2 FROM v_region WHERE level = 'sido' AND geom IS NOT NULL")
    provinces = dict(cursor.fetchall())
    connection.close()
    assert len(provinces) == 17
    for code, km2 in provinces.items():
        assert area_by_region[code] == pytest.approx(km2, rel=1e-5)


@pytest.fixture
def read(korea: str) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """Rows of a statement on the same data."""
    connection = psycopg2.connect(korea)
    cursor = connection.cursor()

    def rows(statement: str) -> list[tuple[Any, ...]]:
        cursor.execute(statement)
        fetched: list[tuple[Any, ...]] = cursor.fetchall()
        return fetched

    yield rows
    connection.close()


def test_18_the_best_hospital_is_the_best_by_pencil_and_paper(run_script: Any, read: Any) -> None:
    shops = {i: (n, stars) for i, n, stars in read(COUNTERS)}
    mean = sum(stars for _, stars in shops.values()) / sum(n for n, _ in shops.values())
    bayes = {i: (10 * mean + stars) / (10 + n) for i, (n, stars) in shops.items()}
    rows = run_script("18")
    assert len(rows) == len(shops) > 4500
    assert rows[0]["bayes_avg"] == pytest.approx(max(bayes[i] for i, (n, _) in shops.items() if n))
    for row in rows:
        assert row["bayes_avg"] == pytest.approx(bayes[row["shop_id"]])
        assert (row["rank"] is None) == (row["n"] == 0)


def test_19_every_hospital_is_in_one_band(run_script: Any, read: Any) -> None:
    rows = run_script("19")
    ((shops,),) = read("SELECT count(*) FROM v_shop_open")
    assert sum(row["shops"] for row in rows) == shops
    assert rows[-1]["band_to_m"] is None
    assert -1 <= rows[0]["corr_reviews"] <= 1


def test_20_the_nearest_station_is_the_nearest_on_the_spheroid(run_script: Any, read: Any) -> None:
    stations = read("SELECT ST_X(geom), ST_Y(geom) FROM v_station")
    lons, lats = map(np.array, zip(*stations, strict=True))
    places = {i: (x, y) for i, x, y in read("SELECT id, ST_X(geom), ST_Y(geom) FROM v_shop_open")}
    rows = run_script("20")
    assert len(rows) == len(places)
    for row in rows[::150]:
        x, y = places[row["shop_id"]]
        distances = GEOD.inv(np.full_like(lons, x), np.full_like(lats, y), lons, lats)[2]
        assert row["distance_m"] == pytest.approx(distances.min(), abs=0.01)


def test_21_twins_are_others_and_the_likest_come_first(run_script: Any) -> None:
    rows = run_script("21")
    by_region: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_region.setdefault(row["region_code"], []).append(row)
    assert len(by_region) > 150
    for code, twins in by_region.items():
        assert [t["rank"] for t in twins] == [1, 2, 3]
        assert code not in {t["twin_code"] for t in twins}
        similar = [t["similarity"] for t in twins]
        assert similar == sorted(similar, reverse=True) and 0 < similar[-1] <= similar[0] <= 1


def test_22_rows_of_one_name_in_one_place_are_found(run_script: Any, read: Any) -> None:
    rows_by_pair = {(row["shop_a"], row["shop_b"]): row for row in run_script("22")}
    shops = read("SELECT id, place_name, ST_X(geom), ST_Y(geom) FROM v_shop_open ORDER BY id")
    by_name: dict[str, list[Any]] = {}
    for shop in shops:
        by_name.setdefault(shop[1].replace(" ", ""), []).append(shop)
    pairs = [p for same in by_name.values() for p in itertools.combinations(same, 2)]
    near = [(a[0], b[0]) for a, b in pairs if GEOD.inv(*a[2:], *b[2:])[2] <= 50]
    assert near and set(near) <= set(rows_by_pair)
    for row in rows_by_pair.values():
        assert row["distance_m"] <= 50 and (row["same_brand"] or row["name_sim"] >= 0.3)


def test_24_no_review_is_lost_or_counted_twice(run_script: Any, read: Any) -> None:
    rows = run_script("24")
    times = [t for (t,) in read("SELECT created_at AT TIME ZONE 'Asia/Seoul' FROM v_review")]
    weeks = Counter(t.date() - dt.timedelta(t.weekday()) for t in times)
    hours = Counter((t.isoweekday(), t.hour) for t in times)
    weekly = {r["week"]: r["reviews"] for r in rows if r["part"] == "week"}
    hourly = {(r["dow"], r["hour"]): r["reviews"] for r in rows if r["part"] == "hour"}
    assert {w: n for w, n in weekly.items() if n} == weeks
    assert len(hourly) == 168 and {h: n for h, n in hourly.items() if n} == hours


def test_25_every_vote_is_in_one_hexagon(run_script: Any, read: Any) -> None:
    rows = run_script("25")
    votes = "(purity <> 'UNSELECTED')::int + (retouch <> 'UNSELECTED')::int + (item <> 'UNSELECTED')::int"
    ((cast,),) = read(f"SELECT sum({votes}) FROM v_review JOIN v_shop_open s ON s.id = shop_id")
    assert sum(row["votes"] for row in rows) == cast
    assert all(0 <= row["purity_good"] <= 1 for row in rows if row["purity_good"] is not None)


def test_few_hospitals_lie_outside_the_district_of_their_address(run_script: Any) -> None:
    total = sum(row["shops"] for row in run_script("07", edge_m="20000"))
    assert len(run_script("23")) < 0.05 * total
