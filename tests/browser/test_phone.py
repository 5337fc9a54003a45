"""The page on a phone: draggable sheets, the Back button, and large touch targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
EDGE_PX = 20
PIN = """() => {
  const { longitude, latitude } = geoshops.state.shop;
  const { y } = geoshops.map.project([longitude, latitude]);
  return y + geoshops.map.getContainer().getBoundingClientRect().y;
}"""


@pytest.fixture
def phone(visitor: Visit) -> Visitor:
    """A phone in Gangnam."""
    return visitor(path="/?r=5000", **PHONE)


DRAGGED = """([panel, height]) =>
  Math.abs(parseFloat(document.querySelector(panel).style.height) - height) < 2"""


def swipe(v: Visitor, *, to_y: float, panel: str = "#sheet", handle: str = "#sheet-title") -> None:
    """Drags a panel, the sheet by its title, with one finger, slowly at the end."""
    box, whole = v.one(handle).bounding_box(), v.one(panel).bounding_box()
    assert box and whole
    x, y = box["x"] + 20, box["y"] + box["height"] / 2
    finger = v.context.new_cdp_session(v.page)

    def touch(kind: str, *points: dict[str, Any]) -> None:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [*points]})

    touch("touchStart", {"x": x, "y": y})
    for step in range(1, 9):
        touch("touchMove", {"x": x, "y": y + (to_y - y) * step / 8})
    v.page.wait_for_function(DRAGGED, arg=[panel, whole["height"] + y - to_y])
    touch("touchMove", {"x": x, "y": to_y + 1})
    touch("touchEnd")


def raise_list(v: Visitor) -> None:
    v.one("#grip").tap()
    expect(v.one("#grip")).to_have_attribute("aria-expanded", "true")


def height(v: Visitor) -> float:
    box = v.one("#sheet").bounding_box()
    assert box
    return float(box["height"])


def expect_pin_in_view(v: Visitor) -> None:
    """Expects the pin between the search box and the sheet."""
    v.rest()
    sheet, head = v.one("#sheet").bounding_box(), v.one(".panel-head").bounding_box()
    assert sheet and head
    assert head["y"] + head["height"] + EDGE_PX < v.page.evaluate(PIN) < sheet["y"] - EDGE_PX


def test_the_sheet_is_dragged_between_three_heights_and_leaves_the_pin_in_view(
    phone: Visitor,
) -> None:
    v = phone
    sheet = v.one("#sheet")
    raise_list(v)
    v.one("#list .name").nth(3).tap()
    expect(sheet).to_be_visible()
    v.rest()
    expect(sheet).to_have_attribute("data-position", "half")
    half = height(v)
    expect_pin_in_view(v)
    swipe(v, to_y=30)
    expect(sheet).to_have_attribute("data-position", "full")
    full = height(v)
    swipe(v, to_y=820)
    expect(sheet).to_have_attribute("data-position", "peek")
    assert height(v) < half < full
    expect_pin_in_view(v)
    expect(v.one("#sheet-title")).to_be_in_viewport()
    swipe(v, to_y=430)
    expect(sheet).to_have_attribute("data-position", "half")
    expect_pin_in_view(v)


def test_the_list_is_dragged_between_three_heights_and_back_closes_the_full_one(
    phone: Visitor,
) -> None:
    v = phone
    panel, grip, tools = v.one("#list-region"), v.one("#grip"), v.one("#around-tools")
    expect(panel).to_have_attribute("data-position", "half")
    # at half height the list has room for shops, but not for the search controls
    expect(tools).to_be_hidden()
    swipe(v, to_y=130, panel="#list-region", handle="#list-handle")
    expect(panel).to_have_attribute("data-position", "full")
    expect(grip).to_have_attribute("aria-expanded", "true")
    expect(tools).to_be_visible()
    v.page.go_back()
    expect(panel).to_have_attribute("data-position", "half")
    swipe(v, to_y=830, panel="#list-region", handle="#list-handle")
    expect(panel).to_have_attribute("data-position", "peek")
    expect(grip).to_have_attribute("aria-label", "목록과 지도 같이 보기")
    expect(v.one("#list-title")).to_be_in_viewport()
    low, area = panel.bounding_box(), v.one(".map-area").bounding_box()
    assert low and area
    assert area["y"] + area["height"] >= low["y"]
    grip.press("ArrowUp")
    expect(panel).to_have_attribute("data-position", "half")
    v.open_first()
    assert v.page.url.startswith(f"{v.site}/shop/")


def test_the_button_and_the_arrow_keys_set_the_height_of_the_sheet(phone: Visitor) -> None:
    v = phone
    v.open_first()
    grip, sheet = v.one("#sheet-grip"), v.one("#sheet")
    for label, position in (
        ("정보 전체 보기", "full"),
        ("지도 크게 보기", "peek"),
        ("정보와 지도 같이 보기", "half"),
    ):
        expect(grip).to_have_attribute("aria-label", label)
        grip.tap()
        expect(sheet).to_have_attribute("data-position", position)
    grip.focus()
    for key, position in (("ArrowUp", "full"), ("ArrowUp", "full"), ("ArrowDown", "half")):
        v.page.keyboard.press(key)
        expect(sheet).to_have_attribute("data-position", position)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_sheet_is_animated_only_without_reduced_motion(visitor: Visit, motion: str) -> None:
    v = visitor(path="/?r=5000", **{**PHONE, "reduced_motion": motion})
    v.open_first()
    press = (
        "grip => { grip.click(); return document.querySelector('#sheet').getAnimations().length; }"
    )
    running = v.one("#sheet-grip").evaluate(press)
    assert (running > 0) == (motion == "no-preference")


def test_back_closes_the_topmost_layer(phone: Visitor) -> None:
    v = phone
    raise_list(v)
    v.open_first()
    v.one("#sheet .heart").tap()
    expect(v.one("dialog")).to_be_visible()
    v.page.go_back()
    expect(v.one("dialog")).to_have_count(0)
    expect(v.one("#sheet")).to_be_visible()
    v.page.go_back()
    expect(v.one("#sheet")).to_be_hidden()
    expect(v.one("#grip")).to_have_attribute("aria-expanded", "true")
    v.page.go_back()
    expect(v.one("#grip")).to_have_attribute("aria-expanded", "false")
    assert v.page.url.startswith(v.site)


def test_back_does_not_open_again_what_was_closed(phone: Visitor) -> None:
    v = phone
    v.page.goto("about:blank")
    v.go("/?r=5000")
    v.one("#account").tap()
    expect(v.one("dialog")).to_be_visible()
    v.page.keyboard.press("Escape")
    expect(v.one("dialog")).to_have_count(0)
    v.open_first()
    v.one("#sheet-close").tap()
    expect(v.one("#sheet")).to_be_hidden()
    v.one("#list .name").first.tap()
    expect(v.one("#sheet")).to_be_visible()
    v.rest()
    v.one("#sheet .heart").tap()
    v.page.locator("dialog .icon-button").tap()
    expect(v.one("dialog")).to_have_count(0)
    v.page.go_back()
    expect(v.one("#sheet")).to_be_hidden()
    v.page.go_back()
    v.page.wait_for_url("about:blank")


def test_back_closes_the_dialog_below_one_that_was_closed(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, member="layers")
    v.one("#account").click()
    v.one("#tab-settings").click()
    v.page.get_by_role("button", name="회원 탈퇴").click()
    expect(v.one("dialog")).to_have_count(2)
    v.page.keyboard.press("Escape")
    expect(v.one("dialog")).to_have_count(1)
    v.page.go_back()
    expect(v.one("dialog")).to_have_count(0)
    assert v.page.url.startswith(v.site)


SMALL = """() => [...document.querySelectorAll("button, a[href], select, summary, input, label.check, label.follow, label[for]")]
  .filter((e) => e.checkVisibility({ opacityProperty: true }) && e.matches(":not(.skip, .visually-hidden, #query, .shop > .facts > .name, .maplibregl-ctrl-attrib a)"))
  .filter((e) => !(e.matches("input") && e.closest("label")) && !(e.matches("label") && e.closest(".field")))
  .map((e) => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
  .filter(([, box]) => box.width && (Math.round(box.width) < 44 || Math.round(box.height) < 44))
  .map(([html, box]) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${html}`)"""


def test_touch_targets_are_at_least_44_pixels(phone: Visitor) -> None:
    v = phone
    v.sign_in("thumbs")
    assert v.page.evaluate(SMALL) == [], "list"
    v.one("#list .name").first.tap()
    expect(v.one("#sheet")).to_be_visible()
    v.rest()
    v.one("#sheet-grip").tap()
    expect(v.one("#sheet")).to_have_attribute("data-position", "full")
    assert v.page.evaluate(SMALL) == [], "sheet"
    v.one("#write").tap()
    v.one("#content").wait_for()
    assert v.page.evaluate(SMALL) == [], "form"
    v.page.go_back()
    expect(v.one("dialog")).to_have_count(0)
    v.page.go_back()
    expect(v.one("#sheet")).to_be_hidden()
    v.one("#account").tap()
    for name in ("titles", "favorites", "reviews", "settings"):
        tab = v.one(f"#tab-{name}")
        tab.tap()
        expect(tab).to_have_attribute("aria-selected", "true")
        v.rest()
        assert v.page.evaluate(SMALL) == [], name


@pytest.mark.parametrize("path", ["/nothing", "/shop/424242"])
def test_touch_targets_of_a_not_found_page_are_at_least_44_pixels(
    visitor: Visit, path: str
) -> None:
    v = visitor(path="", **PHONE)
    v.page.goto(f"{v.site}{path}")
    expect(v.page.locator("main .button")).to_be_visible()
    assert v.page.evaluate(SMALL) == []


OVERLAPS = """() => {
  const shown = ["#connection", "#area", "#draw", "#near", ".maplibregl-ctrl-attrib", ".maplibregl-ctrl-scale", ".panel-head", "#list-region", "#sheet"]
    .map((selector) => [selector, document.querySelector(selector)]).filter(([, e]) => e.checkVisibility())
    .map(([selector, e]) => [selector, e.getBoundingClientRect()]);
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const pairs = shown.flatMap(([name, box], i) => shown.slice(i + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${name} ${other}`));
  return [...pairs.filter((pair) => pair !== "#list-region #sheet"), ...shown.filter(([, { right }]) => right > document.documentElement.clientWidth).map(([name]) => name)];
}"""


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("language", ["ko-KR", "en-US", "ja-JP"])
def test_nothing_covers_anything_else_on_the_map(visitor: Visit, language: str, width: int) -> None:
    phone = {**PHONE, "viewport": {"width": width, "height": 760}}
    v = visitor(path="/?q=%EA%B0%95%EB%82%A8", language=language, **phone)
    v.move("panBy([0, 300], {animate: false})")
    expect(v.one("#area")).to_be_visible()
    v.rest()
    assert v.page.evaluate(OVERLAPS) == []
    assert v.page.evaluate("innerWidth") == width
    v.context.set_offline(True)
    expect(v.one("#connection")).to_be_visible()
    assert v.page.evaluate(OVERLAPS) == []
    v.context.set_offline(False)
    expect(v.one("#connection")).to_be_hidden()
    v.rest()
    v.open_first()
    # the map's attribution stays visible
    expect(v.one("#sheet")).to_have_attribute("data-position", "half")
    assert v.page.evaluate(OVERLAPS) == []
    v.one("#sheet-grip").press("ArrowDown")
    expect(v.one("#sheet")).to_have_attribute("data-position", "peek")
    v.rest()
    assert v.page.evaluate(OVERLAPS) == []


LASTING_TOASTS = "(set => { window.setTimeout = (run, ms, ...rest) => set(run, ms === 6000 ? 1e8 : ms, ...rest); })(setTimeout)"


@pytest.mark.parametrize("position", ["half", "full"])
def test_the_notice_of_an_earned_title_does_not_cover_the_review(
    visitor: Visit, position: str
) -> None:
    v = visitor(path="", member=f"toasts-{position}", **PHONE)
    v.context.add_init_script(LASTING_TOASTS)
    v.go("/?r=5000")
    v.open_first()
    if position == "full":
        v.one("#sheet-grip").tap()
    v.one("#write").tap()
    v.page.locator("label[for=star-5]").tap()
    v.one("#content").fill("사진이 잘 나와요")
    v.page.locator(".review-form button[type=submit]").tap()
    expect(v.one("dialog")).to_have_count(0)
    expect(v.one("#toasts .toast")).to_have_count(2)
    v.rest()
    review = v.one(".review.mine")
    expect(review).to_be_in_viewport(ratio=1)
    mine, toasts = review.bounding_box(), v.one("#toasts").bounding_box()
    assert mine and toasts
    assert toasts["y"] + toasts["height"] <= mine["y"] or toasts["y"] >= mine["y"] + mine["height"]
