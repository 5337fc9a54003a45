"""Every view and page through axe: no violation, light and dark, in every language, on a desktop and on a phone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, Literal

import psycopg2
import pytest
from playwright.sync_api import expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
Scheme = Literal["light", "dark"]
PEOPLE = (f"listener-{n}" for n in itertools.count())
RUN = "() => axe.run(document, {resultTypes: ['violations']})"
LANGUAGES = ("ko-KR", "en-US", "ja-JP", "zh-CN", "zh-TW")
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
SCREENS = {"desktop": {}, "phone": PHONE}
# each view is shown in both themes, but not on both screens
USUAL = {("ko-KR", "desktop", "light"), ("ko-KR", "phone", "dark")}
KINDS = [
    pytest.param(
        {"language": language, "color_scheme": scheme, **SCREENS[screen]},
        id=f"{language}-{screen}-{scheme}",
        marks=() if (language, screen, scheme) in USUAL else pytest.mark.full,
    )
    for language, screen, scheme in itertools.product(LANGUAGES, SCREENS, SCHEMES)
]
# without --full, pages with scripts are checked in the light theme only, and pages without scripts in the dark one
PAGES = [
    pytest.param(
        scripts,
        scheme,
        id=f"{'map' if scripts else 'text'}-{scheme}",
        marks=() if scripts is (scheme == "light") else pytest.mark.full,
    )
    for scripts, scheme in itertools.product((True, False), SCHEMES)
]
CLOSED = "SELECT max(id) FROM shops WHERE status = 'CLOSED' AND merged_into_id IS NULL"
MERGED = """
UPDATE shops SET status = 'CLOSED', merged_into_id = (SELECT min(id) FROM shops WHERE status = 'OPEN')
WHERE id = (SELECT max(id) FROM shops WHERE status = 'OPEN') RETURNING id"""
APART = "UPDATE shops SET status = 'OPEN', merged_into_id = NULL WHERE id = %s"


def browse(v: Visitor) -> Iterator[str]:
    """Opens the views that need no sign-in, and yields the name of each."""
    yield "list"
    v.one("#query").press_sequentially("강남")
    expect(v.one("#suggestion-0")).to_contain_text("강남")
    yield "suggestions"
    v.page.keyboard.press("Escape")
    v.one("#query").fill("없는말없는말")
    v.page.keyboard.press("Enter")
    v.page.locator("#list .list-state").wait_for()
    yield "nothing found"
    v.one("#clear").click()
    v.one("#list .name").first.wait_for()
    v.rest()
    for place in range(2):
        v.page.locator("#list [data-compare]").nth(place).click()
    yield "two shops chosen"
    v.page.locator("#compare .primary").click()
    v.page.locator(".comparison").wait_for()
    yield "comparison"
    v.page.keyboard.press("Escape")
    v.page.locator("#compare .button").first.click()
    v.one("#meet-open").click()
    v.one("#friend").fill("강남")
    v.page.locator(".places button").first.click()
    yield "plan to meet"
    v.one("#meet-open").click()
    expect(v.one("#meet")).to_be_hidden()
    v.one("#draw").click()
    yield "area tools"
    v.one("#draw-box").click()
    expect(v.one("#undraw")).to_be_visible()
    yield "area chosen"
    v.one("#undraw").click()
    v.rest()
    for name in ("openNow", "minRating"):
        v.one(f"#filters [data-key=filter-{name}]").click()
        v.rest()
    yield "filters"
    v.one("#filters .clear").click()
    v.rest()
    v.open_first()
    yield "sheet"


def take_part(v: Visitor) -> Iterator[str]:
    """Opens the views of members, and yields the name of each."""
    v.one("#write").click()
    v.one("#content").fill("좋아요")
    yield "review form"
    v.page.keyboard.press("Escape")
    v.page.locator(".review .report").first.click()
    yield "report"
    v.page.keyboard.press("Escape")
    v.page.keyboard.press("Escape")
    v.one("#account").click()
    for tab in ("titles", "favorites", "reviews", "settings"):
        v.one(f"#tab-{tab}").click()
        v.rest()
        yield tab
    v.page.locator("#tab-body .danger").click()
    yield "withdrawal"


def violations(v: Visitor, view: str, *, rests: bool = True) -> list[str]:
    """Violations that axe reports for a view. Pass rests=False for pages that do not signal when they are idle."""
    if rests:
        v.rest()
    report: dict[str, Any] = v.page.evaluate(RUN)
    return [
        f"{view}, {violation['id']}: {node['html'][:160]}"
        for violation in report["violations"]
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("options", KINDS)
def test_axe_finds_nothing(visitor: Visit, axe: str, options: dict[str, Any]) -> None:
    v = visitor(bypass_csp=True, path="/?r=1500", member=next(PEOPLE), **options)
    v.page.evaluate(axe)
    problems: list[str] = []
    for view in itertools.chain(browse(v), take_part(v)):
        problems += violations(v, view)
    assert problems == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_for_visitors_who_are_asked_to_sign_in(
    visitor: Visit, axe: str, scheme: Scheme
) -> None:
    v = visitor(map_seen=Map.NONE, bypass_csp=True, color_scheme=scheme)
    v.page.evaluate(axe)
    v.one("#account").click()
    v.one("dialog .primary").wait_for()
    assert violations(v, "sign-in") == []


@pytest.fixture(scope="module")
def pages(sample_url: str) -> Iterator[dict[str, tuple[str, int]]]:
    """Pages besides the map: path, and the status after redirects."""
    with closing(psycopg2.connect(sample_url)) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        ids = []
        for statement in (CLOSED, MERGED):
            cursor.execute(statement)
            (number,) = cursor.fetchone() or (None,)
            ids.append(number)
        yield {
            "shop": ("/shop/7", 200),
            "closed": (f"/shop/{ids[0]}", 410),
            "merged": (f"/shop/{ids[1]}", 200),
            "no such shop": ("/shop/424242", 404),
            "missing": ("/nothing", 404),
        }
        cursor.execute(APART, (ids[1],))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("scripts", "scheme"), PAGES)
def test_axe_finds_nothing_on_pages_with_an_address(
    visitor: Visit,
    axe: str,
    pages: dict[str, tuple[str, int]],
    language: str,
    scripts: bool,
    scheme: Scheme,
) -> None:
    """Checks each page after the map has taken it over, and with empty scripts, as before any script has run."""
    v = visitor(
        map_seen=Map.NONE, bypass_csp=True, language=language, color_scheme=scheme, path="", **PHONE
    )
    if not scripts:
        empty = {"body": "", "content_type": "text/javascript"}
        v.page.route(re.compile(r"/assets/.*\.js"), lambda route: route.fulfill(**empty))
    problems: list[str] = []
    for name, (path, status) in pages.items():
        response = v.page.goto(v.site + path)
        assert response is not None and response.status == status, name
        v.page.evaluate(axe)
        problems += violations(v, name, rests=scripts and status != 404)
    assert problems == []
