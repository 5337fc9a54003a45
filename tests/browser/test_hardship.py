"""Degraded environments: no WebGL, no map library, no network, slow or malformed responses."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.visitor import FLAGS, Map, Visitor

Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def flat_browser(browser: Browser, chromium: str) -> Iterator[Browser]:
    """A browser without WebGL."""
    launched = browser.browser_type.launch(
        executable_path=chromium, args=[*FLAGS, "--disable-3d-apis"]
    )
    yield launched
    launched.close()


def test_without_webgl_only_the_list_is_shown(flat_browser: Browser, site: str) -> None:
    v = Visitor(flat_browser, site)
    expect(v.one("#map-note")).to_be_visible()
    expect(v.one(".map-area")).to_be_hidden()
    v.open_first()
    # side by side
    v.page.locator("#list .heart").first.click(trial=True)
    v.one("#sheet-close").click()
    v.one("#query").fill("부산")
    v.one("#query").press("Enter")
    expect(v.one("#list-title")).to_contain_text("부산")
    v.rest()
    assert v.names()
    assert [c for c in v.complaints if "WebGL" not in c] == []
    v.context.close()


def test_the_offline_basemap_shows_land_names_and_stations(visitor: Visit) -> None:
    v = visitor(path="/?at=36.5,127.8,6.5", map_seen=Map.WHOLE)
    assert v.rendered("near-land")
    # numbers of clusters hide some names
    provinces = {f["name"] for f in v.rendered("names")}
    assert len(provinces & {"강원특별자치도", "충청남도", "충청북도", "전라남도", "경상북도"}) >= 2
    v.move("jumpTo({center: [127.0276, 37.4979], zoom: 14})")
    v.rest()
    assert "강남" in {f["name"] for f in v.rendered("stations")}
    assert v.outside == []


def test_a_lost_connection_is_reported_and_can_be_retried(visitor: Visit) -> None:
    v = visitor(path="")
    v.page.route("**/shops/brand*", lambda route: route.abort())
    v.go("/")
    expect(v.one("#list [role=alert]")).to_contain_text("서버에 연결할 수 없어요")
    v.page.unroute("**/shops/brand*")
    v.page.get_by_role("button", name="다시 시도").click()
    expect(v.one("#list .name").first).to_be_visible()


def test_a_malformed_response_is_reported(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="")
    v.page.route("**/shops/brand*", lambda route: route.fulfill(status=502, body="<html>"))
    v.go("/")
    expect(v.one("#list [role=alert]")).to_contain_text("서버 응답에 문제가 있어요")


def test_skeletons_are_shown_until_the_first_response(visitor: Visit) -> None:
    v = visitor(path="")
    held: list[Route] = []
    v.page.route("**/shops/brand*", lambda route: held.append(route))
    v.page.goto(v.site + "/")
    expect(v.page.locator("#list .ghost")).to_have_count(6)
    expect(v.one("#list-region")).to_have_attribute("aria-busy", "true")
    v.until(lambda: held)
    held[0].continue_()
    expect(v.one("#list .name").first).to_be_visible()
    expect(v.one("#list-region")).to_have_attribute("aria-busy", "false")


def test_without_the_map_library_only_the_list_is_shown(visitor: Visit) -> None:
    v = visitor(path="")
    v.page.route("**/maplibre-gl.mjs", lambda route: route.abort())
    v.go("/")
    expect(v.one("#map-note")).to_be_visible()
    assert v.names()
