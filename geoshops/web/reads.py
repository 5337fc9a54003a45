"""Read operations: functions from a request's values to a response, called without Flask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from flask import request

from geoshops.config import Settings
from geoshops.database.pool import Database, database
from geoshops.web.contract import Contract
from geoshops.web.parsing import Query, QueryLoader, parse_query
from geoshops.web.request import MEDIA_TYPE, path_of, public_url, settings
from geoshops.web.response import Response


class RequestContext(NamedTuple):
    """What a read operation knows of its request besides the loaded parameters.

    path and query make the links of pages; media_type is the one negotiated."""

    db: Database
    settings: Settings
    origin: str
    path: str
    query: Query
    media_type: str

    def sent(self, *names: str) -> dict[str, str]:
        """The first texts of these parameters, of those that were sent; of all when none is named."""
        return {name: self.query[name][0] for name in names or self.query if name in self.query}


def context_of_flask() -> RequestContext:
    """The context of Flask's current request, for a read that Flask serves."""
    environ = request.environ
    query = parse_query(environ.get("QUERY_STRING", ""))
    return RequestContext(
        database(), settings(), public_url(), path_of(environ), query, environ[MEDIA_TYPE]
    )


Read = Callable[..., Response]


class ReadOperation(NamedTuple):
    """An operation, called as read(context, args, **ids of the path), and with caller= unless auth is `none`.

    load: None for an operation without parameters, which gets no args."""

    read: Read
    load: QueryLoader | None
    auth: str
    contract: Contract

    def run(self, context: RequestContext, **more: Any) -> Response:
        """Loads the query and calls the function."""
        args = (self.load(context.query),) if self.load else ()
        return self.read(context, *args, **more)
