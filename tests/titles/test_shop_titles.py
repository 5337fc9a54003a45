"""Titles of shops: the documented formulas, and the refresh command, which updates only rows that differ."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops.titles.commands import commands
from tests.make import Maker

NOW = dt.datetime.now(dt.UTC)


def days_ago(number: float) -> dt.datetime:
    return NOW - dt.timedelta(days=number)


def titles_of(make: Maker, shop: int) -> list[str]:
    """Refreshes the titles of all shops; returns those of one."""
    make.sql("SELECT refresh_shop_titles(now())")
    titles: list[str] = make.sql("SELECT shop_titles FROM shops WHERE id = %s", shop)
    return titles


@pytest.mark.parametrize(
    ("facet", "title"), [("purity", "청결한 지점"), ("retouch", "보정 맛집"), ("item", "소품 부자")]
)
def test_votes_earn_a_title_by_the_lower_wilson_bound(make: Maker, facet: str, title: str) -> None:
    shop, member = make.shop(), make.member()
    for _ in range(3):
        make.review(member, shop, **{facet: "GOOD", "created_at": days_ago(89)})
    assert titles_of(make, shop) == [], "3 of 3: the lower bound is 0.44"
    make.review(member, shop, **{facet: "GOOD", "created_at": days_ago(91)})
    assert titles_of(make, shop) == [], "too old to count"
    make.review(member, shop, **{facet: "GOOD", "created_at": days_ago(1)})
    assert titles_of(make, shop) == [title], "4 of 4: 0.51"
    make.review(member, shop, **{facet: "BAD", "created_at": days_ago(1)})
    assert titles_of(make, shop) == [], "4 of 5: 0.38"


def test_a_rising_shop_has_at_least_doubled_its_reviews(make: Maker) -> None:
    shop, member = make.shop(), make.member()
    for _ in range(3):
        make.review(member, shop, created_at=days_ago(45))
    for _ in range(5):
        make.review(member, shop, created_at=days_ago(10))
    assert titles_of(make, shop) == [], "5 is less than twice 3"
    make.review(member, shop, created_at=days_ago(10))
    assert titles_of(make, shop) == ["뜨는 지점"]
    other = make.shop("다른 곳")
    for _ in range(4):
        make.review(member, other, created_at=days_ago(10))
    assert titles_of(make, other) == [], "fewer than 5"


def test_hot_places_are_the_top_decile_of_new_favorites(make: Maker) -> None:
    shops = [make.shop(f"s{i}") for i in range(10)]
    fans = [make.member() for _ in range(5)]
    for shop in shops[:9]:
        make.favorite(fans[0], shop)
    for fan in fans[1:3]:
        make.favorite(fan, shops[0])
    make.favorite(fans[1], shops[1])
    assert titles_of(make, shops[0]) == ["핫플레이스"]
    assert titles_of(make, shops[1]) == []
    make.sql("UPDATE favorites SET created_at = now() - interval '31 days'")
    assert titles_of(make, shops[0]) == []


def test_closed_shops_and_hidden_reviews_do_not_count(make: Maker) -> None:
    shop, member = make.shop(), make.member()
    for _ in range(5):
        make.review(member, shop, created_at=days_ago(5))
    make.sql("UPDATE shops SET status = 'CLOSED'")
    assert titles_of(make, shop) == []
    make.sql("UPDATE shops SET status = 'OPEN'")
    assert titles_of(make, shop) == ["뜨는 지점"]
    make.sql("UPDATE reviews SET hidden_at = now()")
    assert titles_of(make, shop) == []


def test_refresh_changes_only_rows_that_differ(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    quiet, busy, member = make.shop("조용한 곳"), make.shop("붐비는 곳"), make.member()
    for _ in range(5):
        make.review(member, busy, purity="GOOD", created_at=days_ago(2))
    versions = dict(make.rows("SELECT id, xmin::text FROM shops"))
    runner = app.test_cli_runner()
    first = json.loads(runner.invoke(commands, ["refresh", "--json"]).output)
    assert first == {"changed": 1}
    after = dict(make.rows("SELECT id, xmin::text FROM shops"))
    assert after[quiet] == versions[quiet]
    assert after[busy] != versions[busy]
    assert runner.invoke(commands, ["refresh"]).output == "0 shops changed\n"
    assert dict(make.rows("SELECT id, xmin::text FROM shops")) == after
    assert client.get(f"/shops/{busy}").get_json()["shop_titles"] == ["청결한 지점", "뜨는 지점"]
