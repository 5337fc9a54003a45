"""Read operations: functions from a request's values to a response, called without Flask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from werkzeug.wrappers import Request

from geoshops.config import Settings
from geoshops.database.pool import Database
from geoshops.web.contract import Contract
from geoshops.web.parsing import BodyLoader, Query, QueryLoader
from geoshops.web.response import Response


class RequestContext(NamedTuple):
    """The request of a read operation, besides the loaded parameters.

    path and query are used for links to pages; media_type is the negotiated one."""

    db: Database
    settings: Settings
    origin: str
    path: str
    query: Query
    media_type: str

    def sent(self, *names: str) -> dict[str, str]:
        """The first value of each sent parameter; only of the named ones if names are given."""
        return {name: self.query[name][0] for name in names or self.query if name in self.query}


Read = Callable[..., Response]


class ReadOperation(NamedTuple):
    """An operation, called as read(context, args, body, **ids of the path), and with caller= unless auth is `none`.

    load: None for an operation without parameters, which gets no args; load_body: None for one without a body."""

    read: Read
    load: QueryLoader | None
    load_body: BodyLoader | None
    auth: str
    contract: Contract

    def run(self, context: RequestContext, request: Request, **more: Any) -> Response:
        """Loads the query and the body, and calls the function."""
        args = [self.load(context.query)] if self.load else []
        if self.load_body:
            args.append(self.load_body(request))
        return self.read(context, *args, **more)
