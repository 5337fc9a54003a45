"""Routes of the map page, its static files, basemap tiles, brand badges and API documentation."""

from __future__ import annotations

import json
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import urlencode

from flask import Blueprint, Response, render_template, request, send_file, send_from_directory

from geoshops.database.pool import database
from geoshops.errors import NotFound
from geoshops.map import api_docs, queries
from geoshops.map.badges import badge_svg
from geoshops.map.head import Head
from geoshops.map.texts import embedded, texts
from geoshops.messages import DEFAULT_LANGUAGE, LANGUAGES
from geoshops.web import assets, vector_tiles
from geoshops.web.negotiation import best_language
from geoshops.web.request import public_url, settings

STREETS = "/basemap/streets.pmtiles"
blueprint = Blueprint("map", __name__, template_folder="templates")
blueprint.add_app_template_global(assets.address, "asset")

# files that the page needs offline, besides its modules and style sheets
OFFLINE = (
    "logo.svg",
    "vendor/maplibre-gl/maplibre-gl.css",
    "vendor/maplibre-gl/maplibre-gl.mjs",
    "vendor/maplibre-gl/maplibre-gl-worker.mjs",
    "vendor/world-atlas/land-50m.json",
    "vendor/world-atlas/coast.json",
)
ASSET_CACHE_S = 60
# the visitor's choice, set by the page
LANGUAGE_COOKIE = "lang"
# for requests without Accept-Language, such as those of crawlers: the language of the shops
HOME_LANGUAGE = "ko"
# must equal the page's start position (shared/state.js) and the URL of its first search (shops/search.js)
START = {"lat": 37.4979, "lng": 127.0276}
FIRST_RADIUS_M = 1000
# preview of pages without their own picture
SHARE_PICTURE = "icons/share.png"


@blueprint.get("/")
def page() -> Response:
    """The map page."""
    language, origin = language_of_request(), public_url()
    known = texts(language)
    head = Head(
        title=known["title"],
        description=known["description"],
        address=f"{origin}/",
        language=language,
        is_chosen=chosen_language() is not None,
        picture=f"{origin}{assets.address(SHARE_PICTURE)}",
        picture_text=known["app.name"],
    )
    return shell("map.html", head, first_list=first_list(language))


def first_list(language: str) -> str | None:
    """The URL of the first list, so that the browser can preload it before it has the page's modules.

    None if the URL specifies another view."""
    if request.args.keys() - {"lang"}:
        return None
    query = {
        "userLat": START["lat"],
        "userLng": START["lng"],
        **({} if language == HOME_LANGUAGE else {"lang": language}),
        "sort": "distance",
        "mapLat": START["lat"],
        "mapLng": START["lng"],
        "radius": FIRST_RADIUS_M,
        "allBrands": "true",
    }
    return f"/shops/brand?{urlencode(query)}"


def shell(template: str, head: Head, *, status: int = 200, **values: object) -> Response:
    """Renders the map page, or a page based on it, in the head's language; `values` are variables of the template."""
    html = render_template(
        template,
        head=head,
        lang=head.language,
        t=texts(head.language),
        texts=embedded(head.language),
        languages={known: texts(known)["language.name"] for known in LANGUAGES},
        style_url=settings().online_map_style,
        basemap_url=STREETS if settings().basemap_file else "",
        assets=assets.base(),
        time_zone=settings().timezone,
        modules=assets.modules(),
        styles=assets.styles(),
        **values,
    )
    return Response(html, status, headers=page_headers())


def page_headers() -> dict[str, str]:
    """The headers of a page whose language is negotiated."""
    return {
        "Content-Security-Policy": assets.policy(settings().map_origins),
        "Cache-Control": "no-cache",
        "Vary": "Accept-Language, Cookie",
    }


def language_of_request() -> str:
    """The URL's language, else the visitor's choice, else the browser's; English if the page supports none of these."""
    chosen = chosen_language() or request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    accepted = request.headers.get("Accept-Language")
    return (best_language(accepted) or DEFAULT_LANGUAGE) if accepted else HOME_LANGUAGE


