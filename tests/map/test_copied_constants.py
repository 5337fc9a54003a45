"""Constants that the page's scripts and templates copy: they agree with the service's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from marshmallow import Schema

from geoshops import nicknames
from geoshops.map import card, routes
from geoshops.members.schemas import NicknameBody, WithdrawArgs
from geoshops.messages import LANGUAGES
from geoshops.reports.schemas import ReviewReportBody, ShopReportBody
from geoshops.reviews.schemas import ReviewListArgs
from geoshops.search.schemas import KINDS, KeywordArgs, SuggestArgs
from geoshops.shops import shapes
from geoshops.shops.schemas import MOST_SHOPS, AroundArgs, MeetArgs, TagStats
from geoshops.web import page_cookie
from geoshops.web.fields import name_of
from geoshops.web.review_schemas import UNSELECTED, VOTES, ReviewBody
from geoshops.web.shop_schemas import ShopFilterArgs, ShopSummary
from tests.make import Maker

PAGE = Path(routes.__file__).parent
FOLDERS = {".js": "static/js", ".css": "static/css", ".html": "templates"}
KEY = re.compile(r'[{,]\s*"?([\w-]+)"?: ')


def source(name: str) -> str:
    return (PAGE / FOLDERS[Path(name).suffix] / name).read_text(encoding="utf-8")


def text_after(file: str, before: str) -> str:
    """What follows the only match of the regular expression `before` in a script or template."""
    text = source(file)
    ends = [match.end() for match in re.finditer(before, text)]
    assert len(ends) == 1, f"{file} has {len(ends)} matches of {before} instead of one"
    return text[ends[0] :]


def literal(file: str, before: str) -> Any:
    """A number, text or list that is written as in JSON."""
    return json.JSONDecoder().raw_decode(text_after(file, before))[0]


def keys(file: str, before: str) -> list[str]:
    """The keys of an object without objects in it."""
    found = re.match(r"\{[^{}]*\}", text_after(file, before))
    assert found, f"{file} has no plain object after {before}"
    return KEY.findall(found[0])


def words(file: str, pattern: str) -> list[str]:
    """The group of each match of a regular expression."""
    found = re.findall(pattern, source(file))
    assert found, f"{file} has no match of {pattern}"
    return found


def colours(file: str, before: str) -> list[str]:
    """The light and the dark colour after the only match of a regular expression."""
    return re.findall(r"#[0-9a-f]{6}", text_after(file, before))[:2]


def field(schema: type[Schema], name: str) -> Any:
    return schema().fields[name]


def choices(schema: type[Schema], name: str) -> tuple[str, ...]:
    chosen: tuple[str, ...] = field(schema, name).choices
    return chosen


def high(schema: type[Schema], name: str) -> int:
    limit: int = field(schema, name).high
    return limit


Reader = Callable[[str, str], list[Any]]
STARS = range(field(ReviewBody, "star_rating").low, high(ReviewBody, "star_rating") + 1)
FILTERS = [name_of(name, each) for name, each in ShopFilterArgs().fields.items()]
# the facets of a review's body: its only fields with choices
VOTED = [name for name in ReviewBody().fields if getattr(field(ReviewBody, name), "choices", None)]
WITHDRAWALS = choices(WithdrawArgs, "reviews")
HIGHEST_SHARE = min(high(ShopFilterArgs, name) for name in ("clean", "retouch", "props"))


@pytest.mark.parametrize(
    ("file", "before", "expected"),
    [
        ("shared/state.js", "const MOST_PEOPLE = ", shapes.MOST_PEOPLE),
        ("shared/state.js", r"const START = \{ lng: ", routes.START["lng"]),
        ("shared/state.js", r"const START = \{ lng: [\d.]+, lat: ", routes.START["lat"]),
        ("shared/state.js", "  radius_m: ", routes.FIRST_RADIUS_M),
        ("shared/i18n.js", "const displayLang = lang === ", routes.HOME_LANGUAGE),
        ("shared/api.js", r"\(byCookie\) headers\[", page_cookie.HEADER),
        ("shared/api.js", r"\(byCookie\) headers\[.*\] = ", page_cookie.VALUE),
        ("shops/report.js", "const MAX_CONTENT = ", high(ReviewReportBody, "content")),
        ("shops/report.js", "const MAX_CONTENT = ", high(ShopReportBody, "content")),
        ("shops/reviewform.js", "const MAX_CONTENT = ", high(ReviewBody, "content")),
        ("shops/reviewform.js", r"values\[facet\] \?\? ", UNSELECTED),
        ("shops/review.js", r"info\[facet\] !== ", UNSELECTED),
        ("shops/reviews.js", "let sort = ", field(ReviewListArgs, "sort").load_default),
        ("shops/hours.js", "const AT_ONCE = ", MOST_SHOPS),
        ("shops/meet.js", 'id: "friend", .*maxlength: "', high(SuggestArgs, "keyword")),
        ("map.html", '<input id="query" .*maxlength="', high(KeywordArgs, "keyword")),
        ("missing.html", '<input name="q" .*maxlength="', high(KeywordArgs, "keyword")),
    ],
)
def test_a_value_is_that_of_the_service(file: str, before: str, expected: object) -> None:
    assert literal(file, before) == expected


@pytest.mark.parametrize(
    ("read", "file", "where", "expected"),
    [
        (literal, "shops/report.js", "  reviews: ", choices(ReviewReportBody, "reason")),
        (literal, "shops/report.js", "  shops: ", choices(ShopReportBody, "reason")),
        (literal, "shops/reviews.js", "const SORTS = ", choices(ReviewListArgs, "sort")),
        (literal, "shops/shopfacts.js", "const FACETS = ", TagStats().fields),
        (literal, "shops/shopfacts.js", "const FACETS = ", VOTED),
        (literal, "shops/reviewform.js", "const VOTES = ", VOTES),
        (literal, "shops/reviewform.js", r'class: "star-field" \}, ', STARS),
        (literal, "shops/review.js", r't\("stars", \{ n \}\)\), ', STARS),
        (literal, "shops/shopfacts.js", r't\("histogram"\) \}, ', STARS),
        (keys, "shared/state.js", "  filters: ", FILTERS),
        (keys, "shops/suggest.js", "const ICONS = ", KINDS),
        (keys, "map/context.js", "const FIELDS = ", LANGUAGES),
        (keys, "map/look.js", "const NAMES = ", LANGUAGES),
        (words, "map.html", r"""value="(\w+)">\{\{ t\['sort\.""", choices(AroundArgs, "sort")),
        (words, "shared/i18n.js", r"document\.cookie = `(\w+)=", [routes.LANGUAGE_COOKIE]),
    ],
)
def test_a_list_has_the_items_of_the_service(
    read: Reader, file: str, where: str, expected: Iterable[Any]
) -> None:
    assert sorted(read(file, where)) == sorted(expected)


@pytest.mark.parametrize(
    ("read", "file", "where", "known"),
    [
        (literal, "shops/meet.js", "const PLACES = ", KINDS),
        (keys, "map/font.js", "const OWN = ", LANGUAGES),
        (words, "shops/suggest.js", r'item\.kind === "(\w+)"', KINDS),
        (words, "shared/state.js", r'  sort: "(\w+)"', choices(AroundArgs, "sort")),
        (words, "shops/review.js", r'info\[facet\] === "(\w+)"', VOTES),
        (words, "member/settings.js", r'reviews\.checked \? "(\w+)"', WITHDRAWALS),
    ],
)
def test_a_list_has_only_items_of_the_service(
    read: Reader, file: str, where: str, known: Iterable[str]
) -> None:
    found = read(file, where)
    assert found
    assert set(found) <= set(known)


@pytest.mark.parametrize(
    ("file", "before", "lowest", "highest"),
    [
        ("shops/reviews.js", "const SIZE = ", 1, high(ReviewListArgs, "size")),
        ("member/own.js", "const SIZE = ", 1, high(ReviewListArgs, "size")),
        ("shops/search.js", "const MEETING_SHOPS = ", 1, high(MeetArgs, "size")),
        ("shops/search.js", "const SHOPS_FROM_AFAR = ", 1, high(AroundArgs, "size")),
        ("shops/search.js", "const GOOD_RATING = ", 0, high(ShopFilterArgs, "min_rating")),
        ("shops/search.js", "const GOOD_SHARE = ", 0, HIGHEST_SHARE),
        # the ring that is sent repeats its first corner
        ("shared/ring.js", "const MOST_CORNERS = ", 3, shapes.MAX_POSITIONS - 1),
        # longer than a nickname, because the service removes blanks
        ("member/settings.js", 'maxlength: "', nicknames.MOST, high(NicknameBody, "nickname")),
    ],
)
def test_a_value_is_within_the_limits_of_the_service(
    file: str, before: str, lowest: float, highest: float
) -> None:
    assert lowest <= literal(file, before) <= highest


@pytest.mark.parametrize(
    ("file", "before", "name"),
    [
        ("map/booths.js", "const ACCENT = ", "accent"),
        ("map/booths.js", "const INK = ", "text"),
        ("map/booths.js", "const ON_ACCENT = ", "on-accent"),
        ("head.html", r'<meta name="theme-color" content=(?=[^>]*light)', "ground"),
    ],
)
def test_colours_of_both_themes_are_those_of_the_style_sheet(
    file: str, before: str, name: str
) -> None:
    assert colours(file, before) == colours("base.css", f"--{name}: ")


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        (card.INK, "text"),
        (card.MUTED, "muted"),
        (card.ACCENT, "accent"),
        (card.BAD, "bad"),
        (card.STAR, "star"),
    ],
)
def test_pictures_have_the_light_colours_of_the_style_sheet(colour: str, name: str) -> None:
    assert colour == colours("base.css", f"--{name}: ")[0]


def test_the_reasons_of_reports_are_those_of_the_table(make: Maker) -> None:
    check = make.sql(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'reports_reason_known'"
    )
    offered = {
        reason
        for kind in ("reviews", "shops")
        for reason in literal("shops/report.js", f"  {kind}: ")
    }
    assert offered == set(re.findall(r"'(\w+)'", check))


def test_scripts_compare_a_shop_with_statuses_of_the_service() -> None:
    scripts = [path.read_text(encoding="utf-8") for path in (PAGE / "static/js").rglob("*.js")]
    found = re.findall(r'\bstatus [!=]== "([A-Z_]+)"', "".join(scripts))
    assert found
    assert set(found) <= set(field(ShopSummary, "status").metadata["enum"])
