"""Moderation: a hidden review leaves all lists and counters until it is shown again; commands are logged."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from click.testing import Result
from flask import Flask
from flask.testing import FlaskClient

from geoshops.database.pool import Database
from geoshops.operations.connection import operator_database
from geoshops.reports import queries
from geoshops.reports.commands import moderate
from geoshops.web.request import settings
from tests.make import Maker

REVIEW = {"star_rating": 1, "content": "나쁜 말", "purity": "BAD", "retouch": "GOOD"}


def run(app: Flask, *arguments: str) -> Result:
    return app.test_cli_runner().invoke(moderate, list(arguments))


@pytest.fixture
def scene(app: Flask, client: FlaskClient, make: Maker) -> dict[str, Any]:
    """A shop with a good review and an abusive one, which is reported."""
    shop, author = make.shop(), make.member()
    bearer = make.bearer(app, author)
    bad = client.post(f"/reviews/shop/{shop}", json=REVIEW, headers=bearer).get_json()
    good = {"star_rating": 5, "content": "좋아요", "purity": "GOOD"}
    client.post(f"/reviews/shop/{shop}", json=good, headers=make.bearer(app))
    review = bad["review_info"]["id"]
    report = client.post(
        f"/reviews/{review}/reports", json={"reason": "ABUSE"}, headers=make.bearer(app)
    )
    return {
        "shop": shop, "author": author, "bearer": bearer, "review": review,
        "report": report.get_json()["id"],
    }  # fmt: skip


def visible_state(client: FlaskClient, scene: dict[str, Any]) -> Any:
    """Returns everything that the public and the author see of the shop's reviews."""
    detail: Any = client.get(f"/shops/{scene['shop']}").get_json()
    around: Any = client.get(
        "/shops/brand?userLat=37.5&userLng=127&mapLat=37.4979&mapLng=127.0276"
    ).get_json()
    names = ("review_cnt", "star_rating_avg", "rating_counts", "tag_stats", "recent_reviews")
    return {
        **{name: detail[name] for name in names},
        "around": [(s["review_cnt"], s["star_rating_avg"]) for s in around],
        "list": client.get(f"/reviews/shop/{scene['shop']}").get_json(),
        "own": client.get("/reviews/member", headers=scene["bearer"]).get_json(),
        "one": client.get(f"/reviews/{scene['review']}").status_code,
    }


@pytest.mark.parametrize("reason", ["", " \u3000", "\udcff"])
@pytest.mark.parametrize("command", ["hide", "show", "uphold", "dismiss"])
def test_blank_and_undecodable_reasons_are_rejected(
    app: Flask, scene: dict[str, Any], command: str, reason: str
) -> None:
    subject = scene["review"] if command in ("hide", "show") else scene["report"]
    result = run(app, command, str(subject), "--reason", reason)
    assert result.exit_code in (1, 2)
    assert "must not be blank" in result.output or "cannot be written in utf-8" in result.output
    assert "CONTEXT" not in result.output


def test_a_hidden_review_leaves_all_lists_and_counts_until_shown(
    app: Flask, client: FlaskClient, make: Maker, scene: dict[str, Any]
) -> None:
    before = visible_state(client, scene)
    assert (before["review_cnt"], before["star_rating_avg"], before["one"]) == (2, 3.0, 200)
    assert run(app, "hide", str(scene["review"]), "--reason", "욕설").exit_code == 0
    hidden = visible_state(client, scene)
    assert (hidden["review_cnt"], hidden["star_rating_avg"]) == (1, 5.0)
    assert hidden["around"] == [(1, 5.0)]
    assert hidden["rating_counts"] == {"1": 0, "2": 0, "3": 0, "4": 0, "5": 1}
    assert hidden["tag_stats"]["purity"]["bad"] == hidden["tag_stats"]["retouch"]["good"] == 0
    assert len(hidden["list"]) == len(hidden["recent_reviews"]) == 1
    assert (hidden["own"], hidden["one"]) == ([], 404)
    assert make.rows("SELECT shop_id FROM counter_differences") == []
    assert run(app, "show", str(scene["review"]), "--reason", "이의").exit_code == 0
    assert visible_state(client, scene) == before
    assert make.rows("SELECT shop_id FROM counter_differences") == []


def test_a_hidden_review_cannot_be_changed_and_its_titles_stay(
    app: Flask, client: FlaskClient, scene: dict[str, Any]
) -> None:
    def held() -> Any:
        return client.get("/member-titles", headers=scene["bearer"]).get_json()["holding_count"]

    before = held()
    run(app, "hide", str(scene["review"]), "--reason", "욕설")
    path = f"/reviews/{scene['review']}"
    assert client.patch(path, json=REVIEW, headers=scene["bearer"]).status_code == 404
    assert client.delete(path, headers=scene["bearer"]).status_code == 404
    assert held() == before


