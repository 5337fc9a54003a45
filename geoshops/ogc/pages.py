"""Landing page, collections and links of OGC API Features. `origin` is the service's URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

from geoshops.ogc.collections import Collection
from geoshops.web.response import GEOJSON, HTML, JSON

OPENAPI = "application/vnd.oai.openapi+json;version=3.1"
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
SPEC = "http://www.opengis.net/spec"
CLASSES = (
    *(f"{SPEC}/ogcapi-features-1/1.0/conf/{name}" for name in ("core", "geojson")),
    *(
        f"{SPEC}/ogcapi-features-3/1.0/conf/{name}"
        for name in ("filter", "features-filter", "queryables")
    ),
    *(
        f"{SPEC}/cql2/1.0/conf/{name}"
        for name in (
            "cql2-text",
            "basic-cql2",
            "advanced-comparison-operators",
            "basic-spatial-functions",
        )
    ),
)
SCHEMA = "application/schema+json"
TO_QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
ABOUT = "Photo-booth shops that are not closed, administrative regions and railway stations"

Link = dict[str, str]


def link(href: str, rel: str, type_: str, title: str) -> Link:
    """A link object of the standard."""
    return {"href": href, "rel": rel, "type": type_, "title": title}


def landing(origin: str) -> dict[str, object]:
    """The landing page."""
    return {
        "title": "geoshops",
        "description": ABOUT,
        "links": [
            link(f"{origin}/ogc", "self", JSON, "This page"),
            link(f"{origin}/openapi.json", "service-desc", OPENAPI, "The API as OpenAPI"),
            link(f"{origin}/docs", "service-doc", HTML, "The API as a page"),
            link(f"{origin}/ogc/conformance", "conformance", JSON, "Conformance classes"),
            link(f"{origin}/ogc/collections", "data", JSON, "Collections"),
        ],
    }


def path_of(collection: Collection) -> str:
    """The path of a collection."""
    return f"/ogc/collections/{collection.name}"


def collections(
    origin: str, with_extents: Iterable[tuple[Collection, list[float]]]
) -> dict[str, object]:
    """The list of all collections."""
    return {
        "collections": [
            description(origin, collection, extent) for collection, extent in with_extents
        ],
        "links": [link(f"{origin}/ogc/collections", "self", JSON, "Collections")],
    }


def description(origin: str, collection: Collection, extent: list[float]) -> dict[str, object]:
    """The description of one collection."""
    here = f"{origin}{path_of(collection)}"
    return {
        "id": collection.name,
        "title": collection.title,
        "description": collection.about,
        "itemType": "feature",
        "crs": [CRS84],
        "extent": {"spatial": {"bbox": [extent], "crs": CRS84}},
        "links": [
            link(here, "self", JSON, "This collection"),
            link(f"{here}/items", "items", GEOJSON, f"The {collection.name}"),
            link(f"{here}/items", "items", JSON, f"The {collection.name} as application/json"),
            link(f"{here}/queryables", TO_QUERYABLES, SCHEMA, "Properties for filters"),
        ],
    }


def queryables(origin: str, collection: Collection) -> dict[str, object]:
    """The JSON Schema of the properties that filters may use."""
    named = {
        "date": {"type": "string", "format": "date"},
        "geometry": {"format": f"geometry-{collection.geometry_type.lower()}"},
    }
    types = {name: queryable.type for name, queryable in collection.queryables.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{origin}{path_of(collection)}/queryables",
        "type": "object",
        "title": collection.title,
        "properties": {name: named.get(kind, {"type": kind}) for name, kind in types.items()},
        "additionalProperties": False,
    }


def page_links(
    origin: str, collection: Collection, asked: dict[str, str], next_key: int | None
) -> Iterator[Link]:
    """Links of a page of items; `asked` is its query."""
    here = f"{origin}{path_of(collection)}"
    query = f"?{urlencode(asked)}" if asked else ""
    yield link(f"{here}/items{query}", "self", GEOJSON, "This page")
    yield link(f"{here}/items{query}", "alternate", JSON, "This page as application/json")
    yield link(here, "collection", JSON, "The collection")
    yield link(f"{here}/queryables", TO_QUERYABLES, SCHEMA, "Properties for filters")
    if next_key is not None:
        query = urlencode({**asked, "after": next_key})
        yield link(f"{here}/items?{query}", "next", GEOJSON, "The next page")


def header_of_items(origin: str, collection: Collection) -> dict[str, str]:
    """The Link header from items to their queryables."""
    return {
        "Link": f'<{origin}{path_of(collection)}/queryables>; rel="{TO_QUERYABLES}"; type="{SCHEMA}"'
    }


def item_links(origin: str, collection: Collection, key: int) -> list[Link]:
    """Links of one item."""
    here = f"{origin}{path_of(collection)}"
    this = f"This {collection.singular}"
    return [
        link(f"{here}/items/{key}", "self", GEOJSON, this),
        link(f"{here}/items/{key}", "alternate", JSON, f"{this} as application/json"),
        link(here, "collection", JSON, "The collection"),
    ]
