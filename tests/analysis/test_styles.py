"""Tests colours and legends of charts: classes in order, none without content, frequent ones first."""

from __future__ import annotations

import re

import shapely

from geoshops.analysis import scripts
from geoshops.analysis.page import Painter, tiny_shapes
from geoshops.analysis.styles import (
    CATEGORIES,
    LABELS,
    NOTHING,
    OTHER,
    SEQUENCE,
    STYLES,
    TITLES,
    UNKNOWN,
    class_colors,
    select_rows,
)  # fmt: skip


def test_territories_are_in_the_order_of_their_numbers() -> None:
    assert list(class_colors([10, 2, 1, 2, 2], STYLES["09"])) == ["1", "2", "10"]


def test_names_are_ordered_by_frequency() -> None:
    assert list(class_colors(["b", "a", "b", None], STYLES["11"])) == ["b", "a"]


def labels(values: list[float | None], number: str) -> list[str]:
    """The labels of a legend."""
    return [label for label, _ in Painter(values, STYLES[number]).legend()]


def test_a_legend_calls_next_to_nothing_nothing() -> None:
    assert labels([5.25e-05, 5.0, 90.0], "03") == ["0", "5", "90"]


def test_no_value_is_in_two_classes_of_a_legend() -> None:
    assert labels([5, 5, 5, 6, 6, 7, 7, 8, 9, 16], "08") == ["5", "6", "7", "8", "9", "16"]
    assert labels([1, 2, 3, 4], "08") == ["1", "2", "3", "4"]
    assert labels([n / 2 for n in range(70)], "01")[:2] == ["0 – 4.5", "5 – 9.5"]


def test_zeros_are_a_class_of_their_own_and_leave_the_others_theirs() -> None:
    densities = [0.0] * 500 + [0.1 + n * 1e-12 for n in range(9)] + [0.2, 0.4, 0.8, 1.6, 3.2] * 2
    assert labels(densities, "07") == ["0", "0.1", "0.2", "0.4", "0.8", "1.6", "3.2"]


def test_zeros_do_not_get_the_brightest_colour() -> None:
    painter = Painter([0.0] * 50 + [1.0, 2.0, 3.0, 4.0], STYLES["07"])
    assert painter.legend()[0] == ("0", NOTHING)
    assert NOTHING not in {c for _, c in Painter([1.0, 2.0, 3.0], STYLES["07"]).legend()}


def test_every_script_has_a_title_in_the_language_of_the_legends() -> None:
    assert list(TITLES) == [script.name[:2] for script in scripts.catalogue()]
    assert all(re.search("[가-힣]", title) for title in TITLES.values())


def test_shops_without_reviews_get_no_colour_of_the_good_ones() -> None:
    rows = [{"bayes_avg": 4.1, "n": n, "geom": "x"} for n in (0, 3)]
    assert [r["n"] for r in select_rows(rows, STYLES["18"])] == [3]


def test_what_is_too_small_for_the_map_is_known() -> None:
    country, street = shapely.box(124, 33, 132, 39), shapely.box(127, 37, 127.01, 37.01)
    assert tiny_shapes([country, street]) == [False, True]
    assert tiny_shapes([street]) == [False]
    assert tiny_shapes([]) == []


def test_unknown_and_insignificant_are_distinguished() -> None:
    painter = Painter(["ns", "LL", None], STYLES["13"])
    assert painter.legend()[-2:] == [("유의하지 않음", "#d9d9d9"), ("값 없음", UNKNOWN)]
    assert UNKNOWN not in {*SEQUENCE, *CATEGORIES, OTHER, *STYLES["12"].colors.values()}


def test_insignificant_values_are_drawn_below_the_rest() -> None:
    rows = [{"class": c, "geom": "x"} for c in ("HH", None, "LL", "ns")]
    assert [r["class"] for r in select_rows(rows, STYLES["13"])] == ["ns", None, "LL", "HH"]


def test_the_first_row_of_a_result_is_drawn_on_top() -> None:
    rows = [{"bayes_avg": avg, "n": 3, "geom": "x"} for avg in (4.8, 4.1, 2.0)]
    assert [r["bayes_avg"] for r in select_rows(rows, STYLES["18"])] == [2.0, 4.1, 4.8]


def test_every_class_has_a_korean_name() -> None:
    for number in ("12", "13", "22"):
        assert set(STYLES[number].colors) <= set(LABELS)


def test_a_test_without_significance_is_grey() -> None:
    assert STYLES["13"].colors["ns"] == STYLES["12"].colors["ns"]


def test_of_leaders_side_by_side_one_colours_the_district() -> None:
    rows = [
        {"region_code": code, "brand": brand, "rank": rank, "geom": geom}
        for code, brand, rank, geom in [
            ("1", "a", 1, "x"), ("1", "b", 1, "x"), ("1", "c", 3, "x"), ("2", "b", 1, "y"), ("3", "b", 1, None),
        ]
    ]  # fmt: skip
    selected = [(r["region_code"], r["brand"]) for r in select_rows(rows, STYLES["11"])]
    assert sorted(selected) == [("1", "a"), ("2", "b")]
