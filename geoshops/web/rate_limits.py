"""Rate limits by address and member; disabled unless configured. Operations may declare their own limits.

They are checked after content negotiation and before authentication, as the contract requires. Workers share
their counters if a shared store is configured."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter
from werkzeug.wrappers import Request

from geoshops.config import ConfigError, Settings
from geoshops.errors import ApiError, Unreachable
from geoshops.web.authentication import authenticate
from geoshops.web.request import Environ, address_of
from geoshops.web.tokens import Keys

log = logging.getLogger(__name__)
# key of the WSGI environment for the limit that counted the request, and the key that it counted
COUNTED = "geoshops.rate_limit"
# an unresponsive store must not delay requests longer than an exhausted connection pool does
STORE_TIMEOUT_S = 0.25
PAUSE_S = 1.0


def by_address(request: Request, _: Keys) -> str:
    """The client's IP address."""
    return address_of(request.environ)


def by_member(request: Request, keys: Keys) -> str:
    """The member of a valid token, otherwise the client's IP address."""
    try:
        caller = authenticate(request.environ, "optional", keys)
    except ApiError:
        caller = None
    return f"member {caller.member_id}" if caller else address_of(request.environ)


@dataclass(frozen=True)
class RateLimit:
    """An allowance such as `10/hour` for each key.

    Limits with the same name share their counters.
    failures_only: counts failed requests only; closed_without_store: rejects requests while the store is unreachable."""

    name: str
    allowance: str
    key: Callable[[Request, Keys], str]
    failures_only: bool = False
    closed_without_store: bool = False

    @cached_property
    def item(self) -> RateLimitItem:
        """The allowance as an item of the library `limits`."""
        return parse(self.allowance)


READS = RateLimit("reads", "600/minute", by_address)
WRITES = RateLimit("writes", "60/minute", by_member)


class Limits:
    """Counts requests in one store."""

    def __init__(self, storage_uri: str) -> None:
        self.limiter = MovingWindowRateLimiter(
            storage_from_string(
                storage_uri, wrap_exceptions=True,
                socket_timeout=STORE_TIMEOUT_S, socket_connect_timeout=STORE_TIMEOUT_S,
            )
        )  # fmt: skip
        self._away_until = 0.0

    def count(self, request: Request, limit: RateLimit, keys: Keys) -> None:
        """Counts the request; raises ApiError if the limit is exceeded.

        While the store is unreachable, only limits with `closed_without_store` reject requests."""
        key = limit.key(request, keys)
        take = self.limiter.test if limit.failures_only else self.limiter.hit
        allowed = self._call_store(lambda: take(limit.item, limit.name, key))
        if allowed is None:
            if limit.closed_without_store:
                raise Unreachable
            return
        request.environ[COUNTED] = (limit, key)
        if not allowed:
            stats = self._stats(limit, key)
            seconds = max(1, math.ceil(stats.reset_time - time.time())) if stats else 1
            raise ApiError("too_many_requests", headers={"Retry-After": str(seconds)})

    def finish(self, environ: Environ, status: int) -> list[tuple[str, str]]:
        """Counts a failed request if only failures count; returns the RateLimit headers of the response."""
        limit, key = environ.get(COUNTED, (None, ""))
        if limit is None:
            return []
        if limit.failures_only and status >= 400:
            self._call_store(lambda: self.limiter.hit(limit.item, limit.name, key))
        stats = self._stats(limit, key)
        if not stats:
            return []
        window_s = limit.item.get_expiry()
        left_s = max(0, math.ceil(stats.reset_time - time.time()))
        return [
            ("RateLimit-Policy", f'"{limit.name}";q={limit.item.amount};w={window_s}'),
            ("RateLimit", f'"{limit.name}";r={stats.remaining};t={left_s}'),
        ]

    def _stats(self, limit: RateLimit, key: str) -> Any:
        return self._call_store(lambda: self.limiter.get_window_stats(limit.item, limit.name, key))

    def _call_store(self, query: Callable[[], Any]) -> Any:
        """Calls the store; returns None while it is unreachable."""
        now = time.monotonic()
        if now < self._away_until:
            return None
        if self._away_until:
            # only one request probes the store; the others proceed without it
            self._away_until = now + PAUSE_S
        try:
            result = query()
        except StorageError:
            self._away_until = time.monotonic() + PAUSE_S
            log.warning("the rate-limit store is unreachable")
            return None
        self._away_until = 0.0
        return result


def limits_of(settings: Settings) -> Limits | None:
    """The rate limits; None unless a store is configured."""
    if not settings.ratelimit_storage_uri:
        return None
    if settings.ratelimit_storage_uri.startswith("memory"):
        log.warning("rate limits are counted per worker: N workers allow N times as many requests")
    return _limits(settings.ratelimit_storage_uri)


def _limits(storage_uri: str) -> Limits:
    try:
        return Limits(storage_uri)
    # Each store raises its own exceptions; their messages contain the store's URI, which may include a password.
    except Exception as error:
        raise ConfigError(
            "GEOSHOPS_RATELIMIT_STORAGE_URI is not a valid store"
            f" ({type(error).__name__}): use redis://host:6379 or memory://, or leave it empty for no limits"
        ) from None
