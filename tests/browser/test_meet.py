"""Meeting plans: friends on the map, the distance of each, and a link to share."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.browser.test_browsing import FIELD
from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
PLACES = "/?at=37.52,127.0,11.6"
PLAN = "/?meet=127.02760,37.49790;126.92400,37.55600"
WAYS = "#list .shop:first-child .ways li"


def metres(text: str) -> float:
    match = re.search(r"([\d.]+)(k?)m", text)
    assert match, text
    return float(match[1]) * (1000 if match[2] else 1)


def tap_map(v: Visitor, longitude: float, latitude: float) -> None:
    script = """([lng, lat]) => {
      const { x, y } = geoshops.map.project([lng, lat]);
      const area = geoshops.map.getContainer().getBoundingClientRect();
      return [x + area.x, y + area.y];
    }"""
    x, y = v.page.evaluate(script, [longitude, latitude])
    v.page.mouse.click(x, y)


def test_friends_are_added_by_station_and_by_tapping_the_map(visitor: Visit) -> None:
    v = visitor(path=PLACES)
    v.one("#meet-open").click()
    expect(v.one("#meet-hint")).to_contain_text("2명 이상")
    v.one("#friend").press_sequentially("강남")
    v.page.locator(".places button", has_text="강남").first.click()
    expect(v.page.locator("#people li")).to_have_count(1)
    v.rest()
    # the sea of the sample country has no shops
    tap_map(v, 126.98, 37.53)
    expect(v.page.locator("#people li")).to_have_count(2)
    expect(v.one("#list-title")).to_contain_text("만나기 좋은 곳")
    v.rest()
    expect(v.page.locator(".maplibregl-marker.person")).to_have_count(2)
    expect(v.page.locator(WAYS)).to_have_count(2)
    v.page.locator("#people .icon-button").first.click()
    expect(v.one("#list-title")).to_contain_text("반경")
    v.one("#meet .line .icon-button").click()
    expect(v.one("#meet")).to_be_hidden()
    expect(v.page.locator(".maplibregl-marker.person")).to_have_count(0)


def test_a_late_response_does_not_show_places_again_after_one_was_chosen(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path=PLACES)
    v.one("#meet-open").click()
    v.one("#friend").fill("강")
    places = v.page.locator(".places button")
    places.first.wait_for()
    held: list[Route] = []
    v.page.route("**/shops/suggest?*", lambda route: held.append(route), times=1)
    v.one("#friend").fill("강남")
    v.until(lambda: held)
    places.first.click()
    held[0].continue_()
    v.rest()
    expect(places).to_have_count(0)
    expect(v.page.locator("#people li")).to_have_count(1)


def test_enter_adds_the_place_of_the_whole_text(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path=PLACES)
    v.one("#meet-open").click()
    v.one("#friend").fill("강")
    v.page.locator(".places button").first.wait_for()
    v.one("#friend").fill("홍대입구")
    v.one("#friend").press("Enter")
    expect(v.page.locator("#people li")).to_contain_text(["홍대입구"])


def test_the_list_is_ordered_by_the_longest_distance(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path=PLAN)
    lists = v.page.locator("#list .ways").all_inner_texts()
    assert len(lists) > 5
    longest = [max(metres(way) for way in re.findall(r"[\d.]+k?m", text)) for text in lists]
    assert longest == sorted(longest)


def test_the_link_of_a_plan_opens_on_any_phone(visitor: Visit) -> None:
    v = visitor(permissions=["clipboard-read", "clipboard-write"], path=PLAN)
    v.one("#meet-share").click()
    v.toast("링크를 복사했어요")
    address = v.page.evaluate("navigator.clipboard.readText()").removeprefix(v.site)
    assert "meet=127.02760,37.49790;126.92400,37.55600" in address
    phone = visitor(path=address, language="en-US", **PHONE)
    expect(phone.one("#list-title")).to_contain_text("shops to meet at")
    expect(phone.page.locator("#people li")).to_have_count(2)
    assert phone.page.evaluate("document.documentElement.scrollWidth") == 390
    assert len(phone.names()) == len(v.names())
    # the plan's shops at any zoom level, and no circle
    assert phone.rendered(*FIELD) == []
    assert phone.rendered("pins", "clusters")
    expect(phone.one(".ring")).to_be_hidden()


def test_the_link_of_a_plan_carries_names_as_plain_short_text(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path=PLACES)
    v.one("#meet-open").click()
    for station in ("강남", "홍대입구"):
        v.one("#friend").press_sequentially(station)
        v.page.locator(".places button", has_text=station).first.click()
    v.page.wait_for_url("**#people=*")
    names = v.page.locator("#people li > span:nth-child(2)").all_inner_texts()
    other = visitor(map_seen=Map.NONE, path=v.page.url.removeprefix(v.site), **PHONE)
    shown = other.page.locator("#people li > span:nth-child(2)")
    expect(shown).to_have_text(names)
    assert other.page.url.partition("#")[2] == v.page.url.partition("#")[2]
    hostile = f"<img src=x onerror=alert(1)>;{'길' * 60}%00"
    other.page.goto("about:blank")
    other.go(f"/?meet=127.1,37.5;127.2,37.5;127.3,37.5#people={hostile};%ff")
    expect(shown).to_have_text(["<img src=x onerror=alert(1)>", "길" * 40, "사람 3"])


def test_a_plan_has_ten_people_at_most_and_a_wrong_one_is_ignored(visitor: Visit) -> None:
    ten = ";".join(f"127.0{n},37.5" for n in range(10))
    v = visitor(map_seen=Map.NONE, path=f"/?meet={ten}")
    expect(v.page.locator("#people li")).to_have_count(10)
    v.one("#friend").press_sequentially("강남")
    v.page.locator(".places button", has_text="강남").first.click()
    v.toast("10명까지 추가할 수 있어요")
    for wrong in ("127,37", "127,37;x,1", "127,37;200,1", f"{ten};127,37"):
        v.go(f"/?meet={wrong}")
        expect(v.one("#meet")).to_be_hidden()
        expect(v.one("#list-title")).to_contain_text("반경")
