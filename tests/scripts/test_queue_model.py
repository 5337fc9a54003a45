"""The queueing model of scripts/cluster queues: stations of a request, measurements, tolerances of predictions."""

from __future__ import annotations

import http.server
import shutil
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "cluster.d"))

import layout as layouts
from demands import CLIENT, Run, flush_times_s, mean_demand, scaled
from processor_time import BACKGROUND, Meter
from queue_levels import Level, loads
from queue_model import Costs, Group, Place, Prediction, simulate
from queues import Row, message_delay_s, predict, relative_demands
from wrk import Clients, Result, result, running

MS = 0.001
NEED = {CLIENT: 0.2, "balancer": 0.4, "relay": 0.6, "server": 1.0, "pooler": 0.2, "backend": 2.0,
        "sender": 0.4, "receiver": 0.4, "log": 0.2}  # fmt: skip
DEMAND = {station: ms * MS for station, ms in NEED.items()}
FLUSH_S, STANDBY_FLUSH_S, MESSAGE_S = 3 * MS, 4 * MS, 0.05 * MS


def costs(**changed: float) -> Costs:
    values = {"message_s": MESSAGE_S, "background": 0.0, **changed}
    return Costs([DEMAND], [DEMAND], [FLUSH_S], [STANDBY_FLUSH_S], **values)


def test_a_search_alone_takes_its_demands_and_messages() -> None:
    place = Place(one_machine_cores=2)
    (found,), _ = simulate(costs(), place, [Group("read", 1)], seconds=2)
    path = (CLIENT, "balancer", "relay", "server", "pooler", "backend")
    # two messages to client, relays, server and pooler, four to the balancer, one to the backend
    expected_ms = sum(NEED[station] for station in path) + 13 * 0.05
    assert found.p50_ms == pytest.approx(expected_ms)
    assert found.p95_ms == pytest.approx(expected_ms)
    assert found.per_s == pytest.approx(1000 / expected_ms, rel=0.02)


def test_a_review_alone_also_waits_for_two_flushes() -> None:
    # with a core for every process, the replay of the previous review causes no delay
    place = Place(one_machine_cores=8)
    (found,), _ = simulate(costs(), place, [Group("write", 1)], seconds=2)
    path = (CLIENT, "balancer", "server", "pooler", "backend")
    # four of six passes of the relays, and one standby's half of sender and receiver
    expected_ms = sum(NEED[s] for s in path) + 0.6 * 4 / 6 + 0.4 / 2 + 0.4 / 2 + 3 + 4 + 18 * 0.05
    assert found.p50_ms == pytest.approx(expected_ms)


def test_saturated_cores_serve_what_the_demands_allow() -> None:
    place = Place(one_machine_cores=2)
    (found,), used = simulate(costs(background=0.4), place, [Group("read", 24)], seconds=10)
    path = (CLIENT, "balancer", "relay", "server", "pooler", "backend")
    assert found.per_s == pytest.approx(1.6 * 1000 / sum(NEED[s] for s in path), rel=0.02)
    assert used["leader"] == pytest.approx(1, rel=0.01)


def test_writes_wait_for_a_connection_of_the_pooler_and_share_flushes() -> None:
    def rate_per_s(connections: int) -> float:
        place = Place(one_machine_cores=64, connections=connections)
        (found,), _ = simulate(costs(), place, [Group("write", 16)], seconds=5)
        return found.per_s

    # a connection is held for backend, commit, half of the pooler and the messages between them
    held_ms = 2 + 3 + 4 + 0.2 + 0.2 + 0.2 + 0.1 + 7 * 0.05
    assert rate_per_s(1) == pytest.approx(1000 / held_ms, rel=0.05)
    assert rate_per_s(8) > 4 * rate_per_s(1)


def test_interpreters_limit_servers_with_many_cores() -> None:
    place = Place(one_machine_cores=64, servers=2)
    busy = costs().times(dict.fromkeys(DEMAND, 1.0) | {"server": 4.0})
    (found,), _ = simulate(busy, place, [Group("read", 64)], seconds=5)
    assert found.per_s == pytest.approx(2 * 1000 / (4 * NEED["server"]), rel=0.03)


def test_separate_machines_are_used_by_their_own_programs() -> None:
    place = Place(servers=4, servers_per_machine=2, server_cores=2, followers=2, node_cores=4,
                  balancer_cores=2)  # fmt: skip
    (found, _), used = simulate(costs(), place, [Group("read", 40, 0.1), Group("write", 5, 0.1)])
    assert used["follower"] == pytest.approx((found.per_s / 2 * 2.2 + 45 * 0.3) / 4000, rel=0.1)
    assert used["leader"] < used["follower"]


def test_demands_are_those_of_requests_without_the_idle_ones() -> None:
    results = [Result(100, 10.0, 1.0, 1.0, 1.0, 0), Result(300, 10.0, 1.0, 1.0, 1.0, 0)]
    used_s = {"backend": 1.5, "server": 0.5, "log": 0.0, BACKGROUND: 3.0}
    measured = Run(results, used_s, 5.0, 6.0)
    idle = {"backend": 0.1, "log": 0.2}
    assert mean_demand(measured, idle) == pytest.approx(
        {"backend": 0.005, "server": 0.0025, "log": 0}
    )
    assert measured.foreign() == pytest.approx(0.2)


