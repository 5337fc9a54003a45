"""The cluster's programs, and how to start and stop them in order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import configs
import psycopg2
import requests
from control import agree, is_whole, leader, require_leader, require_whole
from layout import NODES, ROOT, SERVERS, ClusterError, Layout, is_free, program
from processes import Program, give, require

SAMPLE_SHOPS = 2000


def etcd(layout: Layout) -> Program:
    """etcd, the distributed configuration store. In production: three or five, on separate machines."""
    client = f"http://127.0.0.1:{layout.port('etcd')}"
    peer = f"http://127.0.0.1:{layout.port('etcd-peer')}"
    argv = (
        program("ETCD"), "--name", "etcd1", "--data-dir", str(layout.data("etcd")),
        "--listen-client-urls", client, "--advertise-client-urls", client,
        "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
        "--initial-cluster", f"etcd1={peer}", "--logger", "zap", "--log-level", "warn",
    )  # fmt: skip
    return Program(layout, "etcd", argv, str(layout.data("etcd")), _libraries())


def haproxy(layout: Layout, name: str) -> Program:
    """HAProxy as the load balancer or as the relays between the nodes."""
    file = str(layout.config(f"{name}.cfg"))
    return Program(layout, name, (program("HAPROXY"), "-db", "-f", file), file, _libraries())


def patroni(layout: Layout, node: str) -> Program:
    """A node's Patroni, which runs its PostgreSQL."""
    file = str(layout.config(f"{node}.patroni"))
    return Program(layout, node, (program("PATRONI"), file), file, {"LC_ALL": "C.UTF-8"})


def pgbouncer(layout: Layout, node: str) -> Program:
    """A node's PgBouncer."""
    file = str(layout.config(f"{node}.pgbouncer"))
    argv = (program("PGBOUNCER"), file)
    return Program(layout, f"{node}.pgbouncer", argv, file, _libraries())


def server(layout: Layout, name: str) -> Program:
    """The service as shipped (scripts/serve)."""
    port = layout.port(name)
    environ = {
        **service_environ(layout),
        "HOST": "127.0.0.1",
        "GEOSHOPS_SCHEDULER": "off",
        "PORT": str(port),
        "WEB_CONCURRENCY": "1",
        "PROMETHEUS_MULTIPROC_DIR": str(layout.folder / "run" / f"{name}.metrics"),
    }
    argv = (str(ROOT / "scripts" / "serve"),)
    return Program(layout, name, argv, f"--port {port} ", environ, as_service_user=False)


def service_environ(layout: Layout) -> dict[str, str]:
    """Returns the settings of the service and of operator commands, without the checkout's .env."""
    return {
        "FLASK_SKIP_DOTENV": "1",
        "DATABASE_URL": layout.url("writer"),
        "READ_DATABASE_URL": layout.url("reader"),
        "GEOSHOPS_OWNER_DATABASE_URL": layout.url("direct", "owner"),
        "GEOSHOPS_READER_DATABASE_URL": layout.url("reader", "reader"),
        "GEOSHOPS_SECRET_KEY": layout.secrets["key"],
        "GEOSHOPS_PUBLIC_URL": layout.origin,
        "GEOSHOPS_RATELIMIT_STORAGE_URI": "",
    }


def _libraries() -> dict[str, str]:
    path = os.environ.get("CLUSTER_LIBRARIES", "")
    return {"LD_LIBRARY_PATH": path} if path else {}


def start_order(layout: Layout) -> list[Program]:
    """Returns the programs in the order of their dependencies."""
    return [
        etcd(layout),
        haproxy(layout, "wires"),
        *(patroni(layout, node) for node in NODES),
        *(pgbouncer(layout, node) for node in NODES),
        haproxy(layout, "balancer"),
        *(server(layout, name) for name in SERVERS),
    ]


def say(text: str) -> None:
    """Prints progress to standard error."""
    print(text, file=sys.stderr, flush=True)


def start(layout: Layout, *, shops: int = SAMPLE_SHOPS) -> None:
    """Starts the programs that do not run, and provisions the database; idempotent."""
    write_configs(layout)
    require_ports(layout)
    first = not (layout.data("node1") / "PG_VERSION").exists()
    for each in start_order(layout)[:2]:
        begin(each)
    for node in NODES:
        begin(patroni(layout, node))
        if first:
            say(f"  waiting for {node}")
            require(lambda: leader(layout), 90, f"a leader (see {layout.folder}/logs/node1.log)")
            first = False
    require(lambda: leader(layout), 90, f"a leader (see {layout.folder}/logs)")
    agree(layout, configs.shared())
    say("  waiting for a leader with two synchronous followers")
    require_whole(layout, timeout_s=120)
    for node in NODES:
        begin(pgbouncer(layout, node))
    begin(haproxy(layout, "balancer"))
    provision(layout, shops)
    for name in SERVERS:
        begin(server(layout, name))
    require(lambda: serves(layout), 60, f"a response of {layout.origin}/readyz")


