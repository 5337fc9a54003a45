"""Profile, main title, withdrawal and export of a member."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from tests.make import Maker
from tests.members.conftest import Person, code

REVIEW = {"star_rating": 4, "content": "좋아요", "purity": "GOOD", "retouch": "BAD"}
# What may name a withdrawn member, and nothing else: the tombstone, and reviews without a name.
STAY = {"members": 1, "reviews": 1}


def test_profile_has_exactly_the_fields_of_the_contract(minji: Person) -> None:
    minji.hold(1)
    minji.hold(2, main=True)
    answer = minji.get("/member/info")
    assert answer.json == {
        "id": minji.id,
        "nickname": "민지",
        "main_member_title": "리뷰 첫 걸음",
        "member_title_cnt": 2,
    }
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/member/info"), ("GET", "/member/nickname?nickname=ab"), ("PATCH", "/member/nickname"),
        ("DELETE", "/member"), ("PATCH", "/member/main-title/1"), ("GET", "/member/export"),
        ("GET", "/auth/logout"), ("GET", "/auth/sessions"), ("DELETE", "/auth/sessions/1"),
    ],
)  # fmt: skip
def test_every_endpoint_rejects_every_invalid_session(
    app: Flask, minji: Person, method: str, path: str
) -> None:
    body = {"nickname": "새이름"} if method == "PATCH" else None
    nobody = app.test_client().open(path, method=method, json=body)
    assert code(nobody) == (401, "100")
    minji.get("/auth/logout")
    assert code(minji.http.open(path, method=method, json=body, headers=minji.bearer)) == (
        401,
        "101",
    )
    assert minji.make.sql("SELECT nickname FROM members") == "민지"


def test_changing_the_main_title_returns_it(minji: Person) -> None:
    minji.hold(1, main=True)
    minji.hold(2)
    answer = minji.patch("/member/main-title/2")
    assert answer.status_code == 200
    assert answer.json["id"] == 2 and answer.json["name"] == "리뷰 첫 걸음"
    assert answer.json["is_main"] is True and answer.json["is_holding"] is True
    assert set(answer.json) >= {"content", "standard", "image_url", "progress"}
    assert minji.get("/member/info").json["main_member_title"] == "리뷰 첫 걸음"
    assert minji.get("/member-titles/1").json["is_main"] is False


def test_main_title_again_is_200_unknown_404_not_held_400(minji: Person) -> None:
    minji.hold(1, main=True)
    assert minji.patch("/member/main-title/1").status_code == 200
    assert code(minji.patch("/member/main-title/2")) == (400, "400")
    for path in ("0", "999", "99999999999999999999", "x", "-1"):
        assert code(minji.patch(f"/member/main-title/{path}")) == (404, "404")
    assert minji.get("/member/info").json["main_member_title"] == "뉴비"


def linked(person: Person) -> None:
    person.make.insert(
        "member_identities",
        issuer="https://issuer.example",
        subject=f"subject-{person.id}",
        member_id=person.id,
        provider="gone",
    )


def rows_naming(make: Maker, member: int) -> dict[str, int]:
    """Rows that name the member, by table: every column member_id, and members.id itself."""
    columns = make.rows(
        "SELECT table_name, column_name FROM information_schema.columns c"
        " JOIN information_schema.tables t USING (table_schema, table_name)"
        " WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        " AND (column_name = 'member_id' OR (table_name, column_name) = ('members', 'id'))"
    )
    counts = {
        table: make.sql(f"SELECT count(*) FROM {table} WHERE {column} = {member}")
        for table, column in columns
    }
    return {table: count for table, count in counts.items() if count}


def active(minji: Person) -> tuple[int, int]:
    """A member with a favorite, a review, titles, a link; returns shop and review."""
    shop = minji.make.shop()
    linked(minji)
    minji.hold(1, main=True)
    assert minji.post(f"/favorites/{shop}").status_code == 201
    review = minji.post(f"/reviews/shop/{shop}", REVIEW).json["review_info"]["id"]
    return shop, review


def test_withdrawal_leaves_a_tombstone_and_nameless_reviews(minji: Person, make: Maker) -> None:
    shop, review = active(minji)
    answer = minji.delete("/member")
    assert (answer.status_code, answer.json) == (200, {"id": minji.id})
    assert rows_naming(make, minji.id) == STAY
    assert make.rows("SELECT nickname, nickname_key FROM members") == [(None, None)]
    detail = minji.http.get(f"/shops/{shop}").json
    assert (detail["favorite_cnt"], detail["review_cnt"]) == (0, 1)
    author = minji.http.get(f"/reviews/{review}").json["member_info"]
    assert author == {"id": minji.id, "nickname": "탈퇴한 회원"}
    assert make.rows("SELECT shop_id FROM counter_differences") == []


def test_withdrawal_with_reviews_takes_them_out_of_the_counts(minji: Person, junho: Person) -> None:
    shop, review = active(minji)
    minji.post(f"/reviews/shop/{shop}", {**REVIEW, "star_rating": 1})
    junho.post(f"/reviews/shop/{shop}", {**REVIEW, "star_rating": 5})
    minji.make.sql("UPDATE reviews SET hidden_at = now() WHERE id = %s", review)
    minji.make.sql("SELECT repair_counters(%s)", shop)
    assert minji.delete("/member?reviews=delete").status_code == 200
    assert rows_naming(minji.make, minji.id) == {"members": 1}
    detail = minji.http.get(f"/shops/{shop}").json
    assert (detail["review_cnt"], detail["star_rating_avg"]) == (1, 5.0)
    assert minji.make.rows("SELECT shop_id FROM counter_differences") == []
    assert code(minji.http.get(f"/reviews/{review}")) == (404, "404")


def test_withdrawn_tokens_are_dead_everywhere(minji: Person) -> None:
    shop, _ = active(minji)
    minji.delete("/member")
    for answer in (
        minji.get("/member/info"), minji.delete("/member"), minji.post(f"/favorites/{shop}"),
        minji.post(f"/reviews/shop/{shop}", REVIEW), minji.get(f"/shops/{shop}"), minji.get("/auth/sessions"),
    ):  # fmt: skip
        assert code(answer) == (401, "101")


def test_nickname_of_a_withdrawn_member_is_free(minji: Person, junho: Person) -> None:
    minji.delete("/member")
    assert junho.patch("/member/nickname", {"nickname": "민지"}).status_code == 200


def test_withdrawal_parameter_is_checked(minji: Person) -> None:
    assert code(minji.delete("/member?reviews=all")) == (400, "002")
    assert minji.get("/member/info").status_code == 200


def test_unlinking_that_fails_stays_on_the_list_and_blocks_nothing(
    minji: Person, make: Maker
) -> None:
    linked(minji)
    assert minji.delete("/member").status_code == 200
    rows = make.rows("SELECT provider, subject, last_error FROM pending_unlinks")
    assert rows == [("gone", f"subject-{minji.id}", "provider_not_allowed")]


def test_export_holds_everything(minji: Person) -> None:
    shop, review = active(minji)
    answer = minji.get("/member/export")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert answer.headers["Cache-Control"] == "no-store"
    found: Any = answer.json
    assert found["member"]["id"] == minji.id
    assert found["identities"][0]["subject"] == f"subject-{minji.id}"
    assert "unlink_token" not in answer.text
    assert [r["review_info"]["content"] for r in found["reviews"]] == ["좋아요"]
    assert found["reviews"][0]["review_info"]["id"] == review
    assert [f["shop_id"] for f in found["favorites"]] == [shop]
    assert {t["id"] for t in found["member_titles"]} >= {1, 2, 4}
    assert len(found["sessions"]) == 1 and found["sessions"][0]["is_current"] is True


def test_export_knows_every_table_that_names_a_member(minji: Person) -> None:
    tables = minji.make.rows(
        "SELECT table_name FROM information_schema.columns"
        " JOIN information_schema.tables t USING (table_schema, table_name)"
        " WHERE table_schema = 'public' AND t.table_type = 'BASE TABLE' AND column_name = 'member_id'"
    )
    keys = {"member_identities": "identities"}
    exported = minji.get("/member/export").json
    assert {keys.get(name, name) for (name,) in tables} <= set(exported)
