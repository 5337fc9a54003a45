"""Rules of member titles: each is awarded at exactly its threshold and never revoked."""

from __future__ import annotations

import datetime as dt

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.geodesy import WGS84
from tests.make import Maker

ALL = {"purity": "GOOD", "retouch": "BAD", "item": "GOOD"}


class Person:
    """A member who sends requests over HTTP."""

    def __init__(self, app: Flask, client: FlaskClient, make: Maker) -> None:
        self.client, self.make = client, make
        self.id = make.member()
        self.headers = make.bearer(app, self.id)

    def review(self, shop: int, **more: object) -> set[int]:
        """Reviews a shop; returns the identifiers of the titles awarded for it."""
        body = {"star_rating": 4, "content": "좋아요", **more}
        response = self.client.post(f"/reviews/shop/{shop}", json=body, headers=self.headers)
        assert response.status_code == 201, response.text
        return {title["id"] for title in response.get_json()["awarded_titles"]}

    def favorite(self, shop: int) -> set[int]:
        """Adds a favorite; returns the identifiers of the titles awarded for it."""
        response = self.client.post(f"/favorites/{shop}", headers=self.headers)
        return {title["id"] for title in response.get_json()["awarded_titles"]}

    def title(self, title_id: int) -> dict[str, object]:
        """Returns a title with the member's state."""
        response = self.client.get(f"/member-titles/{title_id}", headers=self.headers)
        title: dict[str, object] = response.get_json()
        return title

    def progress(self, title_id: int) -> tuple[int, int]:
        """Returns the current value and the target of a title."""
        progress = self.title(title_id)["progress"]
        assert isinstance(progress, dict)
        return progress["current"], progress["target"]

    def assert_awarded_at(self, title_id: int, steps: list[set[int]], step: int) -> None:
        """Asserts that the title was awarded at this step, counted from 1, and at no other."""
        assert [title_id in earned for earned in steps] == [
            i + 1 == step for i in range(len(steps))
        ]


@pytest.fixture
def person(app: Flask, client: FlaskClient, make: Maker) -> Person:
    for brand in range(4):
        make.brand(f"대표{brand}")
    return Person(app, client, make)


def region(make: Maker, level: str, name: str, parent: int | None = None) -> int:
    return int(make.insert("regions", level=level, name=name, parent_id=parent))


def test_reviews_earn_titles_2_3_and_14(person: Person, make: Maker) -> None:
    shops = [make.shop(f"s{i}") for i in range(20)]
    steps = [person.review(shops[min(i, 18)]) for i in range(30)]
    person.assert_awarded_at(2, steps, 1)
    person.assert_awarded_at(3, steps, 3)
    assert person.progress(14) == (29, 30), "thirty reviews, but of nineteen shops"
    assert not any(14 in earned for earned in steps)
    assert 14 in person.review(shops[19])
    assert person.progress(14) == (30, 30)


def test_title_14_needs_thirty_reviews_too(person: Person, make: Maker) -> None:
    shops = [make.shop(f"s{i}") for i in range(25)]
    steps = [person.review(shops[i % 25]) for i in range(31)]
    person.assert_awarded_at(14, steps, 30)


def test_favorites_earn_titles_4_and_5(person: Person, make: Maker) -> None:
    shops = [make.shop(f"s{i}") for i in range(4)]
    person.assert_awarded_at(4, [person.favorite(shops[0])], 1)
    assert person.favorite(shops[0]) == set()
    assert person.progress(5) == (1, 3)
    assert [person.favorite(shop) for shop in shops[1:]] == [set(), {5}, set()]


def test_three_districts_earn_title_6_and_five_provinces_title_7(
    person: Person, make: Maker
) -> None:
    provinces = [region(make, "sido", f"도{i}") for i in range(5)]
    districts = [region(make, "sigungu", f"구{i}", provinces[i]) for i in range(5)]
    shops = [make.shop(f"s{i}", sido_id=provinces[i], sigungu_id=districts[i]) for i in range(5)]
    nowhere = make.shop("어딘가")
    steps = [person.review(shop) for shop in (shops[0], shops[0], nowhere, *shops[1:])]
    person.assert_awarded_at(6, steps, 5)
    person.assert_awarded_at(7, steps, 7)


@pytest.mark.parametrize(("distance_m", "earned"), [(99_999.9, False), (100_000.1, True)])
@pytest.mark.parametrize("azimuth", [0, 37, 90, 213])
@pytest.mark.parametrize("start", [(127.0, 37.5), (179.9, -16.5), (-179.95, 51.9)])
def test_two_shops_a_hundred_kilometres_apart_earn_title_8(
    person: Person,
    make: Maker,
    start: tuple[float, float],
    azimuth: float,
    distance_m: float,
    earned: bool,
) -> None:
    lon, lat, _ = WGS84.fwd(*start, azimuth, distance_m)
    lon_near, lat_near, _ = WGS84.fwd(*start, azimuth + 5, distance_m / 2)
    places = [start, (lon_near, lat_near), (lon, lat)]
    steps = [person.review(make.shop(f"s{i}", at=at)) for i, at in enumerate(places)]
    assert [8 in step for step in steps] == [False, False, earned]
    assert person.progress(8) == ((100, 100) if earned else (99, 100))


