"""Tests analysis scripts about ratings against manual results, scipy and PySAL."""

from __future__ import annotations

import numpy as np
import pytest
from esda.getisord import G_Local
from esda.moran import Moran, Moran_Local
from libpysal.weights import W
from scipy.stats import binomtest, norm

from tests.sql.test_distances import by

HEX = {"edge_m": 100, "min_reviews": 1}


def field(town, values):
    """One shop per hexagon: with an edge of 100 m, columns are 150 m and rows 173.2 m apart."""
    positions = {}
    for n, value in enumerate(values):
        column, row = n % 6, n // 6
        x, y = 150 * column, 100 * np.sqrt(3) * (row + (column % 2) / 2)
        town.shop(f"s{n}", x, y)
        town.rate(f"s{n}", value)
        positions[n] = (x, y)
    return positions


def band(positions, radius_m, *, itself=False):
    """Neighbours within the radius."""
    return {
        a: [
            b
            for b in positions
            if (itself or a != b) and np.hypot(*np.subtract(positions[a], positions[b])) <= radius_m
        ]
        for a in positions
    }


VALUES = [5, 5, 4, 5, 2, 1, 5, 4, 4, 2, 1, 1, 5, 5, 3, 2, 2, 1, 4, 5, 3, 1, 2, 2]


def test_12_gi_star_agrees_with_esda(town, run_script):
    positions = field(town, VALUES)
    rows = run_script(12, **HEX, radius_m=200)
    assert len(rows) == len(VALUES)
    neighbours = band(positions, 200, itself=True)
    expected = G_Local(
        np.array(VALUES, float),
        W(neighbours, silence_warnings=True),
        transform="B",
        star=True,
        permutations=0,
    )
    # hexagons are ordered by column, then row; shops were created row by row
    rows_by_shop = {}
    for row in rows:
        center = row["geom"].centroid
        shop = min(
            town.make.rows("SELECT id, ST_X(geom), ST_Y(geom) FROM v_shop"),
            key=lambda s: (s[1] - center.x) ** 2 + (s[2] - center.y) ** 2,
        )[0]
        rows_by_shop[shop - town.ids["s0"]] = row
    assert sorted(rows_by_shop) == list(range(len(VALUES)))
    for n, row in rows_by_shop.items():
        assert row["n_neighbours"] == len(neighbours[n])
        assert row["gi_z"] == pytest.approx(expected.Zs[n], abs=1e-6)
        assert row["p_value"] == pytest.approx(2 * norm.sf(abs(expected.Zs[n])), abs=1e-6)
        z = expected.Zs[n]
        wanted = "ns" if abs(z) < norm.isf(0.05) else ("hot" if z > 0 else "cold")
        assert row["class"].startswith(wanted)


def test_12_constant_values_and_a_single_hexagon_give_null(town, run_script):
    field(town, [4] * 6)
    rows = run_script(12, **HEX, radius_m=200)
    assert [(r["gi_z"], r["p_value"], r["class"]) for r in rows] == [(None, None, None)] * 6
    assert len(run_script(12, edge_m=100_000, radius_m=200, min_reviews=1)) == 1
    assert run_script(12, **{**HEX, "min_reviews": 2}, radius_m=200) == []


def test_12_shops_without_reviews_are_no_zeros(town, run_script):
    field(town, VALUES)
    before = [(r["hex_i"], r["hex_j"], r["gi_z"]) for r in run_script(12, **HEX, radius_m=200)]
    town.shop("silent", 10_000, 10_000)
    town.shop("beside", 5, 5)
    assert [
        (r["hex_i"], r["hex_j"], r["gi_z"]) for r in run_script(12, **HEX, radius_m=200)
    ] == before


def test_13_moran_and_lisa_agree_with_esda(town, run_script):
    positions = field(town, VALUES)
    rows = by(run_script(13, radius_m=200), "shop_id")
    weights = W(band(positions, 200), silence_warnings=True)
    weights.transform = "r"
    expected = Moran(np.array(VALUES, float), weights, permutations=0)
    local = Moran_Local(np.array(VALUES, float), weights, permutations=0)
    first = rows[town.ids["s0"]]
    assert (first["n"], first["w_sum"]) == (24, 24)
    assert first["morans_i"] == pytest.approx(expected.I, abs=1e-6)
    assert first["expected_i"] == pytest.approx(expected.EI, abs=1e-6)
    assert first["z"] == pytest.approx(expected.z_rand, abs=1e-6)
    for n in positions:
        row = rows[town.ids[f"s{n}"]]
        assert row["local_i"] == pytest.approx(local.Is[n], abs=1e-6)
        assert row["quadrant"] == {1: "HH", 2: "LH", 3: "LL", 4: "HL"}[local.q[n]]


