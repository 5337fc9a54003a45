"""Tests the page's texts: complete in every language, all used, and none hard-coded in scripts or templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from geoshops.map import routes, texts
from geoshops.messages import LANGUAGES
from geoshops.web import assets
from tests.make import Maker

ENGLISH = texts.texts("en")
OTHERS = [language for language in LANGUAGES if language != "en"]
PACKAGE = Path(routes.__file__).parent
# docs.html is Swagger UI, which has its own texts
TEMPLATES = [p for p in sorted((PACKAGE / "templates").glob("*.html")) if p.name != "docs.html"]
MODULES = sorted(PACKAGE.glob("*.py"))
SCRIPTS = sorted((assets.FOLDER / "js").rglob("*.js"))
# a string of JavaScript, in quotes or backticks
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
COMMENT = re.compile(r"(?m)^\s*//.*$|\s// .*$")
# units, which all languages share
LANGUAGE_NEUTRAL = re.compile(r"\d+k?m|%|★|·")
SHOWN_ATTRIBUTES = {"aria-label", "title", "placeholder", "alt", "content"}
# attributions and names of map styles and fonts
PROPER_NAMES = {"Natural Earth", "Any Bold", "Any Regular"}
SCRIPT_OF = {"ko": "[가-힣]", "ja": "[ぁ-んァ-ン]", "zh-Hans": "[一-龥]", "zh-Hant": "[一-龥]"}
# characters that only one of the two Chinese scripts has, of words that the page uses
ONLY_SIMPLIFIED, ONLY_TRADITIONAL = (
    "门评这换择页设载请关开显没还对户图",
    "門評這換擇頁設載請關開顯沒還對戶圖",
)


def placeholders(text: str) -> list[set[str]]:
    """The placeholders of each form of a text."""
    return [set(re.findall(r"\{(\w+)\}", form)) for form in text.split("|")]


def strings(path: Path) -> Iterator[str]:
    script = COMMENT.sub("", path.read_text(encoding="utf-8"))
    for quoted, template in STRING.findall(script):
        yield quoted or template


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_texts_in_the_same_order(language: str) -> None:
    assert [*texts.texts(language)] == [*ENGLISH]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_filled_and_keep_their_placeholders(language: str) -> None:
    wrong = [
        key
        for key, text in texts.texts(language).items()
        if not text.strip()
        or text != text.strip()
        or any(names != placeholders(ENGLISH[key])[0] for names in placeholders(text))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_english_counts_one_apart(language: str) -> None:
    forms = {key: text.count("|") for key, text in texts.texts(language).items() if "|" in text}
    assert set(forms.values()) == ({1} if language == "en" else set())


@pytest.mark.parametrize("language", OTHERS)
def test_texts_are_translated(language: str) -> None:
    in_latin = {"app.name", "title.shop", "title.progress", "map.station", "open.day"}
    untranslated = [
        key
        for key, text in texts.texts(language).items()
        if key not in in_latin and not re.search(SCRIPT_OF[language], text)
    ]
    # Japanese and Chinese share short words without kana
    if language == "ja":
        untranslated = [
            key for key in untranslated if not re.search("[一-龥]", texts.texts("ja")[key])
        ]
    assert untranslated == []
    assert not re.search("[가-힣]", "".join(ENGLISH.values()))


def test_neither_chinese_script_holds_characters_of_the_other() -> None:
    simplified, traditional = (
        "".join(texts.texts(lang).values()) for lang in ("zh-Hans", "zh-Hant")
    )
    only_simplified = set(ONLY_SIMPLIFIED) - set(ONLY_TRADITIONAL)
    only_traditional = set(ONLY_TRADITIONAL) - set(ONLY_SIMPLIFIED)
    assert not only_simplified & set(traditional)
    assert not only_traditional & set(simplified)


def test_every_text_is_used_and_every_text_used_exists() -> None:
    literals = {text for path in SCRIPTS for text in strings(path)}
    patterns = [
        re.compile(re.sub(r"\\\$\\\{.*?\\\}", r"[^.]+", re.escape(text)))
        for text in literals
        if "${" in text
    ]
    in_templates = {
        key
        for path in TEMPLATES
        for key in re.findall(r"\bt\['([^']+)'\]", path.read_text(encoding="utf-8"))
    }
    used = in_templates | literals | {"language.name"}
    unused = [
        key for key in ENGLISH if key not in used and not any(p.fullmatch(key) for p in patterns)
    ]
    assert unused == []
    named = {
        key
        for path in SCRIPTS
        for key in re.findall(r'\bt\("([^"]+)"', path.read_text(encoding="utf-8"))
    }
    named |= in_templates | {
        key
        for path in MODULES
        for key in re.findall(r'\btext\([\w.]+, "([^"]+)"', path.read_text(encoding="utf-8"))
    }
    assert len(named) > 100
    assert named - set(ENGLISH) == set()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_contain_no_text(path: Path) -> None:
    strings_found = [
        text
        for text in strings(path)
        if re.search(r"[^\W\d_a-zA-Z]", text)
        or (re.match(r"[A-Z][a-z]+( [A-Za-z]+)+$", text) and text not in PROPER_NAMES)
    ]
    assert path.name == "font.js" or strings_found == []
    if path.name != "font.js":
        # a child of an element that is a text: h("p", {}, "Text")
        assert not re.search(
            r'\}, "[^"]*[A-Za-z]', COMMENT.sub("", path.read_text(encoding="utf-8"))
        )


class Shown(HTMLParser):
    """Collects what a page shows: its texts, and attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        """A text."""
        self.texts.append(data.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Attributes of an element; those of meta elements are no texts, but for the description."""
        if tag != "meta" or ("name", "description") in attrs:
            self.texts += [value or "" for name, value in attrs if name in SHOWN_ATTRIBUTES]


def test_templates_contain_no_text() -> None:
    shown = Shown()
    for path in TEMPLATES:
        shown.feed(re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", path.read_text(encoding="utf-8")))
    assert len(shown.texts) > 100
    assert [text for text in shown.texts if text and not LANGUAGE_NEUTRAL.fullmatch(text)] == []


def test_titles_are_named_as_in_the_database(make: Maker) -> None:
    korean = texts.texts("ko")
    rows = make.rows("SELECT name, content, standard FROM titles")
    assert len(rows) == 14
    for name, content, standard in rows:
        key = f"member_title.{name}"
        assert (korean[key], korean[f"{key}.content"], korean[f"{key}.standard"]) == (
            name,
            content,
            standard,
        )
    view = (Path(__file__).parents[2] / "sql/views/20_shop_titles.sql").read_text(encoding="utf-8")
    titles = set(re.findall(r"\d(?: AS place)?, '([가-힣 ]+)'", view))
    assert len(titles) == 5
    assert titles == {key.removeprefix("shop_title.") for key in korean if "shop_title." in key}


def test_embedded_texts_cannot_end_their_element(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "texts", lambda _: {"title": "</script><script>"})
    assert texts.embedded.__wrapped__("en") == r'{"title":"\u003c/script>\u003cscript>"}'
