"""Validates and normalises opening hours of imports and operator commands."""

from __future__ import annotations

import json
import re
from functools import lru_cache

WANTED = 'must be JSON such as [{"day": 1, "open": "10:00", "close": "22:00"}], day 1 to 7'
KEYS = {"day", "open", "close"}
OPEN = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
CLOSE = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]|24:00")


@lru_cache(maxsize=2_000)
def canonical(text: str) -> str:
    """Returns the hours as JSON that opening_hours_are_valid accepts, [] for blank text; raises ValueError if invalid.

    A day may be 1.0, because pandas writes integer columns with gaps as floats."""
    if not text.strip():
        return "[]"
    try:
        spans = json.loads(text)
    except RecursionError as error:
        raise ValueError(WANTED) from error
    if not isinstance(spans, list):
        raise ValueError(WANTED)
    return json.dumps([_span(span) for span in spans])


def _span(span: object) -> dict[str, object]:
    if not isinstance(span, dict) or span.keys() != KEYS:
        raise ValueError(WANTED)
    day, opens, closes = span["day"], span["open"], span["close"]
    # type(), because bool is a subclass of int; NaN and infinity are not in the range
    if type(day) not in (int, float) or day not in range(1, 8):
        raise ValueError(WANTED)
    if not (_is_time(OPEN, opens) and _is_time(CLOSE, closes)):
        raise ValueError(WANTED)
    return {"day": int(day), "open": opens, "close": closes}


def _is_time(form: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None
