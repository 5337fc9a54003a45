"""The parts of scripts/bench that decide what a figure means: comparison, arithmetic, the JSON of the peers."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "scripts" / "bench.d"
FOLDERS = sorted(p.parent.name for p in (BENCH / "peers").glob("*/requirements.txt"))


# other scripts have modules of these names, too
PARTS = (
    "data", "figures", "goals", "growth", "hostile", "languages", "layers",
    "load", "main", "radius", "start", "stacks",
)  # fmt: skip


def forget_parts() -> None:
    """Lets each folder's own module be imported."""
    for name in PARTS:
        sys.modules.pop(name, None)


@pytest.fixture(autouse=True, scope="module")
def parts() -> Iterator[None]:
    """The benchmark's modules, imported as by scripts/bench."""
    forget_parts()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH / "peers" / "contract"))
        patch.syspath_prepend(str(BENCH))
        yield
    forget_parts()


def peer(**more: Any) -> Any:
    from peers.catalogue import GRANIAN, Peer, contract, plain

    return Peer("x", "x", "x", GRANIAN, contract("/"), plain, 1, **more)


def test_a_peer_with_the_same_shops_in_our_order_passes() -> None:
    from peers.same import difference

    assert difference(peer(), [3, 1, 2], [3, 1, 2], {}, 2000) == ""


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ([3, 1], "1 other shops, such as 2"),
        ([3, 1, 2, 9], "1 other shops, such as 9"),
        ([1, 2, 3], "another order"),
        ([3, 1, 2, 2], "a shop comes twice"),
        ([], "3 other shops, such as 1"),
    ],
)
def test_a_peer_with_other_shops_is_rejected(theirs: list[int], said: str) -> None:
    from peers.same import difference

    assert difference(peer(), [3, 1, 2], theirs, {}, 2000) == said


def test_a_circle_on_the_sphere_may_differ_at_the_edge_only() -> None:
    from peers.same import difference

    sphere = peer(ordered=False, margin=0.006)
    assert difference(sphere, [1, 2], [1], {2: 1995.0}, 2000) == ""
    assert difference(sphere, [1], [1, 3], {3: 2004.0}, 2000) == ""
    assert difference(sphere, [1, 2], [1], {2: 1900.0}, 2000) == "1 other shops, such as 2"
    assert difference(sphere, [1, 2], [1], {}, 2000) == "1 other shops, such as 2"


def test_an_order_is_not_asked_of_a_peer_that_has_none() -> None:
    from peers.same import difference

    assert difference(peer(ordered=False), [3, 1, 2], [1, 2, 3], {}, 2000) == ""


def test_the_box_has_the_area_of_the_circle() -> None:
    from peers.catalogue import DEGREE_M, RADIUS_M, same_area_box

    west, south, east, north = same_area_box(127.0, 37.5)
    across_m = (east - west) * DEGREE_M * math.cos(math.radians(37.5))
    up_m = (north - south) * DEGREE_M
    assert across_m * up_m == pytest.approx(math.pi * RADIUS_M**2, rel=1e-4)
    assert ((west + east) / 2, (south + north) / 2) == pytest.approx((127.0, 37.5))


def test_the_median_ratio_and_spread_of_rounds() -> None:
    from figures import Runs
    from load import Load

    def runs(*rates: float) -> Runs:
        return Runs("x", [Load(rate, 1.0, 2.0, 10.0, 1) for rate in rates])

    ours, limit = runs(300, 240, 250), runs(500, 400, 600)
    assert ours.of(limit) == 0.5
    assert ours.spread_percent() == 24.0
    assert ours.record(limit)["errors"] == 3
    assert json.loads(json.dumps(ours.record(limit)))["per_s"] == 250


def test_rounds_are_interleaved() -> None:
    import figures
    from load import Load

    asked: list[str] = []

    def run(name: str) -> Load:
        asked.append(name)
        return Load(1, 1, 1)

    with pytest.MonkeyPatch.context() as patch:
        # the meter looks up the measured cluster, of which there is none here
        patch.setattr("load._postmaster", lambda: 0)
        found = figures.interleave({"a": lambda: run("a"), "b": lambda: run("b")}, 3)
    assert asked == ["a", "b"] * 3
    assert all(len(runs.loads) == len(runs.foreign) == 3 for runs in found.values())


def test_percentiles_are_of_the_nearest_rank() -> None:
    from load import percentile

    ordered = [float(n) for n in range(1, 101)]
    assert (percentile(ordered, 50), percentile(ordered, 99), percentile([7.0], 99)) == (50, 99, 7)


def test_every_goal_names_a_benchmark_that_exists() -> None:
    from goals import GOALS
    from main import names

    assert {goal.bench for goal in GOALS} <= set(names())


