"""Offline use: the last view, favorites, notices, and what the cache keeps after sign-out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.visitor import Map, Visitor

Visit = Callable[..., Visitor]
PEOPLE = (f"offline-{n}" for n in itertools.count())
READY = """() => navigator.serviceWorker.ready.then(async () => {
  if (!navigator.serviceWorker.controller)
    await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done));
})"""
KEPT = """async () => {
  const found = [];
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) found.push(`${name} ${new URL(url).pathname}`);
  return found;
}"""
# the service worker updates its caches after the page has received the responses
KEEPS_FAVORITES = f"async () => (await ({KEPT})()).includes('member /favorites')"
KEEPS_NO_MEMBER = f"async () => !(await ({KEPT})()).some(entry => entry.startsWith('member '))"


def go_offline(v: Visitor) -> None:
    v.context.set_offline(True)
    expect(v.one("#connection")).to_contain_text("인터넷에 연결되어 있지 않아")


def show_favorites(v: Visitor) -> None:
    v.one("#account").click()
    v.one("#tab-favorites").click()
    expect(v.page.locator("dialog .own .name").first).to_be_visible()
    v.page.keyboard.press("Escape")


def test_the_last_area_and_favorites_open_without_a_network(visitor: Visit) -> None:
    v = visitor(path="/?r=2000", service_workers="allow", map_seen=Map.WHOLE, member=next(PEOPLE))
    v.page.evaluate(READY)
    v.page.reload()
    v.page.wait_for_selector("#account.signed-in")
    v.rest()
    names = v.names()
    with v.page.expect_response("**/favorites/*"):
        v.one("#list .heart").first.click()
    show_favorites(v)
    v.page.wait_for_function(KEEPS_FAVORITES)
    go_offline(v)
    v.page.goto(v.site)
    v.page.wait_for_selector("#list .name")
    # the list first shows only the rows that fit the screen
    v.rest()
    assert sorted(v.names()) == sorted(names)
    v.page.wait_for_selector("#account.signed-in")
    show_favorites(v)
    v.context.set_offline(False)
    expect(v.one("#connection")).to_be_hidden()
    v.rest()
    v.page.wait_for_function(KEEPS_FAVORITES)
    assert [entry for entry in v.page.evaluate(KEPT) if "/auth" in entry] == []
    v.one("#account").click()
    v.one("#tab-settings").click()
    v.page.get_by_role("button", name="로그아웃", exact=True).click()
    expect(v.one("#account.signed-in")).to_have_count(0)
    v.rest()
    v.page.wait_for_function(KEEPS_NO_MEMBER)


def test_missing_tiles_are_noticed_and_loaded_when_the_connection_is_back(visitor: Visit) -> None:
    v = visitor()
    v.page.route("**/basemap/**", lambda route: route.abort())
    v.move("jumpTo({center: [127.4, 36.35]})")
    expect(v.one("#connection")).to_contain_text("지도 일부를 불러오지 못했어요")
    v.page.unroute("**/basemap/**")
    go_offline(v)
    with v.page.expect_response("**/basemap/**"):
        v.context.set_offline(False)
    expect(v.one("#connection")).to_be_hidden()


def test_a_shop_that_was_opened_opens_without_a_network(visitor: Visit) -> None:
    v = visitor(path="/?r=2000", service_workers="allow", map_seen=Map.NONE)
    v.page.evaluate(READY)
    v.page.reload()
    v.rest()
    name = v.open_first()
    shop = urlsplit(v.page.url).path
    v.page.wait_for_function(f"async () => (await ({KEPT})()).includes('seen /shops/{shop[6:]}')")
    go_offline(v)
    v.page.reload()
    expect(v.one("#sheet-title")).to_have_text(name)
    v.page.goto(f"{v.site}/")
    v.page.wait_for_selector("#list .name")
    assert "r=2000" in v.page.url
    # a shop that was not opened before gets a page as well
    v.page.goto(f"{v.site}/shop/1")
    expect(v.one("#sheet-body [role=alert] .button")).to_be_visible()
    v.context.set_offline(False)
    # Chromium's offline emulation sends no event after a navigation
    v.page.evaluate("dispatchEvent(new Event('online'))")
    expect(v.one("#write")).to_be_visible()


def test_failed_requests_are_repeated_when_the_connection_is_back(visitor: Visit) -> None:
    v = visitor(path="/?r=2000", map_seen=Map.NONE, member=next(PEOPLE))
    failed = v.one("[role=alert] .button")
    for open_part, close_part, loaded in (
        ("#list .name", "#sheet-close", "#sheet #write"),
        ("#account", "dialog .icon-button", "dialog .title"),
    ):
        go_offline(v)
        v.one(open_part).first.click()
        expect(failed).to_be_visible()
        v.context.set_offline(False)
        expect(v.one(loaded).first).to_be_visible()
        expect(failed).to_have_count(0)
        v.one(close_part).first.click()
    for place in range(2):
        v.page.locator("#list [data-compare]").nth(place).click()
    go_offline(v)
    v.page.locator("#compare .primary").click()
    expect(failed).to_be_visible()
    v.context.set_offline(False)
    expect(v.one(".comparison")).to_be_visible()
