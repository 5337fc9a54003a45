"""The street basemap: from an online style, including its outages, or from the operator's PMTiles file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Request, expect

from tests.browser.conftest import ALONE
from tests.browser.server import running_server
from tests.browser.streets_host import Host, hosting
from tests.browser.test_phone import OVERLAPS
from tests.browser.visitor import PHONE, Map, Visitor

GANGNAM = "/?at=37.4979,127.0240,15"
MYEONGDONG = "/?at=37.5600,126.9860,16"
ARTEFACTS = Path("artefacts/browser")
ARE_SHOWN = (
    "geoshops.map?.getStyle()?.layers.some(layer => layer.id.startsWith('streets:')) ?? false"
)
ATTRIBUTION = "document.querySelector('.maplibregl-ctrl-attrib-inner').textContent"


class Newcomer(Visitor):
    """A visitor of a page with streets."""

    def streets(self, present: bool = True) -> None:
        """Waits until streets are drawn, or removed."""
        self.page.wait_for_function(f"present => ({ARE_SHOWN}) === present", arg=present)
        self.rest()

    def paint(self, layer: str, name: str) -> str:
        """A colour of a street layer."""
        script = "([layer, name]) => geoshops.map.getPaintProperty('streets:' + layer, name)"
        return str(self.page.evaluate(script, [layer, name]))

    def attribution(self) -> str:
        """The text of the map's attribution."""
        return str(self.page.evaluate(ATTRIBUTION))


@contextmanager
def newcomer(browser: Browser, address: str, name: str, **options: Any) -> Iterator[Newcomer]:
    """A new visitor; afterwards saves a screenshot and asserts that the console has no errors."""
    visitor = Newcomer(browser, address, **options)
    yield visitor
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    visitor.page.screenshot(path=ARTEFACTS / f"streets-{name}.png")
    visitor.context.close()
    assert visitor.complaints == []


@pytest.fixture(scope="module")
def host(sample_url: str) -> Iterator[Host]:
    """The host of the online style."""
    with hosting(sample_url) as running:
        yield running


@pytest.fixture
def up(host: Host) -> Iterator[Host]:
    """The host in mode `up`; a test may change the mode."""
    host.requested.clear()
    yield host
    host.mode = "up"


@pytest.fixture(scope="module")
def online(sample_url: str, host: Host) -> Iterator[str]:
    """Origin of the service with the host's style."""
    settings = {
        **ALONE,
        "DATABASE_URL": sample_url,
        "GEOSHOPS_MAP_STYLE_URL": f"{host.origin}/style.json",
    }
    with running_server(settings) as address:
        yield address


@pytest.fixture(scope="module")
def own(sample_url: str, shared_data: Path) -> Iterator[str]:
    """Origin of the service with a PMTiles file."""
    path = shared_data / "streets" / "myeongdong_osm.pmtiles"
    if not path.is_file():
        pytest.skip("no ../shared/data/streets/myeongdong_osm.pmtiles")
    settings = {**ALONE, "DATABASE_URL": sample_url, "GEOSHOPS_BASEMAP_FILE": str(path)}
    with running_server(settings) as address:
        yield address


@pytest.mark.parametrize(
    ("browser_language", "name"),
    [
        ("ko-KR", "강남시장"),
        ("en-US", "Gangnam Market"),
        ("ja-JP", "江南市場"),
        ("zh-CN", "江南市场"),
        ("zh-TW", "江南市场"),
    ],
)
def test_streets_have_names_in_the_language_of_the_page(
    browser: Browser, online: str, up: Host, browser_language: str, name: str
) -> None:
    options = {"language": browser_language, "path": GANGNAM}
    with newcomer(browser, online, browser_language, **options) as v:
        v.streets()
        script = """() => geoshops.map.queryRenderedFeatures({layers: ["streets:label_town"]})
          .map(f => f.layer.layout["text-field"].toString())"""
        assert v.page.evaluate(script) == [name]
        assert v.one("#map").get_attribute("lang") == v.one("html").get_attribute("lang")
        assert v.attribution() == "OpenFreeMap © OpenMapTiles Data from OpenStreetMap"


