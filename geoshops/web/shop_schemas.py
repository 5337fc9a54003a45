"""Parameters and fields that every shop search shares."""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any

from marshmallow import Schema, fields

from geoshops.web.fields import Args, Box, Choice, Flag, Number
from geoshops.web.paging import PagingArgs
from geoshops.web.shop_filters import ShopFilters

SORTS = ("distance", "rating", "reviews", "favorites")


def described(text: str, example: object = None) -> dict[str, object]:
    """Metadata of a documented field."""
    return {"description": text} if example is None else {"description": text, "example": example}


class ShopFilterArgs(Args):
    """Filters of searches and tiles. They load to `filters`: ShopFilters."""

    min_rating = Number(
        low=0,
        high=5,
        load_default=None,
        data_key="minRating",
        metadata=described("Least average rating"),
    )
    open_now = Flag(
        load_default=False, data_key="openNow", metadata=described("Only shops open now")
    )
    clean = Number(
        low=0,
        high=1,
        load_default=None,
        metadata=described("Least share of GOOD cleanliness votes (Wilson lower bound)"),
    )
    retouch = Number(
        low=0,
        high=1,
        load_default=None,
        metadata=described("Least share of GOOD retouching votes (Wilson lower bound)"),
    )
    props = Number(
        low=0,
        high=1,
        load_default=None,
        metadata=described("Least share of GOOD props votes (Wilson lower bound)"),
    )

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Joins the filters into one value."""
        names = [f.name for f in fields_of(ShopFilters) if f.name in self.fields]
        filters = ShopFilters(**{name: values.pop(name) for name in names})
        return super().complete({**values, "filters": filters})


class FilterArgs(ShopFilterArgs, PagingArgs):
    """Filters, order and pages of all searches."""

    sort = Choice(
        SORTS, load_default="distance", metadata=described("Order, best or nearest first")
    )
    box = Box(
        load_default=None,
        data_key="bbox",
        metadata=described("minLng,minLat,maxLng,maxLat; min above max crosses the 180th meridian"),
    )


class ShopBrand(Schema):
    """Brand of a shop."""

    brand_name = fields.String(required=True)
    file_path = fields.String(required=True, metadata=described("Absolute URL of the badge"))


class ShopDisplay(Schema):
    """Names and address in the language of `lang`: official ones where known, else in Latin letters."""

    place_name = fields.String(
        required=True, metadata={"example": "Life4Cuts Gangnam Station No. 2"}
    )
    place_address = fields.String(
        required=True, metadata={"example": "287 Gangnam-daero, Gangnam-gu, Seoul"}
    )
    brand_name = fields.String(required=True, metadata={"example": "Life4Cuts"})


class ShopSummary(Schema):
    """One shop in a list."""

    id = fields.Integer(required=True)
    place_name = fields.String(required=True)
    longitude = fields.String(required=True, metadata=described("Decimal degrees as text"))
    latitude = fields.String(required=True, metadata=described("Decimal degrees as text"))
    distance = fields.String(required=True, metadata=described("From the user, with unit", "1.5km"))
    distance_m = fields.Integer(required=True, metadata=described("The same in whole metres"))
    star_rating_avg = fields.Float(
        required=True, metadata=described("One decimal; 0.0 without reviews")
    )
    review_cnt = fields.Integer(required=True)
    favorite_cnt = fields.Integer(required=True)
    brand = fields.Nested(ShopBrand, required=True)
    place_address = fields.String(required=True, metadata=described("May be empty"))
    favorite = fields.Boolean(
        required=True, metadata=described("Whether the caller holds it as a favorite")
    )
    status = fields.String(required=True, metadata={"enum": ["OPEN", "TEMP_CLOSED", "CLOSED"]})
    shop_titles = fields.List(fields.String(), required=True)
    display = fields.Nested(ShopDisplay, metadata=described("Only with `lang`"))


class TitleProgress(Schema):
    """How far the member is; equal to the target once the title is held."""

    current = fields.Integer(required=True)
    target = fields.Integer(required=True)


class MemberTitle(Schema):
    """A member title."""

    id = fields.Integer(required=True)
    name = fields.String(required=True)
    content = fields.String(required=True, metadata={"description": "For titles held"})
    standard = fields.String(required=True, metadata={"description": "How to obtain it"})
    image_url = fields.String(
        required=True, metadata={"description": "Absolute; coloured when held, grey otherwise"}
    )
    is_holding = fields.Boolean(required=True)
    is_main = fields.Boolean(required=True)
    progress = fields.Nested(TitleProgress, required=True)
