"""HTTP calls to identity providers: time and size limits, no redirects, a small pool of threads."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

import requests
import urllib3
from prometheus_client import Histogram

from geoshops.errors import ApiError

log = logging.getLogger(__name__)
T = TypeVar("T")

TOTAL_S = 5.0
CONNECT_S, READ_S = 3.05, 4.0
MAX_BYTES = 64 * 1024
# A sign-in waits for a slot only while one becomes free at least this often, so that a hanging provider cannot delay it longer.
PATIENCE_S = 0.9
# after an exchange slower than this, sign-ins do not wait for a slot until an exchange is faster again
SLOW_S = 2.0

EXCHANGE_S = Histogram(
    "idp_exchange_duration_seconds",
    "Time of a whole exchange with the identity provider",
    ("outcome",),
    buckets=(0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)


class ProviderFailed(Exception):
    """The provider was unreachable or returned an invalid response; the text is for the log, without secrets."""


@dataclass(frozen=True)
class ProviderResponse:
    """Status and JSON object of a response; `body` is empty if none was required and none was received."""

    status: int
    body: dict[str, Any]


class Calls:
    """The calls of one exchange, which share a deadline and a connection."""

    def __init__(self) -> None:
        self.deadline = time.monotonic() + TOTAL_S
        self.http = requests.Session()
        # Any callable keeps ~/.netrc from replacing our Authorization header.
        self.http.auth = lambda request: request
        self.http.headers.update({"Accept": "application/json", "Accept-Encoding": "identity"})

    def close(self) -> None:
        """Closes the connection."""
        self.http.close()

    def get(self, url: str, *, bearer: str = "") -> ProviderResponse:
        """GET of a JSON object."""
        return self._call(
            "GET", url, headers={"Authorization": f"Bearer {bearer}"} if bearer else {}
        )

    def post(
        self, url: str, form: dict[str, str], *, authorization: str = "", wants_json: bool = True
    ) -> ProviderResponse:
        """POST of a form."""
        headers = {"Authorization": authorization} if authorization else {}
        return self._call("POST", url, wants_json=wants_json, data=form, headers=headers)

    def _call(
        self, method: str, url: str, *, wants_json: bool = True, **kwargs: Any
    ) -> ProviderResponse:
        try:
            with self.http.request(
                method,
                url,
                timeout=(min(CONNECT_S, self._left_s()), min(READ_S, self._left_s())),
                allow_redirects=False,
                stream=True,
                **kwargs,
            ) as response:
                _reject_status(response.status_code)
                body = self._body(response)
                read = _object if wants_json else _object_if_any
                return ProviderResponse(response.status_code, read(response, body))
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise ProviderFailed(type(error).__name__) from None

    def _body(self, response: requests.Response) -> bytes:
        body = b""
        while chunk := response.raw.read1(16 * 1024, decode_content=False):
            body += chunk
            if len(body) > MAX_BYTES:
                raise ProviderFailed("response too large")
            self._left_s()
        announced = response.headers.get("Content-Length", "")
        if announced.isdigit() and int(announced) != len(body):
            raise ProviderFailed("response incomplete")
        return body

    def _left_s(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise ProviderFailed("exchange timed out")
        return left


def _calls() -> Calls:
    try:
        return Calls()
    except (OSError, RuntimeError, MemoryError) as error:
        raise ProviderFailed(f"no connection for the exchange: {type(error).__name__}") from None


def _reject_status(status: int) -> None:
    if 300 <= status < 400:
        raise ProviderFailed("redirects are not followed")
    if status >= 500 or status == 429 or status < 200:
        raise ProviderFailed(f"status {status}")


def _object(response: requests.Response, body: bytes) -> dict[str, Any]:
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise ProviderFailed("media type is not JSON")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ProviderFailed("invalid JSON") from None
    if not isinstance(value, dict):
        raise ProviderFailed("not a JSON object")
    return value


def _object_if_any(response: requests.Response, body: bytes) -> dict[str, Any]:
    try:
        return _object(response, body)
    except ProviderFailed:
        return {}


class Pool:
    """Runs at most `places` exchanges at once, each in its own thread, which is abandoned at the deadline.

    While the provider is fast, callers queue; after a slow exchange they are rejected immediately."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.busy = 0
        self.slow = False
        self.freed_at = 0.0
        self.changed = threading.Condition()

    def run(self, work: Callable[[Calls], T]) -> T:
        """Returns the result of the exchange; raises ApiError if the provider failed."""
        self._enter()
        result: Future[T] = Future()
        started = time.monotonic()
        self._begin(work, result)
        outcome = "failed"
        try:
            value = result.result(timeout=TOTAL_S)
            outcome = "ok"
            return value
        except ApiError:
            outcome = "rejected"
            raise
        except (ProviderFailed, TimeoutError) as error:
            log.warning("identity provider failed: %s", str(error) or "exchange timed out")
            raise ApiError("provider_failed") from None
        finally:
            EXCHANGE_S.labels(outcome).observe(time.monotonic() - started)

    def _enter(self) -> None:
        with self.changed:
            since = time.monotonic()
            while self.busy >= self.places:
                left_s = max(since, self.freed_at) + PATIENCE_S - time.monotonic()
                if self.slow or left_s <= 0:
                    self.slow = True
                    raise ApiError("provider_busy")
                self.changed.wait(left_s)
            self.busy += 1

    def _begin(self, work: Callable[[Calls], T], result: Future[T]) -> None:
        try:
            threading.Thread(target=self._work, args=(work, result), daemon=True).start()
        except (RuntimeError, MemoryError):
            # The system has no threads left; the provider did not fail, so `slow` stays.
            with self.changed:
                self.busy -= 1
                self.changed.notify()
            result.set_exception(ProviderFailed("no thread for the exchange"))

    def _work(self, work: Callable[[Calls], T], result: Future[T]) -> None:
        started = time.monotonic()
        try:
            with closing(_calls()) as calls:
                value = work(calls)
        except BaseException as error:
            self._leave(started)
            result.set_exception(error)
        else:
            self._leave(started)
            result.set_result(value)

    def _leave(self, started: float) -> None:
        # Runs before the result is set: the caller may need the slot as soon as it has the result.
        with self.changed:
            self.busy -= 1
            self.freed_at = time.monotonic()
            self.slow = self.freed_at - started > SLOW_S
            self.changed.notify()
