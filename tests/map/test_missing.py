"""Tests responses to unknown addresses: an HTML page for browsers, the documented JSON error for other clients."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from geoshops.map.texts import texts

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/nothing", "/map/of/seoul", "/shop/abc", "/index.html"])
@pytest.mark.parametrize("language", ["ko", "en", "ja", "zh-Hans", "zh-Hant"])
def test_a_browser_gets_a_page_that_explains_the_error(
    client: FlaskClient, path: str, language: str
) -> None:
    response = client.get(path, headers={"Accept": BROWSER, "Accept-Language": language})
    assert (response.status_code, response.mimetype) == (404, "text/html")
    assert f'<html lang="{language}">' in response.text
    assert f"<h1>{texts(language)['page.missing']}</h1>" in response.text
    assert '<form action="/" role="search"' in response.text
    assert "frame-ancestors" in response.headers["Content-Security-Policy"]
    assert {"Accept", "Accept-Language"} <= set(response.headers["Vary"].split(", "))


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html"])
def test_a_program_gets_the_error_of_the_contract(client: FlaskClient, accept: str | None) -> None:
    response = client.get("/nothing", headers={"Accept": accept} if accept else {})
    assert (response.status_code, response.mimetype) == (404, "application/json")
    assert response.json["error_code"] == "404"


@pytest.mark.parametrize(
    "path",
    ["/shops/abc", "/reviews/0", "/auth/nothing", "/tiles/x", "/static/none.js", "/member/nobody"],
)
def test_paths_of_the_api_keep_their_error_even_in_a_browser(
    client: FlaskClient, path: str
) -> None:
    response = client.get(path, headers={"Accept": BROWSER})
    assert (response.status_code, response.mimetype) == (404, "application/json")


def test_only_reading_a_page_can_miss_it(client: FlaskClient) -> None:
    response = client.post("/nothing", headers={"Accept": BROWSER})
    assert (response.status_code, response.mimetype) == (404, "application/json")
    head = client.head("/nothing", headers={"Accept": BROWSER})
    assert (head.status_code, head.mimetype, head.data) == (404, "text/html", b"")


@pytest.mark.parametrize("path", ["/nothing", "/shop/424242"])
def test_the_page_is_counted_as_an_error(client: FlaskClient, path: str) -> None:
    def count() -> float:
        lines = client.get("/metrics").text.splitlines()
        name = 'http_error_responses_total{code="404"} '
        return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))

    before = count()
    assert client.get(path, headers={"Accept": BROWSER}).mimetype == "text/html"
    assert count() == before + 1
