"""Colours and legends: numbers in their order, no noise, the frequent first."""

from __future__ import annotations

from geoshops.analysis.page import Painter
from geoshops.analysis.styles import STYLES, chosen, class_colors


def test_territories_stand_in_the_order_of_their_numbers() -> None:
    assert list(class_colors([10, 2, 1, 2, 2], STYLES["09"])) == ["1", "2", "10"]


def test_names_stand_by_frequency() -> None:
    assert list(class_colors(["b", "a", "b", None], STYLES["11"])) == ["b", "a"]


def test_a_legend_calls_next_to_nothing_nothing() -> None:
    labels = [label for label, _ in Painter([5.25e-05, 5.0, 90.0], STYLES["03"]).legend()]
    assert labels[0].startswith("0 – ")
    assert labels[-1].endswith("90")


def test_a_test_without_significance_is_grey() -> None:
    assert STYLES["13"].colors["ns"] == STYLES["12"].colors["ns"]


def test_of_leaders_side_by_side_one_colours_the_district() -> None:
    rows = [
        {"region_code": code, "brand": brand, "rank": rank, "geom": geom}
        for code, brand, rank, geom in [
            ("1", "a", 1, "x"), ("1", "b", 1, "x"), ("1", "c", 3, "x"), ("2", "b", 1, "y"), ("3", "b", 1, None),
        ]
    ]  # fmt: skip
    assert [(r["region_code"], r["brand"]) for r in chosen(rows, STYLES["11"])] == [
        ("1", "a"),
        ("2", "b"),
    ]
