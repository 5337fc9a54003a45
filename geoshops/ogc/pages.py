"""The documents around the features: what links where. `origin` is the service's own address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

JSON, GEOJSON, HTML = "application/json", "application/geo+json", "text/html"
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
SHOPS = "/ogc/collections/shops"
ITEMS = f"{SHOPS}/items"
QUERYABLES = f"{SHOPS}/queryables"
ABOUT = "Photo-booth shops that are not closed, with their ratings"

Link = dict[str, str]


def link(href: str, rel: str, type_: str, title: str) -> Link:
    """A link as the standard writes it."""
    return {"href": href, "rel": rel, "type": type_, "title": title}


def landing(origin: str) -> dict[str, object]:
    """Where everything else is found."""
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


def collections(origin: str, extent: list[float]) -> dict[str, object]:
    """The list of the one collection."""
    return {
        "collections": [collection(origin, extent)],
        "links": [link(f"{origin}/ogc/collections", "self", JSON, "Collections")],
    }


def collection(origin: str, extent: list[float]) -> dict[str, object]:
    """The shops."""
    return {
        "id": "shops",
        "title": "Photo-booth shops",
        "description": ABOUT,
        "itemType": "feature",
        "crs": [CRS84],
        "extent": {"spatial": {"bbox": [extent], "crs": CRS84}},
        "links": [
            link(f"{origin}{SHOPS}", "self", JSON, "This collection"),
            link(f"{origin}{ITEMS}", "items", GEOJSON, "The shops"),
            link(f"{origin}{ITEMS}", "items", JSON, "The shops under the name of JSON"),
            link(f"{origin}{QUERYABLES}", TO_QUERYABLES, SCHEMA, "What filters may name"),
        ],
    }


def queryables(origin: str, types: Mapping[str, str]) -> dict[str, object]:
    """The JSON Schema of the properties that filters may name, from their types."""
    named = {
        "date": {"type": "string", "format": "date"},
        "geometry": {"$ref": "https://geojson.org/schema/Point.json"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{origin}{QUERYABLES}",
        "type": "object",
        "title": "Photo-booth shops",
        "properties": {name: named.get(kind, {"type": kind}) for name, kind in types.items()},
        "additionalProperties": False,
    }


def page_links(origin: str, asked: dict[str, str], next_key: int | None) -> Iterator[Link]:
    """Links of a page of items; `asked` is its query."""
    query = f"?{urlencode(asked)}" if asked else ""
    yield link(f"{origin}{ITEMS}{query}", "self", GEOJSON, "This page")
    yield link(f"{origin}{ITEMS}{query}", "alternate", JSON, "This page under the name of JSON")
    yield link(f"{origin}{SHOPS}", "collection", JSON, "The collection")
    if next_key is not None:
        query = urlencode({**asked, "after": next_key})
        yield link(f"{origin}{ITEMS}?{query}", "next", GEOJSON, "The next page")


def item_links(origin: str, shop_id: int) -> list[Link]:
    """Links of one item."""
    return [
        link(f"{origin}{ITEMS}/{shop_id}", "self", GEOJSON, "This shop"),
        link(f"{origin}{ITEMS}/{shop_id}", "alternate", JSON, "This shop under the name of JSON"),
        link(f"{origin}{SHOPS}", "collection", JSON, "The collection"),
    ]
