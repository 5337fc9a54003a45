"""The page of a shop: readable without JavaScript, then taken over by the map."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing

import psycopg2
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
SHOP = 7


def name_of(v: Visitor) -> str:
    return v.one("#sheet-title").inner_text()


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_page_is_readable_without_javascript(visitor: Visit, options: dict[str, object]) -> None:
    v = visitor(path="", java_script_enabled=False, **options)
    v.page.goto(f"{v.site}/shop/{SHOP}")
    for part in ("#sheet-title", ".sheet-lead", ".hours", ".review >> nth=0", "text=카카오맵"):
        expect(v.one(part)).to_be_visible()
    expect(v.one("#map")).to_be_hidden()
    v.one("a[hreflang=ja]").click()
    expect(v.one("html")).to_have_attribute("lang", "ja")
    # the last line can be scrolled to
    v.one("a[hreflang=en]").scroll_into_view_if_needed()
    expect(v.one("a[hreflang=en]")).to_be_in_viewport()


def test_the_map_takes_the_page_over(visitor: Visit) -> None:
    v = visitor(path=f"/shop/{SHOP}")
    name = name_of(v)
    assert v.page.title() == f"{name} · 네컷지기"
    expect(v.one("#write")).to_be_visible()
    # the list is that of the shop's neighbourhood
    assert v.names()[0] == name
    place = v.one("#sheet").get_attribute("data-place") or ""
    latitude, longitude = map(float, place.split(","))
    seen = v.page.evaluate(
        "([lng, lat]) => geoshops.map.getBounds().contains([lng, lat])", [longitude, latitude]
    )
    assert seen


def test_the_page_shows_its_text_until_the_map_has_loaded_the_shop(visitor: Visit) -> None:
    v = visitor(path="")
    v.page.route(re.compile(rf"/shops/{SHOP}\?"), lambda route: route.abort())
    v.page.goto(f"{v.site}/shop/{SHOP}")
    expect(v.one("#list .name").first).to_be_visible()
    v.rest()
    expect(v.one("#sheet-title")).not_to_have_text("")


def test_a_shop_of_the_list_opens_in_a_new_tab_or_here(visitor: Visit) -> None:
    v = visitor(path="/?r=5000")
    name = v.names()[0]
    with v.context.expect_page() as opened:
        v.one("#list .name").first.click(modifiers=["ControlOrMeta"])
    # the first request of a new tab lacks the emulated language
    expect(opened.value.locator("#sheet-title")).not_to_be_empty()
    assert re.search(r"/shop/\d+", opened.value.url)
    expect(v.one("#sheet")).to_be_hidden()
    v.one("#list .name").first.focus()
    v.page.keyboard.press("Enter")
    expect(v.one("#sheet-title")).to_have_text(name)


def test_a_closed_shop_is_marked_and_shows_its_neighbours(visitor: Visit, sample_url: str) -> None:
    with closing(psycopg2.connect(sample_url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(id) FROM shops WHERE status = 'CLOSED' AND merged_into_id IS NULL"
        )
        (closed,) = cursor.fetchone() or (None,)
    assert closed is not None
    v = visitor(map_seen=Map.NONE, path=f"/shop/{closed}?r=10000")
    expect(v.page.get_by_text("폐점한 지점이에요")).to_be_visible()
    assert f"/shop/{closed}?" in v.page.url


def test_title_address_and_canonical_follow_what_is_shown(visitor: Visit) -> None:
    v = visitor(path="/?r=5000")
    assert v.page.title() == "네컷지기 · 포토부스 지도"
    name = v.open_first()
    shown = re.search(r"/shop/\d+", v.page.url)
    assert shown and v.page.title() == f"{name} · 네컷지기"
    canonical = v.one("link[rel=canonical]")
    expect(canonical).to_have_attribute("href", f"{v.site}{shown[0]}")
    v.one("#sheet-close").click()
    v.rest()
    assert v.page.title() == "네컷지기 · 포토부스 지도"
    assert v.page.url.startswith(f"{v.site}/?")
    v.open_first()
    expect(v.page).to_have_title(f"{name} · 네컷지기")
    v.page.reload()
    v.rest()
    assert name_of(v) == name
    v.one("#sheet-close").click()
    v.one("#query").fill("강남")
    v.page.keyboard.press("Enter")
    expect(v.page).to_have_title(re.compile("강남"))


def test_older_links_to_a_shop_still_work(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path=f"/?r=1000&shop={SHOP}")
    assert f"/shop/{SHOP}?" in v.page.url and "shop=" not in v.page.url
    assert name_of(v) in v.page.title()


def test_the_language_of_the_address_stays_until_another_is_chosen(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path=f"/shop/{SHOP}?lang=en")
    assert "lang=en" in v.page.url
    expect(v.one("html")).to_have_attribute("lang", "en")
    canonical = v.one("link[rel=canonical]")
    expect(canonical).to_have_attribute("href", f"{v.site}/shop/{SHOP}?lang=en")
    v.one("#sheet-close").click()
    expect(canonical).to_have_attribute("href", f"{v.site}/?lang=en")
    v.one("#list .name").first.click()
    v.rest()
    expect(canonical).to_have_attribute("href", re.compile(r"/shop/\d+\?lang=en$"))
    v.one("#language").select_option("ja")
    v.page.wait_for_selector("html[lang=ja][data-idle]", state="attached")
    assert "lang=" not in v.page.url
    assert f"/shop/{SHOP}" in v.page.url
    assert v.page.title().endswith("Necutjigi")


def test_the_shared_link_is_the_address_of_the_page(visitor: Visit) -> None:
    v = visitor(
        map_seen=Map.NONE, path=f"/shop/{SHOP}", permissions=["clipboard-read", "clipboard-write"]
    )
    v.one("#share-copy").click()
    v.toast("복사")
    assert v.page.evaluate("navigator.clipboard.readText()") == f"{v.site}/shop/{SHOP}"


def test_sign_in_from_a_shop_page_returns_to_it(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path=f"/shop/{SHOP}")
    v.sign_in("page-reader")
    assert f"/shop/{SHOP}?" in v.page.url
    expect(v.one("#write")).to_be_visible()


def test_an_unknown_shop_leads_back_to_the_map(visitor: Visit) -> None:
    v = visitor(path="")
    v.page.goto(f"{v.site}/shop/424242")
    expect(v.page.get_by_role("heading", name="지점을 찾을 수 없어요")).to_be_visible()
    v.page.get_by_role("button", name="지도에서 찾기").click()
    v.rest()
    assert len(v.names()) > 0


def test_the_browser_finds_the_page_installable(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    session = v.context.new_cdp_session(v.page)
    manifest = session.send("Page.getAppManifest")
    assert (manifest["errors"], manifest["url"]) == ([], f"{v.site}/manifest.webmanifest?lang=ko")
    problems = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # a browser context is an incognito profile, in which nothing can be installed
    assert {problem["errorId"] for problem in problems} <= {"in-incognito"}


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
@pytest.mark.parametrize("path", [f"/shop/{SHOP}", "/shop/424242"])
def test_pages_without_a_script_follow_the_systems_theme(
    visitor: Visit, path: str, scheme: str, is_dark: bool
) -> None:
    v = visitor(path="", java_script_enabled=False, color_scheme=scheme)
    v.page.goto(f"{v.site}{path}")
    ground, text = (
        lightness(v.page.locator("body"), name) for name in ("background-color", "color")
    )
    assert (ground < text) == is_dark and abs(ground - text) > 150
    expect(v.page.locator("body")).to_have_css("color-scheme", "light dark")


def lightness(element: Locator, name: str) -> float:
    """The mean of red, green and blue, of 255."""
    color = element.evaluate("(e, name) => getComputedStyle(e).getPropertyValue(name)", name)
    red, green, blue = (float(part) for part in re.findall(r"[\d.]+", color)[:3])
    return (red + green + blue) / 3
