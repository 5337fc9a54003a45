"""Reviews over HTTP: every endpoint with its fields, status codes and permissions."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops import create_app
from geoshops.nicknames import WITHDRAWN
from tests.counters import assert_exact
from tests.make import Maker

GOOD = {"star_rating": 5, "content": "조명이 밝아요", "purity": "GOOD", "item": "BAD"}
INFO_KEYS = {
    "id", "create_date", "modify_date", "star_rating", "content", "purity", "retouch", "item",
}  # fmt: skip


def test_a_created_review_is_returned_and_listed_everywhere(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop, member = make.shop("인생네컷 강남역점"), make.member("작가")
    headers = make.bearer(app, member)
    response = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers)
    assert response.status_code == 201
    written = response.get_json()
    titles = written.pop("awarded_titles")
    info = written["review_info"]
    assert set(info) == INFO_KEYS
    assert info["star_rating"] == 5
    assert info["content"] == "조명이 밝아요"
    assert (info["purity"], info["retouch"], info["item"]) == ("GOOD", "UNSELECTED", "BAD")
    assert info["create_date"] == info["modify_date"]
    assert written["member_info"] == {"id": member, "nickname": "작가"}
    assert written["shop_info"] == {
        "id": shop,
        "brand": "인생네컷",
        "place_name": "인생네컷 강남역점",
    }
    assert 2 in [title["id"] for title in titles]
    assert response.headers["Location"] == f"/reviews/{info['id']}"
    assert client.get(response.headers["Location"]).get_json() == written
    assert client.get("/reviews/member", headers=headers).get_json() == [written]
    in_list = client.get(f"/reviews/shop/{shop}").get_json()
    author = {"id": member, "nickname": "작가", "main_member_title": ""}
    assert in_list == [{"review_info": info, "member_info": author}]
    detail = client.get(f"/shops/{shop}").get_json()
    assert (detail["review_cnt"], detail["star_rating_avg"]) == (1, 5.0)
    assert detail["rating_counts"]["5"] == 1
    assert_exact(make, shop)


def test_a_change_replaces_the_whole_review(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop, headers = make.shop(), make.bearer(app)
    before = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers).get_json()
    review = before["review_info"]["id"]
    response = client.patch(
        f"/reviews/{review}",
        json={"star_rating": 2, "content": "다시 가니 별로", "retouch": "BAD"},
        headers=headers,
    )
    assert response.status_code == 200
    info = response.get_json()["review_info"]
    assert (info["star_rating"], info["content"]) == (2, "다시 가니 별로")
    assert (info["purity"], info["retouch"], info["item"]) == ("UNSELECTED", "BAD", "UNSELECTED")
    assert info["create_date"] == before["review_info"]["create_date"]
    assert info["modify_date"] > info["create_date"]
    assert response.get_json()["awarded_titles"] == []
    assert set(response.get_json()) == {"review_info", "member_info", "shop_info", "awarded_titles"}
    assert_exact(make, shop)


def test_a_deleted_review_cannot_be_found(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop, headers = make.shop(), make.bearer(app)
    response = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers)
    review = response.get_json()["review_info"]["id"]
    deleted = client.delete(f"/reviews/{review}", headers=headers)
    assert (deleted.status_code, deleted.get_json()) == (200, {"id": review})
    again = client.delete(f"/reviews/{review}", headers=headers)
    assert (again.status_code, again.get_json()["error_code"]) == (404, "404")
    assert client.get(f"/reviews/{review}").status_code == 404
    assert client.get(f"/reviews/shop/{shop}").get_json() == []
    assert_exact(make, shop)


def test_only_the_author_may_change_or_delete_a_review(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop, author, other = make.shop(), make.bearer(app), make.bearer(app)
    response = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=author)
    review = response.get_json()["review_info"]["id"]
    for response in (
        client.patch(f"/reviews/{review}", json={**GOOD, "star_rating": 1}, headers=other),
        client.delete(f"/reviews/{review}", headers=other),
    ):
        assert (response.status_code, response.get_json()["error_code"]) == (403, "403")
    for response in (
        client.patch("/reviews/999999", json=GOOD, headers=other),
        client.delete("/reviews/999999", headers=other),
    ):
        assert (response.status_code, response.get_json()["error_code"]) == (404, "404")
    assert client.get(f"/reviews/{review}").get_json()["review_info"]["star_rating"] == 5
    assert_exact(make, shop)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/reviews/member"),
        ("POST", "/reviews/shop/{shop}"),
        ("PATCH", "/reviews/{review}"),
        ("DELETE", "/reviews/{review}"),
    ],
)
def test_endpoints_of_members_need_an_active_session(
    app: Flask, client: FlaskClient, make: Maker, method: str, path: str
) -> None:
    shop, member = make.shop(), make.member()
    headers = make.bearer(app, member)
    review = make.review(member, shop)
    address = path.format(shop=shop, review=review)
    without = client.open(address, method=method, json=GOOD)
    assert (without.status_code, without.get_json()["error_code"]) == (401, "100")
    make.sql("UPDATE sessions SET ended_at = now()")
    ended = client.open(address, method=method, json=GOOD, headers=headers)
    assert (ended.status_code, ended.get_json()["error_code"]) == (401, "101")
    assert make.rows("SELECT id FROM reviews") == [(review,)]
    assert_exact(make, shop)


def test_public_reads_ignore_the_authorization_header(client: FlaskClient, make: Maker) -> None:
    shop = make.shop()
    review = make.review(make.member(), shop)
    headers = {"Authorization": "Bearer nonsense"}
    assert client.get(f"/reviews/{review}", headers=headers).status_code == 200
    assert client.get(f"/reviews/shop/{shop}", headers=headers).status_code == 200


def test_lists_are_newest_first_and_can_be_sorted(client: FlaskClient, make: Maker) -> None:
    shop, member = make.shop(), make.member()
    start = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    stars = (3, 5, 1, 5, 3)
    ids = [
        make.review(member, shop, star_rating=n, created_at=start + dt.timedelta(hours=i // 2))
        for i, n in enumerate(stars)
    ]
    a, b, c, d, e = ids
    assert listed(client, f"/reviews/shop/{shop}") == [e, d, c, b, a]
    assert listed(client, f"/reviews/shop/{shop}?sort=newest") == [e, d, c, b, a]
    assert listed(client, f"/reviews/shop/{shop}?sort=highest") == [d, b, e, a, c]
    assert listed(client, f"/reviews/shop/{shop}?sort=lowest") == [c, e, a, d, b]
    assert client.get(f"/reviews/shop/{shop}?sort=best").get_json()["error_code"] == "002"


def listed(client: FlaskClient, path: str, **kwargs: Any) -> list[int]:
    response = client.get(path, **kwargs)
    assert response.status_code == 200, response.text
    return [item["review_info"]["id"] for item in response.get_json()]


def test_pages_of_a_shops_and_of_own_reviews(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop, member = make.shop(), make.member()
    headers = make.bearer(app, member)
    ids = [make.review(member, shop) for _ in range(5)][::-1]
    for path in (f"/reviews/shop/{shop}", "/reviews/member"):
        response = client.get(f"{path}?page=2&size=2", headers=headers)
        assert [item["review_info"]["id"] for item in response.get_json()] == ids[2:4]
        assert response.headers["X-Total-Count"] == "5"
        assert f'<{path}?page=3&size=2>; rel="next"' in response.headers["Link"]
        assert listed(client, f"{path}?page=9", headers=headers) == []
        assert client.get(f"{path}?page=0", headers=headers).status_code == 400


def test_unpaged_lists_have_at_most_a_thousand_items_and_report_truncation(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop, member = make.shop(), make.member()
    headers = make.bearer(app, member)
    make.sql(
        "INSERT INTO reviews (shop_id, member_id, star_rating, content, created_at, modified_at)"
        " SELECT %s, %s, 4, 'x', now() + n * interval '1 s', now() + n * interval '1 s'"
        " FROM generate_series(1, 1000) n",
        shop,
        member,
    )
    make.sql("SELECT repair_counters(%s)", shop)
    for path in (f"/reviews/shop/{shop}", "/reviews/member"):
        whole = client.get(path, headers=headers)
        assert len(whole.get_json()) == 1000
        assert "X-Result-Truncated" not in whole.headers
    newest = make.review(member, shop, created_at=dt.datetime(2040, 1, 1, tzinfo=dt.UTC))
    for path in (f"/reviews/shop/{shop}", "/reviews/member"):
        cut = client.get(path, headers=headers)
        assert len(cut.get_json()) == 1000
        assert cut.get_json()[0]["review_info"]["id"] == newest
        assert cut.headers["X-Result-Truncated"] == "true"
        paged = client.get(f"{path}?page=51", headers=headers)
        assert (len(paged.get_json()), paged.headers["X-Total-Count"]) == (1, "1001")


def test_hidden_reviews_do_not_appear(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop, member = make.shop(), make.member()
    headers = make.bearer(app, member)
    review = make.review(member, shop)
    make.sql("UPDATE reviews SET hidden_at = now()")
    make.sql("SELECT repair_counters(%s)", shop)
    assert client.get(f"/reviews/{review}").status_code == 404
    assert client.get(f"/reviews/shop/{shop}").get_json() == []
    assert client.get("/reviews/member", headers=headers).get_json() == []
    assert client.patch(f"/reviews/{review}", json=GOOD, headers=headers).status_code == 404
    assert client.delete(f"/reviews/{review}", headers=headers).status_code == 404
    assert_exact(make, shop)


def test_withdrawn_authors_are_shown_with_their_id_and_a_placeholder(
    client: FlaskClient, make: Maker
) -> None:
    shop, member = make.shop(), make.member("떠난이")
    review = make.review(member, shop)
    make.sql(
        "UPDATE members SET nickname = NULL, nickname_key = NULL, withdrawn_at = now() WHERE id = %s",
        member,
    )
    author = {"id": member, "nickname": "탈퇴한 회원"}
    assert client.get(f"/reviews/{review}").get_json()["member_info"] == author
    in_list = client.get(f"/reviews/shop/{shop}").get_json()[0]["member_info"]
    assert in_list == {**author, "main_member_title": ""}
    for path in (f"/reviews/{review}", f"/reviews/shop/{shop}", f"/shops/{shop}"):
        for lang, shown in WITHDRAWN.items():
            text = client.get(path, query_string={"lang": lang}).get_data(as_text=True)
            assert f'"nickname":"{shown}"' in text, (path, lang)


def test_the_reviews_of_a_shop_show_the_main_title_of_the_author(
    client: FlaskClient, make: Maker
) -> None:
    shop, member = make.shop(), make.member()
    make.review(member, shop)
    make.title(member, 3, main=True)
    author = client.get(f"/reviews/shop/{shop}").get_json()[0]["member_info"]
    assert author["main_member_title"] == "리뷰 홀릭"


def test_unknown_shops_and_reviews_are_not_found(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    headers = make.bearer(app)
    for path in ("/reviews/1", "/reviews/shop/1", "/reviews/abc", f"/reviews/{2**63}"):
        response = client.get(path)
        assert (response.status_code, response.get_json()["error_code"]) == (404, "404"), path
    assert client.post("/reviews/shop/1", json=GOOD, headers=headers).status_code == 404
    assert client.get("/reviews/1").get_json()["error_message"] == "review cannot be found"


def test_dates_have_a_seventh_element_only_when_not_zero(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop, member = make.shop(), make.member()
    moment = dt.datetime(2026, 3, 1, 15, 0, 0, tzinfo=dt.UTC)
    review = make.review(member, shop, created_at=moment)
    info = client.get(f"/reviews/{review}").get_json()["review_info"]
    assert info["create_date"] == [2026, 3, 2, 0, 0, 0]
    review = make.review(member, shop, created_at=moment.replace(microsecond=1))
    info = client.get(f"/reviews/{review}").get_json()["review_info"]
    assert info["create_date"] == [2026, 3, 2, 0, 0, 0, 1000]
    elsewhere = create_app({**settings_of(app), "timezone": "America/New_York"}).test_client()
    info = elsewhere.get(f"/reviews/{review}").get_json()["review_info"]
    assert info["create_date"] == [2026, 3, 1, 10, 0, 0, 1000]


def test_a_setting_limits_reviews_of_one_shop(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop, member = make.shop(), make.member()
    headers = make.bearer(app, member)
    limited = create_app({**settings_of(app), "reviews_per_shop": 2}).test_client()
    responses = [
        limited.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers) for _ in range(3)
    ]
    assert [response.status_code for response in responses] == [201, 201, 400]
    assert responses[2].get_json()["error_code"] == "400"
    assert_exact(make, shop)
    assert client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers).status_code == 201


def settings_of(app: Flask) -> dict[str, Any]:
    return vars(app.extensions["geoshops.settings"]).copy()


@pytest.mark.parametrize("raw", [b"{", b"{}", b'{"star_rating":9,"content":""}', b" " * 70_000])
def test_an_ended_session_is_reported_before_an_invalid_body(
    app: Flask, client: FlaskClient, make: Maker, raw: bytes
) -> None:
    shop, headers = make.shop(), make.bearer(app)
    path = f"/reviews/shop/{shop}"
    active = client.post(path, data=raw, headers=headers, content_type="application/json")
    assert active.status_code in (400, 413)
    make.sql("UPDATE sessions SET ended_at = now()")
    ended = client.post(path, data=raw, headers=headers, content_type="application/json")
    assert (ended.status_code, ended.get_json()["error_code"]) == (401, "101")
    assert ended.headers["WWW-Authenticate"].endswith('error="invalid_token"')
