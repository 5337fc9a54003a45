"""Paths, ports and passwords of a cluster, chosen when it is created."""

from __future__ import annotations

import itertools
import json
import os
import secrets
import socket
import zlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NODES = ("node1", "node2", "node3")
SERVERS = ("server1", "server2")
NODE_PORTS = ("postgres", "patroni", "pgbouncer")
PASSWORDS = ("superuser", "replication", "rewind", "owner", "app", "reader")
# below the ephemeral ports of outgoing connections
FIRST_PORT, SLOTS, PORTS_A_SLOT = 20_000, 240, 50


class ClusterError(Exception):
    """A command failed; the message is for the operator."""


@dataclass(frozen=True)
class Layout:
    """Folder, ports by name and secrets of one cluster.

    Every port of a node exists twice: the program's own, and a relay's ("wire"), through which other programs
    connect and which `partition` closes."""

    folder: Path
    ports: dict[str, int]
    secrets: dict[str, str]

    def port(self, *name: str) -> int:
        """Returns a port by name, e.g. port("node1", "postgres") or port("wire", "node1", "postgres")."""
        return self.ports[".".join(name)]

    def url(self, entrance: str, role: str = "app") -> str:
        """Returns the libpq URL of an entrance: `writer` or `reader` (through PgBouncer), or `direct`."""
        return f"postgresql://geoshops_{role}:{self.secrets[role]}@127.0.0.1:{self.port(entrance)}/geoshops"

    def superuser_url(self, node: str, database: str = "geoshops") -> str:
        """Returns the URL of a node's PostgreSQL, bypassing the relays."""
        port = self.port(node, "postgres")
        return f"postgresql://postgres:{self.secrets['superuser']}@127.0.0.1:{port}/{database}"

    @property
    def origin(self) -> str:
        """The service's origin, balanced between both servers."""
        return f"http://127.0.0.1:{self.port('service')}"

    def config(self, name: str) -> Path:
        """Returns the path of a program's configuration file."""
        return self.folder / "config" / name

    def data(self, name: str) -> Path:
        """Returns the data directory of a node or of etcd."""
        return self.folder / name / "data"


def program(name: str) -> str:
    """Returns the path of a program; scripts/cluster sets it in the environment."""
    return os.environ[name]


def port_names() -> list[str]:
    """Returns the names of all ports."""
    names = ["etcd", "etcd-peer", "writer", "reader", "direct", "service", *SERVERS]
    for node in NODES:
        names += [f"{node}.{port}" for port in NODE_PORTS]
        names += [f"wire.{node}.{port}" for port in (*NODE_PORTS, "etcd")]
    return names


def load(folder: Path) -> Layout:
    """Loads the layout of an existing cluster."""
    try:
        kept = json.loads((folder / "cluster.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ClusterError(
            "there is no cluster yet; create it with scripts/cluster start"
        ) from None
    return Layout(folder, kept["ports"], kept["secrets"])


def make(folder: Path) -> Layout:
    """Loads the layout of the folder, or creates it on first use."""
    file = folder / "cluster.json"
    if not file.exists():
        slot = FIRST_PORT + zlib.crc32(str(folder).encode()) % SLOTS * PORTS_A_SLOT
        kept = {
            "ports": dict(zip(port_names(), free_ports(slot, len(port_names())), strict=True)),
            "secrets": {name: secrets.token_hex(24) for name in (*PASSWORDS, "key")},
        }
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            json.dump(kept, new, indent=1)
    return load(folder)


def free_ports(first: int, count: int) -> list[int]:
    """Returns free ports of the loopback address, the lowest ones from `first`."""
    return list(itertools.islice(filter(is_free, itertools.count(first)), count))


def is_free(port: int) -> bool:
    """Whether the loopback port can be bound."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
