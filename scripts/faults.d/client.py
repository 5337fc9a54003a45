"""HTTP client with a persistent connection; distinguishes unsent requests from broken responses."""

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
class Response:
    """The result of one attempt with its start and duration; status 0 means no complete response."""

    began: float
    seconds: float
    status: int
    body: bytes = b""
    retry_after: str | None = None
    unsent: bool = False

    @property
    def is_retryable(self) -> bool:
        """True for an unavailable service or a write conflict with Retry-After."""
        return self.status in (409, 503) and self.retry_after is not None

    @property
    def is_valid(self) -> bool:
        """True for a success and for an error body as in the contract; a 503 needs Retry-After."""
        if 200 <= self.status < 400:
            return True
        if self.status == 0 or (self.status == 503 and not self.retry_after):
            return False
        try:
            return set(json.loads(self.body)) == {"error_code", "error_message"}
        except (ValueError, TypeError):
            return False


class Client:
    """Sends requests to one port over one connection and records them in the log."""

    def __init__(self, port: int, log: Log | None = None, timeout_s: float = 10) -> None:
        self.port, self.log, self.timeout_s = port, log, timeout_s
        self.connection: http.client.HTTPConnection | None = None

    def request(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
    ) -> Response:
        """Sends a request. As in HTTP libraries, reconnects once if the server closed the idle connection
        before anything was sent."""
        kept = self.connection is not None
        response = self._attempt(method, path, headers or {}, body)
        if response.status == 0 and kept and response.unsent:
            response = self._attempt(method, path, headers or {}, body)
        if self.log:
            self.log.add(response)
        return response

    def _attempt(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None
    ) -> Response:
        began = time.monotonic()
        unsent = True
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=self.timeout_s
                )
                self.connection.connect()
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            elif _closed(self.connection.sock):
                raise ConnectionResetError
            unsent = False
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            content = response.read()
        except ERRORS:
            self.close()
            return Response(began, time.monotonic() - began, 0, unsent=unsent)
        if response.will_close:
            self.close()
        seconds = time.monotonic() - began
        return Response(began, seconds, response.status, content, response.headers["Retry-After"])

    def close(self) -> None:
        """Closes the connection."""
        if self.connection:
            self.connection.close()
        self.connection = None


class Log:
    """Responses of all threads: counts good ones and keeps the others."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.good = 0
        self.bad: list[Response] = []
        self.last_good = 0.0

    def add(self, response: Response) -> None:
        """Records a response. A 4xx is good unless it is retryable: it reports an error of the request."""
        with self.lock:
            if 200 <= response.status < 500 and response.is_valid and not response.is_retryable:
                self.good += 1
                self.last_good = max(self.last_good, response.began)
            else:
                self.bad.append(response)

    def bad_since(self, moment: float) -> list[Response]:
        """Returns the bad responses that ended after the moment."""
        with self.lock:
            return [x for x in self.bad if x.began + x.seconds >= moment]


def _closed(sock: socket.socket) -> bool:
    # without a pending request, readable means that the peer closed the connection
    poll = select.poll()
    poll.register(sock, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(0))
