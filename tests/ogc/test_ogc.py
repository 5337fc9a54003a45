"""Tests OGC API Features: documents, pages, errors."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.make import GANGNAM, Maker

ITEMS = "/ogc/collections/shops/items"
GEOJSON = "application/geo+json"


def links(body: Any) -> dict[str, str]:
    return {link["rel"]: link["href"] for link in body["links"]}


def relative(address: str) -> str:
    return address.removeprefix("http://localhost")


def walk(client: FlaskClient, address: str) -> list[list[int]]:
    """Ids by page, following the links."""
    pages = []
    while address:
        body = client.get(address).json
        pages.append([feature["id"] for feature in body["features"]])
        assert body["numberReturned"] == len(pages[-1])
        address = relative(links(body).get("next", ""))
    return pages


def test_the_landing_page_leads_everywhere(client: FlaskClient) -> None:
    landing = client.get("/ogc").json
    for rel in ("self", "service-desc", "service-doc", "conformance", "data"):
        assert client.get(relative(links(landing)[rel])).status_code == 200, rel
    collections = client.get(relative(links(landing)["data"])).json
    assert [item["id"] for item in collections["collections"]] == ["shops", "regions", "stations"]
    for collection in collections["collections"]:
        assert collection == client.get(relative(links(collection)["self"])).json
        assert client.get(relative(links(collection)["items"])).mimetype == GEOJSON


def test_it_conforms_to_core_geojson_and_filters(client: FlaskClient) -> None:
    classes = client.get("/ogc/conformance").json["conformsTo"]
    assert [name.rsplit("/", 1)[1] for name in classes] == [
        "core", "geojson", "filter", "features-filter", "queryables",
        "cql2-text", "basic-cql2", "advanced-comparison-operators", "basic-spatial-functions",
    ]  # fmt: skip


def test_the_extent_is_that_of_the_shops(client: FlaskClient, make: Maker) -> None:
    def extent() -> Any:
        return client.get("/ogc/collections/shops").json["extent"]["spatial"]["bbox"]

    assert extent() == [[-180, -90, 180, 90]]
    for at in ((126.5, 33.25), (129.4, 37.0), (127.0, 38.5)):
        make.shop(at=at)
    make.shop(at=(0.0, 0.0), status="CLOSED")
    assert extent() == [[126.5, 33.25, 129.4, 38.5]]


def test_a_shop_is_a_feature_with_everything_flat(client: FlaskClient, make: Maker) -> None:
    shop = make.shop(
        road_address="서울 강남구 강남대로 1", opened_on="2024-05-01", phone="02-1",
        sigungu_id=make.region("강남구", parent=make.region("서울특별시", level="sido")),
    )  # fmt: skip
    make.review(make.member(), shop, star_rating=4)
    feature = client.get(f"{ITEMS}/{shop}").json
    assert feature["geometry"] == {"type": "Point", "coordinates": list(GANGNAM)}
    assert (feature["type"], feature["id"]) == ("Feature", shop)
    assert feature["properties"] == {
        "place_name": "인생네컷 강남역점", "brand_name": "인생네컷", "place_address": "서울 강남구 강남대로 1",
        "sido": None, "sigungu": "강남구", "dong": None, "status": "OPEN", "star_rating_avg": 4.0,
        "review_cnt": 1, "favorite_cnt": 0, "phone": "02-1", "homepage": "", "opened_on": "2024-05-01",
    }  # fmt: skip
    assert relative(links(feature)["self"]) == f"{ITEMS}/{shop}"
    (listed,) = client.get(ITEMS).json["features"]
    assert listed == {key: feature[key] for key in listed}


def test_closed_and_unknown_shops_are_no_items(client: FlaskClient, make: Maker) -> None:
    closed = make.shop(status="CLOSED")
    assert client.get(ITEMS).json["features"] == []
    for key in (closed, 12345, 10**25):
        response = client.get(f"{ITEMS}/{key}")
        assert (response.status_code, response.json["error_code"]) == (404, "404")


@pytest.mark.parametrize(("size", "pages"), [(1, 7), (3, 3), (7, 1), (8, 1)])
def test_the_links_lead_through_all_pages(
    client: FlaskClient, make: Maker, size: int, pages: int
) -> None:
    shops = [make.shop() for _ in range(7)]
    ids_by_page = walk(client, f"{ITEMS}?limit={size}")
    assert [shop for page in ids_by_page for shop in page] == shops
    assert len(ids_by_page) == pages


def test_what_comes_and_goes_meanwhile_moves_no_page(client: FlaskClient, make: Maker) -> None:
    shops = [make.shop() for _ in range(6)]
    first = client.get(f"{ITEMS}?limit=3").json
    make.sql("UPDATE shops SET status = 'CLOSED' WHERE id = ANY (%s)", [shops[0], shops[4]])
    late = make.shop()
    assert walk(client, relative(links(first)["next"])) == [[shops[3], shops[5], late]]


def test_a_box_chooses_and_stays_in_the_links(client: FlaskClient, make: Maker) -> None:
    inside = [make.shop(at=(127.0 + n / 100, 37.5)) for n in range(4)]
    make.shop(at=(129.0, 35.0))
    assert walk(client, f"{ITEMS}?bbox=126.9,37,127.03,38&limit=3") == [inside[:3], inside[3:]]
    assert walk(client, f"{ITEMS}?bbox=0,0,1,1") == [[]]


def test_a_box_may_cross_the_180th_meridian(client: FlaskClient, make: Maker) -> None:
    pair = [make.shop(at=(179.9, 0.0)), make.shop(at=(-179.9, 0.0))]
    make.shop()
    assert walk(client, f"{ITEMS}?bbox=179,-1,-179,1") == [pair]


def test_matches_are_counted_on_the_first_page(client: FlaskClient, make: Maker) -> None:
    make.shop(at=(0.0, 0.0))
    for _ in range(3):
        make.shop()
    first = client.get(f"{ITEMS}?limit=2&bbox=126,37,128,38").json
    assert first["numberMatched"] == 3
    assert "numberMatched" not in client.get(relative(links(first)["next"])).json
    assert client.get(f"{ITEMS}?limit=2").json["numberMatched"] == 4
    assert client.get(f"{ITEMS}?bbox=1,1,2,2").json["numberMatched"] == 0


def test_a_huge_limit_is_the_largest_page(client: FlaskClient, make: Maker) -> None:
    make.sql(
        "INSERT INTO shops (place_name, geog) SELECT 'x', 'SRID=4326;POINT(127 37)' FROM generate_series(1, 10001)"
    )
    body = client.get(f"{ITEMS}?limit=1000000").json
    assert body["numberReturned"] == 10_000
    assert "numberMatched" not in body
    assert len(walk(client, f"{ITEMS}?limit=1000000")[1]) == 1


@pytest.mark.parametrize(
    ("query", "name"),
    [("limit=0", "limit"), ("limit=x", "limit"), ("bbox=1,2,3", "bbox"), ("bbox=0,91,1,92", "bbox"), ("after=-1", "after"),
     ("bbox=1,2,3,4,5", "bbox"), ("bbox=126,37,x,128,38,1", "bbox"), ("bbox=126,37,9,128,38,1", "bbox"),
     ("bbox=126,37,0,128,91,1", "bbox"), ("bbox=126,37,0,128,38,nan", "bbox"), ("bbox=1,2,3,4,5,6,7", "bbox"),
     ("datetime=2024", "datetime"), ("datetime=../..", "datetime"), ("datetime=/", "datetime"),
     ("datetime=2024-13-01T00:00:00Z", "datetime"), ("datetime=2024-01-01T00:00:00", "datetime"),
     ("datetime=2024-02-01T00:00:00Z/2024-01-01T00:00:00Z", "datetime"), ("datetime=..", "datetime"),
     ("datetime=2024-01-01T00:00:00Z/../..", "datetime"), ("limit=1&limit=2", "limit"), ("x=", "x"), ("BBOX=0,0,1,1", "BBOX")],
)  # fmt: skip
def test_bad_values_are_rejected_in_the_form_of_the_contract(
    client: FlaskClient, query: str, name: str
) -> None:
    response = client.get(f"{ITEMS}?{query}")
    assert (response.status_code, response.json["error_code"]) == (400, "002")
    assert response.json["error_message"].startswith(f"[{name}]")


def test_another_collection_is_not_found(client: FlaskClient) -> None:
    response = client.get("/ogc/collections/reviews/items")
    assert (response.status_code, response.json["error_code"]) == (404, "404")


@pytest.mark.parametrize(
    ("accept", "status", "mimetype"),
    [
        ("application/json", 200, "application/json"),
        ("application/geo+json, application/json", 200, GEOJSON),
        ("text/html,*/*;q=0.8", 200, GEOJSON),
        ("application/gml+xml", 406, "application/json"),
    ],
)
def test_the_client_chooses_the_name_of_the_type(
    client: FlaskClient, accept: str, status: int, mimetype: str
) -> None:
    response = client.get(ITEMS, headers={"Accept": accept})
    assert (response.status_code, response.mimetype) == (status, mimetype)
