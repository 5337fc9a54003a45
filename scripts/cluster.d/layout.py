"""Where everything of the cluster lies: folder, ports, passwords, addresses. Made once and kept."""

from __future__ import annotations

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
# below the range from which systems take ports for outgoing connections
FIRST_PORT, SLOTS, PORTS_A_SLOT = 20_000, 240, 50


class ClusterError(Exception):
    """The cluster cannot do what was asked; the message says why."""


@dataclass(frozen=True)
class Layout:
    """Folder, ports by name and secrets of one cluster.

    Every port of a node exists twice: where the program listens, and its "wire", a relay through
    which the others reach it and which `partition` cuts."""

    folder: Path
    ports: dict[str, int]
    secrets: dict[str, str]

    def port(self, *name: str) -> int:
        """A port by its name, e.g. port("node1", "postgres") or port("wire", "node1", "postgres")."""
        return self.ports[".".join(name)]

    def url(self, entrance: str, role: str = "app") -> str:
        """libpq URL of the database: `writer`, `reader` (both through PgBouncer) or `direct`."""
        return f"postgresql://geoshops_{role}:{self.secrets[role]}@127.0.0.1:{self.port(entrance)}/geoshops"

    def superuser_url(self, node: str, database: str = "geoshops") -> str:
        """URL of one node's own PostgreSQL, past every relay."""
        port = self.port(node, "postgres")
        return f"postgresql://postgres:{self.secrets['superuser']}@127.0.0.1:{port}/{database}"

    @property
    def origin(self) -> str:
        """Origin of the service, balanced over both servers."""
        return f"http://127.0.0.1:{self.port('service')}"

    def config(self, name: str) -> Path:
        """The configuration file of a program."""
        return self.folder / "config" / name

    def data(self, name: str) -> Path:
        """The data directory of a node or of etcd."""
        return self.folder / name / "data"


def program(name: str) -> str:
    """Path of a program, found by the shell part."""
    return os.environ[name]


def port_names() -> list[str]:
    """Every port of the cluster."""
    names = ["etcd", "etcd-peer", "writer", "reader", "direct", "service", *SERVERS]
    for node in NODES:
        names += [f"{node}.{port}" for port in NODE_PORTS]
        names += [f"wire.{node}.{port}" for port in (*NODE_PORTS, "etcd")]
    return names


def load(folder: Path) -> Layout:
    """The layout of a cluster that exists."""
    try:
        kept = json.loads((folder / "cluster.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ClusterError("there is no cluster yet; scripts/cluster start makes one") from None
    return Layout(folder, kept["ports"], kept["secrets"])


def make(folder: Path) -> Layout:
    """The layout of the folder, chosen on first use."""
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
    """That many free ports of the loopback address, from `first` on."""
    found: list[int] = []
    port = first
    while len(found) < count:
        if is_free(port):
            found.append(port)
        port += 1
    return found


def is_free(port: int) -> bool:
    """Whether a server could listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
