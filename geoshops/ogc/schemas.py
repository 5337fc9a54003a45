"""What OGC API Features takes and answers (core, GeoJSON).

Unlike the rest of the service it rejects unknown query parameters, as the standard wants it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields

from geoshops.ogc.cql2 import MAX_LENGTH, FilterError, parse
from geoshops.web.fields import DECIMAL, Args, Box, Choice, Integer, Text, invalid
from geoshops.web.shop_schemas import described

DEFAULT_LIMIT, MAX_LIMIT = 1000, 10_000
MAX_ASKED = 10**18 - 1
KEY = re.compile("[0-9]{1,18}")
# RFC 3339, section 5.6; of an interval one end may be open
TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
OPEN_END = ("", "..")
# how the standard has a parameter written
FORM = {"style": "form", "explode": False}
NUMBERS = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 4,
    "maxItems": 6,
    "oneOf": [{"minItems": 4, "maxItems": 4}, {"minItems": 6, "maxItems": 6}],
}


class Key(fields.String):
    """The key of a page, as the link `next` has it."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str) or not KEY.fullmatch(value):
            raise invalid("not_an_integer")
        return int(value)


class BoxWithHeights(Box):
    """A box of four numbers, or of six with heights, which points without a height ignore."""

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
    """A time or an interval of two; nothing is made of it but a check."""

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
    """Features a page. A number above the largest page is no error for the standard, and means the largest page; the
    document states that as the maximum."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(low=1, high=MAX_ASKED, **kwargs)
        self.metadata = {**self.metadata, "maximum": MAX_LIMIT}

    def _deserialize(self, *value: Any, **named: Any) -> int:
        return min(super()._deserialize(*value, **named), MAX_LIMIT)


class Filter(Text):
    """A condition in CQL2 text."""

    def _deserialize(self, *value: Any, **named: Any) -> Any:
        try:
            return parse(super()._deserialize(*value, **named))
        except FilterError as error:
            raise invalid("bad_filter", at=error.at, rule=error.rule) from None


class NoArgs(Args):
    """Query of a document: none."""

    only_known: ClassVar = True


class ItemsArgs(Args):
    """Query of the items."""

    only_known: ClassVar = True

    box = BoxWithHeights(
        data_key="bbox",
        metadata={
            **NUMBERS, **FORM,
            "description": "minLng,minLat,maxLng,maxLat; min above max crosses the 180th meridian."
            " Of six numbers the third and the last are heights, which are ignored",
        },
    )  # fmt: skip
    datetime = Interval(
        metadata={
            **FORM,
            "description": "A time or an interval (RFC 3339). Shops have no time here, so every one matches all of them",
        }
    )
    filter = Filter(
        high=MAX_LENGTH,
        exact=True,
        load_default=None,
        metadata=described(
            "A condition in CQL2 text over the properties of the resource queryables",
            "review_cnt >= 10 AND brand_name LIKE '인생%'",
        ),
    )
    filter_lang = Choice(
        ("cql2-text",),
        load_default="cql2-text",
        data_key="filter-lang",
        metadata=described("Language of the filter"),
    )
    limit = Limit(
        load_default=DEFAULT_LIMIT,
        metadata={
            **FORM,
            "description": f"Features a page, {MAX_LIMIT} at most whatever is asked for",
        },
    )
    after = Key(
        load_default=0,
        metadata={
            "pattern": f"^{KEY.pattern}$",
            "description": "Key of the page; follow the links `next` instead of setting it",
        },
    )

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Drops the time and the filter's language, which were only checked."""
        values.pop("datetime", None)
        values.pop("filter_lang")
        return {"box": None, **values}


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
    """The properties that filters may name, as a JSON Schema."""

    schema = fields.String(required=True, data_key="$schema")
    id = fields.String(required=True, data_key="$id")
    type = fields.String(required=True)
    title = fields.String(required=True)
    properties = fields.Dict(required=True)
    additionalProperties = fields.Boolean(required=True)  # noqa: N815


class SpatialExtent(Schema):
    """Boxes in degrees, the first holds all."""

    bbox = fields.List(fields.List(fields.Float()), required=True)
    crs = fields.String(required=True)


class Extent(Schema):
    """Where the features are."""

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
    """All collections: one."""

    collections = fields.List(fields.Nested(Collection), required=True)
    links = fields.List(fields.Nested(Link), required=True)


class Point(Schema):
    """GeoJSON point, longitude first."""

    type = fields.String(required=True)
    coordinates = fields.List(fields.Float(), required=True)


class ItemProperties(Schema):
    """What a feature tells of its shop; null and empty mean unknown."""

    place_name = fields.String(required=True)
    brand_name = fields.String(required=True, allow_none=True)
    place_address = fields.String(required=True)
    sido = fields.String(required=True, allow_none=True)
    sigungu = fields.String(required=True, allow_none=True)
    dong = fields.String(required=True, allow_none=True)
    status = fields.String(required=True, metadata={"enum": ["OPEN", "TEMP_CLOSED"]})
    star_rating_avg = fields.Float(required=True)
    review_cnt = fields.Integer(required=True)
    favorite_cnt = fields.Integer(required=True)
    phone = fields.String(required=True)
    homepage = fields.String(required=True)
    opened_on = fields.String(required=True, allow_none=True, metadata={"format": "date"})


class Feature(Schema):
    """A shop as a GeoJSON feature."""

    type = fields.String(required=True)
    id = fields.Integer(required=True)
    geometry = fields.Nested(Point, required=True)
    properties = fields.Nested(ItemProperties, required=True)
    links = fields.List(fields.Nested(Link))


class Items(Schema):
    """A page of features."""

    type = fields.String(required=True)
    features = fields.List(fields.Nested(Feature), required=True)
    links = fields.List(fields.Nested(Link), required=True)
    numberReturned = fields.Integer(required=True)  # noqa: N815
    numberMatched = fields.Integer(  # noqa: N815
        metadata={"description": "On the first page, up to 10000 matches"}
    )
