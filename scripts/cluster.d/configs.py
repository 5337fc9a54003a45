"""Configuration files of the cluster's programs. docs/failover.md explains the values."""

from __future__ import annotations

import json

from layout import NODES, SERVERS, Layout, program

# 20 s is Patroni's shortest lease. It starts at the last renewal, one per loop: with a longer loop less of it
# remains on average when the leader fails, and 10 s is the longest loop that leaves time for two tries.
TTL_S, LOOP_WAIT_S, RETRY_TIMEOUT_S = 20, 10, 5
SYNCHRONOUS = {"synchronous_mode": "quorum", "synchronous_mode_strict": True}
ASYNCHRONOUS = {"synchronous_mode": False, "synchronous_mode_strict": False}
PARAMETERS = {
    "shared_buffers": "96MB",
    "max_connections": 60,
    "work_mem": "16MB",
    "maintenance_work_mem": "64MB",
    "max_wal_size": "512MB",
    "random_page_cost": 1.1,
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "hot_standby_feedback": "on",
    "wal_receiver_status_interval": "1s",
    "wal_keep_size": "256MB",
    "unix_socket_directories": "",
}


def patroni(layout: Layout, node: str) -> str:
    """Returns a node's Patroni configuration as JSON, a subset of YAML."""
    return json.dumps(
        {
            "scope": "geoshops",
            "name": node,
            "restapi": {
                "listen": f"127.0.0.1:{layout.port(node, 'patroni')}",
                "connect_address": f"127.0.0.1:{layout.port('wire', node, 'patroni')}",
            },
            # without use_proxies Patroni would connect to etcd's advertised address instead of the relay
            "etcd3": {
                "host": f"127.0.0.1:{layout.port('wire', node, 'etcd')}",
                "use_proxies": True,
            },
            "bootstrap": {"dcs": shared(), "initdb": _initdb()},
            "postgresql": _postgresql(layout, node),
        },
        indent=1,
    )


def shared() -> dict[str, object]:
    """Returns Patroni's dynamic configuration, stored in etcd."""
    return {
        "ttl": TTL_S,
        "loop_wait": LOOP_WAIT_S,
        "retry_timeout": RETRY_TIMEOUT_S,
        "maximum_lag_on_failover": 16 * 1024**2,
        **SYNCHRONOUS,
        "synchronous_node_count": 1,
        # fail over at once instead of waiting for a crashed primary to recover
        "primary_start_timeout": 0,
        "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": PARAMETERS},
    }


def _initdb() -> list[object]:
    return [
        {"encoding": "UTF8"},
        {"locale": "C.UTF-8"},
        {"auth": "scram-sha-256"},
        "data-checksums",
    ]


def _postgresql(layout: Layout, node: str) -> dict[str, object]:
    accounts = {"superuser": "postgres", "replication": "replicator", "rewind": "rewind"}
    return {
        "listen": f"127.0.0.1:{layout.port(node, 'postgres')}",
        "connect_address": f"127.0.0.1:{layout.port('wire', node, 'postgres')}",
        "data_dir": str(layout.data(node)),
        "bin_dir": program("PG_BIN"),
        "pgpass": str(layout.folder / node / "pgpass"),
        "authentication": {
            name: {"username": account, "password": layout.secrets[name]}
            for name, account in accounts.items()
        },
        "pg_hba": [
            "host replication replicator 127.0.0.1/32 scram-sha-256",
            "host all all 127.0.0.1/32 scram-sha-256",
        ],
        "parameters": {"listen_addresses": "127.0.0.1"},
    }


def pgbouncer(layout: Layout, node: str) -> str:
    """Returns the configuration of a node's PgBouncer, in transaction mode."""
    return f"""[databases]
geoshops = host=127.0.0.1 port={layout.port(node, "postgres")} dbname=geoshops

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {layout.port(node, "pgbouncer")}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {layout.config("pgbouncer.users")}
pool_mode = transaction
max_client_conn = 400
default_pool_size = 8
query_wait_timeout = 5
server_connect_timeout = 2
server_login_retry = 1
server_lifetime = 300
tcp_user_timeout = 5000
log_connections = 0
log_disconnections = 0
"""


