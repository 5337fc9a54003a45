"""The page, its static files and the drawn badges."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, render_template, send_from_directory

from geoshops.db import database
from geoshops.errors import NotFound
from geoshops.frame import settings
from geoshops.map.badges import badge_svg

HERE = Path(__file__).parent
blueprint = Blueprint("map", __name__, template_folder="templates")

# the policy under which MapLibre GL and Swagger UI were seen to work
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "worker-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'"
)
ASSET_CACHE_S = 60


@blueprint.get("/")
def page() -> Response:
    """The map."""
    html = render_template("map.html", style_url=settings().map_style_url)
    return Response(html, headers={"Content-Security-Policy": PAGE_POLICY})


@blueprint.get("/static/<path:name>")
def static_file(name: str) -> Response:
    """Files of the page, front-end packages included."""
    return send_from_directory(HERE / "static", name, max_age=ASSET_CACHE_S)


@blueprint.get("/brands/<id:brand_id>.svg")
def brand_badge(brand_id: int) -> Response:
    """The badge of a brand, drawn from its name and colour."""
    rows = database().rows("SELECT name, badge_color FROM brands WHERE id = %s", (brand_id,))
    if not rows:
        raise NotFound("brand", brand_id)
    name, color = rows[0]
    return Response(
        badge_svg(name, color),
        mimetype="image/svg+xml",
        headers={"Cache-Control": f"public, max-age={ASSET_CACHE_S}"},
    )


@blueprint.get("/docs")
def docs() -> Response:
    """Swagger UI over /openapi.json, from local files."""
    return Response(render_template("docs.html"), headers={"Content-Security-Policy": PAGE_POLICY})
