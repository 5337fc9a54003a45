"""Endpoints of OGC API Features (part 1: core)."""

from __future__ import annotations

import json
from typing import Any

from flask import request

from geoshops.database.pool import database
from geoshops.ogc import pages, queries, schemas
from geoshops.web.operation import Blueprint, accepted_type
from geoshops.web.request import public_url
from geoshops.web.response import GEOJSON, JSON, Response, json_value

blueprint = Blueprint("ogc", __name__, url_prefix="/ogc", description="OGC API Features")


@blueprint.operation("", id="getOgcLandingPage", response=schemas.Landing)
@blueprint.arguments(schemas.NoArgs, location="query")
def landing_page(_: dict[str, Any]) -> Response:
    """Landing page: links to everything else"""
    return json_value(pages.landing(public_url()))


@blueprint.operation("/conformance", id="getOgcConformance", response=schemas.Conformance)
@blueprint.arguments(schemas.NoArgs, location="query")
def conformance(_: dict[str, Any]) -> Response:
    """Conformance classes"""
    return json_value({"conformsTo": list(pages.CLASSES)})


@blueprint.operation("/collections", id="listOgcCollections", response=schemas.Collections)
@blueprint.arguments(schemas.NoArgs, location="query")
def list_collections(_: dict[str, Any]) -> Response:
    """Collections: one, the shops"""
    return json_value(pages.collections(public_url(), queries.extent(database())))


@blueprint.operation("/collections/shops", id="getOgcShops", response=schemas.Collection)
@blueprint.arguments(schemas.NoArgs, location="query")
def get_collection(_: dict[str, Any]) -> Response:
    """The collection of shops"""
    return json_value(pages.collection(public_url(), queries.extent(database())))


@blueprint.operation(
    "/collections/shops/items",
    id="listOgcShopItems",
    response=schemas.Items,
    media=GEOJSON,
    also=(JSON,),
)
@blueprint.arguments(schemas.ItemsArgs, location="query")
def list_items(args: dict[str, Any]) -> Response:
    """Shops that are not closed as GeoJSON, page after page by the links `next`

    Pages are cut by key: each costs the same, and none shows a shop twice."""
    found = queries.items(database(), **args)
    asked = {
        name: request.args[name]
        for name in ("bbox", "datetime", "limit", "after")
        if name in request.args
    }
    links = list(pages.page_links(public_url(), asked, found.last_id if found.more else None))
    matched = "" if found.matched is None else f'"numberMatched":{found.matched},'
    return geojson(
        f'{{"type":"FeatureCollection","numberReturned":{found.returned},{matched}'
        f'"links":{json.dumps(links, ensure_ascii=False)},"features":[{found.features}]}}'
    )


@blueprint.operation(
    "/collections/shops/items/<id:shop_id>",
    id="getOgcShopItem",
    response=schemas.Feature,
    media=GEOJSON,
    also=(JSON,),
)
@blueprint.arguments(schemas.NoArgs, location="query")
def get_item(_: dict[str, Any], shop_id: int) -> Response:
    """One shop as a GeoJSON feature"""
    feature = queries.item(database(), shop_id)
    links = json.dumps(pages.item_links(public_url(), shop_id), ensure_ascii=False)
    return geojson(f'{feature[:-1]}, "links":{links}}}')


def geojson(body: str) -> Response:
    """GeoJSON under the name that the client accepts."""
    return Response(body.encode(), media_type=accepted_type(GEOJSON, JSON))
