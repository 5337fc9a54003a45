"""Tests the HTML of the map page: language, texts, script modules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

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
    response = client.get("/", headers={"Accept-Language": languages})
    assert f'<html lang="{lang}">' in response.text
    assert f"<title>{texts(lang)['title']}</title>" in response.text
    assert f'<option value="{lang}" lang="{lang}" selected>' in response.text
    assert {"Accept-Language", "Cookie"} <= set(response.headers["Vary"].split(", "))


@pytest.mark.parametrize(("chosen", "lang"), [("zh-Hant", "zh-Hant"), ("xx", "ko"), ("", "ko")])
def test_the_visitors_choice_comes_before_the_browsers(
    client: FlaskClient, chosen: str, lang: str
) -> None:
    client.set_cookie("lang", chosen)
    assert f'<html lang="{lang}">' in client.get("/", headers=KOREAN).text


def test_the_html_is_valid_before_a_script_has_run(client: FlaskClient) -> None:
    """Headings have text, and the search box is of a type that may be a combobox."""
    html = client.get("/", headers=KOREAN).text
    headings = re.findall(r"<(h[1-6])\b[^>]*>(.*?)</\1>", html, re.DOTALL)
    assert len(headings) >= 3
    assert all(re.sub(r"<[^>]+>", "", text).strip() for _, text in headings)
    assert re.search(r'<input id="query" type="text"[^>]* role="combobox"', html)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_brings_its_texts_along(client: FlaskClient, lang: str) -> None:
    html = client.get("/", headers={"Accept-Language": lang}).text
    match = re.search(r'<script id="texts" type="application/json">(.*?)</script>', html)
    assert match and json.loads(match[1]) == texts(lang)


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes the page use source modules, as after a change since scripts/setup."""
    monkeypatch.setattr(assets, "BUILT", "none")
    for known in (assets.modules, assets.styles):
        known.cache_clear()
    yield
    for known in (assets.modules, assets.styles):
        known.cache_clear()


def executed(html: str) -> list[str]:
    return re.findall(r"<script(?! id=\"texts\" type=\"application/json\")[^>]*>", html)


@pytest.mark.usefixtures("sources")
def test_the_page_has_no_inline_script_and_names_every_module_once(client: FlaskClient) -> None:
    html = client.get("/").text
    main = assets.address("js/main.js")
    assert executed(html) == [f'<script type="module" src="{main}">']
    modules = [path for path in (assets.FOLDER / "js").rglob("*.js") if path.name != "main.js"]
    assert len(modules) > 30
    for path in modules:
        name = path.relative_to(assets.FOLDER).as_posix()
        assert html.count(f'<link rel="modulepreload" href="{assets.address(name)}">') == 1


def test_bundles_are_used_while_they_are_made_of_the_current_sources(
    client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sources: None
) -> None:
    shutil.copytree(assets.FOLDER / "js", tmp_path / "js")
    shutil.copytree(assets.FOLDER / "css", tmp_path / "css")
    (tmp_path / "built").mkdir()
    find = "find js css -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d' ' -f1 >built/sources.sha256"
    subprocess.run(["sh", "-c", find], cwd=tmp_path, check=True)
    monkeypatch.setattr(assets, "FOLDER", tmp_path)
    monkeypatch.setattr(assets, "BUILT", "built")
    html = client.get("/").text
    assert executed(html) == [f'<script type="module" src="{assets.address("built/main.js")}">']
    assert "/css/" not in html and assets.address("built/main.css") in html
    (tmp_path / "js" / "main.js").write_text("// changed")
    assets.modules.cache_clear()
    assert assets.modules()[-1] == "js/main.js"


@pytest.mark.parametrize(
    ("path", "is_start"),
    [("/", True), ("/?lang=ja", True), ("/?q=홍대", False), ("/?at=37.5,127,14", False)],
)
def test_the_first_list_is_preloaded_only_where_the_page_starts(
    client: FlaskClient, path: str, is_start: bool
) -> None:
    html = client.get(path, headers=KOREAN).text
    assert ('<link rel="preload" as="fetch" href="/shops/brand?userLat=' in html) == is_start


def test_every_button_has_a_name_before_scripts_run(client: FlaskClient) -> None:
    html = client.get("/", headers=KOREAN).text
    buttons = re.findall(r"<button([^>]*)>(.*?)</button>", html, re.DOTALL)
    assert len(buttons) > 10
    for attributes, content in buttons:
        named = re.search(r'aria-label="[^"]+"', attributes) or re.sub("<[^>]*>", "", content)
        assert named, attributes
    assert re.search(r'<form id="search".*<button[^>]* type="submit".*</form>', html, re.DOTALL)