def start_node(layout: Layout, node: str) -> None:
    """Starts a node, as the init system does after a crash."""
    begin(patroni(layout, node))
    begin(pgbouncer(layout, node))


def begin(each: Program) -> None:
    """Starts a program and reports it."""
    if each.start():
        say(f"+ {each.name} (log {each.log_file})")


def serves(layout: Layout) -> bool:
    """Whether both servers are ready."""
    try:
        ports = [layout.port(name) for name in SERVERS] + [layout.port("service")]
        return all(requests.get(f"http://127.0.0.1:{p}/readyz", timeout=2).ok for p in ports)
    except requests.RequestException:
        return False


def stop(layout: Layout) -> None:
    """Stops everything, the leader last, so that it has every acknowledged write."""
    lead = leader(layout)
    nodes = sorted(NODES, key=lambda node: node == lead)
    order = [*(server(layout, name) for name in SERVERS), haproxy(layout, "balancer")]
    order += [pgbouncer(layout, node) for node in NODES] + [patroni(layout, n) for n in nodes]
    for each in [*order, haproxy(layout, "wires"), etcd(layout)]:
        if each.pid():
            say(f"- {each.name}")
            each.stop(60)


def write_configs(layout: Layout) -> None:
    """Writes all configuration files, readable only by the user that the programs run as."""
    for name in (
        "config",
        "run",
        "logs",
        *NODES,
        "etcd",
        "etcd/data",
        *(f"{n}/data" for n in NODES),
    ):
        folder = layout.folder / name
        if not folder.exists():
            folder.mkdir()
            folder.chmod(0o700)
            give(folder)
    texts = {f"{node}.patroni": configs.patroni(layout, node) for node in NODES}
    texts |= {f"{node}.pgbouncer": configs.pgbouncer(layout, node) for node in NODES}
    texts["pgbouncer.users"] = configs.pgbouncer_users(layout)
    texts |= {"balancer.cfg": configs.balancer(layout), "wires.cfg": configs.wires(layout)}
    if len(configs.wires_socket(layout)) > 100:
        raise ClusterError(
            f"the path {layout.folder} is too long for a socket; set GEOSHOPS_STATE_DIR"
        )
    for name, text in texts.items():
        file = layout.config(name)
        file.touch(mode=0o600)
        give(file)
        file.write_text(text, encoding="utf-8")


def require_ports(layout: Layout) -> None:
    """Raises a ClusterError if other programs use ports of this cluster."""
    if any(each.pid() for each in start_order(layout)):
        return
    taken = [str(port) for port in layout.ports.values() if not is_free(port)]
    if taken:
        raise ClusterError(
            f"ports of this cluster are in use by other programs: {', '.join(taken)}. "
            "Stop them, or recreate the cluster: scripts/cluster destroy, scripts/cluster start"
        )


def provision(layout: Layout, shops: int) -> None:
    """Creates roles with their limits, database, extensions, schema and, once, sample data."""
    lead = require_leader(layout)
    parts = ROOT / "scripts" / "setup.d"
    passwords = "".join(
        f"\\set {role}_password '{layout.secrets[role]}'\n" for role in ("owner", "app", "reader")
    )
    _psql(layout, lead, "postgres", passwords + (parts / "roles.sql").read_text())
    for file in (parts / "extensions.sql", *sorted((ROOT / "sql/grants").glob("*_limits.sql"))):
        _psql(layout, lead, "geoshops", file.read_text())
    require(lambda: _reachable(layout), 15, "a connection through the load balancer to the leader")
    _geoshops(layout, "db", "upgrade")
    if not (layout.folder / "seeded").exists():
        size = (
            "--shops",
            str(shops),
            "--reviews",
            str(shops * 3),
            "--members",
            str(shops // 4 + 50),
        )
        _geoshops(layout, "seed", *size)
        (layout.folder / "seeded").touch()


def _reachable(layout: Layout) -> bool:
    try:
        psycopg2.connect(layout.url("direct", "owner"), connect_timeout=2).close()
    except psycopg2.OperationalError:
        return False
    return True


def _psql(layout: Layout, node: str, database: str, text: str) -> None:
    done = subprocess.run(
        [f"{program('PG_BIN')}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
         "-p", str(layout.port(node, "postgres")), "-U", "postgres", "-d", database],
        env={**os.environ, "PGPASSWORD": layout.secrets["superuser"]},
        input=text, text=True, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ClusterError(f"psql on {node}: {done.stderr.strip()[-600:]}")


def _geoshops(layout: Layout, *verb: str) -> None:
    say(f"+ geoshops {' '.join(verb)}")
    done = subprocess.run(
        [str(Path(sys.executable).with_name("geoshops")), *verb],
        env={**os.environ, **service_environ(layout)},
        stdout=sys.stderr, cwd=ROOT, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ClusterError(
            f"geoshops {verb[0]} failed; see its message above. Recreate a cluster with an older "
            "schema with scripts/cluster destroy and start"
        )


def is_running(layout: Layout) -> bool:
    """Whether all programs run and the cluster is whole."""
    return all(each.pid() for each in start_order(layout)) and is_whole(layout)
