"""Tests GET /shops/hours: opening hours of several shops, and whether they are open now."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.make import Maker

ALWAYS = [{"day": day, "open": "00:00", "close": "24:00"} for day in range(1, 8)]
# a minute of the week at which the test is unlikely to run
HARDLY = [{"day": 3, "open": "04:17", "close": "04:18"}]


def test_open_closed_and_unknown_are_as_on_the_shops_page(client: FlaskClient, make: Maker) -> None:
    shops = [
        make.shop(opening_hours=ALWAYS),
        make.shop(opening_hours=HARDLY),
        make.shop(),
        make.shop(opening_hours=ALWAYS, status="TEMP_CLOSED"),
        make.shop(opening_hours=ALWAYS, status="CLOSED"),
    ]
    hours = client.get("/shops/hours", query_string={"id": [*reversed(shops), 424242]}).get_json()
    assert [(one["id"], one["open_now"]) for one in hours] == [
        *zip(shops, (True, False, None, False, False), strict=True)
    ]
    for one in hours:
        detail = client.get(f"/shops/{one['id']}").get_json()
        assert one == {name: detail[name] for name in one}
    assert client.get("/shops/hours?id=424242").get_json() == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "003"),
        ("id=", "002"),
        ("id=a", "002"),
        ("id=-1", "002"),
        ("id=1,2", "002"),
        ("id=1&id=%00", "002"),
        ("id=" + "9" * 19, "002"),
        ("&".join(f"id={n}" for n in range(1, 102)), "002"),
    ],
)
def test_identifiers_are_checked(client: FlaskClient, query: str, code: str) -> None:
    response = client.get(f"/shops/hours?{query}")
    assert (response.status_code, response.get_json()["error_code"]) == (400, code)
    assert "[id]" in response.get_json()["error_message"]


def test_as_many_shops_as_a_page_of_a_list_can_be_requested(
    client: FlaskClient, make: Maker
) -> None:
    shops = [make.shop() for _ in range(100)]
    hours = client.get("/shops/hours", query_string={"id": shops}).get_json()
    assert [one["id"] for one in hours] == shops
