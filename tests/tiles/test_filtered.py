"""Tests tiles with search filters: they show the same shops, and cluster counts add up to the search's count."""

from __future__ import annotations

import random

import pytest
from flask.testing import FlaskClient

from tests.make import GANGNAM, Maker
from tests.tiles.conftest import GetFeatures, place
from tests.tiles.mvt import decode

WORLD = "bbox=-180,-90,180,90&page=1&size=1&userLat=37.5&userLng=127&mapLat=37.5&mapLng=127"
ALL_DAY = [{"day": day, "open": "00:00", "close": "24:00"} for day in range(1, 8)]
FILTERS = (
    "minRating=3.5",
    "openNow=true",
    "clean=0.3",
    "retouch=0.2&minRating=2",
    "props=0.1",
    "openNow=true&clean=0.1&minRating=3",
)
BRANDS = ("allBrands=true", "", "brand=인생네컷", "brand=동네네컷")
GOOD, BAD = "GOOD", "BAD"


def country(make: Maker, count: int = 150) -> None:
    """Shops of two brands in two crowds; some are open now, some have reviews with votes."""
    rng = random.Random(17)
    brands = [make.brand("인생네컷"), make.brand("동네네컷", representative=False), None]
    member = make.member()
    for number in range(count):
        lon, lat = rng.choice([GANGNAM, (129.06, 35.16)])
        at = (rng.gauss(lon, 0.05), rng.gauss(lat, 0.05))
        hours = ALL_DAY if rng.random() < 0.4 else []
        shop = make.shop(
            f"s{number}", at=at, brand_id=rng.choice(brands), opening_hours=hours,
            status="TEMP_CLOSED" if rng.random() < 0.1 else "OPEN",
        )  # fmt: skip
        for _ in range(rng.randrange(4)):
            purity, retouch, item = (rng.choice((GOOD, GOOD, BAD, "UNSELECTED")) for _ in range(3))
            make.review(
                member, shop, star_rating=rng.randint(1, 5), purity=purity, retouch=retouch, item=item
            )  # fmt: skip


def count_shops(client: FlaskClient, query: str) -> int:
    """The number of shops that a search finds in the whole world."""
    response = client.get(f"/shops/brand?{WORLD}&{query}")
    assert response.status_code == 200, response.json
    return int(response.headers["X-Total-Count"])


@pytest.mark.parametrize("beforehand", [False, True], ids=["live", "crowded"])
def test_clusters_add_up_to_what_the_search_finds(
    make: Maker, client: FlaskClient, get_features: GetFeatures, beforehand: bool
) -> None:
    country(make)
    if beforehand:
        make.sql("SELECT refresh_tile_grid(now(), 1)")
    counts = set()
    for filters in FILTERS:
        for brand in BRANDS:
            query = f"{brand}&{filters}"
            shown = sum(f.properties["shop_cnt"] for f in get_features(0, 0, 0, query))
            assert shown == count_shops(client, query), query
            counts.add(shown)
    assert len(counts) > 8 and max(counts) < count_shops(client, "allBrands=true")


def test_from_zoom_15_only_shops_that_pass_are_shown(
    make: Maker, client: FlaskClient, get_features: GetFeatures
) -> None:
    make.shop("open", opening_hours=ALL_DAY)
    make.shop("unknown")
    shown = get_features(15, *place(*GANGNAM, 15), "allBrands=true&openNow=true")
    assert [f.properties["place_name"] for f in shown] == ["open"]


@pytest.mark.parametrize("filters", ["minRating=6", "clean=x", "openNow=perhaps", "props=-0.1"])
def test_filters_are_checked_as_in_the_search(client: FlaskClient, filters: str) -> None:
    search = client.get(f"/shops/brand?{WORLD}&{filters}")
    for path in ("/tiles/shops/0/0/0.mvt", "/tiles/shops.json"):
        response = client.get(f"{path}?{filters}")
        assert (response.status_code, response.json) == (400, search.json)


def test_the_description_carries_the_filters_on(client: FlaskClient) -> None:
    (address,) = client.get("/tiles/shops.json?openNow=true&minRating=4").json["tiles"]
    assert address.endswith("{y}.mvt?minRating=4&openNow=true")


ESTIMATED = "SELECT shops_tile(0, 0, 0, 0, jsonb_populate_record(NULL::shop_filters, %s), %s)"


def test_of_too_many_shops_the_share_that_passes_is_estimated_and_marked(make: Maker) -> None:
    country(make, 400)
    make.sql("SELECT refresh_tile_grid(now(), 1)")
    minute = make.sql("SELECT minute_of_week(now(), 'Asia/Seoul')")
    filters = f'{{"open_minute": {minute}}}'
    exact, estimate = (decode(bytes(make.sql(ESTIMATED, filters, most))) for most in (400, 399))
    total = sum(f.properties["shop_cnt"] for f in exact)
    assert all("approximate" not in f.properties for f in exact)
    assert all(f.properties["approximate"] is True for f in estimate)
    assert "shop_id" not in {name for f in estimate for name in f.properties}
    # nearly every page is sampled: the share is correct except for the smoothing by ten shops
    assert abs(sum(f.properties["shop_cnt"] for f in estimate) - total) < 0.2 * total
