"""The properties of an operation that the pipeline needs."""

from __future__ import annotations

from dataclasses import dataclass

from geoshops.web.fields import TRUE_TEXTS
from geoshops.web.parsing import Query
from geoshops.web.rate_limits import RateLimit
from geoshops.web.response import JSON


@dataclass(frozen=True)
class Contract:
    """An operation's media types, caching and rate limit, and whether it is a command, that is, whether it writes.

    cache: `shared` (public unless a token was sent, always revalidated) or `none` (no-store).
    json_only: the query flag that restricts the response to JSON.
    max_body_bytes: the maximum size of a body; 0 for the general limit."""

    media_types: tuple[str, ...]
    cache: str
    is_command: bool
    limit: RateLimit
    json_only: str = ""
    max_body_bytes: int = 0

    def produced(self, query: Query) -> tuple[str, ...]:
        """The media types available to a request with this query."""
        if self.json_only and query.get(self.json_only, ("",))[0] in TRUE_TEXTS:
            return (JSON,)
        return self.media_types
