"""Browsing: first load, list and map with the same shops, filters, the shop sheet, URLs, languages, themes."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Route, expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
KNOWN = "포토이즘 강남역점"
# clusters of the whole country, a layer per level of tiles
FIELD = [f"field-{level}" for level in range(9)]
COARSE = ("land", "shore", "near-sea")
LIST_AND_LIBRARY = """() => [
  performance.getEntriesByName("list")[0].startTime,
  performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/maplibre-gl.mjs")).startTime,
]"""
NO_COOKIES = "Object.defineProperty(document, 'cookie', { get: () => '', set: () => {} })"
RATINGS = "#list .rating > span[aria-hidden]:not(.quiet)"


def total(visitor: Visitor) -> int:
    """The number of booths in the list's heading."""
    text = visitor.one("#list-title").inner_text()
    match = re.search(r"([\d,]+)곳$|^(\d+) ", text)
    assert match, text
    return int((match[1] or match[2]).replace(",", ""))


def booths_on_map(visitor: Visitor) -> int:
    """Booths in pins and clusters, each cluster once."""
    pins = {f["id"] for f in visitor.rendered("pins")}
    clusters = {f["cluster_id"]: f["point_count"] for f in visitor.rendered("clusters")}
    return len(pins) + sum(clusters.values())


def test_the_first_load_shows_the_same_booths_on_the_map_and_in_the_list(visitor: Visit) -> None:
    v = visitor()
    assert KNOWN in v.names()
    assert booths_on_map(v) == len(v.names()) == total(v) > 5
    assert v.outside == []


@pytest.mark.parametrize("language", ["ko-KR", "en-US"])
def test_the_list_is_requested_once_and_before_the_map_library(
    visitor: Visit, language: str
) -> None:
    v = visitor(path="", language=language)
    requested: list[str] = []
    v.page.on("request", lambda request: requested.append(request.url))
    v.go("/")
    lists = [url for url in requested if "/shops/brand?" in url and "openNow" not in url]
    assert len(lists) == 1
    listed, library = v.page.evaluate(LIST_AND_LIBRARY)
    assert listed < library


CANVAS = """() => {
  const canvas = document.querySelector("#map canvas");
  return [getComputedStyle(canvas).visibility, canvas.width - Math.floor(canvas.clientWidth * devicePixelRatio)];
}"""


@pytest.mark.parametrize("path", ["/", "/?q=없는말없는말"])
def test_the_map_is_shown_sharp_with_booths_or_without(visitor: Visit, path: str) -> None:
    v = visitor(path=path, map_seen=Map.WHOLE, **PHONE)
    assert v.page.evaluate(CANVAS) == ["visible", 0]


PICTURE = """() => {
  const picture = document.querySelector(".map-picture");
  if (!picture?.width) return null;
  const copy = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  copy.drawImage(picture, 0, 0);
  const { data } = copy.getImageData(0, 0, picture.width, picture.height);
  const { width, height } = geoshops.map.getCanvas();
  return { colours: new Set(new Uint32Array(data.buffer)).size, fits: picture.width === width && picture.height === height };
}"""
# disables the page's fallback, which shows the map after two seconds at the latest
PATIENT = "(set => { window.setTimeout = (run, ms, ...rest) => set(run, ms === 2000 ? 1e8 : ms, ...rest); })(setTimeout)"


def test_a_picture_replaces_the_map_until_the_page_is_idle_or_the_visitor_moves_it(
    visitor: Visit,
) -> None:
    v = visitor(path="", map_seen=Map.WHOLE)
    v.context.add_init_script(PATIENT)
    held: list[Route] = []
    v.page.route("**/shops/hours?*", lambda route: held.append(route))
    v.page.goto(f"{v.site}/")
    v.until(lambda: v.page.evaluate("performance.getEntriesByName('booths').length"))
    picture = v.page.evaluate(PICTURE)
    assert picture["fits"]
    assert picture["colours"] > 50
    assert v.rendered("pins", "clusters")
    assert v.page.evaluate(CANVAS)[0] == "hidden"
    before = v.page.evaluate("geoshops.map.getCenter().lng")
    v.page.mouse.move(900, 400)
    v.page.mouse.down()
    v.page.mouse.move(800, 400, steps=4)
    assert v.page.evaluate(CANVAS)[0] == "visible"
    v.page.mouse.up()
    v.until(lambda: v.page.evaluate("geoshops.map.getCenter().lng") > before)
    expect(v.one(".map-picture")).to_be_hidden()
    v.page.unroute("**/shops/hours?*")
    v.rest()


