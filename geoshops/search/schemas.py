"""Query and response schemas of the keyword search."""

from __future__ import annotations

from typing import ClassVar

from marshmallow import Schema, fields

from geoshops.web.fields import Args, Flag, Language, Latitude, Longitude, Text, described
from geoshops.web.shop_schemas import FilterArgs

KINDS = ("region", "station", "brand", "shop")


class KeywordArgs(FilterArgs):
    """Query of GET /shops."""

    keyword = Text(
        required=True,
        high=100,
        metadata=described(
            "A region, a region and a brand, or a brand and a shop name", "강남구 인생네컷"
        ),
    )
    user_lat = Latitude(
        required=True, data_key="userLat", metadata=described("User latitude", 37.4979)
    )
    user_lng = Longitude(
        required=True, data_key="userLng", metadata=described("User longitude", 127.0276)
    )
    explain = Flag(
        load_default=False,
        metadata=described(
            "Explain how the keyword was interpreted and why each shop has its rank"
        ),
    )
    lang = Language()


class SuggestArgs(Args):
    """Query of GET /shops/suggest."""

    aliases: ClassVar = {"q": "keyword"}

    keyword = Text(
        required=True,
        high=100,
        metadata=described(
            "The text typed so far, which may end with an incomplete syllable; also as `q`", "강ㄴ"
        ),
    )
    user_lat = Latitude(
        load_default=None,
        data_key="userLat",
        metadata=described("User latitude; Seoul's city hall without a position"),
    )
    user_lng = Longitude(
        load_default=None, data_key="userLng", metadata=described("User longitude")
    )
    lang = Language()


class SuggestionDisplay(Schema):
    """A suggestion in the language of `lang`; a label, and for a shop also its names and address."""

    label = fields.String(required=True, metadata={"example": "Gangnam Station"})
    place_name = fields.String()
    place_address = fields.String()
    brand_name = fields.String()


class Suggestion(Schema):
    """A suggestion; its label is a keyword that finds it."""

    kind = fields.String(required=True, metadata={"enum": list(KINDS), "example": "station"})
    id = fields.Integer(required=True, metadata={"example": 1})
    label = fields.String(
        required=True, metadata=described("Text to show and keyword to search for", "강남역")
    )
    matches = fields.List(
        fields.List(fields.Integer(), metadata={"minItems": 2, "maxItems": 2}),
        required=True,
        metadata=described("Characters [from, to) of the label that were typed", [[0, 2]]),
    )
    longitude = fields.String(
        required=True,
        allow_none=True,
        metadata=described(
            "Longitude in decimal degrees, as a string; null for a brand", "127.0278"
        ),
    )
    latitude = fields.String(
        required=True,
        allow_none=True,
        metadata=described("Latitude in decimal degrees, as a string; null for a brand", "37.498"),
    )
    display = fields.Nested(SuggestionDisplay, metadata=described("Only with `lang`"))
