"""The overview of the API's operations at /docs, in English or Korean."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, NamedTuple

from flask import current_app
from markupsafe import Markup, escape

from geoshops.web import assets

# of the texts at static/docs; the OpenAPI document itself is English
LANGUAGES = {"en": "English", "ko": "한국어"}
METHODS = ("get", "post", "patch", "delete")
SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
BOLD = re.compile(r"\*\*([^*]+)\*\*")
REQUEST = "GET /shops"


class Operation(NamedTuple):
    """An operation in the overview; `anchor` is its fragment in Swagger UI."""

    anchor: str
    method: str
    path: str
    summary: str
    is_members: bool


class Group(NamedTuple):
    """The operations of one tag."""

    title: str
    operations: list[Operation]


class Overview(NamedTuple):
    """What the page shows without Swagger UI."""

    version: str
    start: str
    steps: list[Markup]
    groups: list[Group]


@cache
def texts(language: str) -> dict[str, Any]:
    """The texts of the page, and of the operations where the language is not that of the document."""
    path = assets.FOLDER / "docs" / f"{language}.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


@cache
def overview(language: str) -> Overview:
    """The overview of the current application's operations; all applications have the same."""
    document = current_app.extensions["flask-smorest"]["apis"][""]["ext_obj"].spec.to_dict()
    # one section in each language
    sections = SECTION.split(document["info"]["description"])[1:]
    at = 2 * [*LANGUAGES].index(language)
    known = texts(language)
    groups = [
        Group(
            known.get("tags", {}).get(tag["name"], tag["description"]),
            _operations(document, tag["name"], known.get("operations", {})),
        )
        for tag in document["tags"]
    ]
    steps = _items(sections[at + 1])
    return Overview(document["info"]["version"], sections[at], steps, groups)


def _operations(document: dict[str, Any], tag: str, known: dict[str, Any]) -> list[Operation]:
    return [
        Operation(
            f"/{tag}/{operation['operationId']}",
            method,
            path,
            known.get(operation["operationId"], operation)["summary"],
            operation.get("security") == [{"bearer": []}],
        )
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS and tag in operation["tags"]
    ]


def _items(markdown: str) -> list[Markup]:
    """The items of a list in Markdown as HTML: code, bold, and links to requests that need no sign-in."""
    return [_inline(" ".join(item.split())) for item in re.split(r"^- ", markdown, flags=re.M)[1:]]


def _inline(text: str) -> Markup:
    html = CODE.sub(_code, str(escape(text)))
    return Markup(BOLD.sub(r"<strong>\1</strong>", html))  # escaped above


def _code(match: re.Match[str]) -> str:
    code = f"<code>{match[1]}</code>"
    if not match[1].startswith(REQUEST):
        return code
    return f'<a href="{match[1].removeprefix("GET ")}">{code}</a>'