# Counts the calls of a method until the map is visible: the most in one task, and all. Each call is slowed down by `busy_ms`.
CALLS = """globalThis.calls = {most: 0, all: 0};
((prototype, name, busy_ms) => {
  const call = prototype[name];
  let now = 0;
  prototype[name] = function (...given) {
    if (document.querySelector(".map-picture")) return call.apply(this, given);
    if (!now) scheduler.postTask(() => { now = 0; }, {priority: "user-blocking"});
    now += 1;
    calls = {most: Math.max(calls.most, now), all: calls.all + 1};
    const over = performance.now() + busy_ms;
    while (performance.now() < over);
    return call.apply(this, given);
  };
})"""


@pytest.mark.parametrize(
    ("method", "least", "most"),
    [
        ('(OffscreenCanvasRenderingContext2D.prototype, "fillText", 0)', 40, 15),  # characters
        ('(WebGL2RenderingContext.prototype, "linkProgram", 10)', 5, 2),  # shaders
    ],
)
def test_the_map_starts_in_many_short_tasks(
    visitor: Visit, method: str, least: int, most: int
) -> None:
    v = visitor(path="")
    v.context.add_init_script(CALLS + method)
    v.page.goto(f"{v.site}/")
    v.rest()
    calls = v.page.evaluate("calls")
    assert calls["all"] > least
    assert calls["most"] <= most


def test_the_sea_is_loaded_where_it_can_be_seen(visitor: Visit) -> None:
    v = visitor(path="", map_seen=Map.WHOLE)
    requested: list[str] = []
    v.page.on("request", lambda request: requested.append(request.url.rpartition("/")[2]))
    v.go("/")
    assert "coast.json" not in requested
    v.move("jumpTo({center: [127.04, 37.5], zoom: 15})")
    v.rest()
    assert "coast.json" not in requested
    v.move("jumpTo({center: [129.04, 35.1], zoom: 11})")
    v.rest()
    assert "coast.json" in requested
    assert v.rendered("near-shore")


def test_a_moved_map_loads_its_booths(visitor: Visit) -> None:
    v = visitor()
    before = v.names()
    v.move("jumpTo({center: [126.924, 37.556]})")
    expect(v.one("#list .name").first).not_to_have_text(before[0])
    v.rest()
    assert "at=37.556" in v.page.url
    assert any("홍대" in name for name in v.names())
    assert booths_on_map(v) == total(v)


def test_without_following_the_moved_map_offers_a_search_of_the_area(visitor: Visit) -> None:
    v = visitor()
    before = v.names()
    v.one("#follow").uncheck()
    v.move("jumpTo({center: [126.924, 37.556]})")
    v.one("#area").wait_for()
    v.rest()
    assert v.names() == before
    v.one("#area").click()
    expect(v.one("#list .name").first).not_to_have_text(before[0])
    expect(v.one("#area")).to_be_hidden()


def test_a_larger_radius_finds_more(visitor: Visit) -> None:
    v = visitor()
    near = total(v)
    v.one("#radius").select_option("5000")
    expect(v.one("#list-title")).to_contain_text("5km")
    v.rest()
    assert total(v) > near


RING = """() => {
  const ring = document.querySelector('.ring').getBoundingClientRect();
  const map = geoshops.map.getContainer().getBoundingClientRect();
  const east = geoshops.map.unproject([map.width / 2 + ring.width / 2, map.height / 2]);
  return { radius_m: geoshops.map.getCenter().distanceTo(east), x: ring.x + ring.width / 2 - map.x - map.width / 2 };
}"""