def test_13_the_test_of_lisa_agrees_with_esda_and_with_shuffling(town, run_script):
    values = np.array(VALUES, float)
    positions = field(town, VALUES)
    rows = by(run_script(13, radius_m=350), "shop_id")
    neighbours = band(positions, 350)
    weights = W(neighbours, silence_warnings=True)
    weights.transform = "r"
    local = Moran_Local(values, weights, permutations=0)
    n = len(values)
    # esda scales local I by n - 1, its moments by n
    zs = (local.Is * n / (n - 1) - local.EIc) / np.sqrt(local.VIc)
    rng = np.random.default_rng(1)
    for shop in positions:
        row = rows[town.ids[f"s{shop}"]]
        assert row["local_z"] == pytest.approx(zs[shop], abs=1e-6)
        assert row["local_p"] == pytest.approx(2 * norm.sf(abs(zs[shop])), abs=1e-6)
        assert row["class"] == (row["quadrant"] if row["local_p"] < 0.05 else "ns")
        others = np.delete(values, shop)
        k = len(neighbours[shop])
        lags = np.array([rng.permutation(others)[:k].mean() for _ in range(4000)])
        lag = values[neighbours[shop]].mean()
        shuffled = np.sign(values[shop] - values.mean()) * (lag - lags.mean()) / lags.std()
        assert row["local_z"] == pytest.approx(shuffled, abs=0.15)
    assert len({rows[town.ids[f"s{shop}"]]["class"] for shop in positions}) > 1


def test_13_by_hand(town, run_script):
    # 1 and 5 side by side, mean 3: z = -2, 2; I = 2/2 × (-2·2 + 2·-2) / 8 = -1
    town.draw("a b", step_m=100)
    town.rate("a", 1)
    town.rate("b", 5)
    rows = run_script(13, radius_m=150)
    assert [r["morans_i"] for r in rows] == [-1, -1]
    assert [r["quadrant"] for r in rows] == ["LH", "HL"]
    assert [r["local_i"] for r in rows] == [-0.5, -0.5]


def test_13_constant_values_islands_and_silence_give_null(town, run_script):
    town.draw("a b . . . c", step_m=100)
    for symbol in "abc":
        town.rate(symbol, 4)
    rows = run_script(13, radius_m=150)
    names = ("local_i", "quadrant", "local_z", "local_p", "class", "morans_i", "z")
    assert {tuple(r[name] for name in names) for r in rows} == {(None,) * len(names)}
    town.rate("a", 1)
    rows = by(run_script(13, radius_m=150), "shop_id")
    assert rows[town.ids["c"]]["quadrant"] is None
    assert rows[town.ids["c"]]["n_neighbours"] == 0
    assert rows[town.ids["a"]]["quadrant"] == "LH"


def test_18_wilson_agrees_with_scipy_and_the_bayesian_mean_with_pencil_and_paper(town, run_script):
    town.draw("a b c", step_m=100)
    town.rate("a", 5)
    town.rate("b", *[5] * 30, *[3] * 10)
    rows = by(run_script(18), "shop_id")
    # stars 5 + 180 = 185 of 41 reviews
    mean = 185 / 41
    a, b, c = (rows[town.ids[s]] for s in "abc")
    assert a["bayes_avg"] == pytest.approx((10 * mean + 5) / 11)
    assert b["bayes_avg"] == pytest.approx((10 * mean + 180) / 50)
    assert (c["n"], c["avg"], c["wilson_low"], c["rank"]) == (0, None, None, None)
    assert c["bayes_avg"] == pytest.approx(mean)
    for row, good, n in ((a, 1, 1), (b, 30, 40)):
        interval = binomtest(good, n).proportion_ci(0.95, method="wilson")
        assert row["wilson_low"] == pytest.approx(interval.low, abs=1e-6)
    assert (a["rank"], b["rank"]) == (1, 2)


def test_18_without_any_review(town, run_script):
    town.draw("a", step_m=100)
    (row,) = run_script(18)
    assert (row["avg"], row["bayes_avg"], row["wilson_low"], row["rank"]) == (None,) * 4


def test_25_shares_need_votes_and_unselected_is_none(town, run_script):
    town.draw("a", step_m=100)
    for _ in range(3):
        town.rate("a", 4, purity="GOOD", retouch="BAD")
    town.rate("a", 4, purity="BAD", retouch="BAD")
    town.rate("a", 4, purity="BAD")
    town.rate("a", 4)
    (row,) = run_script(25)
    assert (row["shops"], row["votes"]) == (1, 9)
    assert row["purity_good"] == 0.6
    assert (row["retouch_good"], row["item_good"]) == (None, None)
    assert run_script(25, min_votes=4)[0]["retouch_good"] == 0


def test_21_twins_by_hand(town, run_script):
    # Three districts with one shop per brand: north and south are equal in everything, east has more of everything.
    for name, y in (("n", 0), ("s", 20_000)):
        town.shop(f"{name}1", 100, y + 100, "A")
    for k in range(3):
        town.shop(f"e{k}", 20_100 + k, 100, "ABC"[k])
    top = town.region("서울특별시", -1000, -1000, 60_000, 60_000)
    for name, x, y in (("북구", 0, 0), ("남구", 0, 20_000), ("동구", 20_000, 0)):
        town.region(name, x, y, 1000, 1000, level="sigungu", parent_id=top)
    rows = by(run_script(21, min_shops=1, twins=1), "region_code")
    assert (rows["북구"]["twin_code"], rows["남구"]["twin_code"]) == ("남구", "북구")
    assert rows["북구"]["similarity"] == pytest.approx(1, abs=1e-3)
    # Density, brands and leader differ: two alike and one apart have z-scores 1/√2 and -√2, 3/√2 apart;
    # the other features are equal everywhere: √(3 × 9/2).
    assert rows["동구"]["similarity"] == pytest.approx(1 / (1 + np.sqrt(13.5)), abs=1e-3)
    assert run_script(21, min_shops=2) == []
