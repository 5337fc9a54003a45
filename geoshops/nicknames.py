"""The nickname rule, the key under which nicknames are unique, and nicknames for new members."""

from __future__ import annotations

import re
import secrets
import unicodedata

from geoshops.web.fields import INVISIBLE

LEAST, MOST = 2, 20
# shown for withdrawn members, by language (nickname_in in SQL); reserved
WITHDRAWN = {
    "ko": "탈퇴한 회원",
    "en": "Former member",
    "ja": "退会した会員",
    "zh-Hans": "已注销的会员",
    "zh-Hant": "已註銷的會員",
}
DEFAULT = "회원"
PUNCTUATION = " _-."
# numbers of digits appended to a name, tried in this order
DIGITS = (4,) * 8 + (6,) * 4 + (9,) * 4


def normalised(text: str) -> str:
    """NFC, trimmed, inner blanks collapsed."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def key(nickname: str) -> str:
    """The form in which nicknames are compared for uniqueness."""
    return unicodedata.normalize("NFKC", nickname).casefold()


def is_allowed(nickname: str) -> bool:
    """Whether a nickname has 2 to 20 letters, digits, blanks, `_`, `-` or `.`, of any script, and at least one
    letter or digit. Invisible characters are rejected, because two different nicknames would look the same."""
    return (
        LEAST <= len(nickname) <= MOST
        and all(_is_wordy(c) or c in PUNCTUATION for c in nickname)
        and any(_is_wordy(c) for c in nickname)
        and not unicodedata.category(nickname[0]).startswith("M")
    )


def is_reserved(nickname: str) -> bool:
    """Whether the service itself shows this text in place of a nickname."""
    return key(nickname) in map(key, WITHDRAWN.values())


def candidates(wish: str | None) -> list[str]:
    """Nicknames for a new member, derived from the provider's name: cleaned, shortened, and with digits appended."""
    name = _cleaned(wish or "") or DEFAULT
    return [name[: MOST - n] + _digits(n) for n in DIGITS]


def _cleaned(wish: str) -> str:
    composed = unicodedata.normalize("NFC", wish[:200])
    # variation selectors between letters are removed without leaving a gap
    shown = (c for c in composed if unicodedata.category(c) != "Mn" or c not in INVISIBLE)
    kept = "".join(c if _is_wordy(c) or c in PUNCTUATION else " " for c in shown)
    name = normalised(kept).lstrip(PUNCTUATION)
    while name and unicodedata.category(name[0]).startswith("M"):
        name = name[1:]
    return name if any(_is_wordy(c) for c in name) else ""


def _digits(count: int) -> str:
    return f"{secrets.randbelow(10**count):0{count}}"


def _is_wordy(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM" and character not in INVISIBLE
