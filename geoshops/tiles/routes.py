"""Endpoints of the tiles."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flask import request

from geoshops.database.pool import database
from geoshops.tiles import queries, schemas
from geoshops.tiles.tilejson import tilejson
from geoshops.web.operation import Blueprint
from geoshops.web.request import public_url
from geoshops.web.response import Response, json_value

blueprint = Blueprint("tiles", __name__, description="Vector tiles of shops")

MVT = "application/vnd.mapbox-vector-tile"
CACHED = {"Cache-Control": "public, max-age=60"}
BINARY = {"type": "string", "format": "binary"}


@blueprint.operation("/tiles/shops.json", id="describeShopTiles", response=schemas.TileJson)
@blueprint.arguments(schemas.TileArgs, location="query")
def describe_shop_tiles(args: dict[str, Any]) -> Response:
    """The tiles' addresses, layers and age (TileJSON 3.0)

    The addresses carry the query on."""
    queries.selection(database(), **args)
    asked = {name: request.args[name] for name in ("brand", "allBrands") if name in request.args}
    query = f"?{urlencode(asked)}" if asked else ""
    address = f"{public_url()}/tiles/shops/{{z}}/{{x}}/{{y}}.mvt{query}"
    return json_value(tilejson(address, queries.refreshed_at(database())), CACHED)


@blueprint.operation(
    "/tiles/shops/<id:z>/<id:x>/<id:y>.mvt", id="getShopTile", response=BINARY, media=MVT
)
@blueprint.arguments(schemas.TileArgs, location="query")
def get_shop_tile(args: dict[str, Any], z: int, x: int, y: int) -> Response:
    """Shops of a tile: clusters below zoom 15, from there each shop

    Mapbox vector tile with the layer `clusters` or `shops`; empty where no shop is, 404 beyond
    zoom 20 and outside the world."""
    queries.check_place(z, x, y)
    db = database()
    found = queries.tile(db, z, x, y, selected=queries.selection(db, **args))
    return Response(bytes(found), CACHED, media_type=MVT)
