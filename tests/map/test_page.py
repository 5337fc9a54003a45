"""The page's shell: language, texts, its modules."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient

from geoshops.map import routes
from geoshops.map.texts import texts
from geoshops.messages import LANGUAGES
from geoshops.web import assets

KOREAN = {"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.8"}


@pytest.mark.parametrize(
    ("languages", "lang"),
    [
        ("ko;q=.3, en;q=.8", "en"),
        (KOREAN["Accept-Language"], "ko"),
        ("en-US,en;q=0.9", "en"),
        ("de,en;q=0.5", "en"),
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("zh-TW,zh;q=0.9", "zh-Hant"),
        ("zh-CN", "zh-Hans"),
        ("de,fr;q=0.5", "en"),
        ("", "ko"),
    ],
)
def test_the_page_is_in_the_language_of_the_browser(
    client: FlaskClient, languages: str, lang: str
) -> None:
    answer = client.get("/", headers={"Accept-Language": languages})
    assert f'<html lang="{lang}">' in answer.text
    assert f"<title>{texts(lang)['title']}</title>" in answer.text
    assert f'<option value="{lang}" lang="{lang}" selected>' in answer.text
    assert {"Accept-Language", "Cookie"} <= set(answer.headers["Vary"].split(", "))


@pytest.mark.parametrize(("chosen", "lang"), [("zh-Hant", "zh-Hant"), ("xx", "ko"), ("", "ko")])
def test_the_visitors_choice_comes_before_the_browsers(
    client: FlaskClient, chosen: str, lang: str
) -> None:
    client.set_cookie("lang", chosen)
    assert f'<html lang="{lang}">' in client.get("/", headers=KOREAN).text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_brings_its_texts_along(client: FlaskClient, lang: str) -> None:
    html = client.get("/", headers={"Accept-Language": lang}).text
    found = re.search(r'<script id="texts" type="application/json">(.*?)</script>', html)
    assert found and json.loads(found[1]) == texts(lang)


def test_the_page_has_no_inline_script_and_names_every_module_once(client: FlaskClient) -> None:
    html = client.get("/").text
    executed = re.findall(r"<script(?! id=\"texts\" type=\"application/json\")[^>]*>", html)
    assert executed == [f'<script type="module" src="{assets.address("js/main.js")}">']
    for name in routes.names("js", "*.js"):
        assert html.count(f'href="{assets.address(f"js/{name}")}"') == 1
