"""Acts of members: SQL functions that do everything in one transaction and tell what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from geoshops.database.pool import Database
from geoshops.errors import ApiError, NotFound, Unauthorized
from geoshops.web.idempotency import REPLAYED
from geoshops.web.response import Response, json_text


@dataclass(frozen=True)
class Done:
    """What an act answers: HTTP status, JSON text, when something was made its path, and whether all that is the
    stored response to an earlier request with the same Idempotency-Key."""

    status: int
    body: str
    location: str | None
    replayed: bool


def perform(
    db: Database, statement: str, values: Sequence[object], *, idempotent: bool = False
) -> Done:
    """Runs a statement that selects (refusal, status, body, location) and, where it takes an Idempotency-Key,
    whether the response is a stored one; raises what was refused.

    `idempotent`: whether the act may run again when its connection is lost."""
    refusal, status, body, location, *replayed = db.write(statement, values, idempotent=idempotent)
    if refusal is not None:
        raise refused(refusal)
    return Done(status, body, location, any(replayed))


def refused(refusal: str) -> ApiError:
    """The error of a refusal: `no_<thing>`, `bad_token` or a reason of the catalogue."""
    if refusal == "bad_token":
        return Unauthorized(refusal)
    if refusal.startswith("no_"):
        return NotFound(refusal.removeprefix("no_"))
    return ApiError(refusal)


def answer(done: Done) -> Response:
    """The HTTP answer of an act."""
    headers = {"Location": done.location} if done.location else {}
    if done.replayed:
        headers[REPLAYED] = "true"
    return json_text(done.body, headers, status=done.status)
