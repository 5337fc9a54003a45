"""The WSGI environment of the request that the current thread handles, for code below Flask."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

CURRENT: ContextVar[dict[str, Any] | None] = ContextVar("geoshops.current", default=None)
