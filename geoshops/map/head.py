"""The head of a page for search engines and messengers: title, description, URLs and picture."""

from __future__ import annotations

from dataclasses import dataclass

from geoshops.messages import LANGUAGES

# Open Graph locales include a territory
LOCALES = {"ko": "ko_KR", "en": "en_US", "ja": "ja_JP", "zh-Hans": "zh_CN", "zh-Hant": "zh_TW"}


@dataclass(frozen=True)
class Head:
    """The head of a page in `language`.

    address: the page's absolute URL without a language; is_chosen: whether the request's URL specifies the language.
    picture: absolute URL of a picture of 1200 by 630 pixels, with its text."""

    title: str
    description: str
    address: str
    language: str
    is_chosen: bool
    picture: str
    picture_text: str
    is_listed: bool = True

    @property
    def canonical(self) -> str:
        """The canonical URL: with the language if the request's URL specifies it, else the one that negotiates it."""
        return self.in_language(self.language) if self.is_chosen else self.address

    @property
    def alternates(self) -> dict[str, str]:
        """The URL of each language (hreflang), and of the page that negotiates it."""
        urls = {language: self.in_language(language) for language in LANGUAGES}
        return {**urls, "x-default": self.address}

    @property
    def locale(self) -> str:
        """The language as an Open Graph locale."""
        return LOCALES[self.language]

    @property
    def other_locales(self) -> list[str]:
        """The other languages as Open Graph locales."""
        return [LOCALES[language] for language in LANGUAGES if language != self.language]

    def in_language(self, language: str) -> str:
        """The URL of this page in a language."""
        return f"{self.address}?lang={language}"
