"""Members over HTTP: profile, main title, withdrawal and export."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from tests.make import Maker
from tests.members.conftest import Person, code

REVIEW = {"star_rating": 4, "content": "좋아요", "purity": "GOOD", "retouch": "BAD"}
# The rows that may still refer to a withdrawn member: the tombstone and the anonymous review.
REMAINING_ROWS = {"members": 1, "reviews": 1}


def test_profile_has_exactly_the_fields_of_the_contract(minji: Person) -> None:
    minji.hold(1)
    minji.hold(2, main=True)
    response = minji.get("/member/info")
    assert response.json == {
        "id": minji.id,
        "nickname": "민지",
        "main_member_title": "리뷰 첫 걸음",
        "member_title_cnt": 2,
    }
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/member/info"), ("GET", "/member/nickname?nickname=ab"), ("PATCH", "/member/nickname"),
        ("DELETE", "/member"), ("PATCH", "/member/main-title/1"), ("GET", "/member/export"),
        ("GET", "/auth/logout"), ("GET", "/auth/sessions"), ("DELETE", "/auth/sessions/1"),
    ],
)  # fmt: skip
def test_every_endpoint_rejects_missing_and_ended_sessions(
    app: Flask, minji: Person, method: str, path: str
) -> None:
    body = {"nickname": "새이름"} if method == "PATCH" else None
    anonymous = app.test_client().open(path, method=method, json=body)
    assert code(anonymous) == (401, "100")
    minji.get("/auth/logout")
    assert code(minji.http.open(path, method=method, json=body, headers=minji.bearer)) == (
        401,
        "101",
    )
    assert minji.make.sql("SELECT nickname FROM members") == "민지"


def test_changing_the_main_title_returns_it(minji: Person) -> None:
    minji.hold(1, main=True)
    minji.hold(2)
    response = minji.patch("/member/main-title/2")
    assert response.status_code == 200
    assert response.json["id"] == 2 and response.json["name"] == "리뷰 첫 걸음"
    assert response.json["is_main"] is True and response.json["is_holding"] is True
    assert set(response.json) >= {"content", "standard", "image_url", "progress"}
    assert minji.get("/member/info").json["main_member_title"] == "리뷰 첫 걸음"
    assert minji.get("/member-titles/1").json["is_main"] is False


def test_selecting_the_main_title_again_is_200_an_unknown_one_404_one_not_held_400(
    minji: Person,
) -> None:
    minji.hold(1, main=True)
    assert minji.patch("/member/main-title/1").status_code == 200
    assert code(minji.patch("/member/main-title/2")) == (400, "400")
    for path in ("0", "999", "99999999999999999999", "x", "-1"):
        assert code(minji.patch(f"/member/main-title/{path}")) == (404, "404")
    assert minji.get("/member/info").json["main_member_title"] == "뉴비"


def link_identity(person: Person) -> None:
    person.make.insert(
        "member_identities",
        issuer="https://issuer.example",
        subject=f"subject-{person.id}",
        member_id=person.id,
        provider="gone",
    )


def count_rows_of_member(make: Maker, member: int) -> dict[str, int]:
    """Counts the rows that refer to a member, by table: by a column member_id, or by members.id."""
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


def add_activity(minji: Person) -> tuple[int, int]:
    """Gives a member a favorite, a review, titles and an identity; returns shop and review."""
    shop = minji.make.shop()
    link_identity(minji)
    minji.hold(1, main=True)
    assert minji.post(f"/favorites/{shop}").status_code == 201
    review = minji.post(f"/reviews/shop/{shop}", REVIEW).json["review_info"]["id"]
    return shop, review


def test_withdrawal_leaves_a_tombstone_and_anonymous_reviews(minji: Person, make: Maker) -> None:
    shop, review = add_activity(minji)
    response = minji.delete("/member")
    assert (response.status_code, response.json) == (200, {"id": minji.id})
    assert count_rows_of_member(make, minji.id) == REMAINING_ROWS
    assert make.rows("SELECT nickname, nickname_key FROM members") == [(None, None)]
    detail = minji.http.get(f"/shops/{shop}").json
    assert (detail["favorite_cnt"], detail["review_cnt"]) == (0, 1)
    author = minji.http.get(f"/reviews/{review}").json["member_info"]
    assert author == {"id": minji.id, "nickname": "탈퇴한 회원"}
    assert make.rows("SELECT shop_id FROM counter_differences") == []


def test_withdrawal_with_reviews_updates_the_counters(minji: Person, junho: Person) -> None:
    shop, review = add_activity(minji)
    minji.post(f"/reviews/shop/{shop}", {**REVIEW, "star_rating": 1})
    junho.post(f"/reviews/shop/{shop}", {**REVIEW, "star_rating": 5})
    minji.make.sql("UPDATE reviews SET hidden_at = now() WHERE id = %s", review)
    minji.make.sql("SELECT repair_counters(%s)", shop)
    assert minji.delete("/member?reviews=delete").status_code == 200
    assert count_rows_of_member(minji.make, minji.id) == {"members": 1}
    detail = minji.http.get(f"/shops/{shop}").json
    assert (detail["review_cnt"], detail["star_rating_avg"]) == (1, 5.0)
    assert minji.make.rows("SELECT shop_id FROM counter_differences") == []
    assert code(minji.http.get(f"/reviews/{review}")) == (404, "404")


def test_tokens_of_a_withdrawn_member_are_rejected_by_every_endpoint(minji: Person) -> None:
    shop, _ = add_activity(minji)
    minji.delete("/member")
    for response in (
        minji.get("/member/info"), minji.delete("/member"), minji.post(f"/favorites/{shop}"),
        minji.post(f"/reviews/shop/{shop}", REVIEW), minji.get(f"/shops/{shop}"), minji.get("/auth/sessions"),
    ):  # fmt: skip
        assert code(response) == (401, "101")


def test_nickname_of_a_withdrawn_member_is_available(minji: Person, junho: Person) -> None:
    minji.delete("/member")
    assert junho.patch("/member/nickname", {"nickname": "민지"}).status_code == 200


def test_withdrawal_parameter_is_validated(minji: Person) -> None:
    assert code(minji.delete("/member?reviews=all")) == (400, "002")
    assert minji.get("/member/info").status_code == 200


def test_a_failed_unlinking_stays_pending_and_does_not_prevent_withdrawal(
    minji: Person, make: Maker
) -> None:
    link_identity(minji)
    assert minji.delete("/member").status_code == 200
    rows = make.rows("SELECT provider, subject, last_error FROM pending_unlinks")
    assert rows == [("gone", f"subject-{minji.id}", "provider_not_allowed")]


def test_export_contains_everything(minji: Person) -> None:
    shop, review = add_activity(minji)
    response = minji.get("/member/export")
    assert "attachment" in response.headers["Content-Disposition"]
    assert response.headers["Cache-Control"] == "no-store"
    exported: Any = response.json
    assert exported["member"]["id"] == minji.id
    assert exported["identities"][0]["subject"] == f"subject-{minji.id}"
    assert "unlink_token" not in response.text
    assert [r["review_info"]["content"] for r in exported["reviews"]] == ["좋아요"]
    assert exported["reviews"][0]["review_info"]["id"] == review
    assert [f["shop_id"] for f in exported["favorites"]] == [shop]
    assert {t["id"] for t in exported["member_titles"]} >= {1, 2, 4}
    assert len(exported["sessions"]) == 1 and exported["sessions"][0]["is_current"] is True


def test_export_covers_every_table_with_a_member_id(minji: Person) -> None:
    tables = minji.make.rows(
        "SELECT table_name FROM information_schema.columns"
        " JOIN information_schema.tables t USING (table_schema, table_name)"
        " WHERE table_schema = 'public' AND t.table_type = 'BASE TABLE' AND column_name = 'member_id'"
    )
    keys = {"member_identities": "identities"}
    exported = minji.get("/member/export").json
    assert {keys.get(name, name) for (name,) in tables} <= set(exported)
