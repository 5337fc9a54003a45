"""Tests regions and stations as collections of OGC API Features."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from geoshops.database.statements import with_values
from geoshops.ogc.collections import COLLECTIONS, Collection
from geoshops.ogc.queries import STATEMENTS
from tests.make import GANGNAM, Maker

GRID = """
INSERT INTO regions (level, name, boundary)
SELECT 'sido', 'g' || n, ST_Multi(ST_MakeEnvelope(n % 60, n / 60, n % 60 + 1, n / 60 + 1, 4326))
FROM generate_series(0, 3599) n;
SELECT cut_boundaries(array_agg(id)) FROM regions;
INSERT INTO stations (name, geog) SELECT 's' || n, point_at(n % 60, n / 60) FROM generate_series(0, 3599) n;
ANALYZE regions, region_parts, stations"""
SHOPS = "/ogc/collections/shops"
REGIONS, STATIONS = "/ogc/collections/regions", "/ogc/collections/stations"


def bounded(
    make: Maker,
    name: str,
    *boxes: tuple[float, float, float, float],
    level: str = "sido",
    parent: int | None = None,
    **more: object,
) -> int:
    """A region of these boxes with its pieces; their rings run clockwise."""
    rings = (f"(({w} {s},{w} {n},{e} {n},{e} {s},{w} {s}))" for w, s, e, n in boxes)
    boundary = f"SRID=4326;MULTIPOLYGON({','.join(rings)})"
    region = int(
        make.insert("regions", name=name, level=level, parent_id=parent, boundary=boundary, **more)
    )
    make.sql("SELECT cut_boundaries(ARRAY[%s]::bigint[])", region)
    return region


def ids(client: FlaskClient, path: str, **query: object) -> list[int]:
    """Identifiers of the items of a page that is complete."""
    response = client.get(f"{path}/items", query_string=query)
    assert response.status_code == 200, response.text
    feature_ids = [feature["id"] for feature in response.json["features"]]
    assert response.json["numberMatched"] == response.json["numberReturned"] == len(feature_ids)
    return feature_ids


def test_a_region_is_a_multipolygon_with_its_names(client: FlaskClient, make: Maker) -> None:
    sido = bounded(make, "서울특별시", (126.8, 37.4, 127.2, 37.7), name_en="Seoul", code="11")
    gu = bounded(
        make, "강남구", (127.00000004, 37.46, 127.1, 37.53), level="sigungu", parent=sido, name_en="Gangnam-gu"
    )  # fmt: skip
    dong = make.region("역삼동", level="dong", parent=gu)
    feature = client.get(f"{REGIONS}/items/{gu}").json
    assert feature["geometry"] == {
        "type": "MultiPolygon",
        "coordinates": [[[[127, 37.46], [127.1, 37.46], [127.1, 37.53], [127, 37.53], [127, 37.46]]]],
    }  # fmt: skip
    assert feature["properties"] == {
        "level": "sigungu", "name": "강남구", "full_name": "서울특별시 강남구", "name_en": "Gangnam-gu", "code": str(gu),
        "parent_id": sido, "sido": "서울특별시",
    }  # fmt: skip
    listed = client.get(f"{REGIONS}/items").json["features"]
    assert [(item["id"], item["geometry"] is None) for item in listed] == [
        (sido, False), (gu, False), (dong, True),
    ]  # fmt: skip
    assert listed[0]["properties"]["code"] == "11"
    assert listed[2]["properties"]["full_name"] == "서울특별시 강남구 역삼동"
    assert listed[2]["properties"]["sido"] == "서울특별시"
    assert listed[1] == {key: feature[key] for key in listed[1]}


def test_a_station_is_a_point_with_its_line(client: FlaskClient, make: Maker) -> None:
    station = make.station("강남", at=GANGNAM, name_en="Gangnam", line="2호선")
    feature = client.get(f"{STATIONS}/items/{station}").json
    assert feature["geometry"] == {"type": "Point", "coordinates": list(GANGNAM)}
    assert feature["properties"] == {"name": "강남", "name_en": "Gangnam", "line": "2호선"}
    assert [link["rel"] for link in feature["links"]] == ["self", "alternate", "collection"]


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ("127.1,37.1,127.2,37.2", ["square"]), ("127.3,37.3,130,38", ["square", "pair"]), ("0,0,180,90", ["square", "pair", "date line"]),
        ("127,37.9,127,37.9", ["square"]), ("126,37.5,127,37.5", ["square"]), ("128.5,37.1,128.6,37.9", []),
        ("128.05,37.05,129.05,37.06", ["pair"]), ("170,-10,-170,10", ["date line"]), ("179.95,5,-179,6", []),
        ("-180,-90,180,90", ["square", "pair", "date line"]), ("127,38,9,127,38,9", ["square"]),
    ],
)  # fmt: skip
def test_a_box_finds_the_regions_that_it_touches(
    client: FlaskClient, make: Maker, box: str, expected: list[str]
) -> None:
    regions = {
        "square": bounded(make, "서울특별시", (127, 37, 128, 38)),
        "pair": bounded(make, "부산광역시", (128, 37, 128.1, 37.1), (129, 37, 129.1, 38)),
        "date line": bounded(make, "제주특별자치도", (179.9, -1, 180, 1), (-180, -1, -179.9, 1)),
        "without boundary": make.region("대구광역시", level="sido"),
    }
    assert ids(client, REGIONS, bbox=box) == sorted(regions[name] for name in expected)


def test_a_region_without_a_boundary_neither_intersects_nor_not(
    client: FlaskClient, make: Maker
) -> None:
    near = bounded(make, "서울특별시", (127, 37, 128, 38))
    pair = bounded(make, "부산광역시", (128, 35, 128.1, 36), (129, 35, 129.1, 36))
    make.region("대구광역시", level="sido")
    condition = "S_INTERSECTS(geometry, BBOX(128.05, 35.1, 130, 35.2))"
    assert ids(client, REGIONS, filter=condition) == [pair]
    assert ids(client, REGIONS, filter=f"NOT {condition}") == [near]
    # between the two parts
    between = "S_INTERSECTS(geometry, LINESTRING(128.5 35, 128.6 36))"
    assert ids(client, REGIONS, filter=between) == []
    assert ids(client, REGIONS, filter=condition, bbox="127,37,128,38") == []


@pytest.mark.parametrize(
    ("box", "expected"),
    [("126,37,127.0276,38", [0]), ("129.05,35,129.07,36", [1]), ("179,-1,-179,1", [2, 3]), ("-180,-90,180,90", [0, 1, 2, 3]),
     ("127.0276,37.4979,127.0276,37.4979", [0]), ("0,0,1,1", [])],
)  # fmt: skip
def test_a_box_finds_the_stations_in_it(
    client: FlaskClient, make: Maker, box: str, expected: list[int]
) -> None:
    places = (GANGNAM, (129.06, 35.16), (179.9, 0.5), (-179.9, -0.5))
    stations = [make.station(f"{n}번", at=at) for n, at in enumerate(places)]
    assert ids(client, STATIONS, bbox=box) == [stations[n] for n in expected]


BOXES = [
    "127,37,128,38", "127,37.5,127,37.5", "127,37,127,38", "127.5,37,128.5,37", "179.9,-1,-179.9,1", "180,-1,-180,1", "-180,-90,180,90",
]  # fmt: skip
EDGES = (127, 127.5, 128, 179.9, 180, -180, -179.9)


@pytest.mark.parametrize("box", BOXES)
def test_a_filter_leaves_the_features_in_a_box(client: FlaskClient, make: Maker, box: str) -> None:
    off = 1e-8
    places = [
        (lng + lng_off, lat + lat_off)
        for lng in EDGES
        for lat in (-1, 37, 37.5, 38)
        for lng_off, lat_off in ((0, 0), (off, 0), (-off, 0), (0, off), (0, -off))
        if abs(lng + lng_off) <= 180
    ]
    west, south, east, north = map(float, box.split(","))
    inside = [
        n
        for n, (lng, lat) in enumerate(places, start=1)
        if south <= lat <= north
        and (west <= lng <= east if west <= east else lng >= west or lng <= east)
    ]
    assert inside
    for n, at in enumerate(places):
        make.shop(at=at)
        make.station(f"{n}번", at=at)
    bounded(make, "서울특별시", (127, 37, 128, 38))
    bounded(make, "제주특별자치도", (179.9, -1, 180, 1), (-180, -1, -179.9, 1))
    make.region("대구광역시", level="sido")
    for path, everything in ((SHOPS, "id > 0"), (STATIONS, "line IS NOT NULL OR TRUE")):
        assert ids(client, path, bbox=box) == inside
        assert ids(client, path, bbox=box, filter=everything) == inside
        assert ids(client, path, bbox=box, filter=f"NOT id = {inside[0]}") == inside[1:]
    expected = ids(client, REGIONS, bbox=box)
    assert expected
    assert ids(client, REGIONS, bbox=box, filter="level = 'sido'") == expected


@pytest.mark.parametrize(
    ("path", "condition", "expected"),
    [
        (REGIONS, "level = 'sido'", ["서울특별시"]), (REGIONS, "parent_id IS NULL", ["서울특별시"]), (REGIONS, "(\"parent_id\" = '1')", ["강남구"]),
        (REGIONS, "sido = '서울특별시' AND level IN ('sigungu')", ["강남구"]), (REGIONS, "name_en LIKE 'Seo%'", ["서울특별시"]),
        (REGIONS, "full_name = '서울특별시 강남구'", ["강남구"]), (REGIONS, "geometry IS NULL", ["강남구"]),
        (REGIONS, "S_INTERSECTS(geometry, POINT(127 37.5)) OR level = 'sigungu'", ["서울특별시", "강남구"]),
        (REGIONS, "code = '11'", ["서울특별시"]), (STATIONS, "line = '2호선'", ["강남"]), (STATIONS, "name LIKE '서%'", ["서면"]),
        (STATIONS, "S_INTERSECTS(geometry, BBOX(129, 35, 130, 36)) AND name_en = ''", ["서면"]),
    ],
)  # fmt: skip
def test_filters_take_the_properties_of_their_collection(
    client: FlaskClient, make: Maker, path: str, condition: str, expected: list[str]
) -> None:
    sido = bounded(make, "서울특별시", (126, 37, 128, 38), name_en="Seoul", code="11")
    make.region("강남구", parent=sido)
    make.station("강남", at=GANGNAM, line="2호선", name_en="Gangnam")
    make.station("서면", at=(129.06, 35.16), line="부산 1호선")
    listed = client.get(f"{path}/items", query_string={"filter": condition})
    assert listed.status_code == 200, listed.text
    assert [feature["properties"]["name"] for feature in listed.json["features"]] == expected


@pytest.mark.parametrize("path", [REGIONS, STATIONS])
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("bbox=1,2,3", "[bbox]"), ("limit=0", "[limit]"), ("datetime=2024", "[datetime]"), ("after=-1", "[after]"), ("x=1", "[x]"),
        ("filter=review_cnt=1", "[filter] character 1: the property must be one of id, "), ("filter=source='kostat'", "[filter] character 1"),
        ("filter=name=1", "[filter] character 1: the literals"), ("filter=S_INTERSECTS(geometry,POLYGON((1 2,3 4)))", "[filter] character 31: a ring has"),
        ("filter=id=1&filter-lang=cql2-json", "[filter-lang]"),
    ],
)  # fmt: skip
def test_bad_parameters_of_every_collection_are_rejected(
    client: FlaskClient, path: str, query: str, message: str
) -> None:
    response = client.get(f"{path}/items?{query}")
    assert (response.status_code, response.json["error_code"]) == (400, "002"), response.text
    assert response.json["error_message"].startswith(message)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda collection: str(collection.name))
def test_what_no_collection_has_is_not_found(
    client: FlaskClient, collection: Collection, language: str
) -> None:
    address = f"/ogc/collections/{collection.name}/items/1"
    response = client.get(address, headers={"Accept-Language": language})
    assert (response.status_code, response.json["error_code"]) == (404, "404")
    if language == "en":
        assert response.json["error_message"] == f"{collection.singular} cannot be found"


def test_pages_of_every_collection_are_linked(client: FlaskClient, make: Maker) -> None:
    regions = [bounded(make, f"{n}도", (n, 0, n + 0.5, 1)) for n in range(5)]
    stations = [make.station(f"{n}번", at=(n, 0)) for n in range(5)]
    for path, keys in ((REGIONS, regions), (STATIONS, stations)):
        address: str | None = f"{path}/items?limit=2&bbox=0,0,20,20"
        pages: list[list[int]] = []
        while address:
            body = client.get(address).json
            pages.append([feature["id"] for feature in body["features"]])
            links = {link["rel"]: link["href"] for link in body["links"]}
            address = links.get("next", "").removeprefix("http://localhost")
        assert pages == [keys[:2], keys[2:4], keys[4:]]


def test_pages_of_regions_are_shorter(client: FlaskClient, make: Maker) -> None:
    make.sql(
        "INSERT INTO regions (level, name) SELECT 'sido', n || '도' FROM generate_series(1, 1001) n"
    )
    for query, returned in (("", 100), ("?limit=1000000", 1000)):
        body = client.get(f"{REGIONS}/items{query}").json
        assert (body["numberReturned"], body["numberMatched"]) == (returned, 1001)


def test_extents_are_those_of_the_features(client: FlaskClient, make: Maker) -> None:
    def listed() -> dict[str, Any]:
        collections = client.get("/ogc/collections").json["collections"]
        return {item["id"]: item["extent"]["spatial"]["bbox"][0] for item in collections}

    assert listed() == {name: [-180, -90, 180, 90] for name in ("shops", "regions", "stations")}
    bounded(make, "서울특별시", (126.5, 37, 127, 38))
    bounded(make, "부산광역시", (128, 35, 129.5, 36))
    make.station("강남", at=GANGNAM)
    lng, lat = GANGNAM
    assert listed() == {
        "shops": [-180, -90, 180, 90],
        "regions": [126.5, 35, 129.5, 38],
        "stations": [lng, lat, lng, lat],
    }


@pytest.mark.parametrize("name", [collection.name for collection in COLLECTIONS])
def test_queryables_are_the_properties_of_the_features(
    client: FlaskClient, make: Maker, name: str
) -> None:
    key = {"shops": make.shop, "regions": lambda: make.region("서울", level="sido"), "stations": lambda: make.station("강남", at=GANGNAM)}[name]()  # fmt: skip
    feature = client.get(f"/ogc/collections/{name}/items/{key}").json
    schema = client.get(f"/ogc/collections/{name}/queryables").get_json(force=True)
    assert {*schema["properties"]} == {"id", *feature["properties"], "geometry"}
    kind = "MultiPolygon" if name == "regions" else "Point"
    assert schema["properties"]["geometry"] == {"format": f"geometry-{kind.lower()}"}


def test_a_box_uses_the_index_of_positions(make: Maker) -> None:
    cursor = make.connection.cursor()
    cursor.execute(GRID)
    for name, index in (("regions", "region_parts_part_idx"), ("stations", "stations_geog_idx")):
        for edges in ((5.0, 5.0, 6.0, 6.0), (179.0, 5.0, -179.0, 6.0)):
            box = dict(zip(("west", "south", "east", "north"), edges, strict=True))
            text, values = with_values(
                STATEMENTS[name].boxed.first, {**box, "after": 0, "one_more": 101}
            )
            cursor.execute(f"EXPLAIN {text}", values)
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert plan.count(index) >= 2, plan
            assert "Seq Scan on region_parts" not in plan