def test_the_circle_stays_around_the_middle_and_is_as_large_as_the_radius(visitor: Visit) -> None:
    v = visitor(path="/?r=2000")
    for change in ("jumpTo({center: [126.92, 37.55]})", "jumpTo({zoom: 12})"):
        v.move(change)
        v.rest()
        ring = v.page.evaluate(RING)
        assert abs(ring["x"]) < 1
        assert abs(ring["radius_m"] - 2000) < 10


def test_the_circle_stays_where_it_was_searched_unless_it_follows(visitor: Visit) -> None:
    v = visitor(path="/?r=500")
    expect(v.one(".ring")).to_be_visible()
    v.one("#follow").uncheck()
    v.move("panBy([40, 0], {animate: false})")
    v.rest()
    expect(v.one(".ring")).to_be_hidden()
    script = "geoshops.map.queryRenderedFeatures({layers: ['circle-fill']}).length"
    assert v.page.evaluate(script) > 0


def test_a_brand_chip_leaves_the_brand_and_its_sub_brands(visitor: Visit) -> None:
    v = visitor(path="/?r=5000")
    everything = total(v)
    chip = v.page.locator(".chip", has_text="포토이즘").first
    count = int(chip.locator(".count").inner_text())
    chip.click()
    v.rest()
    assert total(v) == count < everything
    assert all(name.startswith("포토이즘") for name in v.names())
    expect(chip).to_have_attribute("aria-pressed", "true")
    assert "brand=" in v.page.url


