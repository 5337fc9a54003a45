"""Query and response schemas of favorites."""

from __future__ import annotations

from marshmallow import Schema, fields

from geoshops.web.examples import SHOP_ID
from geoshops.web.fields import Args, Language, Latitude, Longitude
from geoshops.web.paging import PagingArgs
from geoshops.web.shop_schemas import FoundShop, MemberTitle


class FavoriteListArgs(PagingArgs):
    """Query of GET /favorites."""

    user_lat = Latitude(
        required=True,
        data_key="userLat",
        metadata={"description": "User latitude", "example": 37.4979},
    )
    user_lng = Longitude(
        required=True,
        data_key="userLng",
        metadata={"description": "User longitude", "example": 127.0276},
    )
    lang = Language()


class FavoriteArgs(Args):
    """Query of POST /favorites/{shop-id}."""

    user_lat = Latitude(
        load_default=None, data_key="userLat", metadata={"description": "User latitude"}
    )
    user_lng = Longitude(
        load_default=None, data_key="userLng", metadata={"description": "User longitude"}
    )


class FavoriteShop(FoundShop):
    """A shop held as a favorite."""

    favorite = fields.Boolean(required=True, metadata={"example": True})


class Favorite(Schema):
    """A favorite with its shop."""

    id = fields.Integer(required=True, metadata={"example": 31})
    shop = fields.Nested(FavoriteShop, required=True)


class AddedFavorite(Favorite):
    """A favorite and the titles earned by adding it."""

    awarded_titles = fields.List(
        fields.Nested(MemberTitle), required=True, metadata={"example": []}
    )


class RemovedFavorite(Schema):
    """The removed favorite and the number of favorites of its shop."""

    shop_id = fields.Integer(required=True, metadata={"example": SHOP_ID})
    favorite = fields.Boolean(required=True, metadata={"example": False})
    favorite_cnt = fields.Integer(required=True, metadata={"example": 4})
