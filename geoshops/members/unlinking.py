"""Unlinks members who left at their identity provider; what fails stays on a list."""

from __future__ import annotations

import logging
from typing import Protocol, cast

from flask import Flask, current_app

from geoshops.database.pool import Database
from geoshops.errors import ApiError
from geoshops.members import queries
from geoshops.members.queries import PendingUnlink

log = logging.getLogger(__name__)


class Unlink(Protocol):
    """Cuts a member's link at a provider; ApiError when that cannot be done now."""

    def __call__(self, *, provider: str, subject: str, sealed_token: bytes | None) -> None:
        """Cuts the link of the provider's user `subject`."""


def init_app(app: Flask, unlink: Unlink) -> None:
    """Gives the feature the function that calls the providers."""
    app.extensions["geoshops.members.unlink"] = unlink


def attempt(db: Database, entry: PendingUnlink) -> bool:
    """Tries one unlinking and records the outcome on the list; a provider's failure raises nothing."""
    unlink = cast(Unlink, current_app.extensions["geoshops.members.unlink"])
    try:
        unlink(provider=entry.provider, subject=entry.subject, sealed_token=entry.sealed_token)
    except ApiError as error:
        log.warning("unlinking %s stays on the list: %s", entry.id, error.message())
        queries.unlink_failed(db, entry, error.reason)
        return False
    queries.unlinked(db, entry)
    return True
