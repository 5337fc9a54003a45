"""Examples of the OpenAPI document, composed from the examples of fields.

All show one shop of the sample data, from one position, and one imaginary member."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

ORIGIN = "https://booths.example"
MEMBER_ID, SHOP_ID, REVIEW_ID, SESSION_ID, TITLE_ID = 10, 9, 248, 3, 2
DATE = [2026, 10, 11, 11, 11, 24]
# path parameters by name; the tile is that of the shop
PATH = {
    "review_id": REVIEW_ID,
    "session_id": SESSION_ID,
    "shop_id": SHOP_ID,
    "title_id": TITLE_ID,
    "region_id": 40,
    "station_id": 1,
    "z": 15,
    "x": 27946,
    "y": 12696,
}
# query parameters whose field has no example, by name
QUERY: dict[str, object] = {
    "page": 1,
    "size": 20,
    "sort": "highest",
    "lang": "en",
    "userLat": 37.4979,
    "userLng": 127.0276,
    "brand": "포토이즘",
    "allBrands": True,
    "bbox": "126.9,37.4,127.2,37.6",
    "by": "sum",
    "explain": True,
    "all": True,
    "reviews": "keep",
    "redirect_uri": f"{ORIGIN}/",
    "provider": "kakao",
    # of OpenID Connect Core and of RFC 7636, appendix B
    "state": "af0ifjsldkj",
    "nonce": "n-0S6_WzA2Mj",
    "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    "datetime": "2026-11-20T00:00:00Z/..",
    "filter-lang": "cql2-text",
    "limit": 100,
    "after": "0",
}


def example_of_parameter(field: fields.Field[object]) -> object:
    """An example of a query parameter whose metadata have none."""
    known = QUERY.get(field.data_key or str(field.name))
    if field.metadata.get("type") == "array":
        return [float(number) for number in str(known).split(",")]
    choices = field.metadata.get("enum", ())
    return choices[-1] if choices and known not in choices else known


def example_of(schema: Schema | type[Schema]) -> Any:
    """A body of the schema with every field that has an example; a list of one item if the schema is `many`.

    The example of a field is that of its metadata, else its first allowed value, else composed of its nested fields."""
    instance = schema() if isinstance(schema, type) else schema
    shown = {
        field.data_key or name: _field_example(field)
        for name, field in instance.fields.items()
        if _has_example(field)
    }
    return [shown] if instance.many else shown


def _has_example(field: fields.Field[object]) -> bool:
    if isinstance(field, fields.List):
        return "example" in field.metadata or _has_example(field.inner)
    return isinstance(field, fields.Nested) or not field.metadata.keys().isdisjoint(
        ("example", "enum")
    )


def _field_example(field: fields.Field[object]) -> object:
    if "example" in field.metadata:
        return field.metadata["example"]
    if isinstance(field, fields.Nested):
        return example_of(field.schema)
    if isinstance(field, fields.List):
        return [_field_example(field.inner)]
    return field.metadata["enum"][0]
