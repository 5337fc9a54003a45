"""scripts/faults: its request generator, its evaluation of responses, and a short run of each drill."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.make import Maker
from tests.operations.nginx.conftest import NGINX

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts" / "faults.d"))

from client import Log, Response  # noqa: E402
from generator import EDGE_S, Run, select_responses  # noqa: E402
from hostile import Generator  # noqa: E402
from kinds import KINDS, plan  # noqa: E402
from overload import figures_of  # noqa: E402

IN_PROCESS = 800
ERROR = b'{"error_code": "503", "error_message": "x"}'


def test_hostile_requests_get_errors_of_the_contract(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    make.brand()
    make.shop()
    tokens = [make.bearer(app)["Authorization"].partition(" ")[2] for _ in range(2)]
    generator = Generator(7, tokens)
    for _ in range(IN_PROCESS):
        request = generator.next(raw=False)
        headers = [*request.headers]
        if request.body is not None and "Content-Type" not in dict(headers):
            headers.append(("Content-Type", "application/json"))
        response = client.open(
            request.target, method=request.method, headers=headers, data=request.body
        )
        assert response.status_code < 500 or response.get_json()["error_code"] == "106", str(
            request
        )
        if response.status_code >= 400 and request.method != "HEAD":
            assert set(response.get_json()) == {"error_code", "error_message"}, str(request)


def test_the_same_seed_makes_the_same_requests() -> None:
    first, second = (Generator(3, ["t"]) for _ in range(2))
    assert [str(first.next()) for _ in range(200)] == [str(second.next()) for _ in range(200)]


@pytest.mark.parametrize(
    ("response", "valid"),
    [
        (Response(0, 0, 200, b"[]"), True),
        (Response(0, 0, 0), False),
        (Response(0, 0, 503, ERROR, "1"), True),
        (Response(0, 0, 503, ERROR), False),
        (Response(0, 0, 503, b"<html>", "1"), False),
        (Response(0, 0, 404, b'{"error_code": "404", "error_message": "x"}'), True),
    ],
)
def test_only_the_contracts_responses_are_valid(response: Response, valid: bool) -> None:
    assert response.is_valid is valid


def test_only_a_conflict_with_retry_after_is_retryable() -> None:
    error, log = b'{"error_code": "409", "error_message": "x"}', Log()
    conflict, taken = Response(0, 0, 409, error, "1"), Response(0, 0, 409, error)
    for response in (conflict, taken, Response(0, 0, 503, ERROR, "1")):
        log.add(response)
    assert (conflict.is_retryable, taken.is_retryable, conflict.is_valid) == (True, False, True)
    assert (log.good, [response.status for response in log.bad]) == (1, [409, 503])


def test_a_plan_has_every_kind_and_the_same_order_for_a_seed() -> None:
    chosen = plan(200, [], True, 1)
    assert len(chosen) == 200
    assert {kind.name for kind in chosen} == {kind.name for kind in KINDS}
    assert chosen == plan(200, [], True, 1)
    assert {kind.name for kind in plan(5, ["worker"], False, 1)} == {"worker"}


def times(**counts: int) -> dict[int, list[float]]:
    """Response times by status, one millisecond each."""
    return {int(status[1:]): [0.001] * count for status, count in counts.items()}


def test_the_edges_of_a_constant_rate_are_left_out() -> None:
    rows = [(tenth * 100_000, 200 if tenth % 4 else 503, 5_000) for tenth in range(61)]
    seconds, times_s = select_responses(rows, EDGE_S)
    assert seconds == 4
    assert {status: len(x) for status, x in times_s.items()} == {503: 10, 200: 31}
    assert times_s[503][0] == 0.005


def test_overload_is_compared_with_the_best_before_and_after_it() -> None:
    best = [Run(10, times(s200=count), 1) for count in (1000, 2000, 1000)]
    over = [Run(10, times(s200=count, s503=6000 - count), 2) for count in (1350, 1200)]
    figures = figures_of(best, over)
    assert figures["best_per_s"] == [100, 200, 100]
    assert figures["share_of_best"] == 0.85
    assert figures["offered_times"] == 4
    assert figures["odd_or_broken"] == 0
    broken = figures_of(best, [Run(10, {**times(s200=1350), -1: [0.0]}, 2)] * 2)
    assert broken["odd_or_broken"] == 2


def run(*words: str) -> dict[str, Any]:
    """Runs a part of scripts/faults and returns its figures."""
    if not NGINX:
        pytest.skip("nginx is not installed")
    done = subprocess.run(
        [str(ROOT / "scripts" / "faults"), *words, "--quick", "--json"],
        capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr[-3000:]
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


@pytest.mark.full
def test_faults_lose_nothing() -> None:
    figures = run("drills")
    assert figures["acknowledged_writes"] >= 2000
    for name in (
        "lost",
        "returned",
        "stale",
        "doubled",
        "shops_with_wrong_counters",
        "secrets_in_logs",
    ):
        assert figures[name] == 0, figures
    assert figures["wrong_responses"] == 0, figures


@pytest.mark.full
def test_hostile_requests_break_nothing() -> None:
    figures = run("fuzz")
    assert figures["requests"] >= 5000
    assert figures["findings"] == 0, figures


@pytest.mark.full
def test_stops_cut_nothing_that_was_done() -> None:
    figures = run("stops")
    assert figures["acknowledged"] > 100
    assert figures["done_but_unanswered"] == figures["lost"] == 0, figures
