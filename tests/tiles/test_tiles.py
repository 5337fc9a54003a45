"""Tests the contents of tiles, and HTTP responses to requests for them."""

from __future__ import annotations

import math
import random
import re
from datetime import datetime

import pytest
from flask.testing import FlaskClient

from geoshops.tiles.tilejson import LAST_CLUSTER_ZOOM, LAST_ZOOM
from geoshops.web.vector_tiles import MAX_ZOOM
from tests.conftest import ROOT
from tests.make import GANGNAM, Maker
from tests.tiles.conftest import GetFeatures, place
from tests.tiles.mvt import Feature

MVT = "application/vnd.mapbox-vector-tile"
LON, LAT = GANGNAM
GANGNAM_15 = "/tiles/shops/15/{}/{}.mvt".format(*place(*GANGNAM, 15))


def around_gangnam(
    get_features: GetFeatures, z: int, query: str = "allBrands=true"
) -> list[Feature]:
    return get_features(z, *place(*GANGNAM, z), query)


def crowd(make: Maker, count: int = 200) -> list[tuple[float, float]]:
    rng = random.Random(3)
    points = [(rng.gauss(LON, 0.02), rng.gauss(LAT, 0.015)) for _ in range(count)]
    for number, at in enumerate(points):
        make.shop(f"s{number}", at=at)
    return points


def test_from_zoom_15_a_tile_shows_each_shop(make: Maker, get_features: GetFeatures) -> None:
    brand = make.brand("하루필름")
    shop = make.shop("하루필름 강남점", brand_id=brand, status="TEMP_CLOSED")
    make.review(make.member(), shop, star_rating=4)
    make.review(make.member(), shop, star_rating=5)
    make.favorite(make.member(), shop)
    (feature,) = around_gangnam(get_features, 15)
    assert (feature.layer, feature.id) == ("shops", shop)
    assert feature.properties == {
        "shop_id": shop,
        "place_name": "하루필름 강남점",
        "brand_name": "하루필름",
        "status": "TEMP_CLOSED",
        "star_rating_avg": 4.5,
        "review_cnt": 2,
        "favorite_cnt": 1,
    }


@pytest.mark.parametrize("beforehand", [False, True])
def test_below_they_are_clusters_with_count_and_average(
    make: Maker, get_features: GetFeatures, beforehand: bool
) -> None:
    near = [make.shop("a"), make.shop("b", at=(LON + 1e-5, LAT))]
    make.shop("closed", status="CLOSED")
    lonely = make.shop("c", at=(LON + 0.05, LAT))
    for stars in (5, 5, 4):
        make.review(make.member(), near[0], star_rating=stars)
    make.review(make.member(), near[1], star_rating=1)
    if beforehand:
        make.sql("SELECT refresh_tile_grid(now(), 1)")
    alone, cluster = sorted(around_gangnam(get_features, 9), key=lambda f: f.properties["shop_cnt"])
    assert alone.layer == cluster.layer == "clusters"
    assert alone.properties == {
        "shop_cnt": 1,
        "star_rating_avg": 0.0,
        "review_cnt": 0,
        "expansion_zoom": 15,
        "shop_id": lonely,
    }
    assert cluster.properties == {
        "shop_cnt": 2,
        "star_rating_avg": 3.8,
        "review_cnt": 4,
        "expansion_zoom": 15,
    }


def test_sql_python_and_the_page_agree_on_the_zoom_levels(
    make: Maker, get_features: GetFeatures
) -> None:
    make.shop()
    layers = {z: around_gangnam(get_features, z)[0].layer for z in range(MAX_ZOOM + 1)}
    assert [z for z, layer in layers.items() if layer == "clusters"] == [
        *range(LAST_CLUSTER_ZOOM + 1)
    ]
    assert LAST_CLUSTER_ZOOM + 1 == LAST_ZOOM == make.sql("SELECT expansion_zoom(1, 1, 1, 1)")
    crowded = make.sql(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'crowded_tiles_zoom_below_15'"
    )
    assert re.findall(r"\d+", crowded) == ["0", str(LAST_CLUSTER_ZOOM)]
    scripts = [
        ROOT / "geoshops/map/static/js" / name for name in ("map/field.js", "shared/state.js")
    ]
    page = "".join(script.read_text(encoding="utf-8") for script in scripts)
    constants = dict(re.findall(r"const (\w+) = ([\d.]+);", page))
    highest = math.ceil(float(constants["RESULTS_FROM_ZOOM"])) - int(constants["LEVELS_APART"]) - 1
    assert highest <= LAST_CLUSTER_ZOOM


def selected(get_features: GetFeatures, query: str) -> int:
    """Number of shops of the cluster; another test compares live and precomputed clusters."""
    return sum(f.properties["shop_cnt"] for f in around_gangnam(get_features, 10, query))


