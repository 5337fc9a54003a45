"""Field types of query parameters and JSON bodies, stricter than marshmallow's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import EXCLUDE, Schema, ValidationError, fields

from geoshops.errors import Reason
from geoshops.messages import LANGUAGES
from geoshops.web.examples import DATE

DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")
INTEGER = re.compile(r"-?[0-9]{1,18}\Z")
# Invisible characters besides white space and category Cf: Unicode's Default_Ignorable_Code_Point (variation
# selectors, fillers, tags) and the blanks of single scripts.
INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0\U00013441\U00013442\U00016fe4"
).union(
    *(
        map(chr, range(first, last + 1))
        for first, last in (
            (0x180B, 0x180F), (0xFE00, 0xFE0F), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
        )
    )
)  # fmt: skip
BAD_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
BAD_CHARACTERS_BUT_LINES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
ABSENT_TEXTS = ("", "undefined", "null")
TRUE_TEXTS = ("true", "1")
# The same for the OpenAPI document, as ECMA 262 patterns. Outside the basic plane only single characters: without the
# flag `u`, a range would be one of surrogates.
ALLOWED = r"[^\u0000-\u001f\u007f-\u009f]"
ALLOWED_WITH_LINES = r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]"
VISIBLE = (
    r"[^\s\u0000-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    r"\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
    r"\ufff0-\ufffb"
    "\U00013441\U00013442\U00016fe4]"
)


def invalid(reason: str, **values: object) -> ValidationError:
    """The error of an invalid value, with a reason of the message catalogue."""
    return ValidationError([Reason(reason, values)])


def described(text: str, example: object = None) -> dict[str, object]:
    """Metadata of a documented field."""
    return {"description": text} if example is None else {"description": text, "example": example}


def is_blank(text: str) -> bool:
    """Whether the text has no visible character: only white space, zero-width characters, U+3000."""
    if text.isascii():
        return not text.strip()
    return all(c.isspace() or c in INVISIBLE or unicodedata.category(c) == "Cf" for c in text)


class _Limited:
    """The limits of a number, which the OpenAPI document states."""

    def __init__(self, *, low: float, high: float, **kwargs: Any) -> None:
        kwargs.setdefault("metadata", {}).update(minimum=low, maximum=high)
        super().__init__(**kwargs)
        self.low, self.high = low, high


class Number(_Limited, fields.Float):
    """A strict decimal within limits, from the query."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> float:
        if not isinstance(value, str) or not DECIMAL.match(value):
            raise invalid("not_a_number")
        number = float(value)
        if not self.low <= number <= self.high:
            raise invalid("out_of_range", low=f"{self.low:g}", high=f"{self.high:g}")
        return number


class Latitude(Number):
    """Degrees north."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(low=-90, high=90, **kwargs)


class Longitude(Number):
    """Degrees east."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(low=-180, high=180, **kwargs)


class Integer(_Limited, fields.Integer):
    """A strict whole number within limits, from the query."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if not isinstance(value, str) or not re.match(r"-?[0-9]+\Z", value):
            raise invalid("not_an_integer")
        if not INTEGER.match(value) or not self.low <= int(value) <= self.high:
            raise invalid("out_of_range", low=self.low, high=self.high)
        return int(value)


class WholeNumber(_Limited, fields.Integer):
    """A JSON integer within limits, from a body: not `true`, `4.0` or `"4"`."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if type(value) is not int:
            raise invalid("not_an_integer")
        if not self.low <= value <= self.high:
            raise invalid("out_of_range", low=self.low, high=self.high)
        return value


