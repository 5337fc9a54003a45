"""The page's shell: language, policy, its files packed or not."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from geoshops.map import routes
from geoshops.map.texts import texts
from geoshops.messages import LANGUAGES

KOREAN = {"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.8"}


def directives(policy: str) -> dict[str, str]:
    pairs = [part.strip().split(" ", 1) for part in policy.split(";")]
    return {pair[0]: pair[1] for pair in pairs}


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
    assert executed == ['<script type="module" src="/static/js/main.js">']
    for name in routes.names("js", "*.js"):
        assert html.count(f'href="/static/js/{name}"') == 1


def test_the_policy_allows_only_the_own_origin() -> None:
    policy = directives(routes.policy(""))
    assert policy["script-src"] == policy["connect-src"] == policy["worker-src"] == "'self'"
    assert policy["default-src"] == "'self'"


def test_an_online_style_opens_its_origin_for_data_and_pictures_only() -> None:
    plain = directives(routes.policy(""))
    opened = directives(routes.policy("https://tiles.example.org/styles/liberty"))
    changed = {name for name in plain if plain[name] != opened[name]}
    assert changed == {"connect-src", "img-src"}
    assert opened["connect-src"] == "'self' https://tiles.example.org"
    assert opened["img-src"].endswith(" https://tiles.example.org")


def test_files_carry_the_policy_that_a_worker_lives_under(client: FlaskClient) -> None:
    answer = client.get("/static/js/main.js")
    assert directives(answer.headers["Content-Security-Policy"])["connect-src"] == "'self'"


def test_a_compressed_file_is_sent_compressed_if_accepted(
    client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "land.json").write_bytes(b'{"type":"Topology"}')
    (tmp_path / "land.json.gz").write_bytes(gzip.compress(b'{"type":"Topology"}'))
    monkeypatch.setattr(routes, "STATIC", tmp_path)
    packed = client.get("/static/land.json", headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.mimetype == "application/json"
    assert gzip.decompress(packed.data) == b'{"type":"Topology"}'
    plain = client.get("/static/land.json", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in plain.headers
    assert plain.data == b'{"type":"Topology"}'


def test_files_outside_the_folder_are_not_served(client: FlaskClient) -> None:
    for path in ("/static/../routes.py", "/static/js/%2e%2e/%2e%2e/routes.py", "/static/none.js"):
        assert client.get(path, headers={"Accept-Encoding": "gzip"}).status_code == 404
