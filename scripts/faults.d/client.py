"""A small HTTP client that keeps its connection and tells a broken answer from a refused one."""

from __future__ import annotations

import http.client
import json
import select
import socket
import threading
import time
from dataclasses import dataclass

ERRORS = (OSError, http.client.HTTPException)


@dataclass(frozen=True)
class Answer:
    """One attempt: when it began and how long it took; status 0 means no (whole) answer."""

    began: float
    seconds: float
    status: int
    body: bytes = b""
    retry_after: str | None = None
    refused: bool = False

    @property
    def again(self) -> bool:
        """True where the service asks to come again: it is unavailable, or the act met others on the same rows."""
        return self.status in (409, 503) and self.retry_after is not None

    @property
    def clear(self) -> bool:
        """True for a success and for an error in the contract's form; a 503 says when to come back."""
        if 200 <= self.status < 400:
            return True
        if self.status == 0 or (self.status == 503 and not self.retry_after):
            return False
        try:
            return set(json.loads(self.body)) == {"error_code", "error_message"}
        except (ValueError, TypeError):
            return False


class Client:
    """Requests to one origin over one connection; every attempt goes into the shared log."""

    def __init__(self, port: int, log: Log | None = None, timeout_s: float = 10) -> None:
        self.port, self.log, self.timeout_s = port, log, timeout_s
        self.connection: http.client.HTTPConnection | None = None

    def ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """One attempt. A connection that the server closed while it lay idle is opened again at once,
        as every client library does; nothing was sent twice then."""
        kept = self.connection is not None
        answer = self._attempt(method, path, headers or {}, body)
        if answer.status == 0 and kept and answer.refused:
            answer = self._attempt(method, path, headers or {}, body)
        if self.log:
            self.log.add(answer)
        return answer

    def _attempt(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None
    ) -> Answer:
        began = time.monotonic()
        never_arrived = True
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=self.timeout_s
                )
                self.connection.connect()
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            elif _closed(self.connection.sock):
                raise ConnectionResetError
            never_arrived = False
            self.connection.request(method, path, body, headers)
            found = self.connection.getresponse()
            content = found.read()
        except ERRORS:
            self.close()
            return Answer(began, time.monotonic() - began, 0, refused=never_arrived)
        if found.will_close:
            self.close()
        seconds = time.monotonic() - began
        return Answer(began, seconds, found.status, content, found.headers["Retry-After"])

    def close(self) -> None:
        """Drops the connection."""
        if self.connection:
            self.connection.close()
        self.connection = None


class Log:
    """Attempts of all threads: counts of all, the whole of those that were not good."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.good = 0
        self.bad: list[Answer] = []
        self.last_good = 0.0

    def add(self, answer: Answer) -> None:
        """Takes one down. 4xx is good, unless to be repeated: it says something of the request, not of the service."""
        with self.lock:
            if 200 <= answer.status < 500 and answer.clear and not answer.again:
                self.good += 1
                self.last_good = max(self.last_good, answer.began)
            else:
                self.bad.append(answer)

    def bad_since(self, moment: float) -> list[Answer]:
        """Attempts that ended after the moment and were not good."""
        with self.lock:
            return [x for x in self.bad if x.began + x.seconds >= moment]


def _closed(sock: socket.socket) -> bool:
    # nothing was asked, so whatever there is to read is the end
    poll = select.poll()
    poll.register(sock, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(0))
