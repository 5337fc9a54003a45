"""`geoshops search`: shows operators how the service interprets a keyword."""

from __future__ import annotations

import json
from typing import Any

import click
from flask.cli import with_appcontext

from geoshops.database.pool import database
from geoshops.errors import ApiError
from geoshops.operations.commands import failing_clearly
from geoshops.search import queries
from geoshops.search.schemas import KeywordArgs
from geoshops.web.parsing import QueryLoader
from geoshops.web.request import settings

# messages of GET /shops name its query parameters; these are the names of the command's arguments
NAMED_HERE = (("[userLng]", "--at: LNG"), ("[userLat]", "--at: LAT"), ("[keyword]", "KEYWORD"))


@click.command("search")
@click.argument("keyword")
@click.option(
    "--at",
    type=(float, float),
    default=queries.SEOUL_CITY_HALL,
    show_default="Seoul's city hall",
    metavar="LNG LAT",
    help="Position of the user.",
)
@click.option("--limit", type=click.IntRange(1, queries.WHOLE_LIST), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the response of explain=true.")
@with_appcontext
@failing_clearly
def search(keyword: str, at: tuple[float, float], limit: int, as_json: bool) -> None:
    """Search as GET /shops does, and print how KEYWORD was understood."""
    args = _load_args(keyword, at)
    shops = queries.by_keyword(database(), origin="", zone=settings().timezone, caller=None, **args)
    explained = json.loads(shops.body)
    explained["shops"] = explained["shops"][:limit]
    if as_json:
        click.echo(json.dumps(explained, ensure_ascii=False))
        return
    for line in explanation(explained, shops.total, shops.truncated):
        click.echo(line)


def _load_args(keyword: str, at: tuple[float, float]) -> dict[str, Any]:
    """Loads the arguments as GET /shops does; raises UsageError if they are invalid."""
    lng, lat = map(str, at)
    sent = {"keyword": keyword, "userLng": lng, "userLat": lat, "explain": "true"}
    try:
        return QueryLoader(KeywordArgs())({name: [text] for name, text in sent.items()})
    except ApiError as error:
        message = error.message()
        for name, here in NAMED_HERE:
            message = message.replace(name, here)
        raise click.UsageError(message) from None


def explanation(explained: dict[str, Any], total: int, truncated: bool) -> list[str]:
    """The response of explain=true as lines of text."""
    lines = [f"{p['kind']:8} {p['text']}{_meant(p)}" for p in explained["understood"]]
    more = " or more" if truncated else ""
    lines.append(f"pass     {explained['pass']}: {total}{more} shops")
    for shop in explained["shops"]:
        why = shop["why"]
        lines.append(
            f"{why['place']:4} {why['match']:10} {shop['distance']:>7}  {shop['id']:>8}  {shop['place_name']}"
        )
    return lines


def _meant(piece: dict[str, Any]) -> str:
    names = piece["names"]
    return f" = {', '.join(names[:5])}{' …' if len(names) > 5 else ''}" if names else ""
