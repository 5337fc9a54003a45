"""Content negotiation: Accept and Accept-Language, parsed as leniently as clients write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from werkzeug.http import parse_list_header, parse_options_header

from geoshops.errors import ApiError

# also accepts .2 without a zero, as Java's HttpURLConnection sends it
WEIGHT = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+", re.ASCII)

# Language → pattern of its BCP 47 tags; the first match counts, and nginx uses the same patterns. Chinese in Taiwan,
# Hong Kong and Macao uses traditional characters unless the tag names a script.
LANGUAGE_TAGS = {
    language: rf"{begin}(?![a-z0-9])"
    for language, begin in {
        "ko": "ko",
        "en": "en",
        "ja": "ja",
        "zh-Hant": "zh-(?:hant|tw|hk|mo)",
        "zh-Hans": "zh",
    }.items()
}


def weighted(header: str) -> list[tuple[str, float]]:
    """The items of a header in the order sent, in lower case, with their weights from 0 to 1.

    Ignores other parameters and weights that are not numbers."""
    items = (parse_options_header(item) for item in parse_list_header(header))
    return [(name.lower(), _weight(options.get("q", "1"))) for name, options in items if name]


def best_language(header: str) -> str | None:
    """The supported language with the highest weight above 0, the first of equals; None if there is none."""
    accepted = sorted((item for item in weighted(header) if item[1] > 0), key=lambda item: -item[1])
    languages = (_language_of(tag) for tag, _ in accepted)
    return next(filter(None, languages), None)


def _language_of(tag: str) -> str | None:
    found = (
        name for name, pattern in LANGUAGE_TAGS.items() if re.match(pattern, tag, re.IGNORECASE)
    )
    return next(found, None)


def negotiate(header: str | None, produced: Sequence[str]) -> str:
    """The media type of the response; raises ApiError if the client accepts none of those produced."""
    if header is None or header == "*/*":
        return produced[0]
    if header in produced:
        return header
    chosen = best_type(header, produced)
    if chosen is None:
        raise ApiError("not_acceptable")
    return chosen


def best_type(header: str, produced: Sequence[str]) -> str | None:
    """The produced media type that Accept prefers, the first of equals; None if it accepts none.

    An empty header accepts any type."""
    ranges = weighted(header)
    if not ranges:
        return produced[0]
    preferences = {media: _preference(media, ranges) for media in produced}
    best = max(produced, key=lambda media: preferences[media])
    return best if preferences[best][0] > 0 else None


def _preference(media: str, ranges: Sequence[tuple[str, float]]) -> tuple[float, int]:
    """The weight of the most specific range that matches a media type, and its specificity."""
    specificity = {"*": 0, "*/*": 0, f"{media.partition('/')[0]}/*": 1, media: 2}
    matches = [(specificity[name], weight) for name, weight in ranges if name in specificity]
    level, weight = max(matches, default=(0, 0.0))
    return weight, level


def _weight(text: str) -> float:
    return min(float(text), 1.0) if WEIGHT.fullmatch(text) else 1.0
