"""Ctrl-C in operators' commands: the driver hears of it when a statement is over, so the statement is called off."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import suppress
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import psycopg2

_connections: WeakSet[Any] = WeakSet()
_lock = threading.Lock()


def heeding(connection: Any) -> Any:
    """The connection, whose statement under way ends at once by Ctrl-C, be it waiting for a lock.

    Not for a connection whose commit must not be called off: imports take care of theirs."""
    if threading.current_thread() is threading.main_thread():
        _watch()
    with _lock:
        _connections.add(connection)
    return connection


@lru_cache(maxsize=1)
def _watch() -> None:
    # a handler in Python runs between statements only; the number of the signal is written at once
    heard, told = socket.socketpair()
    told.setblocking(False)
    signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_cancel, args=(heard, told), daemon=True).start()


def _cancel(heard: socket.socket, _told: socket.socket) -> None:
    while number := heard.recv(1):
        if number[0] == signal.SIGINT:
            with _lock:
                heeding_now = tuple(_connections)
            for connection in heeding_now:
                with suppress(psycopg2.Error):
                    connection.cancel()
