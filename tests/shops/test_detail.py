"""Tests GET /shops/{id} and GET /brands."""

from __future__ import annotations

import datetime as dt

from flask.testing import FlaskClient

from tests.make import Maker
from tests.shops.test_around import SUMMARY

DETAIL = {
    "region", "phone", "homepage", "opened_on", "closed_on", "opening_hours", "open_now",
    "rating_counts", "tag_stats", "recent_reviews",
}  # fmt: skip


def test_a_bare_shop_has_every_field(client: FlaskClient, make: Maker) -> None:
    make.brand()
    shop = client.get(f"/shops/{make.shop()}").get_json()
    assert set(shop) == SUMMARY | DETAIL
    assert (shop["distance"], shop["distance_m"]) == ("", None)
    assert shop["region"] == {"sido": "", "sigungu": "", "dong": ""}
    assert shop["open_now"] is None and shop["opening_hours"] == [] and shop["opened_on"] is None
    assert shop["rating_counts"] == {"1": 0, "2": 0, "3": 0, "4": 0, "5": 0}
    assert shop["tag_stats"]["purity"] == {"good": 0, "bad": 0, "unselected": 0, "good_ratio": None}
    assert shop["recent_reviews"] == []


def test_a_full_shop(client: FlaskClient, make: Maker) -> None:
    make.brand()
    seoul = make.insert("regions", level="sido", name="서울특별시")
    gangnam = make.insert("regions", level="sigungu", name="강남구", parent_id=seoul)
    always = [{"day": day, "open": "00:00", "close": "24:00"} for day in range(1, 8)]
    shop_id = make.shop(
        "가", sido_id=seoul, sigungu_id=gangnam, opened_on="2024-05-06", opening_hours=always,
        review_cnt=5, star_rating_sum=17, phone="02-000-0000",
    )  # fmt: skip
    make.insert("shop_stats", shop_id=shop_id, star_1=1, star_4=4, purity_good=2, purity_bad=1)
    member = make.member("리뷰어")
    first = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    for n in range(4):
        moment = first + dt.timedelta(days=n, microseconds=n)
        make.insert(
            "reviews", shop_id=shop_id, member_id=member, star_rating=4, content=f"리뷰 {n}",
            created_at=moment, modified_at=moment,
        )  # fmt: skip
    shop = client.get(
        f"/shops/{shop_id}", query_string={"userLat": 37.5, "userLng": 127.0276}
    ).get_json()
    assert (shop["distance"], shop["distance_m"]) == ("233m", 233)
    assert shop["region"] == {"sido": "서울특별시", "sigungu": "강남구", "dong": ""}
    assert shop["open_now"] is True and len(shop["opening_hours"]) == 7
    assert shop["opened_on"] == "2024-05-06" and shop["star_rating_avg"] == 3.4
    assert shop["rating_counts"] == {"1": 1, "2": 0, "3": 0, "4": 4, "5": 0}
    assert shop["tag_stats"]["purity"] == {
        "good": 2,
        "bad": 1,
        "unselected": 2,
        "good_ratio": 0.667,
    }
    recent = shop["recent_reviews"]
    assert [r["review_info"]["content"] for r in recent] == ["리뷰 3", "리뷰 2", "리뷰 1"]
    assert recent[0]["review_info"]["create_date"] == [2026, 1, 5, 12, 4, 5, 3000]
    assert recent[0]["member_info"] == {"id": member, "nickname": "리뷰어"}


def test_closed_shops_keep_their_page(client: FlaskClient, make: Maker) -> None:
    make.brand()
    shop = client.get(f"/shops/{make.shop(status='CLOSED', closed_on='2026-01-01')}").get_json()
    assert (shop["status"], shop["closed_on"], shop["open_now"]) == ("CLOSED", "2026-01-01", False)


def test_a_merged_shop_names_the_one_that_has_its_reviews(client: FlaskClient, make: Maker) -> None:
    kept = make.shop()
    duplicate = make.shop(status="CLOSED", merged_into_id=kept)
    shop = client.get(f"/shops/{duplicate}").get_json()
    assert (shop["status"], shop["merged_into_id"]) == ("CLOSED", kept)


def test_half_a_position_is_none(client: FlaskClient, make: Maker) -> None:
    make.brand()
    shop_id = make.shop()
    for query in (
        {"userLat": "37.5"},
        {"userLng": "127"},
        {"userLat": "undefined", "userLng": "127"},
    ):
        assert client.get(f"/shops/{shop_id}", query_string=query).get_json()["distance"] == ""
    bad = client.get(f"/shops/{shop_id}", query_string={"userLat": "91"})
    assert bad.get_json()["error_code"] == "002"


def test_favorite_and_session_on_the_detail(client: FlaskClient, make: Maker, app: object) -> None:
    make.brand()
    shop_id, member = make.shop(), make.member()
    make.favorite(member, shop_id)
    headers = make.bearer(app, member)
    assert client.get(f"/shops/{shop_id}", headers=headers).get_json()["favorite"] is True
    make.sql("UPDATE sessions SET ended_at = now()")
    assert client.get(f"/shops/{shop_id}", headers=headers).status_code == 401


def test_brands(client: FlaskClient, make: Maker) -> None:
    other = make.brand("비룸", representative=False)
    main = make.brand("인생네컷")
    sub = make.brand("인생네컷 플러스", representative=False, parent_id=main)
    make.shop(brand_id=main)
    make.shop(brand_id=main, status="CLOSED")
    brands = client.get("/brands").get_json()
    assert [b["id"] for b in brands] == [main, other, sub]
    assert set(brands[0]) == {
        "id",
        "brand_name",
        "file_path",
        "is_representative",
        "parent_id",
        "shop_cnt",
    }
    assert (brands[0]["shop_cnt"], brands[2]["parent_id"]) == (1, main)
