"""What the pipeline has to know of an operation."""

from __future__ import annotations

from dataclasses import dataclass

from geoshops.web.fields import TRUE_TEXTS
from geoshops.web.parsing import Query
from geoshops.web.rate_limits import RateLimit
from geoshops.web.response import JSON


@dataclass(frozen=True)
class Contract:
    """An operation's media types, caching, rate limit, and whether it is a command, which changes something.

    cache: `shared` (public unless a token was sent, always revalidated) or `none` (no-store).
    json_only: the flag of the query under which only JSON is produced.
    max_body_bytes: how large a body may be; 0 for the limit of all operations."""

    media_types: tuple[str, ...]
    cache: str
    is_command: bool
    limit: RateLimit
    json_only: str = ""
    max_body_bytes: int = 0

    def produced(self, query: Query) -> tuple[str, ...]:
        """The media types that a request with this query may choose from."""
        if self.json_only and query.get(self.json_only, ("",))[0] in TRUE_TEXTS:
            return (JSON,)
        return self.media_types
