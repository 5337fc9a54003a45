"""Concurrent reviews, favorites and retries by 32 clients: every counter equals its rows."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import requests

from tests.counters import assert_exact
from tests.make import Maker
from tests.races.conftest import THREADS, Call, Crowd, Headers

ROUNDS = [pytest.param(2, id="short"), pytest.param(100, id="long", marks=pytest.mark.full)]
GOOD = {"star_rating": 5, "content": "좋아요", "purity": "GOOD"}
VOTES = ("GOOD", "BAD", "UNSELECTED")


def random_review(dice: random.Random) -> dict[str, object]:
    facets = {name: dice.choice(VOTES) for name in ("purity", "retouch", "item")}
    return {"star_rating": dice.randint(1, 5), "content": "글", **facets}


def statuses(responses: list[requests.Response]) -> Counter[int]:
    return Counter(response.status_code for response in responses)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_one_favorite_added_and_removed_by_many_requests(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    shop = make.shop()
    ((member, headers),) = crowd.members(1)
    path = f"/favorites/{shop}"
    for _ in range(rounds):
        methods = ["POST", "DELETE"] * (THREADS // 2)
        responses = crowd.at_once([crowd.call(method, path, headers) for method in methods])
        assert set(statuses(responses)) <= {200, 201}
        rows = make.sql("SELECT count(*) FROM favorites WHERE member_id = %s", member)
        assert rows in (0, 1)
        assert_exact(make, shop)
        shown = requests.get(f"{crowd.origin}/shops/{shop}", headers=headers, timeout=10).json()
        listed = requests.get(
            f"{crowd.origin}/favorites?userLat=37&userLng=127", headers=headers, timeout=10
        ).json()
        assert shown["favorite"] is bool(rows)
        assert len(listed) == rows


@pytest.mark.parametrize("rounds", ROUNDS)
def test_one_shop_added_and_removed_by_many_members(crowd: Crowd, make: Maker, rounds: int) -> None:
    shop, members = make.shop(), crowd.members()
    for _ in range(rounds):
        for method, expected in (("POST", 201), ("DELETE", 200)):
            calls = [crowd.call(method, f"/favorites/{shop}", headers) for _, headers in members]
            assert statuses(crowd.at_once(calls)) == {expected: THREADS}
            assert_exact(make, shop)
    assert make.sql("SELECT favorite_cnt FROM shops WHERE id = %s", shop) == 0


@pytest.mark.parametrize("rounds", ROUNDS)
def test_many_members_review_one_shop(crowd: Crowd, make: Maker, rounds: int) -> None:
    shop, members, dice = make.shop(), crowd.members(), random.Random(1)
    for round_number in range(rounds):
        calls = [
            crowd.call("POST", f"/reviews/shop/{shop}", headers, random_review(dice))
            for _, headers in members
        ]
        assert statuses(crowd.at_once(calls)) == {201: THREADS}
        assert_exact(make, shop)
        count = THREADS * (round_number + 1)
        assert make.sql("SELECT review_cnt FROM shops WHERE id = %s", shop) == count


@pytest.mark.parametrize("rounds", ROUNDS)
def test_members_create_change_and_delete_reviews_of_few_shops(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    shops, dice = [make.shop(f"s{i}") for i in range(3)], random.Random(2)
    members = crowd.members(8)
    own: dict[int, list[int]] = {member: [] for member, _ in members}
    for _ in range(rounds):
        calls = []
        for place in range(THREADS):
            member, headers = members[place % len(members)]
            calls.append(random_command(crowd, dice, shops, own[member], headers))
        responses = crowd.at_once(calls)
        assert set(statuses(responses)) <= {200, 201, 404}
        for member in own:
            rows = make.rows("SELECT id FROM reviews WHERE member_id = %s", member)
            own[member] = [row[0] for row in rows]
        for shop in shops:
            assert_exact(make, shop)
    assert make.sql("SELECT count(*) FROM counter_differences") == 0


def random_command(
    crowd: Crowd, dice: random.Random, shops: list[int], own: list[int], headers: Headers
) -> Call:
    command = dice.choice(["create", "create", "change", "delete", "favorite", "unfavorite"])
    shop, review = dice.choice(shops), dice.choice(own or [0])
    if command == "create" or (command in ("change", "delete") and not own):
        return crowd.call("POST", f"/reviews/shop/{shop}", headers, random_review(dice))
    if command == "change":
        return crowd.call("PATCH", f"/reviews/{review}", headers, random_review(dice))
    if command == "delete":
        return crowd.call("DELETE", f"/reviews/{review}", headers)
    return crowd.call("POST" if command == "favorite" else "DELETE", f"/favorites/{shop}", headers)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_changes_during_deletion_of_a_review(crowd: Crowd, make: Maker, rounds: int) -> None:
    shop = make.shop()
    ((member, headers),) = crowd.members(1)
    for _ in range(rounds):
        review = make.review(member, shop)
        path = f"/reviews/{review}"
        calls = [
            crowd.call("DELETE", path, headers)
            if place % 4 == 0
            else crowd.call("PATCH", path, headers, {"star_rating": 1, "content": str(place)})
            for place in range(THREADS)
        ]
        responses = crowd.at_once(calls)
        assert set(statuses(responses)) <= {200, 404}
        deleted = [a for a in responses if a.request.method == "DELETE" and a.status_code == 200]
        assert len(deleted) == 1, "exactly one deletion is acknowledged"
        assert requests.get(f"{crowd.origin}{path}", timeout=10).status_code == 404
        assert_exact(make, shop)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_one_idempotency_key_has_one_effect(crowd: Crowd, make: Maker, rounds: int) -> None:
    shop = make.shop()
    ((_, headers),) = crowd.members(1)
    for round_number in range(rounds):
        keyed = {**headers, "Idempotency-Key": f"round-{round_number}"}
        calls = [crowd.call("POST", f"/reviews/shop/{shop}", keyed, GOOD)] * THREADS
        responses = crowd.at_once(calls)
        assert statuses(responses) == {201: THREADS}
        assert len({response.content for response in responses}) == 1
        assert len({response.headers["Location"] for response in responses}) == 1
        assert make.sql("SELECT count(*) FROM reviews") == round_number + 1
        assert_exact(make, shop)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_title_is_awarded_once_and_not_missed(crowd: Crowd, make: Maker, rounds: int) -> None:
    for _ in range(rounds):
        shops = [make.shop(f"s{i}") for i in range(3)]
        ((member, headers),) = crowd.members(1)
        calls = [crowd.call("POST", f"/reviews/shop/{shop}", headers, GOOD) for shop in shops]
        responses = crowd.at_once(calls)
        awarded = Counter(
            t["id"] for response in responses for t in response.json()["awarded_titles"]
        )
        assert awarded[2] == awarded[3] == awarded[11] == 1
        held = {
            row[0]
            for row in make.rows("SELECT title_id FROM member_titles WHERE member_id = %s", member)
        }
        assert held == set(awarded)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_writes_during_the_end_of_the_session(crowd: Crowd, make: Maker, rounds: int) -> None:
    shop = make.shop()
    for _ in range(rounds):
        ((member, headers),) = crowd.members(1)

        def end_session(_: requests.Session, member: int = member) -> requests.Response:
            make.sql("UPDATE sessions SET ended_at = now() WHERE member_id = %s", member)
            return requests.Response()

        calls = [
            crowd.call("POST", f"/reviews/shop/{shop}", headers, GOOD) for _ in range(THREADS - 1)
        ]
        responses = crowd.at_once([end_session, *calls])[1:]
        assert set(statuses(responses)) <= {201, 401}
        late = requests.post(
            f"{crowd.origin}/reviews/shop/{shop}", headers=headers, json=GOOD, timeout=10
        )
        assert late.status_code == 401
        count = make.sql("SELECT count(*) FROM reviews WHERE member_id = %s", member)
        assert count == statuses(responses)[201]
        assert_exact(make, shop)


@pytest.mark.full
@pytest.mark.parametrize("rounds", [20])
def test_the_limit_of_reviews_holds_under_concurrent_requests(
    crowd: Crowd, make: Maker, rounds: int, limited_origin: str
) -> None:
    for _ in range(rounds):
        shop = make.shop()
        ((_, headers),) = crowd.members(1)
        crowd.origin = limited_origin
        calls = [crowd.call("POST", f"/reviews/shop/{shop}", headers, GOOD)] * THREADS
        assert statuses(crowd.at_once(calls)) == {201: 2, 400: THREADS - 2}
        assert_exact(make, shop)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_exactly_one_review_is_the_first_of_a_shop(crowd: Crowd, make: Maker, rounds: int) -> None:
    members = crowd.members()
    for member, _ in members:
        for other in range(2):
            make.review(member, make.shop(f"s{member}-{other}"))
    for _ in range(rounds):
        shop = make.shop()
        calls = [
            crowd.call("POST", f"/reviews/shop/{shop}", headers, GOOD) for _, headers in members
        ]
        responses = crowd.at_once(calls)
        pioneers = [
            response.json()["member_info"]["id"]
            for response in responses
            if 11 in [title["id"] for title in response.json()["awarded_titles"]]
        ]
        first = make.sql(
            "SELECT member_id FROM reviews WHERE shop_id = %s ORDER BY created_at, id LIMIT 1", shop
        )
        assert pioneers == [first]
        make.sql("DELETE FROM member_titles WHERE title_id = 11")
        make.sql("DELETE FROM reviews WHERE shop_id = %s", shop)
        assert_exact_after_repair(make, shop)


def assert_exact_after_repair(make: Maker, shop: int) -> None:
    """Repairs the counters after rows were deleted with plain SQL, and compares them."""
    make.sql("SELECT repair_counters(%s)", shop)
    assert_exact(make, shop)
