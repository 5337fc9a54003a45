"""Endpoints of OGC API Features (part 1: core; part 3: filters), the same for each collection."""

from __future__ import annotations

import json
from typing import Any

from geoshops.ogc import pages, queries, schemas
from geoshops.ogc.collections import COLLECTIONS, Collection
from geoshops.web.examples import ORIGIN, PATH
from geoshops.web.operation import Blueprint
from geoshops.web.reads import RequestContext
from geoshops.web.response import GEOJSON, JSON, Response, json_value

blueprint = Blueprint("ogc", __name__, url_prefix="/ogc", description="OGC API Features")


@blueprint.read(
    "",
    query=schemas.NoArgs,
    id="getOgcLandingPage",
    response=schemas.Landing,
    example=pages.landing(ORIGIN),
)
def landing_page(context: RequestContext, _: dict[str, Any]) -> Response:
    """Landing page: links to everything else"""
    return json_value(pages.landing(context.origin))


@blueprint.read(
    "/conformance",
    query=schemas.NoArgs,
    id="getOgcConformance",
    response=schemas.Conformance,
    example={"conformsTo": list(pages.CLASSES)},
)
def conformance(context: RequestContext, _: dict[str, Any]) -> Response:
    """Conformance classes"""
    return json_value({"conformsTo": list(pages.CLASSES)})


@blueprint.read(
    "/collections",
    query=schemas.NoArgs,
    id="listOgcCollections",
    response=schemas.Collections,
    example=pages.collections(ORIGIN, [(shown, shown.example_extent) for shown in COLLECTIONS]),
)
def list_collections(context: RequestContext, _: dict[str, Any]) -> Response:
    """All collections"""
    extents = zip(COLLECTIONS, queries.extents(context.db), strict=True)
    return json_value(pages.collections(context.origin, extents))


def _add_collection(shown: Collection) -> None:
    """Declares the operations of a collection; the names of the functions become those of the endpoints."""
    feature = schemas.feature(
        f"{shown.singular.capitalize()}Feature",
        shown.properties,
        shown.geometry_type,
        has_null_geometry=shown.has_null_geometry,
    )
    _add_description(shown)
    _add_queryables(shown)
    _add_items(shown, feature)
    _add_item(shown, feature)


def _add_description(shown: Collection) -> None:
    def get_collection(context: RequestContext, _: dict[str, Any]) -> Response:
        extent = queries.extent(context.db, shown)
        return json_value(pages.collection(context.origin, shown, extent))

    _name(get_collection, f"get_{shown.name}", f"The collection of {shown.name}")
    blueprint.read(
        f"/collections/{shown.name}",
        query=schemas.NoArgs,
        id=f"getOgc{shown.singular.capitalize()}s",
        response=schemas.Collection,
        example=pages.collection(ORIGIN, shown, shown.example_extent),
    )(get_collection)


def _add_queryables(shown: Collection) -> None:
    def get_queryables(context: RequestContext, _: dict[str, Any]) -> Response:
        document = json_value(pages.queryables(context.origin, shown))
        return document._replace(media_type=context.media_type)

    _name(
        get_queryables,
        f"get_{shown.singular}_queryables",
        f"The properties of {shown.name} for filters",
    )
    blueprint.read(
        f"/collections/{shown.name}/queryables",
        query=schemas.NoArgs,
        id=f"getOgc{shown.singular.capitalize()}Queryables",
        response=schemas.Queryables,
        example=pages.queryables(ORIGIN, shown),
        media=pages.SCHEMA,
        also=(JSON,),
    )(get_queryables)


def _add_items(shown: Collection, feature: Any) -> None:
    def list_items(context: RequestContext, args: dict[str, Any]) -> Response:
        page = queries.items(context.db, shown, **args)
        sent = context.sent("bbox", "datetime", "filter", "filter-lang", "limit", "after")
        next_key = page.last_id if page.more else None
        links = list(pages.page_links(context.origin, shown, sent, next_key))
        body = _feature_collection(page, links).encode()
        headers = pages.header_of_items(context.origin, shown)
        return Response(body, headers, media_type=context.media_type)

    _name(
        list_items,
        f"list_{shown.singular}_items",
        f"{shown.about}: GeoJSON, in pages linked by `next`\n\n"
        "Paging by key: each page costs the same, and no feature appears twice.",
    )
    blueprint.read(
        f"/collections/{shown.name}/items",
        query=schemas.items_args(shown.default_limit, shown.max_limit),
        id=f"listOgc{shown.singular.capitalize()}Items",
        response=schemas.items(f"{shown.singular.capitalize()}Features", feature),
        example={
            "type": "FeatureCollection",
            "numberReturned": 1,
            "numberMatched": 1,
            "links": list(pages.page_links(ORIGIN, shown, {}, None)),
            "features": [_example(shown)],
        },
        media=GEOJSON,
        also=(JSON,),
    )(list_items)


def _add_item(shown: Collection, feature: Any) -> None:
    def get_item(context: RequestContext, _: dict[str, Any], **keys: int) -> Response:
        (key,) = keys.values()
        found = queries.item(context.db, shown, key)
        links = json.dumps(pages.item_links(context.origin, shown, key), ensure_ascii=False)
        body = f'{found[:-1]}, "links":{links}}}'.encode()
        return Response(body, media_type=context.media_type)

    _name(get_item, f"get_{shown.singular}_item", f"One {shown.singular} as a GeoJSON feature")
    blueprint.read(
        f"/collections/{shown.name}/items/<id:{shown.singular}_id>",
        query=schemas.NoArgs,
        id=f"getOgc{shown.singular.capitalize()}Item",
        response=feature,
        example={
            **_example(shown),
            "links": pages.item_links(ORIGIN, shown, PATH[f"{shown.singular}_id"]),
        },
        media=GEOJSON,
        also=(JSON,),
    )(get_item)


def _example(shown: Collection) -> dict[str, object]:
    return {
        "type": "Feature",
        "id": PATH[f"{shown.singular}_id"],
        "geometry": {"type": shown.geometry_type, "coordinates": shown.example_coordinates},
        "properties": {name: published.example for name, published in shown.properties.items()},
    }


def _name(read: Any, name: str, documentation: str) -> None:
    read.__name__, read.__doc__ = name, documentation


def _feature_collection(page: queries.ItemPage, links: list[pages.Link]) -> str:
    matched = "" if page.matched is None else f'"numberMatched":{page.matched},'
    return (
        f'{{"type":"FeatureCollection","numberReturned":{page.returned},{matched}'
        f'"links":{json.dumps(links, ensure_ascii=False)},"features":[{page.features}]}}'
    )


for _collection in COLLECTIONS:
    _add_collection(_collection)
