"""Tests the SQL filter of shops: which shops pass, and that the planner inlines it."""

from __future__ import annotations

from typing import Any

from tests.make import Maker


def test_a_shop_without_votes_has_a_share_of_0(make: Maker) -> None:
    shop = make.shop(brand_id=make.brand("인생네컷"))
    for clean, expected in ((0, [shop]), (0.1, [])):
        statement = (
            "SELECT ids FROM search_shops('인생네컷', point_at(127, 37.5), %s::shop_filters, 10)"
        )
        assert make.sql(statement, make.filters(clean=clean)) == expected


def test_filters_are_inlined(make: Maker) -> None:
    def filter_of(**values: Any) -> str:
        plan = make.rows(
            "EXPLAIN SELECT FROM shops s WHERE shop_passes(s, %s::shop_filters)",
            make.filters(**values),
        )
        return "\n".join(line for (line,) in plan)

    put = filter_of(box=[126.0, 37.0, 128.0, 38.0], min_rating=3.5, open_minute=700)
    assert "open_minutes @> 700" in put and "passes" not in put
    assert "votes_pass" in filter_of(clean=0.5)
