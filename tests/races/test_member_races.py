"""Races of members: unique nicknames, one main title, complete withdrawal."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.make import Maker
from tests.members.test_members import count_rows_of_member
from tests.races.conftest import THREADS, Crowd

ROUNDS = [pytest.param(3, id="few"), pytest.param(100, id="many", marks=pytest.mark.full)]
REVIEW = {"star_rating": 5, "content": "good"}


@pytest.mark.parametrize("rounds", ROUNDS)
def test_one_nickname_requested_by_all_is_given_to_one_member(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    people = crowd.members()
    for number in range(rounds):
        body = {"nickname": f"wanted {number}"}
        calls = [crowd.call("PATCH", "/member/nickname", bearer, body) for _, bearer in people]
        statuses = sorted(a.status_code for a in crowd.at_once(calls))
        assert statuses == [200] + [409] * (THREADS - 1)
        assert make.sql("SELECT count(*) FROM members WHERE nickname = %s", body["nickname"]) == 1


@pytest.mark.parametrize("rounds", ROUNDS)
def test_nicknames_passed_round_a_ring_cause_no_deadlock(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    people = crowd.members()
    for _ in range(rounds):
        names = dict(make.rows("SELECT id, nickname FROM members"))
        ring = [names[member] for member, _ in (*people[1:], people[0])]
        calls = [
            crowd.call("PATCH", "/member/nickname", bearer, {"nickname": name})
            for (_, bearer), name in zip(people, ring, strict=True)
        ]
        assert {a.status_code for a in crowd.at_once(calls)} <= {200, 409}
        assert make.sql("SELECT count(DISTINCT nickname_key) FROM members") == THREADS


@pytest.mark.parametrize("rounds", ROUNDS)
def test_concurrent_changes_of_the_main_title_leave_one(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    ((member, bearer),) = crowd.members(1)
    for title in (1, 2):
        make.insert("member_titles", member_id=member, title_id=title, awarded_at="now")
    for _ in range(rounds):
        calls = [
            crowd.call("PATCH", f"/member/main-title/{1 + place % 2}", bearer)
            for place in range(THREADS)
        ]
        responses = crowd.at_once(calls)
        assert {a.status_code for a in responses} == {200}
        assert all(a.json()["is_main"] for a in responses)
        mains = make.rows(
            "SELECT t.name FROM member_titles h JOIN titles t ON t.id = h.title_id WHERE h.is_main"
        )
        profile = crowd.sessions[0].get(f"{crowd.origin}/member/info", headers=bearer).json()
        assert [(profile["main_member_title"],)] == mains


@pytest.mark.parametrize("rounds", ROUNDS)
def test_withdrawal_during_writes_leaves_no_orphaned_rows(
    crowd: Crowd, app: Flask, make: Maker, rounds: int
) -> None:
    shops = [make.shop(f"shop {n}") for n in range(5)]
    for number in range(rounds):
        ((member, bearer),) = crowd.members(1)
        writes = [
            crowd.call("POST", f"/favorites/{shops[place % 5]}", bearer)
            if place % 2
            else crowd.call("POST", f"/reviews/shop/{shops[place % 5]}", bearer, REVIEW)
            for place in range(THREADS - 4)
        ]
        more = [
            crowd.call("PATCH", "/member/nickname", bearer, {"nickname": f"late {number}"}),
            crowd.call("DELETE", f"/favorites/{shops[0]}", bearer),
        ]
        leave = crowd.call("DELETE", "/member?reviews=delete", bearer)
        responses = crowd.at_once([leave, leave, *writes, *more])
        assert sorted(a.status_code for a in responses[:2]) == [200, 401]
        assert {a.status_code for a in responses[2:]} <= {200, 201, 401}
        assert count_rows_of_member(make, member) == {"members": 1}
        assert make.rows("SELECT shop_id FROM counter_differences") == []


@pytest.mark.parametrize("rounds", ROUNDS)
def test_members_of_one_shop_withdraw_at_once(crowd: Crowd, make: Maker, rounds: int) -> None:
    shops = [make.shop(f"shop {n}") for n in range(4)]
    for _ in range(min(rounds, 20)):
        people = crowd.members()
        for member, _ in people:
            for shop in shops:
                make.favorite(member, shop)
        calls = [crowd.call("DELETE", "/member", bearer) for _, bearer in people]
        assert {a.status_code for a in crowd.at_once(calls)} == {200}
        assert make.sql("SELECT count(*) FROM favorites") == 0
        assert make.sql("SELECT sum(favorite_cnt) FROM shops") == 0
