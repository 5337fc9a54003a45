"""The search box: suggestions while typing, Korean composition, results, empty results."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]


def test_suggestions_come_while_typing_and_the_keyboard_takes_one(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.one("#query").press_sequentially("강남", delay=30)
    expect(v.one("#query")).to_have_attribute("aria-expanded", "true")
    first = v.one("#suggestion-0")
    expect(first).to_contain_text("강남")
    v.page.keyboard.press("ArrowDown")
    expect(first).to_have_attribute("aria-selected", "true")
    expect(v.one("#query")).to_have_attribute("aria-activedescendant", "suggestion-0")
    v.page.keyboard.press("Escape")
    expect(v.one("#suggestions")).to_be_hidden()


@pytest.mark.parametrize("language", ["en-US", "ja-JP", "zh-CN"])
def test_the_korean_name_of_a_suggestion_stays_in_one_line(visitor: Visit, language: str) -> None:
    v = visitor(map_seen=Map.NONE, language=language, **PHONE)
    v.one("#query").fill("홍대입구 인생네컷")
    v.one("#suggestion-0").wait_for()
    lines = "names => names.map(e => e.offsetHeight / parseFloat(getComputedStyle(e).lineHeight))"
    heights = v.page.locator(".suggestion [lang=ko]").evaluate_all(lines)
    assert heights
    assert max(heights) < 1.9


def test_results_of_a_keyword_have_no_distances_from_where_the_map_was(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?q=%EB%B6%80%EC%82%B0")
    assert v.names()
    assert not re.search(r"\d(m|km)\b", v.one("#list").inner_text())
    v.one("#clear").click()
    v.rest()
    expect(v.one("#list-title")).to_contain_text("반경")
    assert re.search(r"\d(m|km)\b", v.one("#list").inner_text())


def test_a_syllable_that_is_still_composed_already_suggests(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.one("#query").focus()
    keyboard = v.context.new_cdp_session(v.page)
    for text in ("ㄱ", "가", "강"):
        keyboard.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
    v.one("#suggestion-0").wait_for()
    keyboard.send("Input.insertText", {"text": "강남"})
    expect(v.one("#query")).to_have_value("강남")


def test_enter_while_composing_belongs_to_the_input_method(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.one("#query").fill("홍대입구")
    enter = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true})"
    v.page.evaluate(f"document.querySelector('#query').dispatchEvent({enter})")
    v.rest()
    assert "q=" not in v.page.url
    v.one("#query").press("Enter")
    v.rest()
    assert "q=" in v.page.url


def test_a_keyword_finds_its_booths_and_the_map_goes_there(visitor: Visit) -> None:
    v = visitor()
    v.one("#query").fill("부산 하루필름")
    v.one("#query").press("Enter")
    expect(v.one("#list-title")).to_contain_text("부산 하루필름")
    v.rest()
    assert v.names() and all(name.startswith("하루필름") for name in v.names())
    south, west = 34.8, 128.7
    center = v.page.evaluate("geoshops.map.getCenter().toArray()")
    assert center[0] > west and south < center[1] < 35.5


CENTER = "() => Object.values(geoshops.map.getCenter()).map(degrees => degrees.toFixed(3))"


def open_with_delay(v: Visitor, pattern: str, path: str, ready: str) -> None:
    """Opens a path; delays the first request that matches the pattern until the script `ready` returns true."""
    delayed: list[Route] = []
    v.page.route(pattern, lambda route: delayed.append(route), times=1)
    v.page.goto(v.site + path)
    v.until(lambda: delayed and v.page.evaluate(ready))
    for route in delayed:
        route.continue_()
    v.rest()


def test_a_link_with_a_keyword_shows_its_place_after_a_late_response(
    visitor: Visit,
) -> None:
    v = visitor(path="")
    path = "/?at=37.49800,127.02800,13.0&q=%EB%B6%80%EC%82%B0"
    open_with_delay(v, "**/shops?*", path, "Boolean(window.geoshops?.map?.loaded())")
    assert v.names()
    assert v.page.evaluate(CENTER) == ["127.028", "37.498"]


def test_the_map_moves_to_results_that_arrived_before_it(visitor: Visit) -> None:
    v = visitor(path="")
    ready = "Boolean(document.querySelector('#list .name'))"
    open_with_delay(v, "**/maplibre-gl.mjs", "/?q=%EB%B6%80%EC%82%B0", ready)
    longitude, latitude = map(float, v.page.evaluate(CENTER))
    assert 128.7 < longitude < 129.4 and 34.9 < latitude < 35.5
    v.move("panBy([200, 0])")
    expect(v.one("#area")).to_be_visible()


def test_clearing_the_search_goes_back_to_the_surroundings(visitor: Visit) -> None:
    v = visitor(path="/?q=강남구&at=37.4979,127.0276,14")
    expect(v.one("#query")).to_have_value("강남구")
    v.one("#clear").click()
    expect(v.one("#list-title")).to_contain_text("반경")


def test_an_empty_list_suggests_keywords(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?q=없는말없는말")
    expect(v.one("#list")).to_contain_text("맞는 지점이 없어요")
    expect(v.one("#list")).to_contain_text("강남구 인생네컷")


def test_text_of_the_service_is_never_markup(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?q=%3Cimg src=x onerror=alert(1)%3E")
    expect(v.one("#list")).to_contain_text("<img src=x onerror=alert(1)>")
    assert v.page.locator("#list img[src=x]").count() == 0
