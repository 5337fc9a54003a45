"""Query and response schemas of shops and brands."""

from __future__ import annotations

import re
from typing import Any

from marshmallow import Schema, fields

from geoshops.geo import HALF_CIRCUMFERENCE_M
from geoshops.shops.shapes import FEWEST_PEOPLE, MOST_PEOPLE, People
from geoshops.web.examples import ORIGIN, SHOP_ID
from geoshops.web.fields import (
    Args,
    Choice,
    Integer,
    Language,
    Latitude,
    Longitude,
    described,
    invalid,
)
from geoshops.web.review_schemas import SignedReview
from geoshops.web.shop_schemas import BrandArgs, FilterArgs, FoundShop

DEFAULT_RADIUS_M = 2000
DEFAULT_OFF_ROUTE_M, MAX_OFF_ROUTE_M = 200, 2000
MOST_SHOPS = 100
ID = re.compile(r"^[0-9]{1,18}\Z")


class PlaceArgs(BrandArgs, FilterArgs):
    """Query parameters of all searches by place: filters, brand and language."""

    lang = Language()


class AroundArgs(PlaceArgs):
    """Query of GET /shops/brand."""

    user_lat = Latitude(
        required=True, data_key="userLat", metadata=described("User latitude", 37.4979)
    )
    user_lng = Longitude(
        required=True, data_key="userLng", metadata=described("User longitude", 127.0276)
    )
    map_lat = Latitude(
        required=True, data_key="mapLat", metadata=described("Map centre latitude", 37.5)
    )
    map_lng = Longitude(
        required=True, data_key="mapLng", metadata=described("Map centre longitude", 127.03)
    )
    radius_m = Integer(
        low=1,
        high=HALF_CIRCUMFERENCE_M,
        load_default=None,
        data_key="radius",
        metadata=described(
            f"Radius in metres around the map centre; {DEFAULT_RADIUS_M} if omitted",
            DEFAULT_RADIUS_M,
        ),
    )

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Sets the default radius, unless a bounding box is given."""
        values = super().complete(values)
        if values["radius_m"] is None and values["filters"].box is None:
            values["radius_m"] = DEFAULT_RADIUS_M
        return values


class ShapeArgs(PlaceArgs):
    """Query of POST /shops/within. The user's position only affects distances and the order."""

    user_lat = Latitude(load_default=None, data_key="userLat", metadata=described("User latitude"))
    user_lng = Longitude(
        load_default=None, data_key="userLng", metadata=described("User longitude")
    )


class AlongArgs(ShapeArgs):
    """Query of POST /shops/along."""

    distance_m = Integer(
        low=1,
        high=MAX_OFF_ROUTE_M,
        load_default=DEFAULT_OFF_ROUTE_M,
        metadata=described("Maximum distance from the route in metres", 500),
    )


class MeetArgs(ShapeArgs):
    """Query of GET /shops/meet."""

    people = People(
        required=True,
        data_key="at",
        metadata={
            "type": "array",
            "items": {"type": "string"},
            "minItems": FEWEST_PEOPLE,
            "maxItems": MOST_PEOPLE,
            "style": "form",
            "explode": True,
            **described(
                f"Position of a person as longitude,latitude; {FEWEST_PEOPLE} to {MOST_PEOPLE} times",
                ["127.0276,37.4979", "126.9236,37.5563"],
            ),
        },
    )
    by = Choice(
        ("longest", "sum"),
        load_default="longest",
        metadata=described(
            "What to minimise: the longest distance of any person, or the sum of distances"
        ),
    )


class ShopAlong(FoundShop):
    """One shop near a route."""

    along_m = fields.Integer(
        required=True,
        metadata=described("Metres along the route to the point nearest to the shop", 54),
    )
    off_m = fields.Integer(
        required=True, metadata=described("Metres between the shop and the route", 377)
    )


class MeetingShop(FoundShop):
    """One shop where people could meet."""

    distances_m = fields.List(
        fields.Integer(),
        required=True,
        metadata=described("Metres from each person, in the order of `at`", [381, 10965]),
    )


class DetailArgs(Args):
    """Query of GET /shops/{shop-id}."""

    user_lat = Latitude(load_default=None, data_key="userLat", metadata=described("User latitude"))
    user_lng = Longitude(
        load_default=None, data_key="userLng", metadata=described("User longitude")
    )
    lang = Language()


