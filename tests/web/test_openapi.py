"""The OpenAPI document: valid, complete, every operation named, with examples."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from openapi_spec_validator import validate

METHODS = ("get", "post", "patch", "delete", "put")


@pytest.fixture
def document(client: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").get_json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]


def test_it_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    validate(document)


def test_every_operation_has_a_unique_name_and_a_summary(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names)) >= 4
    assert all(re.fullmatch("[a-z][A-Za-z]+", name) for name in names)
    assert all(operation.get("summary") for _, _, operation in operations(document))


def test_every_rule_of_the_api_is_documented(app: Flask, document: dict[str, Any]) -> None:
    own_pages = ("map", "health", "static", "api-docs")
    for rule in app.url_map.iter_rules():
        if rule.endpoint.split(".")[0] in own_pages or rule.endpoint == "static":
            continue
        if not hasattr(app.view_functions[rule.endpoint], "contract"):
            continue
        path = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            assert method.lower() in document["paths"].get(path, {}), (method, path)


def test_required_parameters_have_examples(document: dict[str, Any]) -> None:
    without = [
        (operation["operationId"], parameter["name"])
        for _, _, operation in operations(document)
        for parameter in operation.get("parameters", [])
        if parameter.get("required") and parameter["in"] == "query"
        and "example" not in parameter and "example" not in parameter["schema"]
    ]  # fmt: skip
    assert without == []


def test_headers_are_documented_beside_the_other_parameters(document: dict[str, Any]) -> None:
    favorite = document["paths"]["/favorites/{shop_id}"]["post"]
    assert {p["name"] for p in favorite["parameters"]} == {"userLat", "userLng", "Idempotency-Key"}
    review = document["paths"]["/reviews/shop/{shop_id}"]["post"]
    assert [p["name"] for p in review["parameters"]] == ["Idempotency-Key"]
    assert "requestBody" in review


def test_responses_document_the_contracts_headers(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name in ("TokenPair", "Refreshed"):
        assert "expires_in" in schemas[name]["required"]
    for path, status in (
        ("/favorites/{shop_id}", "200"),
        ("/favorites/{shop_id}", "201"),
        ("/reviews/shop/{shop_id}", "201"),
    ):
        assert (
            "Idempotency-Replayed"
            in document["paths"][path]["post"]["responses"][status]["headers"]
        )
    suggest = {
        p["name"]: p["required"] for p in document["paths"]["/shops/suggest"]["get"]["parameters"]
    }
    assert suggest == {"keyword": True, "userLat": False, "userLng": False, "lang": False}


def test_the_docs_page_asks_nobody_else(client: FlaskClient) -> None:
    html = client.get("/docs").get_data(as_text=True)
    assert "swagger-ui" in html and "://" not in html and "<script>" not in html


def test_requests_of_the_introduction_work_in_both_languages(
    client: FlaskClient, document: dict[str, Any]
) -> None:
    assert document["servers"] == [{"url": "/"}]
    shown = re.findall(r"`GET (/shops\S+)`", document["info"]["description"])
    assert len(shown) == 4 and shown[:2] == shown[2:]
    assert [client.get(path).status_code for path in shown] == [200] * 4


def test_response_schemas_allow_new_keys(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert len(schemas) > 10
    assert [
        name for name, schema in schemas.items() if schema.get("additionalProperties") is False
    ] == []


def test_searches_tell_their_second_representation_and_headers(document: dict[str, Any]) -> None:
    for path in ("/shops", "/shops/brand"):
        found = document["paths"][path]["get"]["responses"]["200"]
        assert set(found["content"]) == {"application/json", "application/geo+json"}
        assert {"Link", "X-Total-Count", "X-Result-Truncated"} <= set(found["headers"])
