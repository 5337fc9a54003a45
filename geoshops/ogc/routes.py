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
    example=pages.collections(
        ORIGIN, [(collection, collection.example_extent) for collection in COLLECTIONS]
    ),
)
def list_collections(context: RequestContext, _: dict[str, Any]) -> Response:
    """All collections"""
    extents = zip(COLLECTIONS, queries.extents(context.db), strict=True)
    return json_value(pages.collections(context.origin, extents))


def _add_collection(collection: Collection) -> None:
    """Declares the operations of a collection; the names of the functions become those of the endpoints."""
    feature = schemas.feature(
        f"{collection.type_name}Feature",
        collection.properties,
        collection.geometry_type,
        has_null_geometry=collection.has_null_geometry,
    )
    _add_description(collection)
    _add_queryables(collection)
    _add_items(collection, feature)
    _add_item(collection, feature)


def _add_description(collection: Collection) -> None:
    def get_collection(context: RequestContext, _: dict[str, Any]) -> Response:
        extent = queries.extent(context.db, collection)
        return json_value(pages.description(context.origin, collection, extent))

    _name(get_collection, f"get_{collection.name}", f"The collection of {collection.name}")
    blueprint.read(
        f"/collections/{collection.name}",
        query=schemas.NoArgs,
        id=f"getOgc{collection.type_name}s",
        response=schemas.Collection,
        example=pages.description(ORIGIN, collection, collection.example_extent),
    )(get_collection)


def _add_queryables(collection: Collection) -> None:
    def get_queryables(context: RequestContext, _: dict[str, Any]) -> Response:
        document = json_value(pages.queryables(context.origin, collection))
        return document._replace(media_type=context.media_type)

    _name(
        get_queryables,
        f"get_{collection.singular}_queryables",
        f"The properties of {collection.name} for filters",
    )
    blueprint.read(
        f"/collections/{collection.name}/queryables",
        query=schemas.NoArgs,
        id=f"getOgc{collection.type_name}Queryables",
        response=schemas.Queryables,
        example=pages.queryables(ORIGIN, collection),
        media=pages.SCHEMA,
        also=(JSON,),
    )(get_queryables)


def _add_items(collection: Collection, feature: Any) -> None:
    def list_items(context: RequestContext, args: dict[str, Any]) -> Response:
        page = queries.items(context.db, collection, **args)
        next_key = page.last_id if page.more else None
        links = list(pages.page_links(context.origin, collection, context.sent(), next_key))
        body = _feature_collection(page, links).encode()
        headers = pages.header_of_items(context.origin, collection)
        return Response(body, headers, media_type=context.media_type)

    _name(
        list_items,
        f"list_{collection.singular}_items",
        f"{collection.about}: GeoJSON, in pages linked by `next`\n\n"
        "Paging by key: each page costs the same, and no feature appears twice.",
    )
    blueprint.read(
        f"/collections/{collection.name}/items",
        query=schemas.items_args(collection.default_limit, collection.max_limit),
        id=f"listOgc{collection.type_name}Items",
        response=schemas.items(f"{collection.type_name}Features", feature, queries.MOST_COUNTED),
        example={
            "type": "FeatureCollection",
            "numberReturned": 1,
            "numberMatched": 1,
            "links": list(pages.page_links(ORIGIN, collection, {}, None)),
            "features": [_example(collection)],
        },
        media=GEOJSON,
        also=(JSON,),
    )(list_items)


def _add_item(collection: Collection, feature: Any) -> None:
    def get_item(context: RequestContext, _: dict[str, Any], **keys: int) -> Response:
        (key,) = keys.values()
        item = queries.item(context.db, collection, key)
        links = json.dumps(pages.item_links(context.origin, collection, key), ensure_ascii=False)
        body = f'{item[:-1]}, "links":{links}}}'.encode()
        return Response(body, media_type=context.media_type)

    _name(
        get_item,
        f"get_{collection.singular}_item",
        f"One {collection.singular} as a GeoJSON feature",
    )
    blueprint.read(
        f"/collections/{collection.name}/items/<id:{collection.singular}_id>",
        query=schemas.NoArgs,
        id=f"getOgc{collection.type_name}Item",
        response=feature,
        example={
            **_example(collection),
            "links": pages.item_links(ORIGIN, collection, PATH[f"{collection.singular}_id"]),
        },
        media=GEOJSON,
        also=(JSON,),
    )(get_item)


def _example(collection: Collection) -> dict[str, object]:
    return {
        "type": "Feature",
        "id": PATH[f"{collection.singular}_id"],
        "geometry": {
            "type": collection.geometry_type,
            "coordinates": collection.example_coordinates,
        },
        "properties": {
            name: published.example for name, published in collection.properties.items()
        },
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