class ShopIds(fields.Field[list[int]]):
    """`id=`, once for each shop."""

    repeatable = True

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[int]:
        texts: list[str] = value
        if not 1 <= len(texts) <= MOST_SHOPS or not all(ID.match(text) for text in texts):
            raise invalid("shop_ids", high=MOST_SHOPS)
        return [int(text) for text in texts]


class HoursArgs(Args):
    """Query of GET /shops/hours."""

    ids = ShopIds(
        required=True,
        data_key="id",
        metadata={
            "type": "array",
            "items": {"type": "string", "pattern": ID.pattern.replace(r"\Z", "$")},
            "minItems": 1,
            "maxItems": MOST_SHOPS,
            "style": "form",
            "explode": True,
            **described(f"Identifier of a shop; 1 to {MOST_SHOPS} times", [str(SHOP_ID)]),
        },
    )


class Region(Schema):
    """Province, district and neighbourhood of a shop; empty strings if unknown."""

    sido = fields.String(required=True, metadata={"example": "서울특별시"})
    sigungu = fields.String(required=True, metadata={"example": "강남구"})
    dong = fields.String(required=True, metadata={"example": "역삼동"})


class OpeningHours(Schema):
    """Hours of one weekday; a close time at or before the open time is on the next day."""

    day = fields.Integer(required=True, metadata=described("1 is Monday, 7 Sunday", 1))
    open = fields.String(required=True, metadata={"example": "10:00"})
    close = fields.String(required=True, metadata={"example": "24:00"})


class ShopHours(Schema):
    """Opening hours of one shop."""

    id = fields.Integer(required=True, metadata={"example": SHOP_ID})
    open_now = fields.Boolean(
        required=True,
        allow_none=True,
        metadata=described("null if the opening hours are unknown", True),
    )
    opening_hours = fields.List(fields.Nested(OpeningHours), required=True)


class FacetStats(Schema):
    """Votes on one facet."""

    good = fields.Integer(required=True, metadata={"example": 6})
    bad = fields.Integer(required=True, metadata={"example": 2})
    unselected = fields.Integer(required=True, metadata={"example": 6})
    good_ratio = fields.Float(
        required=True, allow_none=True, metadata=described("good / (good + bad)", 0.75)
    )


class TagStats(Schema):
    """Votes on the three facets."""

    purity = fields.Nested(FacetStats, required=True)
    retouch = fields.Nested(FacetStats, required=True)
    item = fields.Nested(FacetStats, required=True)


class ShopDetail(FoundShop):
    """A shop with all its details."""

    region = fields.Nested(Region, required=True)
    phone = fields.String(required=True, metadata={"example": "0507-0000-1262"})
    homepage = fields.String(required=True, metadata={"example": ""})
    opened_on = fields.String(
        required=True, allow_none=True, metadata={"format": "date", "example": "2025-05-21"}
    )
    closed_on = fields.String(
        required=True, allow_none=True, metadata={"format": "date", "example": None}
    )
    merged_into_id = fields.Integer(
        metadata=described(
            "Only for a merged duplicate: the shop that now has its reviews and favorites"
        ),
    )
    opening_hours = fields.List(fields.Nested(OpeningHours), required=True)
    open_now = fields.Boolean(
        required=True,
        allow_none=True,
        metadata=described("null if the opening hours are unknown", True),
    )
    rating_counts = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata={"example": {"1": 0, "2": 1, "3": 2, "4": 3, "5": 8}},
    )
    tag_stats = fields.Nested(TagStats, required=True)
    recent_reviews = fields.List(fields.Nested(SignedReview), required=True)


class BrandsArgs(Args):
    """Query of GET /brands."""

    lang = Language()


class BrandDisplay(Schema):
    """The name of a brand in the language of `lang`."""

    brand_name = fields.String(required=True, metadata={"example": "Photoism Box"})


class Brand(Schema):
    """A brand with the number of its open shops, without those of sub-brands."""

    id = fields.Integer(required=True, metadata={"example": 4})
    brand_name = fields.String(required=True, metadata={"example": "포토이즘박스"})
    file_path = fields.String(required=True, metadata={"example": f"{ORIGIN}/brands/4.svg"})
    is_representative = fields.Boolean(required=True, metadata={"example": False})
    parent_id = fields.Integer(required=True, allow_none=True, metadata={"example": 3})
    shop_cnt = fields.Integer(required=True, metadata={"example": 61})
    display = fields.Nested(BrandDisplay, metadata=described("Only with `lang`"))