def chosen_language() -> str | None:
    """The language in the request's URL, if the page supports it."""
    chosen = request.args.get("lang")
    return chosen if chosen in LANGUAGES else None


@blueprint.get("/assets/<digest>/<path:name>")
def asset(digest: str, name: str) -> Response:
    """A static file at a URL that changes with the files.

    A page of another release requests it with another digest and gets the current file, which must not be cached."""
    response = _file(name)
    response.headers["Cache-Control"] = (
        assets.IMMUTABLE if digest == assets.digest() else "no-cache"
    )
    return response


@blueprint.get("/service-worker.js")
def service_worker() -> Response:
    """The service worker, at the root because its path is its scope; a changed digest makes the browser update it."""
    files = [assets.address(name) for name in (*assets.styles(), *assets.modules(), *OFFLINE)]
    known = f"const BASE = {json.dumps(assets.base())};\nconst FILES = {json.dumps(files)};\n"
    script = (assets.FOLDER / "service-worker.js").read_text(encoding="utf-8")
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": assets.policy(settings().map_origins),
    }
    return Response(known + script, mimetype="text/javascript", headers=headers)


@blueprint.get("/static/<path:name>")
def static_file(name: str) -> Response:
    """A static file at a fixed URL, for tools."""
    return _file(name)


def _file(name: str) -> Response:
    """A file, or the best of its compressed copies that the client accepts."""
    response = _packed(name) or send_from_directory(assets.FOLDER, name, max_age=ASSET_CACHE_S)
    response.headers["Content-Security-Policy"] = assets.policy(settings().map_origins)
    return response


def _packed(name: str) -> Response | None:
    for coding, ending in assets.PACKED.items():
        if request.accept_encodings[coding] and (assets.FOLDER / f"{name}{ending}").is_file():
            response = send_from_directory(
                assets.FOLDER,
                f"{name}{ending}",
                max_age=ASSET_CACHE_S,
                mimetype=guess_type(name)[0],
                download_name=name,
            )
            response.headers.update({"Content-Encoding": coding, "Vary": "Accept-Encoding"})
            return response
    return None


@blueprint.get("/basemap/<id:z>/<id:x>/<id:y>.mvt")
def basemap_tile(z: int, x: int, y: int) -> Response:
    """A vector tile with region borders, region names and stations."""
    vector_tiles.check_tile(z, x, y)
    return Response(
        queries.basemap_tile(database(), z, x, y),
        mimetype=vector_tiles.MEDIA_TYPE,
        headers={"Cache-Control": f"public, max-age={ASSET_CACHE_S}"},
    )


@blueprint.get(STREETS)
def streets() -> Response:
    """The operator's PMTiles file, from which browsers request ranges; in production, nginx serves it."""
    path = settings().basemap_file
    if not path:
        raise NotFound("route")
    return send_file(
        Path(path).resolve(),
        mimetype="application/octet-stream",
        conditional=True,
        max_age=ASSET_CACHE_S,
    )


@blueprint.get("/brands/<id:brand_id>.svg")
def brand_badge(brand_id: int) -> Response:
    """The badge of a brand."""
    return Response(
        badge_svg(queries.badge(database(), brand_id)),
        mimetype="image/svg+xml",
        headers={"Cache-Control": f"public, max-age={ASSET_CACHE_S}"},
    )


@blueprint.get("/docs")
def docs() -> Response:
    """The API's operations; Swagger UI, which is large, is loaded for the one that a reader opens."""
    language = "ko" if language_of_request() == "ko" else "en"
    html = render_template(
        "docs.html",
        lang=language,
        languages=api_docs.LANGUAGES,
        origin=public_url(),
        t=api_docs.texts(language)["page"],
        overview=api_docs.overview(language),
    )
    headers = {**page_headers(), "Content-Security-Policy": assets.PAGE_POLICY}
    return Response(html, headers=headers)
