"""Statements of one process in turn, on one connection that is kept at hand."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import psycopg2
from psycopg2.extensions import parse_dsn

WAIT_S = 0.005
# then the pool has it back for a moment, and renews it when it is old
KEPT_FOR_S = 60.0


class Turn:
    """A connection of the pool that one statement at a time has to itself.

    Where the database shares the machine's cores, questions side by side only push each other out of its caches: one after
    the other on one connection a worker answers more radius searches a second: a few in a hundred while the host is quiet, a
    sixth while its memory is slow (docs/performance.md)."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._taken_at = float("inf")
        self._connection: Any = None
        self._has_ended: Callable[[], bool] = lambda: True
        self._kept_until = 0.0

    def take(self, *, patient: bool) -> Any:
        """The connection, or None while another statement has it: a patient one waits while others come and go, but not behind a
        slow one."""
        if not (self._lock.acquire(blocking=False) or (patient and self._wait())):
            return None
        try:
            self._taken_at = time.monotonic()
            if self._taken_at > self._kept_until or self._has_ended():
                self._renew()
        except BaseException:
            self._kept_until = 0.0
            self.end()
            raise
        return self._connection

    def _wait(self) -> bool:
        while time.monotonic() - self._taken_at <= WAIT_S:
            if self._lock.acquire(timeout=WAIT_S):
                return True
        return False

    def end(self) -> None:
        """The statement is over."""
        self._taken_at = float("inf")
        self._lock.release()

    def forget(self) -> None:
        """The kept connection is good for this statement at most."""
        self._kept_until = 0.0
        if self._lock.acquire(blocking=False):
            self._give_back()
            self._lock.release()

    def _renew(self) -> None:
        self._give_back()
        # first, so that whoever calls forget meanwhile is heard
        self._kept_until = time.monotonic() + KEPT_FOR_S
        self._connection = self._connect()
        self._has_ended = end_of(self._connection.dbapi_connection)

    def _give_back(self) -> None:
        kept, self._connection, self._kept_until = self._connection, None, 0.0
        if kept is not None:
            kept.close()


def has_ended(connection: Any) -> bool:
    """Whether a connection is closed, or the server ended it at rest: there is something to read.

    Looking costs 0.6 us, asking the server (pre-ping) a round trip."""
    return connection is None or end_of(connection)()


def end_of(connection: Any) -> Callable[[], bool]:
    """The same question, to be asked of one connection many times."""
    poll = select.poll()
    if not connection.closed:
        poll.register(connection.fileno(), select.POLLIN | select.POLLHUP)
    return lambda: connection.closed or bool(poll.poll(0))


def shares_this_machine(url: str) -> bool:
    """Whether a URL names a socket of this machine or its loopback."""
    try:
        named = parse_dsn(url)
    except psycopg2.Error:
        return False  # whoever connects is told what is wrong
    if "service" in named:
        return False
    hosts = named.get("hostaddr") or named.get("host", "")
    return all(map(_is_here, hosts.split(",")))


def _is_here(host: str) -> bool:
    if host in ("", "localhost") or host.startswith("/"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
