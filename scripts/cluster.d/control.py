"""Asking and ordering: Patroni by HTTP, PostgreSQL by SQL, the relays by their socket."""

from __future__ import annotations

import socket
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import psycopg2
import requests
from configs import ASYNCHRONOUS, SYNCHRONOUS, wire_names, wires_socket
from layout import NODES, ClusterError, Layout
from processes import require

LEADS = ("leader", "master", "primary")
FOLLOWS = ("streaming", "running")


@dataclass(frozen=True)
class Member:
    """What Patroni knows of a node: role, state, timeline and bytes behind the leader."""

    name: str
    role: str
    state: str
    timeline: int | None
    lag: int | str | None


def members(layout: Layout) -> list[Member]:
    """The nodes as the first Patroni that answers sees them; none when none answers."""
    for node in NODES:
        try:
            url = f"http://127.0.0.1:{layout.port(node, 'patroni')}/cluster"
            found = requests.get(url, timeout=2).json()["members"]
        except (requests.RequestException, KeyError):
            continue
        return [
            Member(m["name"], m["role"], m["state"], m.get("timeline"), m.get("lag"))
            for m in sorted(found, key=lambda m: m["name"])
        ]
    return []


def answers(layout: Layout, node: str, path: str) -> bool:
    """Whether a node's Patroni says 200 on /primary, /replica and the like."""
    try:
        url = f"http://127.0.0.1:{layout.port(node, 'patroni')}{path}"
        return requests.get(url, timeout=2).status_code == 200
    except requests.RequestException:
        return False


def leader(layout: Layout) -> str | None:
    """The node that leads now."""
    return next((node for node in NODES if answers(layout, node, "/primary")), None)


def followers(layout: Layout) -> list[str]:
    """Nodes that follow the leader's timeline and stream from it."""
    seen = members(layout)
    lead = next((m for m in seen if m.role in LEADS), None)
    return [
        m.name
        for m in seen
        if lead and m.role not in LEADS and m.state == "streaming" and m.timeline == lead.timeline
    ]


def synchronous_names(layout: Layout, node: str) -> str:
    """PostgreSQL's own word on whom a commit waits for."""
    return str(ask(layout, node, "SHOW synchronous_standby_names"))


def is_whole(layout: Layout, *, synchronous: bool = True) -> bool:
    """One leader, two that follow it, and commits that wait for one of both (or, asked so, for none)."""
    lead = leader(layout)
    if lead is None or len(followers(layout)) != len(NODES) - 1:
        return False
    named = synchronous_names(layout, lead)
    others = [node for node in NODES if node != lead]
    return all(node in named for node in others) if synchronous else named == ""


def require_whole(layout: Layout, *, synchronous: bool = True, timeout_s: float = 90) -> None:
    """Waits for is_whole."""
    mode = "synchronous" if synchronous else "asynchronous"
    require(
        lambda: is_whole(layout, synchronous=synchronous),
        timeout_s,
        f"a leader with two {mode} followers",
    )


def agree(layout: Layout, settings: dict[str, object]) -> None:
    """Changes what all nodes agree on; Patroni does nothing where it is so already."""
    url = f"http://127.0.0.1:{layout.port(_leader(layout), 'patroni')}/config"
    requests.patch(url, json=settings, timeout=5).raise_for_status()


def set_synchronous(layout: Layout, wanted: bool) -> None:
    """Has commits wait for a follower, or for none, and waits until it holds."""
    agree(layout, SYNCHRONOUS if wanted else ASYNCHRONOUS)
    require_whole(layout, synchronous=wanted)


def switch(layout: Layout) -> None:
    """A planned change of the leader. No candidate is named: the nodes that are not it would wait two
    seconds before they follow, and commits wait for the first that does."""
    lead = _leader(layout)
    url = f"http://127.0.0.1:{layout.port(lead, 'patroni')}/switchover"
    answer = requests.post(url, json={"leader": lead}, timeout=60)
    if answer.status_code != 200:
        raise ClusterError(f"Patroni refused the switchover: {answer.text}")


def _leader(layout: Layout) -> str:
    lead = leader(layout)
    if lead is None:
        raise ClusterError("no node leads now; scripts/cluster status shows why")
    return lead


def ask(layout: Layout, node: str, statement: str, *, database: str = "postgres") -> Any:
    """The first value of a statement on one node, as superuser; None when the node is away."""
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
    """Takes a node off the network: what runs through its relays ends, nothing new gets through."""
    for name in wire_names(layout, node):
        _order(layout, f"disable frontend {name}")
        _order(layout, f"shutdown sessions server {name}/far")


def heal(layout: Layout, node: str) -> None:
    """Brings a node back to the network."""
    for name in wire_names(layout, node):
        _order(layout, f"enable frontend {name}")


def _order(layout: Layout, command: str) -> None:
    with socket.socket(socket.AF_UNIX) as to_wires:
        to_wires.settimeout(5)
        to_wires.connect(wires_socket(layout))
        to_wires.sendall(f"{command}\n".encode())
        answer = to_wires.recv(4096).decode().strip()
    if answer and "already" not in answer.lower():
        raise ClusterError(f"the relays refused '{command}': {answer}")
