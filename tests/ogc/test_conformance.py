"""The abstract tests of OGC API Features, part 1, version 1.0.1, annex A: classes Core and GeoJSON, each by its id.

OGC's executable suite needs Java and packages of Maven Central; these tests implement annex A over HTTP. The
ids without a test of their own: fc-timeStamp (the property is optional and not sent)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
import requests
from flask.testing import FlaskClient
from openapi_spec_validator import validate

from tests.conftest import SECRET_KEY
from tests.make import GANGNAM, Maker
from tests.server import serving

ROOT = "/ogc"
JSON, GEOJSON = "application/json", "application/geo+json"
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
CONF = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf"
FORM = {"in": "query", "required": False, "style": "form", "explode": False}
NAMES = ("shops", "regions", "stations")
every_collection = pytest.mark.parametrize("name", NAMES)
TIMES = ("2024-05-01T00:00:00Z", "2024-05-01t09:00:00.25+09:00")


@pytest.fixture
def shops(make: Maker) -> list[int]:
    """Shops in Seoul with and without a day of opening, one across the sea, and one that is closed."""
    here = [make.shop(f"{n}호점", at=(GANGNAM[0] + n / 100, GANGNAM[1])) for n in range(4)]
    here.append(make.shop("개점일", at=GANGNAM, opened_on="2024-05-01"))
    away = make.shop("제주점", at=(126.5312, 33.4996))
    make.shop("폐점", status="CLOSED")
    return [*here, away]


@pytest.fixture
def others(make: Maker) -> dict[str, list[int]]:
    """Regions with a boundary, and stations."""
    boundary = "SRID=4326;MULTIPOLYGON(((126 37, 128 37, 128 38, 126 37)))"
    regions = [
        make.insert("regions", level="sido", name=f"{n}도", boundary=boundary) for n in range(3)
    ]
    make.sql("SELECT cut_boundaries(%s)", regions)
    stations = [make.station(f"{n}번", at=(127 + n / 10, 37.1)) for n in range(3)]
    return {"regions": regions, "stations": stations}


def document(client: FlaskClient, address: str, **headers: str) -> Any:
    """The JSON document at an address; asserts status 200."""
    response = client.get(address.removeprefix("http://localhost"), headers=headers)
    assert response.status_code == 200, (address, response.text)
    return response.get_json(force=True)


def hrefs(body: Any, rel: str) -> list[str]:
    """The addresses of the links with a relation; asserts that every link has relation and type."""
    assert all(link["rel"] and link["type"] and link["href"] for link in body["links"])
    return [link["href"] for link in body["links"] if link["rel"] == rel]


def ids(client: FlaskClient, query: str = "") -> list[int]:
    """Identifiers of the items of one page."""
    return [feature["id"] for feature in document(client, f"{items_of(client)}{query}")["features"]]


def items_of(client: FlaskClient, name: str = "shops") -> str:
    listed = document(client, f"{ROOT}/collections")["collections"]
    (collection,) = [collection for collection in listed if collection["id"] == name]
    return f"{ROOT}/collections/{collection['id']}/items"


def parameters(client: FlaskClient, name: str) -> dict[str, Any]:
    """The query parameters of a collection's items by name, as the API definition has them."""
    (address,) = hrefs(document(client, ROOT), "service-desc")
    operation = document(client, address)["paths"][items_of(client, name)]["get"]
    return {p["name"]: p for p in operation["parameters"]}


def test_core_http(database_url: str) -> None:
    with serving(database_url, SECRET_KEY) as origin:
        response = requests.get(f"{origin}{ROOT}", timeout=10)
    assert (response.status_code, response.raw.version) == (200, 11)


@pytest.mark.parametrize("root", [ROOT, f"{ROOT}/"])
def test_core_root_op_and_success(client: FlaskClient, root: str) -> None:
    landing = document(client, root)
    assert hrefs(landing, "service-desc") and hrefs(landing, "service-doc")
    assert hrefs(landing, "conformance") and hrefs(landing, "data") and hrefs(landing, "self")
    assert isinstance(landing["title"], str) and isinstance(landing["description"], str)


def test_core_api_definition_op_and_success(client: FlaskClient) -> None:
    landing = document(client, ROOT)
    for address in hrefs(landing, "service-desc"):
        validate(document(client, address))
    for address in hrefs(landing, "service-doc"):
        assert client.get(address.removeprefix("http://localhost")).mimetype == "text/html"


def test_core_conformance_op_and_success(client: FlaskClient) -> None:
    for address in (f"{ROOT}/conformance", *hrefs(document(client, ROOT), "conformance")):
        assert document(client, address)["conformsTo"][:2] == [f"{CONF}/core", f"{CONF}/geojson"]


