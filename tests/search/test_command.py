"""Tests `geoshops search`: the same results and errors as the HTTP endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from geoshops.cli import main
from tests.make import Maker

Run = Callable[..., Result]


@pytest.fixture
def run(make: Maker, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("GEOSHOPS_TESTING", "true")
    seoul = make.region("서울특별시", level="sido")
    gangnam = make.region("강남구", parent=seoul)
    brand = make.brand("인생네컷")
    for name, at in (("인생네컷 역삼점", (127.04, 37.5)), ("인생네컷 신사점", (127.02, 37.52))):
        make.shop(name, at=at, brand_id=brand, sido_id=seoul, sigungu_id=gangnam)
    return lambda *words: CliRunner().invoke(main, ["search", *words])


def test_lines_show_the_interpretation_and_each_shops_rank(run: Run) -> None:
    result = run("강남 인생네컷", "--at", "127.04", "37.5")
    lines = [line.split() for line in result.output.splitlines()]
    assert lines[:3] == [
        ["region", "강남", "=", "강남구"],
        ["brand", "인생네컷", "=", "인생네컷"],
        ["pass", "understood:", "2", "shops"],
    ]
    assert [line[-1] for line in lines[3:]] == ["역삼점", "신사점"]
    assert lines[3][:4] == ["1", "all", "words", "0m"]


def test_json_is_the_explain_response(run: Run) -> None:
    body = json.loads(run("ㅇㅅㄴㅋ", "--json", "--limit", "1").output)
    assert [piece["text"] for piece in body["understood"]] == ["ㅇㅅㄴㅋ"]
    assert [shop["place_name"] for shop in body["shops"]] == ["인생네컷 신사점"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((" ",), "KEYWORD must not be blank"),
        (("a\x01b",), "KEYWORD must not contain control characters"),
        (("가" * 101,), "KEYWORD must have at most 100 characters"),
        (("강남", "--at", "37.5", "127"), "latitude and longitude seem to be swapped"),
        (("강남", "--at", "200", "37"), "--at: LNG must be between -180 and 180"),
        (("강남", "--at", "nan", "37"), "--at: LNG must be a decimal number"),
    ],
)
def test_what_the_service_rejects_is_rejected(
    run: Run, words: tuple[str, ...], message: str
) -> None:
    result = run(*words)
    assert (result.exit_code, message in result.output) == (2, True), result.output
