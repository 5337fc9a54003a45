"""Every view through axe: no violation, light and dark, on a desktop and on a phone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
PEOPLE = (f"listener-{n}" for n in itertools.count())
RUN = "() => axe.run(document, {resultTypes: ['violations']})"
KINDS = [
    pytest.param({"color_scheme": "light"}, id="light"),
    pytest.param({"color_scheme": "dark"}, id="dark", marks=pytest.mark.full),
    pytest.param({"color_scheme": "light", **PHONE}, id="phone"),
    pytest.param(
        {"color_scheme": "dark", **PHONE, "language": "en-US"},
        id="phone-dark-english",
        marks=pytest.mark.full,
    ),
]


def browse(v: Visitor) -> Iterator[str]:
    """Visits the views of everybody."""
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
    v.open_first()
    yield "sheet"


def take_part(v: Visitor) -> Iterator[str]:
    """Visits the views of members."""
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


def violations(v: Visitor) -> list[str]:
    found: dict[str, Any] = v.page.evaluate(RUN)
    return [
        f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]
    ]


@pytest.mark.parametrize("options", KINDS)
def test_axe_finds_nothing(visitor: Visit, axe: str, options: dict[str, Any]) -> None:
    v = visitor(bypass_csp=True, path="/?r=5000", **options)
    v.sign_in(next(PEOPLE))
    v.page.evaluate(axe)
    for view in itertools.chain(browse(v), take_part(v)):
        v.rest()
        assert violations(v) == [], view


def test_axe_finds_nothing_for_visitors_who_are_asked_to_sign_in(visitor: Visit, axe: str) -> None:
    v = visitor(map_seen=Map.NONE, bypass_csp=True)
    v.page.evaluate(axe)
    v.one("#account").click()
    v.one("dialog .primary").wait_for()
    assert violations(v) == []
