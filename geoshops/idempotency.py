"""Idempotency-Key: a creating request that is repeated has one effect and one answer.

The answer is stored by the act's own SQL function, in the act's own transaction; refusals are not stored."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import click
from flask import request, url_for
from flask.cli import with_appcontext

from geoshops.db import Database
from geoshops.errors import ApiError
from geoshops.operators import failing_clearly, operator_database

HEADER = "Idempotency-Key"
KEY = re.compile(r"[\x21-\x7e]{1,255}\Z")
PARAMETER: dict[str, object] = {
    "in": "header",
    "name": HEADER,
    "description": "A repeated request with the same key and body gets the answer of the first",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}  # fmt: skip

REPLAYED = "Idempotency-Replayed"
REPLAYED_HEADER: dict[str, object] = {
    REPLAYED: {
        "description": "true when this is the stored response to an earlier request with the key",
        "schema": {"type": "string", "enum": ["true"]},
    }
}

# a hundred years: PostgreSQL knows no time too far back
LONGEST_KEPT_HOURS = 876_000


@dataclass(frozen=True)
class Key:
    """The key of a request and what it asks for; both None when the client sent no key."""

    text: str | None
    request_hash: bytes | None


def key_of(body: Mapping[str, object]) -> Key:
    """The request's key; `body` is what was read of it, so that spelling does not count.

    Neither does it in the path, and the query is not asked: a phone that tries again has moved."""
    text = request.headers.get(HEADER)
    if text is None:
        return Key(None, None)
    if not KEY.match(text):
        raise ApiError("bad_key", name=HEADER)
    path = url_for(str(request.endpoint), **(request.view_args or {}))
    asked = [request.method, path, sorted(body.items())]
    return Key(text, hashlib.sha256(json.dumps(asked).encode()).digest())


CLEAN = """
WITH gone AS (
  DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => %s) RETURNING key
)
SELECT count(*) FROM gone"""


def clean(db: Database, *, older_than_hours: int) -> int:
    """Forgets answers older than that many hours and returns how many they were."""
    return int(db.act(CLEAN, (older_than_hours,), idempotent=True)[0])


@click.group("idempotency")
def commands() -> None:
    """Stored answers of repeated requests."""


@commands.command("clean")
@click.option(
    "--older-than-hours", default=24, show_default=True, type=click.IntRange(24, LONGEST_KEPT_HOURS)
)
@with_appcontext
@failing_clearly
def clean_command(older_than_hours: int) -> None:
    """Forget stored answers; they are kept at least 24 hours.

    `geoshops timer`, which scripts/serve starts, runs it daily."""
    click.echo(f"{clean(operator_database(), older_than_hours=older_than_hours)} answers forgotten")
