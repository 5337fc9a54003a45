"""Counters, averages, histograms and votes equal the rows after any sequence of commands; the recount command repairs them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoshops.reviews.commands import recount
from tests.counters import assert_exact, counted, stored
from tests.make import Maker

VOTES = st.sampled_from(["GOOD", "BAD", "UNSELECTED"])
REVIEW = st.fixed_dictionaries(
    {"star_rating": st.integers(1, 5), "content": st.just("글"), "purity": VOTES, "retouch": VOTES, "item": VOTES}
)  # fmt: skip
COMMANDS = st.lists(
    st.tuples(
        st.sampled_from(["create", "create", "change", "delete", "favorite", "unfavorite"]),
        st.integers(0, 2),
        st.integers(0, 1),
        st.integers(0, 10),
        REVIEW,
    ),
    max_size=25,
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=COMMANDS)
def test_counters_equal_the_rows_after_any_commands(
    app: Flask, client: FlaskClient, make: Maker, commands: list[Any]
) -> None:
    shops = [make.shop(f"s{i}") for i in range(2)]
    people = [make.bearer(app) for _ in range(3)]
    written: list[int] = []
    for command, person, place, which, review in commands:
        headers, shop = people[person], shops[place]
        target = written[which % len(written)] if written else 0
        if command == "create":
            response = client.post(f"/reviews/shop/{shop}", json=review, headers=headers)
            written.append(response.get_json()["review_info"]["id"])
        elif command == "change":
            client.patch(f"/reviews/{target}", json=review, headers=headers)
        elif command == "delete":
            client.delete(f"/reviews/{target}", headers=headers)
        else:
            method = "POST" if command == "favorite" else "DELETE"
            client.open(f"/favorites/{shop}", method=method, headers=headers)
    for shop in shops:
        assert_exact(make, shop)
        assert_detail_agrees(client, make, shop)
    assert make.sql("SELECT count(*) FROM counter_differences") == 0


def assert_detail_agrees(client: FlaskClient, make: Maker, shop: int) -> None:
    detail, rows = client.get(f"/shops/{shop}").get_json(), counted(make, shop)
    cnt, total = rows["review_cnt"], rows["star_rating_sum"]
    assert detail["review_cnt"] == cnt
    assert detail["favorite_cnt"] == rows["favorite_cnt"]
    assert detail["star_rating_avg"] == ((20 * total + cnt) // (2 * cnt) / 10 if cnt else 0.0)
    assert detail["rating_counts"] == {str(n): rows[f"star_{n}"] for n in range(1, 6)}
    for facet in ("purity", "retouch", "item"):
        good, bad = rows[f"{facet}_good"], rows[f"{facet}_bad"]
        votes = detail["tag_stats"][facet]
        assert (votes["good"], votes["bad"]) == (good, bad)
        assert votes["unselected"] == cnt - good - bad


@pytest.fixture
def broken(make: Maker) -> list[int]:
    """Three shops with rows; the counters of two are wrong."""
    shops, member = [make.shop(f"s{i}") for i in range(3)], make.member()
    for shop in shops:
        make.review(member, shop, purity="GOOD")
        make.favorite(member, shop)
    make.sql(
        "UPDATE shops SET favorite_cnt = 7, review_cnt = 9, star_rating_sum = 30 WHERE id = %s",
        shops[0],
    )
    make.sql("UPDATE shop_stats SET star_5 = 3, item_bad = 1 WHERE shop_id = %s", shops[1])
    return shops


def test_recount_reports_and_repairs_wrong_counters(
    app: Flask, make: Maker, broken: list[int]
) -> None:
    runner = app.test_cli_runner()
    before = [stored(make, shop) for shop in broken]
    checked = runner.invoke(recount, ["--check", "--json"])
    assert checked.exit_code == 1
    assert json.loads(checked.output) == {
        "differing": 2,
        "repaired": 0,
        "shop_ids": broken[:2],
        "brand_ids": [],
    }
    assert [stored(make, shop) for shop in broken] == before, "a check repairs nothing"
    repaired = runner.invoke(recount, ["--json"])
    assert repaired.exit_code == 0
    assert json.loads(repaired.output)["repaired"] == 2
    for shop in broken:
        assert_exact(make, shop)
    clean = runner.invoke(recount, ["--check"])
    assert (clean.exit_code, clean.output) == (0, "0 shops and 0 brands differed\n")


def test_recount_detects_missing_statistics(app: Flask, make: Maker) -> None:
    shop = make.shop()
    make.review(make.member(), shop, item="BAD")
    make.sql("DELETE FROM shop_stats")
    result = app.test_cli_runner().invoke(recount, [])
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"shop {shop}: item_bad is 0, counted 1",
        f"shop {shop}: star_4 is 0, counted 1",
        "1 shops and 0 brands differed, repaired",
    ]
    assert_exact(make, shop)
