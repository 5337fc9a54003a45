"""The error messages: every reason in every language, with the same placeholders."""

from __future__ import annotations

import re

import pytest

from geoshops import messages
from geoshops.errors import ApiError, NotFound

SCRIPT_OF = {"ko": "[가-힣]", "ja": "[ぁ-んァ-ン]", "zh-Hans": "[一-龥]", "zh-Hant": "[一-龥]"}
THINGS = ("shop", "review", "title", "member", "session", "brand", "route", "tile")
ENGLISH = messages.MESSAGES["en"]


def test_every_reason_has_a_known_code_and_every_code_a_reason() -> None:
    assert set(messages.REASONS) == set(messages.STATUS)
    assert set(messages.CODES) == {key for key in ENGLISH if not key.startswith("thing.")}
    assert len(messages.CODES) == sum(map(len, messages.REASONS.values()))


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_every_language_has_every_message_with_its_placeholders(language: str) -> None:
    own = messages.MESSAGES[language]
    assert [*own] == [*ENGLISH]
    for reason, text in own.items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", ENGLISH[reason])), (
            reason
        )
        assert re.findall(r"^\[[^\]]+\]", text) == re.findall(r"^\[[^\]]+\]", ENGLISH[reason]), (
            reason
        )
        # a Japanese name of a thing may do without kana
        script = (
            "[一-龥ァ-ン]"
            if reason.startswith("thing.") and language == "ja"
            else SCRIPT_OF.get(language)
        )
        assert re.search(script, text) if script else text.isascii(), reason


@pytest.mark.parametrize("thing", THINGS)
def test_things_that_cannot_be_found_are_named_in_every_language(thing: str) -> None:
    found = {NotFound(thing, 7).message(language) for language in messages.LANGUAGES}
    # the two Chinese scripts share some words
    assert len(found) >= len(messages.LANGUAGES) - 1
    assert not any("thing" in text or "{" in text for text in found)


def test_a_message_is_english_unless_stated() -> None:
    error = ApiError("too_long", name="keyword", high=100)
    assert error.message() == "[keyword] must have at most 100 characters"
    assert error.message("ja") == "[keyword] は100文字以内で指定してください"
    assert error.message("zh-Hant") == "[keyword] 最多 100 個字元"
