"""The request as it came: its identifier, its time, what failed before the framework had it, and the object without its
proxy."""

from __future__ import annotations

import re
import time
from random import getrandbits
from typing import Any

from flask import Request, current_app, request

ALLOWED = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")
# where the environment holds the identifier, and what the clock said
IDENTIFIER, CAME_S = "geoshops.request_id", "geoshops.came_s"
# the error of the direct way, which the framework answers
FAILED = "geoshops.failed"


def name_request(environ: dict[str, Any]) -> str:
    """Gives the request the identifier that it brought, or a new one, and the time."""
    sent = environ.get("HTTP_X_REQUEST_ID", "")
    environ[CAME_S] = time.perf_counter()
    identifier: str = sent if ALLOWED.match(sent) else f"{getrandbits(128):032x}"
    environ[IDENTIFIER] = identifier
    return identifier


def contract_of(asked: Request) -> Any:
    """What the operation of a request states of itself (api.Contract); None where there is none."""
    return getattr(current_app.view_functions.get(asked.endpoint or ""), "contract", None)


def this_request() -> Request:
    """The request itself: an attribute asked of the proxy takes 0.5 us instead of 0.04, and two dozen
    were a tenth of the Python of a radius search."""
    found: Request = request._get_current_object()  # type: ignore[attr-defined]
    return found