def test_streets_have_the_look_of_the_page_in_both_themes(
    browser: Browser, online: str, up: Host
) -> None:
    with newcomer(browser, online, "theme", path=GANGNAM) as v:
        v.streets()
        light = {v.paint("lake", "fill-color"), v.paint("background", "background-color")}
        assert light == {"#cfe0e8", "#f6f3ee"}
        assert v.rendered("streets:highway_minor") and v.rendered("streets:houses")
        assert v.page.evaluate("geoshops.map.getLayer('streets:cafes')") is None
        shops = len(v.rendered("pins", "clusters"))
        v.one("#theme").click()
        v.streets()
        dark = {v.paint("lake", "fill-color"), v.paint("background", "background-color")}
        assert dark == {"#12212b", "#20242c"}
        assert len(v.rendered("pins", "clusters")) == shops > 0
        assert "강남" in {f["name"] for f in v.rendered("stations")}
        # neither glyphs nor sprites are needed
        kinds = {path.split("/")[1] for path in up.requested}
        assert kinds == {"style.json", "planet", "tiles"}
        assert {url.startswith(up.origin) for url in v.outside} == {True}


def test_the_names_of_online_sources_cover_nothing_on_a_phone(
    browser: Browser, online: str, up: Host
) -> None:
    with newcomer(browser, online, "sources", path=GANGNAM, **PHONE) as v:
        v.streets()
        expect(v.page.locator(".maplibregl-compact-show")).to_be_visible()
        assert v.page.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("mode", ["silent", "failing"])
def test_without_streets_the_offline_map_remains(
    browser: Browser, online: str, up: Host, mode: str
) -> None:
    up.mode = mode
    with newcomer(browser, online, mode, path=GANGNAM) as v:
        assert up.requested == ["/style.json"]
        assert not v.page.evaluate(ARE_SHOWN)
        assert v.rendered("pins", "clusters") and v.rendered("names")
        assert v.attribution() == "Natural Earth"
        expect(v.one("html[data-toasts]")).to_have_count(0)


def test_a_browser_without_a_connection_does_not_request_streets(
    browser: Browser, online: str, up: Host
) -> None:
    offline = "Object.defineProperty(navigator, 'onLine', { get: () => !window.cut })"
    with newcomer(browser, online, "cut", path="") as v:
        v.context.add_init_script(f"window.cut = true; {offline}")
        v.go(GANGNAM)
        assert up.requested == []
        assert v.rendered("names")
        v.page.evaluate("window.cut = false; dispatchEvent(new Event('online'))")
        v.streets()


@pytest.mark.parametrize("mode", ["silent", "failing"])
def test_the_offline_map_replaces_streets_that_become_unavailable(
    browser: Browser, online: str, up: Host, mode: str
) -> None:
    with newcomer(browser, online, f"away-{mode}", path=GANGNAM) as v:
        v.streets()
        assert v.page.evaluate("geoshops.map.getLayoutProperty('ground', 'visibility')") == "none"
        up.mode = mode
        v.move("jumpTo({ center: [126.9236, 37.5568] })")
        v.streets(present=False)
        assert v.rendered("pins", "clusters") and v.rendered("names")
        assert v.attribution() == "Natural Earth"
        expect(v.one("html[data-toasts]")).to_have_count(0)


MOST_REQUESTS = 25


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_shops_come_before_streets_and_with_few_requests(
    browser: Browser, online: str, up: Host, options: dict[str, Any], request: Any
) -> None:
    with newcomer(browser, online, f"order-{request.node.name}", path="", **options) as v:
        sent: list[Request] = []
        v.context.on("request", lambda one: sent.append(one))
        v.go("/")
        v.streets()
        booths = v.page.evaluate(
            "performance.timeOrigin + performance.getEntriesByName('booths')[0].startTime"
        )
        before = [one.url for one in sent if 0 < one.timing["startTime"] < booths]
        assert [url for url in before if url.startswith(up.origin) or "/hours" in url] == []
        # an unbundled page loads each module with a separate request
        modules = [url for url in before if url.endswith((".js", ".css"))]
        assert 10 < len(before) - len(modules) + 2 <= MOST_REQUESTS
        assert len([path for path in up.requested if path.startswith("/tiles/")]) == len(
            {path for path in up.requested if path.startswith("/tiles/")}
        )


