"""Schemas shared by all shop searches."""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any

from marshmallow import Schema, fields

from geoshops.web.examples import ORIGIN, SHOP_ID, TITLE_ID
from geoshops.web.fields import Args, Box, Choice, Flag, Number, Text, described
from geoshops.web.paging import PagingArgs
from geoshops.web.shop_filters import ShopFilters

SORTS = ("distance", "rating", "reviews", "favorites")


class ShopFilterArgs(Args):
    """Filters of searches and tiles. They load to `filters`: ShopFilters."""

    min_rating = Number(
        low=0,
        high=5,
        load_default=None,
        data_key="minRating",
        metadata=described("Minimum average rating", 4),
    )
    open_now = Flag(
        load_default=False, data_key="openNow", metadata=described("Only shops open now", True)
    )
    clean = Number(
        low=0,
        high=1,
        load_default=None,
        metadata=described("Minimum share of GOOD cleanliness votes (Wilson lower bound)", 0.3),
    )
    retouch = Number(
        low=0,
        high=1,
        load_default=None,
        metadata=described("Minimum share of GOOD retouching votes (Wilson lower bound)", 0.3),
    )
    props = Number(
        low=0,
        high=1,
        load_default=None,
        metadata=described("Minimum share of GOOD props votes (Wilson lower bound)", 0.3),
    )

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Combines the filters into one value."""
        names = [f.name for f in fields_of(ShopFilters) if f.name in self.fields]
        filters = ShopFilters(**{name: values.pop(name) for name in names})
        return super().complete({**values, "filters": filters})


class BrandArgs(Args):
    """The brand of the shops of a search or a tile."""

    brand = Text(
        high=100,
        blank_is_none=True,
        load_default=None,
        metadata=described("Brand name or alias; the representative brands when omitted"),
    )
    all_brands = Flag(
        load_default=False,
        data_key="allBrands",
        metadata=described("Include every brand if `brand` is omitted"),
    )


class FilterArgs(ShopFilterArgs, PagingArgs):
    """Filters, order and pages of all searches."""

    sort = Choice(
        SORTS, load_default="distance", metadata=described("Sort order, best or nearest first")
    )
    box = Box(
        load_default=None,
        data_key="bbox",
        metadata=described("minLng,minLat,maxLng,maxLat; min above max crosses the 180th meridian"),
    )


class ShopBrand(Schema):
    """Brand of a shop."""

    brand_name = fields.String(required=True, metadata={"example": "포토이즘박스"})
    file_path = fields.String(
        required=True, metadata=described("Absolute URL of the badge", f"{ORIGIN}/brands/4.svg")
    )


class ShopDisplay(Schema):
    """Names and address in the language of `lang`: official ones where known, else in Latin letters."""

    place_name = fields.String(required=True, metadata={"example": "photoism box Gangnam Station"})
    place_address = fields.String(
        required=True, metadata={"example": "30 Teheran-ro, Gangnam-gu, Seoul"}
    )
    brand_name = fields.String(required=True, metadata={"example": "photoism box"})


class ShopSummary(Schema):
    """One shop in a list."""

    id = fields.Integer(required=True, metadata={"example": SHOP_ID})
    place_name = fields.String(required=True, metadata={"example": "포토이즘박스 강남역점"})
    longitude = fields.String(
        required=True, metadata=described("Longitude in decimal degrees, as a string", "127.0266")
    )
    latitude = fields.String(
        required=True, metadata=described("Latitude in decimal degrees, as a string", "37.501239")
    )
    distance = fields.String(
        required=True, metadata=described("Distance from the user, with unit", "381m")
    )
    distance_m = fields.Integer(
        required=True, metadata=described("Distance from the user in whole metres", 381)
    )
    star_rating_avg = fields.Float(
        required=True, metadata=described("One decimal; 0.0 without reviews", 4.3)
    )
    review_cnt = fields.Integer(required=True, metadata={"example": 14})
    favorite_cnt = fields.Integer(required=True, metadata={"example": 5})
    brand = fields.Nested(ShopBrand, required=True)
    place_address = fields.String(
        required=True, metadata=described("May be empty", "서울특별시 강남구 테헤란로 30")
    )
    favorite = fields.Boolean(
        required=True, metadata=described("Whether it is a favorite of the caller", False)
    )
    status = fields.String(required=True, metadata={"enum": ["OPEN", "TEMP_CLOSED", "CLOSED"]})
    shop_titles = fields.List(fields.String(), required=True, metadata={"example": ["핫플레이스"]})
    display = fields.Nested(ShopDisplay, metadata=described("Only with `lang`"))


class FoundShop(ShopSummary):
    """A shop whose distance is empty if the user's position is unknown."""

    distance = fields.String(
        required=True,
        metadata=described("Distance from the user; empty without a user position", "381m"),
    )
    distance_m = fields.Integer(required=True, allow_none=True, metadata={"example": 381})


class TitleProgress(Schema):
    """The member's progress towards a title; equals the target once the title is held."""

    current = fields.Integer(required=True, metadata={"example": 1})
    target = fields.Integer(required=True, metadata={"example": 1})


class MemberTitle(Schema):
    """A member title."""

    id = fields.Integer(required=True, metadata={"example": TITLE_ID})
    name = fields.String(required=True, metadata={"example": "리뷰 첫 걸음"})
    content = fields.String(
        required=True,
        metadata=described(
            "Description of the title, for members who hold it", "첫 리뷰를 남긴 사람이에요."
        ),
    )
    standard = fields.String(
        required=True, metadata=described("How to earn the title", "리뷰를 1개 쓰면 얻어요.")
    )
    image_url = fields.String(
        required=True,
        metadata=described(
            "Absolute URL of the medal; coloured if held, grey otherwise",
            f"{ORIGIN}/titles/{TITLE_ID}.svg",
        ),
    )
    is_holding = fields.Boolean(required=True, metadata={"example": True})
    is_main = fields.Boolean(required=True, metadata={"example": True})
    progress = fields.Nested(TitleProgress, required=True)