def test_a_filter_of_the_service_narrows_the_list(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    everything = total(v)
    v.page.locator(".chip", has_text="별점 4점 이상").click()
    expect(v.one("#list-title")).not_to_contain_text(f"{everything}곳")
    v.rest()
    ratings = [float(text) for text in v.one(RATINGS).all_inner_texts()]
    assert total(v) < everything
    assert ratings and min(ratings) >= 4


def test_a_press_on_a_filter_is_not_lost_when_a_list_arrives(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    held: list[Route] = []
    v.page.route("**/shops/brand*", lambda route: held.append(route), times=1)
    v.one("#radius").select_option("2000")
    v.until(lambda: held)

    def release_list() -> None:
        held[0].continue_()
        expect(v.one("#list-title")).to_contain_text("2km")

    chip = v.page.locator("#filters .chip", has_text="별점 4점 이상")
    v.press_during(chip, release_list)
    expect(chip).to_have_attribute("aria-pressed", "true")


def test_a_press_on_a_shop_is_not_lost_when_open_ones_are_marked(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="")
    held: list[Route] = []
    v.page.route("**/shops/hours?*", lambda route: held.append(route), times=1)
    v.page.goto(f"{v.site}/?r=5000")
    v.until(lambda: held)

    def release_hours() -> None:
        held[0].continue_()
        v.one("#list .tag.good").first.wait_for()

    v.press_during(v.one("#list .name").first, release_hours)
    expect(v.one("#sheet")).to_be_visible()


def test_the_list_distinguishes_open_closed_and_unknown_shops(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="")
    always = [{"day": day, "open": "00:00", "close": "24:00"} for day in range(1, 8)]
    # closed all the time, because the browser's clock counts only if it agrees with the service
    states = iter(((True, always), (False, [{"day": 1, "open": "10:00", "close": "10:01"}])))

    def respond(route: Route) -> None:
        ids = [int(value) for value in parse_qs(urlsplit(route.request.url).query)["id"]]
        known = [(shop_id, *next(states, (None, []))) for shop_id in ids]
        route.fulfill(json=[{"id": n, "open_now": o, "opening_hours": h} for n, o, h in known])

    v.page.route("**/shops/hours?*", respond)
    v.go("/?r=5000")
    tags = [row.locator(".meta .tag") for row in v.page.locator("#list .shop").all()[:3]]
    expect(tags[0]).to_have_text("24시간 영업")
    expect(tags[1]).to_have_text(re.compile("^영업 종료"))
    expect(tags[2]).to_have_count(0)


def test_a_shop_in_the_middle_of_the_map_has_no_distance(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/shop/7")
    here, next_one = v.one("#list .meta").all_inner_texts()[:2]
    assert not re.search(r"\dk?m\b", here) and re.search(r"\dk?m\b", next_one)


def test_sorting_by_rating_puts_the_best_first(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    v.one("#sort").select_option("rating")
    v.rest()
    texts = v.one(RATINGS).all_inner_texts()
    assert texts == sorted(texts, key=float, reverse=True)


def test_a_shop_opens_from_the_list_and_back_closes_it(visitor: Visit) -> None:
    v = visitor()
    v.open_first()
    assert "/shop/" in v.page.url
    current = v.page.locator("#list .name[aria-current]")
    expect(current).to_have_count(1)
    expect(v.page.locator(".histogram li")).to_have_count(5)
    v.page.go_back()
    expect(v.one("#sheet")).to_be_hidden()
    expect(current).to_have_count(0)
    v.page.go_forward()
    expect(v.one("#sheet")).to_be_visible()


def test_a_shop_opens_from_its_pin(visitor: Visit) -> None:
    v = visitor(path="/?at=37.4979,127.0276,15")
    pin = v.page.evaluate(
        "() => { const f = geoshops.map.queryRenderedFeatures({layers: ['pins']})[0];"
        " const p = geoshops.map.project(f.geometry.coordinates);"
        " const r = geoshops.map.getContainer().getBoundingClientRect();"
        " return [f.properties.name, p.x + r.x, p.y + r.y]; }"
    )
    v.page.mouse.click(pin[1], pin[2])
    expect(v.one("#sheet-title")).to_have_text(pin[0])


@pytest.mark.parametrize("gesture", ["click", "tap"])
def test_a_chosen_shop_has_its_name_on_the_map_once(visitor: Visit, gesture: str) -> None:
    v = visitor(member=f"chooser-{gesture}", **PHONE)
    for place in range(4):
        getattr(v.one("#list .name").nth(place), gesture)()
        expect(v.one("#sheet")).to_be_visible()
        v.rest()
        assert v.rendered("lit-pin") == []
        assert len({pin["id"] for pin in v.rendered("chosen-pin")}) == 1
        v.one("#sheet-close").click()
        v.rest()


def test_an_address_restores_place_radius_brand_and_shop(visitor: Visit) -> None:
    first = visitor(path="/?r=2000")
    first.page.locator(".chip", has_text="인생네컷").first.click()
    first.rest()
    name = first.open_first()
    second = visitor(path=first.page.url.removeprefix(first.site))
    expect(second.one("#sheet-title")).to_have_text(name)
    assert second.names() == first.names()
    assert second.one("#radius").input_value() == "2000"


def test_the_address_of_a_merged_shop_shows_the_one_that_has_its_reviews(visitor: Visit) -> None:
    v = visitor(path="/?r=1000")
    name = v.open_first()
    kept = int(re.findall(r"/shop/(\d+)", v.page.url)[0])
    merged = {"id": 424242, "merged_into_id": kept}
    v.page.route("**/shops/424242?*", lambda route: route.fulfill(json=merged))
    v.go("/?r=1000")
    v.go("/?r=1000&shop=424242")
    v.page.get_by_role("heading", name=name, level=2).wait_for()
    assert f"/shop/{kept}?" in v.page.url
    v.page.go_back()
    expect(v.page).not_to_have_url(re.compile("/shop/"))
    v.rest()


def test_near_me_asks_the_browser_for_the_position(visitor: Visit) -> None:
    v = visitor(path="/?at=35.1577,129.0590,14")
    assert KNOWN not in v.names()
    v.one("#near").click()
    v.page.locator("#list .name", has_text=KNOWN).first.wait_for()


def test_near_me_without_permission_shows_a_message(visitor: Visit) -> None:
    v = visitor(permissions=[])
    v.one("#near").click()
    v.toast("위치를 알 수 없어요")


def test_more_reviews_come_page_by_page(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    v.one("#sort").select_option("reviews")
    v.rest()
    v.open_first()
    expect(v.page.locator(".review")).to_have_count(10)
    v.page.locator("#sheet .button.wide").click()
    expect(v.page.locator(".review")).to_have_count(20)


def test_the_keyboard_opens_and_closes_a_shop_and_keeps_its_place(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.one("#list .name").first.focus()
    v.page.keyboard.press("Enter")
    expect(v.one("#sheet-title")).to_be_focused()
    v.page.keyboard.press("Escape")
    expect(v.one("#sheet")).to_be_hidden()
    expect(v.one("#list .name").first).to_be_focused()


def test_an_empty_list_offers_a_larger_radius(visitor: Visit) -> None:
    # no shops nearby, but some within the next larger radius
    v = visitor(map_seen=Map.NONE, path="/?at=37.4979,127.0276,14&r=500")
    v.page.route("**/shops/brand?*radius=500*", lambda route: route.fulfill(json=[]))
    v.go("/?at=37.4979,127.0276,14&r=500")
    v.page.get_by_role("button", name="반경 1km까지 찾아보기").click()
    v.page.locator("#list .shop").first.wait_for()
    expect(v.one("#list-title")).to_contain_text("반경 1km 안에")


def test_a_phone_shows_map_and_list_and_the_sheet_over_both(visitor: Visit) -> None:
    v = visitor(**PHONE)
    assert booths_on_map(v) > 0
    assert v.page.evaluate("document.documentElement.scrollWidth") == 390
    v.one("#grip").tap()
    expect(v.one("#grip")).to_have_attribute("aria-expanded", "true")
    v.open_first()
    box = v.one("#sheet").bounding_box()
    assert box and box["width"] == 390 and box["y"] > 300
    v.one("#sheet-grip").tap()
    expect(v.one("#sheet")).to_have_attribute("data-position", "full")
    box = v.one("#sheet").bounding_box()
    assert box and box["height"] > 600


@pytest.mark.parametrize(
    ("browser_language", "language", "title"),
    [
        ("ko-KR", "ko", "반경 1km 안에"),
        ("en-US", "en", "shops within 1km"),
        ("ja-JP", "ja", "半径1km以内に"),
        ("zh-CN", "zh-Hans", "1km范围内有"),
        ("zh-TW", "zh-Hant", "1km 範圍內有"),
    ],
)
def test_the_page_speaks_the_language_of_the_browser(
    visitor: Visit, browser_language: str, language: str, title: str
) -> None:
    v = visitor(map_seen=Map.NONE, language=browser_language)
    assert v.one("html").get_attribute("lang") == language
    assert title in v.one("#list-title").inner_text()
    assert v.one("#language").input_value() == language


def test_the_language_can_be_switched_and_is_kept(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, language="en-US")
    v.one("#language").select_option("ja")
    expect(v.one("html")).to_have_attribute("lang", "ja")
    v.rest()
    v.go("/")
    expect(v.one("#list-title")).to_contain_text("半径")
    phone = visitor(map_seen=Map.NONE, language="ja-JP", **PHONE)
    phone.one("#account").tap()
    phone.one("dialog select.language").select_option("zh-Hant")
    expect(phone.one("html")).to_have_attribute("lang", "zh-Hant")


def test_the_language_can_be_switched_where_cookies_are_blocked(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="")
    v.page.add_init_script(NO_COOKIES)
    v.go("/")
    v.one("#language").select_option("ja")
    expect(v.one("html")).to_have_attribute("lang", "ja")
    v.rest()
    v.one("#language").select_option("en")
    expect(v.one("html")).to_have_attribute("lang", "en")
    assert "lang=en" in v.page.url


def test_shops_are_shown_in_the_language_of_the_page(visitor: Visit) -> None:
    korean, english = visitor(), visitor(language="en-US")
    names = english.names()
    assert len(names) == len(korean.names())
    assert not any(re.search("[가-힣]", name) for name in names)
    assert not re.search("[가-힣]", " ".join(english.one("#list .address").all_inner_texts()))
    assert not re.search("[가-힣]", " ".join(english.one("#chips .chip").all_inner_texts()))
    assert english.open_first() == names[0]
    # the Korean name, to show a taxi driver and to recognise the sign
    assert korean.names()[0] in english.one("#sheet-body").inner_text()
    assert {pin["name"] for pin in english.rendered("pins")} <= set(names)
    english.one("#query").press_sequentially("강남")
    expect(english.one("#suggestions")).to_contain_text("Gangnam Station")
    expect(english.one("#suggestions mark").first).to_have_text("강남")


def test_chinese_names_of_pins_break_between_brand_and_branch(visitor: Visit) -> None:
    v = visitor(path="/?q=홍대입구 인생네컷", language="zh-Hant")
    names = {pin["name"] for pin in v.rendered("pins")}
    assert any(re.fullmatch(r"人生四宮?格\n弘[^\n]+店", name) for name in names)
    assert {name.replace("\n", " ") for name in names} <= set(v.names())


def test_dark_follows_the_system_and_the_switch(visitor: Visit) -> None:
    v = visitor(color_scheme="dark")
    expect(v.one("html")).to_have_attribute("data-theme", "dark")
    v.one("#theme").click()
    expect(v.one("html")).to_have_attribute("data-theme", "light")
    v.rest()
    assert booths_on_map(v) == total(v)


def test_the_theme_may_change_while_the_map_is_still_drawn(visitor: Visit) -> None:
    v = visitor()
    for scheme in ("dark", "light", "dark"):
        v.page.emulate_media(color_scheme=scheme)
        v.move("panBy([5, 0], {animate: false})")
        v.page.wait_for_timeout(20)
    v.rest()
    assert booths_on_map(v) == total(v)


def test_a_map_seen_from_afar_shows_the_clusters_of_the_whole_country(visitor: Visit) -> None:
    v = visitor(path="/?at=36.3,127.8,7")
    assert sum(f["shop_cnt"] for f in v.rendered(*FIELD)) > 300
    assert v.rendered("pins", "clusters") == []
    v.one("#query").fill("부산")
    v.one("#query").press("Enter")
    expect(v.one("#list-title")).to_contain_text("부산")
    v.rest()
    assert v.rendered(*FIELD) == []
    assert booths_on_map(v) > 0


FIELD_LAYERS = """() => geoshops.map.getStyle().layers.map(layer => layer.id).filter(id => id.startsWith("field-"))"""


def test_clusters_of_a_zoom_level_are_added_when_the_map_reaches_it(visitor: Visit) -> None:
    v = visitor()
    assert v.page.evaluate(FIELD_LAYERS) == ["field-0", "field-counts-0"]
    v.move("jumpTo({center: [127.8, 36.3], zoom: 7})")
    v.rest()
    assert "field-4" in v.page.evaluate(FIELD_LAYERS)
    assert sum(f["shop_cnt"] for f in v.rendered(*FIELD)) > 300
    v.one("#theme").click()
    v.rest()
    assert sum(f["shop_cnt"] for f in v.rendered(*FIELD)) > 300


def test_land_under_the_detailed_coast_is_drawn_only_where_it_is_seen(visitor: Visit) -> None:
    v = visitor(path="/?at=35.1,129.04,11", map_seen=Map.WHOLE)
    assert v.rendered("near-shore") and v.rendered("near-land")
    assert v.rendered(*COARSE) == []
    v.move("jumpTo({center: [139.8, 35.6], zoom: 9})")
    v.rest()
    assert v.rendered("land") and v.rendered("shore")
    v.move("jumpTo({center: [129.04, 35.1], zoom: 11})")
    v.rest()
    assert v.rendered(*COARSE) == []


def test_english_distinguishes_singular_and_plural(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, language="en-US")
    script = """async () => {
      const { t } = await import("/static/js/shared/i18n.js");
      return ["1", "2", "1,001", "0"].map((n) => t("favorites.count", { n }));
    }"""
    assert v.page.evaluate(script) == [
        "1 favorite",
        "2 favorites",
        "1,001 favorites",
        "0 favorites",
    ]
