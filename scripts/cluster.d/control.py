"""Queries and controls the cluster: Patroni over HTTP, PostgreSQL over SQL, the relays over their socket."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import psycopg2
import requests
from configs import ASYNCHRONOUS, SYNCHRONOUS, wire_names, wires_socket
from layout import NODES, ClusterError, Layout
from processes import require

LEADS = ("leader", "master", "primary")


@dataclass(frozen=True)
class Member:
    """A node as reported by Patroni; the lag is in bytes."""

    name: str
    role: str
    state: str
    timeline: int | None
    lag: int | str | None


def members(layout: Layout) -> list[Member]:
    """Returns the nodes as reported by the first Patroni that responds; an empty list if none does."""
    for node in NODES:
        try:
            url = f"http://127.0.0.1:{layout.port(node, 'patroni')}/cluster"
            reported = requests.get(url, timeout=2).json()["members"]
        except (requests.RequestException, KeyError):
            continue
        return [
            Member(m["name"], m["role"], m["state"], m.get("timeline"), m.get("lag"))
            for m in sorted(reported, key=lambda m: m["name"])
        ]
    return []


def is_ok(layout: Layout, node: str, path: str) -> bool:
    """Whether a node's Patroni responds 200 to a health check such as /primary or /replica."""
    try:
        url = f"http://127.0.0.1:{layout.port(node, 'patroni')}{path}"
        return requests.get(url, timeout=2).status_code == 200
    except requests.RequestException:
        return False


def leader(layout: Layout) -> str | None:
    """Returns the current leader."""
    return next((node for node in NODES if is_ok(layout, node, "/primary")), None)


def followers(layout: Layout) -> list[str]:
    """Returns the nodes that stream from the leader on its timeline."""
    seen = members(layout)
    lead = next((m for m in seen if m.role in LEADS), None)
    return [
        m.name
        for m in seen
        if lead and m.role not in LEADS and m.state == "streaming" and m.timeline == lead.timeline
    ]


def synchronous_names(layout: Layout, node: str) -> str:
    """Returns PostgreSQL's synchronous_standby_names."""
    return str(query(layout, node, "SHOW synchronous_standby_names"))


def is_whole(layout: Layout, *, synchronous: bool = True) -> bool:
    """Whether there is a leader with two followers, and commits wait for one of both (or, if not
    `synchronous`, for none)."""
    lead = leader(layout)
    if lead is None or len(followers(layout)) != len(NODES) - 1:
        return False
    named = synchronous_names(layout, lead)
    others = [node for node in NODES if node != lead]
    return all(node in named for node in others) if synchronous else named == ""


def require_whole(layout: Layout, *, synchronous: bool = True, timeout_s: float = 90) -> None:
    """Waits until is_whole."""
    mode = "synchronous" if synchronous else "asynchronous"
    require(
        lambda: is_whole(layout, synchronous=synchronous),
        timeout_s,
        f"a leader with two {mode} followers",
    )


def agree(layout: Layout, settings: Mapping[str, object]) -> None:
    """Changes Patroni's dynamic configuration."""
    url = f"http://127.0.0.1:{layout.port(require_leader(layout), 'patroni')}/config"
    requests.patch(url, json=settings, timeout=5).raise_for_status()


def set_synchronous(layout: Layout, wanted: bool) -> None:
    """Switches synchronous replication on or off and waits until it is in effect."""
    agree(layout, SYNCHRONOUS if wanted else ASYNCHRONOUS)
    require_whole(layout, synchronous=wanted)


def switch(layout: Layout) -> None:
    """Starts a switchover without naming a candidate: other nodes would delay following it by two
    seconds, and commits wait for the first follower."""
    lead = require_leader(layout)
    url = f"http://127.0.0.1:{layout.port(lead, 'patroni')}/switchover"
    response = requests.post(url, json={"leader": lead}, timeout=60)
    if response.status_code != 200:
        raise ClusterError(f"Patroni rejected the switchover: {response.text}")


def require_leader(layout: Layout) -> str:
    """Returns the current leader; a ClusterError if there is none."""
    lead = leader(layout)
    if lead is None:
        raise ClusterError("the cluster has no leader; see scripts/cluster status")
    return lead


def query(layout: Layout, node: str, statement: str, *, database: str = "postgres") -> Any:
    """Returns the first value of a statement on one node, as superuser; None if the node is unreachable."""
    try:
        url = layout.superuser_url(node, database)
        with closing(psycopg2.connect(url, connect_timeout=2)) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute(statement)
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None
    except psycopg2.OperationalError:
        return None


def cut(layout: Layout, node: str) -> None:
    """Disconnects a node: closes its relays and their connections."""
    for name in wire_names(layout, node):
        _command_relays(layout, f"disable frontend {name}")
        _command_relays(layout, f"shutdown sessions server {name}/far")


def heal(layout: Layout, node: str) -> None:
    """Reconnects a node."""
    for name in wire_names(layout, node):
        _command_relays(layout, f"enable frontend {name}")


def _command_relays(layout: Layout, command: str) -> None:
    with socket.socket(socket.AF_UNIX) as relays:
        relays.settimeout(5)
        relays.connect(wires_socket(layout))
        relays.sendall(f"{command}\n".encode())
        response = relays.recv(4096).decode().strip()
    if response and "already" not in response.lower():
        raise ClusterError(f"the relays rejected '{command}': {response}")
