"""Endpoints of vector tiles."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from geoshops.tiles import queries, schemas
from geoshops.tiles.tilejson import tilejson
from geoshops.web.examples import ORIGIN
from geoshops.web.fields import name_of
from geoshops.web.operation import Blueprint
from geoshops.web.reads import RequestContext
from geoshops.web.response import Response, json_value
from geoshops.web.vector_tiles import MEDIA_TYPE, check_tile

blueprint = Blueprint("tiles", __name__, description="Vector tiles of shops")

CACHED = {"Cache-Control": "public, max-age=60"}
# the template of a tile's URL
TILE = "/tiles/shops/{z}/{x}/{y}.mvt"
BINARY = {"type": "string", "format": "binary"}
NAMES = [name_of(key, field) for key, field in schemas.TileArgs().fields.items()]


@blueprint.read(
    "/tiles/shops.json",
    id="describeShopTiles",
    query=schemas.TileArgs,
    response=schemas.TileJson,
    example=tilejson(f"{ORIGIN}{TILE}", None),
)
def describe_shop_tiles(context: RequestContext, args: dict[str, Any]) -> Response:
    """URLs, layers and age of the tiles (TileJSON 3.0)

    The tile URLs include the query of this request."""
    queries.selection(context.db, brand=args["brand"], all_brands=args["all_brands"])
    sent = context.sent(*NAMES)
    query = f"?{urlencode(sent)}" if sent else ""
    address = f"{context.origin}{TILE}{query}"
    return json_value(tilejson(address, queries.refreshed_at(context.db)), CACHED)


@blueprint.read(
    "/tiles/shops/<id:z>/<id:x>/<id:y>.mvt",
    id="getShopTile",
    query=schemas.TileArgs,
    response=BINARY,
    media=MEDIA_TYPE,
)
def get_shop_tile(
    context: RequestContext, args: dict[str, Any], z: int, x: int, y: int
) -> Response:
    """Shops of a tile: clusters below zoom 15, each shop from there on

    Mapbox vector tile with the layer `clusters` or `shops`; empty if it contains no shop, 404 above
    zoom 20 and outside the world. With filters, clusters in tiles of more than 10,000 shops are
    estimated from a sample and have the field `approximate`."""
    check_tile(z, x, y)
    filters, zone = args.pop("filters"), context.settings.timezone
    selected = queries.selection(context.db, **args)
    tile = queries.tile(context.db, z, x, y, selected=selected, filters=filters, zone=zone)
    return Response(tile, CACHED, media_type=MEDIA_TYPE)