def test_core_fc_md_op_success_links_and_items(client: FlaskClient, shops: list[int]) -> None:
    for address in (f"{ROOT}/collections", *hrefs(document(client, ROOT), "data")):
        listed = document(client, address)
        assert len(hrefs(listed, "self")) == 1
        assert tuple(collection["id"] for collection in listed["collections"]) == NAMES
        for collection in listed["collections"]:
            assert collection["itemType"] == "feature" and CRS84 in collection["crs"]
            types = {link["type"] for link in collection["links"] if link["rel"] == "items"}
            assert types == {GEOJSON, JSON}
            hrefs(collection, "items")


def positions(coordinates: Any) -> Iterator[list[float]]:
    """All positions of a geometry's coordinates, however deep."""
    if isinstance(coordinates[0], list):
        for part in coordinates:
            yield from positions(part)
    else:
        yield coordinates


def test_core_fc_md_extent_holds_every_feature(
    client: FlaskClient, shops: list[int], others: dict[str, list[int]]
) -> None:
    for collection in document(client, f"{ROOT}/collections")["collections"]:
        spatial = collection["extent"]["spatial"]
        assert spatial["crs"] == CRS84 and "temporal" not in collection["extent"]
        west, south, east, north = spatial["bbox"][0]
        features = document(client, items_of(client, collection["id"]))["features"]
        assert len(features) >= 3
        for feature in features:
            for lng, lat in positions(feature["geometry"]["coordinates"]):
                assert west <= lng <= east and south <= lat <= north


def test_core_sfc_md_op_and_success(client: FlaskClient, shops: list[int]) -> None:
    for collection in document(client, f"{ROOT}/collections")["collections"]:
        assert document(client, f"{ROOT}/collections/{collection['id']}") == collection


@pytest.mark.parametrize("query", ["", "?limit=3", "?bbox=126,37,128,38"])
def test_core_fc_op_response_links_and_numbers(
    client: FlaskClient, shops: list[int], query: str
) -> None:
    page = document(client, f"{items_of(client)}{query}")
    assert page["type"] == "FeatureCollection" and isinstance(page["features"], list)
    assert page["numberReturned"] == len(page["features"]) > 0
    expected = shops[:5] if "bbox" in query else shops
    assert page["numberMatched"] == len(expected)
    (own,), (other,) = hrefs(page, "self"), hrefs(page, "alternate")
    assert own == other and document(client, own) == page
    assert document(client, other, Accept=JSON) == page
    assert "timeStamp" not in page


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("query", ["", "?bbox=126,37,128,38", "?datetime=2024-05-01T00:00:00Z"])
def test_core_fc_op_of_the_other_collections(
    client: FlaskClient, others: dict[str, list[int]], name: str, query: str
) -> None:
    page = document(client, f"{items_of(client, name)}{query}")
    assert [feature["id"] for feature in page["features"]] == others[name]
    assert page["numberReturned"] == page["numberMatched"] == 3
    (own,), (other,) = hrefs(page, "self"), hrefs(page, "alternate")
    assert document(client, own) == page == document(client, other, Accept=JSON)
    for key, listed in zip(others[name], page["features"], strict=True):
        feature = document(client, f"{items_of(client, name)}/{key}")
        assert {part: feature[part] for part in listed} == listed
        (collection,) = hrefs(feature, "collection")
        assert document(client, collection)["id"] == name
        (itself,) = hrefs(feature, "self")
        assert document(client, itself) == feature


@every_collection
def test_core_fc_bbox_definition(client: FlaskClient, name: str) -> None:
    box = parameters(client, name)["bbox"]
    del box["description"], box["example"]
    sizes = [{"minItems": n, "maxItems": n} for n in (4, 6)]
    # OGC's executable suite looks for the limits outside of oneOf
    schema = {
        "type": "array",
        "items": {"type": "number"},
        "minItems": 4,
        "maxItems": 6,
        "oneOf": sizes,
    }
    assert box == {"name": "bbox", "schema": schema, **FORM}


@pytest.mark.parametrize(
    "box",
    ["126.9,37.4,127.1,37.6", "126.9,37.4,-100,127.1,37.6,1e3", "126.9,37.4,50,127.1,37.6,50"],
)
def test_core_fc_bbox_response(client: FlaskClient, shops: list[int], box: str) -> None:
    assert ids(client, f"?bbox={box}") == shops[:5]
    assert ids(client, f"?bbox={quote(box)}&limit=2") == shops[:2]
    page = document(client, f"{items_of(client)}?bbox={box}&limit=2")
    (following,) = hrefs(page, "next")
    assert [f["id"] for f in document(client, following)["features"]] == shops[2:4]


