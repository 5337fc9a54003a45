"""schemathesis in process over our own OpenAPI document: every operation, every check, a fixed seed."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from geoshops import create_app
from tests.make import Maker

EXAMPLES = 10
# Rules that JSON Schema cannot state: a valid request may be refused by these and no others.
BEYOND = (
    "[page] page times size",
    "[bbox] must be",  # west, south, east and north in this order and range
    "[coordinates]",  # degrees, closed rings that do not cross themselves
    "[at] position",  # degrees
    "[filter] character",  # the grammar of CQL2 and the properties
    "[datetime] must be",  # the standard writes no format into its schema
    "[nickname] must have",  # after NFC, trimming and collapsing of blanks
    "[member-title-id] you do not have",
    "[brand] must be one of",  # the brands are data
    "[provider] is not a configured",
    "[star_rating] must be an integer",  # 5.0 is one for JSON Schema, not for the contract
)
# the document does not depend on the database
DOCUMENT = schemathesis.openapi.from_wsgi(
    "/openapi.json", create_app({"testing": True, "database_url": "postgresql:///none"})
)
WITHOUT_INPUT = (  # nothing of these could be invalid
    "GET /brands",
    "GET /ogc",
    "GET /ogc/conformance",
    "GET /ogc/collections",
    *(
        f"GET /ogc/collections/{name}{more}"
        for name in ("shops", "regions", "stations")
        for more in ("", "/queryables")
    ),
)
fixed = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
LABELS = [found.ok().label for found in DOCUMENT.get_all_operations()]


@pytest.fixture(scope="session")
def operations(app: Flask) -> dict[str, Any]:
    """The operations of the application under test."""
    document = schemathesis.openapi.from_wsgi("/openapi.json", app)
    return {found.ok().label: found.ok() for found in document.get_all_operations()}


@pytest.fixture
def filled(make: Maker) -> Maker:
    """Shops, reviews and favorites under the small ids that the generator prefers."""
    shops = [make.shop(f"s{i}") for i in range(3)]
    for shop in shops:
        member = make.member()
        make.review(member, shop)
        make.favorite(member, shop)
    return make


def validate(case: Any, answer: Any, headers: dict[str, str], excluded: Any) -> None:
    """Every check but the excluded one, which cannot judge this answer."""
    case.validate_response(
        answer,
        headers=headers,
        transport_kwargs={"headers": headers},
        excluded_checks=[excluded] if excluded else [],
    )


@pytest.mark.parametrize("label", LABELS)
def test_valid_requests_are_answered_as_documented(
    app: Flask, filled: Maker, operations: dict[str, Any], label: str
) -> None:
    @fixed
    @given(case=operations[label].as_strategy(generation_mode=GenerationMode.POSITIVE))
    def check(case: Any) -> None:
        headers = filled.bearer(app)
        # explain=true answers another shape, told in words so that generated clients keep a list
        (case.query or {}).pop("explain", None)
        answer = case.call(headers=headers)
        beyond = answer.status_code == 400 and answer.json()["error_message"].startswith(BEYOND)
        validate(case, answer, headers, positive_data_acceptance if beyond else None)

    check()


@pytest.mark.parametrize("label", [label for label in LABELS if label not in WITHOUT_INPUT])
def test_invalid_requests_are_rejected_as_documented(
    app: Flask, filled: Maker, operations: dict[str, Any], label: str
) -> None:
    declared = {parameter.name for parameter in operations[label].query}

    @fixed
    @given(case=operations[label].as_strategy(generation_mode=GenerationMode.NEGATIVE))
    def check(case: Any) -> None:
        headers = filled.bearer(app)
        answer = case.call(headers=headers)
        # the contract ignores names that it does not know, and takes the null of JavaScript for an absent value
        query = case.query or {}
        nulls = any(value in (None, "null", "") for value in query.values())
        ignored = bool(set(query) - declared) or nulls
        # a limit above the largest page is the largest page (OGC API Features, fc-limit-response)
        ignored |= label.endswith("/items") and str(query.get("limit")).isdigit()
        validate(case, answer, headers, negative_data_rejection if ignored else None)

    check()
