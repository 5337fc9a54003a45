"""The sheet of a shop: routes to it, opening hours, sharing, printing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from playwright.sync_api import Route, expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
ANDROID = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1"
WEDNESDAY_21 = "2026-11-25T21:00:00+09:00"
WEEK = range(1, 8)


def open_shop(v: Visitor, **changes: Any) -> None:
    """Opens the first shop with some of its details changed."""

    def change(route: Route) -> None:
        route.fulfill(json=route.fetch().json() | changes)

    shop_id = v.page.evaluate("geoshops.state.shops[0].id")
    v.page.route(f"**/shops/{shop_id}?*", change)
    v.open_first()


def page_of_shop(v: Visitor) -> str:
    return f"{v.site}/shop/{v.page.evaluate('geoshops.state.shop_id')}"


def links(v: Visitor) -> dict[str, str]:
    """URLs of the links to route planners, by provider, in order."""
    script = "links => links.map(link => [link.dataset.route, link.getAttribute('href')])"
    return dict(v.page.locator("[data-route]").evaluate_all(script))


def test_the_route_links_are_in_one_line(visitor: Visit) -> None:
    for language in ("ko-KR", "en-US", "ja-JP", "zh-CN", "zh-TW"):
        v = visitor(map_seen=Map.NONE, language=language)
        v.open_first()
        tops = "links => new Set(links.map(link => link.getBoundingClientRect().top)).size"
        assert v.page.locator("[data-route]").evaluate_all(tops) == 1, language


def test_routes_lead_to_the_shop_kakao_and_naver_first(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.open_first()
    shop = v.page.evaluate("geoshops.state.shop")
    lng, lat, name = shop["longitude"], shop["latitude"], shop["place_name"]
    urls = links(v)
    assert [*urls] == ["kakao", "naver", "google"]
    assert unquote(urls["kakao"]) == f"https://map.kakao.com/link/to/{name},{lat},{lng}"
    assert f"/-/{lng},{lat},{name}," in unquote(urls["naver"])
    # Google has no walking routes in Korea
    google = parse_qs(urlsplit(urls["google"]).query)
    assert google == {"api": ["1"], "destination": [f"{lat},{lng}"], "travelmode": ["transit"]}


def test_an_iphone_has_apple_maps_and_the_naver_app_with_a_page_to_fall_back_on(
    visitor: Visit,
) -> None:
    v = visitor(map_seen=Map.NONE, **PHONE, user_agent=IPHONE)
    v.open_first()
    shop = v.page.evaluate("geoshops.state.shop")
    urls = links(v)
    assert [*urls] == ["kakao", "naver", "apple", "google"]
    assert urls["naver"].startswith("nmap://route/walk?")
    naver = parse_qs(urlsplit(urls["naver"]).query)
    assert naver["dname"] == [shop["place_name"]]
    assert (naver["dlng"], naver["dlat"]) == ([shop["longitude"]], [shop["latitude"]])
    assert parse_qs(urlsplit(urls["apple"]).query)["dirflg"] == ["w"]
    page = "https://map.naver.com/**"
    v.page.route(page, lambda route: route.abort())
    with v.page.expect_request(page):
        v.page.locator("[data-route=naver]").tap()
    assert [urlsplit(url).scheme for url in v.outside] == ["nmap", "https"]


def test_android_gets_an_intent_with_a_page_to_fall_back_on(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, **PHONE, user_agent=ANDROID)
    v.open_first()
    intent = links(v)["naver"]
    assert intent.startswith("intent://route/walk?")
    assert "scheme=nmap;package=com.nhn.android.nmap;" in intent
    assert "S.browser_fallback_url=https%3A%2F%2Fmap.naver.com%2F" in intent


def reopen_shop(v: Visitor, **changes: Any) -> None:
    """Closes the sheet and opens the shop again, with other details changed."""
    v.page.keyboard.press("Escape")
    v.page.unroute_all()
    open_shop(v, **changes)


def test_walking_minutes_are_an_estimate(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    lead = v.one(".sheet-lead")
    open_shop(v, distance_m=9_000)
    expect(lead).not_to_contain_text("도보")
    for distance_m, text in ((412, "도보 약 8분(예상)"), (10, "도보 약 1분(예상)")):
        reopen_shop(v, distance_m=distance_m)
        expect(lead).to_contain_text(text)
    reopen_shop(v, distance_m=0, distance="0m")
    expect(lead).not_to_contain_text("0m")
    expect(lead).not_to_contain_text("도보")


# Consecutive cases have different texts, so that the text of the previous case cannot pass as the next one.
STATUSES: tuple[tuple[list[tuple[int, str, str]], bool, str], ...] = (
    ([(day, "10:00", "22:00") for day in WEEK], True, "영업 중 · 22:00까지"),
    ([(day, "10:00", "02:00") for day in WEEK], True, "영업 중 · 02:00까지"),
    # adjacent spans are joined
    ([(3, "10:00", "24:00"), (4, "00:00", "05:00")], True, "영업 중 · 05:00까지"),
    ([(day, "00:00", "24:00") for day in WEEK], True, "24시간 영업"),
    ([(3, "00:00", "24:00"), (4, "00:00", "23:30")], True, "영업 중 · 목요일 23:30까지"),
    ([(day, "09:00", "09:00") for day in WEEK], True, "24시간 영업"),
    ([(day, "10:00", "20:00") for day in WEEK], False, "영업 종료 · 10:00에 열어요"),
    ([(1, "10:00", "20:00")], False, "영업 종료 · 월요일 10:00에 열어요"),
    # open_now of the service takes precedence over the browser's clock
    ([(3, "10:00", "20:59")], True, "영업 중"),
)


def test_the_status_shows_when_it_ends(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, timezone_id="America/New_York")
    v.page.clock.set_fixed_time(WEDNESDAY_21)
    for hours, open_now, text in STATUSES:
        spans = [{"day": day, "open": opens, "close": closes} for day, opens, closes in hours]
        reopen_shop(v, status="OPEN", open_now=open_now, opening_hours=spans)
        expect(v.page.locator(".sheet-lead .tag").first).to_have_text(text)


def test_opening_around_the_clock_reads_24_hours(visitor: Visit) -> None:
    for language, days, day, always in (
        ("ko-KR", "월–토", "24시간", "매일 24시간"),
        ("en-US", "Mon–Sat", "24 hours", "Open 24"),
    ):
        v = visitor(map_seen=Map.NONE, language=language)
        spans = [{"day": n, "open": "00:00", "close": "24:00"} for n in WEEK]
        open_shop(v, opening_hours=[*spans[:6], {"day": 7, "open": "10:00", "close": "22:00"}])
        v.page.locator(".hours summary").click()
        lines = v.page.locator(".hours li").all_inner_texts()
        assert lines[0].split("\n") == [days, day]
        assert lines[1].endswith("10:00–22:00") and len(lines) == 2
        reopen_shop(v, opening_hours=spans)
        expect(v.page.locator(".rows")).to_contain_text(always)


def test_days_with_the_same_times_are_one_line(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, language="zh-TW", path="/?r=5000")
    spans = [{"day": n, "open": "10:00", "close": "22:00"} for n in (1, 2, 3, 4, 6)]
    spans += [{"day": 6, "open": "23:00", "close": "02:00"}]
    open_shop(v, opening_hours=spans)
    v.page.locator(".hours summary").click()
    lines = v.page.locator(".hours li").all_inner_texts()
    assert [line.replace("\n", " ") for line in lines] == [
        "週一–週四 10:00–22:00",
        "週五 公休",
        "週六 10:00–22:00, 23:00–02:00",
        "週日 公休",
    ]
    v.page.keyboard.press("Escape")
    open_shop(v, opening_hours=[{"day": n, "open": "10:00", "close": "22:00"} for n in WEEK])
    v.page.locator(".hours summary").click()
    expect(v.page.locator(".hours li")).to_have_text(["每天10:00–22:00"])


def test_the_link_is_copied_or_shown_for_copying(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, permissions=["geolocation", "clipboard-read", "clipboard-write"])
    v.open_first()
    v.one("#share-copy").click()
    v.toast("링크를 복사했어요")
    assert v.page.evaluate("navigator.clipboard.readText()") == page_of_shop(v)
    v.page.evaluate("() => { navigator.clipboard.writeText = async () => { throw Error(); }; }")
    v.one("#share-copy").click()
    v.toast("주소창의 주소를 복사해 주세요")


def test_the_system_share_dialog_is_used_if_available(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="")
    v.context.add_init_script("navigator.share = async (data) => { window.shared = data; }")
    v.go("/")
    name = v.open_first()
    v.one("#share").click()
    assert v.page.evaluate("shared") == {"title": name, "url": page_of_shop(v)}


def test_a_printed_page_shows_the_list_or_the_shop(visitor: Visit) -> None:
    v = visitor(path="/?r=5000", color_scheme="dark")
    v.page.emulate_media(media="print")
    expect(v.one("#list .name").nth(30)).to_be_visible()
    for hidden in (".map-area", ".panel-head", "#list .heart", "#sort"):
        expect(v.page.locator(hidden).first).to_be_hidden()
    assert v.page.evaluate("document.documentElement.scrollHeight") > 2000
    assert v.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    v.page.emulate_media(media="screen")
    name = v.open_first()
    v.page.emulate_media(media="print")
    expect(v.page.get_by_role("heading", name=name)).to_be_visible()
    expect(v.page.locator(".review").first).to_be_visible()
    expect(v.page.locator("#list")).to_be_hidden()
    expect(v.one("#share-copy")).to_be_hidden()
    body = v.one("#sheet-body")
    assert body.evaluate("e => e.scrollHeight - e.clientHeight") <= 1


def test_the_list_marks_the_shops_that_are_open(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    marked = v.page.locator("#list .shop:has(.meta .tag.good) .name").all_inner_texts()
    v.page.locator(".chip", has_text="영업 중").click()
    expect(v.page.locator(".chip[aria-pressed=true]", has_text="영업 중")).to_be_visible()
    v.rest()
    # the list shows only its first page
    assert marked
    assert v.names()[: len(marked)] == marked


def test_titles_contrast_with_the_highlighted_row_of_the_open_shop(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.page.locator("#list .shop:has(.tags .tag) .name").first.click()
    v.rest()
    ground = "e => getComputedStyle(e).backgroundColor"
    row = v.one("#list .shop.chosen")
    assert row.locator(".tags .tag").first.evaluate(ground) != row.evaluate(ground)


def test_reviews_in_korean_break_between_words_on_a_page_in_chinese(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, language="zh-CN")
    v.open_first()
    review = v.page.locator("#sheet .review .content").first
    expect(review).to_have_attribute("lang", "ko")
    expect(review).to_have_css("word-break", "keep-all")
