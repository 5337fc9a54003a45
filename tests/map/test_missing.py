"""A missing page is a page for browsers, and the JSON error of the contract for everybody else."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from geoshops.map.texts import texts

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/nothing", "/map/of/seoul", "/shop/abc", "/index.html"])
@pytest.mark.parametrize("language", ["ko", "en", "ja", "zh-Hans", "zh-Hant"])
def test_a_browser_is_told_what_is_missing_and_where_to_go_on(
    client: FlaskClient, path: str, language: str
) -> None:
    answer = client.get(path, headers={"Accept": BROWSER, "Accept-Language": language})
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert f'<html lang="{language}">' in answer.text
    assert f"<h1>{texts(language)['page.missing']}</h1>" in answer.text
    assert '<form action="/" role="search"' in answer.text
    assert "frame-ancestors" in answer.headers["Content-Security-Policy"]
    assert {"Accept", "Accept-Language"} <= set(answer.headers["Vary"].split(", "))


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html"])
def test_a_program_gets_the_error_of_the_contract(client: FlaskClient, accept: str | None) -> None:
    answer = client.get("/nothing", headers={"Accept": accept} if accept else {})
    assert (answer.status_code, answer.mimetype) == (404, "application/json")
    assert answer.json["error_code"] == "404"


@pytest.mark.parametrize(
    "path",
    ["/shops/abc", "/reviews/0", "/auth/nothing", "/tiles/x", "/static/none.js", "/member/nobody"],
)
def test_paths_of_the_api_keep_their_error_even_in_a_browser(
    client: FlaskClient, path: str
) -> None:
    answer = client.get(path, headers={"Accept": BROWSER})
    assert (answer.status_code, answer.mimetype) == (404, "application/json")


def test_only_reading_a_page_can_miss_it(client: FlaskClient) -> None:
    answer = client.post("/nothing", headers={"Accept": BROWSER})
    assert (answer.status_code, answer.mimetype) == (404, "application/json")
    head = client.head("/nothing", headers={"Accept": BROWSER})
    assert (head.status_code, head.mimetype, head.data) == (404, "text/html", b"")
