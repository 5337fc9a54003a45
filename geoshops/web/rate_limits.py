"""Rate limits by address and member: off unless configured, stricter at sign-in.

They are checked after content negotiation and before authentication, as the contract orders. Workers share
their counts where a shared store is configured."""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import request
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from geoshops.config import ConfigError, Settings
from geoshops.errors import ApiError, Unreachable
from geoshops.web import tokens
from geoshops.web.authentication import authenticate
from geoshops.web.parsing import json_object
from geoshops.web.request import ENDPOINT, Environ, address_of

log = logging.getLogger(__name__)
# the key of the WSGI environment that holds the rule that counted the request, and the key of its allowance
COUNTED = "geoshops.rate_limit"
UNLIMITED = ("health.", "map.", "title_images.")
# an unresponsive store must not delay requests longer than an exhausted connection pool does
STORE_TIMEOUT_S = 0.25
PAUSE_S = 1.0


def member(environ: Environ) -> str:
    """The member of a valid token, otherwise the client's address."""
    try:
        caller = authenticate(environ, "optional", tokens.keys())
    except ApiError:
        caller = None
    return f"member {caller.member_id}" if caller else address_of(environ)


def refresh_token(environ: Environ) -> str:
    """The hash of the refresh token in the body; addresses are shared by phones behind one carrier."""
    try:
        token = json_object(request).get("refresh_token")
    except ApiError:
        token = None
    if not isinstance(token, str) or not token:
        return address_of(environ)
    # JSON can hold lone surrogates, which UTF-8 cannot; the operation rejects them
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Rule:
    """An allowance of requests per time for each key.

    failures_only: counts failed requests only; closed_without_store: rejects requests while the store is unreachable."""

    name: str
    allowance: RateLimitItem
    key: Callable[[Environ], str]
    failures_only: bool = False
    closed_without_store: bool = False


READS = Rule("reads", parse("600/minute"), address_of)
WRITES = Rule("writes", parse("60/minute"), member)
BY_ENDPOINT = {
    # a search whose parameters need a body
    "shops.list_shops_within": READS,
    "shops.list_shops_along": READS,
    "auth.sign_in": Rule(
        "sign-in", parse("10/minute"), address_of, failures_only=True, closed_without_store=True
    ),
    "auth.refresh_token": Rule(
        "refresh", parse("10/minute"), refresh_token, closed_without_store=True
    ),
    "members.change_nickname": Rule("nickname", parse("10/hour"), member),
    "reviews.create_review": Rule("reviews", parse("30/hour"), member),
    "reports.report_review": Rule("reports", parse("30/hour"), member),
    "reports.report_shop": Rule("reports", parse("30/hour"), member),
}


class Limits:
    """Checks requests against the rules in one store."""

    def __init__(self, storage_uri: str) -> None:
        self.limiter = MovingWindowRateLimiter(
            storage_from_string(
                storage_uri, wrap_exceptions=True,
                socket_timeout=STORE_TIMEOUT_S, socket_connect_timeout=STORE_TIMEOUT_S,
            )
        )  # fmt: skip
        self._away_until = 0.0

    def count(self, environ: Environ) -> None:
        """Counts the request against its allowance; raises ApiError when the allowance is used up.

        Without the store only the rules that are `closed_without_store` reject."""
        rule = rule_of(environ)
        if rule is None:
            return
        key = rule.key(environ)
        take = self.limiter.test if rule.failures_only else self.limiter.hit
        allowed = self._call_store(lambda: take(rule.allowance, rule.name, key))
        if allowed is None:
            if rule.closed_without_store:
                raise Unreachable
            return
        environ[COUNTED] = (rule, key)
        if not allowed:
            stats = self._stats(rule, key)
            seconds = max(1, math.ceil(stats.reset_time - time.time())) if stats else 1
            raise ApiError("too_many_requests", headers={"Retry-After": str(seconds)})

    def finish(self, environ: Environ, status: int) -> list[tuple[str, str]]:
        """Counts a failed sign-in; returns the RateLimit headers of the response."""
        rule, key = environ.get(COUNTED, (None, ""))
        if rule is None:
            return []
        if rule.failures_only and status >= 400:
            self._call_store(lambda: self.limiter.hit(rule.allowance, rule.name, key))
        stats = self._stats(rule, key)
        if not stats:
            return []
        window_s = rule.allowance.get_expiry()
        left_s = max(0, math.ceil(stats.reset_time - time.time()))
        return [
            ("RateLimit-Policy", f'"{rule.name}";q={rule.allowance.amount};w={window_s}'),
            ("RateLimit", f'"{rule.name}";r={stats.remaining};t={left_s}'),
        ]

    def _stats(self, rule: Rule, key: str) -> Any:
        return self._call_store(
            lambda: self.limiter.get_window_stats(rule.allowance, rule.name, key)
        )

    def _call_store(self, query: Callable[[], Any]) -> Any:
        """The store's result; None while it is unreachable."""
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
            "GEOSHOPS_RATELIMIT_STORAGE_URI does not name a usable store"
            f" ({type(error).__name__}): use redis://host:6379 or memory://, or leave it empty for no limits"
        ) from None


def rule_of(environ: Environ) -> Rule | None:
    """The rule of a request; None for pages, assets and health."""
    endpoint = environ.get(ENDPOINT, "")
    if not endpoint or endpoint.startswith(UNLIMITED):
        return None
    fallback = READS if environ["REQUEST_METHOD"] in ("GET", "HEAD", "OPTIONS") else WRITES
    return BY_ENDPOINT.get(endpoint, fallback)