class Flag(fields.Boolean):
    """`true` or `false`, or 1 or 0, from the query."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if value not in TRUE_TEXTS and value not in ("false", "0"):
            raise invalid("not_a_boolean")
        return value in TRUE_TEXTS


class Text(fields.String):
    """NFC text without control characters; blank text is invalid, or becomes None with `blank_is_none`.

    lines: allows TAB and line ends; exact: keeps the text as sent instead of normalising it."""

    def __init__(
        self,
        *,
        high: int,
        blank_is_none: bool = False,
        lines: bool = False,
        exact: bool = False,
        **kwargs: Any,
    ) -> None:
        allowed = ALLOWED_WITH_LINES if lines else ALLOWED
        pattern = rf"^({allowed}*|\s*)$" if blank_is_none else f"^{allowed}*{VISIBLE}{allowed}*$"
        kwargs.setdefault("metadata", {}).update(maxLength=high, pattern=pattern)
        super().__init__(**kwargs)
        self.high, self.blank_is_none, self.exact = high, blank_is_none, exact
        self.bad = BAD_CHARACTERS_BUT_LINES if lines else BAD_CHARACTERS

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str):
            raise invalid("not_text")
        # checked before control characters: a text of only TABs and line ends is blank
        if is_blank(value):
            if self.blank_is_none:
                return None
            raise invalid("blank")
        if self.bad.search(value):
            raise invalid("bad_characters")
        text = value if self.exact else unicodedata.normalize("NFC", value)
        if len(text) > self.high:
            raise invalid("too_long", high=self.high)
        return text


class Choice(fields.String):
    """One of several words."""

    def __init__(self, choices: tuple[str, ...], **kwargs: Any) -> None:
        kwargs.setdefault("metadata", {}).update(enum=list(choices))
        super().__init__(**kwargs)
        self.choices = choices

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if value not in self.choices:
            raise invalid("not_one_of", choices=", ".join(self.choices))
        return str(value)


class Language(Choice):
    """A language of display names."""

    def __init__(self) -> None:
        text = f"Adds `display` to each shop, with names and address in this language: {', '.join(LANGUAGES)}"
        super().__init__(LANGUAGES, load_default=None, metadata={"description": text})
        # The default is null, which an enumeration of strings must not contain.
        self.metadata = {"description": text, "pattern": f"^({'|'.join(LANGUAGES)})$"}


class Box(fields.String):
    """`minLng,minLat,maxLng,maxLat` in degrees; min above max crosses the 180th meridian."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        parts = value.split(",") if isinstance(value, str) else []
        if len(parts) != 4 or not all(DECIMAL.match(part) for part in parts):
            raise invalid("bad_box")
        west, south, east, north = (float(part) for part in parts)
        if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
            raise invalid("bad_box")
        return (west, south, east, north)


class DateArray(fields.List[int]):
    """[year, month, day, hour, minute, second] in a response, with nanoseconds appended if they are not zero."""

    def __init__(self) -> None:
        stated = {"minItems": 6, "maxItems": 7, "example": DATE}
        super().__init__(fields.Integer(), required=True, metadata=stated)


class Args(Schema):
    """Query parameters. Unknown names are ignored; numbers sent empty (or as JavaScript's `undefined`) count as absent.

    only_known: unknown names are rejected instead.
    aliases: other names of parameters, with the actual names; the actual name wins if both are sent."""

    only_known: ClassVar[bool] = False
    aliases: ClassVar[Mapping[str, str]] = {}

    class Meta:
        unknown = EXCLUDE

    def complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """Combines parameters that form one value; raises ValidationErrors by field."""
        return values


class Body(Schema):
    """A JSON body. Unknown keys are ignored."""

    class Meta:
        unknown = EXCLUDE


def name_of(key: str, field: fields.Field[Any]) -> str:
    """The name under which a client sends the field."""
    return field.data_key or key


def is_absent(field: fields.Field[Any], texts: list[str]) -> bool:
    """Whether a query parameter counts as absent."""
    if len(texts) != 1 or not isinstance(field, Number | Integer | Flag):
        return False
    return is_blank(texts[0]) or (not field.required and texts[0] in ABSENT_TEXTS)


def looks_swapped(field: fields.Field[Any], key: str, raw: Mapping[str, Any]) -> bool:
    """Whether an out-of-range latitude and its longitude would both be valid if they were swapped."""
    if not isinstance(field, Latitude):
        return False
    texts = (raw.get(key, [""])[0], raw.get(key.replace("Lat", "Lng"), [""])[0])
    if not all(DECIMAL.match(text) for text in texts):
        return False
    latitude, longitude = map(float, texts)
    return abs(latitude) <= 180 and abs(longitude) <= 90
