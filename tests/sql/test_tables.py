"""Tests analysis scripts about shares and time against manual counts."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.sql import plane
from tests.sql.test_distances import by, geodesic_m


def test_11_shares_and_concentration(town, run_script):
    # A three, B one: shares 75 and 25, index 5625 + 625
    town.draw("a A . b", step_m=100)
    town.shop("third", 50, 50, "A")
    town.shop("closed", 60, 60, "B", status="CLOSED")
    top = town.region("서울특별시", -100, -100, 2000, 2000)
    town.region("강남구", -100, -100, 2000, 2000, level="sigungu", parent_id=top)
    town.rate("b", 5)
    rows = run_script(11)
    assert [(r["brand"], r["shops"], r["share_pct"], r["rank"]) for r in rows] == [
        ("A", 3, 75, 1),
        ("B", 1, 25, 2),
    ]
    assert {r["hhi"] for r in rows} == {6250}
    assert [r["review_share_pct"] for r in rows] == [0, 100]
    assert rows[0]["region"] == "서울특별시 강남구"
    assert [r["region"] for r in run_script(11, level="sido", region="서울특별시")] == [
        "서울특별시"
    ] * 2


def test_11_without_reviews_their_share_is_null(town, run_script):
    town.draw("a", step_m=100)
    town.region("서울특별시", -100, -100, 2000, 2000)
    (row,) = run_script(11, level="sido")
    assert (row["share_pct"], row["review_share_pct"], row["hhi"]) == (100, None, 10_000)


def test_15_months_without_a_change_appear_and_the_stock_runs(town, run_script):
    town.shop("old", 0, 0)
    town.shop("jan", 100, 0, opened_on="2024-01-15")
    town.shop("gone", 200, 0, opened_on="2024-01-20", status="CLOSED", closed_on="2024-03-02")
    town.shop("lost", 300, 0, opened_on="2024-01-20", status="CLOSED")
    town.shop("apr", 400, 0, opened_on="2024-04-01")
    rows = run_script(15)
    assert [
        (r["month"].month, r["opened"], r["closed"], r["net"], r["open_at_end"]) for r in rows
    ] == [(1, 2, 0, 2, 3), (2, 0, 0, 0, 3), (3, 0, 1, -1, 2), (4, 1, 0, 1, 3)]
    later = run_script(15, from_month="2024-03", to_month="2024-05")
    assert [r["open_at_end"] for r in later] == [2, 3, 3]


def test_15_the_last_month_agrees_with_the_shops_that_are_open(town, run_script):
    for n in range(20):
        closed = {"status": "CLOSED", "closed_on": f"2024-{n % 12 + 1:02}-28"} if n % 3 == 0 else {}
        town.shop(f"s{n}", n * 100, 0, "AB"[n % 2], opened_on=f"2023-{n % 12 + 1:02}-01", **closed)
    rows = run_script(15, by_brand="yes")
    last = max(r["month"] for r in rows)
    stock = {r["brand"]: r["open_at_end"] for r in rows if r["month"] == last}
    assert stock == dict(
        town.make.rows("SELECT main_brand, count(*) FROM v_shop_open GROUP BY main_brand")
    )


def test_15_is_one_series_by_default_and_splits_by_region_and_brand(town, run_script):
    town.shop("a", 0, 0, "A", opened_on="2024-01-15")
    town.shop("b", 5000, 0, "B", opened_on="2024-03-15")
    town.shop("c", 5100, 0, "B", opened_on="2024-03-20")
    town.region("서울특별시", -100, -100, 1000, 1000)
    town.region("경기도", 4900, -100, 1000, 1000)
    rows = run_script(15)
    assert [(r["month"].month, r["region"], r["brand"], r["open_at_end"]) for r in rows] == [
        (1, None, "(all)", 1),
        (2, None, "(all)", 1),
        (3, None, "(all)", 3),
    ]
    *_, march = run_script(15, region="경기도")
    assert (march["region"], march["open_at_end"]) == ("경기도", 2)
    last = [
        (r["region"], r["brand"], r["open_at_end"])
        for r in run_script(15, level="sido")
        if r["month"] == march["month"]
    ]
    assert sorted(last) == [("경기도", "(all)", 2), ("서울특별시", "(all)", 1)]
    last = [
        (r["brand"], r["open_at_end"])
        for r in run_script(15, by_brand="yes")
        if r["month"] == march["month"]
    ]
    assert last == [("A", 1), ("B", 2)]


def test_16_the_expansion_radius_grows(town, run_script):
    town.shop("first", 0, 0, opened_on="2024-01-01")
    town.shop("near", 1000, 0, opened_on="2024-02-01")
    town.shop("far", 3000, 0, opened_on="2024-02-28")
    town.shop("back", 500, 0, opened_on="2024-04-01")
    town.shop("unknown", 90_000, 0)
    rows = run_script(16)
    assert [(r["month"].month, r["opened"], r["n"]) for r in rows] == [
        (1, 1, 1),
        (2, 2, 3),
        (4, 1, 4),
    ]
    one, three, half = (geodesic_m((0, 0), (x, 0)) / 1000 for x in (1000, 3000, 500))
    assert [r["max_dist_km"] for r in rows] == pytest.approx([0, three, three])
    assert [r["mean_dist_km"] for r in rows] == pytest.approx(
        [0, (one + three) / 3, (one + three + half) / 4]
    )
    assert rows[0]["geom"].coords[0] == pytest.approx(plane.at(0, 0))


def test_17_mean_median_and_standard_distance(town, run_script):
    # corners of a square of 2 km: both centres in the middle, every corner √2 km from it
    for n, (x, y) in enumerate(((0, 0), (2000, 0), (0, 2000), (2000, 2000))):
        town.shop(f"s{n}", x, y)
    (row,) = run_script(17)
    assert (row["mean_lng"], row["mean_lat"]) == pytest.approx(plane.at(1000, 1000), abs=1e-7)
    assert (row["median_lng"], row["median_lat"]) == pytest.approx(plane.at(1000, 1000), abs=1e-6)
    assert row["std_dist_km"] == pytest.approx(2**0.5)


def test_24_weeks_without_reviews_moving_mean_and_local_hours(town, run_script):
    town.draw("a", step_m=100)
    # Monday 1 January 2024, 00:30 in Seoul is still Sunday in UTC
    for week, count in ((0, 4), (2, 2), (3, 2)):
        for n in range(count):
            at = dt.datetime(2023, 12, 31, 15, 30, tzinfo=dt.UTC) + dt.timedelta(
                weeks=week, hours=n
            )
            town.rate("a", 5 if week else 3, created_at=at)
    rows = run_script(24)
    weeks = [r for r in rows if r["part"] == "week"]
    assert [(r["week"], r["reviews"], r["moving_avg"]) for r in weeks] == [
        (dt.date(2024, 1, 1), 4, None),
        (dt.date(2024, 1, 8), 0, None),
        (dt.date(2024, 1, 15), 2, None),
        (dt.date(2024, 1, 22), 2, 2),
    ]
    assert [r["avg_rating"] for r in weeks] == [3, None, 5, 5]
    hours = by([r for r in rows if r["part"] == "hour"], "dow", "hour")
    assert len(hours) == 168
    assert [hours[1, h]["reviews"] for h in range(5)] == [3, 3, 1, 1, 0]
    assert by(run_script(24, timezone="UTC"), "dow", "hour")[7, 15]["reviews"] == 3


def test_24_hidden_reviews_do_not_count(town, run_script):
    town.draw("a", step_m=100)
    town.rate("a", 5)
    town.make.sql("UPDATE reviews SET hidden_at = now()")
    assert sum(r["reviews"] for r in run_script(24)) == 0


def test_sub_brands_count_as_their_parent_and_regions_are_found_by_any_name(town, run_script):
    parent = town.brand("포토이즘")
    town.brand("포토이즘박스", parent_id=parent)
    town.make.insert("brand_aliases", brand_id=parent, alias="Photoism")
    town.shop("a", 0, 0, "포토이즘")
    town.shop("b", 100, 0, "포토이즘박스")
    town.shop("c", 200, 0, "C")
    assert run_script(17, brand="photoism")[0]["n"] == 2
    assert len(run_script(18, brand="포토이즘박스")) == 1
    top = town.region("서울특별시", -50, -50, 200, 200, code="11", name_en="Seoul")
    town.make.insert("region_aliases", region_id=top, alias="서울")
    for name in ("서울특별시", "서울", "Seoul", "11", " 서울 특별시"):
        assert len(run_script(18, region=name)) == 2