def test_every_representative_brand_earns_title_9(person: Person, make: Maker) -> None:
    brands = [row[0] for row in make.rows("SELECT id FROM brands ORDER BY id")]
    child = make.brand("대표3 박스", representative=False, parent_id=brands[3])
    other = make.brand("남", representative=False)
    order = [brands[0], brands[0], other, brands[1], brands[2], child]
    steps = [person.review(make.shop(f"s{i}", brand_id=b)) for i, b in enumerate(order)]
    person.assert_awarded_at(9, steps, 6)


def test_title_9_follows_the_table_of_brands(person: Person, make: Maker) -> None:
    brands = [row[0] for row in make.rows("SELECT id FROM brands ORDER BY id")]
    assert person.progress(9) == (0, 4)
    make.sql("UPDATE brands SET is_representative = false")
    assert person.review(make.shop(brand_id=brands[0])).isdisjoint({9})
    assert person.progress(9) == (0, 1), "without representative brands nobody earns it"
    make.sql("UPDATE brands SET is_representative = true WHERE id = %s", brands[0])
    assert 9 in person.review(make.shop(brand_id=brands[1]))


def test_five_reviews_with_every_facet_earn_title_10(person: Person, make: Maker) -> None:
    shop = make.shop()
    partial = [{**ALL, name: "UNSELECTED"} for name in ALL]
    steps = [person.review(shop, **facets) for facets in [*partial, *([ALL] * 6)]]
    person.assert_awarded_at(10, steps, 3 + 5)


def test_changing_a_review_can_earn_a_title(person: Person, make: Maker) -> None:
    shop = make.shop()
    for _ in range(4):
        person.review(shop, **ALL)
    body = {"star_rating": 4, "content": "a"}
    path = f"/reviews/shop/{shop}"
    last = person.client.post(path, json=body, headers=person.headers).get_json()
    changed = person.client.patch(
        f"/reviews/{last['review_info']['id']}", json={**body, **ALL}, headers=person.headers
    )
    assert [title["id"] for title in changed.get_json()["awarded_titles"]] == [10]


def test_three_first_reviews_earn_title_11(person: Person, make: Maker) -> None:
    taken = make.shop("먼저 쓴 곳")
    make.review(make.member(), taken)
    fresh = [make.shop(f"s{i}") for i in range(3)]
    steps = [person.review(shop) for shop in (fresh[0], fresh[0], taken, fresh[1], fresh[2])]
    person.assert_awarded_at(11, steps, 5)


def test_three_days_at_one_shop_earn_title_12(person: Person, make: Maker) -> None:
    shop, other = make.shop(), make.shop("다른 곳")
    late = dt.datetime(2026, 3, 2, 14, 59, 59, tzinfo=dt.UTC)  # 23:59:59 in Seoul
    for created in (late - dt.timedelta(hours=3), late, late + dt.timedelta(seconds=1)):
        make.review(person.id, shop, created_at=created)
    assert person.progress(12) == (2, 3), "two days, the second by one second"
    assert 12 not in person.review(other)
    assert 12 in person.review(shop)


def test_three_reviews_at_night_earn_title_13(person: Person, make: Maker) -> None:
    shop = make.shop()
    midnight = dt.datetime(2026, 3, 1, 15, 0, tzinfo=dt.UTC)  # 00:00 in Seoul
    for hours, minutes in ((0, -1), (5, 0), (12, 0)):
        make.review(
            person.id, shop, created_at=midnight + dt.timedelta(hours=hours, minutes=minutes)
        )
    assert person.progress(13) == (0, 3)
    for hours, minutes in ((0, 0), (4, 59), (24, 30)):
        make.review(
            person.id, shop, created_at=midnight + dt.timedelta(hours=hours, minutes=minutes)
        )
    assert 13 in person.review(shop)


def test_titles_are_never_revoked(person: Person, make: Maker) -> None:
    shop = make.shop()
    body = {"star_rating": 4, "content": "a"}
    response = person.client.post(f"/reviews/shop/{shop}", json=body, headers=person.headers)
    review = response.get_json()["review_info"]["id"]
    person.favorite(shop)
    person.client.delete(f"/reviews/{review}", headers=person.headers)
    person.client.delete(f"/favorites/{shop}", headers=person.headers)
    for title in (2, 4):
        assert person.title(title)["is_holding"] is True
        assert person.progress(title) == (1, 1)
    assert person.review(shop).isdisjoint({2}), "a title is awarded once"


def test_hidden_reviews_do_not_count(person: Person, make: Maker) -> None:
    shop = make.shop()
    for _ in range(2):
        make.review(person.id, shop)
    make.sql("UPDATE reviews SET hidden_at = now()")
    make.sql("SELECT repair_counters(%s)", shop)
    assert person.progress(3) == (0, 3)
    assert 3 not in person.review(shop)
