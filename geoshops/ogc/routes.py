"""Endpoints of OGC API Features (part 1: core)."""

from __future__ import annotations

import json
from typing import Any

from geoshops.ogc import pages, queries, schemas
from geoshops.web.operation import Blueprint
from geoshops.web.reads import RequestContext
from geoshops.web.response import GEOJSON, JSON, Response, json_value

blueprint = Blueprint("ogc", __name__, url_prefix="/ogc", description="OGC API Features")


@blueprint.read("", query=schemas.NoArgs, id="getOgcLandingPage", response=schemas.Landing)
def landing_page(context: RequestContext, _: dict[str, Any]) -> Response:
    """Landing page: links to everything else"""
    return json_value(pages.landing(context.origin))


@blueprint.read(
    "/conformance", query=schemas.NoArgs, id="getOgcConformance", response=schemas.Conformance
)
def conformance(context: RequestContext, _: dict[str, Any]) -> Response:
    """Conformance classes"""
    return json_value({"conformsTo": list(pages.CLASSES)})


@blueprint.read(
    "/collections", query=schemas.NoArgs, id="listOgcCollections", response=schemas.Collections
)
def list_collections(context: RequestContext, _: dict[str, Any]) -> Response:
    """Collections: one, the shops"""
    return json_value(pages.collections(context.origin, queries.extent(context.db)))


@blueprint.read(
    "/collections/shops", query=schemas.NoArgs, id="getOgcShops", response=schemas.Collection
)
def get_collection(context: RequestContext, _: dict[str, Any]) -> Response:
    """The collection of shops"""
    return json_value(pages.collection(context.origin, queries.extent(context.db)))


@blueprint.read(
    "/collections/shops/queryables",
    query=schemas.NoArgs,
    id="getOgcShopQueryables",
    response=schemas.Queryables,
    media=pages.SCHEMA,
    also=(JSON,),
)
def get_queryables(context: RequestContext, _: dict[str, Any]) -> Response:
    """The properties that a filter may name"""
    types = {name: found.type for name, found in queries.QUERYABLES.items()}
    return json_value(pages.queryables(context.origin, types))._replace(
        media_type=context.media_type
    )


@blueprint.read(
    "/collections/shops/items",
    query=schemas.ItemsArgs,
    id="listOgcShopItems",
    response=schemas.Items,
    media=GEOJSON,
    also=(JSON,),
)
def list_items(context: RequestContext, args: dict[str, Any]) -> Response:
    """Shops that are not closed as GeoJSON, page after page by the links `next`

    Pages are cut by key: each costs the same, and none shows a shop twice."""
    found = queries.items(context.db, **args)
    sent = context.sent("bbox", "datetime", "filter", "filter-lang", "limit", "after")
    links = list(pages.page_links(context.origin, sent, found.last_id if found.more else None))
    matched = "" if found.matched is None else f'"numberMatched":{found.matched},'
    return _geojson(
        context,
        f'{{"type":"FeatureCollection","numberReturned":{found.returned},{matched}'
        f'"links":{json.dumps(links, ensure_ascii=False)},"features":[{found.features}]}}',
    )


@blueprint.read(
    "/collections/shops/items/<id:shop_id>",
    query=schemas.NoArgs,
    id="getOgcShopItem",
    response=schemas.Feature,
    media=GEOJSON,
    also=(JSON,),
)
def get_item(context: RequestContext, _: dict[str, Any], shop_id: int) -> Response:
    """One shop as a GeoJSON feature"""
    feature = queries.item(context.db, shop_id)
    links = json.dumps(pages.item_links(context.origin, shop_id), ensure_ascii=False)
    return _geojson(context, f'{feature[:-1]}, "links":{links}}}')


def _geojson(context: RequestContext, body: str) -> Response:
    """GeoJSON under the media type that the client accepts."""
    return Response(body.encode(), media_type=context.media_type)
