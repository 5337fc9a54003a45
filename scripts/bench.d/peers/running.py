"""Starts all peers at the same time, so that runs can be interleaved."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg2
from load import free_port, started, stop

from peers.catalogue import PEERS, Peer, Question
from peers.environments import PEERS as FOLDER
from peers.environments import program

PROBE: Question = (127.0276, 37.4979, 127.0396, 37.5069)


def prepare(database_url: str) -> None:
    """Prepares a filled database for the feature servers."""
    with psycopg2.connect(database_url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_regprocedure('bench_peers.shops_within(float8,float8,float8,float8,float8)')"
        )
        (made,) = cursor.fetchone() or (None,)
        if made is None:
            cursor.execute((FOLDER / "prepare.sql").read_text(encoding="utf-8"))


@contextmanager
def running(
    database_url: str, origin: str, names: list[str] | None = None
) -> Iterator[dict[str, str]]:
    """Yields the origins of the peers by name; `origin` is the one in URLs that a peer precomputes."""
    prepare(database_url)
    wanted = [peer for peer in PEERS if names is None or peer.name in names]
    with ExitStack() as stack:
        origins: dict[str, str] = {}
        for peer in wanted:
            if peer.folder not in origins:
                settings = stack.enter_context(_settings(peer.folder, database_url, origin))
                origins[peer.folder] = stack.enter_context(_server(peer, settings))
        yield {peer.name: origins[peer.folder] for peer in wanted}


@contextmanager
def _server(peer: Peer, settings: dict[str, str]) -> Iterator[str]:
    name, *arguments = peer.command
    command = [program(peer.folder, name), *arguments]
    place = FOLDER / peer.folder
    with started(command, settings, ready=peer.path(PROBE), folder=place) as (origin, _):
        yield origin


@contextmanager
def _settings(folder: str, database_url: str, origin: str) -> Iterator[dict[str, str]]:
    settings = {
        "DATABASE_URL": database_url,
        "PYTHONPATH": f"{FOLDER / folder}:{FOLDER / 'contract'}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if folder == "tipg":
        # computing extents would slow down its start
        yield {
            **settings,
            "TIPG_DB_SCHEMAS": json.dumps(["bench_peers"]),
            "TIPG_DB_SPATIAL_EXTENT": "false",
        }
    elif folder == "pygeoapi":
        with tempfile.TemporaryDirectory() as place:
            yield {**settings, **_pygeoapi(Path(place), database_url, settings)}
    elif folder == "redis_geosearch":
        with _redis(settings, origin) as url:
            yield {**settings, "REDIS_URL": url}
    else:
        yield settings


def _pygeoapi(place: Path, database_url: str, settings: dict[str, str]) -> dict[str, str]:
    url = urlsplit(database_url)
    found = {
        "PYGEOAPI_CONFIG": str(FOLDER / "pygeoapi" / "config.yml"),
        "PYGEOAPI_OPENAPI": str(place / "openapi.yml"),
        "PEER_ORIGIN": "http://127.0.0.1",
        "PEER_DB_HOST": url.hostname or "",
        "PEER_DB_PORT": str(url.port),
        "PEER_DB_NAME": url.path[1:],
        "PEER_DB_USER": unquote(url.username or ""),
        "PEER_DB_PASSWORD": unquote(url.password or ""),
    }
    command = [program("pygeoapi", "pygeoapi"), "openapi", "generate", found["PYGEOAPI_CONFIG"]]
    subprocess.run(
        [*command, "--output-file", found["PYGEOAPI_OPENAPI"]],
        check=True, env={**os.environ, **settings, **found}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return found


@contextmanager
def _redis(settings: dict[str, str], origin: str) -> Iterator[str]:
    """Starts a temporary Redis without persistence and fills it."""
    server = shutil.which("redis-server")
    if not server:
        raise SystemExit("redis-server is missing; on Debian: apt-get install -y redis-server")
    port = free_port()
    with tempfile.TemporaryDirectory() as place:
        process = subprocess.Popen(
            [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", place],
            stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            url = f"redis://127.0.0.1:{port}/0"
            subprocess.run(
                [program("redis_geosearch", "python"), str(FOLDER / "redis_geosearch" / "fill.py")],
                check=True, env={**os.environ, **settings, "REDIS_URL": url, "ORIGIN": origin},
            )  # fmt: skip
            yield url
        finally:
            stop(process)
