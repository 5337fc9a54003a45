"""docker compose up, as a new user runs it, and the additional profiles."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest
import requests

from tests.containers.engine import COMPOSE_FILES, START_WITHIN_S, Project, docker, project

pytestmark = pytest.mark.full
RADIUS = "/shops/brand?userLat=37.4979&userLng=127.0276&mapLat=37.4979&mapLng=127.0276"
# docs/reliability.md: reads by address
READS_PER_MINUTE = 600
LOADED_BY_THE_BUNDLE = (
    "maplibre-gl/maplibre-gl.mjs",
    "maplibre-gl/maplibre-gl-worker.mjs",
    "maplibre-gl/maplibre-gl.css",
)


@pytest.fixture(scope="module")
def up(images: None) -> Iterator[Project]:
    """docker compose up with generated sample data; the tests below run in order."""
    with project("service") as made:
        made.compose("up", "--detach")
        made.require_ready()
        made.compose("run", "--rm", "-T", "seed")
        yield made


def shop_count(up: Project) -> int:
    return int(up.compose("run", "--rm", "-T", "psql", "-XAtc", "SELECT count(*) FROM v_shop"))


def test_the_map_page_comes_with_its_libraries(up: Project) -> None:
    page = up.get("/")
    assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    paths = [part.split('"')[0] for part in page.text.split('="')[1:]]
    bundle = next(path for path in paths if path.endswith("/built/main.js"))
    folder = bundle.removesuffix("built/main.js")
    libraries = [f"{folder}vendor/{name}" for name in LOADED_BY_THE_BUNDLE]
    assets = [path for path in paths if path.startswith("/") and path.endswith((".js", ".css"))]
    wanted = [*assets, *libraries]
    assert {path: up.status(path) for path in wanted} == dict.fromkeys(wanted, 200)


def test_a_radius_search_finds_the_sample(up: Project) -> None:
    found = up.get(RADIUS)
    assert found.status_code == 200
    assert len(found.json()) > 10
    assert {"place_name", "brand"} <= found.json()[0].keys()


def test_doctor_finds_nothing_in_the_container_of_the_service(up: Project) -> None:
    report = up.json_of("exec", "-T", "api", "geoshops", "doctor", "--json")
    checks = {check["name"]: check for check in report["checks"]}
    assert report["ok"], report
    assert checks["role"]["detail"] == "geoshops_app; the schema belongs to geoshops_owner"
    assert "statement_timeout" in checks["limits"]["detail"]


def test_an_analyst_gets_psql_and_a_port(up: Project) -> None:
    script = ("-f", "sql/analysis/11_market_share.sql", "-v", "region=서울특별시")
    assert "인생네컷" in up.compose("run", "--rm", "-T", "psql", *script)
    up.compose("up", "--detach", "analyst")
    url = up.compose("run", "--rm", "-T", "psql", "url").strip()
    assert f"@127.0.0.1:{up.analyst_port}/" in url
    with psycopg2.connect(url, connect_timeout=10) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT current_user, (SELECT count(*) FROM v_shop)")
        assert cursor.fetchone() == ("geoshops_reader", shop_count(up))
        with pytest.raises(psycopg2.Error, match=r"read-only|permission denied"):
            cursor.execute("DELETE FROM shops")
    connection.close()


def test_the_demos_provider_leaves_sign_in_off(up: Project, tmp_path: Path) -> None:
    env = tmp_path / "env"
    env.write_text(
        "GEOSHOPS_IDP=oidc\nGEOSHOPS_IDP_ISSUER=http://127.0.0.1:9400\nGEOSHOPS_IDP_CLIENT_ID=geoshops\n"
        "GEOSHOPS_IDP_CLIENT_SECRET=secret\n"
    )
    off = up.get("/auth/authorize").status_code
    up.env_file = str(env)
    try:
        up.compose("up", "--detach", "--no-deps", "api")
        up.require_ready()
        assert up.get("/auth/authorize").status_code == off != 502
        assert "sign-in is off" in up.compose("logs", "api")
    finally:
        up.env_file = "/dev/null"


def test_down_and_up_keep_the_data(up: Project) -> None:
    before = shop_count(up)
    assert before > 1000
    up.down()
    assert docker("ps", "-aq", "--filter", f"label=com.docker.compose.project={up.name}") == ""
    up.compose("up", "--detach")
    up.require_ready()
    assert shop_count(up) == before
    assert up.get(RADIUS).status_code == 200


def test_production_limits_rates_over_all_workers(up: Project) -> None:
    up.down()
    up.files = COMPOSE_FILES
    up.compose("up", "--detach", timeout_s=START_WITHIN_S)
    up.require_ready()
    direct = up.run("port", "api", "8000", timeout_s=60).stdout.strip()
    assert direct in ("", ":0"), "only nginx is published"
    statuses, end = [], time.monotonic() + 50
    with requests.Session() as session:
        session.trust_env = False
        while 429 not in statuses and time.monotonic() < end:
            statuses.append(session.get(f"{up.origin}/brands", timeout=10).status_code)
    # two workers share their counters in Redis
    assert statuses.count(200) == READS_PER_MINUTE and statuses[-1] == 429
    limited = up.get("/brands")
    assert "Retry-After" in limited.headers and "error_code" in limited.json()
    assert up.compose("exec", "-T", "redis", "redis-cli", "DBSIZE").strip() != "0"
    assert up.get("/readyz").status_code == 200
