"""Member titles over HTTP, their images, and the command that awards missing titles."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops.titles.commands import commands
from tests.make import Maker

KEYS = {"id", "name", "content", "standard", "image_url", "is_holding", "is_main", "progress"}
NAMES = [
    "뉴비", "리뷰 첫 걸음", "리뷰 홀릭", "찜 첫 걸음", "찜 홀릭", "동네 탐험가", "전국 일주",
    "먼 길", "브랜드 컬렉터", "꼼꼼한 평가단", "개척자", "단골", "올빼미", "리뷰 마스터",
]  # fmt: skip


def test_the_list_has_every_title_with_the_members_state(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    make.brand()
    member = make.member()
    headers = make.bearer(app, member)
    make.title(member, 1)
    make.title(member, 3, main=True)
    make.title(make.member(), 5, main=True)
    response = client.get("/member-titles", headers=headers)
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    body = response.get_json()
    assert set(body) == {"holding_count", "main_member_title", "member_titles"}
    assert body["holding_count"] == 2
    titles = body["member_titles"]
    assert [title["name"] for title in titles] == NAMES
    assert [title["id"] for title in titles] == list(range(1, 15))
    assert body["main_member_title"] == titles[2]
    for title in titles:
        held = title["id"] in (1, 3)
        assert set(title) == KEYS
        assert title["is_holding"] is held
        assert title["is_main"] is (title["id"] == 3)
        name = f"{title['id']}.svg" if held else f"{title['id']}-grey.svg"
        assert title["image_url"] == f"http://localhost/titles/{name}"
        assert title["content"]
        assert title["standard"]
        assert client.get(title["image_url"]).status_code == 200
        target = title["progress"]["target"]
        assert title["progress"]["current"] == (target if held else title["id"] == 1)
        one = client.get(f"/member-titles/{title['id']}", headers=headers).get_json()
        assert one == title


def test_the_main_title_is_null_if_none_is_selected(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    body = client.get("/member-titles", headers=make.bearer(app)).get_json()
    assert (body["main_member_title"], body["holding_count"]) == (None, 0)


def test_unknown_titles_are_not_found(app: Flask, client: FlaskClient, make: Maker) -> None:
    headers = make.bearer(app)
    for title in ("15", "0", "x", str(2**63), str(2**80)):
        response = client.get(f"/member-titles/{title}", headers=headers)
        assert (response.status_code, response.get_json()["error_code"]) == (404, "404")


@pytest.mark.parametrize("path", ["/member-titles", "/member-titles/1"])
def test_titles_need_an_active_session(
    app: Flask, client: FlaskClient, make: Maker, path: str
) -> None:
    headers = make.bearer(app)
    assert client.get(path).get_json()["error_code"] == "100"
    make.sql("UPDATE sessions SET ended_at = now()")
    assert client.get(path, headers=headers).get_json()["error_code"] == "101"


@pytest.mark.parametrize("title", range(1, 15))
def test_every_title_has_a_coloured_and_a_grey_image(client: FlaskClient, title: int) -> None:
    coloured = client.get(f"/titles/{title}.svg")
    grey = client.get(f"/titles/{title}-grey.svg")
    for response in (coloured, grey):
        assert response.status_code == 200
        assert response.mimetype == "image/svg+xml"
        assert response.headers["Cache-Control"] == "public, max-age=60"
        assert "ETag" in response.headers
        root = ElementTree.fromstring(response.data)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.attrib["aria-label"] == NAMES[title - 1]
    assert coloured.data != grey.data


def test_images_of_unknown_titles_are_not_found(client: FlaskClient) -> None:
    for path in ("/titles/99.svg", "/titles/99-grey.svg", "/titles/x.svg"):
        response = client.get(path)
        assert (response.status_code, response.get_json()["error_code"]) == (404, "404")


def test_the_award_command_awards_missing_titles(app: Flask, make: Maker) -> None:
    shop, eager, idle = make.shop(), make.member(), make.member()
    for _ in range(3):
        make.review(eager, shop)
    runner = app.test_cli_runner()
    first = json.loads(runner.invoke(commands, ["award", "--json"]).output)
    held = make.rows("SELECT title_id FROM member_titles WHERE member_id = %s", eager)
    assert {title for (title,) in held} >= {1, 2, 3}
    assert make.rows("SELECT title_id FROM member_titles WHERE member_id = %s", idle) == [(1,)]
    assert first["awarded"] == make.sql("SELECT count(*) FROM member_titles")
    assert first["by_title"]["1"] == 3 - 1
    repeated = runner.invoke(commands, ["award"])
    assert (repeated.exit_code, repeated.output) == (0, "0 titles awarded\n")


def test_the_award_command_skips_withdrawn_members(app: Flask, make: Maker) -> None:
    member = make.member()
    make.sql("UPDATE members SET nickname = NULL, nickname_key = NULL, withdrawn_at = now()")
    assert app.test_cli_runner().invoke(commands, ["award"]).output == "0 titles awarded\n"
    assert (
        make.rows("SELECT * FROM title_progress_in('Asia/Seoul') WHERE member_id = %s", member)
        == []
    )


def test_responses_agree_with_title_progress_in(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    member = make.member()
    make.review(member, make.shop())
    titles = client.get("/member-titles", headers=make.bearer(app, member)).get_json()
    shown = [
        (t["id"], t["progress"]["current"], t["progress"]["target"])
        for t in titles["member_titles"]
    ]
    rows = make.rows(
        "SELECT title_id, current, target FROM title_progress_in('Asia/Seoul') WHERE member_id = %s ORDER BY 1",
        member,
    )
    assert shown == rows
