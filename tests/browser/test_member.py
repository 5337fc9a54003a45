"""What members do: sign in, review, keep favorites, earn titles, change the nickname, leave."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, Route, expect

from tests.browser.visitor import Map, Visitor

Visit = Callable[..., Visitor]
PEOPLE = (f"visitor-{n}" for n in itertools.count())


@pytest.fixture
def member(visitor: Visit) -> Visitor:
    """A new member, signed in."""
    return visitor(path="/?r=5000", map_seen=Map.NONE, member=next(PEOPLE))


@pytest.fixture
def traveller(visitor: Visit) -> Visitor:
    """A new member who also sees the map."""
    return visitor(path="/?r=5000", member=next(PEOPLE))


def write(v: Visitor, *, stars: int, text: str) -> None:
    """Fills the open form and saves it."""
    v.page.locator(f"label[for=star-{stars}]").click()
    v.one("#content").fill(text)
    v.page.locator("label[for=purity-GOOD]").click()
    v.page.locator(".review-form button[type=submit]").click()
    expect(v.one("dialog")).to_have_count(0)
    v.rest()


def counts(v: Visitor) -> list[int]:
    """Reviews with five to one stars, as the sheet shows them."""
    return [int(t) for t in v.page.locator(".histogram .quiet").all_inner_texts()]


def test_sign_in_comes_back_to_the_same_view_with_a_clean_address(visitor: Visit) -> None:
    v = visitor(path="/?r=2000")
    before = v.page.url
    v.sign_in(next(PEOPLE))
    assert v.page.url == before
    assert "code=" not in v.page.url
    assert v.one("#radius").input_value() == "2000"


def test_a_sign_in_that_another_window_began_is_rejected(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?code=stolen&state=of-somebody-else")
    v.toast("다시 로그인해 주세요")
    assert "code=" not in v.page.url
    assert v.page.evaluate("localStorage.length") == 0


@pytest.mark.parametrize(
    ("lang", "title"),
    [
        ("ko", "로그인"),
        ("en", "Sign in"),
        ("ja", "ログイン"),
        ("zh-Hans", "登录"),
        ("zh-Hant", "登入"),
    ],
)
def test_the_development_provider_speaks_the_language_of_the_page(
    visitor: Visit, lang: str, title: str
) -> None:
    v = visitor(path=f"/?lang={lang}", language="de-DE", map_seen=Map.NONE, color_scheme="dark")
    v.one("#account").click()
    v.one("dialog .primary").click()
    expect(v.page.locator("h1")).to_have_text(title)
    assert v.page.evaluate("document.documentElement.lang") == lang
    assert v.page.evaluate("getComputedStyle(document.body).color") == "rgb(255, 255, 255)"


def test_writing_editing_and_deleting_a_review_changes_the_figures_at_once(member: Visitor) -> None:
    v = member
    v.open_first()
    before = counts(v)
    v.one("#write").click()
    write(v, stars=5, text="조명이 밝아요 😀\n<b>소품</b>도 많아요")
    v.toast("새 칭호를 얻었어요: 리뷰 첫 걸음")
    assert counts(v) == [before[0] + 1, *before[1:]]
    mine = v.page.locator(".review.mine")
    expect(mine.locator(".content")).to_have_text("조명이 밝아요 😀\n<b>소품</b>도 많아요")
    mine.get_by_role("button", name="수정").click()
    expect(v.one("#star-5")).to_be_checked()
    write(v, stars=1, text="다시 가 보니 별로예요")
    assert counts(v) == [*before[:4], before[4] + 1]
    expect(v.page.locator(".review.mine")).to_contain_text("수정됨")
    v.page.locator(".review.mine").get_by_role("button", name="삭제").click()
    v.page.locator("dialog .danger").click()
    expect(v.page.locator(".review.mine")).to_have_count(0)
    v.rest()
    assert counts(v) == before


def test_the_right_arrow_gives_a_star_more(member: Visitor) -> None:
    v = member
    v.open_first()
    v.one("#write").click()
    expect(v.one("#star-1")).to_be_focused()
    v.page.keyboard.press("Space")
    for stars in (2, 3):
        v.page.keyboard.press("ArrowRight")
        expect(v.one(f"#star-{stars}")).to_be_checked()
    boxes = [v.one(f"label[for=star-{n}]").bounding_box() for n in (3, 4)]
    assert boxes[0] and boxes[1] and boxes[0]["x"] < boxes[1]["x"]
    color = "labels => labels.map(label => getComputedStyle(label).color)"
    colors = v.page.locator(".star-field label").evaluate_all(color)
    assert colors[0] == colors[1] == colors[2] != colors[3] == colors[4]
    v.page.keyboard.press("ArrowLeft")
    expect(v.one("#star-2")).to_be_checked()


def test_a_review_without_stars_or_words_is_not_sent(member: Visitor) -> None:
    v = member
    v.open_first()
    v.one("#write").click()
    save = v.page.locator(".review-form button[type=submit]")
    save.click()
    expect(v.page.locator(".review-form [role=alert]")).to_have_text("별점을 선택해 주세요.")
    v.page.locator("label[for=star-4]").click()
    v.one("#content").fill(" 　\n")
    save.click()
    expect(v.page.locator(".review-form [role=alert]")).to_have_text("내용을 입력해 주세요.")


def test_a_review_and_a_shop_are_reported(member: Visitor) -> None:
    v = member
    v.open_first()
    v.page.locator(".review .report").first.click()
    expect(v.one("#report-reason")).to_be_focused()
    v.one("#report-reason").select_option("ABUSE")
    v.one("#report-words").fill("욕이 있어요")
    with v.page.expect_response("**/reports") as response:
        v.page.get_by_role("button", name="보내기").click()
    assert response.value.status == 201
    assert response.value.json()["content"] == "욕이 있어요"
    v.toast("알려 주셔서 고마워요")
    expect(v.one("dialog")).to_have_count(0)
    v.page.get_by_role("button", name="잘못된 정보 신고").click()
    v.one("#report-reason").select_option("CLOSED")
    with v.page.expect_response("**/shops/*/reports") as response:
        v.page.get_by_role("button", name="보내기").click()
    assert response.value.status == 201


def test_a_visitor_who_reports_is_asked_to_sign_in(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    v.open_first()
    v.page.locator(".review .report").first.click()
    expect(v.one("dialog")).to_contain_text("로그인하면")


def test_a_favorite_is_kept_listed_and_dropped(member: Visitor) -> None:
    v = member
    name = v.names()[0]
    heart = v.page.locator("#list .heart").first
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    v.toast("새 칭호를 얻었어요: 찜 첫 걸음")
    v.page.reload()
    v.rest()
    expect(v.page.locator("#list .heart").first).to_have_attribute("aria-pressed", "true")
    v.one("#account").click()
    v.one("#tab-favorites").click()
    expect(v.page.locator(".own .name")).to_have_text([name])
    v.page.locator(".own .heart").click()
    expect(v.page.locator(".own .name")).to_have_count(0)
    expect(v.page.locator("#list .heart").first).to_have_attribute("aria-pressed", "false")


def test_the_page_without_a_view_in_its_address_knows_a_members_favorites(member: Visitor) -> None:
    member.go("/")
    member.one("#list .heart").first.click()
    member.rest()
    member.go("/")
    expect(member.one("#list .heart").first).to_have_attribute("aria-pressed", "true")


def test_a_double_click_on_the_heart_shows_the_stored_state(member: Visitor) -> None:
    v = member
    held: list[Route] = []
    v.page.route("**/favorites/*", lambda route: held.append(route))
    heart = v.page.locator("#list .heart").first
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "false")
    for number, method in enumerate(("POST", "DELETE"), start=1):
        v.until(lambda number=number: len(held) >= number)
        # the response to a later request shows that no other one is pending
        v.page.evaluate("fetch('/healthz').then(response => response.ok)")
        assert [route.request.method for route in held[number - 1 :]] == [method]
        held[number - 1].continue_()
    v.rest()
    expect(heart).to_have_attribute("aria-pressed", "false")


def test_a_heart_pressed_while_booths_are_awaited_stays(traveller: Visitor) -> None:
    v = traveller
    expect(v.page.locator("#list .heart").first).to_be_visible()
    held: list[tuple[Route, APIResponse]] = []
    # only the first request: the next one loads which shops are open
    v.page.route("**/shops/brand*", lambda route: held.append((route, route.fetch())), times=1)
    v.move("panBy([3, 0])")
    v.until(lambda: held)
    name, heart = v.names()[0], v.page.locator("#list .heart").first
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    v.toast("찜 첫 걸음")
    ((route, response),) = held
    route.fulfill(response=response)
    v.rest()
    expect(v.page.get_by_role("button", name=f"{name} 찜 해제")).to_be_visible()


def test_a_press_on_a_heart_is_not_lost_when_another_one_is_stored(member: Visitor) -> None:
    v = member
    held: list[Route] = []
    v.page.route("**/favorites/*", lambda route: held.append(route), times=1)
    hearts = v.page.locator("#list .heart")
    hearts.first.click()
    v.until(lambda: held)

    def release_first() -> None:
        held[0].continue_()
        v.toast("찜 첫 걸음")

    v.press_during(hearts.nth(1), release_first)
    expect(v.page.locator("#list .heart[aria-pressed=true]")).to_have_count(2)


def test_favorites_that_are_listed_at_once_have_the_one_just_pressed(member: Visitor) -> None:
    v = member
    held: list[Route] = []
    v.page.route("**/favorites/*", lambda route: held.append(route), times=1)
    name = v.names()[0]
    v.page.locator("#list .heart").first.click()
    v.one("#account").click()
    v.one("#tab-favorites").click()
    v.until(lambda: held)
    held[0].continue_()
    expect(v.page.locator(".own .name")).to_have_text([name])


def test_a_heart_whose_presses_never_reached_the_service_is_unchanged(member: Visitor) -> None:
    v = member
    v.page.route("**/favorites/*", lambda route: route.abort())
    heart = v.page.locator("#list .heart").first
    for _ in range(3):
        heart.click()
    v.rest()
    expect(heart).to_have_attribute("aria-pressed", "false")


def test_the_keyboard_stays_in_the_list_of_favorites_that_grows_shorter(member: Visitor) -> None:
    v = member
    for place in range(2):
        v.page.locator("#list .heart").nth(place).click()
    v.rest()
    v.one("#account").click()
    v.one("#tab-favorites").click()
    hearts = v.page.locator(".own .heart")
    expect(hearts).to_have_count(2)
    hearts.first.press("Enter")
    expect(hearts).to_have_count(1)
    expect(hearts).to_be_focused()
    hearts.press("Enter")
    expect(hearts).to_have_count(0)
    expect(v.one("#tab-body")).to_be_focused()


def test_a_visitor_who_presses_the_heart_is_asked_to_sign_in(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE)
    v.page.locator("#list .heart").first.click()
    expect(v.one("dialog")).to_contain_text("로그인하면")


def test_a_favorite_pressed_by_a_visitor_is_kept_after_sign_in(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    name = v.open_first()
    v.one("#sheet .heart").click()
    v.one("dialog .primary").click()
    v.page.locator("input[name=sub]").fill(next(PEOPLE))
    v.page.locator("form:has(input[name=sub]) button").click()
    v.toast(f"찜했어요: {name}")
    v.page.wait_for_selector("#account.signed-in")
    v.rest()
    expect(v.one("#sheet .heart")).to_have_attribute("aria-pressed", "true")
    expect(v.page.locator("#list .heart").first).to_have_attribute("aria-pressed", "true")
    v.one("#account").click()
    v.one("#tab-favorites").click()
    expect(v.page.locator(".own .name")).to_have_text([name])


def test_a_sign_in_without_a_pending_favorite_saves_nothing(visitor: Visit) -> None:
    v = visitor(map_seen=Map.NONE, path="/?r=5000")
    v.page.locator("#list .heart").first.click()
    v.page.keyboard.press("Escape")
    v.sign_in(next(PEOPLE))
    expect(v.page.locator("#list .heart[aria-pressed=true]")).to_have_count(0)


def test_own_reviews_are_edited_and_deleted_where_they_are_listed(member: Visitor) -> None:
    v = member
    v.open_first()
    before = counts(v)
    v.one("#write").click()
    write(v, stars=5, text="조명이 밝아요")
    v.one("#account").click()
    v.one("#tab-reviews").click()
    own = v.page.locator(".tab-content .review")
    own.get_by_role("button", name="수정").click()
    v.page.locator("label[for=star-2]").click()
    v.one("#content").fill("다시 보니 어두워요")
    v.page.locator(".review-form button[type=submit]").click()
    expect(own.locator(".content")).to_have_text("다시 보니 어두워요")
    v.rest()
    assert counts(v) == [*before[:3], before[3] + 1, before[4]]
    own.get_by_role("button", name="삭제").click()
    v.page.locator("dialog .actions .danger").click()
    expect(v.one("dialog .tab-content")).to_contain_text("아직 작성한 리뷰가 없어요")
    v.rest()
    assert counts(v) == before


def test_a_title_earned_on_the_open_page_is_counted(member: Visitor) -> None:
    v = member
    v.page.locator("#list .heart").first.click()
    v.toast("새 칭호를 얻었어요: 찜 첫 걸음")
    v.one("#account").click()
    expect(v.one("dialog .tab-content")).to_contain_text("2개를 모았어요")
    expect(v.one("#profile")).to_contain_text("칭호 2개")


def test_titles_show_progress_and_the_main_one_is_chosen(member: Visitor) -> None:
    v = member
    v.one("#account").click()
    newbie = v.one("#title-1")
    newbie.get_by_role("button").click()
    expect(newbie).to_contain_text("대표 칭호")
    expect(v.one("#profile")).to_contain_text("뉴비")
    expect(v.one("#title-3")).to_contain_text("0 / 3")


def test_the_nickname_is_checked_while_typing_and_changed(member: Visitor) -> None:
    v = member
    v.one("#account").click()
    v.one("#tab-settings").click()
    taken = v.page.evaluate("geoshops.state.member.nickname")
    v.one("#nickname").fill("!")
    expect(v.one("#nickname")).to_have_attribute("aria-invalid", "true")
    v.one("#nickname").fill(f"새이름{taken[-4:]}")
    expect(v.one("#nickname-note")).to_have_text("사용할 수 있는 닉네임이에요.")
    v.page.get_by_role("button", name="바꾸기").click()
    expect(v.one("#profile strong")).to_have_text(f"새이름{taken[-4:]}")


def test_a_late_check_of_a_nickname_does_not_hide_that_it_was_changed(member: Visitor) -> None:
    v = member
    held: list[Route] = []
    v.page.route("**/member/nickname?*", lambda route: held.append(route), times=1)
    v.one("#account").click()
    v.one("#tab-settings").click()
    v.one("#nickname").fill(f"늦은이름{v.page.evaluate('geoshops.state.member.id')}")
    v.until(lambda: held)
    v.page.get_by_role("button", name="바꾸기").click()
    expect(v.one("#nickname-note")).to_have_text("닉네임을 바꿨어요.")
    held[0].continue_()
    v.rest()
    expect(v.one("#nickname-note")).to_have_text("닉네임을 바꿨어요.")


def test_an_access_token_that_is_rejected_is_renewed_and_the_request_repeated(
    member: Visitor,
) -> None:
    v = member
    v.reject_token("/shops/brand")
    with v.page.expect_response("**/auth/token"):
        v.one("#radius").select_option("2000")
    v.rest()
    assert v.names()
    expect(v.one("#account")).to_have_class(re.compile("signed-in"))


def test_no_script_can_read_the_refresh_token(member: Visitor) -> None:
    v = member
    assert "refresh_token" not in v.page.evaluate(
        "document.cookie + JSON.stringify({...localStorage, ...sessionStorage})"
    )
    [cookie] = [
        c for c in v.context.cookies(f"{v.site}/auth/token") if c["name"] == "refresh_token"
    ]
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/auth")


def test_a_reload_keeps_the_member_signed_in(member: Visitor) -> None:
    v = member
    v.page.reload()
    v.page.wait_for_selector("#account.signed-in")
    v.rest()
    assert v.names()


def test_tabs_sign_in_and_out_together(member: Visitor) -> None:
    v = member
    second = v.context.new_page()
    second.goto(v.site)
    second.wait_for_selector("#account.signed-in")
    second.locator("#account").click()
    second.locator("#tab-settings").click()
    second.get_by_role("button", name="로그아웃", exact=True).click()
    expect(v.one("#account.signed-in")).to_have_count(0)
    v.rest()
    assert v.names()
    assert "refresh_token" not in [c["name"] for c in v.context.cookies(f"{v.site}/auth")]


def test_a_token_refresh_during_an_outage_is_reported_as_unavailable(member: Visitor) -> None:
    v = member
    v.reject_token("/shops/brand")
    away = {"error_code": "503", "error_message": "잠시 후 다시 시도해 주세요"}
    v.page.route("**/auth/token", lambda route: route.fulfill(status=503, json=away))
    v.one("#radius").select_option("2000")
    expect(v.one("#list [role=alert]")).to_contain_text(away["error_message"])
    v.page.unroute("**/auth/token")
    v.page.get_by_role("button", name="다시 시도").click()
    expect(v.one("#list .name").first).to_be_visible()
    expect(v.one("#account")).to_have_class(re.compile("signed-in"))


def test_a_member_whose_session_could_not_be_checked_is_not_asked_to_sign_in(
    member: Visitor,
) -> None:
    v = member
    away = {"error_code": "503", "error_message": "잠시 후 다시 시도해 주세요"}
    v.page.route("**/member/info", lambda route: route.fulfill(status=503, json=away))
    v.page.reload()
    v.rest()
    v.one("#account").click()
    v.toast(away["error_message"])
    expect(v.one("dialog")).to_have_count(0)
    v.page.unroute("**/member/info")
    v.one("#account").click()
    expect(v.one("dialog #profile")).to_be_visible()
    expect(v.one("#account")).to_have_class(re.compile("signed-in"))


def test_a_session_ended_elsewhere_signs_out_here(member: Visitor) -> None:
    v = member
    v.end_session()
    v.one("#radius").select_option("2000")
    v.toast("다시 로그인해 주세요")
    v.rest()
    assert v.names()
    expect(v.one("#account.signed-in")).to_have_count(0)


def test_devices_are_listed_and_sign_out_ends_this_one(member: Visitor) -> None:
    v = member
    v.one("#account").click()
    v.one("#tab-settings").click()
    expect(v.page.locator(".sessions li")).to_contain_text("이 기기")
    v.page.get_by_role("button", name="로그아웃", exact=True).click()
    expect(v.one("#account.signed-in")).to_have_count(0)
    v.toast("로그아웃했어요")


def test_leaving_asks_twice_and_ends_everything(member: Visitor) -> None:
    v = member
    v.one("#account").click()
    v.one("#tab-settings").click()
    v.page.get_by_role("button", name="회원 탈퇴").click()
    go = v.page.get_by_role("button", name="탈퇴하기")
    expect(go).to_be_disabled()
    v.one("#withdraw-sure").check()
    go.click()
    v.toast("탈퇴했어요")
    expect(v.one("#account.signed-in")).to_have_count(0)
