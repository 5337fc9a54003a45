"""Reports of reviews and shops: one open report per member, validation, merges, export and withdrawal."""

from __future__ import annotations

from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops import create_app
from geoshops.shops.corrections import merge
from tests.conftest import SECRET_KEY
from tests.make import Maker

SPAM = {"reason": "SPAM", "content": "광고예요"}


@pytest.fixture
def shop_and_review(make: Maker) -> tuple[int, int]:
    """A shop and a review of it."""
    shop = make.shop()
    return shop, make.review(make.member(), shop)


def test_a_member_has_one_open_report_of_a_review(
    app: Flask, client: FlaskClient, make: Maker, shop_and_review: tuple[int, int]
) -> None:
    path, bearer = f"/reviews/{shop_and_review[1]}/reports", make.bearer(app)
    first = client.post(path, json=SPAM, headers=bearer)
    assert first.status_code == 201
    report: Any = first.get_json()
    assert len(report.pop("create_date")) in (6, 7)
    expected = {**SPAM, "id": report["id"], "review_id": shop_and_review[1], "status": "OPEN"}
    assert report == expected
    again = client.post(path, json={"reason": "OTHER"}, headers=bearer)
    assert (again.status_code, again.get_json()) == (200, first.get_json())
    assert client.post(path, json=SPAM, headers=make.bearer(app)).status_code == 201
    make.sql("UPDATE reports SET closed_at = now(), outcome = 'DISMISSED'")
    assert client.post(path, json=SPAM, headers=bearer).status_code == 201


def test_a_member_has_one_open_report_of_a_shop(
    app: Flask, client: FlaskClient, make: Maker, shop_and_review: tuple[int, int]
) -> None:
    bearer = make.bearer(app)
    response = client.post(
        f"/shops/{shop_and_review[0]}/reports", json={"reason": "CLOSED"}, headers=bearer
    )
    assert (response.status_code, response.get_json()["shop_id"]) == (201, shop_and_review[0])
    assert response.get_json()["content"] == ""
    again = client.post(
        f"/shops/{shop_and_review[0]}/reports", json={"reason": "CLOSED"}, headers=bearer
    )
    assert again.status_code == 200
    assert make.sql("SELECT count(*) FROM reports") == 1


def test_a_report_of_a_merged_shop_refers_to_the_remaining_one(
    app: Flask, client: FlaskClient, make: Maker, database_url: str
) -> None:
    first, second, kept = make.shop("옛 지점"), make.shop("새 지점"), make.shop("남은 지점")
    merge_shops(database_url, first, second)
    merge_shops(database_url, second, kept)
    bearer, body = make.bearer(app), {"reason": "CLOSED"}
    created = client.post(f"/shops/{first}/reports", json=body, headers=bearer)
    assert (created.status_code, created.get_json()["shop_id"]) == (201, kept)
    for shop in (second, kept):
        repeated = client.post(f"/shops/{shop}/reports", json=body, headers=bearer)
        assert (repeated.status_code, repeated.get_json()) == (200, created.get_json())


def test_a_merge_moves_open_reports_unless_the_member_has_one_of_the_remaining_shop(
    app: Flask, client: FlaskClient, make: Maker, database_url: str
) -> None:
    duplicate, kept = make.shop("옛 지점"), make.shop("남은 지점")
    one, both, earlier, withdrawn = (make.bearer(app) for _ in range(4))
    body = {"reason": "DUPLICATE"}

    def report(shop: int, bearer: Any) -> Any:
        return client.post(f"/shops/{shop}/reports", json=body, headers=bearer).get_json()["id"]

    closed = [report(duplicate, earlier), report(kept, both)]
    make.sql("UPDATE reports SET closed_at = now(), outcome = 'UPHELD' WHERE id = ANY (%s)", closed)
    moved = [report(duplicate, one), report(duplicate, withdrawn), report(kept, both)]
    stays = [closed[0], report(duplicate, both)]
    assert client.delete("/member", headers=withdrawn).status_code == 200
    merge_shops(database_url, duplicate, kept)
    of_shop = "SELECT id FROM reports WHERE shop_id = %s ORDER BY id"
    assert make.rows(of_shop, kept) == [(id_,) for id_ in sorted([closed[1], *moved])]
    assert make.rows(of_shop, duplicate) == [(id_,) for id_ in sorted(stays)]