@every_collection
def test_core_fc_limit_definition(client: FlaskClient, name: str) -> None:
    limit = parameters(client, name)["limit"]
    most, default = (1000, 100) if name == "regions" else (10_000, 1000)
    assert limit["schema"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": most,
        "default": default,
    }
    assert {key: limit[key] for key in FORM} == FORM


@pytest.mark.parametrize("limit", [1, 5, 10_000, 10_001, 10**17])
def test_core_fc_limit_response(client: FlaskClient, shops: list[int], limit: int) -> None:
    assert ids(client, f"?limit={limit}") == shops[:limit]


@every_collection
def test_core_fc_time_definition(client: FlaskClient, name: str) -> None:
    time = parameters(client, name)["datetime"]
    del time["description"], time["example"]
    assert time == {"name": "datetime", "schema": {"type": "string"}, **FORM}


@pytest.mark.parametrize(
    "interval",
    [*TIMES, *(f"{a}/{b}" for a, b in (("..", TIMES[0]), ("", TIMES[0]), (TIMES[0], ".."), (TIMES[0], ""))),
     f"{TIMES[0]}/{TIMES[1]}", "1900-01-01T00:00:00Z/1900-01-02T00:00:00Z"],
)  # fmt: skip
def test_core_fc_time_response(client: FlaskClient, shops: list[int], interval: str) -> None:
    # no feature is associated with a temporal geometry: each matches every time
    assert ids(client, f"?datetime={quote(interval)}") == shops
    both = f"?datetime={quote(interval)}&bbox=126.9,37.4,127.1,37.6&limit=2"
    page = document(client, f"{items_of(client)}{both}")
    (following,) = hrefs(page, "next")
    assert "datetime=" in following
    assert [f["id"] for f in document(client, following)["features"]] == shops[2:4]


@pytest.mark.parametrize(
    "query", ["limit=-1", "limit=ten", "bbox=1,2,3", "bbox=a,b,c,d", "datetime=yesterday"]
)
@every_collection
def test_core_query_param_invalid(client: FlaskClient, name: str, query: str) -> None:
    response = client.get(f"{items_of(client, name)}?{query}")
    assert (response.status_code, response.get_json()["error_code"]) == (400, "002")


@every_collection
def test_core_query_param_unknown(client: FlaskClient, shops: list[int], name: str) -> None:
    for path in ("", "/conformance", "/collections", f"/collections/{name}", f"/collections/{name}/queryables",
                 f"/collections/{name}/items", f"/collections/{name}/items/{shops[0]}"):  # fmt: skip
        for query in (
            "unknown=1",
            "UNKNOWN",
            "limit=1&%EC%95%8C=1" if path.endswith("items") else "limit=1",
        ):
            response = client.get(f"{ROOT}{path}?{query}")
            assert (response.status_code, response.get_json()["error_code"]) == (400, "002"), path


def test_core_f_op_success_and_links(client: FlaskClient, shops: list[int]) -> None:
    for shop in shops:
        feature = document(client, f"{items_of(client)}/{shop}")
        assert (feature["type"], feature["id"]) == ("Feature", shop)
        (own,), (other,) = hrefs(feature, "self"), hrefs(feature, "alternate")
        assert document(client, own) == feature == document(client, other, Accept=JSON)
        (collection,) = hrefs(feature, "collection")
        assert document(client, collection)["id"] == "shops"


def test_core_crs84_longitude_comes_first(client: FlaskClient, shops: list[int]) -> None:
    feature = document(client, f"{items_of(client)}/{shops[0]}")
    assert feature["geometry"] == {"type": "Point", "coordinates": list(GANGNAM)}


def test_geojson_definition_and_content(client: FlaskClient, shops: list[int]) -> None:
    for path, mimetype in (
        ("", JSON),
        ("/conformance", JSON),
        ("/collections", JSON),
        ("/collections/shops", JSON),
        ("/collections/shops/items", GEOJSON),
        (f"/collections/shops/items/{shops[0]}", GEOJSON),
    ):
        wanted = f"{GEOJSON}, {JSON};q=0.5"
        response = client.get(f"{ROOT}{path}", headers={"Accept": wanted})
        assert (response.status_code, response.mimetype) == (200, mimetype), path
    for feature in document(client, items_of(client))["features"]:
        assert set(feature) >= {"type", "id", "geometry", "properties"}
        assert (
            feature["geometry"]["type"] == "Point" and len(feature["geometry"]["coordinates"]) == 2
        )
