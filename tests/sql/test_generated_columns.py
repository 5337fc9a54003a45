"""Tests the generated columns of the shops table."""

from __future__ import annotations

import json
import random
from decimal import ROUND_HALF_UP, Decimal


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


def plain_degrees(value: float) -> str:
    """The 15 exact digits of a double, rounded half up to seven decimal places, without trailing zeros."""
    text = f"{Decimal(f'{value:.15g}').quantize(Decimal('1e-7'), ROUND_HALF_UP):f}"
    text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def test_degrees_are_plain_decimals_whichever_way_they_are_written(make):
    rng = random.Random(7)
    some = [rng.uniform(-180, 180) for _ in range(5_000)]
    values = [
        0.0,
        -0.0,
        1e-4,
        9.9999e-5,
        -1e-7,
        5e-8,
        4e-8,
        1e-300,
        90.0,
        -180.0,
        127.12345675,
        37.00000005,
    ]
    values += [round(value, n % 12) for n, value in enumerate(some)] + [v / 1e6 for v in some[:500]]
    rows = make.rows(
        "SELECT degrees_text(v) FROM unnest(%s::float8[]) WITH ORDINALITY t (v, n) ORDER BY n",
        values,
    )
    assert [text for (text,) in rows] == [plain_degrees(value) for value in values]


def test_letters_of_ascii_are_the_text_in_lower_case_without_white_space(make):
    rows = make.rows("SELECT chr(n), jamo('A ' || chr(n) || 'b') FROM generate_series(1, 127) n")
    assert rows == [(c, "a" + ("" if c in " \t\n\v\f\r" else c.lower()) + "b") for c, _ in rows]


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
            "INSERT INTO public.shops (place_name, geog, opening_hours, review_cnt, star_rating_sum)"
            " VALUES ('홍대네컷', '0101000020E61000000000000000C05F400000000000C04240', %s, 4, 13)",
            json.dumps(week((1, "10:00", "22:00"))),
        )
        names = make.rows(
            "SELECT card LIKE '%%홍대네컷%%', open_minutes::text, counts FROM public.shops"
        )
    finally:
        make.sql("RESET search_path")
    counts = ',"star_rating_avg":3.3,"review_cnt":4,"favorite_cnt":0'
    assert (True, "{[600,1320)}", counts) in names
