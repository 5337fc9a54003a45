"""Takes the README's screenshots: a shop next to the map, a search in dark mode, a phone."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

DESKTOP = {"viewport": {"width": 1200, "height": 750}}
PHONE = {"viewport": {"width": 390, "height": 750}, "is_mobile": True, "has_touch": True}
TIMEOUT_MS = 30_000


def wait_idle(page: Page) -> None:
    """Waits until the page marks itself as idle."""
    page.wait_for_selector("html[data-idle]", state="attached", timeout=TIMEOUT_MS)


def open_known_shop(page: Page) -> None:
    """Opens a shop of the sample data that has reviews."""
    page.locator("#list .name", has_text="포토이즘 강남역점").first.click()
    page.wait_for_selector("#sheet .review")


def choose_brand(page: Page) -> None:
    """Filters by one brand."""
    page.locator(".chip", has_text="인생네컷").first.click()


class Picture(NamedTuple):
    """A screenshot: file name, URL path, preparation of the page, options of the browser context."""

    name: str
    path: str
    prepare: Callable[[Page], None]
    options: dict[str, Any]


PICTURES = (
    Picture("map.png", "/?at=37.4985,127.0290,14.3&r=2000", open_known_shop, DESKTOP),
    Picture(
        "search-dark.png",
        "/?q=부산 포토이즘&at=35.16,129.06,11",
        wait_idle,
        {**DESKTOP, "color_scheme": "dark"},
    ),
    Picture("phone.png", "/?at=37.5555,126.9235,14.6&r=1000", choose_brand, PHONE),
)


def take(browser: Browser, url: str, picture: Picture, folder: Path) -> None:
    """Takes one screenshot."""
    context = browser.new_context(locale="ko-KR", reduced_motion="reduce", **picture.options)
    page = context.new_page()
    page.goto(url.rstrip("/") + picture.path)
    wait_idle(page)
    picture.prepare(page)
    wait_idle(page)
    page.screenshot(path=folder / picture.name)
    context.close()


def main(url: str, folder: Path) -> None:
    """Takes all screenshots."""
    chromium = os.environ.get("GEOSHOPS_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        sys.exit("Chromium is missing (apt-get install chromium fonts-nanum)")
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        for picture in PICTURES:
            take(browser, url, picture, folder)
            size = (folder / picture.name).stat().st_size
            print(f"{folder / picture.name}: {size // 1024} KB")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
