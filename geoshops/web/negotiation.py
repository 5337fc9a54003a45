"""What a client prefers: lists such as Accept and Accept-Language, read as loosely as clients write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from werkzeug.http import parse_list_header, parse_options_header

# also .2 without its zero, as Java's HttpURLConnection sends it
WEIGHT = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+", re.ASCII)


def weighted(header: str) -> list[tuple[str, float]]:
    """The items of a list in the order in which they were sent, in lower case, with their weights from 0 to 1.

    Other parameters say nothing; a weight that is no number counts as not given."""
    items = (parse_options_header(item) for item in parse_list_header(header))
    return [(name.lower(), _weight(options.get("q", "1"))) for name, options in items if name]


def best_language(header: str, known: Sequence[str]) -> str | None:
    """The language that a client likes best among those known, the first of equals; None where it likes none.

    A weight of 0 is a refusal."""
    liked = sorted((item for item in weighted(header) if item[1] > 0), key=lambda item: -item[1])
    languages = (tag.partition("-")[0] for tag, _ in liked)
    return next((language for language in languages if language in known), None)


def best_type(header: str, produced: Sequence[str]) -> str | None:
    """The media type that a client likes best among those produced, the first of equals; None where it takes none.

    A header that names nothing is as good as none: any will do."""
    ranges = weighted(header)
    if not ranges:
        return produced[0]
    liked = {media: _liking(media, ranges) for media in produced}
    best = max(produced, key=lambda media: liked[media])
    return best if liked[best][0] > 0 else None


def _liking(media: str, ranges: Sequence[tuple[str, float]]) -> tuple[float, int]:
    """The weight that the closest range gives a type, and how close it is."""
    closeness = {"*": 0, "*/*": 0, f"{media.partition('/')[0]}/*": 1, media: 2}
    found = [(closeness[name], weight) for name, weight in ranges if name in closeness]
    close, weight = max(found, default=(0, 0.0))
    return weight, close


def _weight(text: str) -> float:
    return min(float(text), 1.0) if WEIGHT.fullmatch(text) else 1.0
