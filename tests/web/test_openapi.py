"""The OpenAPI document: valid, complete, every operation named, with examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from pyproj import Geod

from geoshops.search.queries import WHOLE_LIST as MATCHES
from geoshops.shops.schemas import MOST_SHOPS
from geoshops.web.paging import WHOLE_LIST
from geoshops.web.tokens import GRACE_S

METHODS = ("get", "post", "patch", "delete", "put")


@pytest.fixture
def document(client: FlaskClient) -> dict[str, Any]:
    parsed: dict[str, Any] = client.get("/openapi.json").get_json()
    return parsed


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


def shown(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each place that must have an example: its location, and the object with schema and example."""
    for path, method, operation in operations(document):
        name = operation["operationId"]
        for parameter in [
            *document["paths"][path].get("parameters", []),
            *operation.get("parameters", []),
        ]:
            # the example may be in the parameter or in its schema
            described = parameter["schema"] | parameter
            yield f"{name} {parameter['name']}", {**described, "schema": parameter["schema"]}
        bodies = {"body": operation.get("requestBody", {}), **operation["responses"]}
        for part, body in bodies.items():
            for media_type, content in body.get("content", {}).items():
                # a vector tile has no example in text
                if content["schema"].get("format") != "binary":
                    yield f"{name} {part} {media_type}", content
        assert any(code.startswith("2") for code in operation["responses"]), (path, method)


def faults(document: dict[str, Any]) -> list[str]:
    """Examples that are missing, or do not validate against their schemas."""
    messages = []
    for where, described in shown(document):
        schema = {**described["schema"], "components": document["components"]}
        if "example" not in described:
            messages.append(f"{where}: missing")
            continue
        errors = Draft202012Validator(
            schema, format_checker=Draft202012Validator.FORMAT_CHECKER
        ).iter_errors(described["example"])
        messages += [f"{where}: {error.json_path} {error.message}" for error in errors]
    return messages


def test_every_operation_has_examples_that_match_their_schemas(document: dict[str, Any]) -> None:
    assert len(list(shown(document))) > len(operations(document)) >= 40
    assert faults(document) == []


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda content: content.pop("example"), "missing"),
        (lambda content: content["example"].pop("id"), "$ 'id' is a required property"),
        (lambda content: content["example"].update(id="9"), "$.id '9' is not of type 'integer'"),
    ],
)
def test_examples_that_are_missing_or_wrong_are_noticed(
    document: dict[str, Any], spoil: Callable[[dict[str, Any]], Any], fault: str
) -> None:
    responses = document["paths"]["/shops/{shop_id}"]["get"]["responses"]
    spoil(responses["200"]["content"]["application/json"])
    assert faults(document) == [f"getShop 200 application/json: {fault}"]


def test_examples_agree_with_each_other(document: dict[str, Any]) -> None:
    def example(path: str, method: str = "get") -> Any:
        content = document["paths"][path][method]["responses"]["200"]["content"]
        return next(iter(content.values()))["example"]

    def sent(path: str) -> dict[str, Any]:
        parameters = document["paths"][path]["get"]["parameters"]
        return {p["name"]: p["schema"].get("example", p.get("example")) for p in parameters}

    detail, (shop,) = example("/shops/{shop_id}"), example("/shops/brand")
    assert shop.items() <= detail.items()
    assert detail["id"] == document["paths"]["/shops/{shop_id}"]["parameters"][0]["example"]
    spot = float(shop["longitude"]), float(shop["latitude"])
    user, centre = sent("/shops"), sent("/shops/brand")
    assert shop["distance_m"] == metres(spot, (user["userLng"], user["userLat"]))
    assert metres(spot, (centre["mapLng"], centre["mapLat"])) < centre["radius"]
    people = [tuple(map(float, at.split(","))) for at in sent("/shops/meet")["at"]]
    assert example("/shops/meet")[0]["distances_m"] == [metres(spot, at) for at in people]
    counts = {int(stars): count for stars, count in detail["rating_counts"].items()}
    assert sum(counts.values()) == detail["review_cnt"]
    mean = sum(stars * count for stars, count in counts.items()) / detail["review_cnt"]
    assert round(mean, 1) == detail["star_rating_avg"]


@pytest.mark.parametrize(
    ("path", "method", "limit"),
    [
        ("/auth/token", "post", f"for {GRACE_S} seconds"),
        ("/shops", "get", f"At most the best {MATCHES}\n"),
        ("/shops/brand", "get", f"At most the {WHOLE_LIST} nearest"),
        ("/shops/within", "post", f"At most the {WHOLE_LIST} nearest"),
        ("/shops/along", "post", f"{WHOLE_LIST} (`X-Result-Truncated`)"),
        ("/shops/meet", "get", f"At most the best {WHOLE_LIST}"),
        ("/reviews/shop/{shop_id}", "get", f"At most the newest {WHOLE_LIST} "),
        ("/reviews/member", "get", f"At most the newest {WHOLE_LIST} "),
        ("/favorites", "get", f"at most the newest {WHOLE_LIST};"),
        ("/shops/hours", "get", f"up to {MOST_SHOPS} shops"),
    ],
)
def test_docstrings_state_the_limits_of_the_code(
    document: dict[str, Any], path: str, method: str, limit: str
) -> None:
    operation = document["paths"][path][method]
    assert limit in f"{operation['summary']}\n{operation['description']}"


def metres(a: tuple[float, ...], b: tuple[float, ...]) -> int:
    return round(Geod(ellps="WGS84").inv(*a, *b)[2])


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


def test_the_docs_page_loads_nothing_from_other_hosts(client: FlaskClient) -> None:
    html = client.get("/docs").get_data(as_text=True)
    # links for search engines; browsers do not load them
    loaded = re.sub(r'<link rel="alternate"[^>]*>', "", html)
    assert loaded != html and "swagger-ui" in html
    assert "://" not in loaded and "<script>" not in html


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


def test_searches_document_their_second_representation_and_headers(
    document: dict[str, Any],
) -> None:
    for path in ("/shops", "/shops/brand"):
        response = document["paths"][path]["get"]["responses"]["200"]
        assert set(response["content"]) == {"application/json", "application/geo+json"}
        counts = {"X-Total-Count", "X-Total-Count-Capped", "X-Result-Truncated"}
        assert {"Link", *counts} <= set(response["headers"])
