"""Routes for shared links and crawlers: shop pages and their pictures, the sitemap, the manifest."""

from __future__ import annotations

from datetime import date
from urllib.parse import urlencode

import flask
from flask import Blueprint, Response, redirect, render_template, request, send_from_directory

from geoshops import metrics
from geoshops.database.pool import database
from geoshops.errors import NotFound
from geoshops.map import card, queries
from geoshops.map.head import Head
from geoshops.map.routes import (
    HOME_LANGUAGE,
    SHARE_PICTURE,
    chosen_language,
    language_of_request,
    page_headers,
    shell,
)
from geoshops.map.shop_page import ShopPage
from geoshops.map.texts import text, texts
from geoshops.web import assets
from geoshops.web.negotiation import best_type
from geoshops.web.request import public_url, settings
from geoshops.web.response import HTML, JSON

CARD_CACHE_S = 86_400
FILE_CACHE_S = 3_600
# a card's URL contains its version, so that previews change with the shop
CARD_PATH = "/shop/{}/card.png"
ICONS = (
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("maskable-512.png", "512x512", "maskable"),
)
blueprint = Blueprint("pages", __name__, template_folder="templates")


@blueprint.get("/shop/<id:shop_id>")
def shop_page(shop_id: int) -> flask.typing.ResponseReturnValue:
    """The page of a shop: readable without scripts, then replaced by the map.

    A closed shop gets 410, a merged one a redirect, an unknown one 404, as a page or as JSON if that is preferred."""
    language = language_of_request()
    try:
        shop = _shop(shop_id, language)
    except NotFound:
        if best_type(request.headers.get("Accept", ""), (HTML, JSON)) == JSON:
            raise
        return missing(language, is_shop=True)
    if "merged_into_id" in shop.detail:
        return _moved(shop.detail["merged_into_id"])
    head = _head_of(shop)
    return shell(
        "shop.html",
        head,
        status=410 if shop.is_closed else 200,
        shop=shop,
        structured=shop.structured(identity=head.address, url=head.canonical, picture=head.picture),
    )


def _shop(shop_id: int, language: str) -> ShopPage:
    shop = queries.shop(
        database(),
        shop_id,
        # the stored names are Korean
        lang=None if language == HOME_LANGUAGE else language,
        origin=public_url(),
        zone=settings().timezone,
    )
    return ShopPage(shop.detail, shop.color, language)


def _head_of(shop: ShopPage) -> Head:
    origin, picture = public_url(), assets.address(SHARE_PICTURE)
    if card.has_fonts():
        query = urlencode({"lang": shop.language, "v": shop.card.version})
        picture = f"{CARD_PATH.format(shop.id)}?{query}"
    return Head(
        title=shop.title,
        description=shop.description,
        address=f"{origin}/shop/{shop.id}",
        language=shop.language,
        is_chosen=chosen_language() is not None,
        picture=f"{origin}{picture}",
        picture_text=shop.name,
        is_listed=not shop.is_closed,
    )


def _moved(shop_id: int) -> flask.typing.ResponseReturnValue:
    chosen = chosen_language()
    response = redirect(f"/shop/{shop_id}" + (f"?lang={chosen}" if chosen else ""), 301)
    response.headers["Cache-Control"] = "no-cache"
    return response


def missing(language: str, *, is_shop: bool = False) -> Response:
    """The 404 page. It varies by Accept, because clients that prefer JSON get the API's error."""
    metrics.ERROR_RESPONSES.labels("404").inc()
    html = render_template("missing.html", is_shop=is_shop, lang=language, t=texts(language))
    headers = {**page_headers(), "Vary": "Accept, Accept-Language, Cookie"}
    return Response(html, 404, headers=headers)


@blueprint.get("/shop/<id:shop_id>/card.png")
def shop_card(shop_id: int) -> flask.typing.ResponseReturnValue:
    """The picture of a shop for previews, 1200 by 630 pixels, in the language `lang`."""
    if not card.has_fonts():
        return redirect(assets.address(SHARE_PICTURE))
    shown = _shop(shop_id, chosen_language() or HOME_LANGUAGE).card
    response = Response(mimetype="image/png")
    response.set_etag(shown.version)
    response.headers["Cache-Control"] = f"public, max-age={CARD_CACHE_S}"
    # checked before drawing: a client that has the picture needs no new one
    if response.make_conditional(request).status_code != 304:
        response.data = card.png(shown)
    return response


@blueprint.get("/sitemap.xml")
def sitemap() -> Response:
    """The index of the sitemap's parts."""
    parts = queries.sitemap_parts(database())
    return _xml(render_template("sitemap_index.xml", origin=public_url(), parts=parts))


@blueprint.get("/sitemaps/<id:part>.xml")
def sitemap_part(part: int) -> Response:
    """The URLs of open shops; other pages are in a separate part."""
    shops = queries.sitemap_shops(database(), part)
    if not shops:
        raise NotFound("route")
    return _xml(_url_set([(f"/shop/{shop_id}", changed) for shop_id, changed in shops]))


@blueprint.get("/sitemaps/pages.xml")
def sitemap_pages() -> Response:
    """The URLs of other pages than shops."""
    return _xml(_url_set([("/", None)]))


def _url_set(pages: list[tuple[str, date | None]]) -> str:
    """A part of a sitemap. It is formatted without a template, which would be slow; paths need no escaping."""
    origin = public_url()
    urls = (
        f"<url><loc>{origin}{path}</loc>{f'<lastmod>{changed}</lastmod>' if changed else ''}</url>"
        for path, changed in pages
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(urls)}</urlset>\n'
    )


def _xml(body: str) -> Response:
    return _file(body, "application/xml")


def _file(body: str, media_type: str) -> Response:
    headers = {"Cache-Control": f"public, max-age={FILE_CACHE_S}"}
    return Response(body, content_type=f"{media_type}; charset=utf-8", headers=headers)


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Allows crawlers everything but sign-in; they need the API to render the pages."""
    body = f"User-agent: *\nDisallow: /auth/\n\nSitemap: {public_url()}/sitemap.xml\n"
    return _file(body, "text/plain")


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """The icon that browsers request if a page specifies none."""
    return send_from_directory(assets.FOLDER / "icons", "favicon.ico", max_age=CARD_CACHE_S)


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """The web app manifest in the language `lang`, which makes the page installable."""
    language = chosen_language() or HOME_LANGUAGE
    described = {
        "id": "/",
        "name": text(language, "title"),
        "short_name": text(language, "app.name"),
        "description": text(language, "description"),
        "lang": language,
        "dir": "ltr",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": card.ACCENT,
        "categories": ["lifestyle", "photo", "travel"],
        "icons": [
            {"src": f"/static/icons/{name}", "sizes": sizes, "type": "image/png", "purpose": use}
            for name, sizes, use in ICONS
        ],
    }
    body = flask.json.dumps(described, ensure_ascii=False)
    return _file(body, "application/manifest+json")
