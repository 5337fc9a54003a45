"""Drafts of reviews are never lost, and the focus stays in the field in which a member types."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
PEOPLE = (f"writer-{n}" for n in itertools.count())
WORDS = "조명이 밝고 소품이 많아요"


@pytest.fixture
def writer(visitor: Visit) -> Visitor:
    """A member who has begun a review."""
    v = visitor(map_seen=Map.NONE, path="/?r=5000", member=next(PEOPLE))
    v.open_first()
    v.one("#write").click()
    v.page.locator("label[for=star-4]").click()
    v.one("#content").fill(WORDS)
    v.page.locator("label[for=retouch-GOOD]").click()
    return v


def expect_draft(v: Visitor) -> None:
    """Expects the open form to hold what was written."""
    expect(v.one("#content")).to_have_value(WORDS)
    expect(v.one("#star-4")).to_be_checked()
    expect(v.one("#retouch-GOOD")).to_be_checked()
    expect(v.one(".draft")).to_be_visible()


def send(v: Visitor) -> None:
    v.page.locator(".review-form button[type=submit]").click()


def test_a_click_on_the_backdrop_leaves_a_form_with_words_open(writer: Visitor) -> None:
    writer.page.mouse.click(5, 5)
    expect_draft(writer)


def test_a_drag_that_ends_outside_leaves_the_dialog_open(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.one("#account").click()
    box = v.one("dialog h2").bounding_box()
    assert box
    v.page.mouse.move(box["x"] + 5, box["y"] + 5)
    v.page.mouse.down()
    v.page.mouse.move(5, 5)
    v.page.mouse.up()
    expect(v.one("dialog")).to_be_visible()
    v.page.mouse.click(5, 5)
    expect(v.one("dialog")).to_have_count(0)


def test_a_draft_survives_escape_and_a_reload_and_goes_when_it_is_sent(writer: Visitor) -> None:
    v = writer
    v.page.keyboard.press("Escape")
    expect(v.one("#write")).to_have_text("리뷰 이어 쓰기")
    v.page.reload()
    v.page.wait_for_selector("#account.signed-in")
    v.rest()
    v.one("#write").click()
    expect_draft(v)
    expect(v.one(".draft")).to_contain_text("저장해 둔 내용을 불러왔어요")
    send(v)
    expect(v.page.locator(".review.mine .content")).to_have_text(WORDS)
    v.rest()
    expect(v.one("#write")).to_have_text("리뷰 쓰기")
    v.one("#write").click()
    expect(v.one("#content")).to_have_value("")
    expect(v.one(".draft")).to_be_hidden()


def test_each_shop_has_its_own_draft(writer: Visitor) -> None:
    v = writer
    v.page.keyboard.press("Escape")
    v.page.keyboard.press("Escape")
    v.one("#list .name").nth(1).click()
    v.rest()
    expect(v.one("#write")).to_have_text("리뷰 쓰기")
    v.page.keyboard.press("Escape")
    v.one("#list .name").first.click()
    v.rest()
    v.one("#write").click()
    expect_draft(v)


def test_a_draft_is_discarded_after_a_confirmation(writer: Visitor) -> None:
    v = writer
    v.page.get_by_role("button", name="작성 내용 삭제").click()
    v.page.get_by_role("button", name="취소").click()
    expect_draft(v)
    v.page.get_by_role("button", name="작성 내용 삭제").click()
    v.page.locator("dialog .danger").click()
    expect(v.one("#content")).to_have_value("")
    expect(v.one("#star-4")).not_to_be_checked()
    expect(v.one(".draft")).to_be_hidden()
    v.page.keyboard.press("Escape")
    expect(v.one("#write")).to_have_text("리뷰 쓰기")


def test_a_draft_survives_a_session_that_ends_and_is_back_after_sign_in(writer: Visitor) -> None:
    v = writer
    v.end_session()
    send(v)
    expect(v.one("dialog [role=alert]")).to_contain_text("다시 로그인해서 이어 써 주세요")
    expect_draft(v)
    v.page.get_by_role("button", name="로그인하러 가기").click()
    v.page.locator("input[name=sub]").fill(v.person)
    v.page.locator("form:has(input[name=sub]) button").click()
    v.page.wait_for_selector("#account.signed-in")
    expect_draft(v)
    send(v)
    expect(v.page.locator(".review.mine .content")).to_have_text(WORDS)


def test_the_button_that_returns_to_a_form_is_visible_on_a_phone(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000", member=next(PEOPLE), **PHONE)
    v.open_first()
    v.one("#write").click()
    v.page.locator("label[for=star-4]").click()
    v.one("#content").fill(WORDS)
    v.end_session()
    send(v)
    expect(v.one("dialog .toast")).to_be_visible()
    again = v.page.get_by_role("button", name="로그인하러 가기")
    expect(again).to_be_in_viewport(ratio=1)
    covered = """button => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return [y + 2, y + height / 2, y + height - 2]
        .some((at) => !button.contains(document.elementFromPoint(x + width / 2, at)));
    }"""
    assert not again.evaluate(covered)


def test_a_draft_whose_response_was_lost_is_not_sent_twice_after_a_reload(writer: Visitor) -> None:
    v = writer
    lost: list[Route] = []

    def lose(route: Route) -> None:
        route.fetch()
        lost.append(route)
        route.abort()

    v.page.route("**/reviews/shop/*", lose)
    send(v)
    expect(v.one("dialog [role=alert]")).to_contain_text("서버에 연결할 수 없어요")
    assert len(lost) == 1
    v.page.unroute("**/reviews/shop/*")
    v.page.reload()
    v.page.wait_for_selector("#account.signed-in")
    v.rest()
    v.one("#write").click()
    expect_draft(v)
    send(v)
    v.toast("리뷰를 등록했어요")
    v.rest()
    expect(v.page.locator(".review.mine")).to_have_count(1)


def test_another_member_of_the_same_browser_sees_no_draft(writer: Visitor) -> None:
    v = writer
    v.page.keyboard.press("Escape")
    v.page.evaluate("localStorage.removeItem('signed_in')")
    v.page.reload()
    v.rest()
    v.sign_in(next(PEOPLE))
    expect(v.one("#write")).to_have_text("리뷰 쓰기")


def test_typing_in_the_search_box_keeps_the_focus_while_the_member_changes(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000", member=next(PEOPLE))
    v.one("#query").press_sequentially("강")
    v.end_session()
    v.page.evaluate("dispatchEvent(new StorageEvent('storage', {key: 'signed_in'}))")
    expect(v.one("#account.signed-in")).to_have_count(0)
    v.rest()
    expect(v.one("#query")).to_be_focused()


def test_a_shop_that_arrives_late_does_not_take_the_focus_from_the_search_box(
    visitor: Visit,
) -> None:
    v = visitor(map_seen=Map.NONE)
    held: list[Route] = []
    v.page.route(
        "**/shops/*?*",
        lambda route: (
            held.append(route)
            if "/shops/brand" not in route.request.url and "/suggest" not in route.request.url
            else route.continue_()
        ),
    )
    v.one("#list .name").first.click()
    v.one("#query").press_sequentially("강")
    v.one("#suggestion-0").wait_for()
    v.until(lambda: held)
    held[0].continue_()
    expect(v.one("#sheet-title")).not_to_be_empty()
    v.rest()
    expect(v.one("#query")).to_be_focused()
    v.page.keyboard.press("Escape")
    v.page.keyboard.press("Escape")
    expect(v.one("#sheet")).to_be_hidden()
    expect(v.one("#query")).to_be_focused()
