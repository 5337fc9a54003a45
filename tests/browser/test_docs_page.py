"""/docs: an overview that opens Swagger UI at an operation, in both languages, on any screen, and accessible."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.test_accessibility import RUN
from tests.browser.visitor import PATIENCE_MS, PHONE

Read = Callable[..., Page]
DESK = {"viewport": {"width": 1280, "height": 900}}
OPEN = ".opblock.is-open"
LOADED = "performance.getEntriesByType('resource').map((entry) => entry.name).join()"
WIDTH = "[document.documentElement.scrollWidth, innerWidth]"


@pytest.fixture
def read(browser: Browser, site: str) -> Iterator[Read]:
    """Opens /docs; afterwards asserts that its console has no errors."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(path: str = "/docs", **options: Any) -> Page:
        chosen: dict[str, Any] = {"locale": "en-US", "reduced_motion": "reduce", **DESK, **options}
        contexts.append(browser.new_context(**chosen))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(f"{site}{path}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def open_operation(page: Page, name: str) -> None:
    page.locator(f'a[href$="/{name}"]').click()
    expect(page.locator(f"{OPEN} .parameters-container")).to_be_visible()


def test_an_operation_is_opened_and_tried_out_at_once(read: Read) -> None:
    page = read()
    assert "swagger-ui" not in page.evaluate(LOADED)
    open_operation(page, "listShopsAround")
    expect(page.locator("#overview")).to_be_hidden()
    expect(page.locator(OPEN)).to_contain_text("Minimum average rating (example: 4)")
    page.locator(".try-out__btn").click()
    with page.expect_response("**/shops/brand?*") as response:
        page.locator(".execute").click()
    # the examples of optional parameters would narrow the result
    assert "minRating" not in response.value.url and "page=" not in response.value.url
    assert response.value.status == 200 and response.value.json()
    page.go_back()
    expect(page.locator("#overview")).to_be_visible()
    assert "#/" not in page.url


def test_operations_are_described_in_both_languages(read: Read) -> None:
    page = read("/docs#/shops/listShopsAround")
    summary = page.locator(f"{OPEN} .opblock-summary-description")
    expect(summary).to_have_text("Shops within a radius of the map centre")
    page.locator("nav a[lang=ko]").click()
    open_operation(page, "getShop")
    expect(summary).to_have_text("지점 하나의 모든 정보")
    expect(page.locator(OPEN)).to_contain_text("사용자 위도 (예: 37.4979)")


# each pair of a language, a scheme and a screen is in one of these four; the other four are left to --full
PAIRS = {
    ("en", "light", "desktop"),
    ("en", "dark", "phone"),
    ("ko", "dark", "desktop"),
    ("ko", "light", "phone"),
}
SCREENS = {"desktop": DESK, "phone": PHONE}
LOOKS = [
    pytest.param(
        SCREENS[look[2]],
        look[1],
        look[0],
        id="-".join(look),
        marks=() if look in PAIRS else pytest.mark.full,
    )
    for look in itertools.product(("en", "ko"), ("light", "dark"), SCREENS)
]


@pytest.mark.parametrize(("screen", "scheme", "language"), LOOKS)
def test_it_fits_the_screen_and_axe_finds_nothing(
    read: Read, axe: str, screen: dict[str, Any], scheme: str, language: str
) -> None:
    page = read(f"/docs?lang={language}", color_scheme=scheme, bypass_csp=True, **screen)
    page.evaluate(axe)

    def check_view(view: str) -> None:
        violations = page.evaluate(RUN)["violations"]
        assert [
            (violation["id"], violation["nodes"][0]["html"]) for violation in violations
        ] == [], view
        needed, given = page.evaluate(WIDTH)
        assert needed <= given == screen["viewport"]["width"], view

    check_view("overview")
    open_operation(page, "listShopsWithin")
    check_view("operation")
    page.locator(".try-out__btn").first.click()
    page.locator(".execute").click()
    page.locator(".live-responses-table").wait_for()
    check_view("response")


def test_requests_that_need_no_sign_in_work_with_their_examples(read: Read, site: str) -> None:
    request = read().request
    document = request.get(f"{site}/openapi.json").json()
    tried = 0
    for path, item in document["paths"].items():
        operation = item.get("get", {})
        if not operation or operation.get("security") == [{"bearer": []}] or "/auth" in path:
            continue
        own = operation.get("parameters", [])
        example = {
            p["name"]: p.get("example", p["schema"].get("example"))
            for p in [*item.get("parameters", []), *own]
        }
        required = [p for p in own if p.get("required")]
        for chosen in (required, own):
            query = [pair for p in chosen for pair in pairs_of(p, example[p["name"]])]
            response = request.get(f"{site}{path.format(**example)}?{urlencode(query)}")
            assert response.status == 200, (response.url, response.text())
            tried += 1
    assert tried > 40


def pairs_of(parameter: dict[str, Any], example: Any) -> list[tuple[str, str]]:
    """The query items of a parameter."""
    values = example if isinstance(example, list) else [example]
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
    return [
        (parameter["name"], text)
        for text in (texts if parameter.get("explode") else [",".join(texts)])
    ]
