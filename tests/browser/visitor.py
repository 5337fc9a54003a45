"""A visitor of the map page: a browser context with helpers for actions, and the errors of its console."""

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
# long, for slow or busy machines
PATIENCE_MS = 60_000
# Rejected and failed requests are part of some tests (a stolen token, a lost connection); the page handles them.
EXPECTED = re.compile(r"Failed to load resource: (the server responded with|net::ERR_)")
VIOLATIONS = "addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
# records every toast, because one that appeared while the page was busy may have disappeared when a test checks
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

# renders the map at a quarter of its resolution; the layout does not change
COARSE = "Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.25 })"

# Properties of the features that the map has drawn in these layers.
RENDERED = """ids => {
  const layers = ids.filter(id => geoshops.map.getLayer(id));
  return geoshops.map.queryRenderedFeatures({layers}).map(feature => feature.properties);
}"""
RESTS = (
    "() => 'idle' in document.documentElement.dataset && (window.geoshops?.map?.loaded() ?? true)"
)


class Map(Enum):
    """How much of the map is drawn. Without graphics hardware, drawing is the most expensive part of a page."""

    NONE = "none"
    # without the land of the offline basemap
    PLAIN = "plain"
    WHOLE = "whole"


WITHHELD = {
    Map.NONE: ["*/maplibre-gl.mjs", "*/maplibre-gl-worker.mjs"],
    Map.PLAIN: ["*/vendor/world-atlas/*"],
}


class Visitor:
    """Opens pages and waits until the page signals that it is idle."""

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
            # requests of a service worker bypass the routes with which tests simulate faults
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
        """Signs in over the API instead of the pages. Sets the refresh cookie; the page's own mark was set in local storage."""
        api, home = self.context.request, f"{self.site}/"
        begun = api.get(f"{self.site}/auth/authorize", params={"redirect_uri": home}).json()
        back = provider.sign_in_at(begun.pop("authorize_url"), self.person)
        query = {"redirect_uri": home, **begun, "code": back["code"]}
        response = api.get(
            f"{self.site}/auth/login/idp", params=query, headers={"X-Token-Storage": "cookie"}
        )
        assert response.ok, response.text()

    def _console(self, message: Any) -> None:
        if message.type == "error" and not EXPECTED.match(message.text):
            self.complaints.append(message.text)

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(self.site).netloc:
            self.outside.append(request.url)

    def go(self, path: str) -> None:
        """Opens a path of the site and waits until the page is idle."""
        self.page.goto(self.site + path)
        self.rest()

    def rest(self) -> None:
        """Waits until no request is pending and the map is drawn.

        After a tap or another touch, first wait for its effect: the browser sends the click event later.
        """
        self.page.wait_for_function(RESTS)

    def until(self, condition: Callable[[], object]) -> None:
        """Waits for a condition that depends on the page's requests."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not condition():
            assert time.monotonic() < end, "the condition was not met in time"
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
        """Properties of the features drawn in these layers; layers that the map does not have are ignored."""
        features: list[dict[str, Any]] = self.page.evaluate(RENDERED, list(layers))
        return features

    def open_first(self) -> str:
        """Opens the first shop of the list; returns its name."""
        name = self.names()[0]
        self.one("#list .name").first.click()
        self.page.get_by_role("heading", name=name, level=2).wait_for()
        self.rest()
        return name

    def press_during(self, target: Locator, happens: Callable[[], object]) -> None:
        """Presses the mouse button on the target, calls `happens`, then releases the button."""
        target.hover()
        self.page.mouse.down()
        happens()
        self.page.mouse.up()

    def sign_in(self, person: str) -> None:
        """Signs in at the development provider by typing this name."""
        self.person = person
        self.one("#account").click()
        self.one("dialog .primary").click()
        self.page.locator("input[name=sub]").fill(person)
        self.page.locator("form:has(input[name=sub]) button").click()
        self.page.wait_for_selector("#account.signed-in")
        self.rest()

    def toast(self, text: str) -> None:
        """Waits until the page has shown a toast with this text, now or before."""
        self.page.locator(f'html[data-toasts*="{text}"]').wait_for(state="attached")

    def end_session(self) -> None:
        """Ends the session over the API without the page noticing, as another device can."""
        api = self.context.request
        renewed = api.post(f"{self.site}/auth/token", headers={"X-Token-Storage": "cookie"})
        bearer = {"Authorization": f"Bearer {renewed.json()['access_token']}"}
        assert api.get(f"{self.site}/auth/logout", headers=bearer).ok

    def reject_token(self, path: str) -> None:
        """Rejects the page's current access token on the path with 401, as if it had expired."""
        expired = {"error_code": "102", "error_message": "expired"}
        rejected: list[str] = []

        def respond(route: Route) -> None:
            rejected[1:] = []
            rejected.append(route.request.headers["authorization"])
            if rejected[0] == rejected[-1]:
                route.fulfill(status=401, json=expired)
            else:
                route.continue_()

        self.page.route(lambda url: urlsplit(url).path == path, respond)