def merge_shops(database_url: str, duplicate: int, into: int) -> None:
    merging = psycopg2.connect(database_url)
    merge(merging.cursor(), duplicate, into, "2026-01-01", "twice")
    merging.commit()
    merging.close()


@pytest.mark.parametrize(
    ("collection", "body", "status", "code"),
    [
        ("reviews", {}, 400, "003"),
        ("reviews", {"content": "가"}, 400, "003"),
        ("reviews", {"reason": "CLOSED"}, 400, "002"),
        ("shops", {"reason": "SPAM"}, 400, "002"),
        ("shops", {"reason": "OTHER", "content": "가" * 1001}, 400, "002"),
        ("shops", {"reason": "OTHER", "content": "a\x00b"}, 400, "002"),
        ("shops", {"reason": "OTHER", "content": 7}, 400, "002"),
    ],
)
def test_invalid_bodies_are_rejected(
    app: Flask, client: FlaskClient, make: Maker, collection: str, body: Any, status: int, code: str
) -> None:
    response = client.post(f"/{collection}/1/reports", json=body, headers=make.bearer(app))
    assert (response.status_code, response.get_json()["error_code"]) == (status, code)


def test_hidden_and_unknown_reviews_and_unknown_shops_cannot_be_reported(
    app: Flask, client: FlaskClient, make: Maker, shop_and_review: tuple[int, int]
) -> None:
    bearer = make.bearer(app)
    make.sql("UPDATE reviews SET hidden_at = now()")
    for path in (
        f"/reviews/{shop_and_review[1]}",
        "/reviews/0",
        "/reviews/99999999999999999999",
        "/shops/0",
    ):
        body = {"reason": "OTHER"}
        assert client.post(f"{path}/reports", json=body, headers=bearer).status_code == 404


def test_reporting_needs_a_session(client: FlaskClient, shop_and_review: tuple[int, int]) -> None:
    for path in (f"/reviews/{shop_and_review[1]}/reports", f"/shops/{shop_and_review[0]}/reports"):
        response = client.post(path, json={"reason": "OTHER"})
        assert (response.status_code, response.get_json()["error_code"]) == (401, "100")


def test_reports_are_rate_limited(
    service_url: str, db: Any, make: Maker, shop_and_review: tuple[int, int]
) -> None:
    app = create_app(
        {"database_url": service_url, "secret_key": SECRET_KEY, "testing": True,
         "ratelimit_storage_uri": "memory://"}
    )  # fmt: skip
    bearer = make.bearer(app)
    response = app.test_client().post(
        f"/reviews/{shop_and_review[1]}/reports", json=SPAM, headers=bearer
    )
    assert response.headers["RateLimit-Policy"] == '"reports";q=30;w=3600'


def test_the_export_contains_reports_and_withdrawal_anonymises_them(
    app: Flask, client: FlaskClient, make: Maker, shop_and_review: tuple[int, int]
) -> None:
    bearer = make.bearer(app)
    client.post(f"/reviews/{shop_and_review[1]}/reports", json=SPAM, headers=bearer)
    client.post(f"/shops/{shop_and_review[0]}/reports", json={"reason": "CLOSED"}, headers=bearer)
    exported: Any = client.get("/member/export", headers=bearer).get_json()
    assert [r["reason"] for r in exported["reports"]] == ["SPAM", "CLOSED"]
    assert exported["reports"][0]["content"] == "광고예요"
    assert client.delete("/member", headers=bearer).status_code == 200
    assert make.rows("SELECT member_id, reason, content FROM reports ORDER BY id") == [
        (None, "SPAM", ""),
        (None, "CLOSED", ""),
    ]


@pytest.mark.parametrize("path", ["/reviews/{review}", "/member?reviews=delete"])
def test_deleting_a_review_deletes_its_reports(
    app: Flask, client: FlaskClient, make: Maker, path: str
) -> None:
    author, shop = make.member(), make.shop()
    review = make.review(author, shop)
    client.post(f"/reviews/{review}/reports", json=SPAM, headers=make.bearer(app))
    deleted = client.delete(path.format(review=review), headers=make.bearer(app, author))
    assert deleted.status_code == 200
    assert make.sql("SELECT count(*) FROM reports") == 0
