"""scripts/cluster: its parts, and the whole drill on real servers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / "scripts" / "cluster.d"
sys.path.insert(0, str(PARTS))

import configs  # noqa: E402
import layout as layouts  # noqa: E402
import processes  # noqa: E402
from traffic import Acknowledged, Ledger  # noqa: E402

DEPLOY = ROOT / "scripts" / "deploy"


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> layouts.Layout:
    monkeypatch.setenv("PG_BIN", "/usr/lib/postgresql/15/bin")
    return layouts.make(tmp_path)


def test_the_layout_is_chosen_once_for_its_owner_alone(
    layout: layouts.Layout, tmp_path: Path
) -> None:
    assert (tmp_path / "cluster.json").stat().st_mode & 0o777 == 0o600
    assert layouts.make(tmp_path) == layout == layouts.load(tmp_path)
    assert len(set(layout.ports.values())) == len(layout.ports) == len(layouts.port_names())
    assert all(1024 < port < 32768 for port in layout.ports.values())


def test_a_lease_leaves_a_leader_two_tries(layout: layouts.Layout) -> None:
    # Patroni's rule; otherwise a leader could lose its lease while it still tries to renew it
    agreed = configs.shared()
    assert agreed["ttl"] == 20
    assert configs.LOOP_WAIT_S + 2 * configs.RETRY_TIMEOUT_S <= configs.TTL_S
    assert (agreed["synchronous_mode"], agreed["synchronous_mode_strict"]) == ("quorum", True)


def test_nodes_meet_only_through_their_wires(layout: layouts.Layout) -> None:
    for node in layouts.NODES:
        written = json.loads(configs.patroni(layout, node))
        places = [
            written["restapi"]["connect_address"],
            written["postgresql"]["connect_address"],
            written["etcd3"]["host"],
        ]
        ports = {int(place.rpartition(":")[2]) for place in places}
        assert ports == {
            layout.port("wire", node, name) for name in ("patroni", "postgres", "etcd")
        }
        for at in re.findall(rf"server {node} 127.0.0.1:(\d+)", configs.balancer(layout)):
            assert int(at) in {layout.ports[name] for name in configs.wire_names(layout, node)}


def test_everything_listens_on_the_loopback(layout: layouts.Layout) -> None:
    texts = [configs.balancer(layout), configs.wires(layout)]
    binds = [at for text in texts for at in re.findall(r"bind (\S+)", text)]
    assert len(binds) > 15
    assert all(at.startswith("127.0.0.1:") for at in binds)
    for node in layouts.NODES:
        assert "listen_addr = 127.0.0.1" in configs.pgbouncer(layout, node)
        assert configs.patroni(layout, node).count('"listen": "127.0.0.1:') == 2


def test_haproxy_takes_every_configuration(layout: layouts.Layout, tmp_path: Path) -> None:
    haproxy = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    if not haproxy:
        pytest.skip("haproxy is not installed; the drill runs one that it unpacks")
    for text in (configs.balancer(layout), configs.wires(layout)):
        (tmp_path / "cfg").write_text(text)
        checked = subprocess.run(
            [haproxy, "-c", "-f", str(tmp_path / "cfg")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert checked.returncode == 0, checked.stderr


def pool_settings(text: str) -> dict[str, str]:
    """The section [pgbouncer] of a file, which may be embedded in a shell script."""
    section = text.split("[pgbouncer]\n")[1].split("\nINI\n")[0]
    return dict(re.findall(r"^(\w+) =[ ]*(.*)$", section, re.MULTILINE))


def test_compose_uses_the_values_of_the_drill(layout: layouts.Layout) -> None:
    node = (DEPLOY / "node.sh").read_text()
    agreed = yaml.safe_load(node.split("  dcs:\n")[1].split("\n  initdb:")[0])
    # additions in containers: the default socket directory, pg_stat_statements
    written = agreed["postgresql"]["parameters"]
    assert written.pop("shared_preload_libraries") == "pg_stat_statements"
    written["unix_socket_directories"] = ""
    assert agreed == configs.shared()
    pooler, own = pool_settings(node), pool_settings(configs.pgbouncer(layout, "node1"))
    places = {"listen_addr", "listen_port", "auth_file"}
    # a restarted node may have another address
    assert pooler.keys() - own.keys() == {"dns_max_ttl", "dns_nxdomain_ttl"}
    assert own.keys() <= pooler.keys()
    assert {name: pooler[name] for name in own.keys() - places} == {
        name: own[name] for name in own.keys() - places
    }
    balancer = (DEPLOY / "haproxy.cfg").read_text()
    for check in ("GET /primary", "GET /replica?lag=64MB", "GET /healthz"):
        assert check in balancer


def test_the_ledger_counts_only_writes_sent_after_the_moment() -> None:
    ledger = Ledger("x")
    ledger.writes = {
        "under way": Acknowledged(9.9, 10.1, 1),
        "first": Acknowledged(24.0, 25.5, 2),
        "second": Acknowledged(24.5, 26.0, 3),
    }
    assert ledger.write_back_after(10.0) == 15.5
    assert ledger.write_back_after(30.0) is None
    assert ledger.longest_gap_s() == 15.4
    assert ledger.longest_gap_s(since=20) == 0.5


def test_a_process_is_known_by_its_command_line(layout: layouts.Layout, tmp_path: Path) -> None:
    for name in ("run", "logs"):
        (tmp_path / name).mkdir()
    sleeper = processes.Program(
        layout, "sleeper", ("sleep", "61"), "sleep 61", as_service_user=False
    )
    assert sleeper.pid() is None
    assert sleeper.start()
    processes.require(sleeper.pid, 5, "the sleeper")
    assert not sleeper.start()
    other = processes.Program(layout, "sleeper", ("sleep", "62"), "sleep 62")
    assert other.pid() is None
    sleeper.stop()
    assert sleeper.pid() is None


def cluster(states: Path, *args: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if "DATABASE_URL" not in k}
    return subprocess.run(
        [str(ROOT / "scripts" / "cluster"), *args],
        env={**inherited, "GEOSHOPS_STATE_DIR": str(states)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout_s,
        check=False,
    )


def test_without_a_cluster_verbs_say_so(tmp_path: Path) -> None:
    assert cluster(tmp_path, "nonsense").returncode == 2
    for verb in ("stop", "destroy"):
        assert cluster(tmp_path, verb).returncode == 0
    done = cluster(tmp_path, "status")
    assert done.returncode == 1
    assert "scripts/cluster start" in done.stderr


@pytest.fixture(scope="module")
def states() -> Iterator[Path]:
    """A folder for a separate cluster that PostgreSQL's user can enter; its processes are stopped afterwards."""
    with tempfile.TemporaryDirectory(prefix="geoshops-state.") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        cluster(Path(folder), "destroy", timeout_s=120)


