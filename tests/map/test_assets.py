"""Tests static files: addresses with a digest, which are cached forever, and plain addresses for tools."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from geoshops import create_app
from geoshops.config import ConfigError, Settings
from geoshops.web import assets


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of static files in place of the page's."""
    monkeypatch.setattr(assets, "FOLDER", tmp_path)
    (tmp_path / "land.json").write_bytes(b'{"type":"Topology"}')
    assets.digest.cache_clear()
    yield tmp_path
    assets.digest.cache_clear()


def directives(policy: str) -> dict[str, str]:
    pairs = [part.strip().split(" ", 1) for part in policy.split(";")]
    return {pair[0]: pair[1] for pair in pairs}


def test_every_own_file_that_the_page_names_exists_and_is_kept_forever(client: FlaskClient) -> None:
    page = client.get("/").text
    named = set(re.findall(r'"(/assets/[^"]+/[^"]+)"', page))
    assert any(path.endswith("/main.js") for path in named) and "/static/" not in page
    for path in named - {p for p in named if "/vendor/" in p}:
        response = client.get(path)
        assert response.status_code == 200, path
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_digest_follows_names_and_contents(folder: Path) -> None:
    seen = [assets.digest()]
    for name, content in (("land.json", b"{}"), ("js.js", b""), ("land.json.gz", b"packed")):
        (folder / name).write_bytes(content)
        assets.digest.cache_clear()
        seen.append(assets.digest())
    assert len(set(seen[:3])) == 3
    assert seen[2] == seen[3], "a compressed copy is the same file"
    assert re.fullmatch("[0-9a-f]{16}", seen[0])


def test_a_request_for_another_release_gets_a_response_that_is_not_cached(
    client: FlaskClient,
) -> None:
    old = client.get("/assets/0123456789abcdef/js/main.js")
    assert old.status_code == 200
    assert old.headers["Cache-Control"] == "no-cache"


def test_plain_addresses_stay_for_tools(client: FlaskClient) -> None:
    response = client.get("/static/js/main.js")
    assert response.status_code == 200
    assert "max-age=60" in response.headers["Cache-Control"]


def test_files_carry_the_content_security_policy_of_workers(client: FlaskClient) -> None:
    response = client.get(assets.address("js/main.js"))
    assert directives(response.headers["Content-Security-Policy"])["connect-src"] == "'self'"


def test_a_compressed_file_is_sent_compressed_if_accepted(
    client: FlaskClient, folder: Path
) -> None:
    (folder / "land.json.gz").write_bytes(gzip.compress(b'{"type":"Topology"}'))
    assert_sent(client, "gzip, br;q=0", "gzip")
    (folder / "land.json.br").write_bytes(b"packed with Brotli")
    assert_sent(client, "gzip, deflate, br", "br")
    for path in ("/static/land.json", assets.address("land.json")):
        packed = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.mimetype == "application/json"
        assert gzip.decompress(packed.data) == b'{"type":"Topology"}'
        plain = client.get(path, headers={"Accept-Encoding": "gzip;q=0"})
        assert "Content-Encoding" not in plain.headers
        assert plain.data == b'{"type":"Topology"}'


def assert_sent(client: FlaskClient, accepted: str, coding: str) -> None:
    """Asserts the content coding of a file."""
    response = client.get(assets.address("land.json"), headers={"Accept-Encoding": accepted})
    assert (response.headers["Content-Encoding"], response.mimetype) == (coding, "application/json")
    assert response.headers["Vary"] == "Accept-Encoding"


def test_files_outside_the_folder_are_not_served(client: FlaskClient) -> None:
    for base in ("/static", assets.base()):
        for path in ("../routes.py", "js/%2e%2e/%2e%2e/routes.py", "none.js"):
            response = client.get(f"{base}/{path}", headers={"Accept-Encoding": "gzip"})
            assert response.status_code == 404


def test_the_policy_allows_only_the_own_origin() -> None:
    policy = directives(assets.policy(()))
    assert policy["script-src"] == policy["connect-src"] == policy["worker-src"] == "'self'"
    assert policy["default-src"] == "'self'"


