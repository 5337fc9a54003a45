"""Two or three shops side by side."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
HAS_CONTENT = "rows => rows.map(row => [...row.cells].slice(1).some(cell => cell.innerText.trim()))"


def choose(v: Visitor, *places: int) -> list[str]:
    """Chooses the shops at these places of the list; returns their names."""
    for place in places:
        v.page.locator("#list [data-compare]").nth(place).click()
    return [v.names()[place] for place in places]


def columns(v: Visitor) -> list[str]:
    return v.page.locator(".comparison th[scope=col]").all_inner_texts()


IN_A_ROW = """[...document.querySelectorAll('#compare > *')].map((e) => e.getBoundingClientRect())
  .every((box, i, all) => box.top < all[0].bottom && all[0].top < box.bottom && (!i || box.left >= all[i - 1].right))"""


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("language", ["ko-KR", "en-US", "ja-JP", "zh-CN", "zh-TW"])
def test_actions_for_chosen_shops_are_in_one_row(visitor: Visit, language: str, width: int) -> None:
    phone = {**PHONE, "viewport": {"width": width, "height": 760}}
    v = visitor(map_seen=Map.NONE, language=language, path="/?r=5000", **phone)
    choose(v, 0)
    expect(v.one("#compare")).to_be_visible()
    assert v.page.evaluate(IN_A_ROW)
    assert v.page.evaluate("document.documentElement.scrollWidth") == width


def test_three_shops_are_compared_and_a_fourth_must_wait(visitor: Visit) -> None:
    v = visitor(path="/?r=5000")
    names = choose(v, 0)
    expect(v.one("#compare")).to_contain_text("한 곳 더 담아 주세요")
    expect(v.page.get_by_role("button", name="비교하기")).to_be_disabled()
    names += choose(v, 2)
    v.one("#list .name").nth(3).click()
    v.rest()
    v.one("#sheet [data-compare]").click()
    expect(v.one("#sheet [data-compare]")).to_have_text("비교에서 빼기")
    names.append(v.one("#sheet-title").inner_text())
    choose(v, 4)
    v.toast("3곳까지 비교할 수 있어요")
    v.page.get_by_role("button", name="비교하기").click()
    v.rest()
    assert columns(v) == names
    rows = v.page.locator(".comparison th[scope=row]").all_inner_texts()
    assert [
        row for row in ("거리", "별점", "청결", "보정", "소품", "영업시간") if row not in rows
    ] == []
    # rows without a value for any shop are left out
    assert all(v.page.locator(".comparison tbody tr").evaluate_all(HAS_CONTENT))
    v.page.locator(".comparison .link").nth(1).click()
    expect(v.one("#sheet-title")).to_have_text(names[1])
    expect(v.one("dialog")).to_have_count(0)
    expect(v.page).not_to_have_url(re.compile("compare="))
    v.page.get_by_role("button", name="비우기").click()
    expect(v.one("#compare")).to_be_hidden()
    expect(v.page.locator("[data-compare][aria-pressed=true]")).to_have_count(0)


def test_the_row_of_titles_is_left_out_if_no_shop_has_a_title(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")

    def close(route: Route) -> None:
        response = route.fetch()
        route.fulfill(
            response=response,
            json={**response.json(), "status": "TEMP_CLOSED", "shop_titles": []},
        )

    v.page.route(re.compile(r"/shops/\d+\?"), close)
    choose(v, 0, 1)
    v.page.get_by_role("button", name="비교하기").click()
    v.rest()
    rows = v.page.locator(".comparison th[scope=row]").all_inner_texts()
    assert "지금" in rows
    assert "특징" not in rows


def test_a_link_shows_the_same_comparison_to_others(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    names = choose(v, 0, 1)
    v.page.get_by_role("button", name="비교하기").click()
    v.rest()
    address = v.page.url.removeprefix(v.site)
    v.page.go_back()
    expect(v.one("dialog")).to_have_count(0)
    expect(v.page).not_to_have_url(re.compile("compare="))
    other = visitor(map_seen=Map.NONE, path=address)
    assert columns(other) == names
    other.page.keyboard.press("Escape")
    expect(other.one("dialog")).to_have_count(0)
    expect(other.page).not_to_have_url(re.compile("compare="))
    expect(other.one("#compare")).to_contain_text("2곳 담음")


@pytest.mark.parametrize(
    ("language", "screen"), [("ko-KR", PHONE), ("en-US", PHONE), ("en-US", {})]
)
def test_three_columns_fit_on_a_phone_and_words_stay_whole(
    visitor: Visit, language: str, screen: dict[str, Any]
) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000", language=language, **screen)
    choose(v, 0, 1, 2)
    v.one("#compare .primary").click()
    v.rest()
    assert len(columns(v)) == 3
    wide = "e => e.scrollWidth - e.clientWidth"
    assert v.one(".comparison-box").evaluate(wide) <= 0
    cells = v.page.locator(".comparison :is(td, th)")
    assert max(cells.evaluate_all("cells => cells.map(e => e.scrollWidth - e.clientWidth)")) <= 1


def test_a_missing_shop_leaves_the_others(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    kept = v.page.evaluate("geoshops.state.shops[0]")
    v.go(f"/?r=5000&compare={kept['id']},999999999")
    assert columns(v) == [kept["place_name"]]
    v.go("/?compare=999999998,999999999")
    expect(v.one("dialog")).to_contain_text("더는 없는 지점이에요")