def test_an_own_file_is_drawn_in_both_themes(browser: Browser, own: str) -> None:
    with newcomer(browser, own, "own", path=MYEONGDONG, map_seen=Map.WHOLE) as v:
        v.streets()
        assert v.rendered("streets:line-ways") and v.rendered("streets:fill-buildings")
        assert v.attribution() == "Natural Earth | © OpenStreetMap"
        assert v.outside == []
        v.one("#theme").click()
        v.streets()
        assert v.rendered("streets:line-ways") and v.rendered("pins", "clusters")
        # outside the file's bounds
        v.move("jumpTo({ center: [129.04, 35.1], zoom: 11 })")
        v.rest()
        assert v.rendered("near-land")


def test_a_file_of_protomaps_gets_labels_in_the_language_of_the_page(
    browser: Browser, own: str
) -> None:
    """For a file with Protomaps' layers, the page uses Protomaps' style with its own colours."""
    script = """async () => {
      const { archiveMap } = await import(document.querySelector("script[src$='/main.js']").src);
      const header = { minZoom: 0, maxZoom: 15, minLon: 124.5, minLat: 33, maxLon: 132, maxLat: 39 };
      const streets = await archiveMap(header, ["earth", "roads", "places"]);
      const layers = streets.layers("dark");
      return {
        attribution: streets.source.attribution.replace(/<[^>]+>/g, ""),
        water: layers.find((one) => one.id === "water").paint["fill-color"],
        names: layers.find((one) => one.id === "places_locality").layout["text-field"],
        icons: layers.filter((one) => one.layout?.["icon-image"]).length,
        backgrounds: layers.filter((one) => one.type === "background").length,
      };
    }"""
    with newcomer(browser, own, "protomaps", language="ja-JP", path=GANGNAM) as v:
        assert v.page.evaluate(script) == {
            "attribution": "Protomaps © OpenStreetMap",
            "water": "#12212b",
            "names": ["coalesce", ["get", "name:ja"], ["get", "name"]],
            "icons": 0,
            "backgrounds": 0,
        }


def test_pins_show_ratings_and_whether_shops_are_open(visitor: Callable[..., Visitor]) -> None:
    v = visitor(path="/?at=37.4979,127.0276,16")
    notes = [pin["note"].strip() for pin in v.rendered("pins")]
    ratings = {text for text in v.one("#list .rating").all_inner_texts() if text}
    assert len(ratings) > 3
    assert any(re.fullmatch(r"★ \d\.\d( · 영업 중)?", note) for note in notes)


COVERED = """() => geoshops.map.queryRenderedFeatures({layers: ["pins"]}).filter(({ geometry }) =>
  geoshops.map.queryRenderedFeatures(geoshops.map.project(geometry.coordinates), {layers: ["pin-names"]}).length)
  .map(({ properties }) => properties.name)"""


@pytest.mark.parametrize("language", ["ko-KR", "ja-JP"])
def test_names_cover_no_pin(visitor: Callable[..., Visitor], language: str) -> None:
    v = visitor(path="/?at=37.4979,127.0276,15.5", language=language)
    assert v.rendered("pin-names") and len(v.rendered("pins")) > 5
    assert v.page.evaluate(COVERED) == []


def test_a_row_of_the_list_highlights_its_pin(visitor: Callable[..., Visitor]) -> None:
    v = visitor(path="/?at=37.4979,127.0276,16")
    row = v.one("#list .shop").nth(1)
    name = row.locator(".name").inner_text()
    row.hover()
    expect(row).to_have_class(re.compile("lit"))
    v.rest()
    assert {pin["name"] for pin in v.rendered("lit-pin")} == {name}
    assert v.rendered("lit-ring")


def test_the_position_is_shown_with_its_accuracy(visitor: Callable[..., Visitor]) -> None:
    place = {"latitude": 37.4979, "longitude": 127.0276, "accuracy": 120}
    v = visitor(path="/?at=37.4979,127.0276,15", geolocation=place)
    assert v.rendered("user", "user-accuracy") == []
    v.one("#near").click()
    v.rest()
    assert v.rendered("user") and v.rendered("user-accuracy")
