"""Tests CQL2 filters of OGC API Features: selected features, errors, and the queryables that QGIS reads."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from geoshops.ogc import queries
from geoshops.ogc.cql2 import MAX_DEPTH, MAX_LENGTH, MAX_OPERATORS, MAX_TERMS
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
    ("condition", "expected"),
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
        ("((\"place_name\" NOT LIKE '%점') OR (id = 2))", [2, 3]), ('("review_cnt" > "favorite_cnt")', [1, 2]), ('(10 <= "review_cnt")', [1]),
        ('(("review_cnt" * 2) > 18)', [1]), ('(("review_cnt" % 4) = 2)', [1, 2]), ('(( - ("review_cnt")) < ( - (2)))', [1]), ('(("review_cnt" / 4) >= 2.5)', [1]),
        ('(("review_cnt" ^ 2) = 4)', [2]), ('(("review_cnt" - 1) > "favorite_cnt")', [1, 2]), ("(\"review_cnt\" = '10')", [1]), ("(\"star_rating_avg\" = '4.5')", [1]),
        ("\"review_cnt\" IN ('10','2')", [1, 2]), ("(1 = 1)", [1, 2, 3]), ('("brand_name" = "place_name")', []), ("(((\"review_cnt\" * 2) > 2) AND (id = 2))", [2]),
        # arithmetic: order, signs, null and zero
        ("review_cnt+1 = 3", [2]), ("review_cnt -1=1", [2]), ("id * 2 + 1 = 1 + 4", [2]), ("2 ^ 3 ^ 0 * id = 4", [2]), ("(id + 1) * 2 = 6", [2]), ("10 div 4 = id", [2]),
        ("id BETWEEN 1 AND 2 AND (id - 1) NOT IN (1)", [1]), ("id / (id - 1) > 0", [2, 3]), ("id % (id - 1) >= 0 OR id DIV (id - 1) > 5", [2, 3]), ("(id - 1) IS NOT NULL", [1, 2, 3]),
        ("- -id = 1", [1]), ("'a' LIKE 'a%' AND (((id)) = 3)", [3]), ("-id ^ 2 = -4", [2]),
    ],
)  # fmt: skip
def test_filters_select_shops(
    client: FlaskClient, shops: dict[int, str], condition: str, expected: list[int]
) -> None:
    response = client.get(ITEMS, query_string={"filter": condition})
    assert response.status_code == 200, response.text
    assert [feature["id"] for feature in response.json["features"]] == expected
    assert response.json["numberMatched"] == len(expected)


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
        ("S_INTERSECTS(geometry, POLYGON((1 2, 3 4)))", "character 32: a ring has at least 4 positions, and the last"), ("S_INTERSECTS(geometry, CIRCLE(1 2))", "character 24: one of BBOX"),
        ("S_INTERSECTS(geometry, BBOX(1, 2, 3))", "character 24: BBOX has four numbers, or six"),
        # syntax of conformance classes that are not declared
        ("eo:cloud_cover < 0.1", "character 1: the property must be one of id"), ("CASEI(brand_name) = 'x'", "character 6: a comparison"),
        ("S_WITHIN(geometry, BBOX(1, 2, 3, 4))", "character 9: a comparison"), ("T_AFTER(opened_on, DATE('2024-05-01'))", "character 8: a comparison"),
        ("A_EQUALS(id, (1, 2))", "character 9: a comparison"),
        ("S_INTERSECTS(geometry, POINT(x y))", "character 30: a longitude between -180 and 180 is"), ("opened_on = DATE('2024')", "character 18: a date is written"),
        ("id = 1; DROP TABLE shops", "character 7: "), ("NOT", "character 4: the filter ends"), ("AND id = 1", "character 1: a property"),
        ("(" * (MAX_DEPTH + 1) + "id = 1" + ")" * (MAX_DEPTH + 1), f"character {MAX_DEPTH + 1}: conditions are nested at most"),
        (" OR ".join(["id=1"] * (MAX_TERMS + 1)), "character 1601: a filter has at most"), ("id = 1" + " " * MAX_LENGTH, f"must have at most {MAX_LENGTH}"),
        # positions and invalid shapes, with the position of the wrong character
        ("S_INTERSECTS(geometry, POINT(1000 2000))", "character 30: a longitude between -180 and 180"), ("S_INTERSECTS(geometry, POINT(90 180))", "character 33: a latitude between -90 and 90"),
        ("S_INTERSECTS(geometry, POINT(1e400 2))", "character 30: a number must be finite"), ("S_INTERSECTS(geometry, POINT(1 2 1e400))", "character 34: a number must be finite"),
        ("S_INTERSECTS(geometry, BBOX(1000000, 1000000, 2000000, 2000000))", "character 29: a longitude"), ("S_INTERSECTS(geometry, BBOX(1, 40, 2, 30))", "character 39: the northern latitude"),
        ("S_INTERSECTS(geometry, BBOX(1, 2, 3, 'x'))", "character 24: BBOX has four"), ("S_INTERSECTS(geometry, LINESTRING(1 2))", "character 34: a line has at least 2"),
        ("S_INTERSECTS(geometry, POLYGON((1 2, 3 4, 5 6, 1 3)))", "character 32: a ring"), ("S_INTERSECTS(geometry, POLYGON((1 2, 3 4, 5 6, 1 2), (1 2)))", "character 54: a ring"),
        ("S_INTERSECTS(geometry, POLYGON(1 2, 3 4, 5 6, 1 2))", "character 32: ( is expected"), ("S_INTERSECTS(geometry, POINT(1, 2))", "character 31: a latitude"),
        ("S_INTERSECTS(geometry, POINT((1 2)))", "character 30: a longitude"), ("S_INTERSECTS(geometry, POINT EMPTY)", "character 30: ( is expected"),
        ("S_INTERSECTS(geometry, MULTIPOLYGON(((1 2, 3 4, 5 6, 1 2)), ((1 2, 3 4))))", "character 62: a ring"), ("S_INTERSECTS(geometry, MULTIPOINT((1 2), (3 95)))", "character 45: a latitude"),
        ("S_INTERSECTS(geometry, POINT(1 2)", "character 34: the filter ends"), ("S_INTERSECTS(geometry, GEOMETRYCOLLECTION(POINT(1 2)))", "character 24: one of BBOX"),
        ("review_cnt < 1e400", "character 14: a number must be finite"), ("review_cnt BETWEEN 1 AND -1e400", "character 26: a number must be finite"),
        ("place_name LIKE '%\\\\'", "character 17: a pattern must not end with the escape character"), ("place_name = 'x\\'", "character 14: a name, number"),
        ("opened_on = DATE('20240501')", "character 18: a date is written"), ("opened_on = TIMESTAMP('2024-05-01')", "character 23: a timestamp is"), ("opened_on = '2024-5-1'", "character 1: the literals"),
        ("TRUE 1", "character 6: AND, OR"), ("review_cnt = TRUE", "character 1: the literals of"), ("NOT", "character 4: the filter ends"),
        # arithmetic and values on both sides
        ("review_cnt = place_name", "character 1: the literals of this property must have the type integer"), ("1 = place_name", "character 1: the values must have the type number"),
        ("id > 0 AND place_name + 1 = 2", "character 12: arithmetic takes numbers"), ("geometry + 1 = 2", "character 1: arithmetic takes"), ("1 = geometry", "character 1: the values"),
        ("id = 1 +", "character 9: the filter ends"), ("id + AND", "character 6: a property, number"), ("(id + 1 = 2", "character 12: the filter ends"), ("(id + 1) AND id = 1", "character 8: a comparison"),
        ("id = " + "+".join(["1"] * (MAX_OPERATORS + 2)), "character 49: a filter has at most"), ("id = " + "-" * (MAX_DEPTH + 1) + "id", "character 25: conditions are nested"),
        ("id = " + "(" * 30 + "1" + ")" * 30, "character 25: conditions are nested"),
        ("1 + 1 LIKE 'x'", "character 1: the values"), ("(id = 1) = 2", "character 5: ) is expected"), ("nothing + 1 = 2", "character 1: the property must be one of"),
        ("place_name = 'x\0'", "must not contain control characters"), ("id NOT = 1", "character 8: a comparison"),
    ],
)  # fmt: skip
def test_bad_filters_are_rejected_with_the_character_and_the_rule(
    client: FlaskClient, condition: str, message: str
) -> None:
    response = client.get(ITEMS, query_string={"filter": condition})
    assert (response.status_code, response.json["error_code"]) == (400, "002"), response.text
    assert response.json["error_message"].startswith(f"[filter] {message}")


@pytest.mark.parametrize("condition", ["10 ^ (id + 400) > 1", "(-id) ^ 0.5 > 1"])
def test_numbers_that_cannot_be_calculated_are_rejected(
    client: FlaskClient, shops: dict[int, str], condition: str
) -> None:
    response = client.get(ITEMS, query_string={"filter": condition})
    assert (response.status_code, response.json["error_code"]) == (400, "002")
    assert response.json["error_message"].startswith("[filter] character 1: ")


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
    assert schema["properties"]["geometry"] == {"format": "geometry-point"}
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ("BBOX(170, -20, -170, 20)", [1, 2]), ("BBOX(-180, -90, 180, 90)", [1, 2, 3]), ("BBOX(180, -20, -180, 20)", []),
        ("BBOX(175, 0, 175, 0)", [1]), ("BBOX(175, -1, 175, 1)", [1]), ("BBOX(174, 0, 176, 0)", [1]), ("BBOX(0, 0, 0, 0)", [3]),
        ("POINT Z (175 0 10)", [1]), ("MULTIPOINT((175 0), (-175 0))", [1, 2]), ("MULTIPOINT(175 0, 0 0)", [1, 3]),
        ("LINESTRING(175. .0, 0 0)", [1, 3]), ("MULTILINESTRING((174 0, 176 0), (-1 0, 1 0))", [1, 3]),
        ("MULTIPOLYGON(((174 -1, 176 -1, 176 1, 174 1, 174 -1)), ((-1 -1, 1 -1, 1 1, -1 -1)))", [1, 3]),
    ],
)  # fmt: skip
def test_geometries_of_filters(
    client: FlaskClient, make: Maker, box: str, expected: list[int]
) -> None:
    for lng in (175.0, -175.0, 0.0):
        make.shop(at=(lng, 0.0))
    response = client.get(ITEMS, query_string={"filter": f"S_INTERSECTS(geometry, {box})"})
    assert response.status_code == 200, response.text
    assert [feature["id"] for feature in response.json["features"]] == expected
    outside = client.get(ITEMS, query_string={"filter": f"NOT S_INTERSECTS(geometry, {box})"})
    assert [f["id"] for f in outside.json["features"]] == sorted({1, 2, 3} - {*expected})


SLOW = "place_name LIKE '%a%b%c%d%e%f%g%h%i%j%'"


@pytest.fixture
def many(make: Maker) -> None:
    """Shops with long names, which take milliseconds to compare."""
    make.sql(
        "INSERT INTO shops (place_name, geog)"
        " SELECT repeat('abcdefghi', 20) || n, point_at(127 + n / 1e5, 37) FROM generate_series(1, 3000) n"
    )


def test_a_filter_that_takes_too_long_is_an_error_with_a_remedy(
    client: FlaskClient, many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get(ITEMS, query_string={"filter": SLOW}).json["features"] == []
    monkeypatch.setattr(queries, "FILTER_MS", 1)
    response = client.get(ITEMS, query_string={"filter": SLOW})
    assert (response.status_code, response.json["error_code"]) == (400, "002")
    assert response.json["error_message"] == (
        "[filter] takes longer than 1 ms here; add a bbox or S_INTERSECTS with a small area, or compare an id"
    )
    # the limit applied to that statement only
    assert client.get(ITEMS, query_string={"limit": 3000}).json["numberReturned"] == 3000


def test_matches_that_take_too_long_to_count_are_not_counted(
    client: FlaskClient, many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"filter": f"NOT {SLOW}", "limit": 2}
    page = client.get(ITEMS, query_string=query).json
    assert (page["numberReturned"], page["numberMatched"]) == (2, 3000)
    for least_ms in (queries.FILTER_MS, -100_000):
        # no time is left, or so little that the statement is cancelled
        monkeypatch.setattr(queries, "LEAST_MS", least_ms)
        monkeypatch.setattr(queries, "_left_ms", lambda _: 1)
        short = client.get(ITEMS, query_string=query).json
        assert "numberMatched" not in short
        assert short["features"] == page["features"]
        assert [link["rel"] for link in short["links"]] == [link["rel"] for link in page["links"]]
