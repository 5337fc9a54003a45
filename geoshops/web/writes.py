"""Results of command functions, and the HTTP statuses and errors of their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from geoshops.database.pool import Database
from geoshops.database.statements import Statement
from geoshops.errors import ApiError, NotFound, SessionEnded
from geoshops.web.idempotency import REPLAYED
from geoshops.web.response import Response, json_text

STATUSES = {"created": 201, "existing": 200, "changed": 200, "deleted": 200}
ERRORS: Mapping[str, Callable[[], ApiError]] = {
    "session_ended": SessionEnded,
    "session_missing": partial(NotFound, "session"),
    "shop_missing": partial(NotFound, "shop"),
    "review_missing": partial(NotFound, "review"),
    "title_missing": partial(NotFound, "title"),
    "not_author": partial(ApiError, "not_author"),
    "too_many_reviews": partial(ApiError, "too_many_reviews"),
    "nickname_taken": partial(ApiError, "nickname_taken"),
    "title_not_held": partial(ApiError, "title_not_held"),
    "key_reused": partial(ApiError, "key_reused"),
}


@dataclass(frozen=True)
class Result:
    """The outcome of a command and the written row as JSON. Commands with an Idempotency-Key also return the id of
    the created item, and whether this is the stored result of an earlier request with the same key."""

    outcome: str
    body: str = ""
    item_id: int | None = None
    replayed: bool = False


def run(
    db: Database, command: Statement, values: Mapping[str, object], *, idempotent: bool = False
) -> Result:
    """Runs a statement that selects the columns of a Result; raises the error that its outcome means.

    `idempotent`: whether the command may run again when its connection is lost."""
    outcome, *rest = db.write(command, values, idempotent=idempotent)
    check(outcome)
    return Result(outcome, *rest)


def check(outcome: str) -> None:
    """Raises the error of an outcome, if it has one."""
    if outcome in ERRORS:
        raise ERRORS[outcome]()


def respond(result: Result, *, location: str | None = None) -> Response:
    """The response to a command; `location` is the path of the created item, sent only if one was created."""
    status = STATUSES[result.outcome]
    headers = {"Location": location} if location and status == 201 else {}
    if result.replayed:
        headers[REPLAYED] = "true"
    return json_text(result.body, headers, status=status)
