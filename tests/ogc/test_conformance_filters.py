"""The abstract tests of filters, each by its conformance class and id: OGC API Features, part 3 (19-079r2), and CQL2 (21-065r2).

Every class that /ogc/conformance declares has tests here or, for part 1, in test_conformance.py. Filters are sent as CQL2 text,
as /conf/cql2-text/validate requires. Not tested are the classes' test-data, which are predicates on a data set of the
standard, and what a server has to do only where it supports more: filter-crs (part 2) and get-functions (the class functions)."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from geoshops.ogc import pages
from geoshops.ogc.cql2 import parse
from tests.make import Maker
from tests.ogc import test_conformance

ROOT = "/ogc"
JSON, GEOJSON, SCHEMA = "application/json", "application/geo+json", "application/schema+json"
TO_QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
NAMES = ("shops", "regions", "stations")
every_collection = pytest.mark.parametrize("name", NAMES)
# a value of each type, as the standard has them
VALUES = {"string": "'foo'", "integer": "1", "number": "3.14", "date": "DATE('2022-04-14')"}


@pytest.fixture(autouse=True)
def features(make: Maker) -> None:
    """Shops, regions and stations, with and without their optional properties."""
    brand = make.brand("foo")
    make.shop("foo", at=(127.0, 37.5), brand_id=brand, opened_on="2022-04-14", review_cnt=1, star_rating_sum=4, phone="1")  # fmt: skip
    make.shop("O'Neil 100% _", at=(-30.0, 10.0), brand_id=None)
    make.shop("a\tb\\c", at=(100.0, -20.0), brand_id=None, opened_on="2025-01-01", review_cnt=3, star_rating_sum=9)  # fmt: skip
    boundary = "SRID=4326;MULTIPOLYGON(((126 37, 128 37, 128 38, 126 37)))"
    region = make.insert("regions", level="sido", name="foo", boundary=boundary)
    make.sql("SELECT cut_boundaries(%s)", [region])
    make.insert("regions", level="sigungu", name="bar", parent_id=region)
    make.station("foo", at=(127.0, 37.5), line="2호선")
    make.station("bar", at=(-30.0, 10.0), line="1호선")


def items(client: FlaskClient, name: str, **query: str) -> Any:
    return client.get(f"{ROOT}/collections/{name}/items", query_string=query)


def filtered_ids(client: FlaskClient, name: str, condition: str, **query: str) -> list[int]:
    """Identifiers of the features that a filter finds."""
    response = items(client, name, filter=condition, **query)
    assert response.status_code == 200, (condition, response.text)
    assert response.mimetype == GEOJSON
    features = [feature["id"] for feature in response.get_json(force=True)["features"]]
    assert response.get_json(force=True)["numberMatched"] == len(features)
    return features


def is_rejected(client: FlaskClient, name: str, **query: str) -> bool:
    response = items(client, name, **query)
    return (response.status_code, response.get_json()["error_code"]) == (400, "002")


def all_of(client: FlaskClient, name: str) -> list[int]:
    return [feature["id"] for feature in items(client, name).get_json(force=True)["features"]]


def queryables(client: FlaskClient, name: str) -> dict[str, dict[str, Any]]:
    address = f"{ROOT}/collections/{name}/queryables"
    response = client.get(address, headers={"Accept": SCHEMA})
    properties: dict[str, dict[str, Any]] = response.get_json(force=True)["properties"]
    return properties


def kinds(client: FlaskClient, name: str) -> dict[str, str]:
    """The type of each queryable: a key of VALUES, or geometry."""
    return {
        key: "geometry" if "type" not in schema else schema.get("format", schema["type"])
        for key, schema in queryables(client, name).items()
    }


def scalars(client: FlaskClient, name: str) -> dict[str, str]:
    return {key: kind for key, kind in kinds(client, name).items() if kind in VALUES}


def predicates(client: FlaskClient, name: str) -> list[str]:
    """Predicates of all classes."""
    conditions = ["true", "FALSE", "S_INTERSECTS(geometry,BBOX(120,30,130,40))"]
    for key, kind in scalars(client, name).items():
        conditions += [f"{key} IS NULL", f"{key} <> {VALUES[kind]}", f"{key} >= {VALUES[kind]}"]
        conditions += [f"{key} LIKE 'f%'"] if kind == "string" else []
        conditions += [f"{key} BETWEEN 0 AND 2"] if kind in ("integer", "number") else []
    return conditions


# -- declared classes


def functions() -> list[str]:
    modules = (sys.modules[__name__], test_conformance)
    return [name for module in modules for name in dir(module) if name.startswith("test_")]


@pytest.mark.parametrize("declared", pages.CLASSES)
def test_every_declared_class_has_tests(client: FlaskClient, declared: str) -> None:
    """/conf/CLASS/get-conformance."""
    response = client.get(f"{ROOT}/conformance", headers={"Accept": JSON})
    assert response.mimetype == JSON and declared in response.json["conformsTo"]
    name = declared.rpartition("/")[2].replace("-", "_")
    assert any(test.startswith(f"test_{name}_") for test in functions()), declared


# -- part 3: queryables


@every_collection
def test_queryables_get_queryables_uris(client: FlaskClient, name: str) -> None:
    for method in (client.head, client.get):
        response = method(f"{ROOT}/collections/{name}/items", headers={"Accept": JSON})
        assert response.status_code == 200
        target, relation, media = response.headers["Link"].split("; ")
        assert relation == f'rel="{TO_QUERYABLES}"' and media == f'type="{SCHEMA}"'
        assert urlsplit(target.strip("<>")).path == f"{ROOT}/collections/{name}/queryables"


@every_collection
def test_queryables_get_queryables_op_and_response(client: FlaskClient, name: str) -> None:
    address = f"{ROOT}/collections/{name}/queryables"
    response = client.get(address, headers={"Accept": SCHEMA})
    assert (response.status_code, response.mimetype) == (200, SCHEMA)
    schema = response.get_json(force=True)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert urlsplit(schema["$id"]).path == address and not urlsplit(schema["$id"]).query
    assert schema["type"] == "object" and schema["properties"]
    for key, queryable in schema["properties"].items():
        if key == "geometry":
            assert queryable == {"format": "geometry-multipolygon" if name == "regions" else "geometry-point"}  # fmt: skip
        else:
            assert queryable["type"] in ("string", "integer", "number")
            assert queryable.get("format", "date") == "date"


@every_collection
def test_queryables_get_queryables_response_without_other_properties(
    client: FlaskClient, name: str
) -> None:
    address = f"{ROOT}/collections/{name}/queryables"
    assert client.get(address).get_json(force=True)["additionalProperties"] is False
    assert is_rejected(client, name, filter="this_is_not_a_queryable IS NULL")


# -- part 3: filter


@every_collection
def test_filter_filter_param(client: FlaskClient, name: str) -> None:
    everything = all_of(client, name)
    for key in queryables(client, name):
        some = filtered_ids(client, name, f"{key} IS NULL", **{"filter-lang": "cql2-text"})
        for feature in items(client, name).get_json(force=True)["features"]:
            value = {**feature["properties"], "id": 1, "geometry": feature["geometry"]}[key]
            assert (feature["id"] in some) == (value is None), key
        assert sorted([*some, *filtered_ids(client, name, f"{key} IS NOT NULL")]) == everything
    assert is_rejected(client, name, filter="THIS IS NOT A FILTER")


@every_collection
def test_filter_filter_lang_param_and_its_default(client: FlaskClient, name: str) -> None:
    parameters = test_conformance.parameters(client, name)
    assert parameters["filter"]["in"] == "query" and parameters["filter"]["required"] is False
    assert parameters["filter"]["schema"]["type"] == "string"
    assert parameters["filter-lang"]["schema"] == {
        "type": "string", "enum": ["cql2-text"], "default": "cql2-text",
    }  # fmt: skip
    both = filtered_ids(client, name, "id >= 1"), filtered_ids(client, name, "id >= 1", **{"filter-lang": "cql2-text"})  # fmt: skip
    assert both[0] == both[1] == all_of(client, name)
    assert is_rejected(client, name, filter="id >= 1", **{"filter-lang": "cql2-json"})


@every_collection
def test_filter_filter_crs_wgs84(client: FlaskClient, name: str) -> None:
    (box,) = client.get(f"{ROOT}/collections/{name}").json["extent"]["spatial"]["bbox"]
    west, south, east, north = box
    there = filtered_ids(client, name, "geometry IS NOT NULL")
    assert there
    assert filtered_ids(client, name, f"S_INTERSECTS(geometry,BBOX({west},{south},{east},{north}))") == there  # fmt: skip
    assert is_rejected(client, name, filter="S_INTERSECTS(geometry,BBOX(1000000,1000000,2000000,2000000))")  # fmt: skip
    # part 2 is not declared: there is one CRS, and the parameter is unknown
    assert "filter-crs" not in test_conformance.parameters(client, name)
    unknown = {"filter-crs": "http://www.opengis.net/def/crs/OGC/0/does_not_exist"}
    assert is_rejected(client, name, filter="id = 1", **unknown)


@every_collection
def test_filter_response_holds_what_is_true_and_nothing_else(
    client: FlaskClient, name: str
) -> None:
    everything = all_of(client, name)
    for condition in predicates(client, name):
        true, false = (
            filtered_ids(client, name, condition),
            filtered_ids(client, name, f"NOT ({condition})"),
        )
        assert not {*true} & {*false} and {*true, *false} <= {*everything}, condition


# -- part 3: features-filter


@every_collection
def test_features_filter_queryables_link(client: FlaskClient, name: str) -> None:
    listed = client.get(f"{ROOT}/collections").json["collections"]
    assert [collection["id"] for collection in listed] == [*NAMES]
    collection = client.get(f"{ROOT}/collections/{name}").json
    (href,) = [link["href"] for link in collection["links"] if link["rel"] == TO_QUERYABLES]
    assert urlsplit(href).path == f"{ROOT}/collections/{name}/queryables"


@every_collection
def test_features_filter_mixing_expression(client: FlaskClient, name: str) -> None:
    there = filtered_ids(client, name, "geometry IS NOT NULL")
    condition = "S_INTERSECTS(geometry,BBOX(-180,-90,180,90))"
    assert filtered_ids(client, name, condition, bbox="-180,-90,180,90") == there
    assert filtered_ids(client, name, condition, bbox="-180,-90,-170,-80") == []
    assert filtered_ids(client, name, "id = 1", bbox="126,37,128,38", datetime="2022-04-14T00:00:00Z") == [1]  # fmt: skip
    assert filtered_ids(client, name, "id = 2", bbox="126,37,128,38") == []


@every_collection
def test_features_filter_response_keeps_the_filter_in_its_links(
    client: FlaskClient, name: str
) -> None:
    page = items(client, name, filter="id >= 1", limit="1").get_json(force=True)
    (following,) = [link["href"] for link in page["links"] if link["rel"] == "next"]
    assert parse_qs(urlsplit(following).query)["filter"] == ["id >= 1"]


# -- CQL2: basic-cql2


@every_collection
def test_basic_cql2_basic_test(client: FlaskClient, name: str) -> None:
    assert len(scalars(client, name)) == len(queryables(client, name)) - 1 >= 4


@every_collection
def test_basic_cql2_comparison(client: FlaskClient, name: str) -> None:
    for key, kind in scalars(client, name).items():
        sets = {
            sign: {*filtered_ids(client, name, f"{key} {sign} {VALUES[kind]}")}
            for sign in ("=", "<>", ">", "<", ">=", "<=")
        }
        for one, other in (("=", "<>"), (">", "<="), ("<", ">=")):
            assert not sets[one] & sets[other], key
            # NULL is in neither (binary-comparison-predicate, C)
            assert sets[one] | sets[other] == {*filtered_ids(client, name, f"{key} IS NOT NULL")}, (
                key
            )
        assert sets["<="] == sets["<"] | sets["="] and sets[">="] == sets[">"] | sets["="]


@every_collection
def test_basic_cql2_is_null(client: FlaskClient, name: str) -> None:
    for key in queryables(client, name):
        null, there = filtered_ids(client, name, f"{key} IS NULL"), filtered_ids(client, name, f"{key} is not null")  # fmt: skip
        assert sorted([*null, *there]) == all_of(client, name)
        # the truth table of NOT
        assert filtered_ids(client, name, f"NOT {key} IS NULL") == there


@every_collection
def test_basic_cql2_boolean(client: FlaskClient, name: str) -> None:
    everything = all_of(client, name)
    for condition, expected in {
        "true": everything, "false": [], "NOT FALSE": everything, "(TRUE)": everything, "true AND false": [],
        "FALSE OR TRUE": everything, "id = 1 AND TRUE": [1], "id = 1 OR FALSE": [1],
    }.items():  # fmt: skip
        assert filtered_ids(client, name, condition) == expected, condition


@every_collection
def test_basic_cql2_logical(client: FlaskClient, name: str) -> None:
    check_logic(
        client, name, "(NOT ({p2}) AND {p1}) OR ({p3} and {p4}) or not ({p1} OR {p4})",
        lambda p1, p2, p3, p4: (~p2 & p1) | (p3 & p4) | ~(p1 | p4),
    )  # fmt: skip


class Kleene(float):
    """A truth value in the logic of SQL and CQL2: 1 is true, 0 false, a half is null."""

    def __and__(self, other: float) -> Kleene:
        return Kleene(min(self, other))

    def __or__(self, other: float) -> Kleene:
        return Kleene(max(self, other))

    def __invert__(self) -> Kleene:
        return Kleene(1 - self)


def check_logic(client: FlaskClient, name: str, form: str, value: Callable[..., Kleene]) -> None:
    """Combinations of four predicates hold the features for which they are true."""
    rng = random.Random(3)
    conditions, everything = predicates(client, name), all_of(client, name)
    truths: dict[str, dict[int, Kleene]] = {}
    for condition in conditions:
        true, false = (
            filtered_ids(client, name, condition),
            filtered_ids(client, name, f"NOT ({condition})"),
        )
        truths[condition] = {key: Kleene(0.5 + (key in true) / 2 - (key in false) / 2) for key in everything}  # fmt: skip
    for _ in range(10):
        chosen = rng.sample(conditions, 4)
        expected = [key for key in everything if value(*(truths[p][key] for p in chosen)) == 1]
        text = form.format(**{f"p{n}": condition for n, condition in enumerate(chosen, 1)})
        assert filtered_ids(client, name, text) == expected, text


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("brand_name = 'foo'", [1]), ("NOT brand_name = 'foo'", []), ("brand_name = 'bar'", []), ("NOT brand_name = 'bar'", [1]),
        ("brand_name = 'foo' OR id = 2", [1, 2]), ("brand_name = 'foo' AND id = 2", []), ("NOT (brand_name = 'foo' AND id = 3)", [1, 2]),
        ("brand_name IS NULL", [2, 3]), ("NOT (brand_name IS NULL)", [1]), ("opened_on = DATE('2022-04-14')", [1]), ("opened_on = '2022-04-14'", [1]),
        ("opened_on < TIMESTAMP('2023-01-01T00:00:00Z')", [1]), ("opened_on > TIMESTAMP('2023-01-01T00:00:00.5Z')", [3]),
    ],
)  # fmt: skip
def test_basic_cql2_null_predicate_and_truth_tables(
    client: FlaskClient, condition: str, rows: list[int]
) -> None:
    assert filtered_ids(client, "shops", condition) == rows


@every_collection
def test_basic_cql2_binary_comparison_needs_literals_of_the_type(
    client: FlaskClient, name: str
) -> None:
    for key, kind in scalars(client, name).items():
        others = {other for other in VALUES if other != kind} - ({"integer", "number"} if kind in ("integer", "number") else set())  # fmt: skip
        for other in others:
            assert is_rejected(client, name, filter=f"{key} = {VALUES[other]}"), (key, other)


# -- CQL2: advanced-comparison-operators


def text_columns(client: FlaskClient, name: str) -> Iterable[str]:
    return [key for key, kind in scalars(client, name).items() if kind == "string"]


def number_columns(client: FlaskClient, name: str) -> Iterable[str]:
    return [key for key, kind in scalars(client, name).items() if kind in ("integer", "number")]


@every_collection
def test_advanced_comparison_operators_like(client: FlaskClient, name: str) -> None:
    for key in text_columns(client, name):
        everything = filtered_ids(client, name, f"{key} IS NOT NULL")
        assert filtered_ids(client, name, f"{key} LIKE '%'") == filtered_ids(client, name, f"{key} like '%%'") == everything  # fmt: skip
        some, empty = (
            filtered_ids(client, name, f"{key} like '_%'"),
            filtered_ids(client, name, f"{key} like ''"),
        )
        assert not {*some} & {*empty} and sorted([*some, *empty]) == everything
        filtered_ids(client, name, rf"{key} like '\%\_'")


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        ("foo", [1]), ("fo", []), ("f%", [1]), ("%o", [1]), ("%o%", [1]), ("_oo", [1]), ("__", []), ("___", [1]), ("FOO", []),
        (r"%\%%", [2]), (r"%\_", [2]), ("%''%", [2]), (r"%\'%", [2]), (r"O\'N_il%", [2]), (r"a\tb%", [3]), (r"a_b\\\\c", [3]), (r"%\\\\%", [3]),
        (r"\a", []),
    ],
)  # fmt: skip
def test_advanced_comparison_operators_like_predicate(
    client: FlaskClient, pattern: str, rows: list[int]
) -> None:
    assert filtered_ids(client, "shops", f"place_name LIKE '{pattern}'") == rows
    assert filtered_ids(client, "shops", f"place_name NOT LIKE '{pattern}'") == sorted(
        {1, 2, 3} - {*rows}
    )
    # a wildcard does not match NULL
    assert (
        filtered_ids(client, "shops", f"sido LIKE '{pattern}' OR sido NOT LIKE '{pattern}'") == []
    )


@every_collection
def test_advanced_comparison_operators_between(client: FlaskClient, name: str) -> None:
    for key in number_columns(client, name):
        there = filtered_ids(client, name, f"{key} IS NOT NULL")
        some = filtered_ids(client, name, f"{key} BETWEEN 0 AND 100")
        assert some == filtered_ids(client, name, f"{key} >= 0 AND {key} <= 100")
        assert sorted([*some, *filtered_ids(client, name, f"{key} NOT BETWEEN 0 AND 100")]) == there
        assert filtered_ids(client, name, f"{key} between 100.0 and 1.0") == []
    assert filtered_ids(client, name, "id BETWEEN 1 AND 2") == [1, 2]
    assert filtered_ids(client, name, "id BETWEEN 1 AND 1.5 AND id BETWEEN .5 AND 1.") == [1]


@every_collection
def test_advanced_comparison_operators_in(client: FlaskClient, name: str) -> None:
    for key, kind in scalars(client, name).items():
        values = {
            "string": "'foo', 'bar'", "integer": "1, 2, 3", "number": "1, 2, 3", "date": "'2022-04-14', '2022-04-15'",
        }[kind]  # fmt: skip
        there = filtered_ids(client, name, f"{key} IS NOT NULL")
        some = filtered_ids(client, name, f"{key} in ({values})")
        assert sorted([*some, *filtered_ids(client, name, f"{key} NOT IN ({values})")]) == there
        first = VALUES[kind] if kind != "number" else "1"
        assert {*filtered_ids(client, name, f"{key} = {first}")} <= {*some}
    assert is_rejected(client, name, filter="id IN ('foo', 1)")


@every_collection
def test_advanced_comparison_operators_logical(client: FlaskClient, name: str) -> None:
    check_logic(
        client, name, "((NOT {p1} AND {p2}) OR ({p3} and NOT {p4}) or not ({p1} AND {p4}))",
        lambda p1, p2, p3, p4: (~p1 & p2) | (p3 & ~p4) | ~(p1 & p4),
    )  # fmt: skip


# -- CQL2: basic-spatial-functions


@every_collection
def test_basic_spatial_functions_s_intersects(client: FlaskClient, name: str) -> None:
    there = filtered_ids(client, name, "geometry IS NOT NULL")
    assert filtered_ids(client, name, "S_INTERSECTS(geometry,BBOX(-180,-90,180,90))") == there
    assert filtered_ids(client, name, "S_INTERSECTS(geometry,POINT(7.02 49.92))") == []
    assert is_rejected(client, name, filter="S_INTERSECTS(geometry,POINT(90 180))")
    west, east = "BBOX(-180,-90,-90,90)", "BBOX(90,-90,180,90)"
    assert filtered_ids(client, name, f"S_INTERSECTS(geometry,{west}) AND S_INTERSECTS(geometry,{east})") == []  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("S_INTERSECTS(geometry, POINT(127.9 37.1))", [1]), ("NOT S_INTERSECTS(geometry, POINT(127.9 37.1))", []),
        ("S_INTERSECTS(geometry, POINT(126.1 37.9))", []), ("NOT s_intersects(geometry, POINT(126.1 37.9))", [1]),
        # edges and corners belong to a geometry (06-103r4, 6.1.15)
        ("S_INTERSECTS(geometry, POINT(127 37))", [1]), ("S_INTERSECTS(geometry, POINT(128 38))", [1]),
        ("S_INTERSECTS(geometry, BBOX(128, 38, 129, 39))", [1]), ("S_INTERSECTS(geometry, BBOX(128.1, 38, 129, 39))", []),
        ("S_INTERSECTS(geometry, BBOX(170, -90, -170, 90))", []), ("S_INTERSECTS(geometry, BBOX(127.5, -90, -170, 90))", [1]),
    ],
)  # fmt: skip
def test_basic_spatial_functions_spatial_predicate(
    client: FlaskClient, condition: str, rows: list[int]
) -> None:
    # the second region has no boundary: the predicate is NULL, and so is its negation
    assert filtered_ids(client, "regions", condition) == rows


@every_collection
def test_basic_spatial_functions_logical(client: FlaskClient, name: str) -> None:
    check_logic(
        client, name, "(NOT {p1} AND {p2}) OR ({p3} and NOT {p4}) or not ({p1} AND {p4})",
        lambda p1, p2, p3, p4: (~p1 & p2) | (p3 & ~p4) | ~(p1 & p4),
    )  # fmt: skip


# -- CQL2: cql2-text


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ("O''Neil", "O'Neil"), (r"O\'Neil", "O'Neil"), (r"\a\b\t\n\v\f\r", "\a\b\t\n\v\f\r"), (r"a\\b", "a\\b"),
        (r"\\t", "\\t"), (r"100\%", r"100\%"), (r"\x", r"\x"), ("", ""), ("''", "'"), ("-- '' --", "-- ' --"), ("강남 ∩ 😀", "강남 ∩ 😀"),
    ],
)  # fmt: skip
def test_cql2_text_escaping(literal: str, text: str) -> None:
    condition: Any = parse(f"place_name = '{literal}'")
    assert condition.others == (text,)


def test_cql2_text_escaping_of_stored_characters(client: FlaskClient) -> None:
    assert filtered_ids(client, "shops", r"place_name = 'a\tb\\c'") == [3]
    assert filtered_ids(client, "shops", r"place_name = 'O\'Neil 100% _'") == [2]


@pytest.mark.parametrize(
    "text",
    [
        # booleanExpression, booleanTerm, booleanFactor, booleanPrimary, booleanLiteral
        "id=1 OR id=2 OR id=3", "id=1 AND id=2 AND id=3", "NOT id=1", "NOT (NOT id=1)", "(((id=1)))", "TRUE", "fAlSe", "(id=1 OR id=2) AND NOT (TRUE)",
        # binaryComparisonPredicate, comparisonOperator
        "id=1", "id <> 1", "id<1", "id >1", "id<= 1", "id  >=  1", "place_name='x'", "opened_on = DATE('2022-04-14')",
        "opened_on = TIMESTAMP('2022-04-14T14:48:46Z')", "opened_on = timestamp('2022-04-14T14:48:46.123456Z')",
        # isLikePredicate, patternExpression, isBetweenPredicate, isInListPredicate, inList, isNullPredicate
        "place_name LIKE 'x%'", "place_name not like 'x%'", "id BETWEEN 1 AND 2", "id NOT BETWEEN -1.5 AND +2e3", "id IN (1)", "id NOT IN (1,2 , 3)",
        "place_name IN ('x','y')", "place_name IS NULL", "place_name IS NOT NULL",
        # propertyName, identifier: colons, dots, letters of any script
        '"id"=1', "id = 1", '"place_name" = \'x\'',
        # numericLiteral: decimal, scientific, signed
        "id=0", "id=+1", "id=-1", "id=1.5", "id=1.", "id=.5", "id=-.5", "id=1E5", "id=1.5e-3", "id=.5E+3", "id=00012",
        # characterLiteral
        "place_name=''", "place_name=' '", "place_name='\"'", "place_name='日本語 🙂'",
        # spatialPredicate, spatialInstance, pointTaggedText, bboxTaggedText and the other literals
        "S_INTERSECTS(geometry,POINT(1 2))", "S_INTERSECTS(geometry,POINT Z (1 2 3))", "S_INTERSECTS(geometry, point( -1.5 +2.5 ))",
        "S_INTERSECTS(geometry,BBOX(1,2,3,4))", "S_INTERSECTS(geometry,BBOX(1,2,-9,3,4,9))", "S_INTERSECTS(geometry,bbox(170, -10, -170, 10))",
        "S_INTERSECTS(geometry,LINESTRING(1 2,3 4))", "S_INTERSECTS(geometry,POLYGON((0 0,1 0,1 1,0 0),(.2 .1,.3 .1,.3 .2,.2 .1)))",
        "S_INTERSECTS(geometry,MULTIPOINT((1 2),(3 4)))", "S_INTERSECTS(geometry,MULTILINESTRING((1 2,3 4),(5 6,7 8)))",
        "S_INTERSECTS(geometry,MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((2 2,3 2,3 3,2 2))))",
        # whitespace
        "id\t=\n1\r\nAND\u00a0id=1\u3000",
    ],
)  # fmt: skip
def test_cql2_text_productions_of_the_bnf(client: FlaskClient, text: str) -> None:
    filtered_ids(client, "shops", text)