@pytest.fixture(scope="module")
def figures(states: Path) -> dict[str, Any]:
    done = cluster(states, "drill", "--json", timeout_s=600)
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout)
    print(json.dumps(found, indent=1))
    return found


@pytest.mark.full
def test_a_dead_leader_costs_no_acknowledged_write(figures: dict[str, Any]) -> None:
    assert figures["acknowledged"] > 300
    assert figures["acknowledged_lost"] == 0
    assert figures["duplicates"] == 0
    assert figures["counters_wrong"] == 0
    assert set(figures["parts"]["failover"]["rejections"]) <= {"503 with Retry-After"}


@pytest.mark.full
def test_writes_are_back_by_themselves(figures: dict[str, Any]) -> None:
    # the lease of 20 s from its last renewal, and the failover after it; see docs/failover.md
    assert figures["writes_back_s"] <= 22
    assert figures["parts"]["failover"]["new_leader"] != figures["parts"]["failover"]["old_leader"]


@pytest.mark.full
def test_reads_never_fail(figures: dict[str, Any]) -> None:
    for name in ("failover", "asynchronous"):
        part = figures["parts"][name]
        assert part["reads"] > 100
        assert part["reads_failed"] == 0, part["reads_failed_why"]
    # a leader that shuts down briefly does not respond before it rejects connections; requests then get 503
    change = figures["parts"]["switchover"]
    assert change["reads_failed"] <= change["reads"] / 100, change["reads_failed_why"]


@pytest.mark.full
def test_a_planned_change_costs_less_than_three_seconds(figures: dict[str, Any]) -> None:
    change = figures["parts"]["switchover"]
    # the best of three, because other load can only increase it
    assert min(change["gaps_s"]) < 3
    assert (change["acknowledged_lost"], change["duplicates"]) == (0, 0)


@pytest.mark.full
def test_a_leader_without_network_steps_down_before_another_leads(figures: dict[str, Any]) -> None:
    cut = figures["parts"]["partition"]
    assert cut["stepped_down_s"] < cut["promoted_s"]
    assert (cut["acknowledged_lost"], cut["duplicates"]) == (0, 0)


@pytest.mark.full
def test_old_leaders_rejoin_by_themselves(figures: dict[str, Any]) -> None:
    parts = figures["parts"]
    assert all(parts[name]["rejoined_s"] < 60 for name in ("failover", "partition", "asynchronous"))


@pytest.mark.full
def test_a_writer_sees_the_own_writes_while_replay_is_paused(figures: dict[str, Any]) -> None:
    assert figures["own_writes_not_seen"] == 0
    assert figures["parts"]["paused_replay"]["own_reads"] == 25


@pytest.mark.full
def test_without_waiting_for_a_follower_writes_are_lost(figures: dict[str, Any]) -> None:
    assert figures["asynchronous_lost"] > 0


@pytest.mark.full
def test_start_stop_and_start_again_keep_everything(figures: dict[str, Any], states: Path) -> None:
    assert cluster(states, "stop", timeout_s=120).returncode == 0
    assert cluster(states, "status").returncode == 1
    started = time.monotonic()
    again = cluster(states, "start", "--json", timeout_s=120)
    assert again.returncode == 0, again.stderr
    assert time.monotonic() - started < 60
    seen = json.loads(again.stdout)
    assert seen["running"]
    assert len(seen["members"]) == 3
    loaded = cluster(states, "load", "--seconds", "8", "--json")
    assert json.loads(loaded.stdout)["acknowledged_lost"] == 0
