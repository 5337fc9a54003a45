"""What people come for, and in how many steps: clicks, taps and fields typed. `scripts/screenshots --journeys` shows each."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visitor import PHONE, Visitor

Visit = Callable[..., Visitor]
PEOPLE = (f"traveller-{n}" for n in itertools.count())
PICTURES = os.environ.get("GEOSHOPS_JOURNEY_PICTURES")


class Journey:
    """A visitor whose steps are counted, with a picture after each one on request."""

    def __init__(self, visitor: Visitor, name: str) -> None:
        self.v = visitor
        self.name = name
        self.steps = 0
        self.picture()

    def picture(self) -> None:
        """Keeps what the visitor sees, numbered by the steps so far."""
        if PICTURES:
            if self.v.page.url.startswith(self.v.site):
                self.v.rest()
            folder = Path(PICTURES)
            folder.mkdir(parents=True, exist_ok=True)
            self.v.page.screenshot(path=folder / f"{self.name}-{self.steps}.png")

    def step(self) -> None:
        """Counts a step that is done."""
        self.steps += 1
        self.picture()

    def tap(self, target: Locator | str) -> None:
        """One click or tap."""
        locator = self.v.one(target) if isinstance(target, str) else target
        locator.click()
        self.step()

    def fill(self, target: str, text: str) -> None:
        """One field typed."""
        self.v.one(target).fill(text)
        self.step()

    def choose(self, target: str, value: str) -> None:
        """One choice in a menu, which takes two taps."""
        self.v.one(target).select_option(value)
        self.steps += 1
        self.step()

    def press(self, key: str) -> None:
        """The key that ends a field, such as the keyboard's search button."""
        self.v.page.keyboard.press(key)
        self.step()

    def button(self, name: str) -> None:
        """One tap on the button of that name."""
        self.tap(self.v.page.get_by_role("button", name=name, exact=True))


Start = Callable[..., Journey]


