"""Tests the sitemap, robots.txt, the manifest and its icons."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from datetime import date, datetime
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from PIL import Image

from geoshops.map import queries
from geoshops.messages import LANGUAGES
from tests.make import Maker

MOST_BYTES, MOST_ENTRIES = 50 * 1024 * 1024, 50_000
# RFC 2396: characters that need no escape in a URI
URI = re.compile(r"https?://[A-Za-z0-9;/?:@&=+$,_.!~*'()%-]+")
NAMESPACE = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
SITEMAPS = f"{{{NAMESPACE['s']}}}"


def addresses(client: FlaskClient, path: str) -> list[str]:
    response = client.get(path)
    assert (response.status_code, response.mimetype) == (200, "application/xml")
    root = ET.fromstring(response.data)
    return [loc.text or "" for loc in root.iterfind("*/s:loc", NAMESPACE)]


def listed(client: FlaskClient) -> list[str]:
    """All addresses, by way of the index."""
    parts = [urlsplit(part).path for part in addresses(client, "/sitemap.xml")]
    return [url for part in parts for url in addresses(client, part)]


def test_the_sitemap_lists_the_map_alone_where_there_is_no_shop(
    client: FlaskClient, db: object
) -> None:
    assert listed(client) == ["http://localhost/"]


def test_the_sitemap_lists_shops_that_are_not_closed(client: FlaskClient, make: Maker) -> None:
    shops = [make.shop(), make.shop(status="TEMP_CLOSED")]
    make.shop(status="CLOSED")
    assert listed(client) == [
        "http://localhost/",
        *(f"http://localhost/shop/{shop}" for shop in shops),
    ]


def test_the_index_names_the_parts_that_have_shops(client: FlaskClient, make: Maker) -> None:
    size = queries.PART_SIZE
    assert size <= 50_000
    for shop_id in (size - 1, size, 2 * size - 1, 7 * size + 3):
        make.shop(id=shop_id)
    make.shop(id=4 * size, status="CLOSED")
    parts = addresses(client, "/sitemap.xml")
    assert parts == [f"http://localhost/sitemaps/{part}.xml" for part in ("pages", 0, 1, 7)]
    assert addresses(client, "/sitemaps/1.xml") == [
        f"http://localhost/shop/{size}",
        f"http://localhost/shop/{2 * size - 1}",
    ]


@pytest.mark.parametrize("part", ["1", "4", "9" * 18, "9" * 30, "-1", "x"])
def test_a_part_without_shops_is_not_found(client: FlaskClient, make: Maker, part: str) -> None:
    make.shop(id=3)
    assert client.get(f"/sitemaps/{part}.xml").status_code == 404


def test_shops_state_the_day_of_their_last_change(client: FlaskClient, make: Maker) -> None:
    make.shop(modified_at="2026-03-05T12:00:00Z")
    root = ET.fromstring(client.get("/sitemaps/0.xml").data)
    assert [day.text for day in root.iterfind("*/s:lastmod", NAMESPACE)] == ["2026-03-05"]


def is_day_or_time(text: str) -> bool:
    """Whether a text is an xsd:date or an xsd:dateTime."""
    try:
        return bool(datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text))
    except ValueError:
        return False


def expect_schema(data: bytes, *, root: str, entry: str) -> None:
    """Expects what sitemap.xsd and siteindex.xsd of sitemaps.org demand, and the limits of its protocol.

    Structural, because no package on npm or PyPI contains the official siteindex.xsd."""
    assert len(data) <= MOST_BYTES
    assert data.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    document = ET.fromstring(data)
    elements = [*document.iter()]
    assert document.tag == SITEMAPS + root
    assert not [element.attrib for element in elements if element.attrib]
    assert {child.tag for child in document} == {SITEMAPS + entry}
    assert 1 <= len(document) <= MOST_ENTRIES
    for child in document:
        assert [part.tag.removeprefix(SITEMAPS) for part in child] in (["loc"], ["loc", "lastmod"])
        assert all(len(part) == 0 for part in child)
        assert URI.fullmatch(child[0].text or "")
        assert 12 <= len(child[0].text or "") <= 2048
        assert len(child) == 1 or is_day_or_time(child[1].text or "")
    outside = [e.text for e in elements if len(e)] + [e.tail for e in elements]
    assert not "".join(text or "" for text in outside).strip()


def test_the_sitemap_and_its_parts_follow_the_schemas(client: FlaskClient, make: Maker) -> None:
    size = queries.PART_SIZE
    for shop_id in (1, 2, size, 3 * size):
        make.shop(id=shop_id)
    make.shop(id=3, modified_at="2026-03-05T12:00:00Z")
    expect_schema(client.get("/sitemap.xml").data, root="sitemapindex", entry="sitemap")
    for part in addresses(client, "/sitemap.xml"):
        expect_schema(client.get(urlsplit(part).path).data, root="urlset", entry="url")


@pytest.mark.parametrize(
    "entry",
    [
        "", "<url/>", "<url><lastmod>2026-03-05</lastmod><loc>http://a.example</loc></url>", "<url><loc>/shop/1</loc></url>",
        "<url><loc>http://a.example/ b</loc></url>", "<url><loc>http://a.example</loc><lastmod>5 March</lastmod></url>",
        "<url><loc>http://a.example</loc></url>text", "<url id='1'><loc>http://a.example</loc></url>",
        "<sitemap><loc>http://a.example</loc></sitemap>",
    ],
)  # fmt: skip
def test_the_check_of_the_schemas_notices_faults(entry: str) -> None:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{NAMESPACE["s"]}">'
    text = f"{head}{entry}</urlset>"
    with pytest.raises(AssertionError):
        expect_schema(text.encode(), root="urlset", entry="url")


def test_robots_find_the_sitemap_and_stay_away_from_sign_in(client: FlaskClient) -> None:
    response = client.get("/robots.txt")
    assert response.mimetype == "text/plain"
    lines = response.text.splitlines()
    assert "Sitemap: http://localhost/sitemap.xml" in lines
    assert [line for line in lines if line.startswith("Disallow")] == ["Disallow: /auth/"]


@pytest.mark.parametrize("path", ["/sitemap.xml", "/robots.txt", "/manifest.webmanifest"])
def test_files_are_cached_and_revalidated(client: FlaskClient, db: object, path: str) -> None:
    first = client.get(path)
    assert first.headers["Cache-Control"] == "public, max-age=3600"
    known = {"If-None-Match": first.headers["ETag"]}
    assert client.get(path, headers=known).status_code == 304


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_can_be_installed(client: FlaskClient, lang: str) -> None:
    page = client.get(f"/?lang={lang}").text
    path = f"/manifest.webmanifest?lang={lang}"
    assert f'<link rel="manifest" href="{path}">' in page
    response = client.get(path)
    assert response.mimetype == "application/manifest+json"
    manifest = response.get_json(force=True)
    assert (manifest["lang"], manifest["display"], manifest["start_url"]) == (
        lang,
        "standalone",
        "/",
    )
    icons = {(icon["sizes"], icon["purpose"]): icon["src"] for icon in manifest["icons"]}
    assert icons.keys() == {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    for (sizes, purpose), src in icons.items():
        icon = Image.open(io.BytesIO(client.get(src).data))
        assert (icon.format, f"{icon.width}x{icon.height}") == ("PNG", sizes)
        # a launcher cuts a maskable icon, so it has no transparent corners
        assert ("A" in icon.getbands()) is (purpose == "any")


def test_the_icon_of_the_root_has_several_sizes(client: FlaskClient) -> None:
    response = client.get("/favicon.ico")
    assert (response.status_code, response.headers["Cache-Control"]) == (
        200,
        "public, max-age=86400",
    )
    icon = Image.open(io.BytesIO(response.data))
    assert icon.format == "ICO"
    assert icon.info["sizes"] == {(16, 16), (32, 32), (48, 48)}
