"""The profile replica: failed containers are replaced, and returning ones are used again."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
import requests

from tests.containers.engine import Project, docker, project, wait_for

pytestmark = pytest.mark.full
WORKS_AGAIN_WITHIN_S = 20
REJOINS_WITHIN_S = 90
RADIUS = "/shops/brand?userLat=37.4979&userLng=127.0276&mapLat=37.4979&mapLng=127.0276"
NODES = ("node1", "node2", "node3")

# run in a container that has the owner's URL and the signing key
SIGN_IN = """
import json, psycopg2
from geoshops import create_app
from geoshops.config import Settings
from geoshops.web import tokens
from geoshops.web.tokens import Caller
settings = Settings.from_environment()
with psycopg2.connect(settings.operator_database_url) as connection:
    cursor = connection.cursor()
    cursor.execute("INSERT INTO members (nickname, nickname_key) VALUES ('kill', 'kill') RETURNING id")
    (member,) = cursor.fetchone()
    cursor.execute(
        "INSERT INTO sessions (member_id, device, expires_at, refresh_hash)"
        " VALUES (%s, 'kill', now() + interval '1 day', sha256('kill')) RETURNING id", (member,))
    (session,) = cursor.fetchone()
    cursor.execute("SELECT min(id) FROM shops WHERE status = 'OPEN'")
    (shop,) = cursor.fetchone()
with create_app(settings).app_context():
    print(json.dumps({"shop": shop, "token": tokens.issue_access(Caller(member, session))}))
"""
# each new connection uses another pooler
READ_THROUGH_THE_READER_ENTRANCE = """
import pathlib, psycopg2
url = pathlib.Path("/secrets/app/reader_url").read_text()
for _ in range(6):
    connection = psycopg2.connect(url, connect_timeout=3)
    cursor = connection.cursor()
    cursor.execute("SELECT pg_is_in_recovery(), count(*) > 0 FROM shops")
    print(*cursor.fetchone())
    connection.close()
"""


@dataclass
class Cluster:
    """The profile's containers, with a member who writes."""

    project: Project
    shop: int
    token: str
    acknowledged: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)

    def members(self) -> dict[str, dict[str, Any]]:
        """Patroni's state of each node, from any running node."""
        for node in NODES:
            command = (
                "exec",
                "-T",
                node,
                "patronictl",
                "-c",
                "/tmp/patroni.yml",
                "list",
                "-f",
                "json",
            )
            listed = self.project.run(*command, timeout_s=30)
            if listed.returncode == 0:
                return {member["Member"]: member for member in json.loads(listed.stdout)}
        return {}

    def leader(self) -> str:
        """The name of the leader."""
        (name,) = (n for n, m in self.members().items() if m["Role"] == "Leader")
        return name

    def timeline(self) -> int:
        """The timeline, which increases with each change of the leader."""
        return int(self.members()[self.leader()]["TL"])

    def standbys(self) -> list[str]:
        """The names of the standbys."""
        return [name for name in NODES if name != self.leader()]

    def is_whole(self) -> bool:
        """Whether both standbys stream from the leader synchronously; Patroni promotes only such a node."""
        states = sorted((m["Role"], m["State"]) for m in self.members().values())
        standby = ("Quorum Standby", "streaming")
        return states == [("Leader", "running"), standby, standby]

    def require_whole(self) -> None:
        """Waits until every node is healthy and is used through its pooler."""
        assert wait_for(self.is_whole, REJOINS_WITHIN_S), self.members()
        self.require_reader_entrance()
        # on a busy machine a standby may have left the quorum while the pooler was waited for
        assert wait_for(self.is_whole, REJOINS_WITHIN_S), self.members()

    def require_reader_entrance(self) -> None:
        """Waits until six consecutive reads from standbys succeed, bypassing the service."""
        expected = ["True True"] * 6
        assert wait_for(
            lambda: self.reads_of_the_reader_entrance() == expected, WORKS_AGAIN_WITHIN_S
        ), self.members()

    def reads_of_the_reader_entrance(self) -> list[str]:
        """Six reads bypassing the service; stops at the first failure."""
        command = (
            "exec",
            "-T",
            "scheduler-nodes",
            "python",
            "-c",
            READ_THROUGH_THE_READER_ENTRANCE,
        )
        return self.project.run(*command, timeout_s=60).stdout.splitlines()

    def reads(self) -> bool:
        """Whether a search succeeds."""
        status = self.project.status(RADIUS)
        self.failures[f"read {status}"] += status != 200
        return status == 200

    def writes(self) -> bool:
        """Whether a review is acknowledged."""
        text = f"written {uuid4()}"
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": uuid4().hex}
        with requests.Session() as session:
            session.trust_env = False
            try:
                response = session.post(
                    f"{self.project.origin}/reviews/shop/{self.shop}",
                    json={"star_rating": 4, "content": text}, headers=headers, timeout=5,
                )  # fmt: skip
            except requests.RequestException as error:
                self.failures[f"write {type(error).__name__}"] += 1
                return False
        if response.status_code == 201:
            self.acknowledged.append(text)
        else:
            self.failures[f"write {response.status_code} {response.text[:80]}"] += 1
        return response.status_code == 201

    def works_again_after_s(self, fault: Callable[[], object]) -> float:
        """Seconds from the start of the fault to the first of ten consecutive successful reads and writes."""
        self.failures.clear()
        started = time.monotonic()
        fault()
        in_a_row, first = 0, 0.0
        while in_a_row < 10 and time.monotonic() - started < WORKS_AGAIN_WITHIN_S + 15:
            if self.reads() and self.writes():
                first = first if in_a_row else time.monotonic()
                in_a_row += 1
            else:
                in_a_row = 0
        assert in_a_row == 10, (+self.failures, json.dumps(self.members()))
        return first - started

    def state(self, service: str, name: str) -> str:
        """A value of docker inspect."""
        container = self.project.compose("ps", "--all", "--quiet", service).strip()
        return docker("inspect", "-f", f"{{{{.{name}}}}}", container).strip()

    def kill_process(self, service: str) -> None:
        """kill -9 of a container's first process, as the kernel does it when memory is short."""
        pid = self.state(service, "State.Pid")
        docker(
            "run", "--rm", "--pid", "host", "--network", "none", "busybox:1.37", "kill", "-9", pid
        )

    def kill(self, service: str) -> None:
        """docker kill, which also keeps Docker from restarting the container."""
        self.project.compose("kill", "--signal", "KILL", service)

    def switch_over_to(self, node: str) -> None:
        """Makes a standby the leader."""
        change = ("switchover", "--leader", self.leader(), "--candidate", node, "--force")
        said = self.project.compose(
            "exec", "-T", node, "patronictl", "-c", "/tmp/patroni.yml", *change
        )
        # patronictl exits with 0 even if Patroni rejects the switchover
        assert "Successfully switched over" in said, said

    def rows_of_acknowledged(self) -> int:
        """How many of the acknowledged reviews the leader has."""
        program = (
            "import sys, psycopg2; from geoshops.config import Settings;"
            "c = psycopg2.connect(Settings.from_environment().operator_database_url).cursor();"
            "c.execute(\"SELECT count(DISTINCT content) FROM reviews WHERE content LIKE 'written %'\"); print(c.fetchone()[0])"
        )
        return int(self.project.compose("exec", "-T", "scheduler-nodes", "python", "-c", program))


