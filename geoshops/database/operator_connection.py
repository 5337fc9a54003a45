"""Connections of operator commands, whose running statement Ctrl-C cancels."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import psycopg2

from geoshops.console import changes

CONNECT_TIMEOUT_S = 10

_connections: WeakSet[Any] = WeakSet()
_cancelled: WeakSet[Any] = WeakSet()
_lock = threading.Lock()


@contextmanager
def connected(url: str, purpose: str, *, autocommit: bool = False) -> Iterator[Any]:
    """A connection that is closed at the end of the block, which rolls back what is not committed.

    `purpose` names it in pg_stat_activity: geoshops-PURPOSE."""
    connection = psycopg2.connect(
        url,
        application_name=f"geoshops-{purpose}",
        connect_timeout=CONNECT_TIMEOUT_S,
        client_encoding="UTF8",
    )
    try:
        connection.autocommit = autocommit
        yield cancelled_by_ctrl_c(connection)
    except psycopg2.errors.QueryCanceled as error:
        # psycopg2 swallows a KeyboardInterrupt within the function from which COPY reads
        if connection in _cancelled or "KeyboardInterrupt" in str(error):
            raise KeyboardInterrupt from error
        raise
    finally:
        connection.close()


def cancelled_by_ctrl_c(connection: Any) -> Any:
    """The connection, registered so that Ctrl-C cancels its running statement, except a commit.

    The driver itself notices a signal only when the statement has ended."""
    if threading.current_thread() is threading.main_thread():
        _watch()
    with _lock:
        _connections.add(connection)
    return connection


@lru_cache(maxsize=1)
def _watch() -> None:
    # Python runs signal handlers only between its own instructions, but writes to the wake-up file at once
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_cancel, args=(reader, writer), daemon=True).start()


def _cancel(reader: socket.socket, _writer: socket.socket) -> None:
    while number := reader.recv(1):
        if number[0] == signal.SIGINT and not changes.unknown:
            with _lock:
                connections = tuple(_connections)
            for connection in connections:
                _cancelled.add(connection)
                with suppress(psycopg2.Error):
                    connection.cancel()
