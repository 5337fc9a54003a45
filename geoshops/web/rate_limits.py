"""Rate limits: off unless configured; per address for reads, per member for writes, stricter at sign-in.

They are checked after the representation and before authentication, as the contract orders. The
allowance lies in a shared store where one is configured; the store in the process is one per worker."""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, request
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from geoshops.config import ConfigError, Settings
from geoshops.errors import ApiError, Unreachable
from geoshops.web import tokens
from geoshops.web.parsing import json_object

log = logging.getLogger(__name__)
# where the environment holds the rule that a request was counted by, and whose allowance it took from
TAKEN = "geoshops.rate_limit"
UNLIMITED = ("health.", "map.", "title_images.")
# a store that does not answer shall cost requests no more than a full pool does
STORE_TIMEOUT_S = 0.25
PAUSE_S = 1.0


def address() -> str:
    """The client's address; behind proxies only as far as GEOSHOPS_TRUSTED_PROXIES believes them."""
    return address_in(request.environ)


def address_in(environ: Mapping[str, Any]) -> str:
    """The same of a request's environment."""
    return environ.get("REMOTE_ADDR") or "unknown"


def member() -> str:
    """The member of a valid token, else the address."""
    try:
        caller = tokens.authenticate()
    except ApiError:
        caller = None
    return f"member {caller.member_id}" if caller else address()


def refresh_token() -> str:
    """The refresh token in the body, hashed: phones behind one carrier share an address."""
    try:
        token = json_object().get("refresh_token")
    except ApiError:
        token = None
    if not isinstance(token, str) or not token:
        return address()
    # JSON can write half a character, which UTF-8 cannot; that it is no token the operation says
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Rule:
    """An allowance: its name, how much in which time, whose; sign-in counts failures only."""

    name: str
    allowance: RateLimitItem
    key: Callable[[], str]
    failures_only: bool = False
    closed_without_store: bool = False


READS = Rule("reads", parse("600/minute"), address)
WRITES = Rule("writes", parse("60/minute"), member)
BY_ENDPOINT = {
    "auth.sign_in": Rule(
        "sign-in", parse("10/minute"), address, failures_only=True, closed_without_store=True
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

    def begin(self) -> None:
        """Counts the framework's request, unless the direct way has."""
        rule = rule_of_request()
        if rule is not None and TAKEN not in request.environ:
            self.take(request.environ, rule, rule.key())

    def take(self, environ: dict[str, Any], rule: Rule, key: str) -> None:
        """Takes from the allowance, or refuses; without the store only what must not be open is refused."""
        take = self.limiter.test if rule.failures_only else self.limiter.hit
        allowed = self._ask(lambda: take(rule.allowance, rule.name, key))
        if allowed is None:
            if rule.closed_without_store:
                raise Unreachable
            return
        environ[TAKEN] = (rule, key)
        if not allowed:
            stats = self._stats(rule, key)
            seconds = max(1, math.ceil(stats.reset_time - time.time())) if stats else 1
            raise ApiError("too_many_requests", headers={"Retry-After": str(seconds)})

    def finish(self, response: Response) -> Response:
        """Counts a failed sign-in and says what is left."""
        environ = request.environ
        if TAKEN in environ:
            rule, key = environ[TAKEN]
            if rule.failures_only and response.status_code >= 400:
                self._ask(lambda: self.limiter.hit(rule.allowance, rule.name, key))
        for name, value in self.left(environ):
            response.headers.add(name, value)
        return response

    def left(self, environ: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """The headers that say what is left of the allowance from which the request took."""
        rule, key = environ.get(TAKEN, (None, ""))
        stats = self._stats(rule, key) if rule else None
        if not stats:
            return ()
        window_s = rule.allowance.get_expiry()
        left_s = max(0, math.ceil(stats.reset_time - time.time()))
        return (
            ("RateLimit-Policy", f'"{rule.name}";q={rule.allowance.amount};w={window_s}'),
            ("RateLimit", f'"{rule.name}";r={stats.remaining};t={left_s}'),
        )

    def _stats(self, rule: Rule, key: str) -> Any:
        return self._ask(lambda: self.limiter.get_window_stats(rule.allowance, rule.name, key))

    def _ask(self, question: Callable[[], Any]) -> Any:
        """What the store answers; None while it is away."""
        now = time.monotonic()
        if now < self._away_until:
            return None
        if self._away_until:
            # while one finds out whether it is back, the others go on without it
            self._away_until = now + PAUSE_S
        try:
            found = question()
        except StorageError:
            self._away_until = time.monotonic() + PAUSE_S
            log.warning("the store of rate limits is away")
            return None
        self._away_until = 0.0
        return found


def init_app(app: Flask, settings: Settings) -> None:
    """Registers the checks when a store is configured."""
    if not settings.ratelimit_storage_uri:
        return
    if settings.ratelimit_storage_uri.startswith("memory"):
        log.warning("rate limits are kept in each worker alone: N workers allow N times as much")
    limits = app.extensions["geoshops.web.rate_limits"] = _limits(settings.ratelimit_storage_uri)
    app.before_request(limits.begin)
    app.after_request(limits.finish)


def _limits(storage_uri: str) -> Limits:
    try:
        return Limits(storage_uri)
    # each kind of store has errors of its own; their texts repeat the address, which may hold a password
    except Exception as error:
        raise ConfigError(
            "GEOSHOPS_RATELIMIT_STORAGE_URI names no store that can be used here"
            f" ({type(error).__name__}): redis://host:6379 or memory://, or nothing for no limits"
        ) from None


def rule_of_request() -> Rule | None:
    """The rule of the request's operation; None for pages, assets and health."""
    endpoint = request.endpoint or ""
    if not endpoint or endpoint.startswith(UNLIMITED):
        return None
    fallback = READS if request.method in ("GET", "HEAD", "OPTIONS") else WRITES
    return BY_ENDPOINT.get(endpoint, fallback)
