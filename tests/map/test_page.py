"""The page's shell: language, policy, its files packed or not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from geoshops.map import routes

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
        ("", "ko"),
    ],
)
def test_the_page_is_in_the_language_of_the_browser(
    client: FlaskClient, languages: str, lang: str
) -> None:
    answer = client.get("/", headers={"Accept-Language": languages})
    assert f'<html lang="{lang}">' in answer.text
    assert "Accept-Language" in answer.headers["Vary"]


def test_the_page_has_no_inline_script_and_names_every_module_once(client: FlaskClient) -> None:
    html = client.get("/").text
    assert html.count("<script") == html.count('<script type="module" src=') == 1
    for name in routes.names("js"):
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


def test_a_packed_file_goes_out_packed_to_whoever_takes_it(
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


def test_both_languages_have_the_same_texts() -> None:
    keys = [
        [line.split('"')[1] for line in text.splitlines() if line.startswith('  "')]
        for text in (
            (routes.STATIC / "js" / f"texts.{lang}.js").read_text() for lang in ("ko", "en")
        )
    ]
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == len(keys[0]) > 50
