"""The texts of the map page: one JSON file per language."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from markupsafe import Markup

FOLDER = Path(__file__).parent / "texts"


@cache
def texts(language: str) -> dict[str, str]:
    """The texts of the page in a language of geoshops.messages.LANGUAGES, by key."""
    loaded: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return loaded


def text(language: str, key: str, **values: object) -> str:
    """A text with its placeholders filled; if it has two forms, the first one for `n` = 1."""
    singular, _, plural = texts(language)[key].partition("|")
    form = plural if plural and str(values.get("n")) != "1" else singular
    # not str.format, which would interpret braces and attributes in a shop's name
    for name, value in values.items():
        form = form.replace(f"{{{name}}}", str(value))
    return form


@cache
def embedded(language: str) -> Markup:
    """The texts as JSON, escaped so that they cannot end the enclosing script element."""
    body = json.dumps(texts(language), ensure_ascii=False, separators=(",", ":"))
    return Markup(body.replace("<", r"\u003c"))