def test_scaled_demands_keep_their_means() -> None:
    demands = scaled({"backend": 0.004}, [{"backend": 0.5}, {"backend": 1.5}])
    assert [each["backend"] for each in demands] == [0.002, 0.006]


def as_measured(groups: list[Group], share: float, used_of_low: float) -> Level:
    """A level whose throughput and CPU time are those of a simulation with scaled demands."""
    scaled_costs = costs().times(dict.fromkeys(DEMAND, used_of_low))
    found, _ = simulate(scaled_costs, Place(one_machine_cores=2), groups, seconds=20)
    results = [Result(round(each.per_s * 20), 20.0, each.p50_ms, each.p95_ms, 0.0, 0) for each in found]  # fmt: skip
    used_s = {
        station: sum(20 * each.per_s for each in found) * s * used_of_low for station, s in DEMAND.items()
    }  # fmt: skip
    return Level("", share, groups, Run(results, used_s, 20.0, sum(used_s.values())))


def test_the_delay_of_a_message_explains_the_latency_at_low_load() -> None:
    low = as_measured([Group("read", 4, 0.05)], 0.0, 1.0)
    found_s = message_delay_s(costs(message_s=0.0), low, 2)
    assert found_s == pytest.approx(MESSAGE_S, rel=0.1)


def test_levels_are_predicted_with_their_own_demands() -> None:
    saturated = as_measured([Group("read", 24)], 0.0, 0.5)
    relative = relative_demands(costs(), saturated)
    assert relative == pytest.approx(dict.fromkeys(DEMAND, 0.5), rel=0.001)
    row, *_ = predict(costs(), [saturated], 2)
    assert row.ratio("per_s") == pytest.approx(1, rel=0.02)


def test_levels_offer_shares_of_the_capacity() -> None:
    planned = {name: groups for name, _, groups in loads(costs(background=0.4), 2)}
    (readers,) = planned["searches, 40%"]
    assert readers.connections / readers.think_s == pytest.approx(0.4 * 1.6 / (5.4 * MS))
    assert [group.kind for group in planned["mix, saturated"]] == ["read", "write"]
    assert all(group.think_s == 0 for group in planned["mix, saturated"])


@pytest.mark.parametrize(
    ("predicted", "holds"),
    [((110, 12, 14), True), ((120, 10, 10), False), ((100, 6, 10), False), ((100, 10, 16), False)],
)
def test_a_prediction_holds_within_its_limits(
    predicted: tuple[float, float, float], holds: bool
) -> None:
    measured = Result(1000, 10.0, 10.0, 10.0, 10.0, 0)
    assert Row("", "read", False, measured, Prediction(*predicted)).holds() is holds


def test_flushes_take_time(tmp_path: Path) -> None:
    times_s = flush_times_s(tmp_path, 2)
    assert len(times_s) > 100
    assert min(times_s) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_meter_counts_the_cores_of_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ETCD", "HAPROXY", "PGBOUNCER", "PATRONI", "PG_BIN"):
        monkeypatch.setenv(name, "none")
    (tmp_path / "run").mkdir()
    meter = Meter(layouts.make(tmp_path))
    program = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        meter.add("backend", process.pid)
        assert process.stdin and process.stdout
        process.stdout.readline()
        used_s = meter.read_s()["backend"]
        process.communicate("\n")
    assert 0.29 < used_s < 1
    assert meter.read_s()["backend"] == pytest.approx(used_s, abs=0.1)
    meter.close()


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str, str | None]]

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append((self.command, self.path, self.headers.get("Authorization")))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def recorded() -> Iterator[tuple[str, list[tuple[str, str, str | None]]]]:
    """The origin of a server, and its received requests."""
    Recorder.seen = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", Recorder.seen
        server.shutdown()


@pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed")
def test_clients_think_between_requests(
    recorded: tuple[str, list[tuple[str, str, str | None]]],
) -> None:
    origin, seen = recorded
    groups = [Clients(["/a", "/b"], [], 2, 0.05), Clients(["/c"], ["t1", "t2"], 2, 0.05)]
    with running(origin, groups, seconds=2) as processes:
        reads, writes = (result(process) for process in processes)
    assert {(method, path) for method, path, _ in seen} == {
        ("GET", "/a"),
        ("GET", "/b"),
        ("POST", "/c"),
    }
    assert {token for method, _, token in seen if method == "POST"} == {"Bearer t1", "Bearer t2"}
    # 2 connections, 2 s, 50 ms: 80 requests if the server responded instantly
    for each in (reads, writes):
        assert each.errors == 0
        assert 20 < each.requests < 110
        assert 0 < each.p50_ms <= each.p95_ms
    assert statistics.fmean([reads.per_s, writes.per_s]) < 55
