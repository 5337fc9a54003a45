"""The list and the map show the same shops: after links and moves, with filters at any zoom level, in drawn areas."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.browser.test_browsing import booths_on_map, total
from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
BUSAN_CHAIN = "/?q=%EB%B6%80%EC%82%B0&at=35.16,129.06,11"
DISTANCES = "() => geoshops.state.shops.map(shop => shop.distance_m)"
FIELD_LAYERS = """() => geoshops.map.getStyle().layers
  .filter(layer => layer["source-layer"] === "clusters" && layer.type === "circle").map(layer => layer.id)"""


def field_total(v: Visitor) -> int:
    """Shops in the clusters of the country."""
    layers = v.page.evaluate(FIELD_LAYERS)
    return sum(f["shop_cnt"] for f in v.rendered(*layers))


def chip(v: Visitor, text: str) -> None:
    """Clicks a filter and waits for the list."""
    v.page.locator("#filters .chip", has_text=text).click()
    v.rest()


def distant_shop(visitor: Visit) -> tuple[int, str]:
    """Identifier and name of a shop in Busan."""
    v = visitor(path=BUSAN_CHAIN)
    name = v.open_first()
    return int(re.findall(r"/shop/(\d+)", v.page.url)[0]), name


@pytest.mark.parametrize("address", ["/?shop={}", "/shop/{}"])
def test_a_link_to_a_distant_shop_brings_its_surroundings(visitor: Visit, address: str) -> None:
    shop_id, name = distant_shop(visitor)
    v = visitor(path=address.format(shop_id))
    expect(v.one("#sheet-title")).to_have_text(name)
    expect(v.page.locator("#list .name", has_text=name).first).to_be_visible()
    v.rest()
    assert v.page.evaluate(DISTANCES)[0] < 1000
    assert "부산" in v.one("#list .address").first.inner_text()
    lead = v.one("#sheet .sheet-lead").inner_text()
    # it is the centre of the map now, no longer far away
    assert not re.search(r"\dk?m\b", lead), lead
    expect(v.one("#area")).to_be_hidden()


def test_a_list_that_stays_names_the_area_that_it_shows(visitor: Visit) -> None:
    v = visitor()
    before = v.names()
    v.one("#follow").uncheck()
    v.move("jumpTo({center: [129.06, 35.16]})")
    v.rest()
    assert v.names() == before
    expect(v.one("#elsewhere")).to_be_visible()
    v.one("#area").click()
    v.rest()
    expect(v.one("#elsewhere")).to_be_hidden()
    assert v.names() != before and booths_on_map(v) == total(v)


def test_results_of_a_keyword_become_those_of_the_visible_map(visitor: Visit) -> None:
    v = visitor(path="/?q=%EB%B6%80%EC%82%B0&at=35.16,129.06,13")
    v.move("panBy([300, 0], {animate: false})")
    v.one("#area").click()
    expect(v.one("#list-title")).to_contain_text("이 지역")
    v.rest()
    assert "box=" in v.page.url
    assert booths_on_map(v) == total(v) > 0


def test_a_map_seen_from_afar_lists_the_shops_that_it_shows(visitor: Visit) -> None:
    v = visitor(path="/?at=37.2,127.1,9&r=1000")
    title = v.one("#list-title")

    def counted() -> int:
        return int(re.sub(r"\D", "", title.inner_text()))

    expect(title).to_contain_text("지도 영역 안에")
    # clusters at the edge contain shops outside the map
    assert 0.9 < counted() / field_total(v) < 1.1
    assert len(v.names()) <= 40 < counted()
    for hidden in ("#area", "#elsewhere", "#radius"):
        expect(v.one(hidden)).to_be_hidden()
    near = counted()
    v.move("zoomTo(7, {animate: false})")
    v.rest()
    assert counted() > near > 100
    expect(v.one("#truncated")).to_contain_text("100곳만")
    expect(v.one("#chips [data-key=all]")).to_contain_text(title.inner_text().split()[-1][:-1])
    brand = v.page.locator("#chips .chip", has_text="포토이즘").first
    assert not re.search(r"\d", brand.inner_text())
    everything = counted()
    brand.click()
    v.rest()
    assert {"포토이즘"} == {name.split()[0][:4] for name in v.names()}
    assert 0 < counted() < everything
    v.move("zoomTo(13, {animate: false})")
    expect(title).to_contain_text("반경 1km")


def test_a_map_seen_from_afar_has_a_message_where_it_shows_no_shop(visitor: Visit) -> None:
    v = visitor(path="/?at=20,-120,5")
    expect(v.one("#list")).to_contain_text("이 영역에는 지점이 없어요")
    assert "필터" not in v.one("#list").inner_text()
    near = visitor(map_seen=Map.NONE, path="/?at=37.2,131.86,14&r=500")
    assert "필터" not in near.one("#list").inner_text()


def test_without_a_map_the_list_is_that_of_a_circle(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?at=37.4979,127.0276,7&r=1000")
    expect(v.one("#list-title")).to_contain_text("반경 1km")


def test_filters_apply_to_the_clusters_of_the_country(visitor: Visit) -> None:
    v = visitor(path="/?at=36.3,127.8,7")
    everything = field_total(v)
    chip(v, "별점 4점 이상")
    rated = field_total(v)
    assert 0 < rated < everything
    v.page.locator("#chips .chip", has_text="포토이즘").first.click()
    v.rest()
    branded = field_total(v)
    assert 0 < branded < rated
    v.page.locator("#filters .clear").click()
    v.rest()
    assert field_total(v) == everything
    assert "only=" not in v.page.url and "brand=" not in v.page.url


def test_chosen_filters_come_first_and_are_cleared_at_once(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000", **PHONE)
    everything = total(v)
    expect(v.one("#filters .clear")).to_have_count(0)
    for text in ("소품 많아요", "별점 4점 이상"):
        chip(v, text)
    row = v.one("#filters .chip")
    expect(row.first).to_contain_text("2")
    pressed = [row.nth(n).get_attribute("aria-pressed") for n in (1, 2, 3)]
    assert pressed == ["true", "true", "false"]
    assert v.page.evaluate("document.querySelector('#filters').scrollLeft") == 0
    row.first.focus()
    v.page.keyboard.press("Enter")
    v.rest()
    assert total(v) == everything
    expect(row.first).to_be_focused()


def test_open_now_is_within_the_reach_of_a_thumb(visitor: Visit) -> None:
    v = visitor(**PHONE)
    box = v.page.locator("#filters .chip", has_text="영업 중").bounding_box()
    assert box and box["y"] > 844 / 2 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert box["height"] >= 40
    chip(v, "영업 중")
    assert "only=openNow" in v.page.url


def test_the_wheel_scrolls_a_row_of_chips(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    v.one("#chips").hover()
    v.page.mouse.wheel(0, 120)
    v.page.wait_for_function("document.querySelector('#chips').scrollLeft > 0")


def test_the_message_nothing_nearby_is_shown_only_where_it_is_true(visitor: Visit) -> None:
    empty = visitor(map_seen=Map.NONE, path="/?at=37.2,131.86,14&r=500")
    expect(empty.one("#list")).to_contain_text("이 근처에는")
    v = visitor(map_seen=Map.NONE, path="/?r=500")
    v.page.route("**/shops/brand*minRating*", lambda route: route.fulfill(json=[]))
    chip(v, "별점 4점 이상")
    expect(v.one("#list")).to_contain_text("조건에 맞는 지점이 없어요")
    assert "이 근처에는" not in v.one("#list").inner_text()
    v.one("#list .button").click()
    v.rest()
    assert v.names()


def test_no_list_is_called_empty_while_it_is_awaited(visitor: Visit) -> None:
    v = visitor(path="/?at=37.2,131.86,14&r=500")
    expect(v.one("#list")).to_contain_text("이 근처에는")
    held: list[Route] = []
    v.page.route("**/shops/brand*", lambda route: held.append(route), times=1)
    v.move("jumpTo({center: [127.0276, 37.4979]})")
    expect(v.one("#list-title")).to_have_text("찾는 중…")
    expect(v.one("#list .list-state")).to_have_count(0)
    v.until(lambda: held)
    held[0].continue_()
    v.rest()
    assert v.names()


def loop(v: Visitor, *, touch: bool = False) -> None:
    """Draws a loop that crosses itself where it ends, around the middle of the map."""
    box = v.one("#stroke").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    path = [(-110, -100), (110, -110), (120, 100), (-100, 110), (-115, -90), (-60, -140)]
    points = [(x + dx, y + dy) for dx, dy in path]
    if touch:
        finger = v.context.new_cdp_session(v.page)
        kinds = ["touchStart", *["touchMove"] * (len(points) - 1)]
        for kind, (px, py) in zip(kinds, points, strict=True):
            finger.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": px, "y": py}]}
            )
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    else:
        v.page.mouse.move(*points[0])
        v.page.mouse.down()
        for point in points[1:]:
            v.page.mouse.move(*point, steps=6)
        v.page.mouse.up()
    v.rest()


@pytest.mark.parametrize("kind", ["mouse", "finger"])
def test_an_area_drawn_on_the_map_holds_exactly_its_shops(visitor: Visit, kind: str) -> None:
    v = visitor(path="/?at=37.4979,127.0276,13", **(PHONE if kind == "finger" else {}))
    v.one("#draw").click()
    with v.page.expect_response("**/shops/within*") as response:
        loop(v, touch=kind == "finger")
    assert response.value.status == 200
    (ring,) = json.loads(response.value.request.post_data or "")["coordinates"]
    assert 4 <= len(ring) <= 8
    assert ring[0] == ring[-1]
    expect(v.one("#list-title")).to_contain_text("그린 영역 안에")
    v.rest()
    assert booths_on_map(v) == total(v) == len(response.value.json()) > 0
    assert v.rendered("area-fill")
    expect(v.one("#around-tools")).to_be_hidden()
    shared = visitor(path=v.page.url.removeprefix(v.site))
    assert shared.names() == v.names()
    v.one("#undraw").click()
    expect(v.one("#list-title")).to_contain_text("반경")
    v.rest()
    assert "area=" not in v.page.url
    assert v.rendered("area-fill") == []


def test_a_moved_map_leaves_the_drawn_area_and_offers_a_search(visitor: Visit) -> None:
    v = visitor(path="/?at=37.4979,127.0276,13")
    v.one("#draw").click()
    loop(v)
    names = v.names()
    v.move("panBy([600, 0], {animate: false})")
    v.rest()
    assert v.names() == names
    expect(v.one("#elsewhere")).to_be_visible()
    v.one("#area").click()
    expect(v.one("#list-title")).to_contain_text("지도 영역 안에")
    v.page.go_back()
    expect(v.one("#list-title")).to_contain_text("그린 영역 안에")


def test_a_line_that_encloses_nothing_can_be_drawn_again(visitor: Visit) -> None:
    v = visitor(path="/?at=37.4979,127.0276,13")
    v.one("#draw").click()
    box = v.one("#stroke").bounding_box()
    assert box
    v.page.mouse.click(box["x"] + 300, box["y"] + 300)
    expect(v.one("#drawing")).to_be_visible()
    loop(v)
    expect(v.one("#drawing")).to_be_hidden()
    expect(v.page).to_have_url(re.compile("area="))


def test_the_keyboard_searches_the_visible_map_instead(visitor: Visit) -> None:
    v = visitor(path="/?at=37.4979,127.0276,13")
    v.one("#draw").focus()
    v.page.keyboard.press("Enter")
    expect(v.one("#draw-box")).to_be_focused()
    v.page.keyboard.press("Escape")
    expect(v.one("#draw")).to_be_focused()
    v.page.keyboard.press("Enter")
    v.page.keyboard.press("Enter")
    expect(v.one("#list-title")).to_contain_text("지도 영역 안에")
    v.rest()
    assert "box=" in v.page.url
    assert booths_on_map(v) == total(v) > 0
    expect(v.one("#undraw")).to_be_focused()


@pytest.mark.parametrize("area", ["x", "~~~~", "_p~iF~ps|U_ulLnnqC", "%20"])
def test_an_invalid_area_in_the_address_is_ignored(visitor: Visit, area: str) -> None:
    v = visitor(path=f"/?area={area}", map_seen=Map.NONE)
    expect(v.one("#list-title")).to_contain_text("반경")
    assert "area=" not in v.page.url