@pytest.fixture(scope="module")
def cluster(images: None) -> Iterator[Cluster]:
    """docker compose --profile replica up service, with sample data; the tests below run in order."""
    with project("replica") as made:
        made.compose("--profile", "replica", "up", "--detach", "service")
        made.require_ready(300)
        made.compose("--profile", "replica", "run", "--rm", "-T", "seed-nodes")
        signed_in = made.json_of("exec", "-T", "scheduler-nodes", "python", "-c", SIGN_IN)
        whole = Cluster(made, **signed_in)
        whole.require_whole()
        assert whole.reads() and whole.writes()
        yield whole


def test_kill_9_of_the_leader_container(cluster: Cluster) -> None:
    leader = cluster.leader()
    took_s = cluster.works_again_after_s(lambda: cluster.kill_process(leader))
    print(f"leader killed: {took_s:.1f} s")
    assert took_s <= WORKS_AGAIN_WITHIN_S
    cluster.require_whole()


def test_kill_9_of_a_standby_and_a_switchover_to_it(cluster: Cluster) -> None:
    standby = cluster.standbys()[0]
    took_s = cluster.works_again_after_s(lambda: cluster.kill(standby))
    print(f"standby killed: {took_s:.1f} s")
    assert took_s <= WORKS_AGAIN_WITHIN_S
    cluster.require_reader_entrance()
    cluster.project.compose("start", standby)
    cluster.require_whole()

    took_s = cluster.works_again_after_s(lambda: cluster.switch_over_to(standby))
    print(f"switchover: {took_s:.1f} s")
    assert took_s <= WORKS_AGAIN_WITHIN_S
    assert cluster.leader() == standby
    cluster.require_whole()


def test_a_leader_that_stays_away_is_replaced(cluster: Cluster) -> None:
    leader = cluster.leader()
    took_s = cluster.works_again_after_s(lambda: cluster.kill(leader))
    print(f"leader lost: {took_s:.1f} s")
    assert took_s <= WORKS_AGAIN_WITHIN_S
    cluster.project.compose("start", leader)
    cluster.require_whole()


def test_a_running_leader_keeps_its_lead_when_its_watcher_restarts(cluster: Cluster) -> None:
    leader, timeline = cluster.leader(), cluster.timeline()
    cluster.kill_process("watch-nodes")
    assert wait_for(lambda: cluster.state("watch-nodes", "RestartCount") != "0", 30)
    cluster.require_whole()
    assert (cluster.leader(), cluster.timeline()) == (leader, timeline)


def test_no_acknowledged_write_is_lost(cluster: Cluster) -> None:
    assert len(cluster.acknowledged) >= 40
    assert cluster.rows_of_acknowledged() >= len(set(cluster.acknowledged))
