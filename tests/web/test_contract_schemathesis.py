"""schemathesis against the OpenAPI document: every operation and every check, in process, with a fixed seed."""

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
# Rules that JSON Schema cannot express: the only ones that may reject a request that is valid for the schema.
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
    "[star_rating] must be an integer",  # JSON Schema accepts 5.0 as an integer, the contract does not
)
# the document does not depend on the database
DOCUMENT = schemathesis.openapi.from_wsgi(
    "/openapi.json", create_app({"testing": True, "database_url": "postgresql:///none"})
)
WITHOUT_INPUT = (  # these take no input that could be invalid
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
LABELS = [operation.ok().label for operation in DOCUMENT.get_all_operations()]


@pytest.fixture(scope="session")
def operations(app: Flask) -> dict[str, Any]:
    """The operations of the application under test."""
    document = schemathesis.openapi.from_wsgi("/openapi.json", app)
    return {operation.ok().label: operation.ok() for operation in document.get_all_operations()}


@pytest.fixture
def filled(make: Maker) -> Maker:
    """Shops, reviews and favorites under the small ids that the generator prefers."""
    shops = [make.shop(f"s{i}") for i in range(3)]
    for shop in shops:
        member = make.member()
        make.review(member, shop)
        make.favorite(member, shop)
    return make


def validate(case: Any, response: Any, headers: dict[str, str], excluded: Any) -> None:
    """Runs every check except the excluded one, which does not apply to this response."""
    case.validate_response(
        response,
        headers=headers,
        transport_kwargs={"headers": headers},
        excluded_checks=[excluded] if excluded else [],
    )


@pytest.mark.parametrize("label", LABELS)
def test_valid_requests_get_the_documented_responses(
    app: Flask, filled: Maker, operations: dict[str, Any], label: str
) -> None:
    @fixed
    @given(case=operations[label].as_strategy(generation_mode=GenerationMode.POSITIVE))
    def check(case: Any) -> None:
        headers = filled.bearer(app)
        # explain=true returns another shape, which the document only describes in text so that generated clients get a list
        (case.query or {}).pop("explain", None)
        response = case.call(headers=headers)
        beyond = response.status_code == 400 and response.json()["error_message"].startswith(BEYOND)
        validate(case, response, headers, positive_data_acceptance if beyond else None)

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
        response = case.call(headers=headers)
        # the contract ignores unknown parameters, and treats the text "null" as an absent value
        query = case.query or {}
        nulls = any(value in (None, "null", "") for value in query.values())
        ignored = bool(set(query) - declared) or nulls
        # a limit above the largest page is the largest page (OGC API Features, fc-limit-response)
        ignored |= label.endswith("/items") and str(query.get("limit")).isdigit()
        validate(case, response, headers, negative_data_rejection if ignored else None)

    check()
