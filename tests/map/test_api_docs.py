"""Tests the API documentation page: an overview in both languages, and Korean texts for everything in the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from geoshops.map import api_docs

CODE = re.compile(r"`([^`]+)`")
KOREAN, ENGLISH = api_docs.texts("ko"), api_docs.texts("en")
PROPER_NAMES = {"OGC API Features"}


@pytest.fixture
def document(client: FlaskClient) -> dict[str, Any]:
    """The OpenAPI document."""
    parsed: dict[str, Any] = client.get("/openapi.json").get_json()
    return parsed


def parts(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in document["paths"].values():
        yield item
        yield from (item[method] for method in api_docs.METHODS if method in item)


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [("", "ko-KR,ko", "ko"), ("", "ja", "en"), ("", "", "ko"), ("?lang=en", "ko", "en")],
)
def test_the_overview_lists_every_operation_in_the_readers_language(
    client: FlaskClient, document: dict[str, Any], query: str, accepted: str, language: str
) -> None:
    response = client.get(f"/docs{query}", headers={"Accept-Language": accepted})
    assert f'<html lang="{language}">' in response.text
    assert {"Accept-Language", "Cookie"} <= set(response.headers["Vary"].split(", "))
    named = [part["operationId"] for part in parts(document) if "operationId" in part]
    assert sorted(re.findall(r'href="#/[a-z]+/(\w+)"', response.text)) == sorted(named)
    start, summary = {
        "ko": ("<h2>시작하기</h2>", "지점 하나의 모든 정보"),
        "en": ("<h2>Getting started</h2>", "All details of a shop"),
    }[language]
    assert start in response.text and summary in response.text
    assert '<a href="/shops/brand?userLat=37.4979&amp;userLng=127.0276&amp;' in response.text
    assert ("시작하기" in response.text) == (language == "ko")


def test_everything_that_the_document_describes_has_a_korean_text(document: dict[str, Any]) -> None:
    operations = {part["operationId"]: part for part in parts(document) if "operationId" in part}
    assert KOREAN["operations"].keys() == operations.keys()
    for name, known in KOREAN["operations"].items():
        described = {key for key, text in operations[name].items() if text}
        assert known.keys() == {"summary", "description"} & described, name
    assert KOREAN["tags"].keys() == {tag["name"] for tag in document["tags"]}
    parameters = {p["name"] for part in parts(document) for p in part.get("parameters", [])}
    assert KOREAN["parameters"].keys() == parameters
    assert KOREAN["page"].keys() == ENGLISH["page"].keys()


def test_korean_texts_are_korean_and_name_the_same_fields(document: dict[str, Any]) -> None:
    texts = {
        *KOREAN["tags"].values(),
        *KOREAN["parameters"].values(),
        *(text for known in KOREAN["operations"].values() for text in known.values()),
    }
    assert [one for one in texts - PROPER_NAMES if not re.search("[가-힣]", one)] == []
    for part in parts(document):
        for key, korean in KOREAN["operations"].get(part.get("operationId"), {}).items():
            assert set(CODE.findall(korean)) == set(CODE.findall(part[key])), part["operationId"]
