"""A real Prometheus scrapes the running service: each fault shows in a metric within 15 s, then fires its alert."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import requests

from tests.conftest import ROOT, SECRET_KEY, as_role, copied, execute, with_database
from tests.server import free_port, serving, workers_of

WITHIN_S = 15
DEPLOY = ROOT / "scripts" / "deploy"
AROUND = "/shops/brand?userLat=37.5&userLng=127&mapLat=37.5&mapLng=127"


class Prometheus:
    """Queries a running Prometheus."""

    def __init__(self, origin: str) -> None:
        self.origin = origin

    def value(self, expression: str) -> float | None:
        samples = self._get("/api/v1/query", query=expression)["data"]["result"]
        return sum(float(sample["value"][1]) for sample in samples) if samples else None

    def firing(self) -> set[str]:
        alerts = self._get("/api/v1/alerts")["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def _get(self, path: str, **query: str) -> Any:
        return requests.get(f"{self.origin}{path}", params=query, timeout=5).json()


def seconds_until(condition: Callable[[], object], at_most_s: float) -> float:
    """Seconds until the condition holds; fails after at_most_s."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < at_most_s, "the condition does not hold in time"
        time.sleep(0.2)
    return time.monotonic() - started


@pytest.fixture
def own_url(server_url: str, template_name: str) -> Iterator[str]:
    """A separate database, because the test closes it to connections."""
    with copied(server_url, template_name, "watched") as url:
        yield url


@pytest.fixture
def service(own_url: str) -> Iterator[str]:
    with serving(
        as_role(own_url, "geoshops_app"), SECRET_KEY, GEOSHOPS_POOL_TIMEOUT_S="0.3"
    ) as origin:
        yield origin


@pytest.fixture
def prometheus(service: str, tmp_path: Path) -> Iterator[Prometheus]:
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("no prometheus (Debian's package of that name)")
    config = (DEPLOY / "prometheus.yml").read_text(encoding="utf-8")
    config = config.replace("127.0.0.1:8000", service.removeprefix("http://"))
    (tmp_path / "prometheus.yml").write_text(config, encoding="utf-8")
    shutil.copy(DEPLOY / "alerts.yml", tmp_path)
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [program, "--config.file=prometheus.yml", f"--web.listen-address={address}",
         "--storage.tsdb.path=data"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    client = Prometheus(f"http://{address}")

    def scraped() -> bool:
        try:
            return client.value("database_up") == 1
        except requests.RequestException:
            return False

    seconds_until(scraped, 60)
    yield client
    process.terminate()
    process.wait(20)


@pytest.mark.full
def test_each_fault_is_seen_in_time(service: str, prometheus: Prometheus, own_url: str) -> None:
    locker = psycopg2.connect(own_url)
    locker.cursor().execute("LOCK TABLE shops IN ACCESS EXCLUSIVE MODE")
    assert requests.get(f"{service}{AROUND}", timeout=10).status_code == 503
    lock_failures = 'sum(database_failures_total{cause=~"lock|locked_table"}) > 0'
    seconds_until(lambda: prometheus.value(lock_failures), WITHIN_S)
    assert prometheus.value("database_up") == 1, "a locked table is no lost database"
    locker.rollback()
    locker.close()

    before = prometheus.value("workers_started_total") or 0
    workers_of(service)[0].kill()
    seconds_until(lambda: (prometheus.value("workers_started_total") or 0) > before, WITHIN_S)

    name = own_url.rpartition("/")[2]
    server = with_database(own_url, "postgres")
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    execute(server, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false", end)
    assert requests.get(f"{service}{AROUND}", timeout=10).status_code == 503
    seconds_until(lambda: prometheus.value("database_up") == 0, WITHIN_S)
    seconds_until(lambda: "DatabaseDown" in prometheus.firing(), WITHIN_S + 10)
    execute(server, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    seconds_until(lambda: prometheus.value("database_up") == 1, WITHIN_S)