def test_a_review_shown_again_earns_its_titles(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    author, shop = make.member(), make.shop()
    reviews = [make.review(author, shop) for _ in range(2)]
    hidden = make.review(author, shop)
    run(app, "hide", str(hidden), "--reason", "확인 중")
    assert make.sql("SELECT count(*) FROM member_titles WHERE title_id = 3") == 0
    assert len(reviews) == 2
    run(app, "show", str(hidden), "--reason", "괜찮음")
    assert make.sql("SELECT count(*) FROM member_titles WHERE title_id = 3") == 1
    detail = make.sql("SELECT detail FROM audit_log WHERE action = 'show'")
    assert 3 in detail["titles"]


def test_nothing_is_awarded_to_withdrawn_members(app: Flask, make: Maker) -> None:
    author, shop = make.member(), make.shop()
    review = make.review(author, shop)
    run(app, "hide", str(review), "--reason", "욕설")
    make.sql(
        "UPDATE members SET nickname = NULL, nickname_key = NULL, withdrawn_at = now() WHERE id = %s",
        author,
    )
    assert run(app, "show", str(review), "--reason", "이의").exit_code == 0
    assert make.sql("SELECT count(*) FROM member_titles") == 0


def test_every_command_is_logged_with_actor_and_reason(
    app: Flask, make: Maker, scene: dict[str, Any]
) -> None:
    run(app, "hide", str(scene["review"]), "--reason", "욕설")
    assert make.rows("SELECT outcome FROM reports") == [("UPHELD",)]
    repeated = run(app, "hide", str(scene["review"]), "--reason", "욕설")
    assert "hidden already" in repeated.output
    run(app, "show", str(scene["review"]), "--reason", "이의 제기")
    entries = json.loads(run(app, "log", "--json").output)
    assert [(e["action"], e["subject_id"], e["reason"]) for e in entries] == [
        ("show", scene["review"], "이의 제기"),
        ("hide", scene["review"], "욕설"),
    ]
    assert entries[1]["detail"]["reports"] == [scene["report"]] and entries[0]["actor"]
    assert "이의 제기" in run(app, "log").output


def test_reports_are_listed_and_closed(
    app: Flask, client: FlaskClient, make: Maker, scene: dict[str, Any]
) -> None:
    body = {"reason": "CLOSED", "content": "문 닫았어요"}
    client.post(f"/shops/{scene['shop']}/reports", json=body, headers=make.bearer(app))
    reports = json.loads(run(app, "list", "--json").stdout)
    assert [(r["reason"], r["review_content"]) for r in reports] == [
        ("ABUSE", "나쁜 말"),
        ("CLOSED", None),
    ]
    assert reports[0]["author"] == scene["author"] and reports[1]["content"] == "문 닫았어요"
    of_shops = json.loads(run(app, "list", "--kind", "shop", "--json").stdout)
    assert [r["id"] for r in of_shops] == [reports[1]["id"]]
    assert "나쁜 말" in run(app, "list").output
    assert run(app, "uphold", str(reports[1]["id"]), "--reason", "폐점 확인").exit_code == 0
    again = run(
        app, "dismiss", str(reports[0]["id"]), str(reports[1]["id"]), "--reason", "문제 없음"
    )
    assert again.exit_code == 1 and f"no open reports with ids {reports[1]['id']}" in again.output
    assert json.loads(run(app, "list", "--json").stdout) == []
    assert [r["status"] for r in json.loads(run(app, "list", "--all", "--json").stdout)] == [
        "DISMISSED",
        "UPHELD",
    ]


def test_an_unknown_review_is_an_error(app: Flask, db: Any) -> None:
    for verb in ("hide", "show"):
        result = run(app, verb, "77", "--reason", "x")
        assert result.exit_code == 1 and "no review with id 77" in result.output
    assert run(app, "hide", "77").exit_code == 2


def test_the_role_of_the_service_cannot_hide_a_review(
    app: Flask, make: Maker, scene: dict[str, Any]
) -> None:
    with app.app_context():
        service = Database(settings())
        with pytest.raises(Exception, match="permission denied"):
            service.row("SELECT hide_review(%s, 'x', 'y', now())", (scene["review"],))


def test_concurrent_hiding_and_writing_keep_the_counters_exact(
    app: Flask, client: FlaskClient, make: Maker, scene: dict[str, Any]
) -> None:
    path = f"/reviews/{scene['review']}"

    def write() -> None:
        for stars in (1, 2, 3, 4, 5) * 4:
            own = app.test_client()
            own.patch(path, json={**REVIEW, "star_rating": stars}, headers=scene["bearer"])
            own.post(f"/reviews/shop/{scene['shop']}", json=REVIEW, headers=scene["bearer"])

    writer = threading.Thread(target=write)
    writer.start()
    with app.app_context():
        db = operator_database()
        for _ in range(20):
            queries.hide(db, scene["review"], actor="a", reason="b")
            queries.show(db, scene["review"], actor="a", reason="b", zone="Asia/Seoul")
    writer.join()
    assert make.rows("SELECT shop_id FROM counter_differences") == []
