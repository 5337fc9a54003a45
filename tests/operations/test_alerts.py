"""Metrics: every fault is counted, and every metric that the alerts and the dashboard use exists."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest
from flask.testing import FlaskClient

from geoshops import create_app
from tests.conftest import ROOT, SECRET_KEY
from tests.make import Maker

DEPLOY = ROOT / "scripts" / "deploy"
# provided by Prometheus itself
GIVEN = {"up"}
SERIES = re.compile(r"\b([a-z][a-z0-9_]*)(?=[\[{]|\)| [=><]|$)")
WORDS = {
    "le",
    "instance",
    "code",
    "status",
    "endpoint",
    "cause",
    "outcome",
    "sum",
    "by",
    "min",
    "max",
}


def expressions() -> list[str]:
    """All PromQL expressions of the alert rules and the dashboard."""
    rules = (DEPLOY / "alerts.yml").read_text(encoding="utf-8")
    alert_expressions = re.findall(r"expr: (?:>-\n)?(.+?)\n +(?:for|labels):", rules, re.DOTALL)
    panels = json.loads((DEPLOY / "dashboard.json").read_text(encoding="utf-8"))["panels"]
    return [*alert_expressions, *(t["expr"] for panel in panels for t in panel["targets"])]


def named(expression: str) -> set[str]:
    """Names of the time series in an expression."""
    return set(SERIES.findall(re.sub(r'"[^"]*"', "", expression))) - WORDS


def served(client: FlaskClient) -> set[str]:
    """Names of the time series that /metrics exposes."""
    names = set()
    for name, kind in re.findall(r"# TYPE (\S+) (\w+)", client.get("/metrics").text):
        more = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        names |= {f"{name}{end}" for end in more}
    return names


def value(client: FlaskClient, series: str) -> float:
    match = re.search(rf"^{re.escape(series)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    return float(match[1]) if match else 0


def test_every_metric_of_alerts_and_dashboard_exists(client: FlaskClient) -> None:
    metrics = [named(expression) for expression in expressions()]
    assert len(metrics) > 20 and all(metrics)
    assert set().union(*metrics) - GIVEN - served(client) == set()


def test_a_lost_database_is_in_the_next_scrape(service_url: str) -> None:
    lost = create_app(
        {"database_url": "postgresql://nobody@127.0.0.1:9/none", "secret_key": SECRET_KEY, "testing": True}
    ).test_client()  # fmt: skip
    before = value(lost, 'http_error_responses_total{code="503"}')
    assert lost.get("/shops/1").status_code == 503
    assert value(lost, 'http_error_responses_total{code="503"}') == before + 1
    assert value(lost, "database_up") == 0
    assert "reports_open" not in lost.get("/metrics").text


def test_gauges_count_open_reports_and_unlinks(client: FlaskClient, make: Maker) -> None:
    assert (value(client, "database_up"), value(client, "reports_open")) == (1, 0)
    shop = make.shop()
    for _ in range(2):
        make.insert(
            "reports", member_id=make.member(), shop_id=shop, reason="CLOSED", created_at="now"
        )
    make.insert("pending_unlinks", provider="oidc", issuer="i", subject="s")
    assert (value(client, "reports_open"), value(client, "unlinks_pending")) == (2, 1)
    assert value(client, "database_read_only") == 0


def test_counters_of_errors_begin_at_zero(client: FlaskClient) -> None:
    text = client.get("/metrics").text
    for code in ("500", "503", "106", "429"):
        assert f'http_error_responses_total{{code="{code}"}}' in text


def test_every_worker_that_begins_is_counted(client: FlaskClient, service_url: str) -> None:
    before = value(client, "workers_started_total")
    create_app({"database_url": service_url, "secret_key": SECRET_KEY, "testing": True})
    assert value(client, "workers_started_total") == before + 1


def test_every_alert_is_explained_to_operators() -> None:
    rules = (DEPLOY / "alerts.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    alerts = re.findall(r"alert: (\w+)", rules)
    assert len(alerts) > 10
    assert [alert for alert in alerts if f"`{alert}`" not in page] == []


@pytest.mark.parametrize(
    "words",
    [
        ("check", "rules", "alerts.yml"),
        ("check", "config", "prometheus.yml"),
        ("test", "rules", "alerts_test.yml"),
    ],
)
def test_promtool_agrees(words: tuple[str, ...]) -> Any:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("no promtool (Debian's package prometheus has it)")
    done = subprocess.run(
        [promtool, *words], cwd=DEPLOY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
