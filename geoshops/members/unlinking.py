"""Cutting the link at the identity provider for members who left; failures stay on a list."""

from __future__ import annotations

import logging
from typing import Protocol, cast

from flask import current_app

from geoshops.database.pool import Database
from geoshops.errors import ApiError
from geoshops.members import queries
from geoshops.members.queries import PendingUnlink

log = logging.getLogger(__name__)


class Unlinker(Protocol):
    """The configured providers, given to the application by sign-in."""

    def unlink(self, *, provider: str, subject: str, sealed_token: bytes | None) -> None:
        """Cuts a link; ApiError when that could not be done now."""


def attempt(db: Database, entry: PendingUnlink) -> bool:
    """Tries one unlinking; its outcome is on the list, nothing is raised for the provider's failure."""
    unlinker = cast(Unlinker, current_app.extensions["geoshops.providers"])
    try:
        unlinker.unlink(
            provider=entry.provider, subject=entry.subject, sealed_token=entry.sealed_token
        )
    except ApiError as error:
        log.warning("unlinking %s stays on the list: %s", entry.id, error.message(korean=False))
        queries.unlink_failed(db, entry, error.reason)
        return False
    queries.unlinked(db, entry)
    return True
