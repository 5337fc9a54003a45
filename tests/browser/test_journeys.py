"""User journeys and their number of steps (clicks, taps, fields). `scripts/screenshots --journeys` takes pictures of each."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import psycopg2
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.server import MAP
from tests.browser.visitor import PHONE, Map, Visitor

Visit = Callable[..., Visitor]
PEOPLE = (f"traveller-{n}" for n in itertools.count())
PICTURES = os.environ.get("GEOSHOPS_JOURNEY_PICTURES")


class Look(NamedTuple):
    """Language, theme and device with which a journey is run."""

    language: str
    theme: str
    screen: str

    @property
    def options(self) -> dict[str, Any]:
        """Options of the browser context."""
        screen = PHONE if self.screen == "phone" else {"viewport": {"width": 1280, "height": 800}}
        map_seen = Map.WHOLE if PICTURES else Map.PLAIN
        return {
            **screen,
            "language": self.language,
            "color_scheme": self.theme,
            "map_seen": map_seen,
        }


PHONE_LOOK = Look("ko", "light", "phone")
EVERY_LOOK = itertools.product(
    ("ko", "en", "ja", "zh-Hans", "zh-Hant"), ("light", "dark"), ("phone", "desktop")
)
LOOKS = [Look(*look) for look in EVERY_LOOK] if PICTURES else [PHONE_LOOK]


class Journey:
    """A visitor whose steps are counted, with a picture after each one on request."""

    def __init__(self, visitor: Visitor, name: str, look: Look) -> None:
        self.v = visitor
        self.name = name
        self.look = look
        self.steps = 0
        self.texts = json.loads((MAP / f"texts/{look.language}.json").read_text(encoding="utf-8"))
        self.picture()

    def text(self, key: str) -> str:
        """A message of the page in the visitor's language."""
        return str(self.texts[key])

    def picture(self) -> None:
        """Saves a screenshot, numbered by the steps so far."""
        if PICTURES:
            if self.v.page.url.startswith(self.v.site):
                self.v.rest()
            folder = Path(PICTURES) / "-".join(self.look)
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

    def button(self, key: str) -> None:
        """One tap on the button with that text."""
        self.tap(self.v.page.get_by_role("button", name=self.text(key), exact=True))


Start = Callable[..., Journey]


@pytest.fixture(params=LOOKS, ids="-".join)
def journey(visitor: Visit, request: pytest.FixtureRequest) -> Start:
    """Starts journeys on a phone; for screenshots, in every look."""
    look: Look = request.param

    def start(*, signed_in: bool = False, **options: Any) -> Journey:
        v = visitor(**look.options, **options, member=next(PEOPLE) if signed_in else "")
        return Journey(v, request.node.originalname.removeprefix("test_"), look)

    return start


OPEN_CLEAN = """
UPDATE shops SET opening_hours = (SELECT jsonb_agg(jsonb_build_object('day', d, 'open', '00:00', 'close', '24:00'))
  FROM generate_series(1, 7) AS d)
WHERE id = (
  SELECT s.id FROM shops AS s
  WHERE s.status = 'OPEN' AND shop_passes(s, jsonb_populate_record(NULL::shop_filters, '{"clean": 0.5}'))
  ORDER BY s.id LIMIT 1)
RETURNING id, ST_X(geog::geometry), ST_Y(geog::geometry)"""


@pytest.fixture
def clean_booth(sample_url: str) -> tuple[int, float, float]:
    """Identifier, longitude and latitude of a clean booth that never closes."""
    with (
        closing(psycopg2.connect(sample_url)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(OPEN_CLEAN)
        shop, longitude, latitude = cursor.fetchone()
    return shop, longitude, latitude


def test_the_nearest_clean_booth_that_is_open_now(
    journey: Start, clean_booth: tuple[int, float, float]
) -> None:
    shop, longitude, latitude = clean_booth
    j = journey(geolocation={"longitude": longitude, "latitude": latitude})
    j.tap("#near")
    for name in ("openNow", "clean"):
        j.tap(f"#filters [data-key=filter-{name}]")
    j.v.rest()
    j.tap(f"#shop-{shop} .name")
    expect(j.v.one("#sheet-body")).to_contain_text(j.text("open.always"))
    assert j.v.page.url.startswith(f"{j.v.site}/shop/{shop}?")
    assert j.steps <= 4


def test_a_brand_near_a_station(journey: Start) -> None:
    j = journey()
    j.fill("#query", "홍대입구 인생네컷")
    j.press("Enter")
    expect(j.v.one("#list-title")).to_contain_text("홍대입구 인생네컷")
    j.tap(j.v.page.locator("#list .name").first)
    expect(j.v.one("#sheet-body")).to_contain_text("인생네컷")
    assert j.steps <= 3


def test_three_booths_are_compared(journey: Start) -> None:
    j = journey()
    for place in range(3):
        j.tap(j.v.page.locator("#list [data-compare]").nth(place))
    j.button("compare.open")
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
    j.tap(mine.get_by_role("button", name=j.text("review.edit")))
    write(j, stars=4, text="다시 가도 좋아요")
    expect(mine).to_contain_text("다시 가도 좋아요")
    j.tap(mine.get_by_role("button", name=j.text("review.delete")))
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
    j.v.toast(j.text("title.earned").format(name=j.text("member_title.찜 첫 걸음")))
    j.tap("#account")
    j.tap(j.v.one("#title-4").get_by_role("button"))
    expect(j.v.one("#profile")).to_contain_text(j.text("member_title.찜 첫 걸음"))
    assert j.steps <= 3


def test_wrong_details_of_a_shop_are_reported(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap(j.v.page.locator("#list .name").first)
    j.tap(j.v.page.get_by_text(j.text("report.shop"), exact=True))
    j.choose("#report-reason", "CLOSED")
    j.button("report.send")
    j.v.toast(j.text("report.done"))
    assert j.steps <= 5


def test_the_nickname_is_changed(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap("#account")
    nickname = f"여행자{j.v.page.evaluate('geoshops.state.member.id')}"
    j.tap("#tab-settings")
    j.fill("#nickname", nickname)
    j.button("nickname.change")
    expect(j.v.one("#profile strong")).to_have_text(nickname)
    assert j.steps <= 4


def test_a_member_withdraws(journey: Start) -> None:
    j = journey(signed_in=True)
    j.tap("#account")
    j.tap("#tab-settings")
    j.button("withdraw")
    j.tap("#withdraw-sure")
    j.tap(j.v.page.locator("dialog .danger").last)
    j.v.toast(j.text("withdraw.done"))
    assert j.steps <= 5
