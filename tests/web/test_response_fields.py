"""Every response has the fields that the OpenAPI document declares for it, and no others.

Schemas describe responses in Python, SQL writes them: this test compares the two lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops import create_app
from tests.make import Maker

DOCUMENT: dict[str, Any] = (
    create_app({"testing": True, "database_url": "postgresql:///none"})
    .test_client()
    .get("/openapi.json")
    .json
)
# sign-in needs a provider, sign-out ends the session
ELSEWHERE = ("/auth/authorize", "/auth/login/idp", "/auth/logout", "/openapi.json")
QUERY = {"userLat": "37.5", "userLng": "127", "mapLat": "37.5", "mapLng": "127", "radius": "1000",
         "keyword": "네컷", "nickname": "새이름", "at": ["127,37.5", "127,37.6"], "id": "1"}  # fmt: skip


def responses() -> list[Any]:
    """(path, media type, schema) of every successful response to GET."""
    return [
        pytest.param(path, kind, content["schema"], id=f"{path} {kind}")
        for path, item in DOCUMENT["paths"].items()
        if "get" in item and path not in ELSEWHERE
        for kind, content in item["get"]["responses"]["200"].get("content", {}).items()
        if kind.endswith("json") and "schema" in content
    ]


def differences(schema: Any, value: Any, place: str = "") -> Iterator[str]:
    """Yields fields that only the schema or only the value has."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = DOCUMENT["components"]["schemas"][name]
    for part in schema.get("allOf", schema.get("anyOf", ())):
        if value is not None:
            yield from differences(part, value, place)
    if isinstance(value, list):
        for item in value[:3]:
            yield from differences(schema.get("items", {}), item, f"{place}[]")
    elif isinstance(value, dict) and schema.get("properties"):
        declared = schema["properties"]
        for name in value.keys() - declared.keys():
            yield f"{place}.{name} is not declared"
        for name in {*schema.get("required", ())} - value.keys():
            yield f"{place}.{name} is missing"
        for name in value.keys() & declared.keys():
            yield from differences(declared[name], value[name], f"{place}.{name}")


@pytest.fixture
def bearer(app: Flask, make: Maker) -> tuple[dict[str, str], dict[str, int]]:
    """Headers of a member with one row of every kind, and the ids for the paths."""
    bearer = make.bearer(app)
    member = make.sql("SELECT max(id) FROM members")
    shop = make.shop("하루네컷", at=(127, 37.5), brand_id=make.brand("하루네컷"))
    review = make.review(member, shop)
    make.favorite(member, shop)
    title = make.sql("SELECT min(id) FROM titles")
    make.title(member, title)
    region = make.region("서울특별시", level="sido")
    boundary = "SRID=4326;MULTIPOLYGON(((126 37, 128 37, 128 38, 126 37)))"
    make.sql("UPDATE regions SET boundary = %s WHERE id = %s", boundary, region)
    station = make.station("강남", at=(127, 37.5))
    return bearer, {
        "shop_id": shop,
        "review_id": review,
        "title_id": title,
        "region_id": region,
        "station_id": station,
    }


@pytest.mark.parametrize(("path", "kind", "schema"), responses())
def test_a_response_has_the_declared_fields(
    client: FlaskClient,
    bearer: tuple[dict[str, str], dict[str, int]],
    path: str,
    kind: str,
    schema: dict[str, Any],
) -> None:
    headers, identifiers = bearer
    query = {} if path.startswith("/ogc") else QUERY
    if (path, kind) == ("/shops", "application/json"):
        query = {**query, "explain": "true"}
    url = path.format(**identifiers)
    response = client.get(url, query_string=query, headers={**headers, "Accept": kind})
    assert response.status_code == 200, response.text
    assert sorted(differences(schema, response.get_json(force=True))) == []


def test_enough_responses_are_compared() -> None:
    assert len(responses()) > 20
    schema = {"properties": {"a": {}, "b": {}}, "required": ["a"]}
    assert [*differences(schema, {"c": 1})] == [".c is not declared", ".a is missing"]
