"""Rate limits: off unless configured; per address for reads, per member for writes, stricter at sign-in.

They are checked after the representation and before authentication, as the contract orders. The
allowance lies in a shared store where one is configured; the store in the process is one per worker."""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, g, request
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter
from werkzeug.exceptions import HTTPException

from geoshops import tokens
from geoshops.config import Settings
from geoshops.errors import ApiError, Unavailable

log = logging.getLogger(__name__)
UNLIMITED = ("health.", "map.", "title_images.")


def address() -> str:
    """The client's address; behind proxies only as far as GEOSHOPS_TRUSTED_PROXIES believes them."""
    return request.remote_addr or "unknown"


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
        body = request.get_json(silent=True)
    except HTTPException:
        body = None
    token = body.get("refresh_token") if isinstance(body, dict) else None
    return (
        hashlib.sha256(token.encode()).hexdigest()
        if isinstance(token, str) and token
        else address()
    )


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
            storage_from_string(storage_uri, wrap_exceptions=True)
        )

    def begin(self) -> None:
        """Takes from the allowance, or refuses."""
        rule = rule_of_request()
        if rule is None:
            return
        key = rule.key()
        take = self.limiter.test if rule.failures_only else self.limiter.hit
        allowed = self._ask(rule, lambda: take(rule.allowance, rule.name, key), True)
        g.rate_limit = (rule, key)
        if not allowed:
            raise ApiError(
                "too_many_requests", headers={"Retry-After": str(self._seconds(rule, key))}
            )

    def finish(self, response: Response) -> Response:
        """Counts a failed sign-in and says what is left."""
        if "rate_limit" not in g:
            return response
        rule, key = g.rate_limit
        if rule.failures_only and response.status_code >= 400:
            self._ask(rule, lambda: self.limiter.hit(rule.allowance, rule.name, key), True)
        stats = self._ask(
            rule, lambda: self.limiter.get_window_stats(rule.allowance, rule.name, key), None
        )
        if stats:
            window_s = rule.allowance.get_expiry()
            left_s = max(0, math.ceil(stats.reset_time - time.time()))
            response.headers["RateLimit-Policy"] = (
                f'"{rule.name}";q={rule.allowance.amount};w={window_s}'
            )
            response.headers["RateLimit"] = f'"{rule.name}";r={stats.remaining};t={left_s}'
        return response

    def _seconds(self, rule: Rule, key: str) -> int:
        stats = self.limiter.get_window_stats(rule.allowance, rule.name, key)
        return max(1, math.ceil(stats.reset_time - time.time()))

    def _ask(self, rule: Rule, question: Callable[[], Any], without_store: Any) -> Any:
        """Without the store the service stays open, but for sign-in and refresh."""
        try:
            return question()
        except StorageError:
            log.warning("the store of rate limits is away")
            if rule.closed_without_store:
                raise Unavailable from None
            return without_store


def init_app(app: Flask, settings: Settings) -> None:
    """Registers the checks when a store is configured."""
    if not settings.ratelimit_storage_uri:
        return
    if settings.ratelimit_storage_uri.startswith("memory"):
        log.warning("rate limits are kept in each worker alone: N workers allow N times as much")
    limits = Limits(settings.ratelimit_storage_uri)
    app.before_request(limits.begin)
    app.after_request(limits.finish)


def rule_of_request() -> Rule | None:
    """The rule of the request's operation; None for pages, assets and health."""
    endpoint = request.endpoint or ""
    if not endpoint or endpoint.startswith(UNLIMITED):
        return None
    fallback = READS if request.method in ("GET", "HEAD", "OPTIONS") else WRITES
    return BY_ENDPOINT.get(endpoint, fallback)
