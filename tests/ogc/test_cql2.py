"""CQL2 filters of OGC API Features: what they select, what they reject, and what QGIS learns of them."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from geoshops.ogc.cql2 import MAX_DEPTH, MAX_LENGTH, MAX_TERMS
from tests.make import Maker

ITEMS = "/ogc/collections/shops/items"


@pytest.fixture
def shops(make: Maker) -> dict[int, str]:
    """Three shops by id."""
    brands = {name: make.brand(name) for name in ("인생네컷", "하루필름")}
    make.shop("인생네컷 강남점", at=(127.03, 37.5), brand_id=brands["인생네컷"], review_cnt=10, star_rating_sum=45,
              opened_on="2024-05-01", phone="02-1")  # fmt: skip
    make.shop(
        "하루필름 100%점",
        at=(129.06, 35.16),
        brand_id=brands["하루필름"],
        review_cnt=2,
        star_rating_sum=4,
    )
    make.shop("O'Neil", at=(126.53, 33.5), brand_id=None, opened_on="2025-01-01")
    make.shop("닫음", status="CLOSED")
    return {1: "강남", 2: "해운대", 3: "제주"}


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("review_cnt >= 2", [1, 2]), ("review_cnt<>2", [1, 3]), ("star_rating_avg = 4.5", [1]), ("id in (1,3)", [1, 3]),
        ("brand_name = '인생네컷'", [1]), ("place_name = 'O''Neil'", [3]), ('"place_name" LIKE \'%강남%\'', [1]),
        ("place_name NOT LIKE '%점'", [3]), ("brand_name IS NULL", [3]), ("brand_name IS NOT NULL", [1, 2]),
        ("opened_on > DATE('2024-12-31')", [3]), ("opened_on < TIMESTAMP('2024-12-31T00:00:00Z')", [1]),
        ("review_cnt BETWEEN 1 AND 9", [2]), ("review_cnt NOT BETWEEN 1 AND 9", [1, 3]), ("id NOT IN (1)", [2, 3]),
        ("id = 1 OR id = 2 AND review_cnt = 99", [1]), ("(id = 1 OR id = 2) AND review_cnt = 2", [2]),
        ("NOT (id = 1 or id = 2)", [3]), ("S_INTERSECTS(geometry, BBOX(126, 33, 128, 38))", [1, 3]),
        ("S_INTERSECTS(geometry, BBOX(126, 33, -10, 128, 38, 1e3))", [1, 3]), ('"review_cnt" NOT IN (2, 3.0) AND NOT "id" BETWEEN 3 AND 4', [1]),
        ("brand_name='인생네컷' AND status='OPEN' AND s_intersects(geometry,POLYGON((126 37,128 37,128 38,126 38,126 37)))", [1]),
        ("(place_name LIKE '인%' OR place_name LIKE '하%') AND review_cnt<4", [2]), ("NOT (review_cnt<5) OR sido='x'", [1]),
        ("S_INTERSECTS(geometry, POLYGON((129 35, 130 35, 130 36, 129 36, 129 35)))", [2]),
        ("s_intersects(geometry, POINT(126.53 33.5))", [3]), ("review_cnt < 1e3 and status = 'OPEN'", [1, 2, 3]),
        ("place_name = '닫음'", []), ("sido IS NULL AND place_address = ''", [1, 2, 3]), ("id = 99999999999999999999", []),
        # as QGIS writes them
        ("((\"review_cnt\" >= 2) AND (\"brand_name\" = '인생네컷'))", [1]), ('(NOT ("brand_name" IS NULL))', [1, 2]),
        ('("review_cnt" > -1)', [1, 2, 3]), ("(\"opened_on\" <= DATE('2024-05-01'))", [1]),
        ("((\"place_name\" NOT LIKE '%점') OR (id = 2))", [2, 3]),
    ],
)  # fmt: skip
def test_filters_select_shops(
    client: FlaskClient, shops: dict[int, str], condition: str, found: list[int]
) -> None:
    response = client.get(ITEMS, query_string={"filter": condition})
    assert response.status_code == 200, response.text
    assert [feature["id"] for feature in response.json["features"]] == found
    assert response.json["numberMatched"] == len(found)


def test_a_filter_joins_the_box_and_stays_in_the_links(
    client: FlaskClient, shops: dict[int, str]
) -> None:
    query = {
        "filter": "review_cnt >= 0",
        "filter-lang": "cql2-text",
        "bbox": "126,33,128,38",
        "limit": 1,
    }
    first = client.get(ITEMS, query_string=query).json
    (following,) = [link["href"] for link in first["links"] if link["rel"] == "next"]
    second = client.get(following.removeprefix("http://localhost")).json
    assert [feature["id"] for page in (first, second) for feature in page["features"]] == [1, 3]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (" ", "must not be blank"), ("review_cnt", "character 11: the filter ends too early"),
        ("password = 'x'", "character 1: the property must be one of id, place_name"), ("id = 1 id", "character 8: AND, OR"),
        ("id = 'x'", "character 1: the literals of this property must have the type integer"), ("id = TRUE", "character 1: the literals of"),
        ("review_cnt LIKE '1%'", "character 1: the literals of"), ("place_name = 1", "character 1: the literals of"),
        ("geometry = 'x'", "character 1: the literals of"), ("geometry LIKE 'x'", "character 1: the literals of"),
        ("S_INTERSECTS(place_name, POINT(1 2))", "character 14: S_INTERSECTS takes the geometry"),
        ("S_INTERSECTS(geometry, POLYGON((1 2, 3 4)))", "character 1: "), ("S_INTERSECTS(geometry, CIRCLE(1 2))", "character 24: one of BBOX"),
        ("S_INTERSECTS(geometry, BBOX(1, 2, 3))", "character 24: BBOX has four numbers, or six"),
        # what the classes of the standard demand that are not declared
        ("eo:cloud_cover < 0.1", "character 1: the property must be one of id"), ("CASEI(brand_name) = 'x'", "character 6: a comparison"),
        ("S_WITHIN(geometry, BBOX(1, 2, 3, 4))", "character 9: a comparison"), ("T_AFTER(opened_on, DATE('2024-05-01'))", "character 8: a comparison"),
        ("review_cnt > favorite_cnt", "character 14: a number"), ("A_EQUALS(id, (1, 2))", "character 9: a comparison"),
        ("S_INTERSECTS(geometry, POINT(x y))", "character 30: numbers in parentheses"), ("opened_on = DATE('2024')", "character 18: a date is written"),
        ("id = 1; DROP TABLE shops", "character 7: "), ("NOT", "character 4: the filter ends"), ("AND id = 1", "character 1: a property"),
        ("(" * (MAX_DEPTH + 1) + "id = 1" + ")" * (MAX_DEPTH + 1), f"character {MAX_DEPTH + 1}: conditions are nested at most"),
        (" OR ".join(["id=1"] * (MAX_TERMS + 1)), "character 1601: a filter has at most"), ("id = 1" + " " * MAX_LENGTH, f"must have at most {MAX_LENGTH}"),
        ("place_name = 'x\0'", "must not contain control characters"), ("id NOT = 1", "character 8: a comparison"),
    ],
)  # fmt: skip
def test_bad_filters_are_rejected_with_the_character_and_the_rule(
    client: FlaskClient, condition: str, message: str
) -> None:
    response = client.get(ITEMS, query_string={"filter": condition})
    assert (response.status_code, response.json["error_code"]) == (400, "002"), response.text
    assert response.json["error_message"].startswith(f"[filter] {message}")


def test_other_languages_of_filters_are_rejected(client: FlaskClient) -> None:
    response = client.get(ITEMS, query_string={"filter": "id = 1", "filter-lang": "cql2-json"})
    assert response.json["error_message"] == "[filter-lang] must be one of cql2-text"


def test_the_collection_leads_to_its_queryables(client: FlaskClient) -> None:
    links = client.get("/ogc/collections/shops").json["links"]
    (address,) = [link["href"] for link in links if link["rel"].endswith("/queryables")]
    response = client.get(address.removeprefix("http://localhost"))
    assert response.mimetype == "application/schema+json"
    schema = response.get_json(force=True)
    assert schema["$id"] == address
    assert schema["properties"]["opened_on"] == {"type": "string", "format": "date"}
    assert schema["properties"]["review_cnt"] == {"type": "integer"}
    assert schema["additionalProperties"] is False