@pytest.fixture
def journey(visitor: Visit, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Starts journeys on a phone; steps of signing in are no part of a member's."""

    def start(*, signed_in: bool = False, **options: Any) -> Journey:
        v = visitor(**PHONE, **options)
        if signed_in:
            v.sign_in(next(PEOPLE))
        return Journey(v, request.node.name.removeprefix("test_"))

    yield start


OPEN_CLEAN = """
UPDATE shops SET opening_hours = (SELECT jsonb_agg(jsonb_build_object('day', d, 'open', '00:00', 'close', '24:00'))
  FROM generate_series(1, 7) AS d)
WHERE id = (
  SELECT s.id FROM shops AS s
  WHERE s.status = 'OPEN' AND shop_passes(s, jsonb_populate_record(NULL::shop_filters, '{"clean": 0.5}'))
  ORDER BY s.id LIMIT 1)
RETURNING place_name, ST_X(geog::geometry), ST_Y(geog::geometry)"""


@pytest.fixture
def clean_booth(sample_url: str) -> tuple[str, float, float]:
    """Name, longitude and latitude of a clean booth that never closes."""
    with (
        closing(psycopg2.connect(sample_url)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(OPEN_CLEAN)
        name, longitude, latitude = cursor.fetchone()
    return name, longitude, latitude


def test_the_nearest_clean_booth_that_is_open_now(
    journey: Start, clean_booth: tuple[str, float, float]
) -> None:
    name, longitude, latitude = clean_booth
    j = journey(geolocation={"longitude": longitude, "latitude": latitude})
    j.tap("#near")
    for text in ("영업 중", "청결해요"):
        j.tap(j.v.page.locator("#filters .chip", has_text=text))
    j.tap(j.v.page.locator("#list .name", has_text=name).first)
    expect(j.v.one("#sheet-title")).to_have_text(name)
    expect(j.v.one("#sheet-body")).to_contain_text("24시간 영업")
    assert j.steps <= 4


def test_a_brand_near_a_station(journey: Start) -> None:
    j = journey()
    j.fill("#query", "홍대입구 인생네컷")
    j.press("Enter")
    expect(j.v.one("#list-title")).to_contain_text("홍대입구 인생네컷")
    j.tap(j.v.page.locator("#list .name").first)
    expect(j.v.one("#sheet-title")).to_contain_text("인생네컷")
    assert j.steps <= 3


def test_three_booths_are_compared(journey: Start) -> None:
    j = journey()
    for place in range(3):
        j.tap(j.v.page.locator("#list [data-compare]").nth(place))
    j.button("비교하기")
    expect(j.v.page.locator(".comparison th[scope=col]")).to_have_text(j.v.names()[:3])
    assert j.steps <= 4


def test_signing_in(journey: Start) -> None:
    j = journey()
    j.tap("#account")
    name = j.v.page.locator("input[name=sub]")
    j.v.one("dialog .primary").click()
    name.wait_for()
    j.step()
    name.fill(next(PEOPLE))
    j.step()
    j.v.page.locator("form:has(input[name=sub]) button").click()
    j.v.page.wait_for_selector("#account.signed-in")
    j.step()
    assert j.steps <= 4


def write(j: Journey, *, stars: int, text: str) -> None:
    """Fills in the review form and saves it."""
    j.tap(f"label[for=star-{stars}]")
    j.fill("#content", text)
    j.tap(".review-form button[type=submit]")
    expect(j.v.one("dialog")).to_have_count(0)
    j.v.rest()


def test_a_review_is_written_edited_and_deleted(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap(j.v.page.locator("#list .name").first)
    j.tap("#write")
    write(j, stars=5, text="조명이 밝고 소품이 많아요")
    mine = j.v.page.locator("#sheet .review.mine")
    expect(mine).to_contain_text("조명이 밝고")
    j.tap(mine.get_by_role("button", name="수정"))
    write(j, stars=4, text="다시 가도 좋아요")
    expect(mine).to_contain_text("다시 가도 좋아요")
    j.tap(mine.get_by_role("button", name="삭제"))
    j.tap("dialog .danger")
    expect(mine).to_have_count(0)
    assert j.steps <= 11


def test_a_favorite_is_kept_and_found_again(journey: Start) -> None:
    j = journey(signed_in=True)
    name = j.v.names()[0]
    j.tap(j.v.page.locator("#list .heart").first)
    j.tap("#account")
    j.tap("#tab-favorites")
    j.tap(j.v.page.locator(".own .name", has_text=name))
    expect(j.v.one("#sheet-title")).to_have_text(name)
    assert j.steps <= 4


def test_a_title_is_earned_and_becomes_the_main_one(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap(j.v.page.locator("#list .heart").first)
    j.v.toast("새 칭호를 얻었어요: 찜 첫 걸음")
    j.tap("#account")
    j.tap(j.v.one("#title-4").get_by_role("button"))
    expect(j.v.one("#profile")).to_contain_text("찜 첫 걸음")
    assert j.steps <= 3


def test_wrong_details_of_a_shop_are_reported(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap(j.v.page.locator("#list .name").first)
    j.tap(j.v.page.get_by_role("button", name="잘못된 정보 신고"))
    j.choose("#report-reason", "CLOSED")
    j.button("보내기")
    j.v.toast("알려 주셔서 고마워요")
    assert j.steps <= 5


def test_the_nickname_is_changed(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap("#account")
    nickname = f"여행자{j.v.page.evaluate('geoshops.state.member.id')}"
    j.tap("#tab-settings")
    j.fill("#nickname", nickname)
    j.button("바꾸기")
    expect(j.v.one("#profile strong")).to_have_text(nickname)
    assert j.steps <= 4


def test_a_member_withdraws(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap("#account")
    j.tap("#tab-settings")
    j.button("회원 탈퇴")
    j.tap("#withdraw-sure")
    j.button("탈퇴하기")
    j.v.toast("탈퇴했어요")
    assert j.steps <= 5
