"""Field parsers: convert text from a file to a clean value, or raise an error with the reason."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from geoshops import opening_hours

BLANK = re.compile("[\\s\u00ad\u200b-\u200d\u2060\u3164\ufeff]+")
FILLER = "\u3164"  # Hangul filler: an invisible letter
INVISIBLE_ENDS = " \t\r\n\u3000\u00a0\u200b\ufeff"
ROAD = re.compile(r"(로|길)\s*(지하\s*)?\d")
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
DATE = re.compile(r"(\d{4})([-./]?)(\d{1,2})\2(\d{1,2})(?:$|[ T].*)", re.ASCII)
# the semicolon is required, because AT&T and Q&LTD contain no entity
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
PLACEHOLDERS = frozenset((
    "", "n/a", "none", "null", "nil", "nan", "undefined", "unknown", "not available", "not applicable", "tbd", "tba",
    "no address", "no address available", "address not available", "unknown address", "address unknown",
    "no phone", "no phone number", "no website", "no homepage", "no url", "no data",
    "없음", "주소 없음", "주소없음", "전화 없음", "전화없음", "정보 없음", "정보없음", "해당 없음", "해당없음", "미상", "미정",
))  # fmt: skip
AROUND_PLACEHOLDERS = " []()<>{}*#-_.?\"'"
LONGEST_PLACEHOLDER = 30
STATUS_WORDS = {
    "": "OPEN", "open": "OPEN", "temp_closed": "TEMP_CLOSED", "closed": "CLOSED",
    "영업": "OPEN", "영업/정상": "OPEN", "정상": "OPEN", "영업중": "OPEN",
    "휴업": "TEMP_CLOSED", "휴업중": "TEMP_CLOSED", "폐업": "CLOSED",
    "취소/말소/만료/정지/중지": "CLOSED", "제외/삭제/전출": "CLOSED",
}  # fmt: skip


class InvalidValue(ValueError):
    """The value is invalid; the message gives the reason."""


class Text:
    """Trimmed NFC text on one line; control characters are rejected, formulas stay text.

    HTML entities in `encoded` text are decoded. Unless the text is `needed`, placeholders of missing values become
    empty."""

    def __init__(self, at_most: int, *, needed: bool = False, encoded: bool = False) -> None:
        self.at_most = at_most
        self.needed = needed
        self.encoded = encoded

    def __call__(self, value: str) -> str:
        """The clean text; raises InvalidValue."""
        if self.encoded and "&" in value:
            value = _decoded(value)
        if not (value.isascii() and value.isprintable()):
            value = _visible(value)
        value = value.strip()
        if len(value) > self.at_most:
            raise InvalidValue(f"longer than {self.at_most} characters")
        if self.needed and not BLANK.sub("", value):
            raise InvalidValue("blank")
        return "" if not self.needed and is_placeholder(value) else value

    def column(self, values: Sequence[str]) -> list[str]:
        """Parses many values at once; fast if none needs cleaning."""
        # A space does not combine with other characters, so the joined text is NFC if and only if every value is.
        whole = " ".join(values)
        if not (whole.isprintable() and unicodedata.is_normalized("NFC", whole)) or (
            self.encoded and "&" in whole
        ):
            return [self(value) for value in values]
        trimmed = [*map(str.strip, values)]
        # printable text is blank only if it is empty or consists of spaces and fillers
        doubtful = self.needed and ("" in trimmed or FILLER in whole)
        if doubtful or max(map(len, trimmed), default=0) > self.at_most:
            return [self(value) for value in values]
        empty = set() if self.needed else {*filter(is_placeholder, {*trimmed})}
        return ["" if value in empty else value for value in trimmed] if empty else trimmed


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a missing one, such as [NO ADDRESS], N/A and 없음."""
    if len(value) > LONGEST_PLACEHOLDER:
        return False
    return value.strip(AROUND_PLACEHOLDERS).casefold() in PLACEHOLDERS


def text(at_most: int) -> Text:
    """Optional text, stored as it is."""
    return Text(at_most)


def words(at_most: int) -> Text:
    """Optional text for display; HTML entities are decoded."""
    return Text(at_most, encoded=True)


def web_address(value: str) -> str:
    """An http or https address; other schemes could run code in a page."""
    value = text(500)(value)
    if value and re.search(r"\s", value):
        raise InvalidValue("must not contain blanks")
    if value and not value.lower().startswith(("http://", "https://")):
        raise InvalidValue("must begin with http:// or https://")
    return value


@lru_cache(maxsize=20_000)
def day(value: str) -> str | None:
    """Parses 2026-11-20, 20261120, 2026.11.20 or 2026/11/20 and ignores a time after it; None if blank."""
    value = value.strip()
    if is_placeholder(value):
        return None
    match = DATE.fullmatch(value)
    try:
        if match:
            return date(int(match[1]), int(match[3]), int(match[4])).isoformat()
    except ValueError:
        pass
    raise InvalidValue(f"{value[:40]!r} must be a date such as 2026-11-20")


def status(value: str) -> str:
    """OPEN, TEMP_CLOSED or CLOSED, from these words or those of the Korean licence register."""
    try:
        return STATUS_WORDS[value.strip().lower()]
    except KeyError:
        raise InvalidValue(f"{value[:40]!r} must be OPEN, TEMP_CLOSED or CLOSED") from None


def hours(value: str) -> str:
    """Opening hours as JSON for the database; [] if blank."""
    try:
        return opening_hours.canonical("" if is_placeholder(value) else value)
    except ValueError:
        raise InvalidValue(opening_hours.WANTED) from None


def number(value: str) -> float:
    """A decimal number without thousands separators, NaN or full-width digits."""
    value = value.strip()
    if not value:
        raise InvalidValue("blank")
    if not NUMBER.fullmatch(value):
        raise InvalidValue(f"{value[:40]!r} must be a decimal number")
    found = float(value)
    if found in (float("inf"), float("-inf")):
        raise InvalidValue(f"{value[:40]!r} is too large")
    return found


def is_road_address(value: str) -> bool:
    """Whether an address consists of road name and building number (…로 12, …길 3)."""
    return bool(ROAD.search(value))


def _decoded(value: str) -> str:
    """Decodes HTML entities twice, because some sources encode them twice."""
    for _ in range(2):
        value = ENTITY.sub(lambda found: html.unescape(found[0]), value)
    return value


def _visible(value: str) -> str:
    value = unicodedata.normalize("NFC", value)
    if value.isprintable():
        return value
    value = re.sub(r"\s+", " ", value)
    for character in value:
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise InvalidValue(f"contains the control character U+{ord(character):04X}")
    return value.strip(INVISIBLE_ENDS)


def phone(value: str) -> str:
    """A phone number as written; it must contain a digit."""
    value = text(50)(value)
    if value and not any(character.isdigit() for character in value):
        raise InvalidValue(f"{value[:40]!r} must contain a digit")
    return value


# with at least one visible character
name = Text(200, needed=True, encoded=True)
key = Text(200, needed=True)