def test_a_goal_is_met_on_its_own_side() -> None:
    from goals import Goal

    least, most = Goal("a", "b.c", 2, True, ""), Goal("a", "b.c", 2, False, "")
    assert least.value({"a": {"b": {"c": 3}}}) == 3
    assert least.value({"a": {"failed": "x"}}) is None
    assert (least.met(3), least.met(1), most.met(3), most.met(2)) == (True, False, False, True)


def test_sorted_rows_are_read_from_a_plan() -> None:
    from growth import most_sorted

    plan = """
Aggregate  (cost=1..2 rows=1 width=1) (actual time=1.0..1.0 rows=1 loops=1)
  ->  Sort  (cost=1..2 rows=1 width=1) (actual time=1.0..1.0 rows=1000 loops=1)
        Sort Key: a
        ->  Index Scan using i on t  (cost=1..2 rows=1 width=1) (actual time=0.1..0.2 rows=1234 loops=1)"""
    assert most_sorted(plan) == 1234
    assert most_sorted("Index Scan using i  (cost=1..2) (actual time=1..1 rows=9 loops=1)") == 0


def test_peers_write_distances_and_ratings_as_the_contract_does(connection: Any) -> None:
    from shop_json import distance_text, rating

    cursor = connection.cursor()
    metres = [0, 1, 499, 999, 1000, 1049, 1050, 1949, 1950, 9999, 10000, 99949, 99950, 123456]
    for m in metres:
        cursor.execute("SELECT distance_text(%s)", (m,))
        assert distance_text(m) == cursor.fetchone()[0]
    for total, count in ((0, 0), (7, 2), (13, 4), (10, 3), (5, 1), (29, 20)):
        cursor.execute("SELECT rating_text(%s, %s)", (total, count))
        assert str(rating(total, count)) == cursor.fetchone()[0]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_packages_of_a_peer_are_pinned_and_name_no_place(folder: str) -> None:
    lines = (BENCH / "peers" / folder / "requirements.txt").read_text().splitlines()
    assert lines
    assert all(re.match(r"[A-Za-z0-9_.-]+==[^/\s]+( ; .+)?$", line) for line in lines)


def test_every_peer_has_a_pinned_package_and_a_version() -> None:
    from peers.catalogue import PEERS
    from peers.environments import version

    assert {p.folder for p in PEERS} == set(FOLDERS)
    assert all(re.match(r"\d+\.\d+", version(p.folder, p.package)) for p in PEERS)


def test_memory_is_that_of_a_process_and_its_children() -> None:
    from start import _sum_mb

    rollups = [
        "Rss:    4096 kB\nPss:    2048 kB\n",
        "Rss:  1024 kB\nPss:     512 kB\nPss_Anon: 9 kB\n",
    ]
    assert (_sum_mb(rollups, "Pss"), _sum_mb(rollups, "Rss")) == (2.5, 5.0)


@pytest.mark.parametrize(
    ("stack", "name"),
    [
        ("f (granian/wsgi.py:9);a (flask/app.py:1);b (geoshops/web/middleware.py:3)", "frame: id, headers, ETag"),
        ("f (granian/wsgi.py:9);a (flask/app.py:1);b (geoshops/web/telemetry.py:3);dumps (json/encoder.py:1)", "log and metrics"),
        ("f (granian/wsgi.py:9);r (geoshops/shops/routes.py:4);checkout (sqlalchemy/pool/base.py:7)", "pool"),
        ("f (granian/wsgi.py:9)", "server"),
        ("f (granian/mp.py:9);wait (/usr/lib/python3.11/threading.py:327)", None),
        ("run (/usr/lib/python3.11/threading.py:982);watch (geoshops/database/circuit_breaker.py:130)", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_stack_belongs_to_its_innermost_known_frame(stack: str, name: str | None) -> None:
    from stacks import by_layer, layer

    assert layer(stack) == name
    assert by_layer([f"{stack} 3", f"{stack} 4", "no number"]) == ({name: 7} if name else {})


def test_processor_time_is_shared_out_by_samples() -> None:
    from layers import shared

    assert shared({"a": 1.0, "b": 3.0, "driver": 9.0}, ["a", "b", "c"], 100) == {
        "a": 25,
        "b": 75,
        "c": 0,
    }


@pytest.mark.parametrize("option", ["--shops", "--rounds"])
@pytest.mark.parametrize("number", ["0", "-3", "many"])
def test_a_size_of_zero_is_rejected(
    option: str, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import main

    monkeypatch.setattr(sys, "argv", ["bench", "radius", option, number])
    with pytest.raises(SystemExit) as exited:
        main.parse()
    assert exited.value.code == 2
