"""An online style in place of the own basemap: its origin alone is allowed, the booths stand on it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser

from tests.browser.server import running_server
from tests.browser.visitor import Visitor

STYLE = {
    "version": 8,
    "sources": {},
    "layers": [{"id": "sky", "type": "background", "paint": {"background-color": "#abcdef"}}],
}


class StyleServer(BaseHTTPRequestHandler):
    """Answers every request with the style, as a tile host does."""

    def do_GET(self) -> None:
        """The style, for every origin."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(json.dumps(STYLE).encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def style_origin() -> Iterator[str]:
    """Origin of a host that serves styles."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), StyleServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_an_online_style_lies_under_the_booths(
    browser: Browser, sample_url: str, style_origin: str
) -> None:
    settings = {"DATABASE_URL": sample_url, "GEOSHOPS_MAP_STYLE_URL": f"{style_origin}/style.json"}
    with running_server(settings) as address:
        v = Visitor(browser, address)
        assert v.page.evaluate("geoshops.map.getStyle().layers[0].id") == "sky"
        assert v.rendered("pins", "clusters")
        v.one("#theme").click()
        v.rest()
        assert v.rendered("pins", "clusters")
        assert set(v.outside) == {f"{style_origin}/style.json"}
        assert v.complaints == []
        v.context.close()
