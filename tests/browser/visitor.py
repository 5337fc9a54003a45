"""A visitor of the map page: a browser profile, what it can do, and what its console complained of."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, Request, Route

from tests.auth import idp as provider

FLAGS = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
GANGNAM = {"latitude": 37.4979, "longitude": 127.0276}
# only a machine that is slow or busy needs so long
PATIENCE_MS = 60_000
# Refused requests are part of some stories (a stolen token, a cut line); the page answers for them.
EXPECTED = re.compile(r"Failed to load resource: (the server responded with|net::ERR_)")
VIOLATIONS = "addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
# every toast that the page has shown: one that came while the page was still busy may be gone when a test looks
TOASTS = """
new MutationObserver(records => {
  for (const node of records.flatMap(record => [...record.addedNodes]))
    if (node.classList?.contains("toast"))
      document.documentElement.dataset.toasts = (document.documentElement.dataset.toasts ?? "") + node.textContent + "\\n";
}).observe(document, { childList: true, subtree: true })
"""

# the page has no global variables: tests take the map and the state from its main module
MODULES = """
addEventListener("DOMContentLoaded", async () => {
  const main = document.querySelector('script[type="module"][src$="/main.js"]')?.src;
  if (!main) return;
  const page = await import(main);
  window.geoshops = { get map() { return page.map; }, state: page.state };
})
"""

# a quarter of the pixels along each side; where everything is, stays
COARSE = "Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.25 })"

# Nothing is on its way, and the last changes of the map are drawn.
RENDERED = """ids => {
  const layers = ids.filter(id => geoshops.map.getLayer(id));
  return geoshops.map.queryRenderedFeatures({layers}).map(feature => feature.properties);
}"""
RESTS = (
    "() => 'idle' in document.documentElement.dataset && (window.geoshops?.map?.loaded() ?? true)"
)


class Map(Enum):
    """How a visitor sees the map. Without graphics hardware, to draw it costs more than all the rest of a page."""

    NONE = "none"
    # without the land of the offline basemap
    PLAIN = "plain"
    WHOLE = "whole"


WITHHELD = {
    Map.NONE: ["*/maplibre-gl.mjs", "*/maplibre-gl-worker.mjs"],
    Map.PLAIN: ["*/vendor/world-atlas/*"],
}


class Visitor:
    """Opens pages and waits for the page's own sign that nothing is on its way any more."""

    def __init__(
        self,
        browser: Browser,
        site: str,
        *,
        language: str = "ko-KR",
        path: str = "/",
        map_seen: Map = Map.PLAIN,
        member: str = "",
        **options: Any,
    ) -> None:
        defaults: dict[str, Any] = {
            "viewport": {"width": 1280, "height": 800},
            "geolocation": GANGNAM,
            "permissions": ["geolocation"],
            "reduced_motion": "reduce",
            # its requests escape the routes by which tests make faults
            "service_workers": "block",
        }
        self.site = site
        self.complaints: list[str] = []
        self.outside: list[str] = []
        self.person = member
        if member:
            mark = {"origin": site, "localStorage": [{"name": "signed_in", "value": "1"}]}
            defaults["storage_state"] = {"cookies": [], "origins": [mark]}
        self.context = browser.new_context(locale=language, **{**defaults, **options})
        self.context.add_init_script(VIOLATIONS)
        self.context.add_init_script(TOASTS)
        self.context.add_init_script(MODULES)
        if map_seen is not Map.WHOLE:
            self.context.add_init_script(COARSE)
        self.page: Page = self.context.new_page()
        if map_seen in WITHHELD:
            network = self.context.new_cdp_session(self.page)
            network.send("Network.enable")
            network.send("Network.setBlockedURLs", {"urls": WITHHELD[map_seen]})
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._request)
        if member:
            self._begin_session()
        if path:
            self.go(path)

    def _begin_session(self) -> None:
        """Signs in without the pages that it takes: the browser gets the cookie, and has the page's mark already."""
        ask, home = self.context.request, f"{self.site}/"
        begun = ask.get(f"{self.site}/auth/authorize", params={"redirect_uri": home}).json()
        back = provider.sign_in_at(begun.pop("authorize_url"), self.person)
        query = {"redirect_uri": home, **begun, "code": back["code"]}
        answer = ask.get(
            f"{self.site}/auth/login/idp", params=query, headers={"X-Token-Storage": "cookie"}
        )
        assert answer.ok, answer.text()

    def _console(self, message: Any) -> None:
        if message.type == "error" and not EXPECTED.match(message.text):
            self.complaints.append(message.text)

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(self.site).netloc:
            self.outside.append(request.url)

    def go(self, path: str) -> None:
        """Opens an address of the site and waits until it rests."""
        self.page.goto(self.site + path)
        self.rest()

    def rest(self) -> None:
        """Waits until nothing is on its way.

        After a tap or another touch, first wait for its effect: the browser makes a click of it later.
        """
        self.page.wait_for_function(RESTS)

    def until(self, condition: Callable[[], object]) -> None:
        """Waits until something holds that the page's requests bring about."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            self.page.wait_for_timeout(50)

    def one(self, selector: str) -> Locator:
        """A locator."""
        return self.page.locator(selector)

    def names(self) -> list[str]:
        """Names in the list, in order."""
        return self.one("#list .name").all_inner_texts()

    def move(self, call: str) -> None:
        """Calls a method of the map. Its result is the map itself, which must not be copied to the test."""
        self.page.evaluate(f"void geoshops.map.{call}")

    def rendered(self, *layers: str) -> list[dict[str, Any]]:
        """Properties of what the map shows in those of the layers that it has."""
        found: list[dict[str, Any]] = self.page.evaluate(RENDERED, list(layers))
        return found

    def open_first(self) -> str:
        """Opens the first shop of the list; its name."""
        name = self.names()[0]
        self.one("#list .name").first.click()
        self.page.get_by_role("heading", name=name, level=2).wait_for()
        self.rest()
        return name

    def press_during(self, target: Locator, happens: Callable[[], object]) -> None:
        """Presses something with the mouse; between down and up something else happens."""
        target.hover()
        self.page.mouse.down()
        happens()
        self.page.mouse.up()

    def sign_in(self, person: str) -> None:
        """Signs in at the development provider as somebody who is typed."""
        self.person = person
        self.one("#account").click()
        self.one("dialog .primary").click()
        self.page.locator("input[name=sub]").fill(person)
        self.page.locator("form:has(input[name=sub]) button").click()
        self.page.wait_for_selector("#account.signed-in")
        self.rest()

    def toast(self, text: str) -> None:
        """Waits for a message, unless the page has shown it already."""
        self.page.locator(f'html[data-toasts*="{text}"]').wait_for(state="attached")

    def end_session(self) -> None:
        """Ends the session at the service behind the page's back, as another device can."""
        ask = self.context.request
        renewed = ask.post(f"{self.site}/auth/token", headers={"X-Token-Storage": "cookie"})
        bearer = {"Authorization": f"Bearer {renewed.json()['access_token']}"}
        assert ask.get(f"{self.site}/auth/logout", headers=bearer).ok

    def reject_token(self, path: str) -> None:
        """Lets the service reject the page's current access token on the path, as when it has expired."""
        expired = {"error_code": "102", "error_message": "expired"}
        rejected: list[str] = []

        def answer(route: Route) -> None:
            rejected[1:] = []
            rejected.append(route.request.headers["authorization"])
            if rejected[0] == rejected[-1]:
                route.fulfill(status=401, json=expired)
            else:
                route.continue_()

        self.page.route(lambda url: urlsplit(url).path == path, answer)