@pytest.mark.parametrize("beforehand", [False, True])
def test_brands_are_chosen_as_in_the_search(
    make: Maker, get_features: GetFeatures, beforehand: bool
) -> None:
    parent, other = make.brand("인생네컷"), make.brand("하루필름")
    child = make.brand("인생네컷 플러스", representative=False, parent_id=parent)
    small = make.brand("동네네컷", representative=False)
    make.brand_alias(parent, "Life4Cuts")
    for brand, count in ((parent, 1), (child, 2), (other, 4), (small, 8), (None, 16)):
        for _ in range(count):
            make.shop(brand_id=brand)
    if beforehand:
        make.sql("SELECT refresh_tile_grid(now(), 1)")
    assert selected(get_features, "") == 7
    assert selected(get_features, "allBrands=true") == 31
    assert (
        selected(get_features, "brand=인생네컷") == selected(get_features, "brand=life4cuts") == 3
    )
    assert selected(get_features, "brand=인생네컷 플러스") == 2
    assert selected(get_features, "brand=동네네컷&allBrands=true") == 8
    shown = around_gangnam(get_features, 16, "brand=하루필름")
    assert [f.properties["brand_name"] for f in shown] == ["하루필름"] * 4


def test_a_name_that_is_no_brand_is_rejected(client: FlaskClient, make: Maker) -> None:
    make.brand("인생네컷")
    for path in (GANGNAM_15, "/tiles/shops.json"):
        response = client.get(f"{path}?brand=nobody")
        assert (response.status_code, response.json["error_code"]) == (400, "002")
        assert "인생네컷" in response.json["error_message"]


def cells(points: list[tuple[float, float]], z: int) -> set[tuple[int, int]]:
    return {place(lon, lat, z + 6) for lon, lat in points}


@pytest.mark.parametrize("beforehand", [False, True])
def test_a_cluster_falls_apart_at_its_expansion_zoom(
    make: Maker, get_features: GetFeatures, beforehand: bool
) -> None:
    points = crowd(make)
    if beforehand:
        make.sql("SELECT refresh_tile_grid(now(), 1)")
    z, seen = 8, set()
    x, y = place(*GANGNAM, z)
    for cluster in get_features(z, x, y):
        cell = (64 * x + cluster.x // 64, 64 * y + cluster.y // 64)
        inside = [at for at in points if place(*at, z + 6) == cell]
        expansion = cluster.properties["expansion_zoom"]
        assert len(inside) == cluster.properties["shop_cnt"]
        assert all(len(cells(inside, before)) == 1 for before in range(z, expansion))
        assert expansion == 15 or len(cells(inside, expansion)) > 1
        seen.add(expansion)
    assert len(seen) > 2


def test_shops_at_one_place_are_separate_from_zoom_15(
    make: Maker, get_features: GetFeatures
) -> None:
    crowd(make, 0)
    make.shop(), make.shop()
    assert [f.properties["expansion_zoom"] for f in around_gangnam(get_features, 3)] == [15]
    assert len(around_gangnam(get_features, 15)) == 2


def test_a_tile_without_shops_is_empty(client: FlaskClient) -> None:
    response = client.get(GANGNAM_15)
    assert (response.status_code, response.mimetype, response.data) == (200, MVT, b"")


def test_tiles_may_be_kept_a_minute_and_are_revalidated(client: FlaskClient, make: Maker) -> None:
    make.shop()
    first = client.get(GANGNAM_15)
    assert first.headers["Cache-Control"] == "public, max-age=60"
    assert first.headers["ETag"].startswith('W/"')
    again = client.get(GANGNAM_15, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    make.shop("another")
    changed = client.get(GANGNAM_15, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200


@pytest.mark.parametrize(
    "path",
    ["21/0/0", "3/8/0", "3/0/8", "0/0/1", f"{10**12}/0/0", f"3/{10**30}/0", "3/-1/0", "a/0/0"],
)
def test_a_tile_outside_the_world_is_not_found(client: FlaskClient, path: str) -> None:
    response = client.get(f"/tiles/shops/{path}.mvt")
    assert (response.status_code, response.json["error_code"]) == (404, "404")


def test_only_vector_tiles_are_to_be_had(client: FlaskClient) -> None:
    assert client.get(GANGNAM_15, headers={"Accept": MVT}).status_code == 200
    assert client.get(GANGNAM_15, headers={"Accept": "image/png"}).status_code == 406


def test_tilejson_reports_address_layers_and_age(client: FlaskClient, make: Maker) -> None:
    make.brand("인생네컷")
    tilejson = client.get("/tiles/shops.json?brand=인생네컷").json
    assert tilejson["tiles"] == [
        "http://localhost/tiles/shops/{z}/{x}/{y}.mvt?brand=%EC%9D%B8%EC%83%9D%EB%84%A4%EC%BB%B7"
    ]
    assert (tilejson["tilejson"], tilejson["minzoom"], tilejson["maxzoom"]) == ("3.0.0", 0, 15)
    assert "an hour old" in tilejson["description"]
    assert tilejson["clusters_refreshed_at"] is None
    make.shop()
    make.sql("SELECT refresh_tile_grid('2026-11-20 10:00+09', 1)")
    refreshed_at = client.get("/tiles/shops.json").json["clusters_refreshed_at"]
    assert datetime.fromisoformat(refreshed_at) == datetime.fromisoformat(
        "2026-11-20T01:00:00+00:00"
    )


def test_tilejson_names_the_fields_that_are_there(
    client: FlaskClient, make: Maker, get_features: GetFeatures
) -> None:
    make.shop()
    fields = {
        layer["id"]: set(layer["fields"])
        for layer in client.get("/tiles/shops.json").json["vector_layers"]
    }
    for zoom in (12, 15):
        (feature,) = around_gangnam(get_features, zoom)
        assert set(feature.properties) == fields[feature.layer] - {"approximate"}
