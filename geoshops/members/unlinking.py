"""Unlinks members who left at their identity provider; failed attempts are retried."""

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
    """Unlinks a user at a provider; raises ApiError if that fails."""

    def __call__(self, *, provider: str, subject: str, sealed_token: bytes | None) -> None:
        """Unlinks the provider's user `subject`."""


def init_app(app: Flask, unlink: Unlink) -> None:
    """Registers the function that calls the providers."""
    app.extensions["geoshops.members.unlink"] = unlink


def attempt(db: Database, entry: PendingUnlink) -> bool:
    """Tries to unlink one user and records the outcome; returns False if the provider fails."""
    unlink = cast(Unlink, current_app.extensions["geoshops.members.unlink"])
    try:
        unlink(provider=entry.provider, subject=entry.subject, sealed_token=entry.sealed_token)
    except ApiError as error:
        log.warning("unlink %s failed; it will be retried: %s", entry.id, error.message())
        queries.unlink_failed(db, entry, error.reason)
        return False
    queries.unlinked(db, entry)
    return True
