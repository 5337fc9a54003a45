"""Query and response schemas of OGC API Features (core, GeoJSON).

Unlike the rest of the service, it rejects unknown query parameters, as the standard requires."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Protocol

from marshmallow import Schema, ValidationError, fields

from geoshops.ogc.cql2 import MAX_LENGTH, parse
from geoshops.ogc.cql2_tokens import FilterError
from geoshops.web.fields import DECIMAL, Args, Box, Choice, Integer, Text, described, invalid

MAX_ASKED = 10**18 - 1
KEY = re.compile("[0-9]{1,18}")
# RFC 3339, section 5.6; one end of an interval may be open
TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
OPEN_END = ("", "..")
# the style of parameters in the standard
FORM = {"style": "form", "explode": False}
NUMBERS = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 4,
    "maxItems": 6,
    "oneOf": [{"minItems": 4, "maxItems": 4}, {"minItems": 6, "maxItems": 6}],
}


class Key(fields.String):
    """The key of a page, from the link `next`."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str) or not KEY.fullmatch(value):
            raise invalid("not_an_integer")
        return int(value)


class BoxWithHeights(Box):
    """A box of four numbers, or of six with heights, which are ignored."""

    def _deserialize(self, value: Any, *more: Any, **named: Any) -> Any:
        parts = value.split(",") if isinstance(value, str) else []
        if len(parts) == 6:
            low, high = parts.pop(2), parts.pop(4)
            if not (DECIMAL.match(low) and DECIMAL.match(high) and float(low) <= float(high)):
                raise invalid("bad_box_with_heights")
        try:
            return super()._deserialize(",".join(parts), *more, **named)
        except ValidationError:
            raise invalid("bad_box_with_heights") from None


class Interval(fields.String):
    """A time or an interval; it is only checked."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        ends = value.split("/") if isinstance(value, str) else []
        given = [end for end in ends if len(ends) == 1 or end not in OPEN_END]
        try:
            times = [_time(end) for end in given]
        except ValueError:
            times = []
        if len(ends) > 2 or not times or times != sorted(times):
            raise invalid("bad_interval")
        return value


def _time(text: str) -> datetime:
    if not TIME.fullmatch(text):
        raise ValueError(text)
    return datetime.fromisoformat(text.upper())


class Limit(Integer):
    """Features per page. By the standard, a number above the maximum is not an error but means the maximum, which the
    OpenAPI document states."""

    def __init__(self, *, default: int, largest: int) -> None:
        about = f"Features per page; larger values mean {largest}"
        super().__init__(
            low=1, high=MAX_ASKED, load_default=default, metadata={**FORM, "description": about}
        )
        self.metadata = {**self.metadata, "maximum": largest}
        self._largest = largest

    def _deserialize(self, *value: Any, **named: Any) -> int:
        return min(super()._deserialize(*value, **named), self._largest)


class Filter(Text):
    """A condition in CQL2 text."""

    def _deserialize(self, *value: Any, **named: Any) -> Any:
        try:
            return parse(super()._deserialize(*value, **named))
        except FilterError as error:
            raise invalid("bad_filter", at=error.at, rule=error.rule) from None


class NoArgs(Args):
    """The empty query of a document."""

    only_known: ClassVar = True


class ItemsArgs(Args):
    """Query of the items of any collection; items_args() adds the limit."""

    only_known: ClassVar = True

    box = BoxWithHeights(
        data_key="bbox",
        metadata={
            **NUMBERS, **FORM,
            "description": "minLng,minLat,maxLng,maxLat; min above max crosses the 180th meridian."
            " With six numbers, the third and the last are heights, which are ignored",
        },
    )  # fmt: skip
    datetime = Interval(
        metadata={
            **FORM,
            "description": "A time or an interval (RFC 3339). Features have no time, so all of them match",
        }
    )
    filter = Filter(
        high=MAX_LENGTH,
        exact=True,
        lines=True,
        metadata=described(
            "A condition in CQL2 text on the properties in the collection's queryables",
            "id >= 10 AND S_INTERSECTS(geometry, BBOX(126.9, 37.4, 127.1, 37.6))",
        ),
    )
    filter_lang = Choice(
        ("cql2-text",),
        load_default="cql2-text",
        data_key="filter-lang",
        metadata=described("Language of the filter"),
    )
    after = Key(
        load_default=0,
        metadata={
            "pattern": f"^{KEY.pattern}$",
            "description": "Key of the page; follow the links `next` instead of setting it",
        },
    )

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Removes the time and the filter's language, which are only checked."""
        values.pop("datetime", None)
        values.pop("filter_lang")
        return {"box": None, "filter": None, **values}


