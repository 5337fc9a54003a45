"""Columns that the shops table computes itself."""

from __future__ import annotations

import json


def week(*spans):
    return [{"day": day, "open": open_, "close": close} for day, open_, close in spans]


def test_the_card_is_the_summary_up_to_the_counters(make):
    shop = make.shop(
        '인생네컷 "강남"점',
        at=(127.5, 37.12345678),
        lot_address="서울 강남구 역삼동 1",
        shop_titles=["핫플레이스"],
    )
    card = make.sql("SELECT card FROM shops WHERE id = %s", shop)
    assert json.loads(card + '"end":0}') == {
        "id": shop,
        "place_name": '인생네컷 "강남"점',
        "longitude": "127.5",
        "latitude": "37.1234568",
        "place_address": "서울 강남구 역삼동 1",
        "status": "OPEN",
        "shop_titles": ["핫플레이스"],
        "end": 0,
    }


def test_opening_hours_become_minutes_of_the_week(make):
    def minutes(*spans):
        shop = make.shop(opening_hours=week(*spans))
        return make.sql("SELECT open_minutes::text FROM shops WHERE id = %s", shop)

    assert minutes() == "{}"
    assert minutes((1, "10:00", "22:00")) == "{[600,1320)}"
    assert minutes((2, "00:00", "24:00")) == "{[1440,2880)}"
    assert minutes((1, "22:00", "02:00")) == "{[1320,1560)}"
    assert minutes((7, "22:00", "02:00")) == "{[0,120),[9960,10080)}"
    assert minutes(*((day, "00:00", "24:00") for day in range(1, 8))) == "{[0,10080)}"


def test_a_restore_without_search_path_can_compute_the_columns(make):
    make.shop()
    make.sql("SET search_path = ''")
    try:
        make.sql(
            "INSERT INTO public.shops (place_name, geog, opening_hours)"
            " VALUES ('홍대네컷', '0101000020E61000000000000000C05F400000000000C04240', %s)",
            json.dumps(week((1, "10:00", "22:00"))),
        )
        names = make.rows("SELECT card LIKE '%%홍대네컷%%', open_minutes::text FROM public.shops")
    finally:
        make.sql("RESET search_path")
    assert (True, "{[600,1320)}") in names