def settings(**values: Any) -> Settings:
    return Settings(testing=True, **values)


def test_an_online_style_opens_its_origins_for_data_and_pictures_only() -> None:
    plain = directives(assets.policy(()))
    chosen = settings(
        map_style_url="https://maps.example.org/styles/liberty",
        map_style_origins=("https://tiles.example.org", "https://maps.example.org"),
    )
    opened = directives(assets.policy(chosen.map_origins))
    changed = {name for name in plain if plain[name] != opened[name]}
    assert changed == {"connect-src", "img-src"}
    assert opened["connect-src"] == "'self' https://maps.example.org https://tiles.example.org"
    assert opened["img-src"].endswith(" https://maps.example.org https://tiles.example.org")


def test_a_policy_needs_a_sequence_of_origins() -> None:
    with pytest.raises(TypeError, match="map_origins"):
        assets.policy("https://tiles.example.org")


def test_without_a_setting_streets_come_from_openfreemap() -> None:
    assert settings().map_origins == ("https://tiles.openfreemap.org",)
    assert settings(map_style_url="off").map_origins == ()


def test_an_own_file_with_streets_needs_no_other_origin(tmp_path: Path) -> None:
    path = tmp_path / "korea.pmtiles"
    path.write_bytes(b"PMTiles")
    own = settings(basemap_file=str(path))
    assert (own.online_map_style, own.map_origins) == ("", ())


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"map_style_url": "positron"}, "GEOSHOPS_MAP_STYLE_URL"),
        ({"map_style_url": "https://a.example; script-src *"}, "GEOSHOPS_MAP_STYLE_URL"),
        ({"map_style_origins": ("tiles.example.org",)}, "GEOSHOPS_MAP_STYLE_ORIGINS"),
        ({"basemap_file": "/no/such/file.pmtiles"}, "GEOSHOPS_BASEMAP_FILE"),
    ],
)
def test_settings_of_streets_are_checked(values: dict[str, Any], name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        settings(**values)


def test_a_file_with_streets_is_served_by_ranges(
    service_url: str, tmp_path: Path, client: FlaskClient
) -> None:
    path = tmp_path / "korea.pmtiles"
    path.write_bytes(bytes(range(100)))
    overrides = {"database_url": service_url, "testing": True, "basemap_file": str(path)}
    own = create_app(overrides).test_client()
    part = own.get("/basemap/streets.pmtiles", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.data) == (206, bytes(range(10, 20)))
    assert part.headers["Content-Range"] == "bytes 10-19/100"
    assert part.headers["ETag"] == own.get("/basemap/streets.pmtiles").headers["ETag"]
    assert 'data-basemap-url="/basemap/streets.pmtiles"' in own.get("/").text
    assert 'data-style-url=""' in own.get("/").text
    assert client.get("/basemap/streets.pmtiles").status_code == 404


def test_the_service_worker_belongs_to_the_release_and_covers_the_site(client: FlaskClient) -> None:
    worker = client.get("/service-worker.js")
    assert (worker.mimetype, worker.headers["Cache-Control"]) == ("text/javascript", "no-cache")
    assert worker.text.startswith(f'const BASE = "{assets.base()}";\n')
    assert assets.address(assets.modules()[-1]) in worker.text


@pytest.mark.parametrize(
    ("style", "sources"),
    [
        ("https://maps.example.org/styles/liberty", "'self' https://maps.example.org"),
        ("off", "'self'"),
    ],
)
def test_all_files_of_the_page_may_reach_the_same_origins(
    service_url: str, style: str, sources: str
) -> None:
    overrides = {"database_url": service_url, "testing": True, "map_style_url": style}
    client = create_app(overrides).test_client()
    for path in ("/", "/service-worker.js", assets.address("js/main.js")):
        policy = directives(client.get(path).headers["Content-Security-Policy"])
        assert policy["connect-src"] == sources, path