def items_args(default_limit: int, max_limit: int) -> type[Args]:
    """The query schema of a collection with these page sizes."""
    limit = Limit(default=default_limit, largest=max_limit)
    return type("ItemsArgs", (ItemsArgs,), {"limit": limit})


class Link(Schema):
    """A link (RFC 8288 relation)."""

    href = fields.String(required=True)
    rel = fields.String(required=True)
    type = fields.String(required=True)
    title = fields.String()


class Landing(Schema):
    """Landing page."""

    title = fields.String(required=True)
    description = fields.String(required=True)
    links = fields.List(fields.Nested(Link), required=True)


class Conformance(Schema):
    """Conformance classes."""

    conformsTo = fields.List(fields.String(), required=True)  # noqa: N815


class Queryables(Schema):
    """The properties that filters may use, as a JSON Schema."""

    schema = fields.String(required=True, data_key="$schema")
    id = fields.String(required=True, data_key="$id")
    type = fields.String(required=True)
    title = fields.String(required=True)
    properties = fields.Dict(required=True)
    additionalProperties = fields.Boolean(required=True)  # noqa: N815


class SpatialExtent(Schema):
    """Boxes in degrees; the first one contains all features."""

    bbox = fields.List(fields.List(fields.Float()), required=True)
    crs = fields.String(required=True)


class Extent(Schema):
    """The extent of the features."""

    spatial = fields.Nested(SpatialExtent, required=True)


class Collection(Schema):
    """A collection of features."""

    id = fields.String(required=True)
    title = fields.String(required=True)
    description = fields.String(required=True)
    itemType = fields.String(required=True)  # noqa: N815
    crs = fields.List(fields.String(), required=True)
    extent = fields.Nested(Extent, required=True)
    links = fields.List(fields.Nested(Link), required=True)


class Collections(Schema):
    """All collections."""

    collections = fields.List(fields.Nested(Collection), required=True)
    links = fields.List(fields.Nested(Link), required=True)


class Point(Schema):
    """GeoJSON point, longitude first."""

    type = fields.String(required=True)
    coordinates = fields.List(fields.Float(), required=True)


class MultiPolygon(Schema):
    """GeoJSON multipolygon: polygons of rings of positions, longitude first."""

    type = fields.String(required=True)
    coordinates = fields.List(fields.List(fields.List(fields.List(fields.Float()))), required=True)


GEOMETRIES: dict[str, type[Schema]] = {"Point": Point, "MultiPolygon": MultiPolygon}
FIELDS: dict[str, type[fields.Field[Any]]] = {
    "string": fields.String,
    "date": fields.String,
    "integer": fields.Integer,
    "number": fields.Float,
}


class Published(Protocol):
    """The field of a collection's property; `type` is one of FIELDS."""

    @property
    def type(self) -> str: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def values(self) -> tuple[str, ...]: ...


def feature(
    name: str, properties: Mapping[str, Published], geometry_type: str, *, has_null_geometry: bool
) -> type[Schema]:
    """The schema `name` of a collection's GeoJSON feature; null and empty properties mean unknown."""
    properties_schema = Schema.from_dict(
        {key: _field(published) for key, published in properties.items()}, name=f"{name}Properties"
    )
    geometry = fields.Nested(GEOMETRIES[geometry_type], required=True, allow_none=has_null_geometry)
    return Schema.from_dict(
        {
            "type": fields.String(required=True),
            "id": fields.Integer(required=True),
            "geometry": geometry,
            "properties": fields.Nested(properties_schema, required=True),
            "links": fields.List(fields.Nested(Link)),
        },
        name=name,
    )


def _field(published: Published) -> fields.Field[Any]:
    stated: dict[str, object] = {}
    if published.type == "date":
        stated["format"] = "date"
    if published.values:
        stated["enum"] = list(published.values)
    return FIELDS[published.type](required=True, allow_none=published.nullable, metadata=stated)


def items(name: str, item: type[Schema], most_counted: int) -> type[Schema]:
    """The schema `name` of a page of features."""
    return Schema.from_dict(
        {
            "type": fields.String(required=True),
            "features": fields.List(fields.Nested(item), required=True),
            "links": fields.List(fields.Nested(Link), required=True),
            "numberReturned": fields.Integer(required=True),
            "numberMatched": fields.Integer(
                metadata={
                    "description": f"Only on the first page, and up to {most_counted} matches"
                }
            ),
        },
        name=name,
    )