def pgbouncer_users(layout: Layout) -> str:
    """Returns PgBouncer's users, with their PostgreSQL passwords."""
    roles = ("app", "owner", "reader")
    return "".join(f'"geoshops_{role}" "{layout.secrets[role]}"\n' for role in roles)


HAPROXY_GLOBAL = """global
  maxconn 2000
  log stdout format raw local0 notice
{more}
defaults
  mode tcp
  log global
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 2s
"""


def balancer(layout: Layout) -> str:
    """Returns the configuration of the HAProxy in front, which routes by Patroni's health checks."""
    return "".join(
        [
            HAPROXY_GLOBAL.format(more=""),
            _frontend(layout, "writer", "  default_backend writer\n"),
            _checked_backend(
                layout, "writer", "/primary", "downinter 100ms on-marked-down shutdown-sessions"
            ),
            _frontend(layout, "direct", "  default_backend direct\n"),
            _following_writer(layout),
            _frontend(
                layout,
                "reader",
                "  use_backend reader if { nbsrv(reader) gt 0 }\n  default_backend writer\n",
            ),
            # a promoted follower still serves reads, so its sessions are not closed
            _checked_backend(layout, "reader", "/replica?lag=64MB", "downinter 250ms"),
            _service(layout),
        ]
    )


def _frontend(layout: Layout, name: str, leads_to: str) -> str:
    return f"frontend {name}\n  bind 127.0.0.1:{layout.port(name)}\n{leads_to}"


def _checked_backend(layout: Layout, name: str, check: str, more: str) -> str:
    servers = "".join(
        f"  server {node} 127.0.0.1:{layout.port('wire', node, 'pgbouncer')}"
        f" check port {layout.port('wire', node, 'patroni')}\n"
        for node in NODES
    )
    return f"""backend {name}
  balance leastconn
  option httpchk GET {check}
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 {more}
{servers}"""


def _following_writer(layout: Layout) -> str:
    servers = "".join(
        f"  server {node} 127.0.0.1:{layout.port('wire', node, 'postgres')}"
        f" track writer/{node} on-marked-down shutdown-sessions\n"
        for node in NODES
    )
    return f"backend direct\n{servers}"


def _service(layout: Layout) -> str:
    servers = "".join(f"  server {name} 127.0.0.1:{layout.port(name)} check\n" for name in SERVERS)
    return f"""frontend service
  mode http
  bind 127.0.0.1:{layout.port("service")}
  timeout client 60s
  default_backend service
backend service
  mode http
  timeout server 60s
  option httpchk GET /healthz
  option redispatch
  retry-on conn-failure
  default-server inter 1s fall 2 rise 1
{servers}"""


def wires(layout: Layout) -> str:
    """Returns the configuration of the relays: one per port between nodes, closed by `partition`."""
    socket = f"  stats socket {wires_socket(layout)} mode 600 level admin"
    parts = [HAPROXY_GLOBAL.format(more=socket)]
    for name in wire_names(layout):
        _, node, port = name.split(".")
        target = layout.port("etcd") if port == "etcd" else layout.port(node, port)
        parts.append(
            f"frontend {name}\n  bind 127.0.0.1:{layout.ports[name]}\n  default_backend {name}\n"
            f"backend {name}\n  retries 0\n  server far 127.0.0.1:{target}\n"
        )
    return "".join(parts)


def wires_socket(layout: Layout) -> str:
    """Returns the path of the relays' admin socket."""
    return str(layout.folder / "run" / "wires")


def wire_names(layout: Layout, node: str | None = None) -> list[str]:
    """Returns the relays of a node, or all relays."""
    return [name for name in layout.ports if name.startswith(f"wire.{node}." if node else "wire.")]
