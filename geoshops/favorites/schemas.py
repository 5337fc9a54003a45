"""What the favorite endpoints take and answer."""

from __future__ import annotations

from marshmallow import Schema, fields

from geoshops.web.fields import Args, Language, Latitude, Longitude
from geoshops.web.paging import PagingArgs
from geoshops.web.shop_schemas import MemberTitle, ShopDisplay


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


class FavoriteBrand(Schema):
    """Brand of a favorite shop."""

    brand_name = fields.String(required=True)
    file_path = fields.String(required=True)


class FavoriteShop(Schema):
    """A shop held as a favorite."""

    id = fields.Integer(required=True)
    place_name = fields.String(required=True)
    longitude = fields.String(required=True)
    latitude = fields.String(required=True)
    place_address = fields.String(required=True)
    status = fields.String(required=True, metadata={"enum": ["OPEN", "TEMP_CLOSED", "CLOSED"]})
    shop_titles = fields.List(fields.String(), required=True)
    brand = fields.Nested(FavoriteBrand, required=True)
    distance = fields.String(
        required=True, metadata={"description": "From the user; empty without a user position"}
    )
    distance_m = fields.Integer(required=True, allow_none=True)
    star_rating_avg = fields.Float(required=True)
    review_cnt = fields.Integer(required=True)
    favorite_cnt = fields.Integer(required=True)
    favorite = fields.Boolean(required=True)
    display = fields.Nested(ShopDisplay, metadata={"description": "Only with `lang`"})


class Favorite(Schema):
    """A favorite with its shop."""

    id = fields.Integer(required=True)
    shop = fields.Nested(FavoriteShop, required=True)


class AddedFavorite(Favorite):
    """A favorite and the titles that adding it earned."""

    awarded_titles = fields.List(fields.Nested(MemberTitle), required=True)


class RemovedFavorite(Schema):
    """What is left after removing."""

    shop_id = fields.Integer(required=True)
    favorite = fields.Boolean(required=True)
    favorite_cnt = fields.Integer(required=True)
